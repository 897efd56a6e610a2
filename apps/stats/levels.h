/* The number of edges in each quadrant of each level of the recursion, from the bits of their ends.
 */
#ifndef APPS_STATS_LEVELS_H
#define APPS_STATS_LEVELS_H

#include "apps/engine/source/edge_source.h"
#include "rmat/rmat_tally.h"

typedef struct {
    int rows_scale, cols_scale, levels; /* log2 of the vertices, rounded up; the larger one */
    rmat_tally tally;
} level_totals;

/* A level of the larger side only has two quadrants, a and c (of rows) or a and b. */
typedef struct {
    bool has_src, has_dst;
    double share[4]; /* of a, b, c, d: source and destination bit 0 0, 0 1, 1 0, 1 1 */
} level_shares;

/* The scales for so many vertices; no edges yet. */
void levels_begin(level_totals *totals, uint64_t rows, uint64_t cols);

/* gen: of a graph that is permuted, to undo that; else NULL.  False where an id is not below the
 * number of vertices. */
bool levels_add(rmat_counter *counter, const rmat_gen *gen, const edge_block *edges);

/* Level 0 is the most significant bit. */
level_shares levels_shares(const level_totals *totals, int level);

#endif
