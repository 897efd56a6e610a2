/*
 * alias/gpu/sample.c - draws from a table on a GPU: into device memory, by the requested sampler or
 * the fastest one, and into host memory.
 */
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stddef.h>

static alias_sampler best_sections(const alias_table *table)
{
    alias_sections layout =
        alias_sections_of(table->n, table->row_bytes, table->config.section_rows);
    int shared = 0;

    (void)cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                 ((const alias_gpu_state *)table->gpu)->device);
    return alias_section_room(&layout) * (uint64_t)table->row_bytes <= (uint64_t)shared
               ? ALIAS_SAMPLER_SHARED
               : ALIAS_SAMPLER_LIMITED;
}

/*
 * The choice follows times measured on one H200, with 10^3 to 10^9 rows of 8 bytes and 10^4 to 10^9
 * draws.  The baseline takes at most 1/40 ns per draw and starts immediately.  The others first
 * compute the sections' numbers of draws (0.01 to 0.05 ms), and those in shared memory copy the
 * whole table once.  They break even at 7 million draws if the first-level cache holds the table,
 * at 3 million up to 10^7 rows, and at one draw per 12 rows beyond (22 with 10^9 rows).  Up to one
 * draw per 9 rows, and while draws are few, sections read through the cache are faster than copies
 * of them.
 *
 * The limit of the baseline never moves, because it decides which draws are made.  Another limit
 * would gain a fifth of the time at 3 million draws from 3 million rows.
 */
alias_sampler alias_gpu_best_sampler(const alias_table *table, uint64_t count)
{
    const uint64_t eights = table->n * ((uint64_t)table->row_bytes / 8);
    const uint64_t least = eights <= 32768 ? 7000000 : 3000000;

    if (count < least || count < eights / 22) {
        return ALIAS_SAMPLER_BASELINE;
    }
    if (count < eights / 12 && eights < 500000000) {
        return ALIAS_SAMPLER_BASELINE;
    }
    if (count < eights / 9) {
        return ALIAS_SAMPLER_CACHED;
    }
    return count < 5000000 ? ALIAS_SAMPLER_LIMITED : best_sections(table);
}

static int draw_sections(const alias_table *table, const alias_view *view, alias_sampler sampler,
                         uint64_t seed, uint64_t first, uint64_t count, void *out, bool wide_out,
                         cudaStream_t stream)
{
    alias_sections layout;
    uint64_t *offsets;
    int end, st;

    ALIAS_OR_RETURN(alias_sections_begin(table, seed, first, count, stream, &layout, &offsets));
    st = alias_gpu_draw_sections(view, &layout, offsets, sampler, seed, first, 0, count - 1, out,
                                 wide_out, stream);
    end = alias_sections_end(offsets, stream);
    return st != ALIAS_OK ? st : end;
}

int alias_gpu_sample_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                            uint64_t first, uint64_t count, void *out, bool wide, void *stream)
{
    const alias_view view = alias_gpu_view(table);
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(((const alias_gpu_state *)table->gpu)->device, &before));
    if (sampler == ALIAS_SAMPLER_AUTO) {
        sampler = alias_gpu_best_sampler(table, count);
    }
    st = sampler == ALIAS_SAMPLER_BASELINE
             ? alias_gpu_draw(&view, seed, first, first + (count - 1), out, wide, stream)
             : draw_sections(table, &view, sampler, seed, first, count, out, wide, stream);
    alias_gpu_leave(before);
    return st;
}

/*
 * Draws from a GPU table into host memory.
 *
 * The draws are made in batches that fit two buffers in device memory: one batch is drawn while the
 * previous one is copied back.  Each call has its own streams, so that calls from several threads
 * do not wait for one another.
 */
enum { BUFFER_BYTES = 1 << 24 };

typedef struct {
    const alias_table *table;
    alias_view view;
    uint64_t seed, first, count;
    bool wide_out;
    bool sectioned;
    alias_sampler sampler; /* of a sectioned batch, as the next members: */
    alias_sections layout;
    uint64_t *offsets;
    cudaStream_t stream[2];
    void *buffer[2];
} host_draws;

/* Starts positions [begin, last], both inclusive, of the call's draws. */
static int draw_batch(const host_draws *j, uint64_t begin, uint64_t last, int slot)
{
    if (j->sectioned) {
        return alias_gpu_draw_sections(&j->view, &j->layout, j->offsets, j->sampler, j->seed,
                                       j->first, begin, last, j->buffer[slot], j->wide_out,
                                       j->stream[slot]);
    }
    return alias_gpu_draw(&j->view, j->seed, j->first + begin, j->first + last, j->buffer[slot],
                          j->wide_out, j->stream[slot]);
}

static int draw_and_copy(host_draws *j, char *out)
{
    const uint64_t size = j->wide_out ? 8 : 4, batch = BUFFER_BYTES / size;
    uint64_t begin;
    int slot, st = ALIAS_OK;

    for (slot = 0, begin = 0; begin < j->count; slot ^= 1) {
        uint64_t now = j->count - begin < batch ? j->count - begin : batch;

        /* Waits for the copy out of this buffer.  A copy to pageable memory is complete when its
         * call returns; a copy to pinned memory is not. */
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

static int prepare_buffers(host_draws *j)
{
    const alias_gpu_state *state = j->table->gpu;
    const uint64_t size = j->wide_out ? 8 : 4;
    uint64_t bytes = j->count < BUFFER_BYTES / size ? j->count * size : BUFFER_BYTES;

    for (int slot = 0; slot < 2; slot++) {
        ALIAS_GPU_OR_RETURN(cudaStreamCreateWithFlags(&j->stream[slot], cudaStreamNonBlocking));
        ALIAS_GPU_OR_RETURN(
            cudaMallocFromPoolAsync(&j->buffer[slot], bytes, state->pool, j->stream[slot]));
    }
    if (j->sectioned) {
        ALIAS_OR_RETURN(alias_sections_begin(j->table, j->seed, j->first, j->count, j->stream[0],
                                             &j->layout, &j->offsets));
        ALIAS_GPU_OR_RETURN(cudaStreamSynchronize(j->stream[0]));
    }
    return ALIAS_OK;
}

static int sample_to_host(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                          void *out, bool wide_out, bool sectioned)
{
    host_draws j = {.table = table,
                    .seed = seed,
                    .first = first,
                    .count = count,
                    .wide_out = wide_out,
                    .sectioned = sectioned,
                    .view = alias_gpu_view(table)};
    int before, slot, st = ALIAS_OK;

    if (count == 0) {
        return st;
    }
    ALIAS_OR_RETURN(alias_gpu_enter(((const alias_gpu_state *)table->gpu)->device, &before));
    j.sampler = best_sections(table);
    ALIAS_TRY(prepare_buffers(&j));
    ALIAS_TRY(draw_and_copy(&j, out));
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

int alias_gpu_sample(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                     void *out, bool wide)
{
    return sample_to_host(table, seed, first, count, out, wide, false);
}

int alias_gpu_sections(const alias_table *table, uint64_t seed, uint64_t first, uint64_t count,
                       void *out, bool wide)
{
    return sample_to_host(table, seed, first, count, out, wide, true);
}
