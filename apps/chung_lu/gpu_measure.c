/* How fast a GPU makes the edges of chung_lu in its memory. */
#include "alias/alias_gpu.h"
#include "apps/chung_lu/gpu_draw.h"
#include "rmat/rmat_gpu.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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
    return chung_lu_cuda_failed(error, what, m->device, m->text, m->size);
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

/* The edges of a batch. */
static int both_ends(const measuring *m, uint64_t first, char *src, char *dst)
{
    const chung_lu_stream *s = m->stream;
    const rmat_arrays to = {src, dst, NULL, s->id_bytes};
    chung_lu_gpu_batch batch;
    int end, status = chung_lu_gpu_begin_batch(&batch, m->tables->src, s, first, NULL);

    if (status == ALIAS_OK) {
        status = chung_lu_gpu_draw_edges(m->tables, s, &batch, first,
                                         chung_lu_batch_count(s, first), &to, NULL);
    }
    end = chung_lu_gpu_end_batch(&batch, NULL);
    return status != ALIAS_OK ? status : end;
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

        if (ends == SOURCES) {
            status = chung_lu_gpu_draw_sources(m->tables->src, s, first, s->id_bytes, src, NULL);
        } else if (ends == DESTINATIONS) {
            status = chung_lu_gpu_draw(m->tables->dst, chung_lu_destination_seed(s), first, count,
                                       s->id_bytes, dst, NULL);
        } else {
            status = both_ends(m, first, src, dst);
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
