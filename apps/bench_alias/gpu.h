/*
 * What the files of the GPU benchmark share: what is measured on, timing, rows of results.
 *
 * A part is a function that goes through its cases.  A case has a name with slashes, its part's
 * first.  The part asks gpu_wanted() before it does anything, then prepares weights and tables
 * (kept from the case before where they are the same) and hands the case to gpu_measure(), which
 * times it, checks its result and writes one row.  Functions return 0, or 1 after a line on stderr.
 */
#ifndef APPS_BENCH_ALIAS_GPU_H
#define APPS_BENCH_ALIAS_GPU_H

#include "alias/alias_gpu.h"
#include "apps/bench/util.h"
#include "apps/bench_alias/bench_alias.h"
#include "apps/bench_alias/kernels.h"
#include "apps/common/json.h"

typedef enum {
    GPU_UNIFORM,
    GPU_POWER1,
    GPU_POWER_HALF,
    GPU_POWER2,
    GPU_SORTED,
    GPU_FAMILIES
} gpu_family;

extern const char *const gpu_family_names[GPU_FAMILIES];

/* 1e6 to 1e9 rows. */
enum { GPU_SIZES = 4 };
extern const uint64_t gpu_sizes[GPU_SIZES];

typedef struct {
    const bench_alias_options *o;
    FILE *json; /* NULL: names are listed */
    char name[80];
    unsigned cases, rows, wrong; /* wrong: failed checks */
    json_object row;
    char pci_address[32];
    cudaStream_t stream;
    cudaEvent_t begin, end;
    uint64_t most; /* rows that memory has room for */
    /* The weights, and where in them a draw lies: mean and variance of the index. */
    gpu_family family;
    uint64_t n, capacity;
    double *weights;
    double mean, variance;
    alias_table *table; /* from these weights by the automatic builder; NULL: not yet */
    void *scratch;      /* of builds */
    size_t scratch_bytes;
    void *out; /* draws; at least as large as the L2 cache */
    size_t out_bytes;
    uint64_t *sums; /* GPU_SUMS words on the device */
} gpu_bench;

enum { GPU_SUMS = 8 };

int gpu_failed(const gpu_bench *b, const char *what, cudaError_t error); /* 0 for cudaSuccess */
int gpu_alias_failed(const gpu_bench *b, const char *what, int status);  /* 0 for ALIAS_OK */

/* "1e6", "3e7" where n is a digit and zeros, else all digits. */
const char *gpu_number(char text[24], uint64_t n);

/* Is the case of this name to be measured?  It then is b->name. */
bool gpu_wanted(gpu_bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* No more than --limit allows. */
uint64_t gpu_draws(const gpu_bench *b, uint64_t draws);

/* Are tables of n rows within --limit and the GPU's memory? */
bool gpu_fits(const gpu_bench *b, uint64_t n);

int gpu_weights(gpu_bench *b, gpu_family family, uint64_t n);
int gpu_table(gpu_bench *b, gpu_family family, uint64_t n);
int gpu_scratch(gpu_bench *b, size_t bytes);

/* The backend, device and width of rows that the options ask for, all else by default. */
alias_config gpu_config(const gpu_bench *b);

/* Prepare a table for b's weights, and build it.  *table is to be destroyed in any case. */
int gpu_build(gpu_bench *b, const alias_config *config, alias_table **table);

/* Zero the sums, and read them back once the stream has got there. */
int gpu_sums_clear(gpu_bench *b);
int gpu_sums_read(gpu_bench *b, uint64_t sums[GPU_SUMS]);

/* Start round r of what is measured on b->stream (with GPU_HOST: and wait for it). */
typedef int (*gpu_run)(gpu_bench *b, void *arg, int r);

/* A build of b's weights; arg: the table. */
int gpu_run_build(gpu_bench *b, void *table, int r);

typedef enum {
    GPU_WARM, /* time on the device, caches as the run before left them */
    GPU_COLD, /* the same, the L2 cache full of something else */
    GPU_HOST  /* time that the caller waits */
} gpu_clock;

/* Milliseconds of --repeats runs after one to warm up; fewer of runs that take long. */
int gpu_time(gpu_bench *b, gpu_clock clock, gpu_run run, void *arg, bench_stats *ms);

typedef struct {
    gpu_clock clock;
    bool cold; /* measured with a cold cache as well */
    gpu_run run;
    void *arg;         /* of all three functions */
    uint64_t n, count; /* rows and draws, for the row of results; 0: does not apply */
    double items;      /* of a run: rows, draws, bytes */
    int (*check)(gpu_bench *b, void *arg); /* ends with gpu_row_check(); NULL: nothing to check */
} gpu_case;

/* Measure the case whose name is b->name. */
int gpu_measure(gpu_bench *b, const gpu_case *c);

/* A row of results by hand: begin, json_*(&b->row, ...), end. */
void gpu_row_begin(gpu_bench *b);
void gpu_row_check(gpu_bench *b, const char *what, bool right);
void gpu_row_end(gpu_bench *b);

/* How far the mean of draws with this sum is from what the weights say, in standard deviations; a
 * member of the row. */
double gpu_row_z(gpu_bench *b, uint64_t sum, uint64_t count);

/* The parts. */
int gpu_part_machine(gpu_bench *b);
int gpu_part_build(gpu_bench *b);
int gpu_part_sample(gpu_bench *b);
int gpu_part_energy(gpu_bench *b);
int gpu_part_rejection(gpu_bench *b);

/* Draws from b->table. */
typedef enum {
    GPU_REDUCED,  /* added up in registers, as in the papers' benchmark */
    GPU_WRITTEN,  /* into memory as uint32 */
    GPU_WRITTEN64 /* as uint64 */
} gpu_target;

typedef struct {
    alias_sampler sampler; /* AUTO: the table's choice */
    gpu_target to;
    uint64_t count;
} gpu_draws_job;

/* job->count draws with seed r + 1.  Reduced, their sum modulo 2^32 is added to b->sums[0]. */
int gpu_run_draws(gpu_bench *b, void *job, int r);

#endif
