/*
 * csr.c - rows of the stream `rows` in CSR form, on a CPU and on a GPU.
 *
 * Work is cut at nodes of about equal numbers of edges, because subtrees differ by orders of
 * magnitude.
 */
#include "rmat/model/gpu.h"
#include "rmat/rows/rows.h"
#include "rmat/try.h"
#include <stdlib.h>
#include <string.h>

static int add_node(rmat_rows_nodes *l, const rmat_rows_node *node)
{
    if (l->n == l->room) {
        const size_t room = l->room > 0 ? 2 * l->room : 256;
        rmat_rows_node *list = realloc(l->list, room * sizeof *list);

        if (list == NULL) {
            return RMAT_ERR_NOMEM;
        }
        l->list = list;
        l->room = room;
    }
    l->list[l->n++] = *node;
    return RMAT_OK;
}

int rmat_rows_cut(const rmat_rows_view *v, const rmat_rows_range *r, uint64_t most,
                  rmat_rows_nodes *nodes)
{
    const bool all_rows = r->row_begin == 0 && r->row_end == v->rows;
    rmat_rows_node stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    stack[n++] = rmat_rows_root(v);
    while (n > 0) {
        const rmat_rows_node node = stack[--n];
        uint64_t from, to;

        rmat_rows_span(v, node.level, node.prefix, &from, &to);
        if (from >= r->row_end || to <= r->row_begin ||
            (all_rows && node.count > 0 &&
             (node.start >= r->end || node.start + node.count <= r->first))) {
            continue;
        }
        if (node.level == v->levels || node.count == 0 ||
            (node.count <= most && from >= r->row_begin && to <= r->row_end)) {
            RMAT_OR_RETURN(add_node(nodes, &node));
        } else {
            n = rmat_rows_push_children(v, &node, stack, n);
        }
    }
    return RMAT_OK;
}

/* Checks that these rows can be made in the order of the list; those of a permuted graph lie all
 * over it. */
static int check_rows(const rmat_rows *rows, uint64_t begin, uint64_t end, int id_bytes)
{
    return begin > end || end > rows->view.rows          ? RMAT_ERR_ROWS
           : rows->gen->config.permute                   ? RMAT_ERR_STREAM
           : id_bytes == 4 && rows->view.cols_scale > 32 ? RMAT_ERR_ID_WIDTH
                                                         : RMAT_OK;
}

static rmat_rows_range range_of(const rmat_rows_view *v, uint64_t begin, uint64_t end)
{
    return (rmat_rows_range){begin < v->rows ? rmat_rows_find(v, begin).start : v->edges,
                             end < v->rows ? rmat_rows_find(v, end).start : v->edges, begin, end};
}

/* --- On a CPU --- */

typedef struct {
    const rmat_rows_target *to;
    rmat_rows_nodes nodes;
} csr_job;

static int make_node(void *job, uint64_t i)
{
    const csr_job *j = job;

    rmat_rows_walk(j->to, &j->nodes.list[i]);
    return RMAT_OK;
}

/* Cuts the target's range into nodes and makes each of them. */
static int make_nodes(const rmat_rows_target *t)
{
    const rmat_rows_range *r = &t->range;
    const uint64_t edges = r->end - r->first, threads = (uint64_t)rmat_threads(t->gen);
    csr_job job = {.to = t};
    int st = rmat_rows_cut(t->view, r, edges / (16 * threads) + 4096, &job.nodes);

    t->pointers[r->row_end - r->row_begin] = r->end - t->base;
    if (st == RMAT_OK) {
        st = rmat_in_parallel(t->gen, job.nodes.n, edges, make_node, &job);
    }
    free(job.nodes.list);
    return st;
}

static void set_weights(const rmat_rows_target *t, void *weight)
{
    enum { BLOCK = 4096 };
    uint64_t src[BLOCK];

    for (uint64_t row = t->range.row_begin, at = t->range.first; at < t->range.end;) {
        const uint64_t left = t->range.end - at, count = left < BLOCK ? left : BLOCK;
        const uint64_t place = at - t->range.first;

        for (uint64_t i = 0; i < count; i++) {
            while (at + i >= t->base + t->pointers[row + 1 - t->range.row_begin]) {
                row++;
            }
            set_id(src, i, row, t->id_bytes);
        }
        rmat_weights_of(t->gen, count, src, (char *)t->dst + place * (uint64_t)t->id_bytes,
                        t->id_bytes, (char *)weight + place * 4);
        at += count;
    }
}

int rmat_rows_make(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                   uint64_t base, uint64_t *pointers, uint64_t room, void *dst, void *weight,
                   int id_bytes)
{
    const rmat_rows_view *v = &rows->view;
    rmat_rows_target t = {
        .view = v, .gen = gen, .id_bytes = id_bytes, .pointers = pointers, .base = base};

    RMAT_OR_RETURN(check_rows(rows, begin, end, dst != NULL ? id_bytes : 8));
    if (weight != NULL && gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    t.range = range_of(v, begin, end);
    t.dst = t.range.end - t.range.first <= room ? dst : NULL;
    RMAT_OR_RETURN(make_nodes(&t));
    if (weight != NULL && t.dst != NULL) {
        set_weights(&t, weight);
    }
    return dst != NULL && t.dst == NULL ? RMAT_ERR_FULL : RMAT_OK;
}

int rmat_rows_csr(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t *pointers,
                  uint64_t room, void *dst, void *weight, int id_bytes)
{
    return rmat_rows_make(rows, rows->gen, begin, end, 0, pointers, room, dst, weight, id_bytes);
}

/* --- On a GPU --- */

int rmat_rows_make_device(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                          uint64_t base, uint64_t *pointers, uint64_t room, void *dst, int id_bytes,
                          uint64_t *left, void *stream)
{
    rmat_rows_target part = {.view = &rows->view,
                             .pointers = pointers,
                             .base = base,
                             .gen = gen,
                             .dst = dst,
                             .id_bytes = id_bytes,
                             .left = left};

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(check_rows(rows, begin, end, id_bytes));
    part.range = range_of(part.view, begin, end);
    return part.range.end - part.range.first > room ? RMAT_ERR_FULL
                                                    : rmat_gpu()->rows_part(&part, stream);
}

int rmat_rows_batch_device(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                           uint64_t *offsets, uint64_t room, void *dst, int id_bytes, void *stream)
{
    const rmat_rows_batch batch = {&rows->view, count, room, vertices, offsets, dst, id_bytes};

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(check_rows(rows, 0, 0, id_bytes));
    return count >> 32 != 0 ? RMAT_ERR_RANGE : rmat_gpu()->rows_batch(&batch, stream);
}

int rmat_rows_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                          void *stream)
{
    const rmat_rows_view *v = &((const rmat_rows *)state)->view;
    const rmat_rows_target part = {.view = v,
                                   .range = {first, first + count, 0, v->rows},
                                   .src = to->src,
                                   .dst = to->dst,
                                   .id_bytes = to->id_bytes};

    return rmat_gpu()->rows_part(&part, stream);
}
