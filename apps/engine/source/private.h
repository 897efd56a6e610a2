/* What the kinds of edge sources share.  Private. */
#ifndef APPS_ENGINE_SOURCE_PRIVATE_H
#define APPS_ENGINE_SOURCE_PRIVATE_H

#include "apps/engine/engine.h"
#include "apps/engine/source/edge_source.h"
#include "io/edgefile.h"
#include <stdbool.h>
#include <stddef.h>

/* Edges of a piece, where the source can choose. */
enum { EDGE_SOURCE_PIECE = 1 << 17 };

typedef struct {
    int (*read)(edge_source *s, edge_piece_memory *m, char *text, size_t size);
    void (*close)(edge_source *s); /* frees state */
    /* The number of edges before a piece; NULL: all pieces but the last have `most`. */
    uint64_t (*first)(const edge_source *s, uint64_t piece);
} edge_source_ops;

struct edge_source {
    edge_source_facts facts;
    const edge_source_ops *ops;
    void *state;
    int read_bytes; /* of an id as `read` gives it; 0: as the facts say */

    /* Where the fingerprint is known: */
    char *name;
    _Atomic unsigned char *seen;       /* one bit for each piece: it was read */
    _Atomic uint64_t n_seen, seen_sum; /* such pieces, and the fingerprint of their edges */
};

edge_source *edge_source_new(const edge_source_ops *ops, void *state);

/* One for each kind of file; as edge_source_open(). */
int edge_source_open_ours(edge_source **out, const char *name);
int edge_source_open_foreign(edge_source **out, const char *name,
                             const edge_source_options *options);
/* A file of any kind; a folder of files, or a pattern of their names. */
int edge_source_open_one(edge_source **out, const char *name, const edge_source_options *options);
int edge_source_open_parts(edge_source **out, const char *name, const edge_source_options *options);
bool edge_source_is_parts(const char *name);

/* What the attributes of one of our files say of its edges, except how many vertices there are. */
typedef struct {
    file_model model;
    char made_by[MODEL_COMMAND];
} edge_attributes;
void edge_source_describe(edge_source_facts *f, edge_attributes *a, edgefile_reader *r);

/* The pieces of a source that has its edges one after the other. */
void edge_source_cut(edge_source *s);
void edge_source_place(const edge_source *s, const edge_piece_memory *m, edge_block *edges);

/* The sources of a CSR file's edges, which it has as pointers only. */

/* The rows of edges [first, first + count), in src of edgefile_id_bytes() elements.  *near: a row,
 * 0 at first, from which the first edge's is searched for; set to the last edge's.  Needs no more
 * memory than a buffer, and little time even if there are far more rows than edges.  Returns 0 or
 * an edgefile_status; EDGEFILE_ERR_RANGE: the pointers are not in order (edgefile_detail() does
 * not say so). */
int csr_rows(edgefile_reader *r, uint64_t first, uint64_t count, void *src, uint64_t *near);

/* Has the name a pipe or a terminal: <(zcat x.gz), /dev/stdin? */
bool spool_is_pipe(const char *name);

/* Files that gzip or zstd has compressed. */

/*
 * Writes what the file `from` holds to the file `to`, which lies in `folder`.  Several members of
 * gzip, or frames of zstd, one behind the other are one text.  name: of `from`, for messages.
 * Returns an engine_status; the file is damaged, or ends too early: ENGINE_ERR_RUN.
 */
int decompress(int to, const char *folder, int from, const char *name, graphfile_codec kind,
               const engine_watch *watch);

#endif
