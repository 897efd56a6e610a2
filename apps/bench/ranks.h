/* What the files of `rmat bench --part ranks` share. */
#ifndef APPS_BENCH_RANKS_H
#define APPS_BENCH_RANKS_H

#include "apps/bench/bench.h"
#include "apps/bench/disk.h"
#include <limits.h>

enum { RANKS_ALONE = 8, RANKS_TIMEOUT = 60 };

/*
 * This rank.  Tables and JSON of all ranks but rank 0 go nowhere.  Every function here is called by
 * all ranks, and returns an exit code; messages are kept (message.h) for ranks_agree().
 */
typedef struct {
    const bench_job *job; /* runs is set */
    int device;           /* of the GPU, or -1 */
    int scale;
    double slice;      /* seconds of one measurement, unless the job says how many edges */
    bench_maker maker; /* its generator takes one thread per call, as producers need it */
} ranks_job;

/* What one rank does in a round: make so much in *its* way. */
typedef struct ranks_work {
    const char *name;
    int (*run)(struct ranks_work *w, uint64_t amount);
    void *state;
    uint64_t amount;       /* of a round */
    double device_seconds; /* of the last run, by the GPU's clock; 0: not known */
    double done;           /* when it was done, by clock_seconds(); 0: when it returned */
} ranks_work;

/* EXIT_OK if all is well on every rank and no signal came; else the exit code of the lowest rank
 * that failed, whose message rank 0 has printed. */
int ranks_agree(int status);

/*
 * One round: all ranks begin at once, or rank `alone` does while the others wait.  *rate is what
 * was made, over the time up to the last rank's end.
 */
int ranks_round(const ranks_job *job, ranks_work *work, int alone, double *rate);

/* Find the amount for the job's slice, then ranks alone and together take turns: a row of the table
 * and a member of the JSON object.  least: the least amount, in edges. */
int ranks_measure(const ranks_job *job, ranks_work *work, uint64_t least);

/* The parts: each measures, prints its table and adds its members to the JSON object. */
int ranks_memory(const ranks_job *job);
int ranks_host(const ranks_job *job);
int ranks_file(const ranks_job *job);

typedef struct {
    const char *name;
    bool raw, own; /* plain writes; into a file of each rank's own */
    bool alone;    /* by rank 0, the others wait */
    edgefile_layout layout;
    edgefile_path path;
} ranks_kind;

typedef struct {
    const ranks_job *job;
    const edgefile_group *group;
    bench_disk disk;                                   /* of this rank's plain file */
    bool direct;                                       /* the folder takes O_DIRECT */
    char name[PATH_MAX + 64], raw_name[PATH_MAX + 64]; /* of the files shared by all */
    uint64_t fingerprint;                              /* of the last edge file */
} ranks_files;

/* Write so many bytes of this rank.  *done: when they were on the disk, before what was written is
 * removed, which takes time, too.  Not collective where the kind is alone. */
int ranks_write(ranks_files *f, const ranks_kind *kind, uint64_t bytes, double *done);

/* Remove the edge file and its shards, if it has some; plain ones are gone already. */
void ranks_remove(const ranks_files *f);

#endif
