/* Ranges of the GPU backend into host memory: chunk by chunk, one being made while the one before
 * is copied back. */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"

/* A chunk's arrays, 16 MiB each with wide ids, are far beyond what a launch or a copy costs at
 * least. */
#define CHUNK ((uint64_t)1 << 21)

/* Two chunks in flight, each with a stream of the call's own, so that calls of many threads do not
 * wait for each other. */
typedef struct {
    cudaStream_t stream[2];
    char *chunk[2]; /* sources, then destinations, then weights if wanted */
} host_job;

static int begin(host_job *job, cudaMemPool_t pool, size_t bytes)
{
    int st = RMAT_OK;

    for (int slot = 0; !st && slot < 2; slot++) {
        st = rmat_gpu_status(cudaStreamCreateWithFlags(&job->stream[slot], cudaStreamNonBlocking));
        if (!st) {
            st = rmat_gpu_status(cudaMallocFromPoolAsync((void **)&job->chunk[slot], bytes, pool,
                                                         job->stream[slot]));
        }
    }
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

    for (uint64_t at = 0; !st && at < count; at += chunk, slot ^= 1) {
        const uint64_t n = count - at < chunk ? count - at : chunk;
        const cudaStream_t stream = job->stream[slot];
        char *src = job->chunk[slot], *dst = src + chunk * bytes, *weight = dst + chunk * bytes;
        const rmat_arrays made = {src, dst, to->weight ? weight : NULL, to->id_bytes};

        /* The copies of two chunks ago: those to pageable memory returned when they were over. */
        st = rmat_gpu_status(cudaStreamSynchronize(stream));
        st = st ? st : rmat_gpu_store(gen, first + at, n, &made, RMAT_ARRAYS, stream);
        st = st ? st : copy(to->src, at, src, n, bytes, stream);
        st = st ? st : copy(to->dst, at, dst, n, bytes, stream);
        if (!st && to->weight) {
            st = copy(to->weight, at, weight, n, sizeof(uint32_t), stream);
        }
    }
    for (slot = 0; slot < 2; slot++) {
        int end = rmat_gpu_status(cudaStreamSynchronize(job->stream[slot]));

        st = st ? st : end;
    }
    return st;
}

int rmat_gpu_generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t chunk = count < CHUNK ? (count + 15) & ~(uint64_t)15 : CHUNK; /* aligned */
    const size_t bytes = 2 * (size_t)to->id_bytes + (to->weight ? sizeof(uint32_t) : 0);
    host_job job = {{NULL}, {NULL}};
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));

    if (st) {
        return st;
    }
    st = begin(&job, rmat_gpu_pool(gen), chunk * bytes);
    if (!st) {
        st = run(&job, gen, first, count, to, chunk);
    }
    for (int slot = 0; slot < 2; slot++) {
        if (job.chunk[slot]) {
            (void)cudaFreeAsync(job.chunk[slot], job.stream[slot]);
        }
        if (job.stream[slot]) {
            (void)cudaStreamDestroy(job.stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}
