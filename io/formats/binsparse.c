/*
 * binsparse.c - binsparse: version 0.1 of that format in HDF5, as coordinates (COO), sorted and
 * without duplicates.  If the graph has no weights, one value, 1, stands for all of them.
 */
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS, COLS, VALUES, N_SETS };

/* The same keys twice: the reader in C looks for them inside the object "binsparse", the one in
 * Python beside it. */
static void describe_binsparse(char text[1024], const graphfile_graph *g)
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

    w->state = sets;
    if (sets == NULL) {
        return graphfile_hdf5_create(w, &attr, NULL, N_SETS);
    }
    describe_binsparse(text, g);
    sets[ROWS] = (graphfile_dataset){.name = "indices_0", .type = ids, .length = g->edges};
    sets[COLS] = (graphfile_dataset){.name = "indices_1", .type = ids, .length = g->edges};
    sets[VALUES] = (graphfile_dataset){.name = "values", .type = GRAPHFILE_U8, .length = 1};
    if (g->weight != EDGEFILE_NO_WEIGHT) {
        sets[VALUES].type = g->weight == EDGEFILE_WEIGHT_F32 ? GRAPHFILE_F32 : GRAPHFILE_I32;
        sets[VALUES].length = g->edges;
    }
    EDGEFILE_TRY(graphfile_hdf5_create(w, &attr, sets, N_SETS));
    return edgefile_group_agree(w->spec.group,
                                g->weight == EDGEFILE_NO_WEIGHT && graphfile_is_first(w)
                                    ? graphfile_plain_write(&w->file, sets[VALUES].offset, &one, 1)
                                    : EDGEFILE_OK);
}

static int write_binsparse(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_dataset *sets = w->state;
    const int width = w->spec.graph.id_bytes;
    const uint64_t at = p->first * (uint64_t)width;

    EDGEFILE_TRY(graphfile_write_column(w, sets[ROWS].offset + at, p->src, p->count, width));
    EDGEFILE_TRY(graphfile_write_column(w, sets[COLS].offset + at, p->dst, p->count, width));
    if (w->spec.graph.weight == EDGEFILE_NO_WEIGHT) {
        return EDGEFILE_OK;
    }
    return graphfile_write_chunk(w, &w->file, sets[VALUES].offset + 4 * p->first, p->weight,
                                 4 * p->count);
}

static void close_binsparse(graphfile_writer *w)
{
    free(w->state);
}

static uint64_t most_bytes(const graphfile_spec *s, int *exact)
{
    const graphfile_graph *g = &s->graph;

    *exact = 0;
    return graphfile_hdf5_length((uint64_t)g->id_bytes * g->edges,
                                 g->weight != EDGEFILE_NO_WEIGHT ? 4 * g->edges : 0);
}

static const graphfile_write_ops write_ops = {.open = open_binsparse,
                                              .open_agrees = true,
                                              .write = write_binsparse,
                                              .close = close_binsparse};

const graphfile_descriptor graphfile_binsparse_format = {
    .facts = {"binsparse", ".bsp.h5", "binsparse 0.1, HDF5, COO",
              GRAPHFILE_HDF5 | GRAPHFILE_HAS_VERTICES | GRAPHFILE_HAS_WEIGHTS | GRAPHFILE_SIMPLE |
                  GRAPHFILE_UNSIGNED_IDS},
    .write = &write_ops,
    .most = most_bytes,
};
