/*
 * Edges of all ranks at once, without files:
 *
 *   memory  into arrays beyond the caches in the memory of the rank's GPU, or of the host
 *   host    through the pipeline into buffers in host memory, thrown away there: what is left
 *           when the disk costs nothing
 */
#include "apps/bench/device.h"
#include "apps/bench/file.h"
#include "apps/bench/ranks.h"
#include "apps/common/interrupt.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"

#define HOST_EDGES   ((uint64_t)1 << 24) /* of the arrays */
#define DEVICE_EDGES ((uint64_t)1 << 29) /* fewer where ranks share a small GPU */
#define LEAST_EDGES  ((uint64_t)1 << 20)

typedef struct {
    bool gpu;
    rmat_gen *gen; /* with all of the rank's threads in a call */
    uint64_t most; /* edges of the arrays */
    rmat_arrays to;
} rank_arrays;

static int fill_arrays(ranks_work *w, uint64_t amount)
{
    const rank_arrays *a = w->state;
    uint64_t start = amount * (uint64_t)dist_rank();
    device_span span;
    int status = a->gpu ? device_span_begin(&span) : RMAT_OK;

    for (uint64_t at = 0; at < amount && status == RMAT_OK && interrupt_signal() == 0;
         at += a->most) {
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

/* As many edges as the arrays can have: the other ranks of the host may be on the same GPU. */
static int choose_most(const bench_job *job, rank_arrays *a)
{
    uint64_t available;
    int status = device_select(job->device, &available);

    available /= 2 * (uint64_t)dist_local_size();
    a->most = DEVICE_EDGES;
    while (a->most > LEAST_EDGES && 2 * a->most * (uint64_t)a->to.id_bytes > available) {
        a->most /= 2;
    }
    return status;
}

static int open_arrays(const bench_job *job, rank_arrays *a)
{
    rmat_config config;
    size_t bytes;
    int status;

    rmat_config_default(&config);
    config.stream = (rmat_stream)job->o->stream;
    config.rows_scale = config.cols_scale = ranks_scale(job);
    config.backend = a->gpu ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.threads = job->threads;
    config.device = job->device;
    a->most = HOST_EDGES;
    status = rmat_create(&a->gen, &config);
    if (status == RMAT_OK && a->gpu) {
        status = choose_most(job, a);
    }
    bytes = a->most * (size_t)a->to.id_bytes;
    if (status == RMAT_OK) {
        status = place_alloc(a->gpu, &a->to.src, bytes);
    }
    return status == RMAT_OK ? place_alloc(a->gpu, &a->to.dst, bytes) : status;
}

int ranks_memory(const bench_job *job, double slice)
{
    rank_arrays a = {.gpu = job->gpu, .to.id_bytes = ranks_id_bytes(job)};
    ranks_work work = {.name = "memory", .run = fill_arrays, .state = &a, .gpu = job->gpu};
    int status = bench_agree(bench_failed(open_arrays(job, &a)));

    if (status == EXIT_OK) {
        status = ranks_measure(job, &work, slice, HOST_EDGES);
    }
    place_release(a.gpu, a.to.src);
    place_release(a.gpu, a.to.dst);
    rmat_destroy(a.gen);
    return status;
}

/* Into the pipeline's buffers and no further. */
static int fill_buffers(ranks_work *w, uint64_t amount)
{
    return maker_fill(w->state, amount, EDGEFILE_PATH_AUTO, NULL, NULL, NULL);
}

int ranks_host(const bench_job *job, double slice)
{
    bench_maker maker;
    ranks_work work = {.name = "host", .run = fill_buffers, .state = &maker, .gpu = job->gpu};
    int status =
        bench_agree(maker_open(&maker, job, job->gpu, ranks_scale(job), ranks_id_bytes(job)));

    if (status == EXIT_OK) {
        status = ranks_measure(job, &work, slice, HOST_EDGES);
    }
    rmat_destroy(maker.gen);
    return status;
}
