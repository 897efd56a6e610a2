/*
 * alias/cpu/kernels_body.h - the inner loops of alias/cpu/cpu.h, for the instruction set that
 * the including file is compiled with.  That file defines KERNELS, the name of the set of
 * functions; KERNELS_NAME, its name as a string; LANES, the number of 64-bit lanes of a vector;
 * and, for NEON, KERNELS_NEON.
 *
 * Draws from 8-byte rows take two stages, so that many rows are on their way from memory at the
 * same time.  One stage makes random bits and buckets and prefetches the rows.  The other resolves
 * the draws of the stage before.
 */
#include "alias/core/sections.h"
#include "alias/cpu/cpu.h"

#include <stddef.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(KERNELS_NEON)
#include <arm_neon.h>
#endif

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "two 32-bit items are stored as one 64-bit word, the low word first"
#endif

typedef double vec_double __attribute__((vector_size(LANES * 8)));
typedef uint64_t vec __attribute__((vector_size(LANES * 8)));
typedef vec vec_unaligned __attribute__((aligned(4), may_alias));
typedef vec_double vec_double_unaligned __attribute__((aligned(8), may_alias));

typedef int64_t vec_signed __attribute__((vector_size(LANES * 8)));

#define INLINE inline __attribute__((always_inline))

enum {
    SUM_LANES = 32,
    SUM_VECS = SUM_LANES / LANES,
    BATCH = 64 /* Philox blocks of two draws each; a multiple of BLOCKS */
};

/* Tables below this size stay in the cache, where prefetching would only cost time. */
#define PREFETCH_BYTES ((uint64_t)1 << 20)

typedef struct {
    uint64_t even[BATCH], odd[BATCH]; /* values of draws with even and with odd numbers */
} batch;

/*
 * Philox4x32-10 (alias/core/philox.h) of several blocks together.  Words are the low halves of
 * 64-bit lanes.  The high halves may hold anything, because the multiplier ignores them.  NEON
 * collects the halves of two vectors of products with one instruction each.  Its words have 32-bit
 * lanes, and it makes twice as many blocks together.
 */

/* The products of the low 32 bits of each lane. */
static vec mul_low(vec a, vec b)
{
#if LANES == 8
    return (vec)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif LANES == 4
    return (vec)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (vec)_mm_mul_epu32((__m128i)a, (__m128i)b);
#elif defined(KERNELS_NEON)
    return (vec)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
#else
    return (a & 0xffffffffu) * (b & 0xffffffffu);
#endif
}

#if defined(KERNELS_NEON)
typedef uint32_t words __attribute__((vector_size(16)));

static INLINE void words_of(vec index, words *low, words *high)
{
    const uint32x4_t a = (uint32x4_t)index, b = (uint32x4_t)(index + LANES);

    *low = (words)vuzp1q_u32(a, b);
    *high = (words)vuzp2q_u32(a, b);
}

static INLINE void product(words a, words b, words *low, words *high)
{
    const uint32x4_t x = (uint32x4_t)a, y = (uint32x4_t)b;
    const uint32x4_t p = (uint32x4_t)vmull_u32(vget_low_u32(x), vget_low_u32(y));
    const uint32x4_t q = (uint32x4_t)vmull_high_u32(x, y);

    *low = (words)vuzp1q_u32(p, q);
    *high = (words)vuzp2q_u32(p, q);
}

static INLINE vec lanes_of(words w, int half)
{
    const uint32x4_t x = (uint32x4_t)w;

    return (vec)(half ? vmovl_high_u32(x) : vmovl_u32(vget_low_u32(x)));
}
#else
typedef vec words;

static INLINE void words_of(vec index, words *low, words *high)
{
    *low = index;
    *high = index >> 32;
}

static INLINE void product(words a, words b, words *low, words *high)
{
    *low = mul_low(a, b);
    *high = *low >> 32;
}

static INLINE vec lanes_of(words w, int half)
{
    (void)half;
    return w;
}
#endif

enum {
    BLOCKS = sizeof(words) / sizeof(((words){0})[0]), /* that are made together */
    VECS = BLOCKS / LANES
};

/* Their words in 64-bit lanes, whose high halves are meaningless. */
typedef struct {
    vec v[VECS][4];
} vec_blocks;

/* Blocks index, index + 1, ...: one per lane of the vector; on NEON, twice as many. */
static INLINE vec_blocks philox(uint64_t seed, vec index, uint32_t purpose)
{
    const words zero = {0};
    const words m0 = zero + 0xD2511F53u, m1 = zero + 0xCD9E8D57u;
    words c[4] = {zero, zero, zero, zero + purpose};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    vec_blocks b;
    int round, i, h;

    words_of(index, &c[0], &c[1]);
    for (round = 0; round < 10; round++) {
        words low0, high0, low1, high1;

        product(c[0], m0, &low0, &high0);
        product(c[2], m1, &low1, &high1);
        c[0] = high1 ^ c[1] ^ (zero + k0);
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ (zero + k1);
        c[3] = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (h = 0; h < VECS; h++) {
        for (i = 0; i < 4; i++) {
            b.v[h][i] = lanes_of(c[i], h);
        }
    }
    return b;
}

/* The numbers of LANES consecutive Philox blocks. */
static vec block_index(uint64_t first)
{
    vec index = {0};
    int i;

    for (i = 0; i < LANES; i++) {
        index[i] = first + (uint64_t)i;
    }
    return index;
}

static vec_double load_double(const double *p)
{
    return *(const vec_double_unaligned *)p;
}

static vec load_vec(const uint64_t *p)
{
    return *(const vec_unaligned *)p;
}

static void store_vec(void *p, vec v)
{
    *(vec_unaligned *)p = v;
}

static double section_sum(const double *weights, uint32_t count, double scale, bool *suspect)
{
    double lane[SUM_LANES];
    vec_double acc[SUM_VECS] = {{0}};
    vec signs = {0};
    uint32_t rows = count / SUM_LANES, i, h;

    for (i = 0; i < rows; i++) {
        for (h = 0; h < SUM_VECS; h++) {
            vec_double w = load_double(weights + i * SUM_LANES + h * LANES);

            signs |= (vec)w;
            acc[h] += w * scale;
        }
    }
    memcpy(lane, acc, sizeof(lane));
    for (i = rows * SUM_LANES; i < count; i++) {
        lane[i % SUM_LANES] += weights[i] * scale;
        *suspect |= !(weights[i] >= 0);
    }
    for (h = SUM_LANES / 2; h > 0; h /= 2) {
        for (i = 0; i < h; i++) {
            lane[i] += lane[i + h];
        }
    }
    for (i = 0; i < LANES; i++) {
        *suspect |= (int)(signs[i] >> 63);
    }
    /* An infinite weight or NaN makes the sum infinite or NaN. */
    *suspect |= !(lane[0] <= 1.7976931348623157e308);
    return lane[0];
}

/* Gives r > 0 units to the items of positive weight: step 5 of the rule. */
static void give_units(const double *weights, uint32_t count, double scale, uint64_t r, uint64_t *q)
{
    while (r > 0) {
        uint64_t eligible = 0, share;
        uint32_t i;

        for (i = 0; i < count; i++) {
            eligible += weights[i] * scale > 0;
        }
        share = r > eligible ? r / eligible : 1;
        for (i = 0; i < count && r > 0; i++) {
            uint64_t part = weights[i] * scale > 0 ? (share < r ? share : r) : 0;

            q[i] += part;
            r -= part;
        }
    }
}

/* Takes r > 0 units back from the items of positive mass: step 5 of the rule. */
static void take_units(uint32_t count, uint64_t r, uint64_t *q)
{
    while (r > 0) {
        uint64_t eligible = 0, share;
        uint32_t i;

        for (i = 0; i < count; i++) {
            eligible += q[i] > 0;
        }
        share = r > eligible ? r / eligible : 1;
        for (i = 0; i < count && r > 0; i++) {
            uint64_t part = share < r ? share : r;

            part = part < q[i] ? part : q[i];
            q[i] -= part;
            r -= part;
        }
    }
}

static void quantize(const double *weights, uint32_t count, double scale, double factor,
                     uint64_t mass, uint64_t *q)
{
    uint64_t sum = 0, zeros = 0;
    uint32_t i;

    for (i = 0; i < count; i++) {
        double w = weights[i] * scale;
        uint64_t t = (uint64_t)(w * factor);

        q[i] = t;
        sum += t;
        zeros += w == 0;
    }
    if (sum > mass) {
        take_units(count, sum - mass, q);
    } else if (zeros == 0 && mass - sum <= count) {
        uint32_t r = (uint32_t)(mass - sum);

        for (i = 0; i < r; i++) {
            q[i]++;
        }
    } else {
        give_units(weights, count, scale, mass - sum, q);
    }
}

static uint32_t split_masses(const uint64_t *q, uint32_t count, uint64_t first, uint64_t capacity,
                             alias_split *out)
{
    uint32_t light = 0, heavy = 0, i = 0;

#if LANES == 8
    const __m512i c = _mm512_set1_epi64((long long)capacity);
    __m512i item = _mm512_add_epi64(_mm512_set1_epi64((long long)first),
                                    _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));

    for (; i + 8 <= count; i += 8) {
        __m512i less = _mm512_sub_epi64(c, _mm512_loadu_si512(q + i));
        __mmask8 heavies = _mm512_movepi64_mask(less), lights = (__mmask8)~heavies;
        uint32_t number = (uint32_t)__builtin_popcount(heavies);

        _mm512_storeu_si512(out->light + light, _mm512_maskz_compress_epi64(lights, less));
        _mm512_storeu_si512(out->heavy + heavy, _mm512_maskz_compress_epi64(heavies, less));
        _mm512_storeu_si512(out->light + ALIAS_SPLIT + light,
                            _mm512_maskz_compress_epi64(lights, item));
        _mm512_storeu_si512(out->heavy + ALIAS_SPLIT + heavy,
                            _mm512_maskz_compress_epi64(heavies, item));
        item = _mm512_add_epi64(item, _mm512_set1_epi64(8));
        heavy += number;
        light += 8 - number;
    }
#endif
    for (; i < count; i++) {
        int64_t less = (int64_t)(capacity - q[i]);
        uint32_t is_heavy = (uint32_t)((uint64_t)less >> 63);

        out->light[light] = out->heavy[heavy] = less;
        out->light[ALIAS_SPLIT + light] = out->heavy[ALIAS_SPLIT + heavy] = (int64_t)(first + i);
        heavy += is_heavy;
        light += 1 - is_heavy;
    }
    return light;
}

static void fill8(const uint64_t *q, uint32_t count, uint64_t first, uint64_t alias,
                  alias_row8 *rows)
{
    const uint64_t capacity = (uint64_t)1 << 32;
    uint32_t i;

    for (i = 0; i < count; i++) {
        rows[i].threshold = (uint32_t)q[i];
        rows[i].alias = (uint32_t)(q[i] == capacity ? first + i : alias);
    }
}

static void draw_bits(uint64_t seed, uint64_t block, uint32_t blocks, uint64_t *even, uint64_t *odd)
{
    uint32_t j, h, whole = blocks - blocks % BLOCKS;
    vec index = block_index(block);

    for (j = 0; j < whole; j += BLOCKS, index += BLOCKS) {
        vec_blocks b = philox(seed, index, PHILOX_ALIAS_DRAW);

        for (h = 0; h < VECS; h++) {
            const vec *v = b.v[h];

            store_vec(even + j + h * LANES, (v[0] & 0xffffffffu) | v[1] << 32);
            store_vec(odd + j + h * LANES, (v[2] & 0xffffffffu) | v[3] << 32);
        }
    }
    for (; j < blocks; j++) {
        even[j] = alias_draw_bits(seed, 2 * (block + j));
        odd[j] = alias_draw_bits(seed, 2 * (block + j) + 1);
    }
}

/* (high : low) * n / 2^32, rounded down.  It is less than 2^64 as n < 2^32.  The bucket is the high
 * word, the offset the low one. */
static vec bucket_of(vec low, vec high, vec n)
{
    return mul_low(high, n) + (mul_low(low, n) >> 32);
}

/* The buckets and offsets of the draws of up to BATCH Philox blocks. */
static INLINE void draw_buckets(const alias_row8 *rows, uint64_t n, bool prefetch, uint64_t seed,
                                uint64_t block, uint32_t blocks, batch *c)
{
    vec index = block_index(block), all = (vec){0} + n;
    uint32_t j, i, h;

    /* The last vector may make more draws than requested; these are not used. */
    for (j = 0; j < blocks; j += BLOCKS, index += BLOCKS) {
        vec_blocks b = philox(seed, index, PHILOX_ALIAS_DRAW);

        for (h = 0; h < VECS; h++) {
            const vec *v = b.v[h];

            store_vec(c->even + j + h * LANES, bucket_of(v[0], v[1], all));
            store_vec(c->odd + j + h * LANES, bucket_of(v[2], v[3], all));
        }
        for (i = j; prefetch && i < j + BLOCKS; i++) {
            /* Into the second-level cache, which can have more misses in flight than the first. */
            __builtin_prefetch(rows + (c->even[i] >> 32), 0, 2);
            __builtin_prefetch(rows + (c->odd[i] >> 32), 0, 2);
        }
    }
}

/* The items of LANES draws, given their rows with the threshold in the low word. */
static vec choose_items(vec draw, vec row)
{
    const vec low = (vec){0} + 0xffffffffu;
    vec own = (vec)((vec_signed)(draw & low) < (vec_signed)(row & low));

    return (draw >> 32 & own) | (row >> 32 & ~own);
}

/* Reads the rows of a batch and writes its items. */
static INLINE void resolve_draws(const alias_row8 *rows, uint32_t blocks, const batch *c, bool wide,
                                 void *out)
{
    batch row;
    uint32_t j, i, whole = blocks - blocks % LANES;

    for (j = 0; j < blocks; j++) {
        alias_row8 even = rows[c->even[j] >> 32], odd = rows[c->odd[j] >> 32];

        row.even[j] = even.threshold | (uint64_t)even.alias << 32;
        row.odd[j] = odd.threshold | (uint64_t)odd.alias << 32;
    }
    for (j = 0; j < blocks; j += LANES) {
        vec even = choose_items(load_vec(c->even + j), load_vec(row.even + j));
        vec odd = choose_items(load_vec(c->odd + j), load_vec(row.odd + j));

        if (!wide && j < whole) {
            store_vec((char *)out + 8 * (size_t)j, even | odd << 32);
            continue;
        }
        for (i = 0; i < LANES && j + i < blocks; i++) {
            if (wide) {
                ((uint64_t *)out)[2 * (j + i)] = even[i];
                ((uint64_t *)out)[2 * (j + i) + 1] = odd[i];
            } else {
                ((uint32_t *)out)[2 * (j + i)] = (uint32_t)even[i];
                ((uint32_t *)out)[2 * (j + i) + 1] = (uint32_t)odd[i];
            }
        }
    }
}

/* Makes one batch of draws and prefetches its rows, then resolves the previous batch. */
static INLINE void sample_batches(const alias_row8 *rows, uint64_t n, bool prefetch, uint64_t seed,
                                  uint64_t block, uint64_t blocks, bool wide, char *out)
{
    batch batches[2];
    uint32_t before = 0, now, turn = 0;

    do {
        now = blocks < BATCH ? (uint32_t)blocks : BATCH;
        draw_buckets(rows, n, prefetch, seed, block, now, &batches[turn]);
        turn ^= 1;
        resolve_draws(rows, before, &batches[turn], wide, out);
        out += (size_t)before * (wide ? 16 : 8);
        block += now;
        blocks -= now;
        before = now;
    } while (before > 0);
}

static void sample8(const alias_row8 *rows, uint64_t n, uint64_t seed, uint64_t block,
                    uint64_t blocks, bool wide, void *out)
{
    bool prefetch = n * sizeof(*rows) > PREFETCH_BYTES;

    if (wide) {
        sample_batches(rows, n, prefetch, seed, block, blocks, true, out);
    } else if (prefetch) {
        sample_batches(rows, n, true, seed, block, blocks, false, out);
    } else {
        sample_batches(rows, n, false, seed, block, blocks, false, out);
    }
}

/*
 * The inner loops of the sectioned sampler.
 *
 * Each Philox block gives four draws, from the high words alone.  If a draw is open
 * (alias/core/sections.h), which is rare, the whole group is made again with its low words.
 */
enum {
    GROUP = 4 * BLOCKS, /* draws of the Philox blocks that are made together */
    LINE_ROWS = 64 / sizeof(alias_row8)
};

/* Rows, with the threshold in the low word. */
static INLINE vec load_rows(const alias_row8 *rows, vec bucket)
{
    uint64_t row[LANES];
    int i;

    for (i = 0; i < LANES; i++) {
        memcpy(&row[i], &rows[bucket[i]], sizeof(row[i]));
    }
    return load_vec(row);
}

/* The items of the draws of these Philox blocks: draw w of the block in lane i of vector h is
 * items[h][w][i].  Returns whether one is open. */
static INLINE bool section_items(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed,
                                 vec index, vec items[VECS][4])
{
    const vec low = (vec){0} + 0xffffffffu, all = (vec){0} + m;
    const vec_signed close = (vec_signed)(all - 1);
    vec_blocks b = philox(seed, index, PHILOX_ALIAS_SECTION);
    vec_signed open = {0};
    uint64_t any = 0;
    int h, w, i;

    for (h = 0; h < VECS; h++) {
        for (w = 0; w < 4; w++) {
            vec y = mul_low(b.v[h][w], all), row = load_rows(rows, y >> 32), left = ~y & low;

            open |= ((vec_signed)left < close) | ((vec_signed)((row + left) & low) < close);
            items[h][w] = choose_items(y + (start << 32), row);
        }
    }
    for (i = 0; i < LANES; i++) {
        any |= (uint64_t)open[i];
    }
    return any != 0;
}

/* The draws from t on, in order. */
static void section_closed(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed,
                           uint64_t t, uint64_t *items)
{
    int i;

    for (i = 0; i < GROUP; i++) {
        alias_spot spot = alias_section_spot(m, 32, alias_section_bits(seed, t + (uint64_t)i));
        alias_row8 row = rows[spot.bucket];

        items[i] = spot.offset < row.threshold ? start + spot.bucket : row.alias;
    }
}

static INLINE void in_order(vec v[VECS][4], uint64_t *to)
{
    int i, w;

    for (i = 0; i < BLOCKS; i++) {
        for (w = 0; w < 4; w++) {
            to[4 * i + w] = v[i / LANES][w][i % LANES];
        }
    }
}

static INLINE void section_draws(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed,
                                 uint64_t t, uint64_t count, const bool wide, char *out)
{
    uint64_t block = t >> 2, skip = t & 3, n, i;
    /* How much of the next section each group prefetches.  The next section's rows follow in
     * memory, and it is likely to come next; a processor could not prefetch all of it together.  If
     * there are fewer draws than cache lines, most prefetches would be useless. */
    uint64_t step = m * GROUP / (count + 1) + LINE_ROWS, next = count < m / LINE_ROWS ? m : 0;
    vec index = block_index(block);

    for (; count > 0; count -= n, block += BLOCKS, index += BLOCKS, skip = 0) {
        uint64_t group[GROUP];
        vec items[VECS][4];

        for (i = 0; i < step && next < m; i += LINE_ROWS, next += LINE_ROWS) {
            __builtin_prefetch(rows + m + next, 0, 2);
        }
        if (section_items(rows, m, start, seed, index, items)) {
            section_closed(rows, m, start, seed, 4 * block, group);
        } else {
            in_order(items, group);
        }
        n = GROUP - skip < count ? GROUP - skip : count;
        if (wide) {
            memcpy(out, group + skip, n * 8);
        } else if (n == GROUP) {
            for (i = 0; i < GROUP; i++) {
                ((uint32_t *)out)[i] = (uint32_t)group[i];
            }
        } else {
            for (i = 0; i < n; i++) {
                ((uint32_t *)out)[i] = (uint32_t)group[skip + i];
            }
        }
        out += n * (wide ? 8 : 4);
    }
}

static void section8(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed, uint64_t t,
                     uint64_t count, bool wide, void *out)
{
    if (wide) {
        section_draws(rows, m, start, seed, t, count, true, out);
    } else {
        section_draws(rows, m, start, seed, t, count, false, out);
    }
}

static void section_bits(uint64_t seed, uint64_t t, uint64_t count, uint64_t *bits)
{
    uint64_t block = t >> 2, skip = t & 3, n;
    vec index = block_index(block);

    for (; count > 0; count -= n, bits += n, index += BLOCKS, skip = 0) {
        uint64_t group[GROUP];
        vec_blocks high = philox(seed, index, PHILOX_ALIAS_SECTION);
        vec_blocks low = philox(seed, index, PHILOX_ALIAS_SECTION_LOW);
        int h, w;

        for (h = 0; h < VECS; h++) {
            for (w = 0; w < 4; w++) {
                high.v[h][w] = high.v[h][w] << 32 | (low.v[h][w] & 0xffffffffu);
            }
        }
        in_order(high.v, group);
        n = GROUP - skip < count ? GROUP - skip : count;
        memcpy(bits, group + skip, n * 8);
    }
}

const alias_kernels KERNELS = {
    .name = KERNELS_NAME,
    .section_sum = section_sum,
    .quantize = quantize,
    .split = split_masses,
    .fill8 = fill8,
    .draw_bits = draw_bits,
    .sample8 = sample8,
    .section8 = section8,
    .section_bits = section_bits,
};
