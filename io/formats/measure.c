/* io/formats/measure.c - how long a file will be: by arithmetic, or from the text of some edges. */
#include "io/formats/writer.h"

#include <stdlib.h>

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t weight_bytes(const graphfile_graph *g)
{
    return g->weight != EDGEFILE_NO_WEIGHT ? 4 * g->edges : 0;
}

/* One direction only where the transposed is the same. */
static uint64_t serialized(const graphfile_graph *g, uint64_t neighbour)
{
    const uint64_t pointers = 8 * (larger(g->rows, g->cols) + 1);

    return 17 + (pointers + neighbour * g->edges) * (g->pairs && g->no_loops ? 1 : 2);
}

/* Two columns and perhaps weights.  Long ones begin at whole extents; metadata stand before them.
 */
static uint64_t in_hdf5(uint64_t column, uint64_t weights)
{
    const uint64_t lengths[] = {column, column, weights};
    uint64_t end = 2048;

    for (int i = 0; i < 3; i++) {
        if (lengths[i] >= EDGEFILE_EXTENT_MIN) {
            end = (end + EDGEFILE_EXTENT_MIN - 1) / EDGEFILE_EXTENT_MIN * EDGEFILE_EXTENT_MIN;
        }
        end += lengths[i];
    }
    return end;
}

/* Bytes of what is encoded from a piece; the writer is none but for its spec. */
static int encode(const graphfile_ops *ops, const graphfile_spec *spec, const graphfile_piece *p,
                  uint64_t *header, uint64_t *edges)
{
    const graphfile_writer w = {.spec = *spec, .ops = ops};
    graphfile_buffer b = {0};
    int st = ops->header != NULL ? ops->header(&w, &b) : EDGEFILE_OK;

    *header = b.bytes;
    if (st == EDGEFILE_OK && p->count > 0) {
        st = ops->encode(&w, p, &b);
    }
    *edges = b.bytes - *header;
    graphfile_buffer_free(&b);
    return st;
}

static int measure_text(const graphfile_ops *ops, const graphfile_spec *spec,
                        const graphfile_piece *sample, uint64_t *bytes)
{
    graphfile_piece p = *sample;
    uint64_t header, edges;
    void *one_row = NULL;
    int st;

    if (spec->format == GRAPHFILE_METIS && p.count > 0) { /* as if all were of one row */
        one_row = calloc(p.count, (size_t)spec->graph.id_bytes);
        if (one_row == NULL) {
            return edgefile_fail(EDGEFILE_ERR_NOMEM, "memory is exhausted");
        }
        p.src = one_row;
    }
    st = encode(ops, spec, &p, &header, &edges);
    free(one_row);
    *bytes = header;
    if (p.count > 0) {
        *bytes += (uint64_t)((double)edges / (double)p.count * (double)spec->graph.edges);
    }
    if (spec->format == GRAPHFILE_METIS) {
        *bytes += spec->graph.rows;
    }
    return st;
}

int graphfile_measure(const graphfile_spec *spec, const graphfile_piece *sample, uint64_t *bytes,
                      int *exact)
{
    static const graphfile_ops *const text[GRAPHFILE_N_FORMATS] = {
        [GRAPHFILE_EL] = &graphfile_el_ops,   [GRAPHFILE_WEL] = &graphfile_wel_ops,
        [GRAPHFILE_TSV] = &graphfile_tsv_ops, [GRAPHFILE_MTX] = &graphfile_mtx_ops,
        [GRAPHFILE_GR] = &graphfile_gr_ops,   [GRAPHFILE_METIS] = &graphfile_metis_ops,
    };
    const graphfile_graph *g = &spec->graph;
    const uint64_t columns = 2 * (uint64_t)g->id_bytes * g->edges;

    *exact = 1;
    switch (spec->format) {
    case GRAPHFILE_BIN32:
        *bytes = 8 * g->edges;
        return EDGEFILE_OK;
    case GRAPHFILE_BIN64:
        *bytes = 16 * g->edges;
        return EDGEFILE_OK;
    case GRAPHFILE_GRAPH500:
        *bytes = 12 * g->edges + weight_bytes(g);
        return EDGEFILE_OK;
    case GRAPHFILE_NPY:
        *bytes = 4096 + columns;
        return EDGEFILE_OK;
    case GRAPHFILE_SG:
        *bytes = serialized(g, 4);
        return EDGEFILE_OK;
    case GRAPHFILE_WSG:
        *bytes = serialized(g, 8);
        return EDGEFILE_OK;
    case GRAPHFILE_PBG:
        *exact = 0;
        *bytes = in_hdf5(8 * g->edges, 0);
        return EDGEFILE_OK;
    case GRAPHFILE_BINSPARSE:
        *exact = 0;
        *bytes = in_hdf5(columns / 2, weight_bytes(g));
        return EDGEFILE_OK;
    default:
        *exact = 0;
        return text[spec->format] != NULL ? measure_text(text[spec->format], spec, sample, bytes)
                                          : edgefile_fail(EDGEFILE_ERR_ARG, "no such format");
    }
}
