/* The tables on a GPU: their memory, and what is in them when a pass is through. */
#include "apps/stats/gpu/state.h"
#include "rmat/rmat_gpu.h"
#include "rmat/tally/tally.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges of all threads' buffers, and of one at least and at most: multiples of RMAT_TALLY_CHUNK. */
enum { ALL_EDGES = 1 << 24, LEAST_EDGES = 1 << 14, MOST_EDGES = 1 << 19 };

enum { LEAST_ROOM = 16 << 20 }; /* bytes for tables */

int gpu_tell(gpu_tables *g, const char *what, int status)
{
    if (status == RMAT_OK) {
        return 0;
    }
    if (!atomic_flag_test_and_set(&g->told)) {
        snprintf(g->text, sizeof g->text, "GPU %d: %s: %s", g->device, what, rmat_gpu_error());
    }
    return -1;
}

int gpu_tell_cuda(gpu_tables *g, const char *what, cudaError_t error)
{
    return gpu_tell(g, what, rmat_gpu_status((int)error));
}

static int open_lane(gpu_tables *g, int thread)
{
    lane *l = &g->lanes[thread];
    int st;

    l->edges = g->edges + (size_t)thread * gpu_buffer_bytes(g);
    RMAT_TRY(
        gpu_tell_cuda(g, "stream", cudaStreamCreateWithFlags(&l->stream, cudaStreamNonBlocking)));
    for (int i = 0; i < 2; i++) {
        l->buffer[i] = g->pinned + (2 * (size_t)thread + (size_t)i) * gpu_buffer_bytes(g);
        RMAT_TRY(gpu_tell_cuda(g, "event",
                               cudaEventCreateWithFlags(
                                   &l->copied[i], cudaEventBlockingSync | cudaEventDisableTiming)));
    }
done:
    return st;
}

/* A tenth is left to others. */
static uint64_t room_for_tables(const gpu_tables *g)
{
    size_t available = 0, all;

    (void)g;
    (void)cudaMemGetInfo(&available, &all);
    return available / 10 * 9;
}

static int set_up(gpu_tables *g)
{
    const size_t bytes = (size_t)g->threads * gpu_buffer_bytes(g);
    int st;

    RMAT_TRY(gpu_tell_cuda(g, "selecting it", cudaSetDevice(g->device)));
    RMAT_TRY(
        gpu_tell_cuda(g, "device memory", cudaMalloc((void **)&g->findings, sizeof *g->findings)));
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMalloc((void **)&g->edges, bytes)));
    RMAT_TRY(gpu_tell_cuda(g, "pinned memory",
                           cudaHostAlloc((void **)&g->pinned, 2 * bytes, cudaHostAllocDefault)));
    for (int i = 0; i < g->threads; i++) {
        RMAT_TRY(open_lane(g, i));
    }
    if (room_for_tables(g) < LEAST_ROOM) {
        snprintf(g->text, sizeof g->text, "GPU %d: nearly all of its memory is in use", g->device);
        st = -1;
    }
done:
    return st;
}

static int open_tables(gpu_tables **out, int device, int id_bytes, int threads)
{
    const uint64_t share = (uint64_t)ALL_EDGES / (uint64_t)threads;
    gpu_tables *g = calloc(1, sizeof *g + (size_t)threads * sizeof *g->lanes);
    const int gpus = rmat_gpu_count();

    *out = g;
    if (g == NULL) {
        return -1;
    }
    g->device = device;
    g->id_bytes = id_bytes;
    g->threads = threads;
    g->most = share > MOST_EDGES    ? MOST_EDGES
              : share < LEAST_EDGES ? LEAST_EDGES
                                    : share / RMAT_TALLY_CHUNK * RMAT_TALLY_CHUNK;
    if (gpus == 0) {
        snprintf(g->text, sizeof g->text, "%s", rmat_strerror(RMAT_ERR_NO_BACKEND));
        return -1;
    }
    if (device >= gpus) {
        snprintf(g->text, sizeof g->text, "--device %d: this machine has %d GPU%s", device, gpus,
                 gpus == 1 ? "" : "s");
        return -1;
    }
    return set_up(g);
}

static void free_tables(gpu_tables *g)
{
    (void)cudaFree(g->counters.counters);
    (void)cudaFree(g->pairs.table);
    g->counters.counters = NULL;
    g->pairs.table = NULL;
}

static void close_tables(gpu_tables *g)
{
    if (g == NULL) {
        return;
    }
    for (int i = 0; i < g->threads; i++) {
        lane *l = &g->lanes[i];

        if (l->stream != NULL) {
            (void)cudaStreamSynchronize(l->stream);
            (void)cudaStreamDestroy(l->stream);
        }
        for (int k = 0; k < 2; k++) {
            if (l->copied[k] != NULL) {
                (void)cudaEventDestroy(l->copied[k]);
            }
        }
    }
    free_tables(g);
    (void)cudaFree(g->edges);
    (void)cudaFree(g->findings);
    (void)cudaFreeHost(g->pinned);
    free(g);
}

static const char *first_error(const gpu_tables *g)
{
    return g != NULL ? g->text : "memory is exhausted";
}

static int create(gpu_tables *g, size_t bytes, void **table)
{
    int st;

    *table = NULL;
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMalloc(table, bytes)));
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMemset(*table, 0, bytes)));
done:
    return st;
}

static int begin_pass(gpu_tables *g, const gpu_pass *pass)
{
    int st = RMAT_OK;

    g->pass = *pass;
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaMemset(g->findings, 0, sizeof *g->findings)));
    if (pass->counters != NULL) {
        g->counters = *pass->counters;
        RMAT_TRY(create(g, pass->counters->bytes, &g->counters.counters));
        g->counters.table = g->counters.counters; /* either is in use */
    }
    if (pass->pairs != NULL) {
        g->pairs = *pass->pairs;
        RMAT_TRY(create(g, pass->pairs->bytes, (void **)&g->pairs.table));
    }
    RMAT_TRY(gpu_tell_cuda(g, "device memory", cudaStreamSynchronize(NULL)));
done:
    return st;
}

static int finish(gpu_tables *g, findings *f)
{
    int st;

    for (int i = 0; i < g->threads; i++) {
        if (g->lanes[i].count > 0) {
            RMAT_TRY(gpu_tables_start(g, &g->lanes[i]));
        }
        RMAT_TRY(gpu_tell_cuda(g, "counting", cudaStreamSynchronize(g->lanes[i].stream)));
    }
    RMAT_TRY(
        gpu_tell_cuda(g, "copying", cudaMemcpy(f, g->findings, sizeof *f, cudaMemcpyDeviceToHost)));
    if (f->found.counters_full) {
        snprintf(g->text, sizeof g->text, "GPU %d: too many vertices in a part of the table",
                 g->device);
        return -1;
    }
    if (g->pass.counters != NULL) {
        const degree_counters *c = g->pass.counters;

        RMAT_TRY(gpu_tell_cuda(g, "copying",
                               cudaMemcpy(c->sparse ? (void *)c->table : c->counters,
                                          g->counters.counters, c->bytes, cudaMemcpyDeviceToHost)));
    }
done:
    return st;
}

static int end_pass(gpu_tables *g, pair_tally *found, bool *full)
{
    findings f;
    const int st = finish(g, &f);

    free_tables(g);
    if (st != 0) {
        return st;
    }
    *full = f.found.pairs_full;
    if (!*full) {
        found->distinct += f.found.pairs.distinct;
        found->loops += f.found.pairs.loops;
        found->mutual += f.found.pairs.mutual;
    }
    if (g->pass.levels != NULL) {
        rmat_tally_add(g->pass.levels, &f.levels);
    }
    return 0;
}

const gpu_tables_backend gpu_tables_of_cuda = {
    open_tables, close_tables, first_error, room_for_tables, begin_pass, gpu_tables_add, end_pass};
