/* rank_threads.h - ranks that are threads of one process, and exchange by copying. */
#ifndef TESTS_SUPPORT_RANK_THREADS_H
#define TESTS_SUPPORT_RANK_THREADS_H

#include "rmat/rmat_exchange.h"

/* Runs body(ranks, state) in so many threads, one for each rank, and returns when all have
 * returned.  Fails the test if a rank expects another number of bytes than it is sent. */
void run_ranks(int size, void (*body)(const rmat_ranks *ranks, void *state), void *state);

#endif
