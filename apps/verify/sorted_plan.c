/* rmat verify: memory for the intervals of a sorted graph, and where they begin. */
#include "apps/common/devices.h"
#include "apps/engine/sorted/plan.h"
#include "apps/verify/sorted.h"
#include <stdlib.h>

/* Cells, to tell where to cut: an interval that does not fit is cut again. */
enum { SAMPLE = 1 << 16 };

static uint64_t free_on_gpu(int device)
{
    char why[DEVICES_TEXT];
    device_gpu gpu;

    return devices_gpu(device >= 0 ? device : 0, &gpu, why) ? gpu.free / 10 * 9 : 0;
}

/* The memory of an interval, and into how many the graph is to be cut. */
static int make_block(interval_check *s, const verify_options *options, uint64_t *parts)
{
    const bool unique = s->model->order.unique && !s->results->is_shard;
    const uint64_t stream = s->model->order.stream_edges, edges = s->run.source.end;
    uint64_t wanted = unique && edges < stream / 2 ? 2 * edges : stream;
    uint64_t memory = options->memory != 0                   ? options->memory
                      : options->backend == RMAT_BACKEND_GPU ? free_on_gpu(options->device)
                                                             : sorted_default_memory();
    uint64_t bytes, room = 1;
    int status;

    wanted = wanted > RMAT_INTERVAL_LEAST_EDGES ? wanted : RMAT_INTERVAL_LEAST_EDGES;
    status = rmat_interval_bytes(s->run.gen, wanted, &bytes);
    if (status == RMAT_OK) {
        status = rmat_interval_create(&s->interval, s->run.gen, bytes < memory ? bytes : memory);
    }
    *parts = 1;
    if (status == RMAT_ERR_ARG) {
        edge_run_fail(&s->run, "--memory: too little for an interval of this graph");
        return -1;
    }
    if (status == RMAT_OK && bytes > memory) {
        status = rmat_interval_capacity(s->run.gen, memory, &room);
        /* Not filled to the brim, or each second one would be cut again. */
        room = room / 20 * (s->model->order.unique ? 13 : 18);
        *parts = (unique ? edges : stream) / (room + (room == 0)) + 1;
    }
    return check_status(s, status);
}

/* Where intervals begin. */
static int cut(interval_check *s, uint64_t parts)
{
    const rmat_config *m = &s->model->drawn;
    rmat_sample *sample = NULL;
    int status;

    s->cuts.n = parts;
    s->cuts.cells = calloc(parts + 1, sizeof *s->cuts.cells);
    if (s->cuts.cells == NULL) {
        return check_status(s, RMAT_ERR_NOMEM);
    }
    s->cuts.cells[parts] = s->end;
    if (parts == 1) {
        return 0;
    }
    status = rmat_sample_create(&sample, m, SAMPLE);
    if (status == RMAT_OK) {
        status = rmat_sample_cut(sample, (double)(s->model->order.stream_edges >> m->symmetrize),
                                 s->model->order.unique, parts, s->cuts.cells);
    }
    rmat_sample_destroy(sample);
    return check_status(s, status);
}

int check_plan(interval_check *s, const verify_options *options)
{
    uint64_t parts;

    return make_block(s, options, &parts) == 0 ? cut(s, parts) : -1;
}
