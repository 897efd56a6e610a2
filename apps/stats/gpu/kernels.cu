/*
 * The tables of `rmat stats` in the memory of a GPU: those of counters.h and pairs.h, with the same
 * places and the same contents.
 *
 * A thread takes one edge after the other, and adds to counters and notes pairs by atomic
 * operations.  The memory's latency is hidden by the number of threads, as the CPU hides it by
 * fetching entries in advance.
 */
#include "apps/stats/gpu/kernels.h"
#include "rmat/rmat_gpu.h"

#include <cuda_runtime.h>

enum { THREADS = 256, MOST_BLOCKS = 4096, WARP = 32 };

#define ALL_LANES 0xFFFFFFFFu

typedef unsigned long long u64; /* what atomicAdd() takes */

static unsigned blocks_for(uint64_t count)
{
    const uint64_t blocks = (count + THREADS - 1) / THREADS;

    return blocks < MOST_BLOCKS ? (unsigned)blocks : (unsigned)MOST_BLOCKS;
}

static __device__ uint64_t look(const uint64_t *word)
{
    return *(const volatile uint64_t *)word;
}

static __device__ uint64_t claim(uint64_t *word, uint64_t value)
{
    return atomicCAS((u64 *)word, (u64)0, (u64)value);
}

/* How many lanes of the warp, from this one on, have its id; 0: the lane before has it too, or this
 * one has none.  So runs of the same id, as sorted graphs have, are added at once.  Lanes that have
 * an id come first. */
template <typename T> static __device__ unsigned run_of(T id, bool there)
{
    const unsigned lane = threadIdx.x % WARP, lanes = __popc(__ballot_sync(ALL_LANES, there));
    const T before = __shfl_up_sync(ALL_LANES, id, 1);
    const bool first = there && (lane == 0 || before != id);
    const unsigned later = __ballot_sync(ALL_LANES, first) >> lane >> 1;

    return !first ? 0 : later != 0 ? (unsigned)__ffs((int)later) : lanes - lane;
}

template <typename C>
static __device__ void add_dense(const degree_counters &c, uint64_t id, unsigned by,
                                 counter_placement p)
{
    const uint64_t k = (id << p.shift) + p.offset - c.first;

    if (k < c.count) {
        atomicAdd((C *)c.counters + k, (C)by);
    }
}

static __device__ bool add_sparse(const degree_counters &c, uint64_t vertex, unsigned by, bool out)
{
    uint64_t slot;
    counted_vertex *at, *end;

    if (!hash_place(&c.range, hash_mix(vertex), &slot)) {
        return true;
    }
    for (at = c.table + slot, end = at + HASH_PROBES; at < end; at++) {
        uint64_t found = look(&at->key);

        found = found == 0 ? claim(&at->key, vertex + 1) : found;
        if (found == 0 || found == vertex + 1) {
            atomicAdd((u64 *)(out ? &at->out : &at->in), (u64)by);
            return true;
        }
    }
    return false;
}

template <typename T, typename C>
static __device__ bool add_run(const degree_counters &c, T id, bool there, bool out)
{
    const unsigned by = run_of(id, there);

    if (by == 0) {
        return true;
    }
    if (c.sparse) {
        return add_sparse(c, id + (out || c.square ? 0 : c.rows), by, out);
    }
    add_dense<C>(c, id, by, counters_place(&c, out));
    return true;
}

/* T: an id; C: a dense counter. */
template <typename T, typename C>
static __global__ void __launch_bounds__(THREADS)
    count_degrees(const degree_counters c, const T *__restrict__ src, const T *__restrict__ dst,
                  uint64_t count, gpu_found *found)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS, lane = threadIdx.x % WARP;
    bool good = true;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i - lane < count; i += stride) {
        const bool there = i < count;

        good &= add_run<T, C>(c, there ? src[i] : 0, there, true);
        good &= add_run<T, C>(c, there ? dst[i] : 0, there, false);
    }
    if (!good) {
        found->counters_full = 1;
    }
}

/* What a thread has found. */
typedef struct {
    uint32_t distinct, loops, mutual;
} found_pairs;

/* In an entry that has the pair already. */
static __device__ void note(uint64_t *entry, uint64_t before, uint64_t flag, found_pairs *n)
{
    if ((before & flag) == 0 && (atomicOr((u64 *)entry, (u64)flag) & flag) == 0) {
        n->distinct++;
        n->mutual++;
    }
}

/* As insert_pair() of pairs.c. */
template <bool WIDE>
static __device__ bool insert(uint64_t *table, const pair_place &p, found_pairs *n)
{
    const int words = WIDE ? 2 : 1;
    const uint64_t flag = p.word & ((1 << PAIR_FLAG_BITS) - 1);
    uint64_t *entry = table + words * p.slot, *end = entry + words * HASH_PROBES;

    for (; entry < end; entry += words) {
        uint64_t before = look(entry);

        before = before == 0 ? claim(entry, p.word) : before;
        if (before == 0) {
            if (WIDE) {
                *(volatile uint64_t *)(entry + 1) = p.second + 1;
            }
            n->distinct++;
            n->loops += flag == PAIR_LOOP;
            return true;
        }
        if ((before ^ p.word) >> PAIR_FLAG_BITS != 0) {
            continue;
        }
        if (WIDE) { /* whoever has claimed the entry is about to write the second word */
            uint64_t second;

            while ((second = look(entry + 1)) == 0) {
            }
            if (second != p.second + 1) {
                continue;
            }
        }
        note(entry, before, flag, n);
        return true;
    }
    return false;
}

static __device__ void add_up(uint64_t *sum, uint32_t of_thread)
{
    for (int lane = WARP / 2; lane > 0; lane /= 2) {
        of_thread += __shfl_down_sync(ALL_LANES, of_thread, lane);
    }
    if (threadIdx.x % WARP == 0 && of_thread != 0) {
        atomicAdd((u64 *)sum, (u64)of_thread);
    }
}

template <typename T, bool WIDE>
static __global__ void __launch_bounds__(THREADS)
    find_pairs(const pair_table t, const T *__restrict__ src, const T *__restrict__ dst,
               uint64_t count, gpu_found *found)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    bool good = *(volatile unsigned *)&found->pairs_full == 0; /* else it is to be done again */
    found_pairs n = {};

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count && good;
         i += stride) {
        pair_place p;

        if (pair_find_place(&t.range, t.square, src[i], dst[i], WIDE, &p)) {
            good = insert<WIDE>(t.table, p, &n);
        }
    }
    if (!good) {
        *(volatile unsigned *)&found->pairs_full = 1;
    }
    __syncwarp();
    add_up(&found->pairs.distinct, n.distinct);
    add_up(&found->pairs.loops, n.loops);
    add_up(&found->pairs.mutual, n.mutual);
}

template <typename T, typename C>
static void start_degrees(const degree_counters *c, const void *src, const void *dst,
                          uint64_t count, gpu_found *found, void *stream)
{
    count_degrees<T, C><<<blocks_for(count), THREADS, 0, (cudaStream_t)stream>>>(
        *c, (const T *)src, (const T *)dst, count, found);
}

extern "C" int gpu_count_degrees(const degree_counters *c, const void *src, const void *dst,
                                 uint64_t count, int id_bytes, gpu_found *found, void *stream)
{
    if (id_bytes == 4 && c->width == 4) {
        start_degrees<uint32_t, uint32_t>(c, src, dst, count, found, stream);
    } else if (id_bytes == 4) {
        start_degrees<uint32_t, u64>(c, src, dst, count, found, stream);
    } else if (c->width == 4) {
        start_degrees<uint64_t, uint32_t>(c, src, dst, count, found, stream);
    } else {
        start_degrees<uint64_t, u64>(c, src, dst, count, found, stream);
    }
    return rmat_gpu_launched();
}

extern "C" int gpu_find_pairs(const pair_table *t, const void *src, const void *dst, uint64_t count,
                              gpu_found *found, void *stream)
{
    if (t->id_bytes == 4) {
        find_pairs<uint32_t, false><<<blocks_for(count), THREADS, 0, (cudaStream_t)stream>>>(
            *t, (const uint32_t *)src, (const uint32_t *)dst, count, found);
    } else {
        find_pairs<uint64_t, true><<<blocks_for(count), THREADS, 0, (cudaStream_t)stream>>>(
            *t, (const uint64_t *)src, (const uint64_t *)dst, count, found);
    }
    return rmat_gpu_launched();
}
