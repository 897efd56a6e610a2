/*
 * device.c - the functions of rmat_rows.h with arrays in GPU memory: chooses the part of the list
 * that the kernels (gpu.cu, batch.cu) make.
 */
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/rmat_rows.h"
#include "rmat/rows/tables.h"
#include "rmat/try.h"

/* The number of tables of the view. */
static int tables_of(const rmat_rows_view *v)
{
    int n = 1;

    for (int g = 0; g < RMAT_ROWS_GROUPS; g++) {
        n = v->table_of[g] >= n ? v->table_of[g] + 1 : n;
    }
    return n;
}

int rmat_rows_make_device(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                          uint64_t base, uint64_t *pointers, uint64_t room, void *dst, int id_bytes,
                          uint64_t *left, void *stream)
{
    const rmat_rows_view *v = &rows->view;
    rmat_rows_part part = {.view = v,
                           .tables = tables_of(v),
                           .begin = begin,
                           .end = end,
                           .pointers = pointers,
                           .base = base,
                           .gen = gen,
                           .dst = dst,
                           .id_bytes = id_bytes,
                           .left = left};

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(rmat_rows_check(rows, rows->gen->config.permute, begin, end, id_bytes));
    part.first = begin < v->rows ? rmat_rows_find(v, begin).start : v->edges;
    part.last = end < v->rows ? rmat_rows_find(v, end).start : v->edges;
    return part.last - part.first > room ? RMAT_ERR_FULL : rmat_gpu()->rows_part(&part, stream);
}

int rmat_rows_csr_device(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t *pointers,
                         uint64_t room, void *dst, int id_bytes, void *stream)
{
    return rmat_rows_make_device(rows, NULL, begin, end, 0, pointers, room, dst, id_bytes, NULL,
                                 stream);
}

int rmat_rows_batch_device(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                           uint64_t *offsets, uint64_t room, void *dst, int id_bytes, void *stream)
{
    const rmat_rows_batch batch = {.view = &rows->view,
                                   .tables = tables_of(&rows->view),
                                   .count = count,
                                   .room = room,
                                   .vertices = vertices,
                                   .offsets = offsets,
                                   .dst = dst,
                                   .id_bytes = id_bytes};

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(rmat_rows_check(rows, rows->gen->config.permute, 0, 0, id_bytes));
    return count >> 32 != 0 ? RMAT_ERR_RANGE : rmat_gpu()->rows_batch(&batch, stream);
}

/* The source of an edge of the list. */
static uint64_t row_of_edge(const rmat_rows_view *v, uint64_t edge)
{
    rmat_rows_node node = rmat_rows_root(v);

    while (node.level < v->levels) {
        rmat_rows_node children[2];

        rmat_rows_divide(v, &node, children);
        node = children[edge >= children[1].start && node.level >= rmat_rows_src_level(v)];
    }
    return node.prefix;
}

rmat_rows_part rmat_rows_part_of(const rmat_rows_view *v, uint64_t first, uint64_t count)
{
    return (rmat_rows_part){.view = v,
                            .tables = tables_of(v),
                            .begin = row_of_edge(v, first),
                            .end = row_of_edge(v, first + count - 1) + 1,
                            .first = first,
                            .last = first + count};
}

int rmat_rows_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                          void *stream)
{
    rmat_rows_part part = rmat_rows_part_of(&((const rmat_rows *)state)->view, first, count);

    part.src = to->src;
    part.dst = to->dst;
    part.id_bytes = to->id_bytes;
    return rmat_gpu()->rows_part(&part, stream);
}

int rmat_rows_count_device(const rmat_rows *rows, uint64_t first, uint64_t count,
                           rmat_rows_counts *counts)
{
    rmat_rows_counts more = {0};
    rmat_rows_part part;

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(rmat_rows_check_count(rows, first, count));
    if (count == 0) {
        return RMAT_OK;
    }
    part = rmat_rows_part_of(&rows->view, first, count);
    part.counts = &more;
    part.id_bytes = rows->view.rows_scale <= 32 ? 4 : 8;
    RMAT_OR_RETURN(rmat_gpu()->rows_part(&part, NULL));
    rmat_rows_add_counts(counts, &more);
    return RMAT_OK;
}
