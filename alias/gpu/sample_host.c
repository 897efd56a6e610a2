/*
 * Draws of a GPU table into host memory: chunk by chunk, one being drawn while the one before is
 * copied back.  A call has its own stream, so that calls from many threads do not wait for each
 * other.
 */
#include "alias/gpu/state.h"

#include <stddef.h>

enum { CHUNK_BYTES = 1 << 24 }; /* of draws; there are two on the device */

typedef struct {
    const alias_table *table;
    alias_view view;
    uint64_t seed, first, count;
    int wide_out;
    int sectioned;
    alias_sampler sampler;
    alias_sections layout;
    uint64_t *offsets;
    cudaStream_t stream[2];
    void *chunk[2];
} job;

static int draw_chunk(const job *j, uint64_t begin, uint64_t last, int slot)
{
    if (j->sectioned) {
        return alias_gpu_draw_sections(&j->view, &j->layout, j->offsets, j->sampler, j->seed,
                                       j->first, begin, last, j->chunk[slot], j->wide_out,
                                       j->stream[slot]);
    }
    return alias_gpu_draw(&j->view, j->seed, j->first + begin, j->first + last, j->chunk[slot],
                          j->wide_out, j->stream[slot]);
}

static int run(job *j, char *out)
{
    const uint64_t size = j->wide_out ? 8 : 4, chunk = CHUNK_BYTES / size;
    uint64_t begin;
    int slot, st = ALIAS_OK;

    for (slot = 0, begin = 0; st == ALIAS_OK && begin < j->count; slot ^= 1) {
        uint64_t now = j->count - begin < chunk ? j->count - begin : chunk;

        /* The copy of two chunks ago is over: copies to pageable memory return only then, and
         * others are waited for here. */
        st = alias_gpu_status(cudaStreamSynchronize(j->stream[slot]));
        if (st == ALIAS_OK) {
            st = draw_chunk(j, begin, begin + (now - 1), slot);
        }
        if (st == ALIAS_OK) {
            st = alias_gpu_status(cudaMemcpyAsync(out + begin * size, j->chunk[slot], now * size,
                                                  cudaMemcpyDeviceToHost, j->stream[slot]));
        }
        begin += now;
    }
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
    uint64_t bytes = j->count < CHUNK_BYTES / size ? j->count * size : CHUNK_BYTES;
    int slot, st = ALIAS_OK;

    for (slot = 0; st == ALIAS_OK && slot < 2; slot++) {
        st = alias_gpu_status(cudaStreamCreateWithFlags(&j->stream[slot], cudaStreamNonBlocking));
        if (st == ALIAS_OK) {
            st = alias_gpu_status(
                cudaMallocFromPoolAsync(&j->chunk[slot], bytes, state->pool, j->stream[slot]));
        }
    }
    if (st == ALIAS_OK && j->sectioned) {
        st = alias_sections_begin(j->table, j->seed, j->first, j->count, j->stream[0], &j->layout,
                                  &j->offsets);
        if (st == ALIAS_OK) {
            st = alias_gpu_status(cudaStreamSynchronize(j->stream[0]));
        }
    }
    return st;
}

static int sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                  void *out, int wide_out, int sectioned)
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
    st = prepare(&j);
    if (st == ALIAS_OK) {
        st = run(&j, out);
    }
    if (j.offsets != NULL) {
        (void)alias_sections_end(j.offsets, j.stream[0]);
    }
    for (slot = 0; slot < 2; slot++) {
        if (j.chunk[slot] != NULL) {
            (void)cudaFreeAsync(j.chunk[slot], j.stream[slot]);
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
    return sample(table, seed, first, count, out, 0, 0);
}

int alias_gpu_sample64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       uint64_t *out)
{
    return sample(table, seed, first, count, out, 1, 0);
}

int alias_gpu_sections32(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint32_t *out)
{
    return sample(table, seed, first, count, out, 0, 1);
}

int alias_gpu_sections64(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                         uint64_t *out)
{
    return sample(table, seed, first, count, out, 1, 1);
}
