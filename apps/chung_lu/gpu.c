/*
 * Edges of chung_lu on a GPU.
 *
 * Ranges come in order, on any streams.  One more stream divides the sources of a batch among the
 * sections of their table when the first of its edges is asked for, and forgets that when the
 * streams of its ranges are done.
 */
#include "apps/chung_lu/gpu.h"
#include "alias/alias_gpu.h"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

struct chung_lu_gpu {
    const chung_lu_tables *tables;
    const chung_lu_stream *stream;
    int device;
    chung_lu_gpu_batch batch;
    cudaStream_t dividing;
    cudaEvent_t divided, read;
};

/* 0, or -1 and a text that says what failed. */
static int chung_lu_cuda_failed(cudaError_t error, const char *what, int device, char *text,
                                size_t size)
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
alias_sampler chung_lu_gpu_sampler(const alias_table *table, uint64_t count)
{
    alias_sampler best = alias_best_sampler(table, count);

    return best == ALIAS_SAMPLER_BASELINE ? ALIAS_SAMPLER_CACHED : best;
}

/* Any draws of the baseline sampler. */
static int draw_baseline(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         int id_bytes, void *out, cudaStream_t stream)
{
    const alias_sampler baseline = ALIAS_SAMPLER_BASELINE;

    return id_bytes == 4 ? alias_sample32_device(table, baseline, seed, first, count, out, stream)
                         : alias_sample64_device(table, baseline, seed, first, count, out, stream);
}

/* Ends the batch, after all that reads it, and begins the next one. */
static int next_batch(chung_lu_gpu *gpu, uint64_t first)
{
    int status = chung_lu_gpu_end_batch(&gpu->batch, gpu->dividing);

    if (status == ALIAS_OK) {
        status = chung_lu_gpu_begin_batch(&gpu->batch, gpu->tables->src, gpu->stream, first,
                                          gpu->dividing);
    }
    return status == ALIAS_OK && cudaEventRecord(gpu->divided, gpu->dividing) != cudaSuccess
               ? ALIAS_ERR_CUDA
               : status;
}

/* Edges of the batch that begins at `batch`, started in the stream. */
static int fill_part(chung_lu_gpu *gpu, uint64_t batch, uint64_t first, uint64_t count,
                     const rmat_arrays *to, cudaStream_t stream)
{
    int status = ALIAS_OK;

    if (gpu->batch.offsets == NULL || gpu->batch.first != batch) {
        status = next_batch(gpu, batch);
    }
    if (status == ALIAS_OK && cudaStreamWaitEvent(stream, gpu->divided, 0) != cudaSuccess) {
        status = ALIAS_ERR_CUDA;
    }
    if (status == ALIAS_OK) {
        status = chung_lu_gpu_draw_edges(gpu->tables, gpu->stream, &gpu->batch, first, count, to,
                                         stream);
    }
    if (status == ALIAS_OK && (cudaEventRecord(gpu->read, stream) != cudaSuccess ||
                               cudaStreamWaitEvent(gpu->dividing, gpu->read, 0) != cudaSuccess)) {
        status = ALIAS_ERR_CUDA;
    }
    return status;
}

static int fill_without_batches(const chung_lu_gpu *gpu, uint64_t first, uint64_t count,
                                const rmat_arrays *to, cudaStream_t stream)
{
    const int status = draw_baseline(gpu->tables->src, chung_lu_source_seed(gpu->stream), first,
                                     count, to->id_bytes, to->src, stream);

    return status != ALIAS_OK
               ? status
               : draw_baseline(gpu->tables->dst, chung_lu_destination_seed(gpu->stream), first,
                               count, to->id_bytes, to->dst, stream);
}

static int fill_edges(chung_lu_gpu *gpu, uint64_t first, uint64_t count, const rmat_arrays *to,
                      void *stream)
{
    int status = ALIAS_OK;

    if (gpu->stream->batch == 0) {
        return fill_without_batches(gpu, first, count, to, (cudaStream_t)stream);
    }
    for (uint64_t done = 0, n; done < count && status == ALIAS_OK; done += n) {
        const rmat_arrays here = chung_lu_behind(to, done);
        uint64_t batch;

        n = chung_lu_part(gpu->stream, first + done, count - done, &batch);
        status = fill_part(gpu, batch, first + done, n, &here, (cudaStream_t)stream);
    }
    return status;
}

static void close_gpu(chung_lu_gpu *gpu)
{
    (void)chung_lu_gpu_end_batch(&gpu->batch, gpu->dividing);
    if (gpu->divided != NULL) {
        (void)cudaEventDestroy(gpu->divided);
    }
    if (gpu->read != NULL) {
        (void)cudaEventDestroy(gpu->read);
    }
    if (gpu->dividing != NULL) {
        (void)cudaStreamDestroy(gpu->dividing);
    }
    free(gpu);
}

static int open_gpu(chung_lu_gpu **out, const chung_lu_tables *tables,
                    const chung_lu_stream *stream, int device, char *text, size_t size)
{
    chung_lu_gpu *gpu = calloc(1, sizeof *gpu);

    *out = NULL;
    if (gpu == NULL) {
        snprintf(text, size, "memory is exhausted");
        return -1;
    }
    *gpu = (chung_lu_gpu){.tables = tables, .stream = stream, .device = device};
    if (chung_lu_cuda_failed(cudaSetDevice(device), "select", device, text, size) != 0 ||
        chung_lu_cuda_failed(cudaStreamCreateWithFlags(&gpu->dividing, cudaStreamNonBlocking),
                             "stream", device, text, size) != 0 ||
        chung_lu_cuda_failed(cudaEventCreateWithFlags(&gpu->divided, cudaEventDisableTiming),
                             "event", device, text, size) != 0 ||
        chung_lu_cuda_failed(cudaEventCreateWithFlags(&gpu->read, cudaEventDisableTiming), "event",
                             device, text, size) != 0) {
        close_gpu(gpu);
        return -1;
    }
    *out = gpu;
    return 0;
}

const chung_lu_backend chung_lu_of_cuda = {open_gpu, close_gpu, fill_edges};
