/* The number of edges in each quadrant of each level of the recursion, from the bits of their ends.
 */
#ifndef APPS_STATS_LEVELS_H
#define APPS_STATS_LEVELS_H

#include "apps/common/bit_counts.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    uint64_t edges;
    bit_counts src, dst, both;
    bool halves; /* words have two ids of 32 bits each */
} level_sums;    /* of one thread; all zero: none yet */

enum { LEVELS_MAX = 64 };

typedef struct {
    int rows_scale, cols_scale, levels; /* log2 of the vertices, rounded up; the larger one */
    uint64_t edges, src[64], dst[64], both[64]; /* how many have the bit */
} level_totals;

/* A level of the larger side only has two quadrants, a and c (of rows) or a and b. */
typedef struct {
    bool has_src, has_dst;
    double share[4]; /* of a, b, c, d: source and destination bit 0 0, 0 1, 1 0, 1 1 */
} level_shares;

/* gen: of a graph that is permuted, to undo that; else NULL.  False where an id is not below the
 * number of vertices. */
bool levels_add(level_sums *sums, const rmat_gen *gen, const edge_block *edges);
void levels_sum_up(level_totals *totals, const level_sums *sums);

/* Level 0 is the most significant bit. */
level_shares levels_shares(const level_totals *totals, int level);

#endif
