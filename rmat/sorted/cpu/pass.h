/* A pass over edges of the stream, which threads make in pieces that stay in the cache. */
#ifndef RMAT_SORTED_CPU_PASS_H
#define RMAT_SORTED_CPU_PASS_H

#include "rmat/model/generator.h"

#define RMAT_PASS_PIECE ((uint64_t)4096) /* edges at most */

/* Edges [first, first + n); id_bytes is 4 where that is enough.  Of this thread (0 and on).
 * Nonzero: this thread makes no more. */
typedef int rmat_take(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, int id_bytes);

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count;
    _Atomic uint64_t made; /* how many have been taken, at least; begin with 0 */
} rmat_pass;

/* Threads for so much work, in pieces of this size. */
int rmat_threads_for(const rmat_gen *gen, uint64_t work, uint64_t piece);

/* Until all are made, or every thread has stopped: then it can be called again, to go on.  Returns
 * whether all are made. */
int rmat_run_pass(rmat_pass *p, int threads, rmat_take *take, void *to);

#endif
