/*
 * Edges of all ranks at once, without files:
 *
 *   memory  into arrays beyond the caches in the memory of the rank's GPU, or of the host
 *   host    through the pipeline into buffers in host memory, thrown away there: what is left
 *           when the disk costs nothing
 */
#include "apps/bench/device.h"
#include "apps/bench/ranks.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <stdlib.h>

#define HOST_EDGES   ((uint64_t)1 << 24) /* of the arrays */
#define DEVICE_EDGES ((uint64_t)1 << 29) /* fewer where ranks share a small GPU */
#define LEAST_EDGES  ((uint64_t)1 << 20)

typedef struct {
    bool gpu;
    rmat_gen *own;       /* with all of the rank's threads in a call */
    const rmat_gen *gen; /* that one, or the job's */
    uint64_t most;       /* edges of the arrays */
    rmat_arrays to;
} rank_arrays;

static int fill_arrays(ranks_work *w, uint64_t amount)
{
    const rank_arrays *a = w->state;
    uint64_t start = amount * (uint64_t)dist_rank();
    device_span span;
    int status = a->gpu ? device_span_begin(&span) : RMAT_OK;

    for (uint64_t at = 0; at < amount && status == RMAT_OK; at += a->most) {
        uint64_t n = amount - at < a->most ? amount - at : a->most;

        status = a->gpu ? rmat_generate_arrays_device(a->gen, start + at, n, &a->to, NULL)
                        : rmat_generate_arrays(a->gen, start + at, n, &a->to);
    }
    if (a->gpu) {
        int ended = device_span_end(&span, &w->device_seconds);

        status = status == RMAT_OK ? ended : status;
    }
    return bench_failed(status);
}

static int open_on_gpu(const ranks_job *job, rank_arrays *a)
{
    uint64_t available;
    int status = device_select(job->device, &available);

    a->gen = job->maker.gen;
    available /= 2 * (uint64_t)dist_local_size(); /* others may be on the same GPU */
    a->most = DEVICE_EDGES;
    while (a->most > LEAST_EDGES && 2 * a->most * (uint64_t)a->to.id_bytes > available) {
        a->most /= 2;
    }
    if (status == RMAT_OK) {
        status = device_alloc(&a->to.src, a->most * (size_t)a->to.id_bytes);
    }
    return status == RMAT_OK ? device_alloc(&a->to.dst, a->most * (size_t)a->to.id_bytes) : status;
}

static int open_on_host(const ranks_job *job, rank_arrays *a)
{
    rmat_config config;
    int status;

    rmat_config_default(&config);
    config.rows_scale = config.cols_scale = job->scale;
    config.backend = RMAT_BACKEND_CPU;
    config.threads = job->job->threads;
    status = rmat_create(&a->own, &config);
    a->gen = a->own;
    a->most = HOST_EDGES;
    a->to.src = malloc(a->most * (size_t)a->to.id_bytes);
    a->to.dst = malloc(a->most * (size_t)a->to.id_bytes);
    return a->to.src == NULL || a->to.dst == NULL ? RMAT_ERR_NOMEM : status;
}

int ranks_memory(const ranks_job *job)
{
    rank_arrays a = {.gpu = job->maker.gpu, .to.id_bytes = job->maker.id_bytes};
    ranks_work work = {.name = "memory", .run = fill_arrays, .state = &a};
    void (*release)(void *) = a.gpu ? device_release : free;
    int status = ranks_agree(bench_failed(a.gpu ? open_on_gpu(job, &a) : open_on_host(job, &a)));

    if (status == EXIT_OK) {
        status = ranks_measure(job, &work, HOST_EDGES);
    }
    release(a.to.src);
    release(a.to.dst);
    rmat_destroy(a.own);
    return status;
}

/* Into the pipeline's buffers and no further. */
static int fill_buffers(ranks_work *w, uint64_t amount)
{
    const ranks_job *job = w->state;
    pipeline_result result;
    int status =
        bench_fill(&job->maker, amount, EDGEFILE_PATH_AUTO, NULL, NULL, bench_tick, &result);

    return status == 0 || result.stopped ? EXIT_OK : runtime_error("bench", "%s", result.error);
}

int ranks_host(const ranks_job *job)
{
    ranks_work work = {.name = "host", .run = fill_buffers, .state = (void *)job};

    return ranks_measure(job, &work, HOST_EDGES);
}
