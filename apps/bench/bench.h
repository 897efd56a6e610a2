/*
 * What the files of `rmat bench` share: the job, the cases, where they are measured, and backends.
 *
 * A case is something to be made (edges of a model, a file, CSR) on a backend, at a scale and with
 * ids of a width.  Cases of the same backend, scale and width are a group: they are measured in
 * turns, so that a machine whose speed drifts favours none of them, and a case may stand beside
 * another one of its group that is its limit, such as plain writes to the same memory.
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
    bool cpu, gpu;      /* what is measured; where ranks work together, one of them */
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
    int limit;    /* the case of the group beside which this one stands; -1: none */
    int model;    /* of cases.c; 0: the plain one */
    bool weights; /* it has them */
    rmat_isa isa;
    bool alone;    /* as many ranks as there are, one after the other instead of all at once */
    rmat_gen *gen; /* the room makes it, or not; destroyed with the group */
    double rates[BENCH_MAX_RUNS], seconds[BENCH_MAX_RUNS]; /* rates: work per second */
} bench_case;

typedef struct bench_group bench_group;

/* Where cases are measured.  Functions return an exit code, after a message that is kept. */
typedef struct {
    const char *unit;
    bool whole; /* something whole is made, not edges for a while: its time is a figure, too */
    int (*open)(bench_group *g); /* add the cases, allocate what they need; to be closed always */
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
    void *state; /* the room's */
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
    int (*begin)(bench_timer *t); /* t->clock: CPU; to be ended in any case */
    int (*end)(bench_timer *t, int status, double *seconds); /* adds; waits for work under way */

    /* Of a GPU: memory of the host that it can write to. */
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

/* Another case, without a limit. */
bench_case *bench_add(bench_group *g, const char *name, int kind, int threads);

/* The cases of --part models: plain first, which is the limit of the others. */
void bench_add_models(bench_group *g, int kind, int threads);

/* The configuration of a case's generator, of its model and instruction set. */
void bench_config(const bench_group *g, const bench_case *c, rmat_config *config);

/* Measure the cases of a group, of which the caller has set the members before n_cases, print them,
 * below a heading where it is wanted, and add them to the JSON array.  Collective. */
int bench_measure(bench_group *g, bool heading);

/* EXIT_OK for RMAT_OK, else EXIT_RUNTIME after a message that says what the rmat_status means. */
int bench_failed(int status);

/* EXIT_OK if all is well on every rank and no signal came; else the exit code of the lowest rank
 * that failed, whose message rank 0 has printed.  Collective. */
int bench_agree(int status);

#endif
