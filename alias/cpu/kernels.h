/*
 * alias/cpu/kernels.h - the inner loops, compiled once per instruction set, as sets of functions.
 * The backend chooses a set at run time.  All sets give equal results.
 */
#ifndef ALIAS_CPU_KERNELS_H
#define ALIAS_CPU_KERNELS_H

#include "alias/core/draw.h"
#include "alias/core/quantize.h"
#include "alias/core/sections.h"

#include <stdbool.h>
#include <stdint.h>

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
#elif defined(__aarch64__)
extern const alias_kernels alias_kernels_neon;
#endif

#endif
