/* bench_ranks: edges in the memory of the GPU of this rank. */
#include "apps/bench/ranks.h"
#include "mpi/dist.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>
#include <stdlib.h>

/* Up to 8 GiB of 64-bit edges, far beyond the L2 cache; fewer where ranks share a small GPU. */
#define MOST  ((uint64_t)1 << 29)
#define LEAST ((uint64_t)1 << 20)

typedef struct {
    const ranks_job *job;
    uint64_t piece; /* edges of the arrays */
    void *src, *dst;
    cudaEvent_t begin, end;
} gpu_arrays;

static int cuda(cudaError_t error)
{
    return error == cudaSuccess ? RMAT_OK : rmat_gpu_status((int)error);
}

static int failed(const gpu_arrays *a, int status, char *text, size_t size)
{
    if (status != RMAT_OK) {
        snprintf(text, size, "GPU %d: %s%s%s", a->job->device, rmat_strerror(status),
                 *rmat_gpu_error() ? ": " : "", rmat_gpu_error());
    }
    return status == RMAT_OK ? 0 : -1;
}

static int fill(ranks_work *w, uint64_t amount, char *text, size_t size)
{
    gpu_arrays *a = w->state;
    const rmat_gen *gen = a->job->gen;
    uint64_t start = amount * (uint64_t)dist_rank();
    float ms = 0;
    int st = cuda(cudaEventRecord(a->begin, NULL));

    for (uint64_t at = 0; !st && at < amount; at += a->piece) {
        uint64_t n = amount - at < a->piece ? amount - at : a->piece;

        st = a->job->id_bytes == 4
                 ? rmat_generate32_device(gen, start + at, n, a->src, a->dst, NULL)
                 : rmat_generate_device(gen, start + at, n, a->src, a->dst, NULL);
    }
    st = st ? st : cuda(cudaEventRecord(a->end, NULL));
    st = st ? st : cuda(cudaEventSynchronize(a->end));
    st = st ? st : cuda(cudaEventElapsedTime(&ms, a->begin, a->end));
    w->device_seconds = 1e-3 * (double)ms;
    return failed(a, st, text, size);
}

int ranks_gpu_open(const ranks_job *job, ranks_work *work, char *text, size_t size)
{
    gpu_arrays *a = calloc(1, sizeof *a);
    size_t available = 0, total, bytes;
    int st = a == NULL ? RMAT_ERR_NOMEM : cuda(cudaSetDevice(job->device));

    work->state = a;
    work->run = fill;
    if (a == NULL) {
        snprintf(text, size, "%s", rmat_strerror(st));
        return -1;
    }
    a->job = job;
    a->piece = MOST;
    st = st ? st : cuda(cudaMemGetInfo(&available, &total));
    /* The other ranks of this host may be on the same GPU. */
    available /= 2 * (size_t)dist_local_size();
    while (a->piece > LEAST && 2 * a->piece * (uint64_t)job->id_bytes > available) {
        a->piece /= 2;
    }
    bytes = a->piece * (size_t)job->id_bytes;
    st = st ? st : cuda(cudaMalloc(&a->src, bytes));
    st = st ? st : cuda(cudaMalloc(&a->dst, bytes));
    st = st ? st : cuda(cudaEventCreate(&a->begin));
    st = st ? st : cuda(cudaEventCreate(&a->end));
    return failed(a, st, text, size);
}

void ranks_gpu_close(ranks_work *work)
{
    gpu_arrays *a = work->state;

    if (a == NULL) {
        return;
    }
    if (a->begin != NULL) {
        (void)cudaEventDestroy(a->begin);
    }
    if (a->end != NULL) {
        (void)cudaEventDestroy(a->end);
    }
    (void)cudaFree(a->src);
    (void)cudaFree(a->dst);
    free(a);
}
