/*
 * Edges of all ranks at once, without files:
 *
 *   memory  into arrays beyond the caches in the memory of the rank's GPU, or of the host
 *   host    through the pipeline into buffers in host memory, thrown away there: what is left
 *           when the disk costs nothing
 */
#include "apps/bench/ranks.h"
#include "apps/common/interrupt.h"
#include "apps/engine/pipeline/cpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "mpi/dist.h"
#include <stdlib.h>

#define PIECE ((uint64_t)1 << 24) /* edges of the arrays in host memory */

typedef struct {
    rmat_gen *gen; /* all of the rank's threads in a call */
    void *src, *dst;
    int id_bytes;
} host_arrays;

static int fill_arrays(ranks_work *w, uint64_t amount, char *text, size_t size)
{
    const host_arrays *a = w->state;
    uint64_t start = amount * (uint64_t)dist_rank();
    int status = RMAT_OK;

    for (uint64_t at = 0; at < amount && status == RMAT_OK; at += PIECE) {
        uint64_t n = amount - at < PIECE ? amount - at : PIECE;

        status = a->id_bytes == 4 ? rmat_generate32(a->gen, start + at, n, a->src, a->dst)
                                  : rmat_generate(a->gen, start + at, n, a->src, a->dst);
    }
    if (status != RMAT_OK) {
        snprintf(text, size, "%s", rmat_strerror(status));
    }
    return status == RMAT_OK ? 0 : -1;
}

static int open_arrays(const ranks_job *job, ranks_work *work, char *text, size_t size)
{
    host_arrays *a = calloc(1, sizeof *a);
    rmat_config config;
    int status = RMAT_ERR_NOMEM;

    work->state = a;
    work->run = fill_arrays;
    if (a != NULL) {
        rmat_config_default(&config);
        config.rows_scale = config.cols_scale = job->scale;
        config.backend = RMAT_BACKEND_CPU;
        config.threads = job->threads;
        a->id_bytes = job->id_bytes;
        a->src = malloc(PIECE * (uint64_t)job->id_bytes);
        a->dst = malloc(PIECE * (uint64_t)job->id_bytes);
        status = a->src == NULL || a->dst == NULL ? RMAT_ERR_NOMEM : rmat_create(&a->gen, &config);
    }
    if (status != RMAT_OK) {
        snprintf(text, size, "%s", rmat_strerror(status));
    }
    return status == RMAT_OK ? 0 : -1;
}

static void close_arrays(ranks_work *work)
{
    host_arrays *a = work->state;

    if (a != NULL) {
        rmat_destroy(a->gen);
        free(a->src);
        free(a->dst);
        free(a);
    }
}

int ranks_memory(ranks_job *job)
{
    ranks_work work = {.name = "memory", .unit = "edges/s"};
    bool gpu = job->backend == RMAT_BACKEND_GPU;
    char text[RANKS_TEXT] = "";
    int status = gpu ? ranks_gpu_open(job, &work, text, sizeof text)
                     : open_arrays(job, &work, text, sizeof text);

    status = ranks_agree(status, text);
    status = status ? status : ranks_calibrate(job, &work, PIECE);
    status = status ? status : ranks_measure(job, &work);
    if (gpu) {
        ranks_gpu_close(&work);
    } else {
        close_arrays(&work);
    }
    return status;
}

int ranks_tick(void *argument, uint64_t done)
{
    (void)argument;
    (void)done;
    return interrupt_signal();
}

pipeline_producer ranks_producer(const ranks_job *job, uint64_t edges, edgefile_path path,
                                 pipeline_plan *plan)
{
    if (job->backend == RMAT_BACKEND_GPU) {
        pipeline_gpu_make_plan(plan, edges, job->id_bytes, 0, path, 0, RANKS_MEMORY);
        return pipeline_gpu(job->gen);
    }
    pipeline_make_plan(plan, edges, job->id_bytes, 0, job->threads, path, 0, RANKS_MEMORY);
    return pipeline_cpu(job->gen, plan->generators);
}

/* Into the pipeline's buffers and no further. */
static int fill_buffers(ranks_work *w, uint64_t amount, char *text, size_t size)
{
    const ranks_job *job = w->state;
    pipeline_plan plan;
    pipeline_producer producer = ranks_producer(job, amount, EDGEFILE_PATH_AUTO, &plan);
    pipeline_result result;
    int status = pipeline_run(&plan, NULL, &producer, NULL, NULL, ranks_tick, NULL, &result);

    if (result.error != NULL) {
        snprintf(text, size, "%s", result.error);
    }
    return result.stopped ? 0 : status; /* ranks_agree() knows of the signal */
}

int ranks_host(ranks_job *job)
{
    ranks_work work = {.name = "host", .unit = "edges/s", .run = fill_buffers, .state = job};
    int status = ranks_calibrate(job, &work, PIECE);

    return status ? status : ranks_measure(job, &work);
}
