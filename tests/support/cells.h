/* cells.h - small models by enumeration: the probability of every cell of the adjacency matrix. */
#ifndef TESTS_SUPPORT_CELLS_H
#define TESTS_SUPPORT_CELLS_H

#include "rmat/rmat.h"

enum { CELLS_MAX_SCALE = 8 };

typedef struct {
    double kept;  /* fraction of the draws that are kept */
    double loops; /* fraction of loops among the kept draws; 0 if not square */
    double quadrants[CELLS_MAX_SCALE][4]; /* fractions among the kept draws */
    /* Of (src, dst), at src << cols_scale | dst: the fraction kept, before permutation. */
    double share[1 << 2 * CELLS_MAX_SCALE];
} cells;

/* levels: the matrices that are drawn from.  Both scales at most CELLS_MAX_SCALE. */
void cells_enumerate(const rmat_config *c, const rmat_matrix *levels, cells *out);

#endif
