/*
 * alias/core/quantize.h - the rule that turns weights into integer masses, and the parts of it that
 * the CPU and the GPU share.  Private to alias/.
 *
 * Weights w_0 ... w_{n-1} become masses q_i with the sum M = n * 2^k exactly.  All arithmetic on
 * weights is IEEE double, rounded to nearest and never fused, in the order given here, so that
 * every backend and every number of threads computes the same masses.
 *
 * 1. Section sums.  A section is 4096 consecutive items.  The sum s_b of section b is taken in 32
 *    lanes: lane l starts at 0 and adds items l, l + 32, l + 64, ... of the section in this order;
 *    then, for h = 16, 8, 4, 2, 1, each lane l < h adds lane l + h; s_b is lane 0.
 * 2. Prefix sums.  256 consecutive sections form a segment.  Within a segment, p_j is the sum of
 *    the section sums 0 to j, added one by one.  The prefix sum at the end of that section is
 *    F = G + p_j, where G is F at the end of the previous segment (0 for the first segment).
 *    S is the last F.
 * 3. Scaling.  If S is infinite (although no weight is), all weights are multiplied by 2^-64; if
 *    0 < S < 2^-900, by 2^500.  Steps 1 and 2 are then repeated, and w_i denotes the scaled weight
 *    from here on.
 * 4. Section masses.  Z_b = floor((F at the start of section b / S) * M).  Section b owns the mass
 *    Z_{b+1} - Z_b.
 * 5. Item masses.  t_i = floor(w_i * (M / S)).  The remainder r is Z_{b+1} - Z_b minus the sum of
 *    t_i over the section.  If r > 0, the items with w_i > 0 are eligible; if r < 0, those with t_i
 *    > 0.  While r is not 0: let share = max(1, floor(|r| / number of eligible items)); in index
 *    order, each eligible item receives min(share, the rest of |r|), or gives back as much, but at
 *    most t_i.  q_i is the final t_i.
 *
 * If r > 0, there is an eligible item: a section without a positive weight has s_b = 0, hence the
 * same F and Z at both of its ends and no mass.  Given F, sections do not depend on one another.
 */
#ifndef ALIAS_CORE_QUANTIZE_H
#define ALIAS_CORE_QUANTIZE_H

#include "alias/alias.h"
#include "alias/core/hd.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum {
    ALIAS_SECTION_ITEMS = 4096, /* items of a section; PSA+ builds in the same sections */
    ALIAS_SEGMENT_SECTIONS = 256
};

/* The number of sections of n items. */
ALIAS_HD uint64_t alias_section_count(uint64_t n)
{
    return n / ALIAS_SECTION_ITEMS + (n % ALIAS_SECTION_ITEMS != 0);
}

/* The number of items in section b of n items: ALIAS_SECTION_ITEMS except in the last section. */
ALIAS_HD uint32_t alias_section_items(uint64_t n, uint64_t b)
{
    uint64_t rest = n - b * ALIAS_SECTION_ITEMS;

    return rest < ALIAS_SECTION_ITEMS ? (uint32_t)rest : (uint32_t)ALIAS_SECTION_ITEMS;
}

/* Step 3: the factor by which all weights are multiplied if their sum is S; almost always 1. */
ALIAS_HD double alias_weight_scale(double sum)
{
    return sum > DBL_MAX ? 0x1p-64 : sum > 0 && sum < 0x1p-900 ? 0x1p500 : 1;
}

/* ALIAS_OK for a weight that can be used, else the status that says why it cannot. */
ALIAS_HD int alias_weight_status(double w)
{
    if (w >= 0 && w <= DBL_MAX) {
        return ALIAS_OK;
    }
    return isnan(w)                 ? ALIAS_ERR_NAN
           : w < 0 && w >= -DBL_MAX ? ALIAS_ERR_NEGATIVE
                                    : ALIAS_ERR_INFINITE;
}

#endif
