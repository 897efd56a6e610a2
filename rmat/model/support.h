/* support.h - private to rmat/: the cells that edges can have, counted and numbered. */
#ifndef RMAT_MODEL_SUPPORT_H
#define RMAT_MODEL_SUPPORT_H

#include "rmat/model/descent.h"
#include "rmat/rmat_interval.h"

#include <stdbool.h>

__extension__ typedef unsigned __int128 rmat_u128;

/* The cells of drawn ends, before they are permuted and directed. */
typedef struct {
    rmat_descent descent;
    uint8_t allowed[RMAT_MAX_SCALE]; /* bit k: quadrant k of the level can be chosen */
    rmat_u128 cells[RMAT_MAX_SCALE + 1][RMAT_STATES]; /* reachable from this level and state */
} rmat_support;

/* levels: as of rmat_levels().  both: only cells whose reverse is a cell, too. */
void rmat_support_init(rmat_support *p, const rmat_config *config, const rmat_matrix *levels,
                       bool both);

/* The number of cells. */
static inline rmat_u128 rmat_support_cells(const rmat_support *p)
{
    return p->cells[0][RMAT_ROOT];
}

/* Cell number i, below rmat_support_cells(). */
rmat_cell rmat_support_cell(const rmat_support *p, rmat_u128 i);

#endif
