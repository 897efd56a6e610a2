/*
 * csr.c - rows of the stream `rows` in CSR form, on a CPU and on a GPU.
 *
 * Work is cut at nodes of about equal numbers of edges, because subtrees differ by orders of
 * magnitude.  The rows of a permuted graph lie all over the list.  They are made in the order of
 * the list, and each is sorted at its place.
 */
#include "rmat/model/generator.h"
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

/* Checks that these rows can be made in the order of the list. */
static int check_rows(const rmat_rows *rows, bool permuted, uint64_t begin, uint64_t end,
                      int id_bytes)
{
    return begin > end || end > rows->view.rows          ? RMAT_ERR_ROWS
           : permuted                                    ? RMAT_ERR_STREAM
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
    const rmat_gen *gen; /* permutes the graph */
    const rmat_rows_target *to;
    const uint64_t *old; /* pointers of the list, if the graph is permuted */
    uint64_t most;       /* edges of a node */
    rmat_rows_nodes nodes;
} csr_job;

/* Cuts the target's range into nodes and makes each by `make`. */
static int make_nodes(csr_job *job, int (*make)(void *job, uint64_t i))
{
    const rmat_rows_range *r = &job->to->range;
    const uint64_t edges = r->end - r->first, threads = (uint64_t)rmat_threads(job->gen);
    const uint64_t most = edges / (16 * threads) + 4096;
    int st = rmat_rows_cut(job->to->view, r, most < job->most ? most : job->most, &job->nodes);

    if (st == RMAT_OK) {
        st = rmat_in_parallel(job->gen, job->nodes.n, edges, make, job);
    }
    free(job->nodes.list);
    return st;
}

static int make_node(void *job, uint64_t i)
{
    const csr_job *j = job;

    rmat_rows_walk(j->to, j->gen->isa, &j->nodes.list[i]);
    return RMAT_OK;
}

/* Makes rows in the order of the list. */
static int make_listed(const rmat_gen *gen, const rmat_rows_target *t)
{
    csr_job job = {.gen = gen, .to = t, .most = UINT64_MAX};

    t->pointers[t->range.row_end - t->range.row_begin] = t->range.end - t->base;
    return make_nodes(&job, make_node);
}

/* Makes the rows of a node at their places in the permuted graph. */
static int scatter_node(void *job, uint64_t i)
{
    const csr_job *j = job;
    const rmat_rows_node *node = &j->nodes.list[i];
    const rmat_rows_view *v = j->to->view;
    uint64_t *ids = malloc((2 * node->count + 1) * sizeof *ids), begin, end;
    const rmat_rows_target t = {.view = v,
                                .range = {node->start, node->start + node->count, 0, 0},
                                .dst = ids,
                                .id_bytes = 8};

    if (ids == NULL) {
        return RMAT_ERR_NOMEM;
    }
    rmat_rows_walk(&t, j->gen->isa, node);
    (void)rmat_permute(j->gen, RMAT_COLS, node->count, ids);
    rmat_rows_span(v, node->level, node->prefix, &begin, &end);
    for (uint64_t row = begin; row < end && row < v->rows && node->count > 0; row++) {
        const uint64_t n = j->old[row + 1] - j->old[row];
        uint64_t *x = ids + (j->old[row] - node->start), now = row;

        if (n > 0) {
            rmat_rows_sort(x, n, v->cols_scale, ids + node->count);
            (void)rmat_permute(j->gen, RMAT_ROWS, 1, &now);
            for (uint64_t k = 0; k < n; k++) {
                set_id(j->to->dst, j->to->pointers[now] + k, x[k], j->to->id_bytes);
            }
        }
    }
    free(ids);
    return RMAT_OK;
}

/* The lengths of a piece of the rows, at their places in the permuted graph. */
static int scatter_lengths(void *job, uint64_t piece)
{
    const csr_job *j = job;
    const uint64_t rows = j->to->view->rows, begin = piece * RMAT_PIECE;
    const uint64_t end = rows - begin < RMAT_PIECE ? rows : begin + RMAT_PIECE;

    for (uint64_t row = begin; row < end; row++) {
        uint64_t now = row;

        (void)rmat_permute(j->gen, RMAT_ROWS, 1, &now);
        j->to->pointers[now] = j->old[row + 1] - j->old[row];
    }
    return RMAT_OK;
}

/* Makes all rows of the permuted graph. */
static int make_permuted(const rmat_gen *gen, const rmat_rows_target *to)
{
    enum { NODE = 1 << 16 }; /* edges whose ids stay in a cache */
    const uint64_t n = to->view->rows;
    uint64_t *old = malloc((n + 1) * sizeof *old), sum = 0;
    rmat_rows_target list = *to;
    csr_job job = {.gen = gen, .to = to, .old = old, .most = NODE};
    int st = old != NULL ? RMAT_OK : RMAT_ERR_NOMEM;

    RMAT_TRY(st);
    list.dst = NULL;
    list.pointers = old;
    RMAT_TRY(make_listed(gen, &list));
    RMAT_TRY(rmat_in_parallel(gen, (n + RMAT_PIECE - 1) / RMAT_PIECE, n, scatter_lengths, &job));
    for (uint64_t row = 0; row <= n; row++) {
        const uint64_t some = row < n ? to->pointers[row] : 0;

        to->pointers[row] = sum;
        sum += some;
    }
    if (to->dst != NULL) {
        RMAT_TRY(make_nodes(&job, scatter_node));
    }
done:
    free(old);
    return st;
}

static void set_weights(const rmat_gen *gen, const rmat_rows_target *t, void *weight)
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
        rmat_weights_of(gen, count, src, (char *)t->dst + place * (uint64_t)t->id_bytes,
                        t->id_bytes, (char *)weight + place * 4);
        at += count;
    }
}

int rmat_rows_make(const rmat_rows *rows, const rmat_gen *gen, uint64_t begin, uint64_t end,
                   uint64_t base, uint64_t *pointers, uint64_t room, void *dst, void *weight,
                   int id_bytes)
{
    const rmat_rows_view *v = &rows->view;
    const bool permuted = gen->config.permute;
    rmat_rows_target t = {
        .view = v, .dst = dst, .id_bytes = id_bytes, .pointers = pointers, .base = base};

    RMAT_OR_RETURN(check_rows(rows, permuted && (begin != 0 || end != v->rows), begin, end,
                              dst != NULL ? id_bytes : 8));
    if (weight != NULL && gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    t.range = range_of(v, begin, end);
    t.dst = t.range.end - t.range.first <= room ? dst : NULL;
    RMAT_OR_RETURN((permuted ? make_permuted : make_listed)(gen, &t));
    if (weight != NULL && t.dst != NULL) {
        set_weights(gen, &t, weight);
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
    rmat_rows_part part = {.view = &rows->view,
                           .pointers = pointers,
                           .base = base,
                           .gen = gen,
                           .dst = dst,
                           .id_bytes = id_bytes,
                           .left = left};

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(check_rows(rows, rows->gen->config.permute, begin, end, id_bytes));
    part.range = range_of(part.view, begin, end);
    return part.range.end - part.range.first > room ? RMAT_ERR_FULL
                                                    : rmat_gpu()->rows_part(&part, stream);
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
    const rmat_rows_batch batch = {&rows->view, count, room, vertices, offsets, dst, id_bytes};

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    RMAT_OR_RETURN(check_rows(rows, rows->gen->config.permute, 0, 0, id_bytes));
    return count >> 32 != 0 ? RMAT_ERR_RANGE : rmat_gpu()->rows_batch(&batch, stream);
}

int rmat_rows_fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                          void *stream)
{
    const rmat_rows_view *v = &((const rmat_rows *)state)->view;
    const rmat_rows_part part = {.view = v,
                                 .range = {first, first + count, 0, v->rows},
                                 .src = to->src,
                                 .dst = to->dst,
                                 .id_bytes = to->id_bytes};

    return rmat_gpu()->rows_part(&part, stream);
}
