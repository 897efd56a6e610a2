/*
 * pass.h - private to rmat/: a pass over edges of the stream, which threads make in pieces that
 * stay in the cache.
 */
#ifndef RMAT_SORTED_CPU_PASS_H
#define RMAT_SORTED_CPU_PASS_H

#include "rmat/model/generator.h"

#define RMAT_PASS_PIECE ((uint64_t)4096) /* edges, at most */

/* Takes edges [first, first + n) from thread number `thread` (from 0 on).  id_bytes is 4 if both
 * scales allow it, else 8.  weight: what the edge source brings, 4 bytes each, or NULL.  A status
 * other than 0 ends the pass. */
typedef int rmat_take(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, const void *weight, int id_bytes);

/* How many threads so much work is worth, in pieces of this size. */
int rmat_threads_for(const rmat_gen *gen, uint64_t work, uint64_t piece);

/* Makes edges [first, first + count).  Returns 0, what take() returned, RMAT_ERR_SOURCE,
 * RMAT_ERR_NOMEM or RMAT_ERR_STOPPED. */
int rmat_run_pass(const rmat_gen *gen, uint64_t first, uint64_t count, int threads, rmat_take *take,
                  void *to);

#endif
