/*
 * The shape of a graph on a GPU: the graph is built in CSR form, in-degrees are counted by atomic
 * additions, then vertices, edges and probes are counted in shared memory, block by block, with 32
 * bits: there are fewer than 2^32 edges.
 */
#include "alias/gpu/device.h"
#include "rmat/fit/shape_item.h"
#include "rmat/gpu/backend.h"
#include "rmat/model/gpu.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/try.h"

#include <cuda_runtime.h>

enum {
    THREADS = 512,
    CHUNK = 1 << 14, /* edges that a block takes at a time */
    COARSE = RMAT_SHAPE_COARSE,
    FINE = RMAT_SHAPE_FINE
};

typedef unsigned long long u64; /* what atomicAdd() takes */
static __device__ void add_to(uint64_t *sum, uint64_t value)
{
    if (value != 0) {
        atomicAdd((u64 *)sum, (u64)value);
    }
}

/* Of a whole warp. */
static __device__ void add_warp(uint64_t *sum, uint32_t value)
{
    uint64_t all = value;

    for (int offset = 16; offset > 0; offset /= 2) {
        all += __shfl_down_sync(0xffffffffU, all, offset);
    }
    if (threadIdx.x % 32 == 0) {
        add_to(sum, all);
    }
}

static __global__ void __launch_bounds__(THREADS)
    count_in_degrees(const uint32_t *__restrict__ columns, uint64_t edges, uint32_t *in)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < edges; i += stride) {
        atomicAdd(&in[columns[i]], 1);
    }
}

/* Counters of a block. */
typedef struct {
    uint32_t cells[COARSE][COARSE];
    uint32_t out_vertices[FINE], in_vertices[FINE];
    u64 out_edges[FINE], in_edges[FINE];
} vertex_counts;

static __global__ void __launch_bounds__(THREADS)
    count_vertices(const shape_graph g, const uint32_t *__restrict__ in, unsigned char *in_bins,
                   rmat_shape *shape, uint32_t *out)
{
    __shared__ vertex_counts here;
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    uint32_t used = 0;

    for (uint32_t i = threadIdx.x; i < sizeof here / 4; i += THREADS) {
        ((uint32_t *)&here)[i] = 0;
    }
    __syncthreads();
    for (uint64_t v = (uint64_t)blockIdx.x * THREADS + threadIdx.x; v < g.vertices; v += stride) {
        const uint64_t out_degree = g.pointers[v + 1] - g.pointers[v], in_degree = in[v];
        const int o = shape_fine(out_degree), i = shape_fine(in_degree);

        atomicAdd(&here.out_vertices[o], 1);
        atomicAdd(&here.in_vertices[i], 1);
        atomicAdd(&here.out_edges[o], (u64)out_degree);
        atomicAdd(&here.in_edges[i], (u64)in_degree);
        atomicAdd(&here.cells[shape_coarse(o)][shape_coarse(i)], 1);
        used += out_degree + in_degree > 0;
        in_bins[v] = (unsigned char)shape_coarse(i);
        if (out != NULL) {
            out[v] = (uint32_t)out_degree;
        }
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < FINE; i += THREADS) {
        add_to(&shape->out_vertices[i], here.out_vertices[i]);
        add_to(&shape->in_vertices[i], here.in_vertices[i]);
        add_to(&shape->out_edges[i], here.out_edges[i]);
        add_to(&shape->in_edges[i], here.in_edges[i]);
    }
    for (uint32_t i = threadIdx.x; i < COARSE * COARSE; i += THREADS) {
        add_to(&shape->joint[0][i], here.cells[0][i]);
    }
    add_warp(&shape->used, used);
}

static __global__ void __launch_bounds__(THREADS)
    count_edges(const shape_graph g, const unsigned char *__restrict__ in_bins, rmat_shape *shape)
{
    __shared__ uint32_t cells[COARSE][COARSE];
    __shared__ uint64_t rows[2];
    const uint64_t stride = (uint64_t)gridDim.x * CHUNK;
    uint32_t loops = 0, lower = 0, copies = 0;

    for (uint32_t i = threadIdx.x; i < COARSE * COARSE; i += THREADS) {
        cells[0][i] = 0;
    }
    __syncthreads(); /* also for a block without a chunk */
    for (uint64_t first = (uint64_t)blockIdx.x * CHUNK; first < g.edges; first += stride) {
        const uint64_t end = first + CHUNK < g.edges ? first + CHUNK : g.edges;

        if (threadIdx.x < 2) {
            rows[threadIdx.x] =
                shape_row(g.pointers, 0, g.vertices - 1, threadIdx.x == 0 ? first : end - 1);
        }
        __syncthreads();
        for (uint64_t i = first + threadIdx.x; i < end; i += THREADS) {
            const uint64_t u = shape_row(g.pointers, rows[0], rows[1], i), v = g.columns[i];
            const uint64_t from = g.pointers[u];

            atomicAdd(&cells[shape_coarse(shape_fine(g.pointers[u + 1] - from))][in_bins[v]], 1);
            loops += u == v;
            lower += u > v;
            copies += i > from && g.columns[i - 1] == v;
        }
        __syncthreads();
    }
    for (uint32_t i = threadIdx.x; i < COARSE * COARSE; i += THREADS) {
        add_to(&shape->ends[0][i], cells[0][i]);
    }
    add_warp(&shape->loops, loops);
    add_warp(&shape->lower, lower);
    add_warp(&shape->copies, copies);
}

static __global__ void __launch_bounds__(THREADS)
    count_probes(const shape_graph g, uint64_t probes, rmat_shape *shape)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    uint32_t counts[4] = {};

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < probes; i += stride) {
        const int answer = shape_probe(&g, i);

        for (int k = 0; k < 4; k++) {
            counts[k] += answer >> k & 1;
        }
    }
    add_warp(&shape->probed, counts[0]);
    add_warp(&shape->mutual, counts[1]);
    add_warp(&shape->walks, counts[2]);
    add_warp(&shape->closed, counts[3]);
}

/* What is counted in. */
typedef struct {
    uint32_t *in;
    uint32_t *out; /* NULL: nobody asks */
    unsigned char *in_bins;
    rmat_shape *shape;
} scratch;

/* Degrees of the vertices into arrays in host memory, or NULL. */
typedef struct {
    uint32_t *out, *in;
} degrees;

static int count_shape(const rmat_gen *gen, const shape_graph *g, uint64_t probes, scratch *s,
                       rmat_shape *shape, const degrees *to)
{
    int processors;
    unsigned blocks;

    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, rmat_used_device(gen)));
    blocks = 4 * (unsigned)processors;
    s->in = (uint32_t *)rmat_gpu_allocate(gen, g->vertices * sizeof *s->in);
    s->out =
        to->out != NULL ? (uint32_t *)rmat_gpu_allocate(gen, g->vertices * sizeof *s->out) : NULL;
    s->in_bins = (unsigned char *)rmat_gpu_allocate(gen, g->vertices);
    s->shape = (rmat_shape *)rmat_gpu_allocate(gen, sizeof *s->shape);
    if (s->in == NULL || (to->out != NULL && s->out == NULL) || s->in_bins == NULL ||
        s->shape == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(s->in, 0, g->vertices * sizeof *s->in, NULL));
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(s->shape, 0, sizeof *s->shape, NULL));
    count_in_degrees<<<blocks, THREADS>>>(g->columns, g->edges, s->in);
    RMAT_OR_RETURN(rmat_gpu_launched());
    count_vertices<<<blocks, THREADS>>>(*g, s->in, s->in_bins, s->shape, s->out);
    RMAT_OR_RETURN(rmat_gpu_launched());
    count_edges<<<blocks, THREADS>>>(*g, s->in_bins, s->shape);
    RMAT_OR_RETURN(rmat_gpu_launched());
    if (probes > 0) {
        count_probes<<<blocks, THREADS>>>(*g, probes, s->shape);
        RMAT_OR_RETURN(rmat_gpu_launched());
    }
    RMAT_CUDA_OR_RETURN(cudaMemcpy(shape, s->shape, sizeof *shape, cudaMemcpyDeviceToHost));
    if (to->out != NULL) {
        const size_t bytes = g->vertices * sizeof *s->in;

        RMAT_CUDA_OR_RETURN(cudaMemcpy(to->out, s->out, bytes, cudaMemcpyDeviceToHost));
        RMAT_CUDA_OR_RETURN(cudaMemcpy(to->in, s->in, bytes, cudaMemcpyDeviceToHost));
    }
    return RMAT_OK;
}

extern "C" int rmat_gpu_shape(const rmat_gen *gen, uint64_t n, uint64_t edges, int unique,
                              int probes, rmat_shape *shape, uint32_t *out, uint32_t *in)
{
    const rmat_csr_spec spec = {edges, unique, 4, 0};
    const degrees to = {out, in};
    scratch s = {};
    rmat_csr csr = {};
    int before, st;

    RMAT_OR_RETURN(rmat_csr_rows_device(gen, 0, n, &spec, &csr));
    st = rmat_gpu_enter(gen, &before);
    if (st == RMAT_OK) {
        const shape_graph g = {csr.pointers, (const uint32_t *)csr.indices, n, csr.edges};
        const uint64_t limit = RMAT_SHAPE_PROBES, most = g.edges < limit ? g.edges : limit;

        st = count_shape(gen, &g, probes ? most : 0, &s, shape, &to);
        rmat_gpu_release(gen, s.in);
        rmat_gpu_release(gen, s.out);
        rmat_gpu_release(gen, s.in_bins);
        rmat_gpu_release(gen, s.shape);
        alias_gpu_leave(before);
    }
    shape->vertices = n;
    shape->edges = csr.edges;
    rmat_csr_free_device(gen, &csr);
    return st;
}
