/*
 * Edges of a graph in a file as those of a stream: number i is edge Q(i) of the file, with Q the
 * permutation of rmat/UPDATES.md.  A file may be sorted, and is read in pieces; so all of it lies
 * in memory, where any edge is found at once.
 */
#include "apps/updates/graph.h"
#include "alias/core/philox.h"
#include "apps/engine/source/edge_stream.h"
#include "apps/engine/status.h"
#include <stdio.h>
#include <stdlib.h>

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const updates_graph *g = state;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t edge = rmat_permute_vertex(&g->order, first + i);

        edge_set_id(to->src, i, to->id_bytes, edge_id(g->src, edge, g->id_bytes));
        edge_set_id(to->dst, i, to->id_bytes, edge_id(g->dst, edge, g->id_bytes));
    }
    return 0;
}

static void draw_order(updates_graph *g, uint64_t seed)
{
    g->order.vertices = g->edges > 0 ? g->edges : 1;
    g->order.bits = rmat_scale_of(g->order.vertices);
    for (int i = 0; i < rmat_permute_rounds(&g->order); i++) {
        const philox_block key = philox_at(seed, 0, (uint32_t)i, PHILOX_FILE_ORDER);

        g->order.k[i] = (uint64_t)key.v[1] << 32 | key.v[0];
        g->order.b[i] = key.v[2] | 1;
    }
}

/* All edges into the arrays. */
static int read_edges(updates_graph *g, const rmat_source *edges, int threads)
{
    const rmat_arrays to = {g->src, g->dst, NULL, g->id_bytes};
    rmat_config config;
    rmat_gen *gen = NULL;
    int status;

    rmat_config_default(&config);
    config.threads = threads;
    status = rmat_create_from(&gen, edges, &config);
    if (status == RMAT_OK) {
        status = rmat_generate_arrays(gen, 0, g->edges, &to);
    }
    rmat_destroy(gen);
    return status == RMAT_OK ? ENGINE_OK : engine_fail("%s", rmat_strerror(status));
}

int updates_graph_open(updates_graph *g, const char *name, int threads, uint64_t seed,
                       const engine_watch *watch)
{
    const edge_source_options options = {.format = -1, .threads = threads, .watch = watch};
    edge_source *file = NULL;
    edge_stream *stream = NULL;
    int status = edge_source_open(&file, name, &options);

    if (status == ENGINE_OK) {
        const edge_source_facts *f = edge_source_facts_of(file);

        g->edges = f->graph.edges;
        g->id_bytes = f->graph.id_bytes;
        g->unique = f->graph.unique;
        snprintf(g->made_by, sizeof g->made_by, "%s", f->made_by);
        g->src = malloc((g->edges + 1) * (size_t)g->id_bytes);
        g->dst = malloc((g->edges + 1) * (size_t)g->id_bytes);
        status = g->src != NULL && g->dst != NULL ? edge_stream_open(&stream, file)
                                                  : engine_fail("%s: memory is exhausted", name);
    }
    if (status == ENGINE_OK) {
        const engine_source source = edge_stream_source(stream);

        status = read_edges(g, &source.edges, threads);
        if (status != ENGINE_OK && source.error(source.edges.state)[0] != '\0') {
            status = engine_fail("%s", source.error(source.edges.state));
        }
        draw_order(g, seed);
        g->source = (rmat_source){.rows = source.edges.rows,
                                  .cols = source.edges.cols,
                                  .edges = g->edges,
                                  .fill = fill,
                                  .state = g};
    }
    edge_stream_close(stream);
    edge_source_close(file);
    return status;
}

void updates_graph_close(updates_graph *g)
{
    free(g->src);
    free(g->dst);
}
