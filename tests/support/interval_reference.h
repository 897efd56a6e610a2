/* interval_reference.h - sorted intervals made the plain way, by qsort() of all edges, and
 * comparison with those of the library. */
#ifndef TESTS_SUPPORT_INTERVAL_REFERENCE_H
#define TESTS_SUPPORT_INTERVAL_REFERENCE_H

#include "rmat/rmat_interval.h"

int cell_below(const rmat_cell *a, const rmat_cell *b);

/* Edges [first, first + count) of the stream between two cells, in order; unique: each once.
 * Returns how many; *cells is to be freed. */
uint64_t reference_interval(const rmat_gen *gen, uint64_t first, uint64_t count,
                            const rmat_cell *from, const rmat_cell *end, int unique,
                            rmat_cell **cells);

/* Fails the test unless all functions that read the sorted interval agree that it holds these
 * cells. */
void compare_interval(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *cells,
                      uint64_t n, const char *name);

/* The cell so many cells after this one (before it, if negative), limited to the graph. */
rmat_cell next_cell(const rmat_gen *gen, const rmat_cell *c, int64_t by);

#endif
