/*
 * What a job would take: sizes from arithmetic, speed from a moment's work without a file.
 *
 * For the command line; not installed.
 */
#ifndef APPS_ENGINE_ESTIMATE_ESTIMATE_H
#define APPS_ENGINE_ESTIMATE_ESTIMATE_H

#include "apps/engine/run.h"
#include "apps/engine/sorted/plan.h"

#define MEASURE_SECONDS    0.1
#define ASSUMED_WRITE_RATE 1e9 /* bytes per second */

/* Sums and rates are of all ranks, but where it says otherwise. */
typedef struct {
    const engine_job *job; /* during the estimate only */
    char command[1280];
    rmat_backend backend; /* of this rank; device and gpu_failed: as in engine_result */
    int device;
    char gpu_failed[PIPELINE_TEXT];
    uint64_t bytes, room;
    int room_error; /* errno where the room is unknown */
    bool exists;
    struct {
        int status; /* ENGINE_OK, or why a run would make no file here: engine_estimate_end() */
        bool exists;
        char detail[ENGINE_TEXT];
    } output;
    pipeline_plan plan;       /* of this rank */
    uint64_t my_device_bytes; /* likewise */
    uint64_t buffer_bytes, device_bytes, threads, gpu_ranks;
    double rate; /* edges per second, of the slowest rank where each makes the whole stream */
    double generating, writing, seconds;

    /* Of a sorted graph. */
    sorted_plan sorted; /* of this rank, but for as many passes as all make */
    sorted_costs costs; /* of the ways to make it on several ranks */
    double sort_rate;   /* edges that the slowest rank keeps and sorts per second */
    double counting;    /* seconds, before the passes that make what is written */

    /* Of another format. */
    int exact;             /* bytes are */
    uint64_t sorted_bytes; /* of the HDF5 file that is converted, or 0 */
    double convert_rate;   /* edges per second into memory */
    double converting;     /* seconds */
} engine_estimate;

/* Collective; otherwise as engine_write_file(). */
int engine_estimate_file(const engine_job *job, engine_estimate *estimate);

/* What a run with this estimate would end with before it writes: ENGINE_OK, or ENGINE_ERR_RUN with
 * its detail and field. */
int engine_estimate_end(const engine_estimate *estimate);

/* The parts below measure and plan; collective within the body.  Return an engine_status, the same
 * on all ranks. */
int engine_estimate_it(engine_estimate *e, engine_backend *backend, const graphfile_spec *spec);
int engine_estimate_list(engine_estimate *e, engine_backend *backend);
int engine_estimate_sorted(engine_estimate *e, engine_backend *backend);

/* Of a sorted graph: writing takes so long, and with it everything. */
void engine_estimate_writing(engine_estimate *e, double seconds);

/* The bytes of a compressed file, or of one in another format: from some edges in the order of the
 * file, which are encoded.  For one rank. */
int engine_estimate_bytes(engine_estimate *e, const engine_backend *backend);

/* Likewise, and how fast they are encoded; a sorted graph is measured before. */
int engine_estimate_format(engine_estimate *e, const engine_backend *backend);

#endif
