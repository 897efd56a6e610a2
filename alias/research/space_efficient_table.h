/* Private to alias/: the space-efficient table and its GPU functions. */
#ifndef ALIAS_RESEARCH_SPACE_EFFICIENT_TABLE_H
#define ALIAS_RESEARCH_SPACE_EFFICIENT_TABLE_H

#include "alias/research/space_efficient.h"
#include "alias/research/space_efficient_draw.h"

#ifdef __cplusplus
extern "C" {
#endif

struct alias_space_efficient {
    uint64_t n, slots;
    int threads;
    int device;               /* -1: in host memory */
    alias_rank_block *blocks; /* slots / 96 + 1 */
    uint32_t *fractions;
};

static inline uint64_t alias_rank_blocks(uint64_t slots)
{
    return slots / ALIAS_RANK_SLOTS + 1;
}

/* What differs on a GPU; gpu_space_efficient_stub.c stands in where there is no CUDA.  n is set,
 * device as asked for.  weights are in device memory or else in host memory. */
int alias_gpu_space_build(alias_space_efficient *table, const double *weights, int weights_on_gpu,
                          void *stream, uint64_t *bad);
void alias_gpu_space_destroy(alias_space_efficient *table);

/* How draws are made: by so many threads each (1, 2, 4, ... 32), one draw at a time per group; or
 * several by each lane, which does not wait for the others; or as is best for the table. */
enum { ALIAS_SPACE_STRIPS = 0, ALIAS_SPACE_AUTO = -1 };

/* Out in device memory, of words of 4 or 8 bytes. */
int alias_gpu_space_draw(const alias_space_efficient *table, int group, uint64_t seed,
                         uint64_t first, uint64_t count, void *out, int wide, void *stream);

/* Out in host memory. */
int alias_gpu_space_sample(const alias_space_efficient *table, uint64_t seed, uint64_t first,
                           uint64_t count, void *out, int wide);

#ifdef __cplusplus
}
#endif

#endif
