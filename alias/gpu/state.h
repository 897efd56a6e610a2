/*
 * alias/gpu/state.h - the state of the GPU backend and the interfaces between its files.  Private
 * to alias/gpu/, its tests, and apps/bench_alias/; other modules include alias/gpu/device.h.
 *
 * A build first makes a plan, from which the masses of any section follow.  A builder then makes
 * the masses where it needs them, and writes the rows.  Kernels on one stream do all of this,
 * without waiting, in scratch memory from an arena.
 */
#ifndef ALIAS_GPU_STATE_H
#define ALIAS_GPU_STATE_H

#include "alias/alias_gpu.h"
#include "alias/core/quantize.h"
#include "alias/core/sections.h"
#include "alias/core/table.h"
#include "alias/gpu/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From this number of sections on, the kernels take so long that their launches hardly matter. */
enum { ALIAS_MANY_SECTIONS = 2048 };

/* Results of the plan that kernels read, and the status of the build; in device memory. */
typedef struct {
    double scale, factor; /* the factor of step 3 and M / S of alias/core/quantize.h */
    /* The lowest index of an unusable weight found so far; ULLONG_MAX between builds. */
    unsigned long long bad_so_far;
    unsigned long long bad; /* the final one, if status says that a weight is unusable */
    unsigned long long surplus_sections; /* sections without a deficit */
    unsigned long long ready; /* the sections whose remaining items PSA+ has listed so far */
    int status;               /* alias_status; kernels do nothing unless it is ALIAS_OK */
} alias_gpu_scalars;

/*
 * The plan of a build; its arrays lie in device memory.  With C = 2^k, section b has the surplus
 * max(0, Z_{b+1} - Z_b - items * C) or the deficit max(0, items * C - (Z_{b+1} - Z_b)).  The prefix
 * sums of surpluses and of deficits are the two axes on which PSA+ matches remaining items.
 */
typedef struct {
    const double *weights;
    uint64_t n;
    uint64_t sections;
    int k;
    alias_gpu_scalars *scalars;
    double *sums;      /* of each section; scratch */
    uint64_t *start;   /* Z at the sections + 1 section borders */
    uint64_t *surplus; /* sums of the surpluses before each of the sections + 1 borders */
    uint64_t *deficit; /* sums of the deficits before each of these borders */
    uint32_t *order;   /* the scalars->surplus_sections sections without a deficit, then those with
                          a deficit; each group in any order */
} alias_gpu_plan;

/* The input and the output of a builder. */
typedef struct {
    alias_view rows; /* that a build writes */
    alias_gpu_plan plan;
    const alias_config *config;
    int multiprocessors;
} alias_gpu_job;

/* The state behind alias_table.gpu. */
typedef struct {
    int device;
    int multiprocessors;
    cudaMemPool_t pool;         /* scratch memory of draws, freed in stream order */
    alias_gpu_scalars *scalars; /* of the last build */
    cudaEvent_t built;          /* recorded after the last build */
} alias_gpu_state;

/* Make a plan, whose weights, n, k and scalars are set, and build rows from it.  Scratch memory
 * comes from the arena.  If the arena only measures, nothing is launched. */
int alias_gpu_plan_weights(alias_gpu_plan *plan, alias_arena *arena, cudaStream_t stream);
int alias_gpu_psa(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);
int alias_gpu_psa_plus(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);

/*
 * Light and heavy items in device memory with their prefix sums, and the states of the sweep: the
 * first steps of PSA.  apps/bench_alias/gpu.c measures the second one alone.
 */

/* Up to this many items, item numbers are stored in 32 bits. */
#define ALIAS_GPU_NARROW ((uint64_t)1 << 32)

/* The numbers of light and heavy items, in device memory. */
typedef struct {
    uint64_t lights, heavies;
} alias_gpu_counts;

/* The lists of `partition` (alias/cpu/builders.c), except that heavy items run backwards from the
 * end, so that the number of light items need not be known in advance.  alias/gpu/rows.cuh reads
 * them. */
typedef struct {
    void *items;    /* n + 3 of 32 bits if n <= ALIAS_GPU_NARROW, else of 64 bits */
    uint64_t *sums; /* n + 3: D and E with sentinels */
    uint64_t n;
    uint64_t capacity;
    alias_gpu_counts *counts;
    const alias_gpu_scalars *scalars;
} alias_gpu_partition;

/* Takes the lists from the arena and starts to fill them, unless the arena only measures. */
int alias_gpu_partition_items(alias_gpu_partition *part, const alias_gpu_plan *plan,
                              alias_arena *arena, cudaStream_t stream);

/* Starts to compute lights[p], for p = 0 ... parts: the number of light items among the first
 * min(p * size, n) steps of the sweep. */
int alias_gpu_split(const alias_gpu_partition *part, alias_split_method method, uint64_t parts,
                    uint64_t size, uint64_t *lights, cudaStream_t stream);

/* Draws into host memory, and into device memory: see alias.h and alias_gpu.h. */
int alias_gpu_sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                     void *out, bool wide);
int alias_gpu_sections(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       void *out, bool wide);
int alias_gpu_sample_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                            uint64_t first, uint64_t count, void *out, bool wide, void *stream);
alias_sampler alias_gpu_best_sampler(const alias_table *table, uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
