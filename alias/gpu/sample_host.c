/*
 * alias/gpu/sample_host.c - draws from a GPU table into host memory.
 *
 * The draws are made in batches that fit two buffers in device memory: one batch is drawn while the
 * previous one is copied back.  Each call has streams of its own, so that calls from several
 * threads do not wait for one another.
 */
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stddef.h>

enum { BUFFER_BYTES = 1 << 24 };

typedef struct {
    const alias_table *table;
    alias_view view;
    uint64_t seed, first, count;
    bool wide_out;
    bool sectioned;
    alias_sampler sampler; /* of a sectioned batch, as are these: */
    alias_sections layout;
    uint64_t *offsets;
    cudaStream_t stream[2];
    void *buffer[2];
} job;

/* Starts positions [begin, last], both inclusive, of the call's draws. */
static int draw_batch(const job *j, uint64_t begin, uint64_t last, int slot)
{
    if (j->sectioned) {
        return alias_gpu_draw_sections(&j->view, &j->layout, j->offsets, j->sampler, j->seed,
                                       j->first, begin, last, j->buffer[slot], j->wide_out,
                                       j->stream[slot]);
    }
    return alias_gpu_draw(&j->view, j->seed, j->first + begin, j->first + last, j->buffer[slot],
                          j->wide_out, j->stream[slot]);
}

static int run(job *j, char *out)
{
    const uint64_t size = j->wide_out ? 8 : 4, batch = BUFFER_BYTES / size;
    uint64_t begin;
    int slot, st = ALIAS_OK;

    for (slot = 0, begin = 0; begin < j->count; slot ^= 1) {
        uint64_t now = j->count - begin < batch ? j->count - begin : batch;

        /* The copy out of this buffer must be over.  Copies to pageable memory return only then;
         * those to pinned memory are waited for here. */
        ALIAS_GPU_TRY(cudaStreamSynchronize(j->stream[slot]));
        ALIAS_TRY(draw_batch(j, begin, begin + (now - 1), slot));
        ALIAS_GPU_TRY(cudaMemcpyAsync(out + begin * size, j->buffer[slot], now * size,
                                      cudaMemcpyDeviceToHost, j->stream[slot]));
        begin += now;
    }
done:
    for (slot = 0; slot < 2; slot++) {
        int end = alias_gpu_status(cudaStreamSynchronize(j->stream[slot]));

        st = st != ALIAS_OK ? st : end;
    }
    return st;
}

static int prepare(job *j)
{
    const alias_gpu_state *state = j->table->gpu;
    const uint64_t size = j->wide_out ? 8 : 4;
    uint64_t bytes = j->count < BUFFER_BYTES / size ? j->count * size : BUFFER_BYTES;
    int st = ALIAS_OK;

    for (int slot = 0; slot < 2; slot++) {
        ALIAS_GPU_TRY(cudaStreamCreateWithFlags(&j->stream[slot], cudaStreamNonBlocking));
        ALIAS_GPU_TRY(
            cudaMallocFromPoolAsync(&j->buffer[slot], bytes, state->pool, j->stream[slot]));
    }
    if (j->sectioned) {
        ALIAS_TRY(alias_sections_begin(j->table, j->seed, j->first, j->count, j->stream[0],
                                       &j->layout, &j->offsets));
        ALIAS_GPU_TRY(cudaStreamSynchronize(j->stream[0]));
    }
done:
    return st;
}

static int sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                  void *out, bool wide_out, bool sectioned)
{
    job j = {.table = table,
             .seed = seed,
             .first = first,
             .count = count,
             .wide_out = wide_out,
             .sectioned = sectioned};
    int before, slot, st = alias_get_view(table, &j.view);

    if (st != ALIAS_OK || count == 0) {
        return st;
    }
    st = alias_gpu_enter(((const alias_gpu_state *)table->gpu)->device, &before);
    if (st != ALIAS_OK) {
        return st;
    }
    j.sampler = alias_gpu_best_sections(table);
    ALIAS_TRY(prepare(&j));
    ALIAS_TRY(run(&j, out));
done:
    if (j.offsets != NULL) {
        (void)alias_sections_end(j.offsets, j.stream[0]);
    }
    for (slot = 0; slot < 2; slot++) {
        if (j.buffer[slot] != NULL) {
            (void)cudaFreeAsync(j.buffer[slot], j.stream[slot]);
        }
        if (j.stream[slot] != NULL) {
            (void)cudaStreamDestroy(j.stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}

int alias_gpu_sample32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint32_t *out)
{
    return sample(table, seed, first, count, out, false, false);
}

int alias_gpu_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *out)
{
    return sample(table, seed, first, count, out, true, false);
}

int alias_gpu_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint32_t *out)
{
    return sample(table, seed, first, count, out, false, true);
}

int alias_gpu_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint64_t *out)
{
    return sample(table, seed, first, count, out, true, true);
}
