/* What the parts of `rmat generate` share. */
#ifndef APPS_GENERATE_GENERATE_H
#define APPS_GENERATE_GENERATE_H

#include "apps/common/progress.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "apps/engine/pipeline/pipeline.h"
#include "apps/generate/options.h"
#include "io/edgefile.h"
#include <limits.h>

/* Who makes the edges of this rank.  Not to be copied: it points into itself. */
typedef struct {
    rmat_backend used;              /* CPU or GPU */
    int device;                     /* of the GPU, where it was wanted */
    rmat_isa isa;                   /* of the CPU, where it has a part */
    char gpu_failed[PIPELINE_TEXT]; /* why the GPU is not used though it was wanted, or "" */
    pipeline_producer producer;
    const pipeline_producer *fallback; /* or NULL */
    uint64_t device_bytes;             /* for buffers on the GPU, by the last plan */
    rmat_gen *cpu_gen, *gpu_gen;       /* NULL where not wanted */
    rmat_gen *sorting_gen;             /* of the CPU for blocks, all threads; NULL likewise */
    pipeline_producer cpu;
} generate_backend;

/* Returns 0, or an exit code after a line on stderr.  generate_backend_close() in either case. */
int generate_backend_open(generate_backend *b, const generate_options *options);
void generate_backend_close(generate_backend *b);

/* From now on the CPU alone, for a backend with a CPU generator. */
void generate_backend_without_gpu(generate_backend *b);

/* pipeline_make_plan() for this backend, before its producers run by that plan.  edges: of all
 * ranks. */
int generate_backend_plan(generate_backend *b, const generate_options *options, uint64_t edges,
                          edgefile_path path, pipeline_plan *plan);

/* How many draws were thrown away and made again, on this rank. */
uint64_t generate_backend_redraws(const generate_backend *b);

/* What came of it.  Of this rank: fell_back to seconds; redraws are of all. */
typedef struct {
    const generate_options *options;
    const generate_backend *backend;
    const char *command;
    const char *file; /* HDF5 file to make: the output, or the sorted one before it */
    bool fell_back;   /* from the GPU to the CPU, in mid-run */
    uint64_t edges, chunk, buffer_bytes, redraws;
    uint64_t graph_edges;  /* of the file */
    uint64_t stream_edges; /* of which it is made */
    uint64_t passes;       /* of a sorted graph, over the stream, counting included; else 0 */
    uint64_t block_bytes;  /* of a sorted graph: of host or device memory, on this rank */
    double stream_seconds, commit_seconds, seconds; /* generate and write; commit; all */
    double convert_seconds; /* to another format; a list's edges are made meanwhile */
    edgefile_path path;
    edgefile_layout layout;
    uint64_t fingerprint, file_bytes;
} generate_summary;

/* Why the ranks stop, beside signals: for dist_request_stop(). */
enum { GENERATE_FAILED = 1000 };

/* After a failure here (error not NULL) or anywhere: an exit code for generate_agree(), EXIT_OK if
 * it is not for this rank to say why the ranks stop. */
int generate_early_end(const char *error, const char *output);

/* Make the file; collective.  Returns an exit code, the same on all ranks, after a line on stderr
 * where it is not EXIT_OK. */
int generate_write(generate_backend *backend, const edgefile_spec *spec, generate_summary *summary);

/* The same for a sorted graph: apps/engine/sorted/write.c. */
int generate_write_sorted(generate_backend *backend, const edgefile_spec *spec,
                          generate_summary *summary);

/* The same for formats of other programs, by one rank: apps/engine/write_format.c.  comment: for
 * those that have a place for it. */
int generate_write_converted(generate_backend *backend, const edgefile_spec *spec,
                             const char *comment, generate_summary *summary);

/* The HDF5 file that a sorted graph is before.  An exit code, after a line on stderr. */
int generate_name_sorted(const generate_options *options, char name[PATH_MAX]);

/* What the first two have in common.  A pipeline_tick, for a progress: of all ranks' edges. */
int generate_tick(void *bar, uint64_t done);

/* The edges are written here, or error says why not: an exit code, the same on all ranks, after a
 * line on stderr.  Ends dist_work_begin(). */
int generate_end_writes(edgefile_writer *writer, const char *error, const char *output);

/* Sync, rename, and what the summary says of the file; likewise.  Frees *writer. */
int generate_commit(edgefile_writer **writer, progress *bar, generate_summary *summary);

/* The same on all ranks, and so is its text: a line on stderr, EXIT_RUNTIME. */
int generate_file_error(int status);

/* Who did how much. */
typedef struct {
    int rank;
    uint64_t edges;
    double seconds;
} generate_share;

/* All ranks together. */
typedef struct {
    int ranks, hosts;
    int gpu_ranks, gpus;       /* ranks whose edges a GPU made, and how many GPUs that were */
    int threads;               /* of the CPU, of all ranks that used it */
    int fell_back, gpu_failed; /* ranks */
    char gpu_failed_text[PIPELINE_TEXT]; /* of the lowest of these */
    generate_share fastest, slowest;     /* by edges per second, of those that made any */
} generate_totals;

/* Collective. */
void generate_sum_up(generate_totals *totals, const generate_summary *summary);

/* As lines or as one JSON object, on stdout, or stderr where the graph goes there; collective. */
void generate_print_summary(const generate_summary *summary);

/* --dry-run; collective.  Returns an exit code, the same on all ranks. */
int generate_dry_run(const generate_options *options, generate_backend *backend,
                     const edgefile_spec *spec, const char *command);

#endif
