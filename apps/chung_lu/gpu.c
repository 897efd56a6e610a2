/*
 * Edges of chung_lu on a GPU: no kernel is needed, for alias_sample32_device() draws into device
 * memory.
 *
 * Ranges come in order, on any streams.  One more stream draws the sources of a batch when the
 * first of its edges is asked for.  From there they are copied on the stream of each range, and the
 * next batch is drawn after the copies, so that one array is enough.
 */
#include "alias/alias_gpu.h"
#include "apps/chung_lu/gpu_draw.h"
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct chung_lu_gpu {
    const chung_lu_tables *tables;
    const chung_lu_stream *stream;
    int device;
    char *sources;  /* of a batch, in device memory: 8 bytes each */
    uint64_t batch; /* whose they are; UINT64_MAX: none */
    int id_bytes;   /* their width */
    cudaStream_t drawing;
    cudaEvent_t drawn, copied;
};

int chung_lu_cuda_failed(cudaError_t error, const char *what, int device, char *text, size_t size)
{
    if (error == cudaSuccess) {
        return 0;
    }
    snprintf(text, size, "GPU %d: %s: %s: %s", device, what, cudaGetErrorName(error),
             cudaGetErrorString(error));
    (void)cudaGetLastError(); /* so that the next call starts afresh */
    return -1;
}

/* The sources of a batch are those of the sectioned sampler whatever their number: AUTO would give
 * a short batch those of the other one. */
static alias_sampler sectioned(const alias_table *table, uint64_t count)
{
    alias_sampler best = alias_best_sampler(table, count);

    return best == ALIAS_SAMPLER_BASELINE ? ALIAS_SAMPLER_CACHED : best;
}

int chung_lu_gpu_draw_sources(const alias_table *table, const chung_lu_stream *s, uint64_t first,
                              int id_bytes, void *out, cudaStream_t stream)
{
    uint64_t count = chung_lu_batch_count(s, first), seed = chung_lu_source_seed(s);
    alias_sampler sampler = sectioned(table, count);

    return id_bytes == 4 ? alias_sample32_device(table, sampler, seed, first, count, out, stream)
                         : alias_sample64_device(table, sampler, seed, first, count, out, stream);
}

int chung_lu_gpu_draw(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                      int id_bytes, void *out, cudaStream_t stream)
{
    const alias_sampler baseline = ALIAS_SAMPLER_BASELINE;

    return id_bytes == 4 ? alias_sample32_device(table, baseline, seed, first, count, out, stream)
                         : alias_sample64_device(table, baseline, seed, first, count, out, stream);
}

/* The sources of the batch, if they are not there yet. */
static int have_batch(chung_lu_gpu *gpu, uint64_t batch, int id_bytes)
{
    int status = ALIAS_OK;

    if (batch != gpu->batch || id_bytes != gpu->id_bytes) {
        status = chung_lu_gpu_draw_sources(gpu->tables->src, gpu->stream, batch, id_bytes,
                                           gpu->sources, gpu->drawing);
        if (status == ALIAS_OK && cudaEventRecord(gpu->drawn, gpu->drawing) != cudaSuccess) {
            status = ALIAS_ERR_CUDA;
        }
        gpu->batch = status == ALIAS_OK ? batch : UINT64_MAX;
        gpu->id_bytes = id_bytes;
    }
    return status;
}

/* Edges of one batch, started in the stream. */
static int fill_part(chung_lu_gpu *gpu, uint64_t batch, uint64_t first, uint64_t count, char *src,
                     char *dst, int id_bytes, cudaStream_t stream)
{
    const uint64_t id = (uint64_t)id_bytes;
    int status = have_batch(gpu, batch, id_bytes);

    if (status == ALIAS_OK) {
        status = chung_lu_gpu_draw(gpu->tables->dst, chung_lu_destination_seed(gpu->stream), first,
                                   count, id_bytes, dst, stream);
    }
    if (status != ALIAS_OK) {
        return status;
    }
    return cudaStreamWaitEvent(stream, gpu->drawn, 0) == cudaSuccess &&
                   cudaMemcpyAsync(src, gpu->sources + (first - batch) * id, count * id,
                                   cudaMemcpyDeviceToDevice, stream) == cudaSuccess &&
                   cudaEventRecord(gpu->copied, stream) == cudaSuccess &&
                   cudaStreamWaitEvent(gpu->drawing, gpu->copied, 0) == cudaSuccess
               ? ALIAS_OK
               : ALIAS_ERR_CUDA;
}

static int fill_without_batches(const chung_lu_gpu *gpu, uint64_t first, uint64_t count,
                                const rmat_arrays *to, cudaStream_t stream)
{
    const int status = chung_lu_gpu_draw(gpu->tables->src, chung_lu_source_seed(gpu->stream), first,
                                         count, to->id_bytes, to->src, stream);

    return status != ALIAS_OK
               ? status
               : chung_lu_gpu_draw(gpu->tables->dst, chung_lu_destination_seed(gpu->stream), first,
                                   count, to->id_bytes, to->dst, stream);
}

int chung_lu_gpu_fill(chung_lu_gpu *gpu, uint64_t first, uint64_t count, const rmat_arrays *to,
                      void *stream)
{
    const chung_lu_stream *s = gpu->stream;
    const uint64_t id = (uint64_t)to->id_bytes;
    int status = ALIAS_OK;

    if (s->batch == 0) {
        return fill_without_batches(gpu, first, count, to, (cudaStream_t)stream);
    }
    for (uint64_t done = 0; done < count && status == ALIAS_OK;) {
        const uint64_t at = first + done, batch = at - at % s->batch;
        const uint64_t left = batch + s->batch - at;
        const uint64_t n = count - done < left ? count - done : left;

        status = fill_part(gpu, batch, at, n, (char *)to->src + done * id,
                           (char *)to->dst + done * id, to->id_bytes, (cudaStream_t)stream);
        done += n;
    }
    return status;
}

int chung_lu_gpu_open(chung_lu_gpu **out, const chung_lu_tables *tables,
                      const chung_lu_stream *stream, int device, char *text, size_t size)
{
    size_t bytes = chung_lu_batch_count(stream, 0) * sizeof(uint64_t);
    chung_lu_gpu *gpu = calloc(1, sizeof *gpu);

    *out = NULL;
    if (gpu == NULL) {
        snprintf(text, size, "memory is exhausted");
        return -1;
    }
    *gpu =
        (chung_lu_gpu){.tables = tables, .stream = stream, .device = device, .batch = UINT64_MAX};
    if (chung_lu_cuda_failed(cudaSetDevice(device), "select", device, text, size) != 0 ||
        chung_lu_cuda_failed(cudaMalloc((void **)&gpu->sources, bytes + 1), "device memory", device,
                             text, size) != 0 ||
        chung_lu_cuda_failed(cudaStreamCreateWithFlags(&gpu->drawing, cudaStreamNonBlocking),
                             "stream", device, text, size) != 0 ||
        chung_lu_cuda_failed(cudaEventCreateWithFlags(&gpu->drawn, cudaEventDisableTiming), "event",
                             device, text, size) != 0 ||
        chung_lu_cuda_failed(cudaEventCreateWithFlags(&gpu->copied, cudaEventDisableTiming),
                             "event", device, text, size) != 0) {
        chung_lu_gpu_close(gpu);
        return -1;
    }
    *out = gpu;
    return 0;
}

void chung_lu_gpu_close(chung_lu_gpu *gpu)
{
    if (gpu == NULL) {
        return;
    }
    if (gpu->drawn != NULL) {
        (void)cudaEventDestroy(gpu->drawn);
    }
    if (gpu->copied != NULL) {
        (void)cudaEventDestroy(gpu->copied);
    }
    if (gpu->drawing != NULL) {
        (void)cudaStreamDestroy(gpu->drawing);
    }
    (void)cudaFree(gpu->sources);
    free(gpu);
}
