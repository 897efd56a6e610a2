/*
 * Edges of chung_lu on a GPU: no kernel is needed, for alias_sample32_device() draws into device
 * memory and rmat_fingerprint_device() reads from there.
 *
 * For a file the chunks come in order, each on a stream of its own (apps/engine/pipeline/gpu.c).
 * One more stream draws the sources of a batch when its first chunk is asked for, and deals them
 * out to the chunks; as it does one after the other, one array for the sources is enough.
 */
#include "apps/chung_lu/gpu.h"
#include "alias/alias_gpu.h"
#include "apps/engine/pipeline/gpu.h"
#include "rmat/rmat_gpu.h"
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

struct chung_lu_gpu {
    const alias_table *table;
    const chung_lu_stream *stream;
    pipeline_gpu_filler filler;
    char *sources;  /* of a batch, in device memory */
    uint64_t batch; /* whose they are; UINT64_MAX: none */
    cudaStream_t drawing;
    cudaEvent_t dealt;
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
                        void *out, cudaStream_t stream)
{
    uint64_t count = chung_lu_batch_count(s, first), seed = chung_lu_source_seed(s);
    alias_sampler sampler = sectioned(table, count);

    return s->id_bytes == 4
               ? alias_sample32_device(table, sampler, seed, first, count, out, stream)
               : alias_sample64_device(table, sampler, seed, first, count, out, stream);
}

static int draw_destinations(const alias_table *table, const chung_lu_stream *s, uint64_t first,
                             uint64_t count, void *out, cudaStream_t stream)
{
    const alias_sampler baseline = ALIAS_SAMPLER_BASELINE;
    uint64_t seed = chung_lu_destination_seed(s);

    return s->id_bytes == 4
               ? alias_sample32_device(table, baseline, seed, first, count, out, stream)
               : alias_sample64_device(table, baseline, seed, first, count, out, stream);
}

/* As the pipeline understands it. */
static int rmat_status_of(int status)
{
    return status == ALIAS_OK          ? RMAT_OK
           : status == ALIAS_ERR_NOMEM ? RMAT_ERR_NOMEM
                                       : RMAT_ERR_CUDA;
}

/* A chunk of edges into device memory: starts everything and returns. */
static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                uint64_t *fingerprint, void *stream)
{
    chung_lu_gpu *gpu = state;
    const chung_lu_stream *s = gpu->stream;
    const uint64_t id = (uint64_t)s->id_bytes, batch = first - first % s->batch;
    int status = ALIAS_OK;

    if (batch != gpu->batch) {
        status = draw_sources(gpu->table, s, batch, gpu->sources, gpu->drawing);
        gpu->batch = status == ALIAS_OK ? batch : UINT64_MAX;
    }
    if (status == ALIAS_OK) {
        status = draw_destinations(gpu->table, s, first, count, to->dst, stream);
    }
    if (status != ALIAS_OK) {
        return rmat_status_of(status);
    }
    /* What was in to->src has been copied from there: the pipeline has waited for it. */
    if (cudaMemcpyAsync(to->src, gpu->sources + (first - batch) * id, count * id,
                        cudaMemcpyDeviceToDevice, gpu->drawing) != cudaSuccess ||
        cudaEventRecord(gpu->dealt, gpu->drawing) != cudaSuccess ||
        cudaStreamWaitEvent(stream, gpu->dealt, 0) != cudaSuccess) {
        return RMAT_ERR_CUDA;
    }
    return rmat_fingerprint_device(to->src, to->dst, count, s->id_bytes, fingerprint, stream);
}

int chung_lu_gpu_open(chung_lu_gpu **out, const alias_table *table, const chung_lu_stream *stream,
                      int device, char *text, size_t size)
{
    size_t bytes = chung_lu_batch_count(stream, 0) * (size_t)stream->id_bytes;
    chung_lu_gpu *gpu = calloc(1, sizeof *gpu);

    *out = NULL;
    if (gpu == NULL) {
        snprintf(text, size, "memory is exhausted");
        return -1;
    }
    gpu->table = table;
    gpu->stream = stream;
    gpu->batch = UINT64_MAX;
    gpu->filler = (pipeline_gpu_filler){.fill = fill, .state = gpu, .device = device};
    if (cuda_failed(cudaSetDevice(device), "select", device, text, size) != 0 ||
        cuda_failed(cudaMalloc((void **)&gpu->sources, bytes + 1), "device memory", device, text,
                    size) != 0 ||
        cuda_failed(cudaStreamCreateWithFlags(&gpu->drawing, cudaStreamNonBlocking), "stream",
                    device, text, size) != 0 ||
        cuda_failed(cudaEventCreateWithFlags(&gpu->dealt, cudaEventDisableTiming), "event", device,
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
    if (gpu->dealt != NULL) {
        (void)cudaEventDestroy(gpu->dealt);
    }
    if (gpu->drawing != NULL) {
        (void)cudaStreamDestroy(gpu->drawing);
    }
    (void)cudaFree(gpu->sources);
    free(gpu);
}

pipeline_producer chung_lu_gpu_producer(chung_lu_gpu *gpu)
{
    return pipeline_gpu_filled(&gpu->filler);
}

/* --- measuring, without a file --- */

enum { SOURCES = 1, DESTINATIONS = 2, ALIGN = 256 };

typedef struct {
    const alias_table *table;
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
            status = draw_sources(m->table, s, first, src, NULL);
        }
        if ((ends & DESTINATIONS) && status == ALIAS_OK) {
            status = draw_destinations(m->table, s, first, count, dst, NULL);
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

int chung_lu_gpu_measure(const alias_table *table, const chung_lu_stream *stream, int device,
                         uint64_t repeat, chung_lu_measured *m, char *text, size_t size)
{
    measuring w = {.table = table, .stream = stream, .device = device, .text = text, .size = size};
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
