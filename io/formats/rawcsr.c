/*
 * rawcsr.c - rawcsr: compressed sparse rows as bare arrays, each in a file, with SciPy's names for
 * them.  NAME.indices, the main file, has the destinations, NAME.indptr for each vertex the number
 * of its first edge, and at the end the number of edges, as 64-bit integers, and NAME.data the
 * weights, if there are any.
 *
 * The other two files count as part of the graph: if one of them exists, NAME.indices counts as
 * existing.  When they are read, the last pointer says how many edges there are, and so how many
 * bytes an id has; ids are taken as unsigned, which those below 2^31 are either way.
 */
#include "io/formats/reader.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { POINTERS, WEIGHTS, BESIDE };

static char *name_beside(const graphfile_writer *w, int i, bool *wanted)
{
    *wanted = i == POINTERS || w->spec.graph.weight != EDGEFILE_NO_WEIGHT;
    return graphfile_name_beside(w, i == POINTERS ? ".indptr" : ".data");
}

/* Of all files. */
static uint64_t length(const graphfile_graph *g)
{
    const uint64_t weight = g->weight != EDGEFILE_NO_WEIGHT ? 4 : 0;

    return 8 * (graphfile_vertices(g) + 1) + ((uint64_t)g->id_bytes + weight) * g->edges;
}

static int open_rawcsr(graphfile_writer *w)
{
    const graphfile_graph *g = &w->spec.graph;

    w->rows = (graphfile_pointers){
        .file = &w->beside[POINTERS], .last = graphfile_vertices(g), .scale = 1, .width = 8};
    graphfile_plain_reserve(&w->file, (uint64_t)g->id_bytes * g->edges);
    graphfile_plain_reserve(&w->beside[POINTERS], 8 * (graphfile_vertices(g) + 1));
    if (g->weight != EDGEFILE_NO_WEIGHT) {
        graphfile_plain_reserve(&w->beside[WEIGHTS], 4 * g->edges);
    }
    return EDGEFILE_OK;
}

static int write_rawcsr(graphfile_writer *w, const graphfile_piece *p)
{
    const int width = w->spec.graph.id_bytes;

    EDGEFILE_TRY(graphfile_write_rows(w, p));
    EDGEFILE_TRY(graphfile_write_column(w, (uint64_t)width * p->first, p->dst, p->count, width));
    return w->spec.graph.weight == EDGEFILE_NO_WEIGHT
               ? EDGEFILE_OK
               : graphfile_write_chunk(w, &w->beside[WEIGHTS], 4 * p->first, p->weight,
                                       4 * p->count);
}

static const graphfile_write_ops write_ops = {.name_beside = name_beside,
                                              .n_beside = BESIDE,
                                              .open = open_rawcsr,
                                              .write = write_rawcsr,
                                              .finish = graphfile_finish_rows};

/* A file beside NAME.indices.  *bytes: its length; *fd -1: it does not exist, and need not. */
static int open_beside(const graphfile_reader *r, const char *suffix, bool needed, int *fd,
                       uint64_t *bytes)
{
    const int stem = graphfile_stem_length(r->path, r->about->facts.suffix);
    struct stat st;
    char *name;
    int status = EDGEFILE_OK;

    if (asprintf(&name, "%.*s%s", stem, r->path, suffix) < 0) {
        return edgefile_no_memory(r->name);
    }
    *fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if ((*fd < 0 && (needed || errno != ENOENT)) || (*fd >= 0 && fstat(*fd, &st) != 0)) {
        status = edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %s: %m", r->name, name);
    } else if (*fd >= 0 && !S_ISREG(st.st_mode)) {
        status = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is %s, expected a regular file", name,
                               edgefile_kind(st.st_mode));
    }
    *bytes = *fd >= 0 && status == EDGEFILE_OK ? (uint64_t)st.st_size : 0;
    free(name);
    return status;
}

static int open_to_read(graphfile_reader *r)
{
    uint64_t pointers, weights, edges = 0;
    graphfile_csr *x;
    unsigned width;

    EDGEFILE_TRY(graphfile_csr_begin(r, &x));
    if (r->path == NULL) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: is read with NAME.indptr beside NAME.indices, neither from a "
                             "pipe nor compressed",
                             r->name);
    }
    EDGEFILE_TRY(open_beside(r, ".indptr", true, &x->fd[POINTERS], &pointers));
    EDGEFILE_TRY(open_beside(r, ".data", false, &x->fd[WEIGHTS], &weights));
    if (pointers >= 8) {
        EDGEFILE_TRY(graphfile_pread_file(r->name, x->fd[POINTERS], pointers - 8, &edges, 8));
        edges = le64toh(edges);
    }
    width = edges > 0 && r->bytes / edges == 8 ? 8 : 4;
    if (pointers < 8 || pointers % 8 != 0 || edges > r->bytes || edges * width != r->bytes ||
        (x->fd[WEIGHTS] >= 0 && weights != 4 * edges)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has %" PRIu64 " bytes, and beside it %" PRIu64
                             " of pointers, which end with %" PRIu64 " edges, and %" PRIu64
                             " of weights: they do not fit together",
                             r->name, r->bytes, pointers, edges, weights);
    }
    x->pointers = (graphfile_array){.type = {8, false}, .file = 1 + POINTERS};
    x->dst = (graphfile_array){.type = {width, false}};
    if (x->fd[WEIGHTS] >= 0) {
        x->weight = (graphfile_array){.type = {4, true}, .file = 1 + WEIGHTS};
    }
    return graphfile_csr_open(r, pointers / 8 - 1, pointers / 8 - 1, edges);
}

static const graphfile_read_ops read_ops = GRAPHFILE_CSR_READ(open_to_read);

const graphfile_descriptor graphfile_rawcsr_format = {
    .facts = {"rawcsr", ".indices", "CSR as bare arrays: NAME.indices, with NAME.indptr, NAME.data",
              GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_BARE_WEIGHTS |
                  GRAPHFILE_NEEDS_SORTED | GRAPHFILE_UNSIGNED_IDS | GRAPHFILE_SIGNED_IDS},
    .write = &write_ops,
    .read = &read_ops,
    .edge_bytes = 4,
    .length = length,
};
