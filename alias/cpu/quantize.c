/*
 * alias/cpu/quantize.c - the plan of masses on the CPU: steps 1 to 4 of the rule in
 * alias/core/quantize.h, with sections distributed to threads; and alias_quantize().
 */
#include "alias/cpu/cpu.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* The status of the first unusable weight of section b, and its index; ALIAS_OK if there is none.
 */
static int check_section(const alias_mass_plan *plan, uint64_t b, uint64_t *bad)
{
    uint64_t i, end = b * ALIAS_SECTION_ITEMS + alias_section_items(plan->n, b);

    for (i = b * ALIAS_SECTION_ITEMS; i < end; i++) {
        int st = alias_weight_status(plan->weights[i]);

        if (st != ALIAS_OK) {
            *bad = i;
            return st;
        }
    }
    return ALIAS_OK;
}

/* Step 1, and the check of the weights. */
static int sum_sections(const alias_mass_plan *plan, int threads, double *sum, uint64_t *bad)
{
    uint64_t first_bad = UINT64_MAX;
    int st = ALIAS_OK;

#pragma omp parallel num_threads(alias_cpu_team(threads, plan->sections / 8))
    {
        uint64_t b;

#pragma omp for schedule(dynamic, 64)
        for (b = 0; b < plan->sections; b++) {
            bool suspect = false;

            sum[b] =
                plan->kernels->section_sum(plan->weights + b * ALIAS_SECTION_ITEMS,
                                           alias_section_items(plan->n, b), plan->scale, &suspect);
            if (suspect) {
                uint64_t where = UINT64_MAX;
                int what = check_section(plan, b, &where);

#pragma omp critical(alias_bad_weight)
                if (where < first_bad) {
                    first_bad = where;
                    st = what;
                }
            }
        }
    }
    if (st != ALIAS_OK && bad != NULL) {
        *bad = first_bad;
    }
    return st;
}

/* Step 2: replaces the section sums by F at the ends of the sections; returns S. */
static double prefix_sums(double *sum, uint64_t sections)
{
    double base = 0, part = 0, f = 0;
    uint64_t b;

    for (b = 0; b < sections; b++) {
        if (b % ALIAS_SEGMENT_SECTIONS == 0) {
            base = f;
            part = sum[b];
        } else {
            part += sum[b];
        }
        f = base + part;
        sum[b] = f;
    }
    return f;
}

int alias_mass_plan_create(alias_mass_plan *plan, const double *weights, uint64_t n, int k,
                           int threads, uint64_t *bad)
{
    double *f = NULL, total, mass = ldexp((double)n, k);
    uint64_t b;
    int st;

    *plan =
        (alias_mass_plan){.kernels = alias_cpu_kernels(), .weights = weights, .n = n, .scale = 1.0};
    plan->sections = alias_section_count(n);
    f = alias_cpu_alloc(plan->sections, sizeof(*f));
    plan->start = alias_cpu_alloc(plan->sections + 1, sizeof(*plan->start));
    if (f == NULL || plan->start == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    st = sum_sections(plan, threads, f, bad);
    if (st != ALIAS_OK) {
        goto done;
    }
    total = prefix_sums(f, plan->sections);
    if (total == 0) {
        st = ALIAS_ERR_ZERO_SUM;
        goto done;
    }
    plan->scale = alias_weight_scale(total);
    if (plan->scale != 1) {
        sum_sections(plan, threads, f, NULL);
        total = prefix_sums(f, plan->sections);
    }
    plan->factor = mass / total;
    plan->start[0] = 0;
    for (b = 0; b < plan->sections; b++) {
        plan->start[b + 1] = (uint64_t)(f[b] / total * mass);
    }
done:
    alias_cpu_free(f);
    if (st != ALIAS_OK) {
        alias_mass_plan_free(plan);
    }
    return st;
}

int alias_mass_plan_of_masses(alias_mass_plan *plan, const uint64_t *masses, uint64_t n, int k)
{
    const uint64_t mass = n << k;
    uint64_t sum = 0;

    *plan = (alias_mass_plan){.kernels = alias_cpu_kernels(), .masses = masses, .n = n};
    plan->sections = alias_section_count(n);
    plan->start = alias_cpu_alloc(plan->sections + 1, sizeof(*plan->start));
    if (plan->start == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < n && sum <= mass; i++) {
        if (i % ALIAS_SECTION_ITEMS == 0) {
            plan->start[i / ALIAS_SECTION_ITEMS] = sum;
        }
        sum = masses[i] <= mass - sum ? sum + masses[i] : UINT64_MAX;
    }
    plan->start[plan->sections] = sum;
    if (sum != mass) {
        alias_mass_plan_free(plan);
        return ALIAS_ERR_SUM;
    }
    return ALIAS_OK;
}

void alias_mass_plan_free(alias_mass_plan *plan)
{
    alias_cpu_free(plan->start);
    plan->start = NULL;
}

void alias_mass_all(const alias_mass_plan *plan, int threads, uint64_t *q)
{
    uint64_t b;

#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(threads, plan->sections / 8))
    for (b = 0; b < plan->sections; b++) {
        alias_mass_section(plan, b, q + b * ALIAS_SECTION_ITEMS);
    }
}

int alias_quantize(const double *weights, uint64_t n, int k, uint64_t *q, uint64_t *bad)
{
    alias_mass_plan plan;
    int st;

    if (weights == NULL || q == NULL || k < 0 || k > 63) {
        return ALIAS_ERR_ARG;
    }
    if (n == 0) {
        return ALIAS_ERR_EMPTY;
    }
    if (n > (uint64_t)1 << (63 - k)) {
        return ALIAS_ERR_ARG;
    }
    st = alias_mass_plan_create(&plan, weights, n, k, 0, bad);
    if (st == ALIAS_OK) {
        alias_mass_all(&plan, 0, q);
        alias_mass_plan_free(&plan);
    }
    return st;
}
