/*
 * An edge file, or a plain file of the same size, written and timed.
 *
 *   edges  through the pipeline into an edge file, as `rmat generate` does it: from creating the
 *          file to the end of the commit (synced and renamed); a GPU is awake before
 *   raw    as many bytes into a plain file, preallocated in the same way: as many writers and bytes
 *          per write, no generator, no HDF5; from creating the file to the end of its sync
 *
 * Both files are gone when the functions return, also after errors and signals.
 */
#ifndef APPS_BENCH_DISK_H
#define APPS_BENCH_DISK_H

#include "apps/engine/pipeline/pipeline.h"
#include "rmat/rmat.h"
#include <limits.h>
#include <stdbool.h>

enum { BENCH_DISK_SCALE = 30, BENCH_DISK_ID_BYTES = 4 };

/* What makes edges for the pipeline: a generator with one thread per call. */
typedef struct {
    rmat_gen *gen;
    bool gpu;
    int threads, id_bytes;
} bench_maker;

/* Fill the writer with what the source asks for, or with edges [0, edges) where it is NULL, as
 * `rmat generate` does.  writer NULL: edges are made and dropped.  Returns as pipeline_run(). */
int bench_fill(const bench_maker *maker, uint64_t edges, edgefile_path path,
               const pipeline_source *source, edgefile_writer *writer, pipeline_tick tick,
               pipeline_result *result);

int bench_tick(void *argument, uint64_t done); /* a pipeline_tick: signals stop it */

typedef struct {
    int threads;
    uint64_t edges; /* of a file; the caller may make it less meanwhile: whole pages, see below */
    pipeline_plan plan;      /* of the writes of the raw file */
    rmat_gen *gen, *gpu_gen; /* gpu_gen: NULL before bench_disk_open_gpu() */
    void *data;              /* one of them */
    char name[PATH_MAX + 64], raw_name[PATH_MAX + 64];
    char error[PATH_MAX + 256]; /* "": none; a signal may have stopped it nevertheless */
} bench_disk;

/* Edges of a file of about so many bytes, such that O_DIRECT can write its end. */
uint64_t bench_disk_edges_of(uint64_t bytes);
uint64_t bench_disk_bytes(const bench_disk *d); /* of src and dst together */

/* For files DIR/PREFIX.PID.h5 and .raw of at most so many bytes.  To be closed in every case. */
int bench_disk_open(bench_disk *d, const char *dir, const char *prefix, uint64_t bytes,
                    int threads);
void bench_disk_close(bench_disk *d);

/* From now on a GPU can make the edges, too; device as in rmat_config.  0, or -1 with d->error. */
int bench_disk_open_gpu(bench_disk *d, int device);

/* 0, or -1 with d->error, which is empty if interrupt_signal() was the reason.  *path becomes what
 * AUTO came to. */
int bench_disk_write_edges(bench_disk *d, rmat_backend backend, edgefile_path *path,
                           double *seconds);
int bench_disk_write_raw(bench_disk *d, bool direct, double *seconds);

/* Does the folder's file system take O_DIRECT?  1, 0, or -1 with d->error. */
int bench_disk_takes_direct(bench_disk *d);

#endif
