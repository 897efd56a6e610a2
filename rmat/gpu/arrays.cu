/*
 * arrays.cu - edges into arrays in device memory, of the model and of edge sources, and the
 * fingerprint of such arrays.
 */
#include "rmat/gpu/for_each.cuh"

#include <cuda_runtime.h>

/* rmat_fingerprint_device(): each thread adds the hashes of a few edges, each warp adds its sums,
 * and one atomic addition per warp adds those to the result. */
enum { HASH_THREADS = 256, HASH_UNROLL = 4 /* ids that a thread reads together */ };

/* Each thread reads single ids, and neighboring threads neighboring ids, so a warp reads whole
 * lines for any alignment. */
template <typename T>
static __global__ void __launch_bounds__(HASH_THREADS)
    fingerprint_kernel(const T *__restrict__ src, const T *__restrict__ dst, uint64_t count,
                       unsigned long long *result)
{
    const uint64_t stride = (uint64_t)gridDim.x * HASH_THREADS;
    uint64_t i = (uint64_t)blockIdx.x * HASH_THREADS + threadIdx.x, sum = 0;

    for (; i + (HASH_UNROLL - 1) * stride < count; i += HASH_UNROLL * stride) {
        T s[HASH_UNROLL], d[HASH_UNROLL];

#pragma unroll
        for (int j = 0; j < HASH_UNROLL; j++) {
            s[j] = src[i + j * stride];
            d[j] = dst[i + j * stride];
        }
#pragma unroll
        for (int j = 0; j < HASH_UNROLL; j++) {
            sum += rmat_edge_hash(s[j], d[j]);
        }
    }
    for (; i < count; i += stride) {
        sum += rmat_edge_hash(src[i], dst[i]);
    }
    for (int lane = 16; lane > 0; lane /= 2) {
        sum += __shfl_down_sync(0xffffffffu, sum, lane);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(result, (unsigned long long)sum);
    }
}

extern "C" int rmat_gpu_fingerprint(const void *src, const void *dst, uint64_t count, int id_bytes,
                                    uint64_t *result, void *stream)
{
    const uint64_t blocks = (count + HASH_THREADS - 1) / HASH_THREADS;
    const unsigned grid = blocks < 2048 ? (unsigned)blocks : 2048;

    if (id_bytes == 4) {
        fingerprint_kernel<<<grid, HASH_THREADS, 0, (cudaStream_t)stream>>>(
            (const uint32_t *)src, (const uint32_t *)dst, count, (unsigned long long *)result);
    } else {
        fingerprint_kernel<<<grid, HASH_THREADS, 0, (cudaStream_t)stream>>>(
            (const uint64_t *)src, (const uint64_t *)dst, count, (unsigned long long *)result);
    }
    return rmat_gpu_launched();
}

/* Stores the edges of an edge source.  Their weights are the source's own, in an array that begins
 * with that of base edge `base`, or the model's. */
template <typename T> struct source_store {
    struct state { /* no state between edges */
    };
    T *src, *dst;
    uint32_t *weight;    /* NULL: not wanted */
    const uint32_t *own; /* NULL: the model's */
    rmat_weighing how;
    uint64_t first, base;
    unsigned symmetric;

    __device__ __forceinline__ void begin(state &) const
    {
    }
    __device__ __forceinline__ void end(state &) const
    {
    }
    __device__ __forceinline__ void operator()(state &, uint64_t e, uint64_t s, uint64_t d) const
    {
        src[e - first] = (T)s;
        dst[e - first] = (T)d;
        if (weight != NULL) {
            weight[e - first] =
                own != NULL ? own[(e >> symmetric) - base] : rmat_weight_of(&how, s, d);
        }
    }
};

/* The source fills arrays with base edges, the caller's arrays if they can be finished there.  A
 * pass then transforms the edges, gives them weights, and spreads them over both directions. */
template <typename T>
static int store_source(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                        cudaStream_t stream)
{
    const unsigned symmetric = gen->view.transform & RMAT_TRANSFORM_SYMMETRIC ? 1 : 0;
    const uint64_t base = first >> symmetric, n = ((first + count - 1) >> symmetric) + 1 - base;
    const bool own = gen->source.weights != RMAT_NO_WEIGHTS && to->weight != NULL;
    rmat_arrays in = {to->src, to->dst, own ? to->weight : NULL, (int)sizeof(T)};
    T *memory = NULL;
    int st;

    if (symmetric) {
        RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&memory, n * (2 * sizeof(T) + 4),
                                              rmat_gpu_pool(gen), stream));
        in.src = memory;
        in.dst = memory + n;
        in.weight = own ? memory + 2 * n : NULL;
    }
    RMAT_TRY(rmat_gpu_source_fill(gen, base, n, &in, stream));
    if (gen->view.transform != 0 || (to->weight != NULL && !own)) {
        const source_store<T> store = {(T *)to->src,
                                       (T *)to->dst,
                                       (uint32_t *)to->weight,
                                       (const uint32_t *)in.weight,
                                       gen->weighing,
                                       first,
                                       base,
                                       symmetric};

        RMAT_TRY(source_pass(gen, false, base, n, (const T *)in.src, (const T *)in.dst, first,
                             first + count, store, stream));
    }
done:
    return source_free(memory, st, stream);
}

/*
 * Edges of the model into arrays in device memory: the sink (rmat_device.cuh) that stores them.
 *
 * A store of a thread writes 16 bytes if the arrays are aligned, else one id, and the stores of a
 * warp are contiguous.  So the layout of the edges decides which edges of the warp a thread makes.
 * The fastest kernels are small and are compiled for each layout.  The large ones are compiled
 * once, for ANY: they check at run time, which costs little there.
 */

/* Layouts of edges: aligned, without weights and with them; aligned, with their reverses; without
 * alignment; or as edge_place says. */
enum array_shape { ARRAYS, WEIGHTED, BOTH, SINGLE, ANY };

/* The destination of edges. */
template <typename T> struct edge_place {
    T *src, *dst;     /* the places of edge first */
    uint32_t *weight; /* NULL: none */
    rmat_weighing how;
    uint64_t first;
    uint32_t in_store; /* base edges of a store of 16 bytes, or 1 */
    bool symmetric;    /* base edges, each followed by its reverse */
    array_shape lies;  /* the layout; not ANY */

    edge_place(const rmat_arrays *to, const rmat_weighing &weighing, bool reversed, uint64_t edge)
        : src((T *)to->src), dst((T *)to->dst), weight((uint32_t *)to->weight), how(weighing),
          first(edge), in_store(1), symmetric(reversed), lies(SINGLE)
    {
        const uint64_t base = symmetric ? (edge + 1) / 2 : edge;
        const edge_place there = at(base);
        const uintptr_t s = (uintptr_t)there.src, d = (uintptr_t)there.dst;
        const uintptr_t w = (uintptr_t)(there.weight + (symmetric ? 2 : 1) * head(base));

        if (s % bytes() == 0 && s % 16 == d % 16 && (weight == NULL || w % (64 / sizeof(T)) == 0)) {
            in_store = 16 / bytes();
            lies = symmetric ? BOTH : weight == NULL ? ARRAYS : WEIGHTED;
        }
    }
    /* Bytes of an array per base edge. */
    uint32_t bytes() const
    {
        return (uint32_t)sizeof(T) * (symmetric ? 2 : 1);
    }
    /* The base edges up to the next multiple of 16 bytes, if they are aligned. */
    uint64_t head(uint64_t e) const
    {
        return -(uintptr_t)at(e).src % 16 / bytes();
    }
    edge_place at(uint64_t e) const
    {
        const uint64_t edge = symmetric ? 2 * e : e, i = edge - first;
        edge_place there = *this;

        there.src += i;
        there.dst += i;
        there.weight += weight != NULL ? i : 0;
        there.first = edge;
        return there;
    }
};

/* Stores values that are not used again soon.  Not if ids among them may be stored again because
 * their edges are drawn again: the L2 cache keeps those until then. */
template <bool final, typename T> static __device__ __forceinline__ void put(T *to, T value)
{
    if constexpr (final) {
        __stcs(to, value);
    } else {
        *to = value;
    }
}

/* The sink.  A unit is four base edges or two: four cost less per edge, but take more registers. */
template <typename T, array_shape shape> struct edge_store : edge_place<T> {
    struct state { /* no state between edges */
    };
    typedef edge_place<T> place;
    typedef T id;
    static const int edges = shape == BOTH ? 2 : 4;
    static const bool wide = sizeof(T) == 8, stores = true, together = false;
    static const int kernels = shape == ARRAYS
                                   ? RMAT_FOR_PLAIN | RMAT_FOR_PERMUTED | RMAT_FOR_UNBOUNDED
                               : shape == ANY ? 0
                                              : RMAT_FOR_UNBOUNDED;

    edge_store(const place &p) : place(p)
    {
    }
    edge_store at(uint64_t e) const
    {
        return place::at(e);
    }
    uint64_t head(uint64_t e) const
    {
        return place::lies == SINGLE ? 0 : place::head(e);
    }

    __device__ __forceinline__ bool is(array_shape s) const
    {
        return (shape == ANY ? place::lies : shape) == s;
    }
    /* A store's edges follow those of the lane before: n is 4, 2 or 1. */
    __device__ __forceinline__ uint32_t offset(uint32_t u, int j) const
    {
        const uint32_t lane = u % 32, in_array = 16 / sizeof(T);
        const uint32_t n = shape == ANY ? place::in_store : shape == BOTH ? in_array / 2 : in_array;

        return edges * (u - lane) + n * lane + j % 2 * (n == 1 ? 32 : 1) +
               j / 2 * (n == 4 ? 2 : 64);
    }

    __device__ __forceinline__ void begin(state &) const
    {
    }
    __device__ __forceinline__ void end(state &) const
    {
    }
    template <bool final>
    __device__ __forceinline__ void unit(state &none, const rmat_piece &p, uint32_t u, const T *s,
                                         const T *d, const uint32_t *) const
    {
        if (is(SINGLE)) {
#pragma unroll
            for (int j = 0; j < edges; j++) {
                rmat_sink_both(p, *this, none, p.first + offset(u, j), s[j], d[j]);
            }
            return;
        }
        if (is(BOTH)) {
            put_both<final>(u, s, d);
        } else {
            put_arrays<final>(u, s, d);
        }
        if (shape == WEIGHTED || (shape >= BOTH && place::weight != NULL)) {
            put_weights<final>(u, s, d);
        }
    }
    __device__ __forceinline__ void edge(state &, uint64_t e, uint64_t s, uint64_t d) const
    {
        const int64_t i = (int64_t)(e - place::first);

        place::src[i] = (T)s;
        place::dst[i] = (T)d;
        if (place::weight != NULL) {
            place::weight[i] = rmat_weight_of(&(place::how), s, d);
        }
    }

    /* 16 bytes of an array, from this id on. */
    template <bool final>
    static __device__ __forceinline__ void put_ids(uint32_t *to, uint64_t i, uint32_t a, uint32_t b,
                                                   uint32_t c, uint32_t d)
    {
        put<final>((uint4 *)to + i / 4, make_uint4(a, b, c, d));
    }
    template <bool final>
    static __device__ __forceinline__ void put_ids(uint64_t *to, uint64_t i, uint64_t a, uint64_t b)
    {
        put<final>((ulonglong2 *)to + i / 2, make_ulonglong2(a, b));
    }
    template <bool final>
    __device__ __forceinline__ void put_arrays(uint32_t u, const T *s, const T *d) const
    {
#pragma unroll
        for (int j = 0; j < edges; j += 16 / sizeof(T)) {
            const uint32_t i = offset(u, j);

            if constexpr (sizeof(T) == 8) {
                put_ids<final>(place::src, i, s[j], s[j + 1]);
                put_ids<final>(place::dst, i, d[j], d[j + 1]);
            } else if constexpr (edges == 4) {
                put_ids<final>(place::src, i, s[0], s[1], s[2], s[3]);
                put_ids<final>(place::dst, i, d[0], d[1], d[2], d[3]);
            }
        }
    }
    /* (s, d) and its reverse. */
    template <bool final>
    __device__ __forceinline__ void put_both(uint32_t u, const T *s, const T *d) const
    {
#pragma unroll
        for (int j = 0; j < edges; j += 8 / sizeof(T)) {
            const uint64_t i = 2 * (uint64_t)offset(u, j);

            if constexpr (sizeof(T) == 4) {
                put_ids<final>(place::src, i, s[j], d[j], s[j + 1], d[j + 1]);
                put_ids<final>(place::dst, i, d[j], s[j], d[j + 1], s[j + 1]);
            } else {
                put_ids<final>(place::src, i, s[j], d[j]);
                put_ids<final>(place::dst, i, d[j], s[j]);
            }
        }
    }
    template <bool final>
    __device__ __forceinline__ void put_weights(uint32_t u, const T *s, const T *d) const
    {
        uint32_t *to = place::weight, w[edges];

#pragma unroll
        for (int j = 0; j < edges; j++) {
            w[j] = rmat_weight_of(&(place::how), s[j], d[j]);
        }
        if (is(BOTH)) {
#pragma unroll
            for (int j = 0; j < edges; j += 8 / sizeof(T)) {
                if constexpr (sizeof(T) == 4) {
                    put<final>((uint4 *)(to + 2 * (uint64_t)offset(u, j)),
                               make_uint4(w[j], w[j], w[j + 1], w[j + 1]));
                } else {
                    put<final>((uint2 *)(to + 2 * (uint64_t)offset(u, j)), make_uint2(w[j], w[j]));
                }
            }
        } else if constexpr (edges == 4 && sizeof(T) == 4) {
            put<final>((uint4 *)(to + offset(u, 0)), make_uint4(w[0], w[1], w[2], w[3]));
        } else if constexpr (edges == 4) {
            put<final>((uint2 *)(to + offset(u, 0)), make_uint2(w[0], w[1]));
            put<final>((uint2 *)(to + offset(u, 2)), make_uint2(w[2], w[3]));
        }
    }
};

template <typename T>
static int store_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to,
                       cudaStream_t stream)
{
    const rmat_view view = rmat_gpu_view(gen);
    const bool symmetric = (view.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const edge_place<T> place(to, gen->weighing, symmetric, first);
    const edge_store<T, ANY> any = place;
    const auto run = [&](const auto &sink) {
        return rmat_run<false>(gen, view, first, count, sink, any, stream);
    };

    if (place.lies == SINGLE || rmat_is_bounded(rmat_piece_of(view, first))) {
        return rmat_run(gen, view, first, count, any, any, stream);
    }
    return place.lies == ARRAYS     ? run(edge_store<T, ARRAYS>(place))
           : place.lies == WEIGHTED ? run(edge_store<T, WEIGHTED>(place))
                                    : run(edge_store<T, BOTH>(place));
}

extern "C" int rmat_gpu_store(const rmat_gen *gen, uint64_t first, uint64_t count,
                              const rmat_arrays *to, cudaStream_t stream)
{
    const bool narrow = to->id_bytes == 4;
    const auto store = rmat_has_source(gen)
                           ? narrow ? store_source<uint32_t> : store_source<uint64_t>
                       : narrow ? store_edges<uint32_t>
                                : store_edges<uint64_t>;

    return store(gen, first, count, to, stream);
}
