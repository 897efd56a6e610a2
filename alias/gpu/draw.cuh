/*
 * alias/gpu/draw.cuh - draws from the rows of a table inside kernels, and the kernel of the
 * baseline sampler.
 */
#ifndef ALIAS_GPU_DRAW_CUH
#define ALIAS_GPU_DRAW_CUH

#include "alias/alias_gpu.h"
#include "alias/core/sections.h"

#include <cuda_runtime.h>
#include <type_traits>

/*
 * Rows in global memory, and consumers of draws: alias_store and alias_sum.  alias/alias_device.cuh
 * says what a consumer is.
 */

/* A consumer that stores draw first + p in out[p].  aligned: the address of draw 0 would be a
 * multiple of 16.  It then stores four draws as 16 bytes, past the cache where possible: no kernel
 * reads the draws soon, while the cache holds rows. */
template <typename T, bool aligned = false> struct alias_store {
    struct state {
    };
    T *origin; /* the address that draw 0 would have */

    __host__ __device__ alias_store(T *out, uint64_t first)
        : origin((T *)((uintptr_t)out - first * sizeof(T)))
    {
    }

    __device__ void begin(state &) const
    {
    }
    __device__ void end(state &) const
    {
    }

    __device__ void operator()(state &, uint64_t t, uint64_t item) const
    {
        origin[t] = (T)item;
    }

    template <typename I>
    __device__ __forceinline__ void four(state &, uint64_t t, const I *item, bool whole) const
    {
        if (!aligned) {
            for (int j = 0; j < 4; j++) {
                origin[t + j] = (T)item[j];
            }
        } else if (sizeof(T) == 4) {
            __stcs((uint4 *)(origin + t), make_uint4((uint32_t)item[0], (uint32_t)item[1],
                                                     (uint32_t)item[2], (uint32_t)item[3]));
        } else if (whole) {
            /* Neighboring lanes swap halves, so that two of them store 32 consecutive bytes. */
            const bool odd = threadIdx.x & 1;
            const I x = __shfl_xor_sync(~0u, odd ? item[0] : item[2], 1);
            const I y = __shfl_xor_sync(~0u, odd ? item[1] : item[3], 1);
            T *to = origin + t - (odd ? 2 : 0);

            __stcs((ulonglong2 *)to,
                   odd ? make_ulonglong2(x, y) : make_ulonglong2(item[0], item[1]));
            __stcs((ulonglong2 *)(to + 4),
                   odd ? make_ulonglong2(item[2], item[3]) : make_ulonglong2(x, y));
        } else {
            __stcs((ulonglong2 *)(origin + t), make_ulonglong2(item[0], item[1]));
            __stcs((ulonglong2 *)(origin + t + 2), make_ulonglong2(item[2], item[3]));
        }
    }
};

/* Whether draws from `first` on in out allow an aligned alias_store. */
template <typename T> bool alias_is_aligned(const T *out, uint64_t first)
{
    return ((uintptr_t)out - first * sizeof(T)) % 16 == 0;
}

/* Calls f with the alias_store for out and first, and returns what it returns. */
template <typename T, typename F> int alias_with_store(T *out, uint64_t first, F f)
{
    return alias_is_aligned(out, first) ? f(alias_store<T, true>(out, first))
                                        : f(alias_store<T>(out, first));
}

/* A consumer that adds all items to *total, modulo 2^32. */
struct alias_sum {
    typedef uint32_t state;
    uint32_t *total;

    __device__ void begin(state &sum) const
    {
        sum = 0;
    }
    __device__ void operator()(state &sum, uint64_t, uint64_t item) const
    {
        sum += (uint32_t)item;
    }
    __device__ void end(state &sum) const
    {
        atomicAdd(total, sum);
    }
};

/* Read access to the rows of a table in global memory: of 8 or (wide) 16 bytes, as an array of
 * structs or (soa) as a struct of arrays. */
template <bool wide, bool soa> struct alias_rows {
    typedef typename std::conditional<wide, uint64_t, uint32_t>::type word;
    typedef typename std::conditional<wide, ulonglong2, uint2>::type pair;

    static const bool is_wide = wide;
    alias_view view;

    /* Row i as stored: x is the threshold, y the alias. */
    __device__ __forceinline__ pair load(uint64_t i) const
    {
        pair row;

        if (soa) {
            row.x = __ldg((const word *)view.rows + i);
            row.y = __ldg((const word *)view.alias + i);
            return row;
        }
        return __ldg((const pair *)view.rows + i);
    }

    /* The item that 64 random bits select, as by alias_draw8() and alias_draw16(). */
    __device__ __forceinline__ word draw(uint64_t bits) const
    {
        alias_spot spot = alias_section_spot(view.n, wide ? view.k : 32, bits);
        pair row = load(spot.bucket);

        return (word)spot.offset < row.x ? (word)spot.bucket : (word)row.y;
    }
};

/* Passes four draws to the consumer, by four() if it has that member.  The last argument is 0, an
 * int, so that the compiler prefers this overload. */
template <typename C, typename I>
__device__ __forceinline__ auto alias_consume(const C &consumer, typename C::state &state,
                                              uint64_t t, const I *item, bool whole, int)
    -> decltype(consumer.four(state, t, item, whole))
{
    consumer.four(state, t, item, whole);
}

template <typename C, typename I>
__device__ __forceinline__ void alias_consume(const C &consumer, typename C::state &state,
                                              uint64_t t, const I *item, bool, long)
{
    for (int j = 0; j < 4; j++) {
        consumer(state, t + j, item[j]);
    }
}

/*
 * The kernel of the baseline sampler: each thread draws from the whole table, eight draws at a
 * time, so that the loads of their rows overlap.
 */
enum { ALIAS_DRAW_THREADS = 256 };

/* Makes draws [first, last], both inclusive, and passes them to the consumer. */
template <typename Rows, typename C>
__global__ static void __launch_bounds__(ALIAS_DRAW_THREADS)
    alias_draw_kernel(Rows rows, uint64_t seed, uint64_t first, uint64_t last, C consumer)
{
    enum { GROUPS = 2 }; /* of four draws, made together */
    const uint64_t threads = (uint64_t)gridDim.x * ALIAS_DRAW_THREADS;
    const uint64_t end = last >> 2;
    typename Rows::word item[GROUPS][4];
    typename Rows::pair row[GROUPS][4];
    alias_spot spot[GROUPS][4];
    typename C::state state;
    uint64_t q = (first >> 2) + (uint64_t)blockIdx.x * ALIAS_DRAW_THREADS + threadIdx.x;

    consumer.begin(state);
    for (; q <= end; q += GROUPS * threads) {
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
#pragma unroll
            for (int h = 0; h < 2; h++) {
                philox_block b = philox_at(seed, 2 * (q + g * threads) + h, 0, PHILOX_ALIAS_DRAW);

#pragma unroll
                for (int j = 0; j < 2; j++) {
                    uint64_t bits = b.v[2 * j] | (uint64_t)b.v[2 * j + 1] << 32;

                    spot[g][2 * h + j] =
                        alias_section_spot(rows.view.n, Rows::is_wide ? rows.view.k : 32, bits);
                    row[g][2 * h + j] = rows.load(spot[g][2 * h + j].bucket);
                }
            }
        }
#pragma unroll
        for (int g = 0; g < GROUPS; g++) {
            uint64_t t = 4 * (q + g * threads);

#pragma unroll
            for (int j = 0; j < 4; j++) {
                item[g][j] = (typename Rows::word)spot[g][j].offset < row[g][j].x
                                 ? (typename Rows::word)spot[g][j].bucket
                                 : (typename Rows::word)row[g][j].y;
            }
            if (q + g * threads > end) {
                break;
            }
            if (t >= first && last - t >= 3) {
                alias_consume(consumer, state, t, item[g], false, 0);
            } else {
                for (int j = 0; j < 4; j++) {
                    if (t + j >= first && t + j <= last) {
                        consumer(state, t + j, item[g][j]);
                    }
                }
            }
        }
    }
    consumer.end(state);
}

#endif
