/*
 * for_each.cuh - private to rmat/: rmat_for_each_edge() (rmat_device.cuh) for generators of either
 * kind, with an edge source or without.
 *
 * A source fills its base edges into scratch memory piece by piece.  A kernel then transforms each
 * edge and passes it, and its reverse with symmetrize, to the consumer.  Loops are left out if the
 * generator's sorted intervals leave them out, because the consumers of for_each_edge() make those
 * intervals.
 */
#ifndef RMAT_GPU_FOR_EACH_CUH
#define RMAT_GPU_FOR_EACH_CUH

#include "rmat/gpu/backend.h"
#include "rmat/rmat_device.cuh"
#include "rmat/try.h"

enum { SOURCE_THREADS = 256, SOURCE_GRID = 4096 };

#define SOURCE_PIECE ((uint64_t)1 << 22) /* base edges: 64 MiB of ids */

/* Edges [first, end) of the stream, of the count base edges from `base` on. */
template <typename T, typename C>
static __global__ void __launch_bounds__(SOURCE_THREADS)
    source_each_kernel(rmat_view view, bool drops_loops, uint64_t base, uint64_t count,
                       const T *src, const T *dst, uint64_t first, uint64_t end, C consumer)
{
    const unsigned symmetric = view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;
    const uint64_t stride = (uint64_t)gridDim.x * SOURCE_THREADS;
    typename C::state state;

    consumer.begin(state);
    for (uint64_t i = (uint64_t)blockIdx.x * SOURCE_THREADS + threadIdx.x; i < count; i += stride) {
        const uint64_t e = (base + i) << symmetric;
        uint64_t s = src[i], d = dst[i];

        if (drops_loops && s == d) {
            continue;
        }
        rmat_transform_ends(&view, &s, &d);
        if (e >= first) {
            consumer(state, e, s, d);
        }
        if (symmetric && e + 1 < end) {
            consumer(state, e + 1, d, s);
        }
    }
    __syncwarp();
    consumer.end(state);
}

template <typename T, typename C>
static int source_pass(const rmat_gen *gen, bool drops_loops, uint64_t base, uint64_t count,
                       const T *src, const T *dst, uint64_t first, uint64_t end, const C &consumer,
                       cudaStream_t stream)
{
    const uint64_t blocks = (count + SOURCE_THREADS - 1) / SOURCE_THREADS;

    source_each_kernel<<<(unsigned)(blocks < SOURCE_GRID ? blocks : (uint64_t)SOURCE_GRID),
                         SOURCE_THREADS, 0, stream>>>(gen->view, drops_loops, base, count, src, dst,
                                                      first, end, consumer);
    return rmat_gpu_launched();
}

/* Frees scratch memory after work that ended with this status. */
static inline int source_free(void *memory, int st, cudaStream_t stream)
{
    const int freed = memory != NULL ? rmat_gpu_status(cudaFreeAsync(memory, stream)) : RMAT_OK;

    return st != RMAT_OK ? st : freed;
}

template <typename C>
static int source_for_each(const rmat_gen *gen, uint64_t first, uint64_t count, const C &consumer,
                           cudaStream_t stream)
{
    const unsigned symmetric = gen->view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;
    const uint64_t end = ((first + count - 1) >> symmetric) + 1;
    uint64_t *memory = NULL, piece = end - (first >> symmetric);
    int st;

    piece = piece < SOURCE_PIECE ? piece : SOURCE_PIECE;
    RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&memory, 2 * piece * sizeof(uint64_t),
                                          rmat_gpu_pool(gen), stream));
    for (uint64_t base = first >> symmetric; base < end; base += piece) {
        const uint64_t n = end - base < piece ? end - base : piece;
        const rmat_arrays to = {memory, memory + piece, NULL, 8};

        RMAT_TRY(rmat_gpu_source_fill(gen, base, n, &to, stream));
        RMAT_TRY(source_pass(gen, gen->config.no_self_loops, base, n, memory, memory + piece, first,
                             first + count, consumer, stream));
    }
done:
    return source_free(memory, st, stream);
}

/* For either kind of generator; count is not 0. */
template <typename C>
static int for_each_edge(const rmat_gen *gen, uint64_t first, uint64_t count, const C &consumer,
                         cudaStream_t stream)
{
    return rmat_has_source(gen) ? source_for_each(gen, first, count, consumer, stream)
                                : rmat_for_each_edge(gen, first, count, consumer, stream);
}

#endif
