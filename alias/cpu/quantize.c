/*
 * From weights w_0 ... w_{n-1} to integer masses q_i with sum M = n * 2^k exactly.  All arithmetic
 * on weights is IEEE double, round to nearest, never fused.
 *
 * 1. Blocks of 4096 consecutive items.  Block sum s_b: lane l of 32, starting from 0, adds items l,
 *    l + 32, l + 64, ... of the block in order; then for h = 16, 8, 4, 2, 1 lane l < h adds lane
 *    l + h; s_b is lane 0.
 * 2. Prefix sums over the blocks.  Segments of 256 blocks: p_j is the sum, one by one, of the first
 *    j + 1 block sums of a segment, and F at the end of that block is G + p_j, where G is F at the
 *    end of the segment before (0 for the first).  S = F at the very end.
 * 3. If S is infinite (though no weight is), or 0 < S < 2^-900, all weights are multiplied by 2^-64
 *    or 2^500, and 1. and 2. done again; from here on w_i are the multiplied weights.
 * 4. Z_b = floor((F at the start of block b / S) * M).  Block b owns the mass Z_{b+1} - Z_b.
 * 5. t_i = floor(w_i * (M / S)), and r = Z_{b+1} - Z_b minus the sum of t_i over the block.  As
 * long as r is not 0: eligible are the items with w_i > 0 if r > 0, those with t_i > 0 if r < 0;
 *    share = max(1, floor(|r| / number of eligible items)); in index order each eligible item gets
 *    (or gives back, at most t_i) min(share, what is left of |r|).  q_i = t_i at the end.
 *
 * r > 0 always finds an eligible item: a block without positive weight has s_b = 0, hence equal F
 * and Z at both ends and no mass.  Blocks are independent but for F, so that any number of threads
 * and a GPU do the same.
 */
#include "alias/cpu/quantize.h"
#include "alias/core/table.h"
#include "alias/cpu/util.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { SEGMENT = 256 };

/* What is wrong with this block's weights, if anything. */
static int check_block(const alias_mass_plan *plan, uint64_t b, uint64_t *bad)
{
    uint64_t i, end = b * ALIAS_BLOCK + alias_mass_count(plan, b);

    for (i = b * ALIAS_BLOCK; i < end; i++) {
        double w = plan->weights[i];

        if (!(w >= 0 && w <= DBL_MAX)) {
            *bad = i;
            return isnan(w)                 ? ALIAS_ERR_NAN
                   : w < 0 && w >= -DBL_MAX ? ALIAS_ERR_NEGATIVE
                                            : ALIAS_ERR_INFINITE;
        }
    }
    return ALIAS_OK;
}

/* Step 1, and the check of the weights. */
static int sum_blocks(const alias_mass_plan *plan, int threads, double *sum, uint64_t *bad)
{
    uint64_t first_bad = UINT64_MAX;
    int st = ALIAS_OK;

#pragma omp parallel num_threads(alias_cpu_team(threads, plan->blocks / 8))
    {
        uint64_t b;

#pragma omp for schedule(dynamic, 64)
        for (b = 0; b < plan->blocks; b++) {
            int suspect = 0;

            sum[b] = plan->kernels->block_sum(plan->weights + b * ALIAS_BLOCK,
                                              alias_mass_count(plan, b), plan->scale, &suspect);
            if (suspect) {
                uint64_t where = UINT64_MAX;
                int what = check_block(plan, b, &where);

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

/* Step 2: replaces the block sums by F at the ends of the blocks; returns S. */
static double prefix_sums(double *sum, uint64_t blocks)
{
    double base = 0, part = 0, f = 0;
    uint64_t b;

    for (b = 0; b < blocks; b++) {
        if (b % SEGMENT == 0) {
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
    plan->blocks = n / ALIAS_BLOCK + (n % ALIAS_BLOCK != 0);
    f = alias_cpu_alloc(plan->blocks, sizeof(*f));
    plan->start = alias_cpu_alloc(plan->blocks + 1, sizeof(*plan->start));
    if (f == NULL || plan->start == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    st = sum_blocks(plan, threads, f, bad);
    if (st != ALIAS_OK) {
        goto done;
    }
    total = prefix_sums(f, plan->blocks);
    if (total == 0) {
        st = ALIAS_ERR_ZERO_SUM;
        goto done;
    }
    if (total > DBL_MAX || total < 0x1p-900) {
        plan->scale = total > DBL_MAX ? 0x1p-64 : 0x1p500;
        sum_blocks(plan, threads, f, NULL);
        total = prefix_sums(f, plan->blocks);
    }
    plan->factor = mass / total;
    plan->start[0] = 0;
    for (b = 0; b < plan->blocks; b++) {
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
    plan->blocks = n / ALIAS_BLOCK + (n % ALIAS_BLOCK != 0);
    plan->start = alias_cpu_alloc(plan->blocks + 1, sizeof(*plan->start));
    if (plan->start == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < n && sum <= mass; i++) {
        if (i % ALIAS_BLOCK == 0) {
            plan->start[i / ALIAS_BLOCK] = sum;
        }
        sum = masses[i] <= mass - sum ? sum + masses[i] : UINT64_MAX;
    }
    plan->start[plan->blocks] = sum;
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

#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(threads, plan->blocks / 8))
    for (b = 0; b < plan->blocks; b++) {
        alias_mass_block(plan, b, q + b * ALIAS_BLOCK);
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
