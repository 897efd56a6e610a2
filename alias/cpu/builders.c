/*
 * alias/cpu/builders.c - the CPU's builders of tables, except PSA+ (psa_plus.c), and the list of
 * all builders.
 *
 * The sweep is sequential.  PSA makes its rows in parallel, from prefix sums over the light and the
 * heavy items.
 */
#include "alias/cpu/cpu.h"

#include <stdlib.h>
#include <string.h>

/*
 * The sequential sweep (L. Huebschle-Schneider, P. Sanders, "Parallel Weighted Random Sampling",
 * 2022).
 *
 * Light items have q <= C, heavy items q > C. Two cursors run over the items, one from light item
 * to light item and one from heavy item to heavy item.  The current heavy item fills up the buckets
 * of light items as long as more than C is left of it.  The rest then goes into the heavy item's
 * own bucket, which the next heavy item fills up.
 */
static int build_sweep(alias_table *table, const alias_mass_plan *plan)
{
    const uint64_t n = table->n, capacity = (uint64_t)1 << table->k;
    uint64_t *q = alias_cpu_alloc(n, sizeof(*q));
    uint64_t light = 0, heavy = 0, next, rest;

    if (q == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    alias_mass_all(plan, table->config.threads, q);
    while (heavy < n && q[heavy] <= capacity) {
        heavy++;
    }
    rest = heavy < n ? q[heavy] : 0;
    while (heavy < n) {
        if (rest > capacity) {
            while (q[light] > capacity) {
                light++;
            }
            alias_put_row(table->rows, table->row_bytes, table->k, light, q[light], heavy);
            rest -= capacity - q[light];
            light++;
        } else {
            for (next = heavy + 1; next < n && q[next] <= capacity; next++) {
            }
            alias_put_row(table->rows, table->row_bytes, table->k, heavy, rest, next);
            heavy = next;
            rest -= capacity; /* minus the mass that the next heavy item fills up, modulo 2^64 */
            rest += heavy < n ? q[heavy] : 0;
        }
    }
    /* The remaining light items have the mass C each. */
    for (; light < n; light++) {
        if (q[light] <= capacity) {
            alias_put_row(table->rows, table->row_bytes, table->k, light, q[light], light);
        }
    }
    free(q);
    return ALIAS_OK;
}

/*
 * Light and heavy items with their prefix sums, the first step of PSA.
 *
 * The i-th light item (q <= C) is light_item[i]; D(i) = light_sum[i] is the sum of C - q over the
 * light items before it.  The j-th heavy item (q > C) is heavy_item[j]; E(j) = heavy_sum[j] is the
 * sum of q - C over the heavy items before it.  D(lights) = E(heavies).
 */
typedef struct {
    uint64_t lights, heavies, total;  /* numbers of items, D(lights) */
    uint64_t capacity;                /* C */
    uint64_t *light_item, *light_sum; /* the storage, which the heavy items follow */
    uint64_t *heavy_item, *heavy_sum;
} partition;

/* E(j + 1). */
static uint64_t heavy_end(const partition *part, uint64_t j)
{
    return j + 1 < part->heavies ? part->heavy_sum[j + 1] : part->total;
}

/* D(i). */
static uint64_t light_start(const partition *part, uint64_t i)
{
    return i < part->lights ? part->light_sum[i] : part->total;
}

/*
 * Two passes over the sections find the lists.  The first pass counts the light items and adds up
 * the deficits and surpluses of every section.  Prefix sums over the sections give the place of
 * each section's items.  The second pass computes the masses again, which is cheaper than keeping
 * them, and writes the items.
 */
typedef struct {
    uint64_t lights, deficit, surplus; /* of a section, then of all sections before it */
} section_sums;

static section_sums count_section(const alias_mass_plan *plan, uint64_t capacity, uint64_t b)
{
    uint64_t q[ALIAS_SECTION_ITEMS];
    uint32_t count = alias_section_items(plan->n, b), i;
    section_sums s = {0, 0, 0};

    alias_mass_section(plan, b, q);
    for (i = 0; i < count; i++) {
        uint64_t light = q[i] <= capacity;

        s.lights += light;
        s.deficit += light ? capacity - q[i] : 0;
        s.surplus += light ? 0 : q[i] - capacity;
    }
    return s;
}

static void write_section(const partition *part, const alias_mass_plan *plan, section_sums at,
                          uint64_t b)
{
    uint64_t q[ALIAS_SECTION_ITEMS];
    uint64_t first = b * ALIAS_SECTION_ITEMS, heavy = first - at.lights;
    uint32_t count = alias_section_items(plan->n, b), i;

    alias_mass_section(plan, b, q);
    for (i = 0; i < count; i++) {
        if (q[i] <= part->capacity) {
            part->light_item[at.lights] = first + i;
            part->light_sum[at.lights++] = at.deficit;
            at.deficit += part->capacity - q[i];
        } else {
            part->heavy_item[heavy] = first + i;
            part->heavy_sum[heavy++] = at.surplus;
            at.surplus += q[i] - part->capacity;
        }
    }
}

static void free_partition(partition *part)
{
    free(part->light_item);
    free(part->light_sum);
}

static int create_partition(partition *part, const alias_mass_plan *plan, int k, int threads)
{
    section_sums *sums = alias_cpu_alloc(plan->sections, sizeof(*sums)), all = {0, 0, 0};
    int team = alias_cpu_team(threads, plan->sections / 4);
    uint64_t b;

    memset(part, 0, sizeof(*part));
    part->capacity = (uint64_t)1 << k;
    part->light_item = alias_cpu_alloc(plan->n, sizeof(*part->light_item));
    part->light_sum = alias_cpu_alloc(plan->n, sizeof(*part->light_sum));
    if (sums == NULL || part->light_item == NULL || part->light_sum == NULL) {
        free(sums);
        free_partition(part);
        return ALIAS_ERR_NOMEM;
    }
#pragma omp parallel for schedule(static) num_threads(team)
    for (b = 0; b < plan->sections; b++) {
        sums[b] = count_section(plan, part->capacity, b);
    }
    for (b = 0; b < plan->sections; b++) {
        section_sums s = sums[b];

        sums[b] = all;
        all.lights += s.lights;
        all.deficit += s.deficit;
        all.surplus += s.surplus;
    }
    part->lights = all.lights;
    part->heavies = plan->n - all.lights;
    part->total = all.deficit;
    part->heavy_item = part->light_item + all.lights;
    part->heavy_sum = part->light_sum + all.lights;
#pragma omp parallel for schedule(static) num_threads(team)
    for (b = 0; b < plan->sections; b++) {
        write_section(part, plan, sums[b], b);
    }
    free(sums);
    return ALIAS_OK;
}

/*
 * The sweep takes light i before heavy j exactly if E(j + 1) > D(i): it merges the sequences D(i)
 * and E(j + 1), heavy items first among equals.  So the number of light items among the first steps
 * is the least i for which heavy steps - i - 1 comes before light i.
 */
static uint64_t split_partition(const partition *part, uint64_t steps)
{
    uint64_t low = steps > part->heavies ? steps - part->heavies : 0;
    uint64_t high = steps < part->lights ? steps : part->lights;

    while (low < high) {
        uint64_t i = low + (high - low) / 2;

        if (heavy_end(part, steps - i - 1) <= part->light_sum[i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return low;
}

/*
 * PSA, the parallel splitting algorithm (L. Huebschle-Schneider, P. Sanders,
 * "Parallel Weighted Random Sampling", 2022, section 4.2).
 *
 * Split: find the states of the sequential sweep after n/s, 2n/s, ... steps by binary search.
 * Pack: from each of these states, sweep on to the next one.  The state of a sweep is the rest of
 * the current heavy item above C, which is E(j + 1) - D(i).
 */

/* Rows in a part if the configuration does not set the number of parts. */
enum { PSA_PART = 1 << 14 };

/* Takes count steps of the sweep, from step first on.  Each step finishes a row. */
static void pack_part(const alias_table *table, const partition *part, uint64_t first,
                      uint64_t count)
{
    uint64_t light = split_partition(part, first), heavy = first - light;

    for (; count > 0; count--) {
        const uint64_t start = light_start(part, light);
        uint64_t item, threshold, alias;

        if (heavy == part->heavies || (light < part->lights && heavy_end(part, heavy) > start)) {
            item = part->light_item[light];
            threshold = part->capacity + start - light_start(part, light + 1);
            alias = heavy < part->heavies ? part->heavy_item[heavy] : item;
            light++;
        } else {
            item = part->heavy_item[heavy];
            threshold = part->capacity + heavy_end(part, heavy) - start;
            alias = heavy + 1 < part->heavies ? part->heavy_item[heavy + 1] : item;
            heavy++;
        }
        alias_put_row(table->rows, table->row_bytes, table->k, item, threshold, alias);
    }
}

static int build_psa(alias_table *table, const alias_mass_plan *plan)
{
    const uint64_t n = table->n;
    uint64_t splits = table->config.splits, size, p;
    partition part;
    int st = create_partition(&part, plan, table->k, table->config.threads);

    if (st != ALIAS_OK) {
        return st;
    }
    size = splits == 0 ? PSA_PART : splits < n ? (n + splits - 1) / splits : 1;
    splits = (n + size - 1) / size;
#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(table->config.threads, splits))
    for (p = 0; p < splits; p++) {
        uint64_t first = p * size, rest = n - first;

        pack_part(table, &part, first, rest < size ? rest : size);
    }
    free_partition(&part);
    return ALIAS_OK;
}

/*
 * The table of builders.  A new builder is a function in this file or in its own file, a row here
 * and an enumerator in alias/alias.h. If it has GPU kernels, alias/gpu/backend.c lists them;
 * otherwise a GPU table is built on the CPU and copied.  The tests of tables run for every builder
 * listed here.
 */
typedef struct {
    const char *name;
    int (*build)(alias_table *table, const alias_mass_plan *plan);
} builder_entry;

static const builder_entry builders[] = {
    [ALIAS_BUILDER_AUTO] = {"auto", NULL}, /* AUTO is resolved to another builder first */
    [ALIAS_BUILDER_SWEEP] = {"sweep", build_sweep},
    [ALIAS_BUILDER_PSA] = {"psa", build_psa},
    [ALIAS_BUILDER_PSA_PLUS] = {"psa+", alias_cpu_psa_plus},
};

int alias_builder_count(void)
{
    return sizeof(builders) / sizeof(builders[0]);
}

const char *alias_builder_name(alias_builder builder)
{
    return (unsigned)builder < (unsigned)alias_builder_count() ? builders[builder].name : "unknown";
}

int alias_cpu_build_rows(alias_table *table, const alias_mass_plan *plan)
{
    return builders[table->builder].build(table, plan);
}
