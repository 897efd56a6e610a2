/* A file of any bytes through the readers of other formats: once as a whole and once piece by
 * piece, which must come to the same. */
#include "tests/fuzz/fuzz_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* All that there is to know of a file. */
typedef struct {
    int status;
    char detail[1024];
    graphfile_graph graph;
    char *src, *dst, *weight;
} outcome;

int fuzz_names, fuzz_base, fuzz_any_message;
edgefile_weight fuzz_weight;
const char *fuzz_path;

static void must(int right, const char *what)
{
    if (!right) {
        fprintf(stderr, "%s: %s\n", what, edgefile_detail());
        abort();
    }
}

static int file_of(const uint8_t *data, size_t size)
{
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    must(fd >= 0 && write(fd, data, size) == (ssize_t)size, "memfd");
    return fd;
}

/* From the last piece to the first, twice the same. */
static void read_pieces(graphfile_reader *r, outcome *o)
{
    const graphfile_graph *g = &o->graph;
    const size_t width = (size_t)g->id_bytes;
    uint64_t seen = 0;

    o->src = malloc(g->edges * width + 1);
    o->dst = malloc(g->edges * width + 1);
    o->weight = g->weight != EDGEFILE_NO_WEIGHT ? malloc(g->edges * 4 + 1) : NULL;
    for (uint64_t i = graphfile_pieces(r); i-- > 0;) {
        char *src = malloc(graphfile_most(r) * width + 1),
             *dst = malloc(graphfile_most(r) * width + 1);
        char *weight = malloc(graphfile_most(r) * 4 + 1);
        uint64_t first, count;

        must(graphfile_read(r, i, &first, &count, src, dst, o->weight != NULL ? weight : NULL) ==
                 EDGEFILE_OK,
             "a piece is read that was scanned");
        must(first <= g->edges && count <= g->edges - first, "range of a piece");
        memcpy(o->src + first * width, src, count * width);
        memcpy(o->dst + first * width, dst, count * width);
        if (o->weight != NULL)
            memcpy(o->weight + first * 4, weight, count * 4);
        seen += count;
        free(src);
        free(dst);
        free(weight);
    }
    must(seen == g->edges, "pieces add up");
}

static void read_all(const uint8_t *data, size_t size, graphfile_format format, uint64_t piece,
                     const char *columns, outcome *o)
{
    graphfile_reader *r = NULL;
    graphfile_name_table *names = NULL;

    memset(o, 0, sizeof *o);
    must(!fuzz_names || graphfile_names_create(&names, 1 << 30) == EDGEFILE_OK, "a table of names");
    o->status = fuzz_path != NULL
                    ? graphfile_open(&r, fuzz_path, format)
                    : graphfile_open_cut(&r, file_of(data, size), "FILE", format, piece, columns);
    if (o->status == EDGEFILE_OK)
        o->status = graphfile_tell(r, (unsigned)fuzz_base, fuzz_weight);
    if (o->status == EDGEFILE_OK && fuzz_names)
        o->status = graphfile_set_names(r, names);
    for (uint64_t i = 0; o->status == EDGEFILE_OK && i < graphfile_pieces(r); i++)
        o->status = graphfile_scan(r, i);
    if (o->status == EDGEFILE_OK)
        o->status = graphfile_scanned(r, 0, 0, &o->graph);
    if (o->status == EDGEFILE_OK)
        read_pieces(r, o);
    else
        snprintf(o->detail, sizeof o->detail, "%s", edgefile_detail());
    graphfile_close(r);
    graphfile_names_free(names);
}

static void outcome_free(outcome *o)
{
    free(o->src);
    free(o->dst);
    free(o->weight);
}

void fuzz_reader(const uint8_t *data, size_t size, graphfile_format format, uint64_t piece,
                 const char *columns)
{
    outcome one, cut;

    read_all(data, size, format, GRAPHFILE_PIECE, columns, &one);
    read_all(data, size, format, piece, columns, &cut);
    must(one.status == cut.status && (fuzz_any_message || strcmp(one.detail, cut.detail) == 0),
         "the same message");
    if (one.status == EDGEFILE_OK) {
        const size_t bytes = one.graph.edges * (size_t)one.graph.id_bytes;

        must(memcmp(&one.graph, &cut.graph, sizeof one.graph) == 0, "the same graph");
        must(memcmp(one.src, cut.src, bytes) == 0 && memcmp(one.dst, cut.dst, bytes) == 0 &&
                 (one.weight == NULL || memcmp(one.weight, cut.weight, one.graph.edges * 4) == 0),
             "the same edges");
    } else {
        /* HDF5 does not find the name of this file, which has none, for the files that it refers
         * to. */
        must((one.status == EDGEFILE_ERR_FORMAT || one.status == EDGEFILE_ERR_OPEN ||
              (one.status == EDGEFILE_ERR_ARG && columns != NULL)) &&
                 *one.detail != '\0',
             "a message");
    }
    outcome_free(&one);
    outcome_free(&cut);
}
