/*
 * alias_device.cuh - drawing from alias tables inside kernels, for callers who compile .cu files.
 *
 * A consumer takes the draws where they are made, in the registers of the thread that made them:
 *
 *     struct consumer {
 *         struct state { ... };                    a thread's own
 *         __device__ void begin(state &) const;    before the thread's first draw
 *         __device__ void operator()(state &, uint64_t t, uint64_t item) const;
 *         __device__ void end(state &) const;      after its last; other threads may be drawing
 *     };
 *
 * alias_for_each_draw() copies it to the kernel by value, where it is inlined, and hands it each
 * draw t of [first, first + count) exactly once, in no order.  Which thread gets which draw depends
 * on the GPU; the items do not: they are those of alias_sample32_device() (alias_gpu.h).
 *
 * A consumer may also have four(state &, t, item, whole), for draws t to t + 3 at once: t is a
 * multiple of 4, item an array of uint32_t (8-byte rows) or uint64_t, and whole, a constant, says
 * that all lanes of the warp call it together, each with the next t.  alias_store and alias_sum
 * below are examples.
 *
 * For single draws in a kernel of one's own: alias_rows<wide, soa>{view}.draw(bits), with 64 random
 * bits, such as alias_draw_bits(seed, t) of alias_draw.h.
 */
#ifndef ALIAS_ALIAS_DEVICE_CUH
#define ALIAS_ALIAS_DEVICE_CUH

#include "alias/alias_gpu.h"
#include "alias/sections.h"

#include <cuda_pipeline_primitives.h>
#include <cuda_runtime.h>

#include <type_traits>

enum {
    ALIAS_DRAW_THREADS = 256,    /* of a block that draws from the whole table */
    ALIAS_SECTION_THREADS = 512, /* of one that draws from sections */
    ALIAS_SECTION_BLOCKS = 3,    /* of them on a multiprocessor, if their sections fit */
    ALIAS_SECTION_SHARE = 40000  /* Philox blocks: long enough to make good for a section's copy */
};

/* Stores draw first + p in out[p]. */
template <typename T> struct alias_store {
    struct state {
    };
    T *origin;    /* where draw 0 would be */
    bool aligned; /* four(): 16-byte stores */

    __host__ __device__ alias_store(T *out, uint64_t first)
        : origin((T *)((uintptr_t)out - first * sizeof(T))), aligned((uintptr_t)origin % 16 == 0)
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
            *(uint4 *)(origin + t) = make_uint4((uint32_t)item[0], (uint32_t)item[1],
                                                (uint32_t)item[2], (uint32_t)item[3]);
        } else if (whole) {
            /* Neighbours swap halves, so that two of them store 32 bytes in a row. */
            const bool odd = threadIdx.x & 1;
            const I x = __shfl_xor_sync(~0u, odd ? item[0] : item[2], 1);
            const I y = __shfl_xor_sync(~0u, odd ? item[1] : item[3], 1);
            T *to = origin + t - (odd ? 2 : 0);

            *(ulonglong2 *)to = odd ? make_ulonglong2(x, y) : make_ulonglong2(item[0], item[1]);
            *(ulonglong2 *)(to + 4) =
                odd ? make_ulonglong2(item[2], item[3]) : make_ulonglong2(x, y);
        } else {
            *(ulonglong2 *)(origin + t) = make_ulonglong2(item[0], item[1]);
            *(ulonglong2 *)(origin + t + 2) = make_ulonglong2(item[2], item[3]);
        }
    }
};

/* Adds up all items modulo 2^32 into *total. */
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

/* The rows of a table in global memory: 8 or 16 bytes wide, array of structs or struct of arrays.
 */
template <bool wide, bool soa> struct alias_rows {
    typedef typename std::conditional<wide, uint64_t, uint32_t>::type word;
    typedef typename std::conditional<wide, ulonglong2, uint2>::type pair;

    static const bool is_wide = wide;
    alias_view view;

    /* x the threshold, y the alias; own buckets as stored: {0, self} */
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

    /* The item of 64 random bits, as alias_draw8() and alias_draw16(). */
    __device__ __forceinline__ word draw(uint64_t bits) const
    {
        alias_spot spot = alias_section_spot(view.n, wide ? view.k : 32, bits);
        pair row = load(spot.bucket);

        return (word)spot.offset < row.x ? (word)spot.bucket : (word)row.y;
    }
};

/* Through four() if there is one (preferred, as 0 is an int). */
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

/* ---------------------------------------------------------------------------------------------
 * Baseline: every thread draws from the whole table, eight draws at once so that their rows are on
 * their way together. */

/* Draws [first, last]. */
template <typename Rows, typename C>
__global__ static void __launch_bounds__(ALIAS_DRAW_THREADS)
    alias_draw_kernel(Rows rows, uint64_t seed, uint64_t first, uint64_t last, C consumer)
{
    enum { GROUPS = 2 }; /* of four draws, in flight */
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

/* ----------------------------------------------------------------------------------------
 * Sections: each block takes equal ranges of the batch, section by section.  Where sections have
 * draws enough, the ranges are short and go round the blocks, so that all of them write near each
 * other: memory takes that faster than a place apart for each. */

/* One section's rows in global memory, read through the cache. */
template <typename Rows> struct alias_cached_section {
    Rows rows;

    __device__ __forceinline__ alias_cached_section(const Rows &table, uint64_t) : rows(table)
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

/* Reads by 32-bit addresses in shared memory.  Not volatile, which would cost the loop its uniform
 * registers: open() keeps them behind its barrier. */
__device__ __forceinline__ void alias_load_shared(uint32_t address, uint32_t &x)
{
    asm("ld.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
}
__device__ __forceinline__ void alias_load_shared(uint32_t address, uint64_t &x)
{
    asm("ld.shared.u64 %0, [%1];" : "=l"(x) : "r"(address));
}
__device__ __forceinline__ void alias_load_shared(uint32_t address, uint2 &x)
{
    asm("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x.x), "=r"(x.y) : "r"(address));
}
__device__ __forceinline__ void alias_load_shared(uint32_t address, ulonglong2 &x)
{
    asm("ld.shared.v2.u64 {%0, %1}, [%2];" : "=l"(x.x), "=l"(x.y) : "r"(address));
}

/* The same in shared memory: thresholds before aliases if they are apart. */
template <bool wide, bool soa, int threads> struct alias_shared_section {
    typedef alias_rows<wide, soa> Rows;
    typedef typename Rows::word word;
    typedef typename Rows::pair pair;

    Rows rows;
    uint32_t apart; /* bytes between a row's threshold and its alias */
    uint32_t zero;  /* where row 0 of the table would be, modulo 2^32 */

    __device__ __forceinline__ alias_shared_section(const Rows &table, uint64_t room)
        : rows(table), apart((uint32_t)room * (uint32_t)sizeof(word))
    {
    }

    /* Starts a copy between multiples of 16 bytes. */
    __device__ __forceinline__ static void copy(char *to, const char *from, uint32_t bytes)
    {
        uint32_t whole = bytes / 16 * 16, i;

        for (i = 16 * threadIdx.x; i < whole; i += 16 * threads) {
            __pipeline_memcpy_async(to + i, from + i, 16);
        }
        for (i = whole + 4 * threadIdx.x; i < bytes; i += 4 * threads) {
            *(uint32_t *)(to + i) = *(const uint32_t *)(from + i);
        }
    }

    __device__ __forceinline__ void open(uint64_t start, uint32_t m)
    {
        extern __shared__ __align__(16) char alias_shared_memory[];
        const uint32_t size = soa ? sizeof(word) : sizeof(pair);
        uint32_t lane;

        __syncthreads(); /* for those that still draw from the section before */
        copy(alias_shared_memory, (const char *)rows.view.rows + start * size, m * size);
        if (soa) {
            copy(alias_shared_memory + apart, (const char *)rows.view.alias + start * size,
                 m * size);
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();

        zero = (uint32_t)__cvta_generic_to_shared(alias_shared_memory) - (uint32_t)start * size;
        /* All addresses follow from here.  Not a uniform register, by a zero that the compiler does
         * not know: so the multiplier adds it to them, which has more time than the adder. */
        asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane) : : "memory");
        zero += lane >> 5;
    }

    __device__ __forceinline__ pair load(uint64_t row) const
    {
        pair r;

        if (soa) {
            uint32_t address = zero + (uint32_t)row * (uint32_t)sizeof(word);
            word x, y;

            alias_load_shared(address, x);
            alias_load_shared(address + apart, y);
            r.x = x;
            r.y = y;
        } else {
            alias_load_shared(zero + (uint32_t)row * (uint32_t)sizeof(pair), r);
        }
        return r;
    }
};

/* The item of 64 random bits, from the m rows from start on. */
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

/* The four draws of a Philox block, whose index is high : low. */
template <bool soa, typename Section>
__device__ __forceinline__ void
alias_section_four(const alias_rows<false, soa> &rows, const Section &section, uint32_t start,
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
    /* If alias_section_open() for any of the four. */
    if (closest < m || ~highest < m - 1) {
        philox_block l = philox4x32_10(low, high, 0, PHILOX_ALIAS_SECTION_LOW, (uint32_t)seed,
                                       (uint32_t)(seed >> 32));

#pragma unroll
        for (int j = 0; j < 4; j++) {
            item[j] = alias_section_draw(rows, section, start, m, (uint64_t)b.v[j] << 32 | l.v[j]);
        }
    }
}

template <bool soa, typename Section>
__device__ __forceinline__ void
alias_section_four(const alias_rows<true, soa> &rows, const Section &section, uint64_t start,
                   uint32_t m, uint64_t seed, uint32_t low, uint32_t high, uint64_t *item)
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

/* The section that draw position p belongs to: the last with offset <= p. */
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

/* Draws [t, last], all from one section, by all threads of a block. */
template <int threads, typename Rows, typename Section, typename C>
__device__ __forceinline__ void alias_section_piece(const Rows &rows, const Section &section,
                                                    uint64_t start, uint32_t m, uint64_t seed,
                                                    uint64_t t, uint64_t last, const C &consumer,
                                                    typename C::state &state)
{
    const bool head = (t & 3) != 0, tail = (last & 3) != 3;
    uint64_t q = (t >> 2) + head, end = (last >> 2) + !tail; /* whole fours [q, end) */
    uint32_t i = threads - 1 - threadIdx.x;

    /* The last threads take what is left at the ends, three draws at most at each. */
    if (i < 8) {
        uint64_t at = ((i < 4 ? t : last) & ~(uint64_t)3) + (i & 3);

        if (at >= t && at <= last && (i < 4 ? head : tail && !(head && t >> 2 == last >> 2))) {
            consumer(state, at,
                     alias_section_draw(rows, section, start, m, alias_section_bits(seed, at)));
        }
    }
    while (q < end) {
        /* The index's high word is the same for many, which saves part of two Philox rounds. */
        uint64_t border = (q | INT32_MAX) + 1, stop = end < border ? end : border;
        uint32_t low = (uint32_t)q, high = (uint32_t)(q >> 32), fours = (uint32_t)(stop - q);
        uint32_t done = 0;

        auto four = [&](uint32_t j, bool whole) {
            typename Rows::word item[4];

            alias_section_four(rows, section, (typename Rows::word)start, m, seed, low + j, high,
                               item);
            alias_consume(consumer, state, 4 * (q + j), item, whole, 0);
        };

        /* A loop without divergence, whose round keys can be in uniform registers. */
        for (; fours - done >= threads; done += threads) {
            four(done + threadIdx.x, true);
        }
        if (threadIdx.x < fours - done) {
            four(done + threadIdx.x, false);
        }
        q = stop;
    }
}

/* The draws of positions [begin, last] of the batch that starts with draw first; a block draws from
 * share Philox blocks of every gridDim.x times share. */
template <int threads, int blocks, typename Section, typename Rows, typename C>
__global__ static void __launch_bounds__(threads, blocks)
    alias_section_kernel(Rows rows, alias_sections layout, const uint64_t *offsets, uint64_t seed,
                         uint64_t first, uint64_t begin, uint64_t last, uint64_t share, C consumer)
{
    const uint64_t q = (first + begin) >> 2, fours = ((first + last) >> 2) - q + 1;
    uint64_t held = UINT64_MAX; /* the section that is open */
    Section section(rows, alias_section_room(&layout));
    typename C::state state;

    consumer.begin(state);
    for (uint64_t skip = share * blockIdx.x; skip < fours; skip += share * gridDim.x) {
        uint64_t position = skip == 0 ? begin : 4 * (q + skip) - first;
        uint64_t stop = fours - skip <= share ? last : 4 * (q + skip + share) - 1 - first;
        uint64_t s = alias_section_of(offsets, layout.sections, position);
        uint64_t next = offsets[s + 1];

        while (true) {
            uint64_t end = next - 1 < stop ? next - 1 : stop;
            uint64_t start = alias_section_start(&layout, s);
            uint32_t m = (uint32_t)(alias_section_start(&layout, s + 1) - start);

            if (end < stop) {
                next = offsets[s + 2];
            }
            if (position <= end) {
                if (s != held) {
                    section.open(start, m);
                    held = s;
                }
                alias_section_piece<threads>(rows, section, start, m, seed, first + position,
                                             first + end, consumer, state);
            }
            if (end >= stop) {
                break;
            }
            s++;
            position = end + 1;
        }
    }
    consumer.end(state);
}

/* ---------------------------------------------------------------------------------------------
 * Host functions. */

/* In the library. */
extern "C" {
/* What became of the launch before. */
int alias_gpu_launched(void);
int alias_gpu_status(cudaError_t error);

/* The sections of a table, and the offsets of the batch's sections (and its count behind them) in
 * device memory, on their way in the stream; to be given back there. */
int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets);
int alias_sections_end(uint64_t *offsets, cudaStream_t stream);
}

/* A full GPU of blocks, or fewer if there is no work for them. */
template <typename Kernel>
int alias_draw_grid(Kernel kernel, int threads, size_t shared, uint64_t fours, int *grid)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, blocks, most;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess && shared > 48 * 1024) {
        error = cudaFuncGetAttributes(&attributes, kernel);
        if (error == cudaSuccess) {
            error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
        }
        if (error == cudaSuccess) { /* always the same, as other threads may be doing this, too */
            error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         most - (int)attributes.sharedSizeBytes);
        }
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, shared);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    *grid = multiprocessors * blocks;
    if ((uint64_t)*grid > (fours + threads - 1) / threads) {
        *grid = (int)((fours + threads - 1) / threads);
    }
    return ALIAS_OK;
}

template <bool wide, bool soa, typename C>
int alias_launch_baseline(const alias_view &view, uint64_t seed, uint64_t first, uint64_t last,
                          const C &consumer, cudaStream_t stream)
{
    typedef alias_rows<wide, soa> Rows;
    int grid = 0, st = alias_draw_grid(alias_draw_kernel<Rows, C>, ALIAS_DRAW_THREADS, 0,
                                       (last >> 2) - (first >> 2) + 1, &grid);

    if (st == ALIAS_OK) {
        alias_draw_kernel<<<grid, ALIAS_DRAW_THREADS, 0, stream>>>(Rows{view}, seed, first, last,
                                                                   consumer);
        st = alias_gpu_launched();
    }
    return st;
}

template <int threads, int blocks, typename Section, typename Rows, typename C>
int alias_launch_section_kernel(const Rows &rows, const alias_sections &layout,
                                const uint64_t *offsets, size_t shared, uint64_t seed,
                                uint64_t first, uint64_t begin, uint64_t last, const C &consumer,
                                cudaStream_t stream)
{
    auto kernel = alias_section_kernel<threads, blocks, Section, Rows, C>;
    const uint64_t fours = ((first + last) >> 2) - ((first + begin) >> 2) + 1;
    int grid = 0, st = alias_draw_grid(kernel, threads, shared, fours, &grid);

    if (st == ALIAS_OK) {
        const uint64_t rounds = fours / layout.sections >= ALIAS_SECTION_SHARE
                                    ? fours / ALIAS_SECTION_SHARE / grid + 1
                                    : 1;

        kernel<<<grid, threads, shared, stream>>>(rows, layout, offsets, seed, first, begin, last,
                                                  (fours - 1) / (grid * rounds) + 1, consumer);
        st = alias_gpu_launched();
    }
    return st;
}

template <bool wide, bool soa, typename C>
int alias_launch_sections(const alias_view &view, const alias_sections &layout,
                          const uint64_t *offsets, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t begin, uint64_t last, const C &consumer,
                          cudaStream_t stream)
{
    typedef alias_rows<wide, soa> Rows;
    size_t shared = alias_section_room(&layout) * (size_t)view.row_bytes;
    int device, all;
    cudaError_t error = cudaGetDevice(&device);

    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error != cudaSuccess) {
        return alias_gpu_status(error);
    }
    switch (sampler) {
    case ALIAS_SAMPLER_SHARED:
        if (shared > (size_t)all) {
            return ALIAS_ERR_ARG;
        }
        return alias_launch_section_kernel<ALIAS_SECTION_THREADS, ALIAS_SECTION_BLOCKS,
                                           alias_shared_section<wide, soa, ALIAS_SECTION_THREADS>>(
            Rows{view}, layout, offsets, shared, seed, first, begin, last, consumer, stream);
    case ALIAS_SAMPLER_LIMITED:
        /* Just over half of an SM's shared memory keeps a second block away; the rest is cache. */
        return alias_launch_section_kernel<1024, 1, alias_cached_section<Rows>>(
            Rows{view}, layout, offsets, (size_t)all / 2 + 1024, seed, first, begin, last, consumer,
            stream);
    default:
        return alias_launch_section_kernel<ALIAS_SECTION_THREADS, ALIAS_SECTION_BLOCKS,
                                           alias_cached_section<Rows>>(
            Rows{view}, layout, offsets, 0, seed, first, begin, last, consumer, stream);
    }
}

/*
 * Starts draws [first, first + count) by a sampler, to be handed to a consumer, and returns at
 * once. The table's GPU must be the current one.  Errors as for alias_sample32_device().
 */
template <typename C>
int alias_for_each_draw(const alias_table *table, alias_sampler sampler, uint64_t seed,
                        uint64_t first, uint64_t count, const C &consumer, cudaStream_t stream)
{
    const uint64_t last = first + (count - 1);
    alias_sections layout;
    uint64_t *offsets;
    alias_view view;
    bool wide, soa;
    int end, st = alias_get_view(table, &view);

    if (st != ALIAS_OK || count == 0) {
        return st;
    }
    if (last < first) {
        return ALIAS_ERR_RANGE;
    }
    if (sampler == ALIAS_SAMPLER_AUTO) {
        sampler = alias_best_sampler(table, count);
    }
    wide = view.row_bytes == 16;
    soa = view.alias != NULL;
    if (sampler == ALIAS_SAMPLER_BASELINE) {
        auto launch = wide ? (soa ? alias_launch_baseline<true, true, C>
                                  : alias_launch_baseline<true, false, C>)
                           : (soa ? alias_launch_baseline<false, true, C>
                                  : alias_launch_baseline<false, false, C>);

        return launch(view, seed, first, last, consumer, stream);
    }
    st = alias_sections_begin(table, seed, first, count, stream, &layout, &offsets);
    if (st != ALIAS_OK) {
        return st;
    }
    auto launch =
        wide ? (soa ? alias_launch_sections<true, true, C> : alias_launch_sections<true, false, C>)
             : (soa ? alias_launch_sections<false, true, C>
                    : alias_launch_sections<false, false, C>);
    st = launch(view, layout, offsets, sampler, seed, first, 0, count - 1, consumer, stream);
    end = alias_sections_end(offsets, stream);
    return st != ALIAS_OK ? st : end;
}

#endif
