/* The check of sorted intervals on a GPU, which knows nothing of intervals itself. */
#ifndef APPS_BENCH_CSR_VERIFY_H
#define APPS_BENCH_CSR_VERIFY_H

#include "rmat/rmat_interval.h"
#include <stdbool.h>

/*
 * Compares a sorted interval with another pass over the first `stream` edges: keys rise, and each
 * edge of the interval is there, as often as it should be.  *right tells.  Returns an rmat_status.
 */
int csr_verify(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *first,
               const rmat_cell *end, uint64_t stream, bool unique, bool *right);

#endif
