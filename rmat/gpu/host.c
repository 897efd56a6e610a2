/*
 * Ranges of the GPU backend into host memory, buffer by buffer: one is filled while the one before
 * is copied back.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/try.h"

/* Edges of a buffer.  Its arrays, 16 MiB each with 8-byte ids, take much longer than a launch or
 * the overhead of a copy. */
#define CHUNK ((uint64_t)1 << 21)

/* Two buffers in flight, each with a stream of the call's own, so that calls from several threads
 * do not wait for each other. */
typedef struct {
    cudaStream_t stream[2];
    char *chunk[2]; /* sources, then destinations, then weights if requested */
} host_job;

/* Creates streams and buffers; rmat_gpu_generate() frees what exists. */
static int begin(host_job *job, cudaMemPool_t pool, size_t bytes)
{
    int st = RMAT_OK;

    for (int slot = 0; slot < 2; slot++) {
        RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&job->stream[slot], cudaStreamNonBlocking));
        RMAT_TRY_CUDA(
            cudaMallocFromPoolAsync((void **)&job->chunk[slot], bytes, pool, job->stream[slot]));
    }
done:
    return st;
}

static int copy(void *to, uint64_t at, const void *from, uint64_t count, size_t bytes,
                cudaStream_t stream)
{
    return rmat_gpu_status(cudaMemcpyAsync((char *)to + at * bytes, from, count * bytes,
                                           cudaMemcpyDeviceToHost, stream));
}

static int run(host_job *job, const rmat_gen *gen, uint64_t first, uint64_t count,
               const rmat_arrays *to, uint64_t chunk)
{
    const size_t bytes = (size_t)to->id_bytes;
    int st = RMAT_OK, slot = 0;

    for (uint64_t at = 0; at < count; at += chunk, slot ^= 1) {
        const uint64_t n = count - at < chunk ? count - at : chunk;
        const cudaStream_t stream = job->stream[slot];
        char *src = job->chunk[slot], *dst = src + chunk * bytes, *weight = dst + chunk * bytes;
        const rmat_arrays made = {src, dst, to->weight != NULL ? weight : NULL, to->id_bytes};

        /* Waits for the copies that used the buffer before; those to pageable memory had finished
         * when their calls returned. */
        RMAT_TRY_CUDA(cudaStreamSynchronize(stream));
        RMAT_TRY(rmat_gpu_store(gen, first + at, n, &made, RMAT_ARRAYS, stream));
        RMAT_TRY(copy(to->src, at, src, n, bytes, stream));
        RMAT_TRY(copy(to->dst, at, dst, n, bytes, stream));
        if (to->weight != NULL) {
            RMAT_TRY(copy(to->weight, at, weight, n, sizeof(uint32_t), stream));
        }
    }
done:
    for (slot = 0; slot < 2; slot++) {
        const int end = rmat_gpu_status(cudaStreamSynchronize(job->stream[slot]));

        st = st != RMAT_OK ? st : end;
    }
    return st;
}

int rmat_gpu_generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t chunk = count < CHUNK ? (count + 15) & ~(uint64_t)15 : CHUNK; /* aligned */
    const size_t bytes = 2 * (size_t)to->id_bytes + (to->weight != NULL ? sizeof(uint32_t) : 0);
    host_job job = {{NULL}, {NULL}};
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));

    if (st != RMAT_OK) {
        return st;
    }
    RMAT_TRY(begin(&job, rmat_gpu_pool(gen), chunk * bytes));
    RMAT_TRY(run(&job, gen, first, count, to, chunk));
done:
    for (int slot = 0; slot < 2; slot++) {
        if (job.chunk[slot] != NULL) {
            (void)cudaFreeAsync(job.chunk[slot], job.stream[slot]);
        }
        if (job.stream[slot] != NULL) {
            (void)cudaStreamDestroy(job.stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}
