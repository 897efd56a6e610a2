/*
 * write.h - the state of a compressed file under construction.
 */
#ifndef IO_COMPRESSED_WRITE_H
#define IO_COMPRESSED_WRITE_H

#include "io/compressed/lane.h"

/* A chunk that does not have all its elements yet. */
typedef struct edgefile_unfinished {
    int dataset;
    uint64_t chunk;
    _Atomic uint64_t missing; /* elements */
    struct edgefile_unfinished *next;
    uint64_t data[];
} edgefile_unfinished;

typedef struct edgefile_codecs {
    edgefile_codec *codec;
    struct edgefile_codecs *next;
} edgefile_codecs;

typedef struct {
    edgefile_index index[EDGEFILE_N_DATASETS];
    int first_edges, n_edges; /* datasets of the edges' columns: so many from the first one on */
    edgefile_lane edges, pointers; /* of a group, all chunks are in the lane of the edges */
    pthread_mutex_t lock;          /* guards what follows */
    edgefile_unfinished *begun, *spare_unfinished;
    edgefile_codecs *spare;
} edgefile_compressed;

static inline bool edgefile_is_pointers(const edgefile_output *w, int dataset)
{
    return w->schema.format == EDGEFILE_CSR && dataset == EDGEFILE_POINTERS;
}

/* The chunks of the edges' columns. */
static inline uint64_t edgefile_edge_chunks(const edgefile_compressed *c)
{
    return (uint64_t)c->n_edges * c->index[EDGEFILE_DST].n;
}

/* chunks.c: elements [first, first + count) of a dataset.  Chunks that are complete then go to
 * their lane.  Any thread. */
int edgefile_chunks_add(edgefile_output *w, int dataset, uint64_t first, uint64_t count,
                        const char *from);
void edgefile_chunks_free(edgefile_compressed *c);

/* rounds.c: ends a round.  gather: tells process 0 where all chunks are.  Collective. */
int edgefile_compressed_end_round(edgefile_output *w);
void edgefile_compressed_gather(edgefile_output *w);

#endif
