/* Integer masses of the CPU backend: a plan for all items, then any block by itself. */
#ifndef ALIAS_CPU_QUANTIZE_H
#define ALIAS_CPU_QUANTIZE_H

#include "alias/cpu/kernels.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    const alias_kernels *kernels;
    const double *weights;  /* or else */
    const uint64_t *masses; /* given as they are */
    uint64_t n;
    uint64_t blocks;
    double scale;    /* exact power of two that keeps the sum in range, nearly always 1 */
    double factor;   /* mass per unit of scaled weight */
    uint64_t *start; /* Z of blocks + 1 block borders */
} alias_mass_plan;

/* Reads the weights once and checks them.  On success free the plan with alias_mass_plan_free(). */
int alias_mass_plan_create(alias_mass_plan *plan, const double *weights, uint64_t n, int k,
                           int threads, uint64_t *bad);
/* Checks that the masses add up to n * 2^k.  To be freed likewise. */
int alias_mass_plan_of_masses(alias_mass_plan *plan, const uint64_t *masses, uint64_t n, int k);
void alias_mass_plan_free(alias_mass_plan *plan);

/* Items of block b, at most ALIAS_BLOCK. */
static inline uint32_t alias_mass_count(const alias_mass_plan *plan, uint64_t b)
{
    uint64_t rest = plan->n - b * ALIAS_BLOCK;

    return rest < ALIAS_BLOCK ? (uint32_t)rest : ALIAS_BLOCK;
}

/* The masses of the items of block b. */
static inline void alias_mass_block(const alias_mass_plan *plan, uint64_t b, uint64_t *q)
{
    if (plan->weights == NULL) {
        memcpy(q, plan->masses + b * ALIAS_BLOCK, alias_mass_count(plan, b) * sizeof(*q));
        return;
    }
    plan->kernels->quantize(plan->weights + b * ALIAS_BLOCK, alias_mass_count(plan, b), plan->scale,
                            plan->factor, plan->start[b + 1] - plan->start[b], q);
}

/* The masses of all items, q[0..n). */
void alias_mass_all(const alias_mass_plan *plan, int threads, uint64_t *q);

#endif
