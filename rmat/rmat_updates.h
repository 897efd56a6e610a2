/*
 * rmat_updates.h - a graph that changes: batches of insertions and deletions of the edges of a
 * generator, by version 1 of the update stream (UPDATES.md).
 *
 * Every update, and every edge of the graph after any batch, is a pure function of the model, the
 * seed and its number, so any range of them is made alone.  The edges are those of the stream in
 * their order: the first `edges` of them are the graph before batch 0, each insertion adds the next
 * one, and each deletion removes one that was there before its batch.  Two edges with the same ends
 * are two edges.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h).  Any number of threads may
 * use an rmat_updates at the same time.
 */
#ifndef RMAT_RMAT_UPDATES_H
#define RMAT_RMAT_UPDATES_H

#include "rmat/rmat_source.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_UPDATES_VERSION 1
#define RMAT_UPDATES_MAX     ((uint64_t)1 << 31) /* insertions, and deletions, of a batch */
#define RMAT_UPDATES_MAX_GAP ((uint64_t)1 << 20)

typedef enum {
    RMAT_DELETE_RANDOM, /* among those that were there when the round began */
    RMAT_DELETE_OLDEST
} rmat_deletions;

typedef enum {
    RMAT_ARRIVE_UNIFORM, /* the same time between any two */
    RMAT_ARRIVE_POISSON,
    RMAT_ARRIVE_BURSTY
} rmat_arrivals;

typedef struct {
    uint64_t edges;                 /* of the graph before batch 0 */
    uint64_t insertions, deletions; /* of each batch: 0 to RMAT_UPDATES_MAX, not both 0 */
    rmat_deletions order;
    rmat_arrivals arrivals;
    uint64_t gap; /* ticks between two updates, on average: 1 to RMAT_UPDATES_MAX_GAP */
} rmat_updates_config;

/* The functions below do not change it; it may be copied. */
typedef struct {
    const rmat_gen *gen;
    rmat_updates_config config;
    uint64_t seed;
    uint64_t batches; /* how many there can be: until there are fewer edges than a batch deletes, or
                         numbers of edges or times end */
} rmat_updates;

/*
 * Fills in *out.  gen is borrowed for as long as *out is used: a generator of host memory without
 * symmetrize and weights, whose permutation, direction and seed are those of the updates.
 * RMAT_ERR_ARG: it is another one, or the configuration is out of range.
 */
int rmat_updates_of(rmat_updates *out, const rmat_gen *gen, const rmat_updates_config *config);

/* Updates [first, first + count) of the whole stream, of which batch k has those from k *
 * (insertions + deletions) on: ends, and in to->weight, unless that is NULL, int32_t 1 for an
 * insertion and -1 for a deletion.  RMAT_ERR_RANGE: there are not so many. */
int rmat_updates_fill(const rmat_updates *u, uint64_t first, uint64_t count, const rmat_arrays *to);

/* Times of updates, in ticks; they never decrease. */
void rmat_updates_times(const rmat_updates *u, uint64_t first, uint64_t count, int64_t *to);

/* The graph after the first `batch` batches.  How many edges it has, and edges [first, first +
 * count) of them, without weights.  RMAT_ERR_RANGE. */
uint64_t rmat_updates_live(const rmat_updates *u, uint64_t batch);
int rmat_updates_snapshot(const rmat_updates *u, uint64_t batch, uint64_t first, uint64_t count,
                          const rmat_arrays *to);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
