/*
 * alias/gpu/draw.cuh - draws from the rows of a table inside kernels, and the kernels of the
 * samplers: the baseline, which reads rows from anywhere, and those by sections.
 */
#ifndef ALIAS_GPU_DRAW_CUH
#define ALIAS_GPU_DRAW_CUH

#include "alias/alias_gpu.h"
#include "alias/core/sections.h"
#include "alias/gpu/device.h"

#include <cuda_pipeline_primitives.h>
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

/* Read access to the rows of a table in global memory: of 8 or (wide) 16 bytes. */
template <bool wide> struct alias_rows {
    typedef typename std::conditional<wide, uint64_t, uint32_t>::type word;
    typedef typename std::conditional<wide, ulonglong2, uint2>::type pair;

    static const bool is_wide = wide;
    alias_view view;

    /* Row i as stored: x is the threshold, y the alias. */
    __device__ __forceinline__ pair load(uint64_t i) const
    {
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

/*
 * The kernel of the sectioned samplers (alias/core/sections.h).
 *
 * Each block takes ranges of the batch and draws them section by section.  It reads the section's
 * rows through the cache, or copies them to shared memory first.  If sections have enough draws,
 * the ranges are short and are distributed to the blocks in turn.  All blocks then write near one
 * another, which is faster than in separate places.  If sections have fewer draws but are many, a
 * range is a section.
 */
enum {
    ALIAS_SECTION_THREADS = 512, /* of a block */
    ALIAS_SECTION_BLOCKS = 3,    /* blocks on a multiprocessor, if their sections fit */
    ALIAS_SECTION_SHARE = 40000, /* Philox blocks in a range: enough to pay for a section's copy */
    ALIAS_SECTION_TURNS = 8      /* sections per block, at least, if ranges are whole sections */
};

/* The number of blocks of this many threads that the registers must suffice for, per
 * multiprocessor.  An sm_75 multiprocessor runs 1024 threads, and its compiler refuses more. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
#define ALIAS_RESIDENT(threads, blocks) ((threads) * (blocks) > 1024 ? 1024 / (threads) : (blocks))
#else
#define ALIAS_RESIDENT(threads, blocks) (blocks)
#endif

/* A section whose rows are read from global memory through the cache. */
template <typename Rows> struct alias_cached_section {
    static const bool copies = false;
    Rows rows;

    __device__ __forceinline__ explicit alias_cached_section(const Rows &table) : rows(table)
    {
    }

    __device__ __forceinline__ void open(uint64_t, uint32_t)
    {
    }
    __device__ __forceinline__ typename Rows::pair load(uint64_t row) const
    {
        return rows.load(row);
    }
};

/* Loads from 32-bit addresses in shared memory.  They are not volatile, because volatile would keep
 * the loop's values out of uniform registers.  The barrier in open() keeps them after it. */
__device__ __forceinline__ void alias_load_shared(uint32_t address, uint2 &x)
{
    asm("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(address));
}
__device__ __forceinline__ void alias_load_shared(uint32_t address, ulonglong2 &x)
{
    asm("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(x.x), "=l"(x.y) : "r"(address));
}

/* A section whose rows are copied to shared memory. */
template <bool wide, int threads> struct alias_shared_section {
    typedef alias_rows<wide> Rows;
    typedef typename Rows::pair pair;

    static const bool copies = true;
    Rows rows;
    uint32_t zero; /* the address that row 0 of the table would have, modulo 2^32 */

    __device__ __forceinline__ explicit alias_shared_section(const Rows &table) : rows(table)
    {
    }

    /* Copies the m rows from row start on.  All threads of the block call. */
    __device__ __forceinline__ void open(uint64_t start, uint32_t m)
    {
        extern __shared__ __align__(16) char alias_shared_memory[];
        const uint32_t bytes = m * sizeof(pair), whole = bytes / 16 * 16;
        const char *from = (const char *)rows.view.rows + start * sizeof(pair);
        uint32_t lane, i;

        __syncthreads(); /* other threads may still draw from the previous section */
        for (i = 16 * threadIdx.x; i < whole; i += 16 * threads) {
            __pipeline_memcpy_async(alias_shared_memory + i, from + i, 16);
        }
        for (i = whole + 4 * threadIdx.x; i < bytes; i += 4 * threads) {
            *(uint32_t *)(alias_shared_memory + i) = *(const uint32_t *)(from + i);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();

        zero = (uint32_t)__cvta_generic_to_shared(alias_shared_memory) -
               (uint32_t)start * (uint32_t)sizeof(pair);
        /* All addresses are computed from this value.  The compiler cannot know that the added
         * value is zero, so it keeps the value out of uniform registers.  The multiplier then adds
         * it to the addresses; it is less busy than the adder. */
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane) : : "memory");
        zero += lane >> 5;
    }

    __device__ __forceinline__ pair load(uint64_t row) const
    {
        pair r;

        alias_load_shared(zero + (uint32_t)row * (uint32_t)sizeof(pair), r);
        return r;
    }
};

/* The item that 64 random bits select from the m rows of the section that begins at row start. */
template <typename Rows, typename Section>
__device__ __forceinline__ typename Rows::word
alias_section_draw(const Rows &rows, const Section &section, uint64_t start, uint32_t m,
                   uint64_t bits)
{
    alias_spot spot = alias_section_spot(m, Rows::is_wide ? rows.view.k : 32, bits);
    typename Rows::pair row = section.load(start + spot.bucket);

    return (typename Rows::word)spot.offset < row.x ? (typename Rows::word)(start + spot.bucket)
                                                    : (typename Rows::word)row.y;
}

/* The four draws of the Philox block with the index high : low. */
template <typename Section>
__device__ __forceinline__ void
alias_section_four(const alias_rows<false> &rows, const Section &section, uint32_t start,
                   uint32_t m, uint64_t seed, uint32_t low, uint32_t high, uint32_t *item)
{
    philox_block b =
        philox4x32_10(low, high, 0, PHILOX_ALIAS_SECTION, (uint32_t)seed, (uint32_t)(seed >> 32));
    uint32_t closest = UINT32_MAX, highest = 0;

#pragma unroll
    for (int j = 0; j < 4; j++) {
        uint64_t y = philox_mul(b.v[j], m);
        uint32_t own = start + (uint32_t)(y >> 32), f = (uint32_t)y;
        uint2 row = section.load(own);

        item[j] = f < row.x ? own : row.y;
        closest = min(closest, __usad(row.x, f, 0));
        highest = max(highest, f);
    }
    /* True if alias_section_open() for any of the four draws. */
    if (closest < m || ~highest < m - 1) {
        philox_block l = philox4x32_10(low, high, 0, PHILOX_ALIAS_SECTION_LOW, (uint32_t)seed,
                                       (uint32_t)(seed >> 32));

#pragma unroll
        for (int j = 0; j < 4; j++) {
            item[j] = alias_section_draw(rows, section, start, m, (uint64_t)b.v[j] << 32 | l.v[j]);
        }
    }
}

template <typename Section>
__device__ __forceinline__ void
alias_section_four(const alias_rows<true> &rows, const Section &section, uint64_t start, uint32_t m,
                   uint64_t seed, uint32_t low, uint32_t high, uint64_t *item)
{
    philox_block b =
        philox4x32_10(low, high, 0, PHILOX_ALIAS_SECTION, (uint32_t)seed, (uint32_t)(seed >> 32));
    philox_block l = philox4x32_10(low, high, 0, PHILOX_ALIAS_SECTION_LOW, (uint32_t)seed,
                                   (uint32_t)(seed >> 32));

#pragma unroll
    for (int j = 0; j < 4; j++) {
        item[j] = alias_section_draw(rows, section, start, m, (uint64_t)b.v[j] << 32 | l.v[j]);
    }
}

/* The section of position p of the batch: the last whose offset is <= p. */
__device__ __forceinline__ uint64_t alias_section_of(const uint64_t *offsets, uint64_t sections,
                                                     uint64_t p)
{
    uint64_t low = 0, high = sections;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (offsets[middle] <= p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Makes draws [t, last], both inclusive and all from one section, by all threads of a block. */
template <int threads, typename Rows, typename Section, typename C>
__device__ __forceinline__ void alias_section_piece(const Rows &rows, const Section &section,
                                                    uint64_t start, uint32_t m, uint64_t seed,
                                                    uint64_t t, uint64_t last, const C &consumer,
                                                    typename C::state &state)
{
    const bool head = (t & 3) != 0, tail = (last & 3) != 3;
    uint64_t q = (t >> 2) + head,
             end = (last >> 2) + !tail; /* whole groups of four draws: [q, end) */
    uint32_t i = threads - 1 - threadIdx.x;

    /* The last threads make the draws at both ends, up to three at each. */
    if (i < 8) {
        uint64_t at = ((i < 4 ? t : last) & ~(uint64_t)3) + (i & 3);

        if (at >= t && at <= last && (i < 4 ? head : tail && !(head && t >> 2 == last >> 2))) {
            consumer(state, at,
                     alias_section_draw(rows, section, start, m, alias_section_bits(seed, at)));
        }
    }
    while (q < end) {
        /* Up to the border all indices share the high word, which saves part of two Philox
         * rounds. */
        uint64_t border = (q | INT32_MAX) + 1, stop = end < border ? end : border;
        uint32_t low = (uint32_t)q, high = (uint32_t)(q >> 32), fours = (uint32_t)(stop - q);
        uint32_t done = 0;

        auto four = [&](uint32_t j, bool whole) {
            typename Rows::word item[4];

            alias_section_four(rows, section, (typename Rows::word)start, m, seed, low + j, high,
                               item);
            alias_consume(consumer, state, 4 * (q + j), item, whole, 0);
        };

        /* This loop does not diverge, so its round keys can stay in uniform registers. */
        for (; fours - done >= threads; done += threads) {
            four(done + threadIdx.x, true);
        }
        if (threadIdx.x < fours - done) {
            four(done + threadIdx.x, false);
        }
        q = stop;
    }
}

/* Makes the draws at positions [begin, last], both inclusive, of the batch that begins with draw
 * first.  The blocks take ranges of share Philox blocks or, if share is 0, whole sections. */
template <int threads, int blocks, typename Section, typename Rows, typename C>
__global__ static void __launch_bounds__(threads, ALIAS_RESIDENT(threads, blocks))
    alias_section_kernel(Rows rows, alias_sections layout, const uint64_t *offsets, uint64_t seed,
                         uint64_t first, uint64_t begin, uint64_t last, uint64_t share, C consumer)
{
    alias_follow();
    const uint64_t q = (first + begin) >> 2, fours = ((first + last) >> 2) - q + 1;
    const uint64_t lowest =
        share != 0 || begin == 0 ? 0 : alias_section_of(offsets, layout.sections, begin);
    const uint64_t ranges = share != 0 ? (fours - 1) / share + 1 : layout.sections - lowest;
    uint64_t held = UINT64_MAX; /* the section that is open; none yet */
    Section section(rows);
    typename C::state state;

    consumer.begin(state);
    for (uint64_t r = blockIdx.x; r < ranges; r += gridDim.x) {
        uint64_t s, position, stop; /* the range [position, stop), and the section it begins in */

        if (share != 0) {
            position = r == 0 ? begin : 4 * (q + share * r) - first;
            stop = r == ranges - 1 ? last + 1 : 4 * (q + share * (r + 1)) - first;
            s = alias_section_of(offsets, layout.sections, position);
        } else {
            s = lowest + r;
            position = max(begin, offsets[s]);
            stop = min(last + 1, offsets[s + 1]);
        }
        for (; position < stop; s++) {
            const uint64_t end = min(stop, offsets[s + 1]), start = alias_section_start(&layout, s);
            const uint32_t m = (uint32_t)(alias_section_start(&layout, s + 1) - start);

            if (position < end) {
                if (s != held) {
                    section.open(start, m);
                    held = s;
                }
                alias_section_piece<threads>(rows, section, start, m, seed, first + position,
                                             first + end - 1, consumer, state);
                position = end;
            }
        }
    }
    consumer.end(state);
}

#endif
