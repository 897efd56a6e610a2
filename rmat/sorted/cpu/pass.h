/* pass.h - private to rmat/: a pass over edges of the stream, which threads make in pieces that
 * stay in the cache. */
#ifndef RMAT_SORTED_CPU_PASS_H
#define RMAT_SORTED_CPU_PASS_H

#include "rmat/model/generator.h"

#include <stdbool.h>

#define RMAT_PASS_PIECE ((uint64_t)4096) /* edges, at most */

/* Takes edges [first, first + n) from thread number `thread` (from 0 on).  id_bytes is 4 if both
 * scales allow it, else 8.  Returns nonzero to make this thread stop. */
typedef int rmat_take(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, int id_bytes);

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count;
    _Atomic uint64_t made; /* edges handed out to threads so far, at least; 0 at first */
} rmat_pass;

/* How many threads so much work is worth, in pieces of this size. */
int rmat_threads_for(const rmat_gen *gen, uint64_t work, uint64_t piece);

/* Runs until all edges are made or every thread has stopped; in that case it can be called again,
 * to go on.  Returns whether all are made. */
bool rmat_run_pass(rmat_pass *p, int threads, rmat_take *take, void *to);

#endif
