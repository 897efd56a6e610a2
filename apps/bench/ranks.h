/* What the files of `rmat bench --part ranks` share. */
#ifndef APPS_BENCH_RANKS_H
#define APPS_BENCH_RANKS_H

#include "apps/bench/bench.h"

enum { RANKS_ALONE = 8 }; /* as many ranks, at most, are measured alone */

/* What one rank does in a round: make so much in *its* way.  Returns an exit code; messages are
 * kept (message.h). */
typedef struct ranks_work {
    const char *name;
    int (*run)(struct ranks_work *w, uint64_t amount);
    void *state;
    bool gpu, fixed;       /* fixed: the amount is what --edges asks this rank for */
    uint64_t amount;       /* of a round */
    double device_seconds; /* of the last run, by the GPU's clock; 0: not known */
    double done;           /* when it was done, by clock_seconds(); 0: when it returned */
} ranks_work;

/*
 * One round: all ranks begin at once, or rank `alone` does while the others wait.  *rate is what
 * was made, over the time up to the last rank's end.  Collective, as everything here; returns as
 * bench_agree().
 */
int ranks_round(ranks_work *work, int alone, double *rate);

/* Find the amount for measurements of so many seconds, then ranks alone and together take turns: a
 * row of the table and a member of the JSON object.  least: the least amount, in edges. */
int ranks_measure(const bench_job *job, ranks_work *work, double slice, uint64_t least);

/* Edges into memory, and through the pipeline to the host and no further, in measurements of so
 * many seconds. */
int ranks_memory(const bench_job *job, double slice);
int ranks_host(const bench_job *job, double slice);

static inline int ranks_scale(const bench_job *job)
{
    return job->o->scales.item[0];
}

static inline int ranks_id_bytes(const bench_job *job)
{
    return job->id_bytes > 0 ? job->id_bytes : ranks_scale(job) <= 32 ? 4 : 8;
}

#endif
