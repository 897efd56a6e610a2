/*
 * io/formats/pbg.c - a bucket of PyTorch-BigGraph's edges, edges_0_0.h5: lhs and rhs, and rel,
 * which is 0 for all.
 *
 * Weights are left out: PyTorch-BigGraph reads its dataset `weight` as whole numbers, so that those
 * below 1 would be 0.
 */
#include "io/formats/writer.h"

#include <stdlib.h>

enum { LHS, RHS, REL, N_SETS };

static int open_pbg(graphfile_writer *w)
{
    static const uint64_t version = 1;
    const edgefile_attr attr = {"format_version", EDGEFILE_U64, 1, &version};
    const uint64_t edges = w->spec.graph.edges;
    graphfile_dataset *sets = calloc(N_SETS, sizeof *sets);

    w->state = sets;
    if (sets == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", w->file.name);
    }
    sets[LHS] = (graphfile_dataset){.name = "lhs", .type = GRAPHFILE_I64, .length = edges};
    sets[RHS] = (graphfile_dataset){.name = "rhs", .type = GRAPHFILE_I64, .length = edges};
    sets[REL] =
        (graphfile_dataset){.name = "rel", .type = GRAPHFILE_I64, .length = edges, .zeros = 1};
    return graphfile_hdf5_create(w, &attr, sets, N_SETS);
}

static int write_pbg(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_dataset *sets = w->state;
    int st = graphfile_write_column(w, sets[LHS].offset + 8 * p->first, p->src, p->count, 8);

    if (st == EDGEFILE_OK) {
        st = graphfile_write_column(w, sets[RHS].offset + 8 * p->first, p->dst, p->count, 8);
    }
    return st;
}

static void close_pbg(graphfile_writer *w)
{
    free(w->state);
}

const graphfile_ops graphfile_pbg_ops = {
    .open = open_pbg, .write = write_pbg, .edge_bytes = 16, .close = close_pbg};
