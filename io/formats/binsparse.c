/* io/formats/binsparse.c - binsparse 0.1 in HDF5: COO, sorted and without duplicates.  Where there
 * are no weights one value, 1, stands for all. */
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS, COLS, VALUES, N_SETS };

/* The same keys twice: readers in C look for them in the object "binsparse", those in Python beside
 * it. */
static void describe(char text[1024], const graphfile_graph *g)
{
    static const char *const values[] = {"iso[uint8]", "float32", "int32"};
    char keys[480];

    snprintf(keys, sizeof keys,
             "\"version\": \"0.1\", \"format\": \"COO\", \"shape\": [%" PRIu64 ", %" PRIu64
             "], \"number_of_stored_values\": %" PRIu64
             ", \"data_types\": {\"indices_0\": \"uint%d\", \"indices_1\": \"uint%d\", "
             "\"values\": \"%s\"}",
             g->rows, g->cols, g->edges, 8 * g->id_bytes, 8 * g->id_bytes, values[g->weight]);
    snprintf(text, 1024, "{\"binsparse\": {%s}, %s}", keys, keys);
}

static int open_binsparse(graphfile_writer *w)
{
    static const uint8_t one = 1;
    const graphfile_graph *g = &w->spec.graph;
    const graphfile_type ids = g->id_bytes == 4 ? GRAPHFILE_U32 : GRAPHFILE_U64;
    graphfile_dataset *sets = calloc(N_SETS, sizeof *sets);
    char text[1024];
    const edgefile_attr attr = {"binsparse", EDGEFILE_STRING, 1, text};
    int st;

    w->state = sets;
    if (sets == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", w->file.name);
    }
    describe(text, g);
    sets[ROWS] = (graphfile_dataset){.name = "indices_0", .type = ids, .length = g->edges};
    sets[COLS] = (graphfile_dataset){.name = "indices_1", .type = ids, .length = g->edges};
    sets[VALUES] = (graphfile_dataset){.name = "values", .type = GRAPHFILE_U8, .length = 1};
    if (g->weight != EDGEFILE_NO_WEIGHT) {
        sets[VALUES].type = g->weight == EDGEFILE_WEIGHT_F32 ? GRAPHFILE_F32 : GRAPHFILE_I32;
        sets[VALUES].length = g->edges;
    }
    st = graphfile_hdf5_create(w, &attr, sets, N_SETS);
    if (st == EDGEFILE_OK && g->weight == EDGEFILE_NO_WEIGHT) {
        st = graphfile_plain_write(&w->file, sets[VALUES].offset, &one, 1);
    }
    return st;
}

static int write_binsparse(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_dataset *sets = w->state;
    const int width = w->spec.graph.id_bytes;
    const uint64_t at = p->first * (uint64_t)width;
    int st = graphfile_write_column(w, sets[ROWS].offset + at, p->src, p->count, width);

    if (st == EDGEFILE_OK) {
        st = graphfile_write_column(w, sets[COLS].offset + at, p->dst, p->count, width);
    }
    if (st == EDGEFILE_OK && w->spec.graph.weight != EDGEFILE_NO_WEIGHT) {
        st = graphfile_write_block(w, &w->file, sets[VALUES].offset + 4 * p->first, p->weight,
                                   4 * p->count);
    }
    return st;
}

static void close_binsparse(graphfile_writer *w)
{
    free(w->state);
}

const graphfile_ops graphfile_binsparse_ops = {
    .open = open_binsparse, .write = write_binsparse, .edge_bytes = 8, .close = close_binsparse};
