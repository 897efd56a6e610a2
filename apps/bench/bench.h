/*
 * Declarations shared by the files of `rmat bench`: the job, the cases, the rooms where they are
 * measured, and backends.
 *
 * A case makes something (edges of a model, a file, CSR) on a backend, at a scale and with ids of a
 * width.  Cases of the same backend, scale and width are a group.  They are measured in turns, so
 * that a drift of the machine's speed favors none of them.  A case may name another case of its
 * group as its limit, such as plain writes to the same memory.
 */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "rmat/rmat.h"
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { BENCH_MAX_RUNS = 100, BENCH_CASES = 16, BENCH_EDGE_FACTOR = 16 };
enum { BENCH_MODEL_LEAST_SCALE = 4 };

/* In the order of their names in the option table. */
typedef enum { PART_ALL, PART_MEMORY, PART_MODELS, PART_FILE, PART_CSR, PART_RANKS } bench_part;
extern const char *const bench_part_names[];

/* The values of the option table. */
typedef struct {
    uint64_t runs, threads, device, size, intervals;
    int part, backend, id_type, stream;
    option_list scales;
    bool unique, permute, json, help;
    const char *dir;
} bench_options;

typedef struct {
    const bench_options *o;
    int threads;        /* the most to use */
    int device;         /* the number of the GPU */
    bool cpu, gpu;      /* what is measured; one of them if ranks work together */
    json_object *cases; /* the array of the report for programs */
} bench_job;

/* Edges, or bytes of a file, and the seconds that they took. */
typedef struct {
    double work, seconds;
} bench_sample;

typedef struct {
    const char *name;
    int kind;     /* for the room: what is measured */
    int threads;  /* 0: does not apply */
    int limit;    /* the case of the group that is this one's limit; -1: none */
    int model;    /* of cases.c; 0: the plain one */
    bool weights; /* the case has weights */
    rmat_isa isa;
    bool alone;    /* as many ranks as there are, one at a time */
    rmat_gen *gen; /* the room may make it; destroyed with the group */
    double rates[BENCH_MAX_RUNS], seconds[BENCH_MAX_RUNS]; /* rates: work per second */
} bench_case;

typedef struct bench_group bench_group;

/* A room: the place where cases are measured.  Functions return an exit code, after a kept
 * message. */
typedef struct {
    const char *unit;
    bool whole; /* a whole output is made, not edges for a while, so its time is a figure, too */
    int (*open)(bench_group *g); /* adds and allocates the cases; always followed by close */
    int (*measure)(bench_group *g, const bench_case *c, bench_sample *sample);
    void (*close)(bench_group *g);
} bench_room;

extern const bench_room bench_memory, bench_file, bench_csr;

struct bench_group {
    const bench_job *job;
    const bench_room *room;
    bench_part part;
    bool gpu;
    int scale, id_bytes;
    int n_cases;
    bench_case cases[BENCH_CASES];
    void *state; /* of the room */
};

/* Two points of a backend's work. */
typedef struct {
    clockid_t clock;
    double start;
    struct CUevent_st *begin, *end; /* cudaEvent_t */
} bench_timer;

/* The memory of processors or of a GPU, and their clock.  Functions return an rmat_status. */
typedef struct {
    int (*use)(int device);
    int (*allocate)(void **place, size_t bytes);
    void (*release)(void *place); /* NULL is allowed */
    int (*set)(void *place, size_t bytes, int threads);
    int (*make)(const rmat_gen *gen, uint64_t first, uint64_t n, const rmat_arrays *to);
    int (*begin)(bench_timer *t); /* t->clock: CPU time; always followed by end */
    int (*end)(bench_timer *t, int status, double *seconds); /* adds to *seconds; waits for pending
                                                                work */

    /* GPU only: host memory that the GPU can write to. */
    int (*pin)(void **place, size_t bytes);
    void (*unpin)(void *place);
    int (*copy)(void *to_host, const void *from, size_t bytes);
} bench_backend;

/* The backend of a group. */
extern const bench_backend bench_cpu;
static inline const bench_backend *bench_backend_of(const bench_group *g)
{
#ifdef RMAT_HAVE_CUDA
    extern const bench_backend bench_cuda; /* gpu.c */

    return g->gpu ? &bench_cuda : &bench_cpu;
#else
    (void)g;
    return &bench_cpu;
#endif
}

/* Adds a case without a limit. */
bench_case *bench_add(bench_group *g, const char *name, int kind, int threads);

/* The cases of --part models: plain first, which is the limit of the others. */
void bench_add_models(bench_group *g, int kind, int threads);

/* Sets the configuration of a case's generator: its model and instruction set. */
void bench_config(const bench_group *g, const bench_case *c, rmat_config *config);

/* Measures the cases of a group, prints them, below a heading on request, and adds them to the JSON
 * array.  The caller has set the members before n_cases.  Collective. */
int bench_measure(bench_group *g, bool heading);

/* Returns EXIT_OK for RMAT_OK, else EXIT_RUNTIME after a message about the rmat_status. */
int bench_failed(int status);

/* Returns EXIT_OK if every rank succeeded and no signal arrived.  Else returns the exit code of the
 * lowest rank that failed; rank 0 has printed its message.  Collective. */
int bench_agree(int status);

#endif
