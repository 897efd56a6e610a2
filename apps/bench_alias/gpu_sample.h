/* Draws from b->table: shared by the parts that sample and the one that measures energy. */
#ifndef APPS_BENCH_ALIAS_GPU_SAMPLE_H
#define APPS_BENCH_ALIAS_GPU_SAMPLE_H

#include "apps/bench_alias/gpu.h"

typedef enum {
    GPU_REDUCED,  /* added up in registers, as in the papers' benchmark */
    GPU_WRITTEN,  /* into memory as uint32 */
    GPU_WRITTEN64 /* as uint64 */
} gpu_target;

typedef struct {
    alias_sampler sampler; /* AUTO: the table's choice */
    gpu_target to;
    bool xorwow; /* reduced only */
    uint64_t count;
} gpu_draws_job;

/* A run of job->count draws with seed r + 1, as gpu_time() wants it.  Reduced, b->sums[0] gets the
 * sum, modulo 2^32 for Philox, added to it. */
int gpu_run_draws(gpu_bench *b, void *job, int r);

#ifdef __cplusplus
extern "C" {
#endif

/* Philox draws, added up modulo 2^32 into the low half of *sum; returns an alias_status. */
int bench_gpu_reduce(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                     uint64_t *sum, cudaStream_t stream);

/* The same draws again: sums[0] += their sum in 64 bits, sums[1] += how many there were. */
int bench_gpu_count(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t count,
                    uint64_t *sums, cudaStream_t stream);

/*
 * Draws as in the papers' benchmark: XORWOW, one double per draw, sections whose sizes come from
 * normal deviates.  8-byte rows as an array of structs.  sums[0] += the sum of the draws, sums[1]
 * += how many there were.  bench_gpu_xorwow_begin() makes the generators' states, one per thread,
 * which the draws go on from.
 */
typedef struct bench_gpu_xorwow_states {
    void *states;
    int multiprocessors;
} bench_gpu_xorwow_states;

cudaError_t bench_gpu_xorwow_begin(bench_gpu_xorwow_states *s, uint64_t seed, cudaStream_t stream);
void bench_gpu_xorwow_end(bench_gpu_xorwow_states *s);
cudaError_t bench_gpu_xorwow(const bench_gpu_xorwow_states *s, const alias_view *view,
                             alias_sampler sampler, uint64_t seed, uint64_t count, uint64_t *sums,
                             cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
