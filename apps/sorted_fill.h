/* Blocks of the sorted graph, one after another: each from one pass over the stream. */
#ifndef APPS_SORTED_FILL_H
#define APPS_SORTED_FILL_H

#include "rmat/rmat_block.h"
#include <stdbool.h>

/* Where blocks begin: block i is from cells[i] on and before cells[i + 1], i < n. */
typedef struct {
    rmat_cell *cells; /* n + 1, from malloc() */
    uint64_t n;
} sorted_cuts;

/*
 * Make block i of these, in memory `b`: of the stream's edges [0, edges).  One that does not fit is
 * cut in two in the list, as often as it takes, and block i is then the first part.  stop, or NULL,
 * is asked several times a second; nonzero ends it.  Returns 0, an rmat_status, or
 * SORTED_STOPPED.
 */
enum { SORTED_STOPPED = 1 };
int sorted_fill(rmat_block *b, sorted_cuts *cuts, uint64_t i, uint64_t edges, bool unique,
                int (*stop)(void *argument), void *argument);

#endif
