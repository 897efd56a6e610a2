/*
 * space_efficient.c - the space-efficient table in host memory.
 *
 * Two passes over the masses, section by section in any order.  The first adds up the slots of each
 * section; the second sets the bits and stores the fractions.  Then the bits before each rank entry
 * are counted.  Draws are made in batches, so that many slots are on their way from memory at the
 * same time.
 */
#include "apps/bench_alias/space_efficient.h"
#include "alias/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ITEMS ((uint64_t)1 << 31)

enum { LOG2_CAPACITY = 32, BATCH = 256 };

static uint64_t slots_of(uint64_t mass)
{
    return (mass >> LOG2_CAPACITY) + 1;
}

/* Sets start[b] to the first slot of section b; returns the number of slots. */
static uint64_t find_starts(const alias_mass_plan *plan, int threads, uint64_t *start)
{
    uint64_t b, sum = 0;

#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(threads, plan->sections / 8))
    for (b = 0; b < plan->sections; b++) {
        uint32_t i, count = alias_section_items(plan->n, b);
        uint64_t q[ALIAS_SECTION_ITEMS];

        alias_mass_section(plan, b, q);
        start[b] = 0;
        for (i = 0; i < count; i++) {
            start[b] += slots_of(q[i]);
        }
    }
    for (b = 0; b < plan->sections; b++) {
        uint64_t here = start[b];

        start[b] = sum;
        sum += here;
    }
    return sum;
}

/* Sets bits of a word that other threads may set at the same time. */
static void set_bits(alias_rank_entry *ranks, uint64_t word, uint32_t bits)
{
    uint32_t *to = &ranks[word / 3].bits[word % 3];

#pragma omp atomic
    *to |= bits;
}

/* Stores the items of section b, from the given slot on.  Other threads may share its end words. */
static void fill_section(const alias_space_efficient *table, const alias_mass_plan *plan,
                         uint64_t b, uint64_t slot)
{
    uint32_t i, bits = 0, count = alias_section_items(plan->n, b);
    uint64_t q[ALIAS_SECTION_ITEMS], word = slot / 32;

    alias_mass_section(plan, b, q);
    for (i = 0; i < count; i++) {
        if (slot / 32 != word) {
            set_bits(table->ranks, word, bits);
            bits = 0;
            word = slot / 32;
        }
        bits |= (uint32_t)1 << slot % 32;
        table->fractions[b * ALIAS_SECTION_ITEMS + i] = (uint32_t)q[i];
        slot += slots_of(q[i]);
    }
    set_bits(table->ranks, word, bits);
}

static int build_on_cpu(alias_space_efficient *table, const double *weights, uint64_t *bad)
{
    alias_mass_plan plan;
    uint64_t b, *start = NULL;
    uint32_t before = 0;
    int st = alias_mass_plan_create(&plan, weights, table->n, LOG2_CAPACITY, table->threads, bad);

    if (st != ALIAS_OK) {
        return st;
    }
    start = alias_cpu_alloc(plan.sections, sizeof(*start));
    table->fractions = alias_cpu_alloc(table->n, sizeof(*table->fractions));
    if (start == NULL || table->fractions == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    table->slots = find_starts(&plan, table->threads, start);
    table->ranks = alias_cpu_alloc(alias_rank_entries(table->slots), sizeof(*table->ranks));
    if (table->ranks == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    memset(table->ranks, 0, alias_rank_entries(table->slots) * sizeof(*table->ranks));
#pragma omp parallel for schedule(static)                                                          \
    num_threads(alias_cpu_team(table->threads, plan.sections / 8))
    for (b = 0; b < plan.sections; b++) {
        fill_section(table, &plan, b, start[b]);
    }
    for (b = 0; b < alias_rank_entries(table->slots); b++) {
        alias_rank_entry *entry = &table->ranks[b];

        entry->before = before;
        before += alias_popcount(entry->bits[0] | (uint64_t)entry->bits[1] << 32) +
                  alias_popcount(entry->bits[2]);
    }
done:
    free(start);
    alias_mass_plan_free(&plan);
    return st;
}

int alias_space_efficient_new(alias_space_efficient **out, const double *weights, uint64_t n)
{
    *out = NULL;
    if (weights == NULL) {
        return ALIAS_ERR_ARG;
    }
    if (n == 0) {
        return ALIAS_ERR_EMPTY;
    }
    if (n > MAX_ITEMS) {
        return ALIAS_ERR_TOO_MANY;
    }
    *out = calloc(1, sizeof(**out));
    if (*out == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    (*out)->n = n;
    (*out)->device = -1;
    return ALIAS_OK;
}

static void release_on_cpu(alias_space_efficient *table)
{
    free(table->ranks);
    free(table->fractions);
}

int alias_space_efficient_create(alias_space_efficient **out, int threads, const double *weights,
                                 uint64_t n, uint64_t *bad)
{
    int st =
        threads < 0 || out == NULL ? ALIAS_ERR_ARG : alias_space_efficient_new(out, weights, n);

    if (st != ALIAS_OK) {
        return st;
    }
    (*out)->threads = threads;
    (*out)->release = release_on_cpu;
    st = build_on_cpu(*out, weights, bad);
    if (st != ALIAS_OK) {
        alias_space_efficient_destroy(*out);
        *out = NULL;
    }
    return st;
}

void alias_space_efficient_destroy(alias_space_efficient *table)
{
    if (table != NULL) {
        table->release(table);
        free(table);
    }
}

size_t alias_space_efficient_bytes(const alias_space_efficient *table)
{
    return sizeof(*table) + alias_rank_entries(table->slots) * sizeof(*table->ranks) +
           table->n * sizeof(*table->fractions);
}

/* Makes draw t. b is the Philox block of its first attempt, which has chosen the slot. */
static uint32_t draw_item(const alias_slots *view, uint64_t seed, uint64_t t, philox_block b,
                          alias_slot slot)
{
    uint32_t attempt = 0;

    while (!alias_slot_accepted(view, &slot)) {
        attempt++;
        if (attempt % 2 == 0) {
            b = philox_at(seed, t, attempt / 2, PHILOX_SPACE_EFFICIENT);
        }
        slot = alias_slot_at(view, alias_slot_bits(&b, attempt));
    }
    return slot.item;
}

/* Makes count <= BATCH draws. */
static void sample_batch(const alias_slots *view, uint64_t seed, uint64_t first, uint32_t count,
                         uint32_t *item)
{
    philox_block b[BATCH];
    alias_slot slot[BATCH];
    uint32_t i;

    for (i = 0; i < count; i++) {
        b[i] = philox_at(seed, first + i, 0, PHILOX_SPACE_EFFICIENT);
        __builtin_prefetch(&view->ranks[alias_mul_high(alias_slot_bits(&b[i], 0), view->slots) /
                                        ALIAS_RANK_SLOTS]);
    }
    for (i = 0; i < count; i++) {
        slot[i] = alias_slot_at(view, alias_slot_bits(&b[i], 0));
        __builtin_prefetch(&view->fractions[slot[i].item]);
    }
    for (i = 0; i < count; i++) {
        item[i] = draw_item(view, seed, first + i, b[i], slot[i]);
    }
}

int alias_space_efficient_sample32(const alias_space_efficient *table, uint64_t seed,
                                   uint64_t first, uint64_t count, uint32_t *out)
{
    uint64_t batch, batches = count / BATCH + (count % BATCH != 0);
    alias_slots view;

    if (table == NULL || table->device >= 0 || (out == NULL && count != 0)) {
        return ALIAS_ERR_ARG;
    }
    if (count != 0 && count - 1 > UINT64_MAX - first) {
        return ALIAS_ERR_RANGE;
    }
    view = (alias_slots){table->ranks, table->fractions, table->slots};
#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(table->threads, batches / 64))
    for (batch = 0; batch < batches; batch++) {
        uint64_t done = batch * BATCH;
        uint32_t now = count - done < BATCH ? (uint32_t)(count - done) : BATCH;

        sample_batch(&view, seed, first + done, now, out + done);
    }
    return ALIAS_OK;
}
