/*
 * The edges of one of our HDF5 files, a list or CSR: any range of them, by any number of threads;
 * and all of them once, piece by piece.
 */
#ifndef APPS_ENGINE_SOURCE_EDGE_SOURCE_H
#define APPS_ENGINE_SOURCE_EDGE_SOURCE_H

#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/status.h"

typedef struct edge_source edge_source;

/* What it has.  Borrowed from the source. */
typedef struct {
    graphfile_format format; /* H5 or CSR */
    graphfile_graph graph;
    edgefile_reader *reader; /* for its attributes: for one thread, while no edges are read */
    const file_model *model; /* of a file with all attributes of a model, else NULL */
    const char *made_by;     /* the command that makes it, or "" */
    uint64_t fingerprint;    /* compared with that of the edges, once all were read */
} edge_source_facts;

/* Returns an engine_status. */
int edge_source_open(edge_source **out, const char *name);

void edge_source_close(edge_source *s); /* NULL is allowed */
const edge_source_facts *edge_source_facts_of(const edge_source *s);

/*
 * However the edges are read: the read that completes them fails if their fingerprint is not that
 * of the file, and so do all reads from then on.  So nothing that reads a whole file takes damaged
 * edges for right ones, in whatever ranges, in whatever order, and however often, it reads them.
 */

/* The same check where each rank has read a part of the edges.  Collective.  Returns an
 * engine_status. */
int edge_source_check_ranks(edge_source *s);

/* For engine_job.source: the edges, what is known of them, and error(); the rest is zero.  A vertex
 * beyond those that the source says is an error.  The source is borrowed. */
engine_source edge_source_for_engine(edge_source *s);

/* All edges once, by threads that each read a piece at a time, in order: the lowest
 * that nobody has. */

enum { EDGE_PIECE = 1 << 17 }; /* edges of a piece; the last one may have fewer */

/* Edges in memory. */
typedef struct {
    uint64_t first, count;          /* their place in the graph */
    const void *src, *dst, *weight; /* of count elements; weight may be NULL */
    int id_bytes;                   /* of an element of src and dst */
} edge_block;

static inline uint64_t edge_id(const void *ids, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

/* A piece, in thread `thread` of 0 to threads - 1.  0, or -1 with `text` saying what failed. */
typedef int edge_visit(void *state, int thread, const edge_block *edges, char *text, size_t size);

/* The meter counts edges.  Returns an engine_status: of the first failure, or ENGINE_STOPPED. */
int edge_walk(edge_source *s, int threads, edge_visit *visit, void *state, engine_meter *meter);

/* The same for other pipelines: their buffers, and what fills these, until all readers are done.
 * Each buffer is written by the thread that has read it. */
typedef struct {
    edge_source *source;
    edge_visit *visit; /* NULL, or what happens before the buffer goes to the sink */
    void *state;
    bool fingerprints; /* the sink needs them */
    _Atomic int started;
} edge_readers;

pipeline_plan edge_pipeline_plan(const edge_source *s, int id_bytes, int threads);
pipeline_producer edge_producer(edge_readers *r, int threads);

/*
 * The sources of a CSR file's edges, which it has as pointers only.
 *
 * The rows of edges [first, first + count), in src of edgefile_id_bytes() elements.  *near: a row,
 * 0 at first, from which the first edge's is searched for; set to the last edge's.  Needs no more
 * memory than a buffer, and little time even if there are far more rows than edges.  Returns 0 or
 * an edgefile_status; EDGEFILE_ERR_RANGE: the pointers are not in order (edgefile_detail() does
 * not say so).
 */
int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near);

#endif
