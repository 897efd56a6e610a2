/*
 * Edges that are read from one of our HDF5 files, a list or CSR: piece by piece, each by any
 * thread, in any order.
 */
#ifndef APPS_ENGINE_SOURCE_EDGE_SOURCE_H
#define APPS_ENGINE_SOURCE_EDGE_SOURCE_H

#include "apps/engine/attributes/model_read.h"
#include "apps/engine/engine.h"
#include "apps/engine/meter.h"
#include "io/graphfile.h"
#include <stdint.h>

/* Edges of a piece; the last piece may have fewer. */
enum { EDGE_SOURCE_PIECE = 1 << 17 };

typedef struct edge_source edge_source;

/* What it has.  Borrowed from the source. */
typedef struct {
    graphfile_format format; /* H5 or CSR */
    graphfile_graph graph;
    uint64_t pieces;         /* of EDGE_SOURCE_PIECE edges */
    edgefile_reader *reader; /* for its attributes: for one thread, while no piece is read */
    const file_model *model; /* of a file with all attributes of a model, else NULL */
    const char *made_by;     /* the command that makes it, or "" */
    uint64_t fingerprint;    /* compared with that of the edges, once all were read */
} edge_source_facts;

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

/* Memory for pieces; one for each thread. */
typedef struct {
    edge_block edges; /* what was read */
    uint64_t number;
    void *src, *dst, *weight;
} edge_piece_memory;

/* Returns an engine_status. */
int edge_source_open(edge_source **out, const char *name);

void edge_source_close(edge_source *s); /* NULL is allowed */
const edge_source_facts *edge_source_facts_of(const edge_source *s);

/* From now on ids are of this type: those of pieces that are read, and what the facts say of them.
 * The graph's vertices must fit. */
void edge_source_set_ids(edge_source *s, int id_bytes, int signed_ids);

bool edge_piece_allocate(edge_piece_memory *m, const edge_source *s);
void edge_piece_free(edge_piece_memory *m);

/*
 * Piece m->number, into the memory; any thread.  0, or -1 with `text` saying what failed.
 *
 * The read that completes the edges fails if their fingerprint is not that of the file, and so do
 * all reads from then on.  So nothing that reads a whole file takes damaged edges for right ones,
 * in whatever order, and however often, it reads the pieces.
 */
int edge_source_read(edge_source *s, edge_piece_memory *m, char *text, size_t size);

/* The same check where several ranks read a part each: how many pieces this one has read, and their
 * fingerprint; then, of the sums over all ranks: an engine_status. */
typedef struct {
    uint64_t pieces, fingerprint;
} edge_source_seen;
edge_source_seen edge_source_seen_of(const edge_source *s);
int edge_source_check(const edge_source *s, edge_source_seen seen);

/* edge_walk.c: all edges of a source once, piece by piece, by several threads. */
enum { EDGE_WALK_TEXT = 2048 };

typedef struct {
    /* A piece: by thread `thread` of 0 to threads - 1.  0, or -1 with `text` saying what failed; ""
     * where nobody need be told. */
    int (*visit)(void *state, int thread, const edge_piece_memory *piece, char *text, size_t size);
    void (*stop)(void *state); /* NULL, or called once when the walk ends early: wakes those that
                                  wait in visit() */
    void *state;
} edge_walk_body;

/* Threads take pieces in order: each the lowest number that nobody has.  The meter counts edges.
 * Returns an engine_status: of the first failure, or ENGINE_STOPPED. */
int edge_walk(edge_source *s, int threads, const edge_walk_body *body, engine_meter *meter);

/* The same for the pieces [first, end). */
int edge_walk_some(edge_source *s, uint64_t first, uint64_t end, int threads,
                   const edge_walk_body *body, engine_meter *meter);

/*
 * csr_rows.c: the sources of a CSR file's edges, which it has as pointers only.
 *
 * The rows of edges [first, first + count), in src of edgefile_id_bytes() elements.  *near: a row,
 * 0 at first, from which the first edge's is searched for; set to the last edge's.  Needs no more
 * memory than a buffer, and little time even if there are far more rows than edges.  Returns 0 or
 * an edgefile_status; EDGEFILE_ERR_RANGE: the pointers are not in order (edgefile_detail() does
 * not say so).
 */
int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near);

#endif
