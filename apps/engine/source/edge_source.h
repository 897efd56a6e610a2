/*
 * edge_source.h - reads the edges of one of our HDF5 files, a list or CSR: any range by any number
 * of threads, or all edges once, piece by piece.  And convert.c, which writes them to a file of any
 * format.
 */
#ifndef APPS_ENGINE_SOURCE_EDGE_SOURCE_H
#define APPS_ENGINE_SOURCE_EDGE_SOURCE_H

#include "apps/engine/attributes/model_attrs.h"

typedef struct edge_source edge_source;

/* Facts about the source, which owns them. */
typedef struct {
    graphfile_format format; /* H5 or CSR */
    graphfile_graph graph;
    edgefile_reader *reader;     /* for attributes: one thread, while no edges are read */
    const file_model *model;     /* if the file has all attributes of a model, else NULL */
    uint64_t fingerprint;        /* compared with that of the edges, once all were read */
    char made_by[MODEL_COMMAND]; /* the command that makes the file, or "" */
} edge_source_facts;

/* The name is borrowed.  Returns an engine_status. */
int edge_source_open(edge_source **out, const char *name);

void edge_source_close(edge_source *s); /* NULL is allowed */
const edge_source_facts *edge_source_facts_of(const edge_source *s);

/* Compares the fingerprint of all edges, as they were read, with that of the file.  Returns an
 * engine_status: the file is damaged.  source: an edge_source. */
int edge_source_check(void *source, uint64_t fingerprint);

/* Returns an engine_job.source: the edges, known facts about them, check() and error(); other
 * members are zero.  A vertex number beyond the source's vertices is an error.  The source is
 * borrowed. */
engine_source edge_source_for_engine(edge_source *s);

/* All edges once.  Each thread reads one piece at a time: the lowest piece that no thread has
 * taken. */

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

/* Visits a piece in thread `thread` of 0 to threads - 1.  Returns 0, or -1 with the failure in
 * `text`. */
typedef int edge_visit(void *state, int thread, const edge_block *edges, char *text, size_t size);

/* Visits all pieces; the meter counts edges.  Returns an engine_status: of the first failure, of
 * edge_source_check(), or ENGINE_STOPPED. */
int edge_walk(edge_source *s, int threads, edge_visit *visit, void *state, engine_meter *meter);

/* The same for other pipelines: returns a producer that fills their buffers, and sets the plan of
 * these.  The producer and *r are valid until all readers are done.  The thread that reads a buffer
 * also writes it. */
typedef struct {
    edge_source *source;
    edge_visit *visit; /* NULL, or called before the buffer goes to the sink */
    void *state;
    _Atomic int started;
} edge_readers;

pipeline_producer edge_pipeline(edge_readers *r, int id_bytes, int threads, pipeline_plan *buffers);

/*
 * Writes the rows of a CSR file's edges [first, first + count) to src, in elements of
 * edgefile_id_bytes().  The search for the first edge's row begins at row *near, 0 at first; *near
 * becomes the last edge's row.  It needs no more memory than a buffer, and little time even if
 * there are far more rows than edges.  Returns 0 or an edgefile_status.  EDGEFILE_ERR_RANGE: the
 * pointers are not in order; edgefile_detail() does not say so.
 */
int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near);

/* --- The graph of a source in a file of any format: convert.c.  `rmat convert` does this, and so
 * does the engine with a graph that it first sorted into an HDF5 file. --- */

typedef struct {
    /* The file; its graph, and the attributes of h5, follow from the source. */
    const graphfile_spec *spec;
    int threads;         /* at least 1 */
    int id_bytes;        /* of ids in the file, as in engine_job; 0: those of the source */
    engine_sign id_sign; /* as in engine_job; AUTO: as in the source, if the format allows it */
    uint64_t memory;     /* for in-neighbors of sg and wsg; 0: half of the available memory */
    const engine_watch *watch;
} format_options;

/* Returns what the format does not keep of the graph, such as "weights"; "" if it keeps everything.
 * Static. */
const char *format_lost(const graphfile_graph *g, graphfile_format to);

/* Writes the edges of the source in their order to a file in any format but csr; "-" is standard
 * output.  With a group it is collective, and the format is not h5.  *bytes becomes the length of
 * the file.  Returns an engine_status.  ENGINE_ERR_JOB: the format cannot hold the graph (field
 * "format") or its ids (fields of engine_check_ids()), and nothing was written. */
int format_write(edge_source *source, const char *out, const format_options *options,
                 uint64_t *bytes);

/* For a rank that ends all others: removes the files that are not complete.  Returns as
 * edgefile_abandon(): -1 where another rank was first, which then says why the job ends. */
int engine_abandon(void);

#endif
