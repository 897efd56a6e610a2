/*
 * Edge files and plain files, each written and timed once, by one process or by several ranks.
 *
 *   edges  through the pipeline into an edge file, as `rmat generate` does it: from before the file
 *          is created to the end of the commit (synced and renamed); spans are shared out by speed
 *   raw    as many bytes in plain writes, preallocated in the same way: as many writers and bytes
 *          per write, no generator, no HDF5; from creating the file to the end of its sync
 */
#ifndef APPS_BENCH_FILE_H
#define APPS_BENCH_FILE_H

#include "apps/bench/bench.h"
#include "apps/engine/pipeline/pipeline.h"
#include <limits.h>

/* What makes edges for the pipeline: a generator with one thread per call. */
typedef struct {
    rmat_gen *gen; /* NULL: none */
    bool gpu;
    int threads, id_bytes;
} bench_maker;

int maker_open(bench_maker *m, const bench_job *job, bool gpu, int scale, int id_bytes);

/*
 * Fill the writer with what the source asks for, or with edges [0, edges) where it is NULL.  writer
 * NULL: edges are made and dropped.  Returns an exit code; EXIT_OK also when the tick stopped it.
 * tick NULL: a signal stops it.
 */
int maker_fill(const bench_maker *m, uint64_t edges, edgefile_path path,
               const pipeline_source *source, graphfile_writer *writer, pipeline_tick tick);

typedef struct {
    const char *name, *buffered; /* buffered: where the file system refuses O_DIRECT; NULL: name */
    bool raw, own;               /* plain writes; a file of each rank's own */
    bool alone;                  /* by rank 0, the others wait */
    bool gpu;                    /* by the second maker */
    edgefile_layout layout;
    edgefile_path path;
} file_kind;

typedef struct {
    const bench_job *job;
    const edgefile_group *group; /* NULL: a lone process */
    bench_maker makers[2];
    bool direct;        /* the folder takes O_DIRECT */
    void *data;         /* of a plain write: edges, so that a disk that compresses gains nothing */
    pipeline_plan plan; /* of plain writes */
    char name[PATH_MAX + 64], raw_name[PATH_MAX + 64]; /* of the files shared by all ranks */
    char own_name[PATH_MAX + 96];                      /* of this rank's plain file */
    uint64_t fingerprint;                              /* of the last edge file */
} bench_files;

/* The most bytes up to `bytes` of one rank that are whole edges, and that O_DIRECT can write. */
uint64_t files_bytes(uint64_t bytes);

/* The generators of the job's graph, those of one process for a graph of scale 30. */
int files_open_makers(bench_files *f);

/* After job and makers are set: names, and data for files of so many bytes.  To be closed in every
 * case. */
int files_open(bench_files *f, uint64_t bytes);
void files_close(bench_files *f);

/* Write so many bytes of this rank.  *done: when they were on the disk, before what was written is
 * removed, which takes time, too.  Collective unless the kind is alone.  Returns an exit code. */
int files_write(bench_files *f, const file_kind *kind, uint64_t bytes, double *done);

/* Plain writes. own: into a file of this rank, else its range of one file, which rank 0 makes. */
int files_write_raw(const bench_files *f, bool own, uint64_t bytes, double *done);

/* Remove the edge file and its shards, if it has some; plain ones are gone already. */
void files_remove(const bench_files *f);

#endif
