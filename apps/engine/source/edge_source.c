/* Opening an edge source by name and format, and what all kinds of sources share. */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

edge_source *edge_source_new(const edge_source_ops *ops, void *state)
{
    edge_source *s = calloc(1, sizeof *s);

    if (s != NULL) {
        s->ops = ops;
        s->state = state;
        s->facts.made_by = "";
    }
    return s;
}

/* The format that the beginning of the file proves, else the one that its name says; or -1. */
static int find_format(const char *name)
{
    char start[16];
    int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK), format;
    ssize_t n = fd >= 0 ? read(fd, start, sizeof start) : 0;

    if (fd >= 0) {
        close(fd);
    }
    format = graphfile_format_of_content(start, n > 0 ? (size_t)n : 0);
    return format >= 0 ? format : graphfile_format_of(name);
}

int edge_source_open(edge_source **out, const char *name, const edge_source_options *options)
{
    edge_source_options chosen = *options;

    *out = NULL;
    if (strcmp(name, "-") == 0) {
        if (chosen.format >= 0 && chosen.format != GRAPHFILE_H5 && chosen.format != GRAPHFILE_CSR) {
            return edge_source_open_foreign(out, name, &chosen);
        }
        return engine_refuse(
            "", "%s",
            chosen.format < 0 ? "standard input has no name that tells the format, --from says it"
                              : "HDF5 cannot be read from standard input, only a file");
    }
    if (chosen.format < 0) {
        chosen.format = find_format(name);
    }
    if (chosen.format < 0 && access(name, F_OK) == 0) {
        return engine_fail("%s: neither HDF5 nor a name that tells the format, --from says it",
                           name);
    }
    if (chosen.format < 0 || chosen.format == GRAPHFILE_H5 || chosen.format == GRAPHFILE_CSR) {
        return edge_source_open_ours(out, name);
    }
    return edge_source_open_foreign(out, name, &chosen);
}

void edge_source_close(edge_source *s)
{
    if (s != NULL) {
        s->ops->close(s);
        free(s);
    }
}

const edge_source_facts *edge_source_facts_of(const edge_source *s)
{
    return &s->facts;
}

void edge_source_cut(edge_source *s)
{
    s->facts.most = EDGE_SOURCE_PIECE;
    s->facts.pieces = (s->facts.graph.edges + EDGE_SOURCE_PIECE - 1) / EDGE_SOURCE_PIECE;
}

void edge_source_place(const edge_source *s, const edge_piece_memory *m, edge_block *edges)
{
    const graphfile_graph *g = &s->facts.graph;
    uint64_t first = m->number * s->facts.most;

    *edges =
        (edge_block){first,     g->edges - first < s->facts.most ? g->edges - first : s->facts.most,
                     m->src,    m->dst,
                     m->weight, g->id_bytes};
}

uint64_t edge_source_first(const edge_source *s, uint64_t piece)
{
    const uint64_t edges = s->facts.graph.edges;

    if (s->ops->first != NULL) {
        return s->ops->first(s, piece);
    }
    return piece < s->facts.pieces ? piece * s->facts.most : edges;
}

bool edge_piece_allocate(edge_piece_memory *m, const edge_source *s)
{
    const graphfile_graph *g = &s->facts.graph;
    size_t most = (size_t)s->facts.most + 1;

    m->src = malloc(most * (size_t)g->id_bytes);
    m->dst = malloc(most * (size_t)g->id_bytes);
    m->weight = g->weight != EDGEFILE_NO_WEIGHT ? malloc(most * 4) : NULL;
    return m->src != NULL && m->dst != NULL &&
           (g->weight == EDGEFILE_NO_WEIGHT || m->weight != NULL);
}

void edge_piece_free(edge_piece_memory *m)
{
    free(m->src);
    free(m->dst);
    free(m->weight);
    *m = (edge_piece_memory){0};
}

int edge_source_read(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    return s->ops->read(s, m, text, size);
}
