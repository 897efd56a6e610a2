/* What the files of `rmat bench` share: the job, the backends, and tables of cases. */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include "apps/bench/util.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "rmat/rmat.h"
#include <stdbool.h>
#include <stdint.h>

enum { BENCH_LEAST_RUNS = 3, BENCH_USUAL_RUNS = 5, BENCH_MAX_RUNS = 100 };
enum { BENCH_MODELS = 15, BENCH_MODEL_LEAST_SCALE = 4 };

/* In the order of their names in the option table. */
typedef enum { PART_ALL, PART_MEMORY, PART_MODELS, PART_FILE, PART_CSR, PART_RANKS } bench_part;

/* The values of the option table. */
typedef struct {
    uint64_t seconds, runs, edges, threads, device, size, edge_factor, intervals, memory;
    int part, backend, isa, id_type, stream;
    option_list scales;
    bool unique, permute, ends, force, help;
    const char *dir, *json;
} bench_options;

/* What is to be measured, and where the figures go. */
typedef struct {
    const bench_options *o;
    int threads;       /* the most to use */
    int device;        /* the number of the GPU */
    int id_bytes;      /* 0: not given */
    bool cpu, gpu;     /* what is measured; of a rank one of them */
    FILE *table;       /* tables for people */
    json_object *json; /* the whole report for programs */
} bench_job;

/*
 * A table of edges per second in memory: cases that take turns, one column for each scale.
 *
 * Each case stands beside its limit, another case that is measured in the same turns: plain writes
 * to the same memory, for example.
 */
typedef struct bench_table bench_table;

/* A measurement. */
typedef struct {
    double edges, seconds;
} bench_sample;

typedef struct bench_case {
    const char *name; /* the instruction set, the model, or where the edges go */
    int kind;         /* for the backend: what is measured */
    /* Measure once, at the scale and id_bytes of the table, as long as table_goes_on().  Returns
     * an rmat_status. */
    int (*run)(bench_table *t, const struct bench_case *c, bench_sample *sample);

    bool generates; /* gen is made for each scale, of this model */
    int model;      /* 0: the plain one */
    rmat_isa isa;
    int threads;    /* 0: does not apply */
    bool hidden;    /* not printed: others are compared with it */
    int limit;      /* the case that this one is compared with; itself: with none */
    int one_thread; /* the same case with one thread; itself: none */
    rmat_gen *gen;
    double rates[OPTION_LIST_MAX][BENCH_MAX_RUNS]; /* edges per second */
} bench_case;

enum { BENCH_CASES = 16 };

struct bench_table {
    const bench_job *job;
    bool gpu;
    bench_part part; /* memory, models, or what ranks measure together */
    int n_cases;
    bench_case cases[BENCH_CASES];
    void *state; /* the backend's */

    int scale, id_bytes; /* that are measured now */
    int runs;
    double slice; /* seconds of one measurement, unless the job says how many edges */
};

/* Where edges are made: host memory and processors, or a GPU.  Functions that return int return an
 * rmat_status. */
typedef struct {
    int (*allocate)(void **place, size_t bytes);
    void (*release)(void *place); /* NULL is allowed */
    int (*wait)(void);            /* until all work is done */

    /* Add the cases of the table's part, and allocate what they need; to be closed in any case. */
    int (*open)(bench_table *t);
    void (*close)(bench_table *t);
} bench_backend;

extern const bench_backend bench_cpu_backend;
extern const bench_backend *const bench_gpu_backend; /* NULL: built without CUDA */

static inline const bench_backend *bench_backend_of(bool gpu)
{
    return gpu ? bench_gpu_backend : &bench_cpu_backend;
}

/* Another case, of which the caller sets what is not zero; limit and one_thread are the case
 * itself. */
bench_case *table_add(bench_table *t, const char *name, int kind);

/* A case for each model, plain first. */
const char *bench_model_name(int model);
bool bench_model_has_weights(int model);

/* Does a measurement go on, after so many edges and seconds? */
static inline bool table_goes_on(const bench_table *t, uint64_t edges, double seconds)
{
    const uint64_t asked = t->job->o->edges;

    return interrupt_signal() == 0 &&
           (edges == 0 || (asked > 0 ? edges < asked : seconds < t->slice));
}

/* The number of edges to make next, `most` at once. */
static inline uint64_t table_piece(const bench_table *t, uint64_t edges, uint64_t most)
{
    const uint64_t asked = t->job->o->edges;

    return asked > 0 && asked - edges < most ? asked - edges : most;
}

/*
 * Each part takes about so many seconds, prints its table and adds its members to the JSON object.
 * Returns an exit code; messages are kept (message.h).
 */
int bench_memory(const bench_job *job, bool gpu, double seconds); /* or models, by the job's part */
int bench_file(const bench_job *job, double seconds);
int bench_csr(const bench_job *job, bool gpu); /* in its own time */
int bench_ranks(const bench_job *job);         /* collective */

/* EXIT_OK for RMAT_OK, else EXIT_RUNTIME after a message that says what the rmat_status means. */
int bench_failed(int status);

/* After interrupt_signal(): a message, and the exit code. */
int bench_stopped(void);

/* EXIT_OK if all is well on every rank and no signal came; else the exit code of the lowest rank
 * that failed, whose message rank 0 has printed.  Collective. */
int bench_agree(int status);

/* An array of numbers; a median, and after a prefix "lowest" and "highest". */
void bench_json_values(json_object *o, const char *key, const double *values, size_t count);
void bench_json_stats(json_object *o, const char *key, const char *prefix, bench_stats stats);

/* The statistics of count values at most BENCH_MAX_RUNS, divided by others where not NULL. */
bench_stats bench_stats_of(const double *values, const double *others, size_t count);

#endif
