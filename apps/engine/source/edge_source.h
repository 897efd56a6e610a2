/*
 * Where edges that are read come from: an edge file of ours, or a file of another format.  Piece by
 * piece, each by any thread, in any order.
 */
#ifndef APPS_ENGINE_SOURCE_EDGE_SOURCE_H
#define APPS_ENGINE_SOURCE_EDGE_SOURCE_H

#include "apps/engine/attributes/model_read.h"
#include "apps/engine/engine.h"
#include "apps/engine/meter.h"
#include "io/graphfile.h"
#include <stdint.h>

typedef struct edge_source edge_source;

enum { EDGE_SOURCE_TEXT = 512 };

typedef struct {
    int format;           /* graphfile_format; -1: by the name, and what the file begins with */
    const char *datasets; /* names of HDF5's, or of columns of csv and Parquet, or NULL: see
                             graphfile_open_datasets() and graphfile_open_columns() */
    const char *columns;  /* the same, but only where a file has such columns; or NULL */
    graphfile_name_table *names; /* the vertices of text have names, for this table; or NULL */
    unsigned base;               /* what a file does not say: see graphfile_tell() */
    edgefile_weight weight;
    uint64_t rows, cols; /* 0, or more vertices than a file of another format says */
    int threads;
    const char *spool;         /* folder for a copy of what comes by standard input */
    const engine_watch *watch; /* told of the pass that counts, or NULL */
} edge_source_options;

/* What it has.  Borrowed from the source. */
typedef struct {
    graphfile_format format; /* H5, CSR or another one */
    graphfile_graph graph;
    uint64_t pieces, most;   /* of edges; and edges of a piece, at most */
    edgefile_reader *reader; /* of ours, for its attributes, else NULL: for one thread, while no
                                piece is read */
    const file_model *model; /* of an edge file with all its attributes, else NULL */
    uint64_t rounded;        /* weights that are not what the file has */
    uint64_t inexact;        /* weights that would not be, if all were floats */
    const char *made_by;     /* the command that makes it, or "" */
    bool by_name;            /* edge_source_options.columns are those that are read */
    bool known;              /* the fingerprint: */
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

static inline void edge_set_id(void *ids, uint64_t i, int id_bytes, uint64_t id)
{
    if (id_bytes == 4) {
        ((uint32_t *)ids)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)ids)[i] = id;
    }
}

/* Memory for pieces; one for each thread. */
typedef struct {
    edge_block edges; /* what was read */
    uint64_t number;
    void *src, *dst, *weight;
} edge_piece_memory;

/* name "-": standard input; a folder, or a pattern: its files, as one graph.  Files of other
 * formats are read once through, to count: this may take as long as the rest.  Returns an
 * engine_status. */
int edge_source_open(edge_source **out, const char *name, const edge_source_options *options);

/* The format of a file, by its contents or else by its name; -1: they do not tell. */
int edge_source_format_of(const char *name);

void edge_source_close(edge_source *s); /* NULL is allowed */
const edge_source_facts *edge_source_facts_of(const edge_source *s);

/* The first bytes, up to `size`, of what a file holds that gzip or zstd has compressed.  Returns
 * how many; 0: it is not compressed. */
size_t edge_source_start(int fd, void *to, size_t size);

/* From now on ids are of this type: those of pieces that are read, and what the facts say of them.
 * The graph's vertices must fit. */
void edge_source_set_ids(edge_source *s, int id_bytes, int signed_ids);

/* The number of edges before this piece; of all, if piece is the number of pieces. */
uint64_t edge_source_first(const edge_source *s, uint64_t piece);

bool edge_piece_allocate(edge_piece_memory *m, const edge_source *s);
void edge_piece_free(edge_piece_memory *m);

/*
 * Piece m->number, into the memory; any thread.  0, or -1 with `text` saying what failed.
 *
 * Where the fingerprint of the edges is known, the read that completes them fails if it is another
 * one, and so do all reads from then on.  So nothing that reads a whole file takes damaged edges
 * for right ones, in whatever order, and however often, it reads the pieces.
 */
int edge_source_read(edge_source *s, edge_piece_memory *m, char *text, size_t size);

/* The same check where several ranks read a part each: how many pieces this one has read, and their
 * fingerprint; then, of the sums over all ranks: an engine_status. */
typedef struct {
    uint64_t pieces, fingerprint;
} edge_source_seen;
edge_source_seen edge_source_seen_of(const edge_source *s);
int edge_source_check(const edge_source *s, edge_source_seen seen);

/* All edges of a source once, piece by piece, by several threads. */
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

#endif
