/* The shape of a graph: the graph is built in CSR form, then counted; on the CPU here, on a GPU in
 * shape.cu. */
#include "rmat/fit/shape_item.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_shape.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16 }; /* edges, vertices or probes that a thread takes at a time */

uint64_t rmat_shape_first(int fine)
{
    return fine < 16 ? (uint64_t)fine : (uint64_t)(8 + fine % 8) << (fine / 8 - 1);
}

uint64_t rmat_shape_first_coarse(int coarse)
{
    return coarse < 4   ? (uint64_t)coarse
           : coarse < 6 ? (uint64_t)(4 + 2 * (coarse - 4))
           : coarse < 8 ? (uint64_t)(8 + 4 * (coarse - 6))
                        : rmat_shape_first(4 * (coarse - 4));
}

static void count_in_degrees(const shape_graph *g, uint32_t *in, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t i = 0; i < g->edges; i++) {
        __atomic_fetch_add(&in[g->columns[i]], 1, __ATOMIC_RELAXED);
    }
}

/* Vertices [first, end).  Their bins of in-degrees replace these, for the edges. */
static void count_vertices(const shape_graph *g, const uint32_t *in, uint64_t first, uint64_t end,
                           unsigned char *in_bins, rmat_shape *s)
{
    for (uint64_t v = first; v < end; v++) {
        const uint64_t out_degree = g->pointers[v + 1] - g->pointers[v], in_degree = in[v];
        const int o = shape_fine(out_degree), i = shape_fine(in_degree);

        s->out_vertices[o]++;
        s->out_edges[o] += out_degree;
        s->in_vertices[i]++;
        s->in_edges[i] += in_degree;
        s->joint[shape_coarse(o)][shape_coarse(i)]++;
        s->used += out_degree + in_degree > 0;
        in_bins[v] = (unsigned char)shape_coarse(i);
    }
}

/* Edges [first, end). */
static void count_edges(const shape_graph *g, const unsigned char *in_bins, uint64_t first,
                        uint64_t end, rmat_shape *s)
{
    uint64_t u = shape_row(g->pointers, 0, g->vertices - 1, first);

    for (uint64_t i = first; i < end; u++) {
        const uint64_t from = g->pointers[u], to = g->pointers[u + 1];
        uint64_t *ends = s->ends[shape_coarse(shape_fine(to - from))];

        for (; i < to && i < end; i++) {
            const uint64_t v = g->columns[i];

            ends[in_bins[v]]++;
            s->loops += u == v;
            s->lower += u > v;
            s->copies += i > from && g->columns[i - 1] == v;
        }
    }
}

static void count_probes(const shape_graph *g, uint64_t first, uint64_t end, rmat_shape *s)
{
    for (uint64_t i = first; i < end; i++) {
        const int answer = shape_probe(g, i);

        s->probed += (answer & SHAPE_PROBED) != 0;
        s->mutual += (answer & SHAPE_MUTUAL) != 0;
        s->walks += (answer & SHAPE_WALK) != 0;
        s->closed += (answer & SHAPE_CLOSED) != 0;
    }
}

/* All of a shape is counts. */
static void add_counts(rmat_shape *to, const rmat_shape *from)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *more = (const uint64_t *)from;

    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) {
        sum[i] += more[i];
    }
}

static uint64_t end_of(uint64_t first, uint64_t n)
{
    return n - first < CHUNK ? n : first + CHUNK;
}

/* Whether the work is to end: asked by the thread that made the call, for all. */
static bool stops_at(const rmat_gen *gen, atomic_bool *stopped)
{
    if (omp_get_thread_num() == 0 && rmat_stops(gen)) {
        atomic_store(stopped, true);
    }
    return atomic_load_explicit(stopped, memory_order_relaxed);
}

static int count_shape(const rmat_gen *gen, const shape_graph *g, uint32_t *in,
                       unsigned char *in_bins, uint64_t probes, int threads, rmat_shape *shape)
{
    atomic_bool stopped = false;
    bool enough = true;

    count_in_degrees(g, in, threads);
#pragma omp parallel num_threads(threads)
    {
        rmat_shape *mine = calloc(1, sizeof *mine);

        if (mine == NULL) {
#pragma omp atomic write
            enough = false;
        }
#pragma omp for schedule(dynamic)
        for (uint64_t v = 0; v < g->vertices; v += CHUNK) {
            if (mine != NULL && !stops_at(gen, &stopped)) {
                count_vertices(g, in, v, end_of(v, g->vertices), in_bins, mine);
            }
        }
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < g->edges; i += CHUNK) {
            if (mine != NULL && !stops_at(gen, &stopped)) {
                count_edges(g, in_bins, i, end_of(i, g->edges), mine);
            }
        }
#pragma omp for schedule(dynamic)
        for (uint64_t i = 0; i < probes; i += CHUNK) {
            if (mine != NULL && !stops_at(gen, &stopped)) {
                count_probes(g, i, end_of(i, probes), mine);
            }
        }
        if (mine != NULL) {
#pragma omp critical(rmat_shape)
            add_counts(shape, mine);
        }
        free(mine);
    }
    return !enough ? RMAT_ERR_NOMEM : atomic_load(&stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
}

static void give_degrees(const shape_graph *g, const uint32_t *in_degrees, uint32_t *out,
                         uint32_t *in, int threads)
{
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t v = 0; v < g->vertices; v++) {
        out[v] = (uint32_t)(g->pointers[v + 1] - g->pointers[v]);
        in[v] = in_degrees[v];
    }
}

static int shape_cpu(const rmat_gen *gen, uint64_t edges, int unique, int probes, rmat_shape *shape,
                     uint32_t *out_degrees, uint32_t *in_degrees)
{
    const rmat_csr_spec spec = {.edges = edges, .unique = unique, .id_bytes = 4};
    const uint64_t n = gen->view.rows;
    uint32_t *in = NULL;
    unsigned char *in_bins = NULL;
    rmat_csr csr;
    int st;

    RMAT_OR_RETURN(rmat_csr_rows(gen, 0, n, &spec, &csr));
    in = calloc(n, sizeof *in);
    in_bins = malloc(n);
    if (in == NULL || in_bins == NULL) {
        st = RMAT_ERR_NOMEM;
    } else {
        const shape_graph g = {csr.pointers, csr.indices, n, csr.edges};
        const uint64_t most = csr.edges < RMAT_SHAPE_PROBES ? csr.edges : RMAT_SHAPE_PROBES;
        const int threads = rmat_threads_for(gen, csr.edges + n, CHUNK);

        st = count_shape(gen, &g, in, in_bins, probes ? most : 0, threads, shape);
        if (out_degrees != NULL) {
            give_degrees(&g, in, out_degrees, in_degrees, threads);
        }
        shape->vertices = n;
        shape->edges = csr.edges;
    }
    free(in);
    free(in_bins);
    rmat_csr_free(&csr);
    return st;
}

static int shape_of(const rmat_gen *gen, uint64_t edges, int unique, int probes, rmat_shape *shape,
                    uint32_t *out, uint32_t *in)
{
    if (gen == NULL || shape == NULL) {
        return RMAT_ERR_ARG;
    }
    memset(shape, 0, sizeof *shape);
    if (gen->view.rows != gen->view.cols) {
        return RMAT_ERR_SQUARE;
    }
    if (edges >= RMAT_SHAPE_MOST_EDGES) {
        return RMAT_ERR_EDGES;
    }
    if (gen->view.rows > (uint64_t)1 << 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    return gen->gpu != NULL
               ? rmat_gpu()->shape(gen, gen->view.rows, edges, unique, probes, shape, out, in)
               : shape_cpu(gen, edges, unique, probes, shape, out, in);
}

int rmat_shape_of(const rmat_gen *gen, uint64_t edges, int unique, int probes, rmat_shape *shape)
{
    return shape_of(gen, edges, unique, probes, shape, NULL, NULL);
}

int rmat_shape_and_degrees(const rmat_gen *gen, uint64_t edges, int unique, int probes,
                           rmat_shape *shape, uint32_t *out, uint32_t *in)
{
    return out != NULL && in != NULL ? shape_of(gen, edges, unique, probes, shape, out, in)
                                     : RMAT_ERR_ARG;
}
