/* What the parts of bench_ranks share. */
#ifndef APPS_BENCH_RANKS_H
#define APPS_BENCH_RANKS_H

#include "apps/bench/util.h"
#include "apps/common/json.h"
#include "apps/engine/pipeline/pipeline.h"
#include "rmat/rmat.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { RANKS_TEXT = PATH_MAX + 512, RANKS_MAX_RUNS = 100, RANKS_ALONE = 8, RANKS_TIMEOUT = 60 };

#define RANKS_MEMORY ((uint64_t)128 << 20) /* of the buffers, the default of `rmat generate` */

/* This rank, and what it was told to do. */
typedef struct {
    rmat_backend backend;
    int threads, device, scale, id_bytes;
    uint64_t seconds, edges, runs; /* edges of a round, 0: by the seconds */
    uint64_t bytes;                /* of this rank in a file */
    const char *dir;
    rmat_gen *gen; /* one thread per call, as producers need it */
    FILE *table;   /* on rank 0, else NULL */
    json_object *json;
} ranks_job;

/* What one rank does in a round.  run() makes so much in *its* way; 0, or -1 and why. */
typedef struct ranks_work {
    const char *name, *unit; /* as in "3.1 G edges/s" */
    int (*run)(struct ranks_work *w, uint64_t amount, char *text, size_t size);
    void *state;
    uint64_t amount;       /* of a round */
    double device_seconds; /* of the last run, by the GPU's clock; 0: not known */
    double done;           /* when it was done, by clock_seconds(); 0: when it returned */
} ranks_work;

/* 0 if all is well on every rank and no signal came; else an exit code, and rank 0 has said on one
 * line which rank failed, and its text.  Like every ranks_ function, called by all ranks. */
int ranks_agree(int status, char text[RANKS_TEXT]);

/*
 * One round: all ranks begin at once, or rank `alone` does while the others wait.  *amount is what
 * was made and *seconds how long it took, up to the last rank's end.  Returns as ranks_agree().
 */
int ranks_round(const ranks_job *job, ranks_work *work, int alone, uint64_t *amount,
                double *seconds);

/* Rounds of the seconds that were asked for: ranks with the same backend make the same amount. */
int ranks_calibrate(const ranks_job *job, ranks_work *work, uint64_t least);

/* Ranks alone and together take turns; a row of the table, and its JSON. */
int ranks_measure(const ranks_job *job, ranks_work *work);

/* Values of all runs on one line of JSON. */
void ranks_print_runs(json_object *o, const char *key, const double *values, uint64_t runs);

/* A producer of this rank's backend, and the plan for it. */
pipeline_producer ranks_producer(const ranks_job *job, uint64_t edges, edgefile_path path,
                                 pipeline_plan *plan);
int ranks_tick(void *argument, uint64_t done); /* a pipeline_tick: signals stop it */

/* Prints which ranks there are. */
int ranks_report(const ranks_job *job);

/* The parts: each measures, prints its table and adds its members to the JSON object. */
int ranks_memory(ranks_job *job);
int ranks_host(ranks_job *job);
int ranks_file(ranks_job *job);

/* Edges into arrays in the memory of this rank's GPU; of a build without CUDA it fails. */
int ranks_gpu_open(const ranks_job *job, ranks_work *work, char *text, size_t size);
void ranks_gpu_close(ranks_work *work);

#endif
