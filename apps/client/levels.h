/*
 * Edges by quadrant and level of the recursion.
 *
 * Level 0 belongs to the most significant bit of a vertex.  An edge is in quadrant a, b, c or d of
 * a level where the bits of its source and destination are 0 0, 0 1, 1 0 or 1 1.
 */
#ifndef APPS_CLIENT_LEVELS_H
#define APPS_CLIENT_LEVELS_H

#include "apps/engine/source/edge_source.h"
#include <stdbool.h>

/* Four bits of the source and four of the destination make the number of a cell. */
enum { LEVELS_GROUPS = 16, LEVELS_CELLS = 256 };

/* An object that is all zero has seen no edge.  It belongs to one thread. */
typedef struct {
    uint64_t edges;
    uint64_t cells[LEVELS_GROUPS][LEVELS_CELLS];
} level_counts;

/* Counts every step-th edge from index `first` of the block on.  gen: of a graph whose vertices are
 * permuted, to undo that; else NULL.  Returns false if an edge has a vertex that gen does not have;
 * then some edges near it are left out. */
bool levels_add(level_counts *c, const rmat_gen *gen, const edge_block *edges, uint64_t first,
                uint64_t step);

void levels_merge(level_counts *to, const level_counts *more);

/* The number of edges in quadrants a, b, c and d of bit k, the least significant one being 0. */
void levels_quadrants(const level_counts *c, int k, uint64_t quadrants[4]);

#endif
