/* The ways that bench_ranks writes files. */
#ifndef APPS_BENCH_RANKS_WRITE_H
#define APPS_BENCH_RANKS_WRITE_H

#include "apps/bench/disk.h"
#include "apps/bench/ranks.h"

typedef enum { RANKS_RAW_ONE, RANKS_RAW_OWN, RANKS_EDGES } ranks_way; /* one file, one each */

typedef struct {
    const char *name;
    ranks_way way;
    bool alone; /* by rank 0, the others wait */
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

/* So many bytes of this rank.  0, or a failure and why.  *done: when they were on the disk; making
 * away with a plain file takes time, too. */
int ranks_write(ranks_files *f, const ranks_kind *kind, uint64_t bytes, double *done, char *text,
                size_t size);

/* The edge file and its shards, if it has some; plain ones are gone already. */
void ranks_remove(const ranks_files *f);

#endif
