/*
 * What a job would take, by arithmetic: bytes of its file, memory, passes over the edges.
 *
 * For the command line; not installed.
 */
#ifndef APPS_ENGINE_ESTIMATE_H
#define APPS_ENGINE_ESTIMATE_H

#include "apps/engine/run.h"
#include "apps/engine/sorted/plan.h"

/* Sums are of all ranks, but where it says otherwise; what concerns the file is on rank 0. */
typedef struct {
    char command[ENGINE_COMMAND];
    rmat_backend backend; /* of this rank; device: as in engine_result */
    int device;
    uint64_t bytes;        /* of the file, at most */
    int exact;             /* it takes so many */
    uint64_t sorted_bytes; /* of the HDF5 file that is converted, or 0 */
    uint64_t room;         /* free where the file is to go */
    int room_error;        /* errno where the room is unknown */
    bool exists;
    struct {
        int status; /* ENGINE_OK, or why a run would make no file here: engine_estimate_end() */
        bool exists;
        char detail[ENGINE_TEXT];
    } output;
    pipeline_plan plan;       /* of this rank; no buffers: there is no pipeline */
    uint64_t my_device_bytes; /* likewise */
    uint64_t buffer_bytes, device_bytes, threads, gpu_ranks;
    sorted_plan sorted; /* of a sorted graph on this rank, but for as many passes as all make */
} engine_estimate;

/* Collective; otherwise as engine_run_plan(). */
int engine_estimate_plan(const engine_plan *plan, engine_estimate *estimate);

/* What a run with this estimate would end with before it writes: ENGINE_OK, or ENGINE_ERR_RUN with
 * its detail and field. */
int engine_estimate_end(const engine_estimate *estimate);

/* Fills in everything but the command.  Collective.  Returns an engine_status, the same on all
 * ranks. */
int engine_estimate_it(engine_estimate *e, const engine_plan *plan, engine_backend *backend,
                       const graphfile_spec *spec);

#endif
