/*
 * alias/cpu/quantize.h - the integer masses of all items, by the rule in alias/core/quantize.h: a
 * plan for all items, from which the masses of any section follow.  A const plan may be used by any
 * number of threads.
 */
#ifndef ALIAS_CPU_QUANTIZE_H
#define ALIAS_CPU_QUANTIZE_H

#include "alias/cpu/kernels.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const alias_kernels *kernels;
    const double *weights;  /* NULL: masses are given */
    const uint64_t *masses; /* given masses */
    uint64_t n;
    uint64_t sections;
    double scale;    /* the factor of step 3 */
    double factor;   /* M / S: mass per unit of scaled weight */
    uint64_t *start; /* Z at the sections + 1 section borders */
} alias_mass_plan;

/* Reads the weights once, checks them, and borrows them until the plan is freed.  Errors and bad as
 * for alias_create().  On success free the plan with alias_mass_plan_free(). */
int alias_mass_plan_create(alias_mass_plan *plan, const double *weights, uint64_t n, int k,
                           int threads, uint64_t *bad);

/* The same for given masses, which must add up to n * 2^k. */
int alias_mass_plan_of_masses(alias_mass_plan *plan, const uint64_t *masses, uint64_t n, int k);
void alias_mass_plan_free(alias_mass_plan *plan);

/* Writes the masses of the items of section b. */
static inline void alias_mass_section(const alias_mass_plan *plan, uint64_t b, uint64_t *q)
{
    uint32_t count = alias_section_items(plan->n, b);

    if (plan->weights == NULL) {
        memcpy(q, plan->masses + b * ALIAS_SECTION_ITEMS, count * sizeof(*q));
        return;
    }
    plan->kernels->quantize(plan->weights + b * ALIAS_SECTION_ITEMS, count, plan->scale,
                            plan->factor, plan->start[b + 1] - plan->start[b], q);
}

/* Writes the masses of all items to q[0..n). */
void alias_mass_all(const alias_mass_plan *plan, int threads, uint64_t *q);

#endif
