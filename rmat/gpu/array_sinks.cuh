/*
 * array_sinks.cuh - private to rmat/: sinks (rmat_device.cuh) that store edges in arrays, 16 bytes
 * at a time if the arrays are aligned.  edge_store is for plain and transformed graphs; the others
 * are for transformed ones only, for which there are many kernels, so they decide at run time what
 * costs little there.
 */
#ifndef RMAT_GPU_ARRAY_SINKS_CUH
#define RMAT_GPU_ARRAY_SINKS_CUH

#include "rmat/gpu/backend.h"
#include "rmat/model/weight.h"
#include "rmat/rmat_device.cuh"

/* Stores what will not be used again soon; but not if ids of it may be stored once more, of edges
 * that are drawn again: the L2 cache is to hold it until then. */
template <bool final, typename T> static __device__ __forceinline__ void put(T *to, T value)
{
    if constexpr (final) {
        __stcs(to, value);
    } else {
        *to = value;
    }
}

/* Sinks that store edges know nothing from one edge to the next. */
struct no_state {
};

/*
 * Edges without weights, in separate arrays or pairs.  A store writes 16 bytes of each array, or of
 * the array of pairs, and the stores of a warp are contiguous; without alignment it writes one id.
 * A unit is four edges or two, in as many stores as it takes: four edges cost less each, but more
 * registers.
 */
template <typename T, rmat_layout layout, bool aligned> struct edge_store {
    typedef no_state state;
    typedef T id;
    static const bool pairs = layout == RMAT_PAIRS;
    static const int in_store = aligned ? 16 / ((pairs ? 2 : 1) * (int)sizeof(T)) : 1; /* edges */
    static const int edges = aligned && !(pairs && sizeof(T) == 4) ? 4 : 2;
    static const bool wide = sizeof(T) == 8, stores = true;
    static const bool together = false;
    static const int variety = pairs ? 1 : 2;
    T *src, *dst; /* the places of edge first */
    uint64_t first;

    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        const uint32_t lane = u % 32, store = (uint32_t)j / in_store;

        return edges * (u - lane) + in_store * (32 * store + lane) + (uint32_t)j % in_store;
    }
    /* The edges up to the next multiple of 16 bytes. */
    uint64_t head(uint64_t e) const
    {
        const uintptr_t step = (pairs ? 2 : 1) * sizeof(T);

        return aligned ? -((uintptr_t)src + (e - first) * step) % 16 / step : 0;
    }
    edge_store at(uint64_t e) const
    {
        const uint64_t elements = (pairs ? 2 : 1) * (e - first);

        return {src + elements, dst + elements, e};
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
#pragma unroll
        for (int j = 0; j < edges; j += in_store) {
            const uint32_t i = offset(u, j);

            if constexpr (!aligned) {
                src[(pairs ? 2 : 1) * (uint64_t)i] = s[j];
                dst[(pairs ? 2 : 1) * (uint64_t)i] = d[j];
            } else if constexpr (pairs && sizeof(T) == 8) {
                put<final>((ulonglong2 *)src + i, make_ulonglong2(s[j], d[j]));
            } else if constexpr (pairs) {
                put<final>((uint4 *)src + i / 2, make_uint4(s[j], d[j], s[j + 1], d[j + 1]));
            } else if constexpr (sizeof(T) == 8) {
                put<final>((ulonglong2 *)src + i / 2, make_ulonglong2(s[j], s[j + 1]));
                put<final>((ulonglong2 *)dst + i / 2, make_ulonglong2(d[j], d[j + 1]));
            } else {
                put<final>((uint4 *)src + i / 4, make_uint4(s[0], s[1], s[2], s[3]));
                put<final>((uint4 *)dst + i / 4, make_uint4(d[0], d[1], d[2], d[3]));
            }
        }
    }
    __device__ __forceinline__ void edge(state &, uint64_t e, uint64_t s, uint64_t d) const
    {
        const int64_t i = (pairs ? 2 : 1) * (int64_t)(e - first);

        src[i] = (T)s;
        dst[i] = (T)d;
    }
};

/* Edges with weights, in separate arrays. */
template <typename T> struct edge_weigh : edge_store<T, RMAT_ARRAYS, true> {
    typedef edge_store<T, RMAT_ARRAYS, true> base;
    static const int variety = 1;
    uint32_t *weight; /* the place of edge first */
    rmat_weighing how;

    edge_weigh(const base &ids, uint32_t *to, const rmat_weighing &weighing)
        : base(ids), weight(to), how(weighing)
    {
    }
    edge_weigh at(uint64_t e) const
    {
        return {base::at(e), weight + (e - base::first), how};
    }
    template <bool final>
    __device__ __forceinline__ void unit(typename base::state &state, const rmat_piece &p,
                                         uint32_t u, const T *s, const T *d,
                                         const uint32_t *closest) const
    {
        base::template unit<final>(state, p, u, s, d, closest);
#pragma unroll
        for (int j = 0; j < base::edges; j += base::in_store) {
            uint32_t *to = weight + base::offset(u, j), w[base::in_store];

#pragma unroll
            for (int k = 0; k < base::in_store; k++) {
                w[k] = rmat_weight_of(&how, s[j + k], d[j + k]);
            }
            if constexpr (base::in_store == 4) {
                put<final>((uint4 *)to, make_uint4(w[0], w[1], w[2], w[3]));
            } else {
                put<final>((uint2 *)to, make_uint2(w[0], w[1]));
            }
        }
    }
};

/*
 * Base edges with their reverses, with weights or without: (s, d) to the sources and (d, s) to the
 * destinations, or as pairs both one after the other.
 */
template <typename T> struct edge_both {
    typedef no_state state;
    typedef T id;
    static const int in_store = 8 / (int)sizeof(T), edges = 2;
    static const bool wide = sizeof(T) == 8;
    static const int variety = 1;
    T *src, *dst;     /* the places of edge first; of pairs, dst is src + 1 */
    uint32_t *weight; /* NULL: none */
    rmat_weighing how;
    uint64_t first;
    uint32_t step; /* ids from one base edge to the next: 2; for pairs 4 */

    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        const uint32_t lane = u % 32, store = (uint32_t)j / in_store;

        return edges * (u - lane) + in_store * (32 * store + lane) + (uint32_t)j % in_store;
    }
    uint64_t head(uint64_t e) const
    {
        return step == 2 ? -((uintptr_t)(at(e).src)) % 16 / (2 * sizeof(T)) : 0;
    }
    edge_both at(uint64_t e) const
    {
        const uint64_t edge = 2 * e - first, at = edge * (step / 2);

        return {src + at, dst + at, weight != NULL ? weight + edge : NULL, how, 2 * e, step};
    }

    /* Whether units from base edge e on can be stored: whether the arrays are aligned. */
    bool fits(uint64_t e) const
    {
        const edge_both there = at(e);
        const uintptr_t s = (uintptr_t)there.src, d = (uintptr_t)there.dst;
        const uintptr_t w = (uintptr_t)(there.weight + (weight != NULL ? 2 * head(e) : 0));

        return (step == 4 ? s % 16 == 0 : s % (2 * sizeof(T)) == 0 && s % 16 == d % 16) &&
               w % (8 * in_store) == 0;
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
        const bool pairs = step == 4;

#pragma unroll
        for (int j = 0; j < edges; j += in_store) {
            const uint32_t i = offset(u, j);
            T *a = src + (uint64_t)i * step,
              *b = pairs ? a + 16 / sizeof(T) : dst + 2 * (uint64_t)i;

            if constexpr (in_store == 1) {
                put<final>((ulonglong2 *)a, make_ulonglong2(s[j], d[j]));
                put<final>((ulonglong2 *)b, make_ulonglong2(d[j], s[j]));
            } else {
                const T as = pairs ? d[j] : s[j + 1], ad = pairs ? s[j] : d[j + 1];
                const T bs = pairs ? s[j + 1] : d[j], bd = pairs ? d[j + 1] : s[j];

                put<final>((uint4 *)a, make_uint4(s[j], d[j], as, ad));
                put<final>((uint4 *)b, make_uint4(bs, bd, d[j + 1], s[j + 1]));
            }
            if (weight != NULL) {
                const uint32_t w = rmat_weight_of(&how, s[j], d[j]);

                if constexpr (in_store == 1) {
                    put<final>((uint2 *)(weight + 2 * (uint64_t)i), make_uint2(w, w));
                } else {
                    const uint32_t x = rmat_weight_of(&how, s[j + 1], d[j + 1]);

                    put<final>((uint4 *)(weight + 2 * (uint64_t)i), make_uint4(w, w, x, x));
                }
            }
        }
    }
};

/* Any edges, in arrays of any alignment, one by one. */
template <typename T> struct edge_scatter {
    typedef no_state state;
    typedef T id;
    static const int edges = 2;
    static const bool wide = sizeof(T) == 8, stores = true, together = false;
    static const int variety = 0;
    T *src, *dst;     /* the places of edge first */
    uint32_t *weight; /* NULL: none */
    rmat_weighing how;
    uint64_t first;
    uint32_t step; /* ids from one edge to the next */

    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        const uint32_t lane = u % 32;

        return edges * (u - lane) + 32 * (uint32_t)j + lane;
    }
    uint64_t head(uint64_t) const
    {
        return 0;
    }
    edge_scatter at(uint64_t) const
    {
        return *this;
    }
    __device__ __forceinline__ void begin(state &) const
    {
    }
    __device__ __forceinline__ void end(state &) const
    {
    }
    template <bool final>
    __device__ __forceinline__ void unit(state &nothing, const rmat_piece &p, uint32_t u,
                                         const T *s, const T *d, const uint32_t *) const
    {
#pragma unroll
        for (int j = 0; j < edges; j++) {
            rmat_sink_both(p, *this, nothing, p.first + offset(u, j), s[j], d[j]);
        }
    }
    __device__ __forceinline__ void edge(state &, uint64_t e, uint64_t s, uint64_t d) const
    {
        const uint64_t i = e - first;

        src[i * step] = (T)s;
        dst[i * step] = (T)d;
        if (weight != NULL) {
            weight[i] = rmat_weight_of(&how, s, d);
        }
    }
};

#endif
