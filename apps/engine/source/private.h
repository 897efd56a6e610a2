/* What the kinds of edge sources share.  Private. */
#ifndef APPS_ENGINE_SOURCE_PRIVATE_H
#define APPS_ENGINE_SOURCE_PRIVATE_H

#include "apps/engine/source/edge_source.h"

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

/* What the attributes of one of our files say of its edges, except how many vertices there are. */
typedef struct {
    file_model model;
    char made_by[MODEL_COMMAND];
} edge_attributes;
void edge_source_describe(edge_source_facts *f, edge_attributes *a, edgefile_reader *r);

/* The pieces of a source that has its edges one after the other. */
void edge_source_cut(edge_source *s);
void edge_source_place(const edge_source *s, const edge_piece_memory *m, edge_block *edges);

#endif
