/* The inner loops that are worth compiling once per instruction set.  All sets give equal results.
 */
#ifndef ALIAS_CPU_KERNELS_H
#define ALIAS_CPU_KERNELS_H

#include "alias/core/draw.h"
#include <stdint.h>

/* The items of a block, light (q <= C) and heavy apart, each in index order: C - q of them in
 * [0, ALIAS_BLOCK), their indices (below 2^63) ALIAS_SPLIT entries further on. */
enum { ALIAS_SPLIT = ALIAS_BLOCK + 8 }; /* vectors may write beyond the last */
typedef struct {
    int64_t light[2 * ALIAS_SPLIT];
    int64_t heavy[2 * ALIAS_SPLIT];
} alias_split;

typedef struct {
    const char *name;

    /*
     * The sum of count <= ALIAS_BLOCK weights times scale, in the order that alias/cpu/quantize.c
     * gives. *suspect: 0 only if every weight is usable; else somebody has to look.
     */
    double (*block_sum)(const double *weights, uint32_t count, double scale, int *suspect);

    /* The masses of one block that owns mass in all: alias/cpu/quantize.c has the rule. */
    void (*quantize)(const double *weights, uint32_t count, double scale, double factor,
                     uint64_t mass, uint64_t *q);

    /* Splits the block that begins at item first; returns the number of light items. */
    uint32_t (*split)(const uint64_t *q, uint32_t count, uint64_t first, uint64_t capacity,
                      alias_split *out);

    /* Rows {q, alias} of light items from first on. */
    void (*fill8)(const uint64_t *q, uint32_t count, uint64_t first, uint64_t alias,
                  alias_row8 *rows);

    /* Random bits of draws 2 * block + 2 * j into even[j] and of the next ones into odd[j]. */
    void (*draw_bits)(uint64_t seed, uint64_t block, uint32_t blocks, uint64_t *even,
                      uint64_t *odd);

    /* Draws from 2 * block on, 2 * blocks of them, as 32-bit or (wide) 64-bit items. */
    void (*sample8)(const alias_row8 *rows, uint64_t n, uint64_t seed, uint64_t block,
                    uint64_t blocks, int wide, void *out);
} alias_kernels;

/* Every set that this processor can run, the fastest first; *count of them. */
const alias_kernels *const *alias_cpu_kernel_sets(int *count);

/* The fastest. */
const alias_kernels *alias_cpu_kernels(void);

extern const alias_kernels alias_kernels_generic;
#if defined(__x86_64__)
extern const alias_kernels alias_kernels_avx2;
extern const alias_kernels alias_kernels_avx512;
#endif

#endif
