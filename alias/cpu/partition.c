/*
 * alias/cpu/partition.c - light and heavy items with their prefix sums, in two passes over the
 * sections.
 *
 * The first pass counts the light items and adds up the deficits and surpluses of every section.
 * Prefix sums over the sections tell where the items of each section go.  The second pass computes
 * the masses again, which is cheaper than keeping them, and writes the items.
 */
#include "alias/cpu/partition.h"
#include "alias/cpu/util.h"

#include <string.h>

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

static void write_section(const alias_partition *part, const alias_mass_plan *plan, section_sums at,
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

int alias_partition_create(alias_partition *part, const alias_mass_plan *plan, int k, int threads)
{
    section_sums *sums = alias_cpu_alloc(plan->sections, sizeof(*sums)), all = {0, 0, 0};
    int team = alias_cpu_team(threads, plan->sections / 4);
    uint64_t b;

    memset(part, 0, sizeof(*part));
    part->capacity = (uint64_t)1 << k;
    part->items = alias_cpu_alloc(plan->n, sizeof(*part->items));
    part->sums = alias_cpu_alloc(plan->n, sizeof(*part->sums));
    if (sums == NULL || part->items == NULL || part->sums == NULL) {
        alias_cpu_free(sums);
        alias_partition_free(part);
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
    part->light_item = part->items;
    part->light_sum = part->sums;
    part->heavy_item = part->items + all.lights;
    part->heavy_sum = part->sums + all.lights;
#pragma omp parallel for schedule(static) num_threads(team)
    for (b = 0; b < plan->sections; b++) {
        write_section(part, plan, sums[b], b);
    }
    alias_cpu_free(sums);
    return ALIAS_OK;
}

void alias_partition_free(alias_partition *part)
{
    alias_cpu_free(part->items);
    alias_cpu_free(part->sums);
}

/*
 * The sweep takes light i before heavy j exactly if E(j + 1) > D(i): it merges the sequences D(i)
 * and E(j + 1), heavy items first among equals.  So the number of light items among the first steps
 * is the least i for which heavy steps - i - 1 comes before light i.
 */
alias_sweep_state alias_partition_split(const alias_partition *part, uint64_t steps)
{
    uint64_t low = steps > part->heavies ? steps - part->heavies : 0;
    uint64_t high = steps < part->lights ? steps : part->lights;

    while (low < high) {
        uint64_t i = low + (high - low) / 2;

        if (alias_heavy_end(part, steps - i - 1) <= part->light_sum[i]) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    return (alias_sweep_state){low, steps - low};
}
