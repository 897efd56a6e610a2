/* Private to the GPU backend: device memory, the plan of masses, and what the builders offer. */
#ifndef ALIAS_GPU_STATE_H
#define ALIAS_GPU_STATE_H

#include "alias/alias_gpu.h"
#include "alias/core/sections.h"
#include "alias/core/table.h"
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Hands out pieces of a block of scratch memory; with base NULL it only adds up their sizes, so
 * that one function serves to measure and to run. */
typedef struct {
    char *base;
    size_t used;
} alias_arena;

static inline void *alias_arena_take(alias_arena *arena, uint64_t count, size_t size)
{
    size_t at = arena->used;

    arena->used += (count * size + 255) / 256 * 256;
    return arena->base != NULL ? arena->base + at : NULL;
}

/* Rows being written. */
typedef struct {
    void *rows;
    void *alias; /* NULL: array of structs */
    uint64_t n;
    int k;
    int row_bytes;
} alias_gpu_rows;

/* In device memory: results of the plan that kernels read, and the build's status. */
typedef struct {
    double scale, factor; /* see alias/cpu/quantize.c */
    unsigned long long
        bad_so_far;         /* lowest index of an unusable weight; ULLONG_MAX between builds */
    unsigned long long bad; /* the same at the end, if status says that there is one */
    unsigned long long surplus_blocks; /* blocks without a deficit */
    int status;                        /* alias_status; kernels do nothing unless it is ALIAS_OK */
} alias_gpu_scalars;

/* What the masses of any block follow from, in device memory.  alias/gpu/quantize.cuh makes them.
 */
typedef struct {
    const double *weights;  /* or else */
    const uint64_t *masses; /* given as they are */
    uint64_t n;
    uint64_t blocks; /* of ALIAS_BLOCK items */
    int k;
    alias_gpu_scalars *scalars;
    double *sums;      /* of the blocks */
    uint64_t *start;   /* Z of the blocks + 1 block borders */
    uint64_t *surplus; /* the same many: sums of the surpluses (Z - even share > 0) before */
    uint64_t *deficit; /* and of the deficits */
    uint32_t *order;   /* scalars->surplus_blocks blocks without a deficit, then those with one; in
                          any order */
} alias_gpu_plan;

typedef struct {
    alias_gpu_rows rows;
    alias_gpu_plan plan;
    const alias_config *config;
    int multiprocessors;
} alias_gpu_job;

/* The state behind alias_table.gpu. */
typedef struct {
    int device;
    int multiprocessors;
    void *alias;                /* struct of arrays: aliases; table->rows are the thresholds */
    cudaMemPool_t pool;         /* scratch of calls that draw, freed in stream order */
    alias_gpu_scalars *scalars; /* of the last build */
    cudaEvent_t built;
} alias_gpu_state;

/* For tests: the launch after this many more fails.  Negative: none does. */
void alias_gpu_fail_launch(int after);

/* librmat_core and alias_device.cuh use these too. */
#pragma GCC visibility push(default)
/* Remembers the error for alias_gpu_error(); the matching alias_status. */
int alias_gpu_status(cudaError_t error);

/* To be called after every launch: what became of it. */
int alias_gpu_launched(void);

/* Makes the table's GPU current; returns the one that was, for alias_gpu_leave(). */
int alias_gpu_enter(int device, int *before);
void alias_gpu_leave(int before);

/* The sections of a GPU table, and the offsets of the batch's sections (with count behind the last)
 * in device memory, on their way in the stream; to be given back there. */
int alias_sections_begin(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         cudaStream_t stream, alias_sections *layout, uint64_t **offsets);
int alias_sections_end(uint64_t *offsets, cudaStream_t stream);
#pragma GCC visibility pop

/* Memory for the rows of a new table, on the GPU that its configuration names. */
int alias_gpu_allocate(alias_table *table);
void alias_gpu_release(alias_table *table);

/* All rows from host memory, as pairs; one row to it. */
int alias_gpu_upload(alias_table *table, const void *rows);
int alias_gpu_get_row(const alias_table *table, uint64_t i, alias_row *row);

/* Kernels.  Each takes its scratch from the arena, and launches nothing if that only measures. */
int alias_gpu_plan_weights(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream);
int alias_gpu_plan_masses(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream);
int alias_gpu_psa(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);
int alias_gpu_merge(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);
int alias_gpu_psa_plus(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);

/* The backend's draws into host memory. */
int alias_gpu_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint32_t *out);
int alias_gpu_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *out);
int alias_gpu_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint32_t *out);
int alias_gpu_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint64_t *out);

/* Draws [first, last] of the whole table into device memory. */
int alias_gpu_draw(const alias_view *view, uint64_t seed, uint64_t first, uint64_t last, void *out,
                   int wide_out, cudaStream_t stream);

/* Positions [begin, last] of the sectioned batch that starts with draw first. */
int alias_gpu_draw_sections(const alias_view *view, const alias_sections *layout,
                            const uint64_t *offsets, alias_sampler sampler, uint64_t seed,
                            uint64_t first, uint64_t begin, uint64_t last, void *out, int wide_out,
                            cudaStream_t stream);

/* The fastest of the sectioned samplers that can do with the table's sections. */
alias_sampler alias_gpu_best_sections(const alias_table *table);

#ifdef __cplusplus
}
#endif

#endif
