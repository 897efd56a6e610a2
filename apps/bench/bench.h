/* What the files of `rmat bench` share. */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include "apps/bench/util.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "rmat/rmat.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_TIMEOUT = 60 }; /* seconds, as for dist_run() */
enum { BENCH_LEAST_RUNS = 3, BENCH_USUAL_RUNS = 5, BENCH_MAX_RUNS = 100 };

/* In the order of their names in the option table. */
typedef enum { PART_ALL, PART_MEMORY, PART_MODELS, PART_FILE, PART_CSR, PART_RANKS } bench_part;

extern const char *const bench_part_names[];

/* The values of the option table. */
typedef struct {
    uint64_t seconds, runs, edges, threads, device, size, edge_factor, intervals, memory;
    int part, backend, isa, id_type, stream;
    option_list scales;
    bool detail, unique, permute, ends, verify, force, help;
    const char *dir, *json;
} bench_options;

/* What is to be measured, and where the figures go. */
typedef struct {
    const bench_options *o;
    int threads;       /* the most to use */
    int device;        /* the number of the GPU */
    int id_bytes;      /* 0: not given */
    rmat_isa isa;      /* AUTO: not given */
    bool cpu, gpu;     /* what is measured; of a rank one of them */
    FILE *table;       /* tables for people */
    json_object *json; /* the whole report for programs */
} bench_job;

/* Parse argv[0..argc).  Returns an exit code, after a line on stderr where it is not EXIT_OK. */
int bench_options_parse(int argc, char **argv, bench_options *o);

/*
 * Each part takes about so many seconds, prints its table and adds its members to the JSON object.
 * models: by the model's options, one after another, in place of the plain graph alone.  Returns an
 * exit code; messages are kept (message.h).
 */
int bench_cpu(const bench_job *job, bool models, double seconds);
int bench_gpu(const bench_job *job, bool models, double seconds);
int bench_file(const bench_job *job, double seconds); /* of all ranks; theirs in their own time */
int bench_csr(const bench_job *job, bool gpu);        /* in its own time */
int bench_ranks(const bench_job *job);                /* collective */

/* EXIT_OK for RMAT_OK, else EXIT_RUNTIME after a message that says what the rmat_status means. */
int bench_failed(int status);

/* After interrupt_signal(): a message, and the exit code. */
int bench_stopped(void);

/* For dist_run(): print that a rank is gone. */
void bench_lost(const char *text);

/* EXIT_OK if all is well on every rank and no signal came; else the exit code of the lowest rank
 * that failed, whose message rank 0 has printed.  Collective. */
int bench_agree(int status);

/* An array of numbers; a median, and after a prefix "lowest" and "highest". */
void bench_json_values(json_object *o, const char *key, const double *values, size_t count);
void bench_json_stats(json_object *o, const char *key, const char *prefix, bench_stats stats);

/* The statistics of count values at most BENCH_MAX_RUNS, divided by others where not NULL. */
bench_stats bench_stats_of(const double *values, const double *others, size_t count);

#endif
