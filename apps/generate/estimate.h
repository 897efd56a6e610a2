/* What --dry-run finds out.  Private to apps/generate/dry_run.c and generate_estimate*.c. */
#ifndef APPS_GENERATE_ESTIMATE_H
#define APPS_GENERATE_ESTIMATE_H

#include "apps/engine/sorted/plan.h"
#include "apps/generate/generate.h"

#define MEASURE_SECONDS    0.1
#define ASSUMED_WRITE_RATE 1e9 /* bytes per second */

/* Sums and rates are of all ranks, but where it says otherwise. */
typedef struct {
    const generate_options *options;
    const generate_backend *backend;
    const char *command;
    uint64_t bytes, room;
    int room_error; /* errno where the room is unknown */
    bool exists;
    pipeline_plan plan;       /* of this rank */
    uint64_t my_device_bytes; /* likewise */
    uint64_t buffer_bytes, device_bytes, threads, gpu_ranks;
    double rate; /* edges per second, of the slowest rank where each makes the whole stream */
    double generating, writing, seconds;

    /* Of a sorted graph. */
    sorted_plan sorted; /* of this rank, but for as many passes as all make */
    double sort_rate;   /* edges that the slowest rank keeps and sorts per second */
    double counting;    /* seconds, before the passes that make what is written */

    /* Of another format. */
    int exact;             /* bytes are */
    uint64_t sorted_bytes; /* of the HDF5 file that is converted, or 0 */
    double convert_rate;   /* edges per second into memory */
    double converting;     /* seconds */
} generate_estimate;

/* Measures, and plans; collective.  Returns an exit code, the same on all ranks, after a line on
 * stderr. */
int generate_estimate_list(generate_estimate *e, generate_backend *backend);
int generate_estimate_sorted(generate_estimate *e, generate_backend *backend);
/* For one rank; a sorted graph is measured before. */
int generate_estimate_converted(generate_estimate *e);

/* On stdout. */
void generate_estimate_json(const generate_estimate *e);
void generate_estimate_lines(const generate_estimate *e);

#endif
