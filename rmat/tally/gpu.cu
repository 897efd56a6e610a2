/*
 * rmat_tally_stream() on a GPU: edges are made in a buffer of device memory, counted there
 * (count_bits.cuh), and overwritten by the next ones.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/tally/count_bits.cuh"
#include "rmat/tally/tally.h"
#include "rmat/try.h"

#include <stddef.h>

/* Edges of a full buffer: so many that what a block does in the end is little. */
#define MOST_EDGES  ((uint64_t)1 << 28)
#define LEAST_EDGES ((uint64_t)1 << 20)

enum { GRAPH_BLOCKS = 4 /* that count the graph, per one that counts bits */ };

/* VERTICES: 0, or RMAT_TALLY_VERTICES where there are any. */
template <typename T, int VERTICES>
static __global__ void __launch_bounds__(THREADS)
    count_graph(const T *__restrict__ src, const T *__restrict__ dst, uint64_t count,
                const rmat_tally_request request, rmat_tally *tally)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    uint64_t loops = 0, hashes = 0;
    uint32_t out[VERTICES + 1] = {}, in[VERTICES + 1] = {};

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        const uint64_t u = src[i], v = dst[i];

        loops += u == v;
        hashes += rmat_edge_hash(u, v);
#pragma unroll
        for (int k = 0; k < VERTICES; k++) {
            if (k < request.vertices) {
                out[k] += u == request.vertex[k];
                in[k] += v == request.vertex[k];
            }
        }
    }
    add_to(&tally->loops, loops);
    add_to(&tally->fingerprint, hashes);
#pragma unroll
    for (int k = 0; k < VERTICES; k++) {
        add_to(&tally->out[k], out[k]);
        add_to(&tally->in[k], in[k]);
    }
}

/* What a call has on the GPU. */
typedef struct {
    cudaStream_t stream;
    char *edges; /* sources, then destinations */
    rmat_tally *tally;
    uint64_t room; /* edges that there is memory for */
    unsigned blocks;
} device_tally;

/* A buffer of whole chunks for all edges, or for as many as there is memory for. */
static int allocate(device_tally *d, cudaMemPool_t pool, uint64_t count, size_t id_bytes)
{
    uint64_t edges = count < MOST_EDGES ? count : MOST_EDGES;
    int st;

    do {
        d->room = (edges + CHUNK - 1) / CHUNK * CHUNK;
        st = rmat_gpu_status(
            cudaMallocFromPoolAsync((void **)&d->edges, 2 * id_bytes * d->room, pool, d->stream));
        edges /= 2;
    } while (st == RMAT_ERR_NOMEM && edges >= LEAST_EDGES);
    return st;
}

static int begin(device_tally *d, const rmat_gen *gen, uint64_t count, size_t id_bytes)
{
    const cudaMemPool_t pool = rmat_gpu_pool(gen);
    int st = RMAT_OK, processors;

    RMAT_TRY_CUDA(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, rmat_used_device(gen)));
    d->blocks = RESIDENT * (unsigned)processors;
    RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&d->tally, sizeof *d->tally, pool, d->stream));
    RMAT_TRY_CUDA(cudaMemsetAsync(d->tally, 0, sizeof *d->tally, d->stream));
    RMAT_TRY(allocate(d, pool, count, id_bytes));
done:
    return st;
}

template <typename T, int VERTICES>
static int count_graph_alone(const device_tally *d, uint64_t count,
                             const rmat_tally_request *request)
{
    const T *src = (const T *)d->edges, *dst = src + d->room;

    count_graph<T, VERTICES>
        <<<GRAPH_BLOCKS * d->blocks, THREADS, 0, d->stream>>>(src, dst, count, *request, d->tally);
    return rmat_gpu_launched();
}

template <typename T, bool GRAPH>
static int count_words(const device_tally *d, uint64_t count, bool neighbours)
{
    T *src = (T *)d->edges, *dst = src + d->room;

    return neighbours ? count_levels<T, RMAT_NEIGHBOUR_WORDS, GRAPH>(src, dst, count, d->blocks,
                                                                     d->tally, d->stream)
                      : count_levels<T, RMAT_LEVEL_WORDS, GRAPH>(src, dst, count, d->blocks,
                                                                 d->tally, d->stream);
}

template <typename T>
static int count_edges(const device_tally *d, uint64_t count, const rmat_tally_request *request)
{
    const bool levels = request->levels || request->neighbours, graph = request->graph != 0;
    const bool together = levels && graph && request->vertices == 0;
    int st = RMAT_OK;

    if (levels) {
        RMAT_TRY((together ? count_words<T, true>(d, count, request->neighbours != 0)
                           : count_words<T, false>(d, count, request->neighbours != 0)));
    }
    if (graph && request->vertices > 0) {
        RMAT_TRY((count_graph_alone<T, RMAT_TALLY_VERTICES>(d, count, request)));
    } else if (graph && !together) {
        RMAT_TRY((count_graph_alone<T, 0>(d, count, request)));
    }
done:
    return st;
}

static int run(const device_tally *d, const rmat_gen *gen, uint64_t first, uint64_t count,
               int id_bytes, const rmat_tally_request *request)
{
    const rmat_arrays to = {d->edges, d->edges + d->room * (size_t)id_bytes, NULL, id_bytes};
    int st = RMAT_OK;

    for (uint64_t at = 0; at < count; at += d->room) {
        const uint64_t n = count - at < d->room ? count - at : d->room;

        RMAT_TRY(rmat_gpu_store(gen, first + at, n, &to, RMAT_ARRAYS, d->stream));
        RMAT_TRY(id_bytes == 4 ? count_edges<uint32_t>(d, n, request)
                               : count_edges<uint64_t>(d, n, request));
    }
done:
    return st;
}

extern "C" int rmat_gpu_tally(const rmat_gen *gen, uint64_t first, uint64_t count, int id_bytes,
                              const rmat_tally_request *request, rmat_tally *tally)
{
    device_tally d = {};
    rmat_tally counted = {};
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));

    if (st != RMAT_OK) {
        return st;
    }
    RMAT_TRY(begin(&d, gen, count, (size_t)id_bytes));
    RMAT_TRY(run(&d, gen, first, count, id_bytes, request));
    RMAT_TRY_CUDA(
        cudaMemcpyAsync(&counted, d.tally, sizeof counted, cudaMemcpyDeviceToHost, d.stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(d.stream));
    counted.edges = request->levels || request->neighbours ? count : 0;
    counted.graph_edges = request->graph ? count : 0;
    rmat_tally_add(tally, &counted);
done:
    if (d.edges != NULL) {
        (void)cudaFreeAsync(d.edges, d.stream);
    }
    if (d.tally != NULL) {
        (void)cudaFreeAsync(d.tally, d.stream);
    }
    if (d.stream != NULL) {
        (void)cudaStreamDestroy(d.stream);
    }
    alias_gpu_leave(before);
    return st;
}
