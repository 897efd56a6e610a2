/*
 * write.h - the state of a compressed file under construction.  Private.
 *
 * Encoded chunks lie one behind the other in the order of their numbers, whoever brings them and
 * when: they are in a lane.  A chunk gets its place when all before it have theirs.  The thread
 * that brings the next one writes it, and those behind it that were waiting.  Where several
 * processes write the file, chunks wait until the end of their round.
 */
#ifndef IO_COMPRESSED_WRITE_H
#define IO_COMPRESSED_WRITE_H

#include "io/compressed/compressed.h"
#include "io/output.h"

/* An encoded chunk.  bytes: without the zeros that follow up to the end of the page. */
typedef struct edgefile_encoded {
    uint64_t number, bytes;
    edgefile_chunk *place; /* is set when it is known */
    struct edgefile_encoded *next;
    char *data; /* on a page boundary, with room for whole pages; belongs to the lane */
} edgefile_encoded;

typedef struct {
    edgefile_part *part;  /* whose descriptors are written to */
    bool direct;          /* past the page cache, if the part can */
    bool rounds;          /* chunks wait for edgefile_lane_end_round() */
    uint64_t base;        /* where chunk 0 is */
    pthread_mutex_t lock; /* guards what follows */
    uint64_t next, end;   /* the chunk whose place is known, and that place */
    uint64_t reserved;    /* disk space is allocated up to there */
    edgefile_encoded *waiting, *spare;
} edgefile_lane;

void edgefile_lane_init(edgefile_lane *l, edgefile_part *part, bool direct, bool rounds);
void edgefile_lane_free(edgefile_lane *l);

/* An empty chunk with room for so many bytes; NULL: memory is exhausted.  Goes back by add or by
 * give. */
edgefile_encoded *edgefile_lane_take(edgefile_lane *l, size_t bytes);
void edgefile_lane_give(edgefile_lane *l, edgefile_encoded *e);

/* By any thread, every number once. */
int edgefile_lane_add(edgefile_lane *l, edgefile_encoded *e);

/* Writes the chunks of a round, whose numbers follow each other, behind those of lower processes.
 * Collective; EDGEFILE_ERR_RANGE: numbers are missing. */
int edgefile_lane_end_round(edgefile_lane *l, const edgefile_group *group);

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

/* write.c: elements [first, first + count) of a dataset.  Chunks that are complete then go to
 * their lane.  Any thread. */
int edgefile_chunks_add(edgefile_output *w, int dataset, uint64_t first, uint64_t count,
                        const char *from);
void edgefile_chunks_free(edgefile_compressed *c);

/* rounds.c: ends a round.  gather: tells process 0 where all chunks are.  Collective. */
int edgefile_compressed_end_round(edgefile_output *w);
void edgefile_compressed_gather(edgefile_output *w);

#endif
