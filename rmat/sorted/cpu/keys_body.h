/*
 * keys_body.h - the operations of rmat_key_ops (interval.h) on keys of one type, KEY, which the
 * including .c file defines.  radix_body.h has those on lists of keys.
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

#include "rmat/sorted/cpu/radix_body.h"

#define RMAT_KEY_OPS                                                                               \
    {                                                                                              \
        sizeof(KEY), keep_keys, spread_keys, collect_keys, sort_lists, insert_keys, key_at,        \
            keys_below, count_lower, mark_rows, ids_of_keys, weights_of_keys                       \
    }
