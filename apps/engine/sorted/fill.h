/* Intervals of the sorted graph, one after another: each from one pass over the stream. */
#ifndef APPS_ENGINE_SORTED_FILL_H
#define APPS_ENGINE_SORTED_FILL_H

#include "rmat/rmat_interval.h"
#include <stdbool.h>

/* Where intervals begin: interval i is from cells[i] on and before cells[i + 1], i < n. */
typedef struct {
    rmat_cell *cells; /* n + 1, from malloc() */
    uint64_t n;
} sorted_cuts;

/*
 * Make interval i of these, in memory `b` of the generator: of the stream's edges [0, edges).  One
 * that does not fit is cut in two in the list, as often as it takes, and interval i is then the
 * first part.  tick is called several times a second with how many edges of the stream were made
 * since the call before; nonzero ends it.  Returns 0, an rmat_status, or SORTED_STOPPED.
 */
enum { SORTED_STOPPED = 1 };
typedef int (*sorted_tick)(void *argument, uint64_t made);
int sorted_fill(const rmat_gen *gen, rmat_interval *b, sorted_cuts *cuts, uint64_t i,
                uint64_t edges, bool unique, sorted_tick tick, void *argument);

#endif
