/*
 * keys_body.h - the operations of rmat_key_ops (interval.h) on keys of one type, KEY, which the
 * including .c file defines.  lists_body.h has those on lists of keys.
 */
#include "rmat/cpu/arrays.h"
#include "rmat/sorted/cpu/interval.h"

#include <omp.h>
#include <string.h>

INLINE uint64_t keep_width(const rmat_key_range *in, uint64_t count, const void *src,
                           const void *dst, const int id_bytes, const bool no_loops, KEY *keys)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst, rows = in->rows;
    const KEY last = (KEY)in->last;
    const int dst_bits = in->dst_bits;
    uint64_t n = 0;

    if (in->all && !no_loops) {
        for (uint64_t i = 0; i < count; i++) {
            keys[i] = (KEY)id_at(src, i, id_bytes) << dst_bits | id_at(dst, i, id_bytes);
        }
        return count;
    }
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t s = id_at(src, i, id_bytes), d = id_at(dst, i, id_bytes);
        const uint64_t row = s - first_src;
        const KEY key = ((KEY)row << dst_bits) + d - first_dst;

        /* The key is written whether it is kept or not: without a branch, the filter costs 1 ns per
         * edge (AVX-512 Xeon), beside 5 ns to make it. */
        keys[n] = key;
        n += (row <= rows) & (key <= last) & !(no_loops && s == d);
    }
    return n;
}

/* The same with weights; only sources that bring some come here, which are slower. */
static uint64_t keep_weighted(const rmat_key_range *in, uint64_t count, const void *src,
                              const void *dst, const uint32_t *weight, int id_bytes, KEY *keys)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t s = id_at(src, i, id_bytes), d = id_at(dst, i, id_bytes);
        const rmat_key cell = rmat_key_of(in, s, d);

        keys[n] = (KEY)(cell << in->weight_bits) |
                  (rmat_weight_order(in->weights, weight[i]) - in->least);
        n += (s - in->first.src <= in->rows) & (cell <= in->last) & !(in->no_loops && s == d);
    }
    return n;
}

static uint64_t keep_keys(const rmat_key_range *in, uint64_t count, const void *src,
                          const void *dst, const void *weight, int id_bytes, void *keys)
{
    if (in->weights != RMAT_NO_WEIGHTS) {
        return keep_weighted(in, count, src, dst, weight, id_bytes, keys);
    }
    if (in->no_loops) {
        return id_bytes == 4 ? keep_width(in, count, src, dst, 4, true, keys)
                             : keep_width(in, count, src, dst, 8, true, keys);
    }
    return id_bytes == 4 ? keep_width(in, count, src, dst, 4, false, keys)
                         : keep_width(in, count, src, dst, 8, false, keys);
}

static rmat_key key_at(const void *keys, uint64_t i)
{
    return ((const KEY *)keys)[i];
}

static uint64_t keys_below(const void *sorted, uint64_t n, rmat_key key)
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
static uint64_t seek_key(const void *sorted, uint64_t n, uint64_t from, rmat_key key)
{
    const KEY *keys = sorted;
    uint64_t step = 1;

    while (step < n - from && keys[from + step] < key) {
        step *= 2;
    }
    return from + keys_below(keys + from, step < n - from ? step : n - from, key);
}

/* The range of n elements that falls to this thread of the team. */
static void part_of(uint64_t n, uint64_t *first, uint64_t *end)
{
    const uint64_t t = (uint64_t)omp_get_thread_num(), team = (uint64_t)omp_get_num_threads();

    *first = n / team * t;
    *end = t + 1 == team ? n : n / team * (t + 1);
}

static uint64_t count_lower(const rmat_key_range *in, const void *some, uint64_t n)
{
    const KEY *keys = some, mask = ((KEY)1 << in->dst_bits) - 1;
    const int bits = rmat_weight_bits(in);
    uint64_t edges = 0;

    for (uint64_t i = 0; i < n; i++) {
        const KEY key = (keys[i] >> bits) + in->first.dst;

        edges += in->first.src + (uint64_t)(key >> in->dst_bits) >= (uint64_t)(key & mask);
    }
    return edges;
}

/* Without a branch that depends on how many edges a row has: the last edge of a row leaves the
 * right number. */
static bool mark_rows(const rmat_key_range *in, const void *sorted, uint64_t n, uint64_t before,
                      uint64_t first_row, uint64_t count, uint64_t *to)
{
    const KEY *keys = sorted;
    const int bits = rmat_weight_bits(in);

    for (uint64_t k = 0; k < n; k++) {
        const KEY key = (keys[k] >> bits) + in->first.dst;
        const uint64_t row = in->first.src + (uint64_t)(key >> in->dst_bits);

        if (row - first_row + 1 >= count) {
            return false;
        }
        to[row - first_row + 1] = before + k + 1;
    }
    return true;
}

INLINE void ids_width(const rmat_key_range *in, const KEY *keys, uint64_t n, void *src, void *dst,
                      const int id_bytes, const int bits)
{
    const uint64_t first_src = in->first.src, first_dst = in->first.dst;
    const uint64_t mask = ((uint64_t)1 << in->dst_bits) - 1;
    const int dst_bits = in->dst_bits;

    for (uint64_t i = 0; src != NULL && i < n; i++) {
        const KEY key = (keys[i] >> bits) + first_dst;

        set_id(src, i, first_src + (uint64_t)(key >> dst_bits), id_bytes);
    }
    for (uint64_t i = 0; dst != NULL && i < n; i++) {
        set_id(dst, i, ((uint64_t)(keys[i] >> bits) + first_dst) & mask, id_bytes);
    }
}

static void ids_of_keys(const rmat_key_range *in, const void *keys, uint64_t n, void *src,
                        void *dst, int id_bytes)
{
    if (in->weights != RMAT_NO_WEIGHTS) {
        ids_width(in, keys, n, src, dst, id_bytes, in->weight_bits);
    } else if (id_bytes == 4) {
        ids_width(in, keys, n, src, dst, 4, 0);
    } else {
        ids_width(in, keys, n, src, dst, 8, 0);
    }
}

static void weights_of_keys(const rmat_key_range *in, const void *some, uint64_t n, void *weight)
{
    const KEY *keys = some, mask = ((KEY)1 << in->weight_bits) - 1;

    for (uint64_t i = 0; i < n; i++) {
        ((uint32_t *)weight)[i] =
            rmat_weight_of_order(in->weights, (uint32_t)(keys[i] & mask) + in->least);
    }
}

/* Each thread merges a range of the n keys with those of the m that belong into it. */
static void merge_keys(const void *sorted, uint64_t n, const void *more_keys, uint64_t m, void *out,
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
        k = i == 0 ? 0 : keys_below(b, m, a[i]);
        k_end = end == n ? m : keys_below(b, m, a[end]);
        for (; k < k_end; k++) {
            const uint64_t place = seek_key(a, end, i, b[k]);

            memcpy(to + i + k, a + i, (place - i) * sizeof *to);
            to[place + k] = b[k];
            i = place;
        }
        memcpy(to + i + k, a + i, (end - i) * sizeof *to);
    }
}

/* How many cuts are not above the key. */
INLINE uint64_t part_of_key(const rmat_cuts *c, KEY key)
{
    const uint64_t slot = (uint64_t)(key >> c->shift);
    uint64_t low = c->below[slot], high = c->below[slot + 1];

    while (low < high) { /* rarely taken: few slots have a cut in them */
        const uint64_t middle = low + (high - low) / 2;

        if (c->cuts[middle] <= key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static void count_keys(const void *some, uint64_t n, const rmat_cuts *c, uint64_t *counts)
{
    const KEY *keys = some;

    for (uint64_t i = 0; i < n; i++) {
        counts[part_of_key(c, keys[i])]++;
    }
}

#include "rmat/sorted/cpu/lists_body.h"

#define RMAT_KEY_OPS                                                                               \
    {                                                                                              \
        sizeof(KEY), keep_keys, sort_keys, spread_keys, collect_keys, sort_lists, insert_keys,     \
            key_at, keys_below, seek_key, count_lower, mark_rows, ids_of_keys, weights_of_keys,    \
            merge_keys, count_keys                                                                 \
    }
