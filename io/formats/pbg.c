/*
 * pbg.c - pbg: a bucket of PyTorch-BigGraph's edges, an HDF5 file with the datasets lhs and rhs,
 * and rel, which is 0 for all edges.
 *
 * Weights are left out: PyTorch-BigGraph reads its dataset `weight` as integers, so that weights
 * below 1 would become 0.
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
        return graphfile_hdf5_create(w, &attr, NULL, N_SETS);
    }
    sets[LHS] = (graphfile_dataset){.name = "lhs", .type = GRAPHFILE_I64, .length = edges};
    sets[RHS] = (graphfile_dataset){.name = "rhs", .type = GRAPHFILE_I64, .length = edges};
    sets[REL] =
        (graphfile_dataset){.name = "rel", .type = GRAPHFILE_I64, .length = edges, .zeros = true};
    return graphfile_hdf5_create(w, &attr, sets, N_SETS);
}

static int write_pbg(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_dataset *sets = w->state;

    EDGEFILE_TRY(graphfile_write_column(w, sets[LHS].offset + 8 * p->first, p->src, p->count, 8));
    return graphfile_write_column(w, sets[RHS].offset + 8 * p->first, p->dst, p->count, 8);
}

static void close_pbg(graphfile_writer *w)
{
    free(w->state);
}

static uint64_t most_bytes(const graphfile_spec *s, int *exact)
{
    *exact = 0;
    return graphfile_hdf5_length(8 * s->graph.edges, 0);
}

static const graphfile_write_ops write_ops = {
    .open = open_pbg, .open_agrees = true, .write = write_pbg, .close = close_pbg};

const graphfile_descriptor graphfile_pbg_format = {
    .facts = {"pbg", "edges_0_0.h5", "PyTorch-BigGraph's HDF5: lhs, rhs, rel", GRAPHFILE_HDF5},
    .write = &write_ops,
    .most = most_bytes,
};
