/*
 * The way of the edges to the GPU.
 *
 * Each thread collects edges in pinned memory.  When a buffer of it is full, it is copied to the
 * device and counted there, while the thread fills the other one.  Threads have a stream each, so
 * that copies run beside kernels.
 */
#include "apps/stats/gpu/state.h"
#include "rmat/tally/tally.h"
#include <string.h>

/* Starts copying and counting what the buffer has. */
int gpu_tables_start(gpu_tables *g, lane *l)
{
    const size_t half = gpu_buffer_bytes(g) / 2, bytes = (size_t)l->count * (size_t)g->id_bytes;
    const char *from = l->buffer[l->now];
    char *src = l->edges, *dst = src + half;
    int st;

    RMAT_TRY(gpu_tell_cuda(g, "copying",
                           cudaMemcpyAsync(src, from, bytes, cudaMemcpyHostToDevice, l->stream)));
    RMAT_TRY(gpu_tell_cuda(
        g, "copying", cudaMemcpyAsync(dst, from + half, bytes, cudaMemcpyHostToDevice, l->stream)));
    RMAT_TRY(gpu_tell_cuda(g, "copying", cudaEventRecord(l->copied[l->now], l->stream)));
    if (g->pass.counters != NULL) {
        RMAT_TRY(gpu_tell(g, "counting",
                          gpu_count_degrees(&g->counters, src, dst, l->count, g->id_bytes,
                                            &g->findings->found, l->stream)));
    }
    if (g->pass.pairs != NULL) {
        RMAT_TRY(gpu_tell(
            g, "counting",
            gpu_find_pairs(&g->pairs, src, dst, l->count, &g->findings->found, l->stream)));
    }
    if (g->pass.levels != NULL) { /* the last one: it may overwrite the edges */
        RMAT_TRY(gpu_tell(g, "counting",
                          rmat_tally_stored(g->pass.gen, src, dst, l->count, g->id_bytes,
                                            &g->findings->levels, l->stream)));
    }
    l->now = 1 - l->now;
    l->count = 0;
    RMAT_TRY(gpu_tell_cuda(g, "copying", cudaEventSynchronize(l->copied[l->now])));
done:
    return st;
}

int gpu_tables_add(gpu_tables *g, int thread, const edge_block *e)
{
    lane *l = &g->lanes[thread];
    const size_t width = (size_t)g->id_bytes, half = gpu_buffer_bytes(g) / 2;
    int st = gpu_tell_cuda(g, "selecting it", cudaSetDevice(g->device));

    for (uint64_t at = 0, n; st == 0 && at < e->count; at += n) {
        char *to = l->buffer[l->now] + l->count * width;

        n = e->count - at < g->most - l->count ? e->count - at : g->most - l->count;
        memcpy(to, (const char *)e->src + at * width, n * width);
        memcpy(to + half, (const char *)e->dst + at * width, n * width);
        l->count += n;
        if (l->count == g->most) {
            st = gpu_tables_start(g, l);
        }
    }
    return st;
}
