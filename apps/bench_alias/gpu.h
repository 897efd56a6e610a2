/*
 * Shared by the parts of the GPU benchmark: what is measured on, timing, result rows.
 *
 * A part is a function that goes through its cases.  A case has a name with slashes, its part's
 * first; it asks gpu_wanted() before it does anything, then makes weights and tables (kept from the
 * case before where they are the same), measures, checks, and writes one row.  Functions return 0,
 * or 1 after a line on stderr.
 */
#ifndef APPS_BENCH_ALIAS_GPU_H
#define APPS_BENCH_ALIAS_GPU_H

#include "alias/alias_gpu.h"
#include "apps/bench/util.h"
#include "apps/bench_alias/bench_alias.h"
#include "apps/bench_alias/energy.h"
#include "apps/bench_alias/gpu_kernels.h"
#include "apps/common/json.h"

typedef enum {
    GPU_UNIFORM,
    GPU_POWER1,
    GPU_POWER_HALF,
    GPU_POWER2,
    GPU_SORTED,
    GPU_FAMILIES
} gpu_family;

typedef struct {
    const char *name;
    double exponent; /* 0: uniform random */
    int shuffled;
} gpu_family_info;

extern const gpu_family_info gpu_families[GPU_FAMILIES];

/* A headline figure, for the report at the end: milliseconds, draws per second or joules. */
typedef struct {
    char name[80];
    double value;
} gpu_figure;

typedef struct {
    const bench_alias_options *o;
    FILE *json; /* NULL: names are listed */
    char name[80];
    unsigned cases, rows;
    json_object row;
    gpu_figure *figures;
    unsigned n_figures, wrong; /* failed checks */
    int multiprocessors;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    uint64_t most; /* rows that memory has room for */
    bench_energy *energy;
    double idle; /* watts; 0: unknown */
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
    uint64_t *sums;                         /* GPU_SUMS words on the device */
    struct bench_gpu_xorwow_states *xorwow; /* NULL: not yet made */
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

/* Zeroes the sums, and reads them back once the stream has got there. */
int gpu_sums_clear(gpu_bench *b);
int gpu_sums_read(gpu_bench *b, uint64_t sums[GPU_SUMS]);

/* Starts round r of what is measured on b->stream (host times: and waits for it). */
typedef int (*gpu_run)(gpu_bench *b, void *arg, int r);

typedef enum {
    GPU_WARM, /* time on the device, caches as the run before left them */
    GPU_COLD, /* the same, the L2 cache full of something else */
    GPU_HOST  /* time that the caller waits */
} gpu_clock;

/* Milliseconds of --repeats runs after one to warm up; fewer of runs that take long. */
int gpu_time(gpu_bench *b, gpu_clock clock, gpu_run run, void *arg, bench_stats *ms);

/* A row of results: begin, json_*(&b->row, ...), end.  gpu_row_time() adds ms and items per second
 * and prints a line; the remembered figure is the rate if rate, else the milliseconds. */
void gpu_row_begin(gpu_bench *b);
void gpu_row_time(gpu_bench *b, bench_stats ms, double items, bool rate);
void gpu_row_stats(gpu_bench *b, const char *key, bench_stats s);
void gpu_row_check(gpu_bench *b, const char *what, bool right);
void gpu_row_end(gpu_bench *b);
void gpu_remember(gpu_bench *b, double value);

/* Finds a figure by its case's name; 0 if it was not measured. */
double gpu_recall(const gpu_bench *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The parts, each in a file of its name. */
int gpu_part_machine(gpu_bench *b);
int gpu_part_build(gpu_bench *b);
int gpu_part_split(gpu_bench *b);
int gpu_part_sample(gpu_bench *b);
int gpu_part_space(gpu_bench *b);
int gpu_part_host(gpu_bench *b);
int gpu_part_energy(gpu_bench *b);
int gpu_part_rejection(gpu_bench *b);

/* "asked / measured": a table on stderr, an array into the JSON. */
void gpu_report(const gpu_bench *b);

/* Shared by build and energy: a build of b's weights, as gpu_time() wants it (arg: the table). */
int gpu_run_build(gpu_bench *b, void *table, int r);

#endif
