/*
 * alias/cpu/sample.c - baseline draws on the CPU, in batches that are dealt to threads.
 *
 * A batch is drawn in three steps, so that many rows are on their way from memory at the same time:
 * make the random bits and buckets, prefetch the rows, choose between item and alias.
 */
#include "alias/cpu/sample.h"
#include "alias/cpu/kernels.h"
#include "alias/cpu/util.h"

#include <stdbool.h>

enum {
    BATCH = 1 << 13, /* Philox blocks that a thread takes at a time */
    BLOCKS16 = 256   /* Philox blocks in a step, for 16-byte rows */
};

/* Stores the i-th output value. */
static void put(void *out, bool wide, uint64_t i, uint64_t value)
{
    if (wide) {
        ((uint64_t *)out)[i] = value;
    } else {
        ((uint32_t *)out)[i] = (uint32_t)value;
    }
}

/* The address of the i-th output value. */
static void *at(void *out, bool wide, uint64_t i)
{
    return (char *)out + i * (wide ? 8 : 4);
}

static void one_draw(const alias_table *table, uint64_t seed, uint64_t t, void *out, bool wide,
                     uint64_t i)
{
    uint64_t x = alias_draw_bits(seed, t);

    put(out, wide, i,
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
        put(out, wide, 2 * j, alias_draw16(rows, table->n, table->k, even[j]));
        put(out, wide, 2 * j + 1, alias_draw16(rows, table->n, table->k, odd[j]));
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
        sample16(table, kernels, seed, block + done, now, at(out, wide, 2 * done), wide);
    }
}

static int sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                  void *out, bool wide)
{
    const alias_kernels *kernels = alias_cpu_kernels();
    uint64_t head = count != 0 ? first & 1 : 0;
    uint64_t blocks = (count - head) / 2;
    uint64_t batches = blocks / BATCH + (blocks % BATCH != 0);
    uint64_t b;

    if (head != 0) {
        one_draw(table, seed, first, out, wide, 0);
    }
#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(table->threads, batches))
    for (b = 0; b < batches; b++) {
        uint64_t done = b * BATCH, rest = blocks - done;
        uint32_t now = rest < BATCH ? (uint32_t)rest : BATCH;
        uint64_t block = (first + head) / 2 + done;

        sample_batch(table, kernels, seed, block, now, at(out, wide, head + 2 * done), wide);
    }
    if (head + 2 * blocks < count) {
        one_draw(table, seed, first + (count - 1), out, wide, count - 1);
    }
    return ALIAS_OK;
}

int alias_cpu_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint32_t *out)
{
    return sample(table, seed, first, count, out, false);
}

int alias_cpu_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *out)
{
    return sample(table, seed, first, count, out, true);
}
