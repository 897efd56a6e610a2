/*
 * pass.h - private to rmat/: a pass over edges of the stream, which threads make in pieces that
 * stay in the cache.
 */
#ifndef RMAT_SORTED_CPU_PASS_H
#define RMAT_SORTED_CPU_PASS_H

#include "rmat/model/generator.h"

#define RMAT_PASS_PIECE ((uint64_t)4096) /* edges, at most */

/* Takes edges [first, first + n) from thread number `thread` (from 0 on).  id_bytes is 4 if both
 * scales allow it, else 8.  weight: what the edge source brings, 4 bytes each, or NULL.  Returns
 * nonzero to make this thread stop. */
typedef int rmat_take(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, const void *weight, int id_bytes);

/* Edges that a thread has from an edge source and has not handed on yet. */
typedef struct {
    uint64_t first, count, room;
    char *memory; /* sources, destinations, weights: `room` elements each */
} rmat_pass_stock;

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count;
    _Atomic uint64_t made; /* edges handed out to threads so far, at least; 0 at first */

    /* For a generator with an edge source; all zero at first. */
    rmat_pass_stock *stocks; /* of `threads` threads */
    int threads;
    _Atomic int status; /* RMAT_ERR_SOURCE, RMAT_ERR_NOMEM, RMAT_ERR_STOPPED: the pass has failed */
} rmat_pass;

/* How many threads so much work is worth, in pieces of this size. */
int rmat_threads_for(const rmat_gen *gen, uint64_t work, uint64_t piece);

/* Runs until all edges are made, every thread has stopped or p->status is set; after a stop it can
 * be called again with as many threads, to go on.  Returns whether all are made. */
bool rmat_run_pass(rmat_pass *p, int threads, rmat_take *take, void *to);

/* Frees what the pass holds.  Returns p->status. */
int rmat_pass_end(rmat_pass *p);

#endif
