/*
 * array_sinks.cuh - private to rmat/: the sink (rmat_device.cuh) that stores edges in arrays.
 *
 * A store of a thread writes 16 bytes if the arrays are aligned, else one id, and the stores of a
 * warp are contiguous.  So the layout of the edges decides which edges of the warp a thread makes.
 * The fastest kernels are small and are compiled for each layout.  The large ones are compiled
 * once, for ANY: they check at run time, which costs little there.
 */
#ifndef RMAT_GPU_ARRAY_SINKS_CUH
#define RMAT_GPU_ARRAY_SINKS_CUH

#include "rmat/gpu/backend.h"
#include "rmat/model/weight.h"
#include "rmat/rmat_device.cuh"

/* Layouts of edges: in arrays, without weights and with them; in pairs; in arrays without
 * alignment; with their reverses; or as edge_place says. */
enum array_shape { ARRAYS, WEIGHTED, PAIRS, SINGLE, BOTH, ANY };

/* The destination of edges. */
template <typename T> struct edge_place {
    T *src, *dst;     /* the places of edge first; for pairs, dst is src + 1 */
    uint32_t *weight; /* NULL: none */
    rmat_weighing how;
    uint64_t first;
    uint32_t step;     /* ids from one edge to the next: 1, or 2 for pairs */
    uint32_t in_store; /* base edges of a store of 16 bytes; pairs with reverses: of two */
    bool symmetric;    /* base edges, each followed by its reverse */
    array_shape lies;  /* the layout; not ANY */

    edge_place(const rmat_arrays *to, const rmat_weighing &weighing, rmat_layout layout,
               bool reversed, uint64_t edge)
        : src((T *)to->src), dst((T *)to->dst), weight((uint32_t *)to->weight), how(weighing),
          first(edge), step(layout == RMAT_PAIRS ? 2 : 1), in_store(1), symmetric(reversed),
          lies(SINGLE)
    {
        const uint64_t base = symmetric ? (edge + 1) / 2 : edge;
        const edge_place there = at(base);
        const uintptr_t s = (uintptr_t)there.src, d = (uintptr_t)there.dst;
        const uintptr_t w = (uintptr_t)(there.weight + (symmetric ? 2 : 1) * head(base));
        const bool aligned = s % (bytes() < 16 ? bytes() : 16) == 0 &&
                             (step == 2 ? weight == NULL : s % 16 == d % 16) &&
                             (weight == NULL || w % (64 / sizeof(T)) == 0);

        in_store = !aligned ? 1 : symmetric ? 8 / sizeof(T) : 16 / bytes();
        lies = !aligned         ? SINGLE
               : symmetric      ? BOTH
               : step == 2      ? PAIRS
               : weight == NULL ? ARRAYS
                                : WEIGHTED;
    }
    /* Bytes of an array per base edge. */
    uint32_t bytes() const
    {
        return (uint32_t)sizeof(T) * step * (symmetric ? 2 : 1);
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

        there.src += i * step;
        there.dst += i * step;
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
    static const bool two = shape == SINGLE || shape == BOTH || (shape == PAIRS && sizeof(T) == 4);
    static const int edges = two ? 2 : 4;
    static const bool wide = sizeof(T) == 8, stores = true, together = false;
    static const int variety = shape == ARRAYS ? 2 : shape == ANY ? 0 : 1;

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
        const uint32_t n = shape == ANY                           ? place::in_store
                           : shape == ARRAYS || shape == WEIGHTED ? in_array
                           : shape == SINGLE                      ? 1
                                                                  : in_array / 2;

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
    __device__ __forceinline__ void unit(state &, const rmat_piece &, uint32_t u, const T *s,
                                         const T *d, const uint32_t *) const
    {
        if (is(SINGLE)) {
            put_single(u, s, d);
        } else if (is(BOTH)) {
            put_both<final>(u, s, d);
        } else if (is(PAIRS)) {
            put_pairs<final>(u, s, d);
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

        place::src[i * place::step] = (T)s;
        place::dst[i * place::step] = (T)d;
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
    __device__ __forceinline__ void put_single(uint32_t u, const T *s, const T *d) const
    {
#pragma unroll
        for (int j = 0; j < edges; j++) {
            const uint64_t i = offset(u, j);

            if (shape == SINGLE) { /* arrays */
                place::src[i] = s[j];
                place::dst[i] = d[j];
            } else if (!place::symmetric) {
                place::src[i * place::step] = s[j];
                place::dst[i * place::step] = d[j];
            } else {
                place::src[2 * i * place::step] = s[j];
                place::dst[2 * i * place::step] = d[j];
                place::src[(2 * i + 1) * place::step] = d[j];
                place::dst[(2 * i + 1) * place::step] = s[j];
            }
        }
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
    template <bool final>
    __device__ __forceinline__ void put_pairs(uint32_t u, const T *s, const T *d) const
    {
#pragma unroll
        for (int j = 0; j < edges; j += 8 / sizeof(T)) {
            const uint32_t i = offset(u, j);

            if constexpr (sizeof(T) == 4) {
                put<final>((uint4 *)place::src + i / 2, make_uint4(s[j], d[j], s[j + 1], d[j + 1]));
            } else {
                put<final>((ulonglong2 *)place::src + i, make_ulonglong2(s[j], d[j]));
            }
        }
    }
    /* (s, d) to the sources and (d, s) to the destinations, or both as consecutive pairs. */
    template <bool final>
    __device__ __forceinline__ void put_both(uint32_t u, const T *s, const T *d) const
    {
        const bool pairs = place::step == 2;

#pragma unroll
        for (int j = 0; j < edges; j += 8 / sizeof(T)) {
            const uint32_t i = offset(u, j);
            T *a = place::src + (uint64_t)i * (2 * place::step);
            T *b = pairs ? a + 16 / sizeof(T) : place::dst + 2 * (uint64_t)i;

            if constexpr (sizeof(T) == 4) {
                const T as = pairs ? d[j] : s[j + 1], ad = pairs ? s[j] : d[j + 1];
                const T bs = pairs ? s[j + 1] : d[j], bd = pairs ? d[j + 1] : s[j];

                put_ids<final>(a, 0, s[j], d[j], as, ad);
                put_ids<final>(b, 0, bs, bd, d[j + 1], s[j + 1]);
            } else {
                put_ids<final>(a, 0, s[j], d[j]);
                put_ids<final>(b, 0, d[j], s[j]);
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
        if (is(SINGLE)) {
#pragma unroll
            for (int j = 0; j < edges; j++) {
                const uint64_t i = offset(u, j);

                to[place::symmetric ? 2 * i : i] = w[j];
                if (place::symmetric) {
                    to[2 * i + 1] = w[j];
                }
            }
        } else if (is(BOTH)) {
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

/* All kernels that store edges have the same second kernel, compiled in arrays_bounded.cu. */
template <>
void rmat_launch_second(const rmat_piece &p, const edge_store<uint32_t, ANY> &single,
                        const rmat_first_run &run, int blocks, cudaStream_t stream);
template <>
void rmat_launch_second(const rmat_piece &p, const edge_store<uint64_t, ANY> &single,
                        const rmat_first_run &run, int blocks, cudaStream_t stream);

#endif
