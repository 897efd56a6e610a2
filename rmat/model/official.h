/*
 * official.h - private to rmat/: the objects of the official streams, Graph500's and GAPBS's, with
 * copies of their tables in the memory of GPUs.
 */
#ifndef RMAT_MODEL_OFFICIAL_H
#define RMAT_MODEL_OFFICIAL_H

#include "rmat/model/mrg.h"
#include "rmat/rmat_source.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies of a table in the memory of every GPU that needs one, because an edge source does not know
 * its GPUs in advance.  The first call on a GPU makes the copy; all are freed together. */
typedef struct rmat_gpu_copies rmat_gpu_copies;

typedef struct {
    mrg_view view;
    rmat_gpu_copies *copies; /* of view */
    rmat_isa isa;
} rmat_graph500;

typedef struct {
    pthread_mutex_t lock; /* while the permutation is made */
    int ready;            /* it is made; atomic */
    /* The vertices that stand for the drawn ones, 2^scale of them.  The index is the drawn vertex
     * with its bits in reverse order: the first level is bit 0. */
    uint32_t *permutation;
    int scale;
    uint32_t seed;
    rmat_isa isa;
    rmat_gpu_copies *copies; /* of permutation */
} rmat_gapbs;

/* Create the object of a checked configuration; describe its first `edges` edges as a source, with
 * the benchmark's weights if `weights` is nonzero; and free it. */
int rmat_graph500_create(void **list, const rmat_config *config);
rmat_source rmat_graph500_source(const void *list, uint64_t edges, int weights);
void rmat_graph500_destroy(void *list);
int rmat_gapbs_create(void **list, const rmat_config *config);
rmat_source rmat_gapbs_source(const void *list, uint64_t edges, int weights);
void rmat_gapbs_destroy(void *list);

/* g->permutation, which the first call makes. */
const uint32_t *rmat_gapbs_permutation(const rmat_gapbs *g);

/* rmat_create() for a stream other than RMAT_STREAM_RMAT.  The generator has an edge source. */
int rmat_create_listed(rmat_gen **out, const rmat_config *config);

/* Returns the graph by rows that is the generator's stream in the order of its list; with permuted,
 * also if the only transformation is the permutation.  Else NULL. */
const struct rmat_rows *rmat_rows_behind(const rmat_gen *gen, bool permuted);

/* Frees rmat_gen.official. */
void rmat_close_official(void *official);

#ifdef __cplusplus
}
#endif

#endif
