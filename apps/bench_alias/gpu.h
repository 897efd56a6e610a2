/* Declarations shared by the files of the GPU's cases: the device, weights, tables and clocks. */
#ifndef APPS_BENCH_ALIAS_GPU_H
#define APPS_BENCH_ALIAS_GPU_H

#include "apps/bench_alias/bench_alias.h"
#include "apps/bench_alias/kernels.h"

enum { GPU_SUMS = 4 };

typedef struct bench_gpu_state {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    alias_table *table; /* from the current weights by the automatic builder; NULL: not yet built */
    void *scratch;      /* of builds */
    size_t scratch_bytes;
    size_t out_bytes; /* of bench.out, which is at least as large as the L2 cache */
    uint64_t *sums;   /* GPU_SUMS words on the device */
} gpu_state;

int gpu_failed(const bench *b, const char *what, cudaError_t error); /* 0 for cudaSuccess */

/* Makes these the current weights; makes b->gpu->table from them; makes room for a build. */
int gpu_weights(bench *b, bench_family family, uint64_t n);
int gpu_table(bench *b, bench_family family, uint64_t n);
int gpu_scratch(bench *b, size_t bytes);

/* Returns 8-byte rows on the GPU, and defaults for the rest. */
alias_config gpu_config(const bench *b);

/* Prepares a table for the current weights, and builds it.  The caller always destroys *table. */
int gpu_build(bench *b, const alias_config *config, alias_table **table);

/* A bench_run: starts a build of the current weights; arg: the table. */
int gpu_run_build(bench *b, void *table, int r);

/* Clocks: the device's time between two events, with the caches of the previous run, or with the L2
 * cache full of other data.  The run starts its work on the stream. */
int gpu_warm_clock(bench *b, bench_run run, void *arg, int r, double *ms);
int gpu_cold_clock(bench *b, bench_run run, void *arg, int r, double *ms);

/* Cases of gpu_build.c and gpu_sample.c. */
int gpu_measure_builds(bench *b);
int gpu_measure_splits(bench *b);
int gpu_measure_samplers(bench *b);
int gpu_measure_map(bench *b);
int gpu_measure_sections(bench *b);
int gpu_measure_spaces(bench *b);
int gpu_measure_rejection(bench *b);

#endif
