/*
 * Edges of chung_lu on a GPU: no kernel is needed, for alias_sample32_device() draws into device
 * memory.
 *
 * Ranges come in order, on any streams.  One more stream draws the sources of a batch when the
 * first of its edges is asked for.  From there they are copied on the stream of each range, and the
 * next batch is drawn after the copies, so that one array is enough.
 */
#include "apps/chung_lu/gpu.h"
#include "alias/alias_gpu.h"
#include "rmat/rmat_gpu.h"
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

static int cuda_failed(cudaError_t error, const char *what, int device, char *text, size_t size)
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

static int draw_sources(const alias_table *table, const chung_lu_stream *s, uint64_t first,
                        int id_bytes, void *out, cudaStream_t stream)
{
    uint64_t count = chung_lu_batch_count(s, first), seed = chung_lu_source_seed(s);
    alias_sampler sampler = sectioned(table, count);

    return id_bytes == 4 ? alias_sample32_device(table, sampler, seed, first, count, out, stream)
                         : alias_sample64_device(table, sampler, seed, first, count, out, stream);
}

static int draw_baseline(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
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
        status = draw_sources(gpu->tables->src, gpu->stream, batch, id_bytes, gpu->sources,
                              gpu->drawing);
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
        status = draw_baseline(gpu->tables->dst, chung_lu_destination_seed(gpu->stream), first,
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
    const int status = draw_baseline(gpu->tables->src, chung_lu_source_seed(gpu->stream), first,
                                     count, to->id_bytes, to->src, stream);

    return status != ALIAS_OK
               ? status
               : draw_baseline(gpu->tables->dst, chung_lu_destination_seed(gpu->stream), first,
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
    if (cuda_failed(cudaSetDevice(device), "select", device, text, size) != 0 ||
        cuda_failed(cudaMalloc((void **)&gpu->sources, bytes + 1), "device memory", device, text,
                    size) != 0 ||
        cuda_failed(cudaStreamCreateWithFlags(&gpu->drawing, cudaStreamNonBlocking), "stream",
                    device, text, size) != 0 ||
        cuda_failed(cudaEventCreateWithFlags(&gpu->drawn, cudaEventDisableTiming), "event", device,
                    text, size) != 0 ||
        cuda_failed(cudaEventCreateWithFlags(&gpu->copied, cudaEventDisableTiming), "event", device,
                    text, size) != 0) {
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

/* --- measuring, without a file --- */

enum { SOURCES = 1, DESTINATIONS = 2, ALIGN = 256 };

typedef struct {
    const chung_lu_tables *tables;
    const chung_lu_stream *stream;
    int device;
    char *src, *dst;
    uint64_t stored; /* elements of either: whole batches, or all edges */
    uint64_t *sum;   /* the fingerprint, in device memory */
    cudaEvent_t begin, end;
    char *text;
    size_t size;
} measuring;

static int failed(const measuring *m, cudaError_t error, const char *what)
{
    return cuda_failed(error, what, m->device, m->text, m->size);
}

/* Half of the free memory at most: the samplers need some, too. */
static int make_room(measuring *m)
{
    const chung_lu_stream *s = m->stream;
    const uint64_t id = (uint64_t)s->id_bytes;
    size_t available, all;
    uint64_t batches;

    if (failed(m, cudaSetDevice(m->device), "select") != 0 ||
        failed(m, cudaMemGetInfo(&available, &all), "device memory") != 0) {
        return -1;
    }
    batches = available / 2 / (2 * id * s->batch);
    m->stored = batches > 1 ? batches * s->batch : s->batch;
    m->stored = s->edges < m->stored ? s->edges : m->stored;
    return failed(m, cudaMalloc((void **)&m->src, m->stored * id + ALIGN), "device memory") != 0 ||
                   failed(m, cudaMalloc((void **)&m->dst, m->stored * id + ALIGN),
                          "device memory") != 0 ||
                   failed(m, cudaMalloc((void **)&m->sum, sizeof *m->sum), "device memory") != 0 ||
                   failed(m, cudaMemset(m->sum, 0, sizeof *m->sum), "device memory") != 0 ||
                   failed(m, cudaEventCreate(&m->begin), "event") != 0 ||
                   failed(m, cudaEventCreate(&m->end), "event") != 0
               ? -1
               : 0;
}

/* All edges once, or one of their ends. */
static int pass(const measuring *m, int ends, bool fingerprint)
{
    const chung_lu_stream *s = m->stream;
    const uint64_t id = (uint64_t)s->id_bytes;
    int status = ALIAS_OK;

    for (uint64_t first = 0; first < s->edges && status == ALIAS_OK; first += s->batch) {
        uint64_t count = chung_lu_batch_count(s, first), at = first % m->stored;
        char *src = m->src + at * id, *dst = m->dst + at * id;

        if (ends & SOURCES) {
            status = draw_sources(m->tables->src, s, first, s->id_bytes, src, NULL);
        }
        if ((ends & DESTINATIONS) && status == ALIAS_OK) {
            status = draw_baseline(m->tables->dst, chung_lu_destination_seed(s), first, count,
                                   s->id_bytes, dst, NULL);
        }
        if (fingerprint && status == ALIAS_OK &&
            rmat_fingerprint_device(src, dst, count, s->id_bytes, m->sum, NULL) != RMAT_OK) {
            status = ALIAS_ERR_CUDA;
        }
    }
    if (status != ALIAS_OK) {
        snprintf(m->text, m->size, "GPU %d: %s: %s", m->device, alias_strerror(status),
                 alias_gpu_error());
        return -1;
    }
    return 0;
}

static int time_passes(const measuring *m, int ends, double *seconds, uint64_t repeat,
                       chung_lu_times *times)
{
    for (uint64_t i = 0; i < repeat; i++) {
        float milliseconds = 0;

        if (failed(m, cudaEventRecord(m->begin, NULL), "event") != 0 || pass(m, ends, false) != 0 ||
            failed(m, cudaEventRecord(m->end, NULL), "event") != 0 ||
            failed(m, cudaEventSynchronize(m->end), "edges") != 0 ||
            failed(m, cudaEventElapsedTime(&milliseconds, m->begin, m->end), "event") != 0) {
            return -1;
        }
        seconds[i] = 1e-3 * (double)milliseconds;
    }
    *times = chung_lu_times_of(seconds, repeat);
    return 0;
}

int chung_lu_gpu_measure(const chung_lu_tables *tables, const chung_lu_stream *stream, int device,
                         uint64_t repeat, chung_lu_measured *m, char *text, size_t size)
{
    measuring w = {
        .tables = tables, .stream = stream, .device = device, .text = text, .size = size};
    double *seconds = malloc(repeat * sizeof *seconds);
    int status = -1;

    if (seconds == NULL) {
        snprintf(text, size, "memory is exhausted");
    } else if (make_room(&w) == 0 && pass(&w, SOURCES | DESTINATIONS, true) == 0 &&
               failed(&w, cudaMemcpy(&m->fingerprint, w.sum, sizeof *w.sum, cudaMemcpyDeviceToHost),
                      "edges") == 0 &&
               time_passes(&w, SOURCES | DESTINATIONS, seconds, repeat, &m->both) == 0 &&
               time_passes(&w, SOURCES, seconds, repeat, &m->sources) == 0 &&
               time_passes(&w, DESTINATIONS, seconds, repeat, &m->destinations) == 0) {
        m->stored = w.stored;
        status = 0;
    }
    if (w.begin != NULL) {
        (void)cudaEventDestroy(w.begin);
    }
    if (w.end != NULL) {
        (void)cudaEventDestroy(w.end);
    }
    (void)cudaFree(w.src);
    (void)cudaFree(w.dst);
    (void)cudaFree(w.sum);
    free(seconds);
    return status;
}
