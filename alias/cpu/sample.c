/*
 * alias/cpu/sample.c - draws on the CPU, in parts that are distributed to threads: baseline draws,
 * then sectioned batches.
 */
#include "alias/core/sections.h"
#include "alias/cpu/cpu.h"

#include <stdlib.h>

/*
 * Baseline draws.  A batch takes three steps: make the random bits and buckets, prefetch the rows,
 * choose between item and alias.  So many rows are on their way from memory at the same time.
 */

enum {
    BATCH = 1 << 13, /* Philox blocks that a thread takes at a time */
    BLOCKS16 = 256   /* Philox blocks in a step, for 16-byte rows */
};

/* Stores the i-th output value. */
static void store_item(void *out, bool wide, uint64_t i, uint64_t value)
{
    if (wide) {
        ((uint64_t *)out)[i] = value;
    } else {
        ((uint32_t *)out)[i] = (uint32_t)value;
    }
}

/* The address of the i-th output value. */
static void *item_address(void *out, bool wide, uint64_t i)
{
    return (char *)out + i * (wide ? 8 : 4);
}

static void one_draw(const alias_table *table, uint64_t seed, uint64_t t, void *out, bool wide,
                     uint64_t i)
{
    uint64_t x = alias_draw_bits(seed, t);

    store_item(out, wide, i,
               table->row_bytes == 8 ? alias_draw8(table->rows, table->n, x)
                                     : alias_draw16(table->rows, table->n, table->k, x));
}

static void sample16(const alias_table *table, const alias_kernels *kernels, uint64_t seed,
                     uint64_t block, uint32_t blocks, void *out, bool wide)
{
    const alias_row16 *rows = table->rows;
    uint64_t even[BLOCKS16], odd[BLOCKS16];
    uint32_t j;

    kernels->draw_bits(seed, block, blocks, even, odd);
    for (j = 0; j < blocks; j++) {
        __builtin_prefetch(rows + alias_mul_high(even[j], table->n), 0, 2);
        __builtin_prefetch(rows + alias_mul_high(odd[j], table->n), 0, 2);
    }
    for (j = 0; j < blocks; j++) {
        store_item(out, wide, 2 * j, alias_draw16(rows, table->n, table->k, even[j]));
        store_item(out, wide, 2 * j + 1, alias_draw16(rows, table->n, table->k, odd[j]));
    }
}

/* The draws of whole Philox blocks, two each. */
static void sample_batch(const alias_table *table, const alias_kernels *kernels, uint64_t seed,
                         uint64_t block, uint32_t blocks, void *out, bool wide)
{
    uint32_t done, now;

    if (table->row_bytes == 8) {
        kernels->sample8(table->rows, table->n, seed, block, blocks, wide, out);
        return;
    }
    for (done = 0; done < blocks; done += now) {
        now = blocks - done < BLOCKS16 ? blocks - done : BLOCKS16;
        sample16(table, kernels, seed, block + done, now, item_address(out, wide, 2 * done), wide);
    }
}

int alias_cpu_sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                     void *out, bool wide)
{
    uint64_t head = count != 0 ? first & 1 : 0;
    uint64_t blocks = (count - head) / 2;
    uint64_t batches = blocks / BATCH + (blocks % BATCH != 0);
    uint64_t b;

    if (head != 0) {
        one_draw(table, seed, first, out, wide, 0);
    }
    if (batches == 1) { /* starting threads would take longer than the draws */
        sample_batch(table, alias_cpu_kernels(), seed, (first + head) / 2, (uint32_t)blocks,
                     item_address(out, wide, head), wide);
    } else if (batches > 1) {
        const alias_kernels *kernels = alias_cpu_kernels();

#pragma omp parallel for schedule(static)                                                          \
    num_threads(alias_cpu_team(table->config.threads, batches))
        for (b = 0; b < batches; b++) {
            uint64_t done = b * BATCH, rest = blocks - done;
            uint32_t now = rest < BATCH ? (uint32_t)rest : BATCH;
            uint64_t block = (first + head) / 2 + done;

            sample_batch(table, kernels, seed, block, now, item_address(out, wide, head + 2 * done),
                         wide);
        }
    }
    if (head + 2 * blocks < count) {
        one_draw(table, seed, first + (count - 1), out, wide, count - 1);
    }
    return ALIAS_OK;
}

/* Sectioned batches (alias/core/sections.h).  First the offsets of all sections in the batch are
 * found, then the draws are made, in ranges that are distributed to threads. */

enum {
    RANGE = 1 << 15, /* draws that a thread takes at a time */
    PIECE = 256      /* draws from rows of 16 bytes whose random bits are made at a time */
};

typedef struct {
    const alias_table *table;
    alias_sections layout;
    uint64_t seed, first, count;
    uint64_t *offsets; /* of each section in the batch; the last one is count */
} section_batch;

/* Finds the offsets of the sections of node j, which has `total` draws after `before` others. */
static void split_node(const section_batch *b, int level, uint64_t j, uint64_t before,
                       uint64_t total)
{
    int below = b->layout.levels - level;
    uint64_t left;

    if (j << below >= b->layout.sections) {
        return;
    }
    if (below == 0) {
        b->offsets[j] = before;
        return;
    }
    left = alias_section_left(&b->layout, b->seed, b->first, level, j, total);
    split_node(b, level + 1, 2 * j, before, left);
    split_node(b, level + 1, 2 * j + 1, before + left, total - left);
}

/* Finds all offsets: subtrees in parallel.  A thread first descends to its subtree. */
static void find_offsets(const section_batch *b)
{
    const int top = b->layout.levels < 10 ? 0 : 8;
    uint64_t node;

#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(alias_cpu_team(b->table->config.threads, 1u << top))
    for (node = 0; node < (uint64_t)1 << top; node++) {
        uint64_t before = 0, total = b->count;
        int level;

        for (level = 0; level < top; level++) {
            uint64_t left = alias_section_left(&b->layout, b->seed, b->first, level,
                                               node >> (top - level), total);

            if (node >> (top - level - 1) & 1) {
                before += left;
                total -= left;
            } else {
                total = left;
            }
        }
        split_node(b, top, node, before, total);
    }
    b->offsets[b->layout.sections] = b->count;
}

/* Makes draws [t, t + count) from the m rows of 16 bytes at row start. */
static void draw16(const section_batch *b, uint64_t start, uint64_t m, uint64_t t, uint64_t count,
                   void *out, bool wide)
{
    const alias_row16 *rows = (const alias_row16 *)b->table->rows + start;
    uint64_t bits[PIECE], done, i, n;

    for (done = 0; done < count; done += n) {
        n = count - done < PIECE ? count - done : PIECE;
        alias_cpu_kernels()->section_bits(b->seed, t + done, n, bits);
        for (i = 0; i < n; i++) {
            alias_spot spot = alias_section_spot(m, b->table->k, bits[i]);
            alias_row16 row = rows[spot.bucket];
            uint64_t item = spot.offset < row.threshold ? start + spot.bucket : row.alias;

            store_item(out, wide, done + i, item);
        }
    }
}

/* Makes the draws at positions [begin, end), all in section s. */
static void draw_in_section(const section_batch *b, uint64_t s, uint64_t begin, uint64_t end,
                            void *out, bool wide)
{
    uint64_t start = alias_section_start(&b->layout, s);
    uint64_t m = alias_section_start(&b->layout, s + 1) - start;
    void *to = item_address(out, wide, begin);

    if (b->table->row_bytes == 16) {
        draw16(b, start, m, b->first + begin, end - begin, to, wide);
        return;
    }
    alias_cpu_kernels()->section8((const alias_row8 *)b->table->rows + start, m, start, b->seed,
                                  b->first + begin, end - begin, wide, to);
}

/* The section of position p: the last whose offset is <= p. */
static uint64_t section_of_draw(const section_batch *b, uint64_t p)
{
    uint64_t low = 0, high = b->layout.sections;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;

        if (b->offsets[middle] <= p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Makes the draws at positions [begin, end). */
static void draw_range(const section_batch *b, uint64_t begin, uint64_t end, void *out, bool wide)
{
    uint64_t s;

    for (s = section_of_draw(b, begin); begin < end; s++) {
        uint64_t stop = b->offsets[s + 1] < end ? b->offsets[s + 1] : end;

        draw_in_section(b, s, begin, stop, out, wide);
        begin = stop;
    }
}

int alias_cpu_sections(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       void *out, bool wide)
{
    section_batch b = {.table = table, .seed = seed, .first = first, .count = count};
    uint64_t ranges = count / RANGE + (count % RANGE != 0), r;

    if (count == 0) {
        return ALIAS_OK;
    }
    b.layout = alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    b.offsets = alias_cpu_alloc(b.layout.sections + 1, sizeof(*b.offsets));
    if (b.offsets == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    find_offsets(&b);
#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(table->config.threads, ranges))
    for (r = 0; r < ranges; r++) {
        uint64_t begin = r * RANGE, rest = count - begin;

        draw_range(&b, begin, begin + (rest < RANGE ? rest : RANGE), out, wide);
    }
    free(b.offsets);
    return ALIAS_OK;
}
