/*
 * alias/cpu/cpu.h - declarations shared by the files of the CPU backend: the inner loops, threads
 * and memory, the plan of masses, builders and samplers.  Private to alias/ and apps/bench_alias/.
 */
#ifndef ALIAS_CPU_CPU_H
#define ALIAS_CPU_CPU_H

#include "alias/core/quantize.h"
#include "alias/core/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The inner loops, compiled once per instruction set (kernels_body.h), as sets of functions.  The
 * backend chooses a set at run time.  All sets give equal results.
 */

/* The items of a section, light ones (q <= C) and heavy ones (q > C) apart, each in index order.
 * Both arrays hold C - q of their items in [0, ALIAS_SECTION_ITEMS), and from ALIAS_SPLIT on the
 * items' indices, which are below 2^63. */
enum { ALIAS_SPLIT = ALIAS_SECTION_ITEMS + 8 }; /* vector stores may write beyond the last item */
typedef struct {
    int64_t light[2 * ALIAS_SPLIT];
    int64_t heavy[2 * ALIAS_SPLIT];
} alias_split;

typedef struct {
    const char *name;

    /* The sum of count <= ALIAS_SECTION_ITEMS weights times scale, in the order of step 1 of the
     * rule in alias/core/quantize.h. Sets *suspect if a weight may be unusable. */
    double (*section_sum)(const double *weights, uint32_t count, double scale, bool *suspect);

    /* Step 5 of the rule: the masses of a section that owns the given mass. */
    void (*quantize)(const double *weights, uint32_t count, double scale, double factor,
                     uint64_t mass, uint64_t *q);

    /* Splits the section that begins at item first; returns the number of light items. */
    uint32_t (*split)(const uint64_t *q, uint32_t count, uint64_t first, uint64_t capacity,
                      alias_split *out);

    /* Writes rows {q, alias} for count items, from item first on, as if all of them were light. */
    void (*fill8)(const uint64_t *q, uint32_t count, uint64_t first, uint64_t alias,
                  alias_row8 *rows);

    /* Writes the random bits of draw 2 * (block + j) to even[j] and of the next draw to odd[j], for
     * j < blocks; block counts Philox blocks. */
    void (*draw_bits)(uint64_t seed, uint64_t block, uint32_t blocks, uint64_t *even,
                      uint64_t *odd);

    /* Makes 2 * blocks draws, from draw 2 * block on, as uint32_t or (wide) uint64_t items. */
    void (*sample8)(const alias_row8 *rows, uint64_t n, uint64_t seed, uint64_t block,
                    uint64_t blocks, bool wide, void *out);

    /* Makes draws [t, t + count) of a sectioned batch.  All are from the section of m rows that
     * begins with row `start` of the table and lies at `rows`.  Items are uint32_t or (wide)
     * uint64_t. */
    void (*section8)(const alias_row8 *rows, uint64_t m, uint64_t start, uint64_t seed, uint64_t t,
                     uint64_t count, bool wide, void *out);

    /* Writes the random bits of these draws. */
    void (*section_bits)(uint64_t seed, uint64_t t, uint64_t count, uint64_t *bits);
} alias_kernels;

/* The sets that this processor can run, the fastest first; *count is their number.  Thread-safe. */
const alias_kernels *const *alias_cpu_kernel_sets(int *count);

/* The fastest set. */
const alias_kernels *alias_cpu_kernels(void);

extern const alias_kernels alias_kernels_generic;
#if defined(__x86_64__)
extern const alias_kernels alias_kernels_avx2;
extern const alias_kernels alias_kernels_avx512;
#endif

/* The number of threads to start: threads (0: all that the process may use), but at most
 * max(work, 1). */
int alias_cpu_team(int threads, uint64_t work);

/* Allocates count * size bytes, not initialized and aligned to 64 bytes.  Returns NULL if memory is
 * exhausted or the product overflows.  Large allocations get huge pages. */
void *alias_cpu_alloc(uint64_t count, size_t size);

/* The same with small pages, for memory that may mostly stay untouched. */
void *alias_cpu_alloc_sparse(uint64_t count, size_t size);

/* Writes row i in canonical form: alias = i if the bucket belongs to item i only. */
static inline void alias_put_row(void *rows, int row_bytes, int k, uint64_t i, uint64_t threshold,
                                 uint64_t alias)
{
    if (threshold == (uint64_t)1 << k) {
        alias = i;
    }
    if (row_bytes == 8) {
        ((alias_row8 *)rows)[i] = (alias_row8){(uint32_t)threshold, (uint32_t)alias};
    } else {
        ((alias_row16 *)rows)[i] = (alias_row16){threshold, alias};
    }
}

/* The integer masses of all items, by the rule in alias/core/quantize.h: a plan for all items, from
 * which the masses of any section follow.  A const plan may be used by any number of threads. */
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

/* Builds the rows, which are allocated, by table->builder; PSA+ is one of the builders.  Status 0
 * or ALIAS_ERR_NOMEM. */
int alias_cpu_build_rows(alias_table *table, const alias_mass_plan *plan);
int alias_cpu_psa_plus(alias_table *table, const alias_mass_plan *plan);

/* The samplers: the baseline, and a sectioned batch.  Status 0 or ALIAS_ERR_NOMEM; alias/alias.h
 * describes the draws. */
int alias_cpu_sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                     void *out, bool wide);
int alias_cpu_sections(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       void *out, bool wide);

#endif
