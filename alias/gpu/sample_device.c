/*
 * alias/gpu/sample_device.c - draws from a GPU table into device memory, by the sampler asked for
 * or by the fastest one.
 */
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stddef.h>

alias_sampler alias_gpu_best_sections(const alias_table *table)
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
 * draws.  The baseline takes at most 1/40 ns per draw and starts at once.  The others first compute
 * the sections' numbers of draws (0.01 to 0.05 ms), and those in shared memory copy the whole table
 * once.  They break even at 7 million draws if the first-level cache holds the table, at 3 million
 * up to 10^7 rows, and at one draw per 12 rows beyond (22 with 10^9 rows).  Up to one draw per 9
 * rows, and while draws are few, sections read through the cache are faster than copies of them.
 *
 * Where the baseline ends decides which draws are made, so it stays where it is: at 3 million draws
 * from 3 million rows a fifth of the time would be gained.
 */
alias_sampler alias_best_sampler(const alias_table *table, uint64_t count)
{
    uint64_t eights, least;

    if (table == NULL || table->gpu == NULL) {
        return ALIAS_SAMPLER_BASELINE;
    }
    eights = table->n * ((uint64_t)table->row_bytes / 8);
    least = eights <= 32768 ? 7000000 : 3000000;
    if (count < least || count < eights / 22) {
        return ALIAS_SAMPLER_BASELINE;
    }
    if (count < eights / 12 && eights < 500000000) {
        return ALIAS_SAMPLER_BASELINE;
    }
    if (count < eights / 9) {
        return ALIAS_SAMPLER_CACHED;
    }
    return count < 5000000 ? ALIAS_SAMPLER_LIMITED : alias_gpu_best_sections(table);
}

static int draw_sections(const alias_table *table, const alias_view *view, alias_sampler sampler,
                         uint64_t seed, uint64_t first, uint64_t count, void *out, bool wide_out,
                         cudaStream_t stream)
{
    alias_sections layout;
    uint64_t *offsets;
    int end, st = alias_sections_begin(table, seed, first, count, stream, &layout, &offsets);

    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_gpu_draw_sections(view, &layout, offsets, sampler, seed, first, 0, count - 1, out,
                                 wide_out, stream);
    end = alias_sections_end(offsets, stream);
    return st != ALIAS_OK ? st : end;
}

static int draw(const alias_table *table, alias_sampler sampler, uint64_t seed, uint64_t first,
                uint64_t count, void *out, bool wide_out, cudaStream_t stream)
{
    alias_view view;
    int before, st;

    if (table == NULL || table->gpu == NULL || (out == NULL && count != 0) ||
        (unsigned)sampler > ALIAS_SAMPLER_SHARED) {
        return ALIAS_ERR_ARG;
    }
    if (!wide_out && table->n > (uint64_t)UINT32_MAX + 1) {
        return ALIAS_ERR_ARG;
    }
    if (count == 0) {
        return ALIAS_OK;
    }
    if (first > UINT64_MAX - (count - 1)) {
        return ALIAS_ERR_RANGE;
    }
    st = alias_get_view(table, &view);
    if (st == ALIAS_OK) {
        st = alias_gpu_enter(((const alias_gpu_state *)table->gpu)->device, &before);
    }
    if (st != ALIAS_OK) {
        return st;
    }
    if (sampler == ALIAS_SAMPLER_AUTO) {
        sampler = alias_best_sampler(table, count);
    }
    st = sampler == ALIAS_SAMPLER_BASELINE
             ? alias_gpu_draw(&view, seed, first, first + (count - 1), out, wide_out, stream)
             : draw_sections(table, &view, sampler, seed, first, count, out, wide_out, stream);
    alias_gpu_leave(before);
    return st;
}

int alias_sample32_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint32_t *out, void *stream)
{
    return draw(table, sampler, seed, first, count, out, false, stream);
}

int alias_sample64_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint64_t *out, void *stream)
{
    return draw(table, sampler, seed, first, count, out, true, stream);
}
