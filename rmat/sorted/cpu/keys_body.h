/*
 * keys_body.h - the operations of rmat_key_ops (keys.h) on keys of one type, KEY, which the
 * including .c file defines.  sort_body.h sorts them.
 */
#include "rmat/cpu/ids.h"
#include "rmat/sorted/cpu/keys.h"
#include "rmat/sorted/cpu/sort_body.h"

INLINE uint64_t keep_width(const rmat_key_range *in, uint64_t count, const void *src,
                           const void *dst, const int id_bytes, KEY *keys)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst, rows = in->rows;
    const KEY last = (KEY)in->last;
    const int dst_bits = in->dst_bits;
    uint64_t n = 0;

    if (in->all) {
        for (uint64_t i = 0; i < count; i++) {
            keys[i] = (KEY)id_at(src, i, id_bytes) << dst_bits | id_at(dst, i, id_bytes);
        }
        return count;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t row = id_at(src, i, id_bytes) - first_src;
        const KEY key = ((KEY)row << dst_bits) + id_at(dst, i, id_bytes) - first_dst;

        /* The key is written whether it is kept or not: without a branch, the filter costs 1 ns per
         * edge (AVX-512 Xeon), beside 5 ns to make it. */
        keys[n] = key;
        n += (row <= rows) & (key <= last);
    }
    return n;
}

static uint64_t keep(const rmat_key_range *in, uint64_t count, const void *src, const void *dst,
                     int id_bytes, void *keys)
{
    return id_bytes == 4 ? keep_width(in, count, src, dst, 4, keys)
                         : keep_width(in, count, src, dst, 8, keys);
}

static rmat_key at(const void *keys, uint64_t i)
{
    return ((const KEY *)keys)[i];
}

static uint64_t below(const void *sorted, uint64_t n, rmat_key key)
{
    const KEY *keys = sorted;
    uint64_t low = 0;

    while (n) {
        const uint64_t half = n / 2;

        if (keys[low + half] < key) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* Gallops from `from` on, in steps that double. */
static uint64_t seek(const void *sorted, uint64_t n, uint64_t from, rmat_key key)
{
    const KEY *keys = sorted;
    uint64_t step = 1;

    while (step < n - from && keys[from + step] < key) {
        step *= 2;
    }
    return from + below(keys + from, step < n - from ? step : n - from, key);
}

/* The range of n elements that falls to this thread of the team. */
static void part_of(uint64_t n, uint64_t *first, uint64_t *end)
{
    const uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();

    *first = n / team * t;
    *end = t + 1 == team ? n : n / team * (t + 1);
}

static uint64_t unique(const void *sorted, uint64_t n, void *out, int threads)
{
    const KEY *from = sorted;
    KEY *to = out;
    uint64_t total = 0;

    if (n == 0) {
        return 0;
    }
#pragma omp parallel num_threads(threads)
    {
        uint64_t first, end, count = 0, i;

        part_of(n, &first, &end);
        for (i = first ? first : 1; i < end; i++) {
            count += from[i] != from[i - 1];
        }
        count += first == 0 && end > 0;
        /* In the order of threads: each thread's keys begin where those of the threads before it
         * end. */
#pragma omp for ordered schedule(static, 1)
        for (int t = 0; t < omp_get_num_threads(); t++) {
#pragma omp ordered
            {
                const uint64_t begin = total;

                total += count;
                count = begin;
            }
        }
        i = first;
        if (first == 0 && end > 0) {
            to[count++] = from[i++];
        }
        for (; i < end; i++) {
            if (from[i] != from[i - 1]) {
                to[count++] = from[i];
            }
        }
    }
    return total;
}

static uint64_t lower(const rmat_key_range *in, const void *sorted, uint64_t n, int threads)
{
    const KEY *keys = sorted, mask = ((KEY)1 << in->dst_bits) - 1;
    uint64_t edges = 0;

#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : edges)
    for (uint64_t i = 0; i < n; i++) {
        const KEY key = keys[i] + in->first.dst;

        edges += in->first.src + (uint64_t)(key >> in->dst_bits) >= (uint64_t)(key & mask);
    }
    return edges;
}

/* Without a branch that depends on how many edges a row has: each edge writes its number, counted
 * from 1, to the pointer of the next row, where the last edge of a row leaves the right value; rows
 * without edges take that of the row before. */
static void pointers(const rmat_key_range *in, const void *sorted, uint64_t n, uint64_t first_row,
                     uint64_t count, uint64_t add, uint64_t *to)
{
    const KEY *keys = sorted;
    uint64_t edges = 0;

    if (first_row > in->first.src) {
        edges = below(keys, n, rmat_key_of(in, first_row, 0));
    }
    memset(to, 0, count * sizeof *to);
    for (uint64_t k = edges; k < n; k++) {
        const uint64_t row = in->first.src + (uint64_t)((keys[k] + in->first.dst) >> in->dst_bits);

        if (row - first_row + 1 >= count) {
            break;
        }
        to[row - first_row + 1] = k + 1;
    }
    for (uint64_t i = 0; i < count; i++) {
        edges = to[i] > edges ? to[i] : edges;
        to[i] = add + edges;
    }
}

INLINE void ids_width(const rmat_key_range *in, const KEY *keys, uint64_t n, void *src, void *dst,
                      const int id_bytes)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst;
    const uint64_t mask = ((uint64_t)1 << in->dst_bits) - 1;
    const int dst_bits = in->dst_bits;

    for (uint64_t i = 0; src != NULL && i < n; i++) {
        set_id(src, i, first_src + (uint64_t)((keys[i] + first_dst) >> dst_bits), id_bytes);
    }
    for (uint64_t i = 0; dst != NULL && i < n; i++) {
        set_id(dst, i, ((uint64_t)keys[i] + first_dst) & mask, id_bytes);
    }
}

static void ids(const rmat_key_range *in, const void *keys, uint64_t n, void *src, void *dst,
                int id_bytes)
{
    if (id_bytes == 4) {
        ids_width(in, keys, n, src, dst, 4);
    } else {
        ids_width(in, keys, n, src, dst, 8);
    }
}

/* Each thread merges a range of the n keys with those of the m that belong into it. */
static void merge(const void *sorted, uint64_t n, const void *more_keys, uint64_t m, void *out,
                  int threads)
{
    const KEY *a = sorted, *b = more_keys;
    KEY *to = out;

    if (n == 0) {
        memcpy(to, b, m * sizeof *to);
        return;
    }
#pragma omp parallel num_threads(n < (uint64_t)threads ? 1 : threads)
    {
        uint64_t i, end, k, k_end;

        part_of(n, &i, &end);
        k = i == 0 ? 0 : below(b, m, a[i]);
        k_end = end == n ? m : below(b, m, a[end]);
        for (; k < k_end; k++) {
            const uint64_t place = seek(a, end, i, b[k]);

            memcpy(to + i + k, a + i, (place - i) * sizeof *to);
            to[place + k] = b[k];
            i = place;
        }
        memcpy(to + i + k, a + i, (end - i) * sizeof *to);
    }
}

static void tally(const void *some, uint64_t n, const rmat_cuts *c, uint64_t *counts)
{
    const KEY *keys = some;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t slot = (uint64_t)(keys[i] >> c->shift);
        uint64_t low = c->below[slot], high = c->below[slot + 1];

        while (low < high) { /* rarely taken: few slots have a cut in them */
            const uint64_t middle = low + (high - low) / 2;

            if (c->cuts[middle] <= keys[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        counts[low]++;
    }
}

#define RMAT_KEY_OPS                                                                               \
    {                                                                                              \
        sizeof(KEY), keep, sort, unique, at, below, seek, lower, pointers, ids, merge, tally       \
    }
