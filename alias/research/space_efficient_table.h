/*
 * alias/research/space_efficient_table.h - the space-efficient table, and what is different on a
 * GPU: gpu_space_efficient.cu and gpu_space_efficient_draw.cu, or gpu_space_efficient_stub.c in a
 * build without CUDA.  Private to alias/research/ and its tests.
 */
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
    int device;              /* number of the GPU; -1: in host memory */
    alias_rank_entry *ranks; /* alias_rank_entries(slots) of them */
    uint32_t *fractions;
};

/* The number of rank entries for so many slots. */
static inline uint64_t alias_rank_entries(uint64_t slots)
{
    return slots / ALIAS_RANK_SLOTS + 1;
}

/* Builds a table whose n and device (-1: the current GPU) are set, from weights in device or in
 * host memory. */
int alias_gpu_space_build(alias_space_efficient *table, const double *weights, bool weights_on_gpu,
                          void *stream, uint64_t *bad);
void alias_gpu_space_destroy(alias_space_efficient *table);

/* How draws are made: a group of 1, 2, 4, ... 32 threads at one draw (any of these numbers); or
 * strips, in which each lane makes several draws without waiting for other lanes; or whichever is
 * best for the table. */
enum { ALIAS_SPACE_STRIPS = 0, ALIAS_SPACE_AUTO = -1 };

/* Starts draws into device memory: uint64_t if wide, else uint32_t. */
int alias_gpu_space_draw(const alias_space_efficient *table, int group, uint64_t seed,
                         uint64_t first, uint64_t count, void *out, bool wide, void *stream);

/* Makes draws into host memory. */
int alias_gpu_space_sample(const alias_space_efficient *table, uint64_t seed, uint64_t first,
                           uint64_t count, void *out, bool wide);

#ifdef __cplusplus
}
#endif

#endif
