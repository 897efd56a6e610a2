/*
 * rows.c - the functions of rmat_rows.h on a CPU: walks down the tree of rows.h.
 *
 * A walk keeps its unvisited nodes on a stack, lower ones on top, and leaves out nodes without any
 * requested edge.  Small nodes go to the CPU kernels (lanes.h), unless they are bound or only a
 * part of them is wanted.  Work for threads is cut at nodes of about equal numbers of edges,
 * because subtrees differ by orders of magnitude.
 */
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/ids.h"
#include "rmat/rmat_rows.h"
#include "rmat/rmat_source.h"
#include "rmat/rows/lanes.h"
#include "rmat/rows/tables.h"
#include "rmat/try.h"
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static void sort_small(uint64_t *x, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++) {
        const uint64_t value = x[i];
        uint64_t at = i;

        for (; at > 0 && x[at - 1] > value; at--) {
            x[at] = x[at - 1];
        }
        x[at] = value;
    }
}

/* Sorts any number of values below 2^bits, byte by byte; room is as long as x. */
static void sort_row(uint64_t *x, uint64_t n, int bits, uint64_t *room)
{
    uint64_t *from = x, *to = room, *other;

    if (n <= 48) {
        sort_small(x, n);
        return;
    }
    for (int shift = 0; shift < bits; shift += 8) {
        uint64_t place[256] = {0}, sum = 0;

        for (uint64_t i = 0; i < n; i++) {
            place[from[i] >> shift & 255]++;
        }
        for (int b = 0; b < 256; b++) {
            const uint64_t some = place[b];

            place[b] = sum;
            sum += some;
        }
        for (uint64_t i = 0; i < n; i++) {
            to[place[from[i] >> shift & 255]++] = from[i];
        }
        other = from;
        from = to;
        to = other;
    }
    if (from != x) {
        memcpy(x, from, n * sizeof *x);
    }
}

/* A walk: the destination of edges, and the nodes that wait for the lanes of vectors. */
typedef struct {
    const rmat_rows_target *to;
    const rmat_cpu_kernels *kernels;
    rmat_rows_lanes lanes;
} walk;

/* Whether the lanes can make these edges.  They can if all of them are wanted, because lanes have
 * no marks, and if their numbers share the high word. */
static bool is_for_lanes(const rmat_rows_target *t, uint64_t start, uint64_t count)
{
    return count <= RMAT_ROWS_THROWN && start >= t->first && start + count <= t->end &&
           start >> 32 == (start + count) >> 32;
}

static void put_in_lanes(walk *w, uint64_t start, uint64_t count, uint64_t src, uint64_t dst,
                         int node, int state)
{
    const rmat_rows_item item = {start, src, dst, (uint32_t)count, (uint16_t)node, (uint16_t)state};

    if ((uint32_t)(start >> 32) != w->lanes.high) {
        w->kernels->rows(&w->lanes, NULL);
        w->lanes.high = (uint32_t)(start >> 32);
    }
    w->kernels->rows(&w->lanes, &item);
}

/* At most RMAT_ROWS_LEAF edges, or copies of one. */
void rmat_rows_make_leaf(const rmat_rows_target *t, uint64_t src, const rmat_rows_cell *cell)
{
    const rmat_rows_view *v = t->view;
    const uint64_t from = cell->start > t->first ? cell->start : t->first;
    const uint64_t end = cell->start + cell->count < t->end ? cell->start + cell->count : t->end;
    uint64_t dst[RMAT_ROWS_LEAF];

    if (cell->level == v->levels) {
        for (uint64_t i = from; i < end; i++) {
            set_id(t->dst, i - t->first, cell->prefix, t->id_bytes);
        }
        return;
    }
    for (uint64_t i = 0; i < cell->count; i++) {
        dst[i] = rmat_rows_destination(v, src, cell, cell->start + i);
    }
    sort_small(dst, cell->count);
    for (uint64_t i = from; i < end; i++) {
        set_id(t->dst, i - t->first, dst[i - cell->start], t->id_bytes);
    }
}

/* Makes the requested edges of a row. */
static void make_row(walk *w, const rmat_rows_node *row)
{
    const rmat_rows_target *t = w->to;
    const rmat_rows_view *v = t->view;
    const uint64_t end = row->start + row->count < t->end ? row->start + row->count : t->end;
    rmat_rows_cell stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    for (uint64_t i = row->start > t->first ? row->start : t->first; t->src != NULL && i < end;
         i++) {
        set_id(t->src, i - t->first, row->prefix, t->id_bytes);
    }
    stack[n++] = (rmat_rows_cell){row->start, row->count, 0, rmat_rows_dst_level(v), v->state};
    while (n > 0) {
        const rmat_rows_cell cell = stack[--n];

        if (cell.count == 0 || cell.start >= t->end || cell.start + cell.count <= t->first) {
            continue;
        }
        if ((cell.state == 0 || cell.count <= RMAT_ROWS_LEAF) &&
            is_for_lanes(t, cell.start, cell.count)) {
            put_in_lanes(w, cell.start, cell.count, row->prefix, cell.prefix,
                         RMAT_ROWS_IN_ROW + cell.level, cell.state);
        } else if (cell.count <= RMAT_ROWS_LEAF || cell.level == v->levels) {
            rmat_rows_make_leaf(t, row->prefix, &cell);
        } else {
            rmat_rows_cell children[2];

            rmat_rows_divide_cell(v, row->prefix, &cell, children);
            stack[n++] = children[1];
            stack[n++] = children[0];
        }
    }
}

int rmat_rows_push_children(const rmat_rows_view *v, const rmat_rows_node *node,
                            rmat_rows_node *stack, int n)
{
    rmat_rows_node children[2];

    rmat_rows_divide(v, node, children);
    if (node->level >= rmat_rows_src_level(v)) {
        stack[n++] = children[1];
    }
    stack[n++] = children[0];
    return n;
}

/* Makes the target's edges and rows of a node. */
static void make_node(const rmat_rows *rows, const rmat_rows_target *t, const rmat_rows_node *top)
{
    const rmat_rows_view *v = t->view;
    walk w;
    rmat_rows_node stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    w.to = w.lanes.to = t;
    w.kernels = rmat_cpu_kernels_of(rows->gen->isa);
    w.lanes.high = w.lanes.waiting = w.lanes.cells = w.lanes.edges = 0;
    stack[n++] = *top;
    while (n > 0) {
        const rmat_rows_node node = stack[--n];

        if (t->pointers == NULL &&
            (node.count == 0 || node.start >= t->end || node.start + node.count <= t->first)) {
            continue;
        }
        if (node.count == 0 || node.level == v->levels) {
            rmat_rows_put_pointers(t, node.level, node.prefix, node.start);
        }
        if (node.count > 0 && node.level == v->levels && t->dst != NULL) {
            make_row(&w, &node);
        } else if (node.count > 0 && node.level < v->levels &&
                   node.level >= rmat_rows_src_level(v) && !node.src_tight && v->state == 0 &&
                   is_for_lanes(t, node.start, node.count)) {
            put_in_lanes(&w, node.start, node.count, node.prefix, 0, node.level, 0);
        } else if (node.count > 0 && node.level < v->levels) {
            n = rmat_rows_push_children(v, &node, stack, n);
        }
    }
    w.kernels->rows(&w.lanes, NULL);
}

static int fill_list(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_rows *rows = state;
    const rmat_rows_target t = {.view = &rows->view,
                                .first = first,
                                .end = first + count,
                                .src = to->src,
                                .dst = to->dst,
                                .id_bytes = to->id_bytes};
    const rmat_rows_node root = rmat_rows_root(t.view);

    make_node(rows, &t, &root);
    return 0;
}

rmat_rows_node rmat_rows_find(const rmat_rows_view *v, uint64_t row)
{
    rmat_rows_node node = rmat_rows_root(v);

    while (node.level < v->levels && node.count > 0) {
        rmat_rows_node children[2];

        rmat_rows_divide(v, &node, children);
        node = children[node.level >= rmat_rows_src_level(v) &&
                        rmat_rows_bit(row, v->levels, node.level)];
    }
    node.prefix = row;
    return node;
}

/* rmat_rows_source's before(): walks down to the cell, or to the edges of a small one above it. */
static uint64_t edges_before(void *state, uint64_t src, uint64_t dst)
{
    const rmat_rows_view *v = &((const rmat_rows *)state)->view;
    rmat_rows_node row;
    rmat_rows_cell cell;
    uint64_t n;

    if (src >= v->rows) {
        return v->edges;
    }
    row = rmat_rows_find(v, src);
    cell = (rmat_rows_cell){row.start, row.count, 0, rmat_rows_dst_level(v), v->state};
    while (cell.count > RMAT_ROWS_LEAF && cell.level < v->levels) {
        rmat_rows_cell children[2];

        rmat_rows_divide_cell(v, src, &cell, children);
        cell = children[rmat_rows_bit(dst, v->levels, cell.level)];
    }
    n = cell.start;
    for (uint64_t i = 0; cell.level < v->levels && i < cell.count; i++) {
        n += rmat_rows_destination(v, src, &cell, cell.start + i) < dst;
    }
    return n;
}

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

int rmat_rows_cut(const rmat_rows_view *v, uint64_t begin, uint64_t end, uint64_t most,
                  rmat_rows_nodes *nodes)
{
    rmat_rows_node stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    stack[n++] = rmat_rows_root(v);
    while (n > 0) {
        const rmat_rows_node node = stack[--n];
        uint64_t from, to;

        rmat_rows_span(v, node.level, node.prefix, &from, &to);
        if (from >= end || to <= begin) {
            continue;
        }
        if (node.level == v->levels || node.count == 0 ||
            (node.count <= most && from >= begin && to <= end)) {
            RMAT_OR_RETURN(add_node(nodes, &node));
        } else {
            n = rmat_rows_push_children(v, &node, stack, n);
        }
    }
    return RMAT_OK;
}

static void set_weights(const rmat_gen *gen, const rmat_rows_target *t, void *weight)
{
    enum { BLOCK = 4096 };
    uint64_t src[BLOCK];

    for (uint64_t row = t->row_begin, at = t->first; at < t->end;) {
        const uint64_t left = t->end - at, count = left < BLOCK ? left : BLOCK;

        for (uint64_t i = 0; i < count; i++) {
            while (at + i >= t->base + t->pointers[row + 1 - t->row_begin]) {
                row++;
            }
            set_id(src, i, row, t->id_bytes);
        }
        rmat_weights_of(gen, count, src, (char *)t->dst + (at - t->first) * (uint64_t)t->id_bytes,
                        t->id_bytes, (char *)weight + (at - t->first) * 4);
        at += count;
    }
}

int rmat_rows_check(const rmat_rows *rows, bool permuted, uint64_t begin, uint64_t end,
                    int id_bytes)
{
    return begin > end || end > rows->view.rows          ? RMAT_ERR_ROWS
           : permuted                                    ? RMAT_ERR_STREAM
           : id_bytes == 4 && rows->view.cols_scale > 32 ? RMAT_ERR_ID_WIDTH
                                                         : RMAT_OK;
}

int rmat_rows_make(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t base,
                   uint64_t *pointers, uint64_t room, void *dst, void *weight, int id_bytes)
{
    const rmat_rows_view *v = &rows->view;
    const int threads = rows->gen->threads ? rows->gen->threads : omp_get_max_threads();
    rmat_rows_target t = {.view = v,
                          .dst = dst,
                          .id_bytes = id_bytes,
                          .pointers = pointers,
                          .row_begin = begin,
                          .row_end = end,
                          .base = base};
    rmat_rows_node first, last;
    rmat_rows_nodes list = {NULL, 0, 0};
    _Atomic bool stopped = false;
    int st;

    RMAT_OR_RETURN(rmat_rows_check(rows, false, begin, end, dst != NULL ? id_bytes : 8));
    if (weight != NULL && rows->gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    first = begin < v->rows ? rmat_rows_find(v, begin) : (rmat_rows_node){.start = v->edges};
    last = end < v->rows ? rmat_rows_find(v, end) : (rmat_rows_node){.start = v->edges};
    pointers[end - begin] = last.start - base;
    if (begin == end) {
        return RMAT_OK;
    }
    t.first = first.start;
    t.end = last.start;
    if (dst != NULL && t.end - t.first > room) {
        t.dst = NULL;
    }
    st = rmat_rows_cut(v, begin, end, (t.end - t.first) / (16 * (uint64_t)threads) + 4096, &list);
    if (st == RMAT_OK) {
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(threads) if (threads > 1 && t.end - t.first > RMAT_WORTH_THREAD)
        for (size_t i = 0; i < list.n; i++) {
            if (omp_get_thread_num() == 0 && rmat_stops(rows->gen)) {
                atomic_store(&stopped, true);
            }
            if (!atomic_load_explicit(&stopped, memory_order_relaxed)) {
                make_node(rows, &t, &list.list[i]);
            }
        }
        st = atomic_load(&stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
    }
    free(list.list);
    if (st == RMAT_OK && weight != NULL && t.dst != NULL) {
        set_weights(rows->gen, &t, weight);
    }
    return st != RMAT_OK ? st : dst != NULL && t.dst == NULL ? RMAT_ERR_FULL : RMAT_OK;
}

/* Makes the rows of a node in the order of the list, at their places in the permuted graph.  old:
 * pointers of the list. */
static int scatter_node(const rmat_rows *rows, const rmat_gen *gen, const rmat_rows_node *node,
                        const uint64_t *old, const rmat_rows_target *to)
{
    const rmat_rows_view *v = &rows->view;
    uint64_t *ids = malloc((2 * node->count + 1) * sizeof *ids), begin, end;
    const rmat_rows_target t = {.view = v,
                                .first = node->start,
                                .end = node->start + node->count,
                                .dst = ids,
                                .id_bytes = 8};

    if (ids == NULL) {
        return RMAT_ERR_NOMEM;
    }
    make_node(rows, &t, node);
    (void)rmat_permute(gen, RMAT_COLS, node->count, ids);
    rmat_rows_span(v, node->level, node->prefix, &begin, &end);
    for (uint64_t row = begin; row < end && row < v->rows; row++) {
        const uint64_t n = old[row + 1] - old[row];
        uint64_t *x = ids + (old[row] - node->start), now = row;

        if (n > 0) {
            sort_row(x, n, v->cols_scale, ids + node->count);
            (void)rmat_permute(gen, RMAT_ROWS, 1, &now);
            for (uint64_t i = 0; i < n; i++) {
                set_id(to->dst, to->pointers[now] + i, x[i], to->id_bytes);
            }
        }
    }
    free(ids);
    return RMAT_OK;
}

/* Pointers of the permuted graph from those of the list. */
static void scatter_pointers(const rmat_gen *gen, uint64_t n, const uint64_t *old, int threads,
                             uint64_t *pointers)
{
    uint64_t sum = 0;

#pragma omp parallel for num_threads(threads) if (threads > 1 && n > RMAT_WORTH_THREAD)
    for (uint64_t row = 0; row < n; row++) {
        uint64_t now = row;

        (void)rmat_permute(gen, RMAT_ROWS, 1, &now);
        pointers[now] = old[row + 1] - old[row];
    }
    for (uint64_t row = 0; row <= n; row++) {
        const uint64_t some = row < n ? pointers[row] : 0;

        pointers[row] = sum;
        sum += some;
    }
}

int rmat_rows_scatter(const rmat_rows *rows, const rmat_gen *gen, uint64_t *pointers, uint64_t room,
                      void *dst, void *weight, int id_bytes)
{
    const rmat_rows_view *v = &rows->view;
    const int threads = gen->threads ? gen->threads : omp_get_max_threads();
    const rmat_rows_target t = {.view = v,
                                .end = v->edges,
                                .dst = v->edges <= room ? dst : NULL,
                                .id_bytes = id_bytes,
                                .pointers = pointers,
                                .row_end = v->rows};
    uint64_t *old;
    rmat_rows_nodes list = {NULL, 0, 0};
    _Atomic int failed = RMAT_OK;
    int st;

    RMAT_OR_RETURN(rmat_rows_check(rows, false, 0, v->rows, dst != NULL ? id_bytes : 8));
    if (weight != NULL && gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    old = malloc((v->rows + 1) * sizeof *old);
    st = old != NULL ? rmat_rows_make(rows, 0, v->rows, 0, old, 0, NULL, NULL, 8) : RMAT_ERR_NOMEM;
    if (st == RMAT_OK) {
        scatter_pointers(gen, v->rows, old, threads, pointers);
    }
    if (st == RMAT_OK && t.dst != NULL) {
        st = rmat_rows_cut(v, 0, v->rows, 1 << 16, &list);
    }
    if (st == RMAT_OK && t.dst != NULL) {
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(threads) if (threads > 1 && v->edges > RMAT_WORTH_THREAD)
        for (size_t i = 0; i < list.n; i++) {
            if (list.list[i].count > 0 &&
                atomic_load_explicit(&failed, memory_order_relaxed) == 0) {
                const int status = scatter_node(rows, gen, &list.list[i], old, &t);

                if (status != RMAT_OK) {
                    atomic_store(&failed, status);
                }
            }
        }
        st = atomic_load(&failed);
    }
    free(list.list);
    free(old);
    if (st == RMAT_OK && weight != NULL && t.dst != NULL) {
        set_weights(gen, &t, weight);
    }
    return st != RMAT_OK ? st : dst != NULL && t.dst == NULL ? RMAT_ERR_FULL : RMAT_OK;
}

int rmat_rows_csr(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t *pointers,
                  uint64_t room, void *dst, void *weight, int id_bytes)
{
    const bool permuted = rows->gen->config.permute;

    if (permuted && begin == 0 && end == rows->view.rows) {
        return rmat_rows_scatter(rows, rows->gen, pointers, room, dst, weight, id_bytes);
    }
    RMAT_OR_RETURN(rmat_rows_check(rows, permuted, begin, end, 8));
    return rmat_rows_make(rows, begin, end, 0, pointers, room, dst, weight, id_bytes);
}

/* Replaces a vertex by its number before the permutation. */
static int drawn_vertex(const rmat_rows *rows, uint64_t *vertex)
{
    return rmat_unpermute(rows->gen, RMAT_ROWS, 1, vertex);
}

int rmat_rows_degrees(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                      uint64_t *degrees, uint64_t *starts)
{
    const int threads = rows->gen->threads ? rows->gen->threads : omp_get_max_threads();
    _Atomic bool stopped = false;

    for (uint64_t i = 0; i < count; i++) {
        if (vertices[i] >= rows->view.rows) {
            return RMAT_ERR_VERTEX;
        }
    }
#pragma omp parallel for schedule(dynamic, 256)                                                    \
    num_threads(threads) if (threads > 1 && count > 1024)
    for (uint64_t i = 0; i < count; i++) {
        uint64_t vertex = vertices[i];
        rmat_rows_node row;

        if (i % 256 == 0 && omp_get_thread_num() == 0 && rmat_stops(rows->gen)) {
            atomic_store(&stopped, true);
        }
        if (atomic_load_explicit(&stopped, memory_order_relaxed)) {
            continue;
        }
        (void)drawn_vertex(rows, &vertex);
        row = rmat_rows_find(&rows->view, vertex);
        degrees[i] = row.count;
        if (starts != NULL) {
            starts[i] = row.start;
        }
    }
    return atomic_load(&stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
}

/* Replaces the destinations by their new numbers, and sorts them. */
static int permute_row(const rmat_rows *rows, uint64_t count, void *dst, int id_bytes)
{
    uint64_t *ids = malloc((2 * count + 1) * sizeof *ids);
    int st = ids != NULL ? RMAT_OK : RMAT_ERR_NOMEM;

    if (st == RMAT_OK) {
        for (uint64_t i = 0; i < count; i++) {
            ids[i] = id_at(dst, i, id_bytes);
        }
        st = rmat_permute(rows->gen, RMAT_COLS, count, ids);
        sort_row(ids, count, rows->view.cols_scale, ids + count);
        for (uint64_t i = 0; i < count; i++) {
            set_id(dst, i, ids[i], id_bytes);
        }
    }
    free(ids);
    return st;
}

int rmat_rows_row(const rmat_rows *rows, uint64_t vertex, void *dst, int id_bytes)
{
    enum { STOP_EDGES = 1 << 22 }; /* a fraction of a second */
    const rmat_rows_view *v = &rows->view;
    rmat_rows_target t = {.view = v, .dst = dst, .id_bytes = id_bytes};
    rmat_rows_node row;
    uint64_t end;

    if (vertex >= v->rows) {
        return RMAT_ERR_VERTEX;
    }
    if (id_bytes == 4 && v->cols_scale > 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    (void)drawn_vertex(rows, &vertex);
    row = rmat_rows_find(v, vertex);
    end = row.start + row.count;
    for (t.first = row.start; t.first < end; t.first = t.end) {
        if (rmat_stops(rows->gen)) {
            return RMAT_ERR_STOPPED;
        }
        t.end = end - t.first > STOP_EDGES ? t.first + STOP_EDGES : end;
        t.dst = (char *)dst + (t.first - row.start) * (uint64_t)id_bytes;
        make_node(rows, &t, &row);
    }
    return rows->gen->config.permute && row.count > 0 ? permute_row(rows, row.count, dst, id_bytes)
                                                      : RMAT_OK;
}

int rmat_rows_edges(const rmat_rows *rows, uint64_t first, uint64_t count,
                    const rmat_arrays *arrays)
{
    return rmat_generate_arrays(rows->gen, first, count, arrays);
}

rmat_source rmat_rows_source(const rmat_rows *rows)
{
    return (rmat_source){.rows = rows->view.rows,
                         .cols = rows->view.cols,
                         .edges = rows->view.edges,
                         .fill = fill_list,
                         .fill_device = rmat_gpu() != NULL ? rmat_rows_fill_device : NULL,
                         .before = edges_before,
                         .state = (void *)rows};
}

static int set_up(rmat_rows *rows, const rmat_config *config, uint64_t edges)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c = *config;
    rmat_source source;

    c.backend = RMAT_BACKEND_CPU;
    c.stream = c.stream == RMAT_STREAM_ROWS ? RMAT_STREAM_RMAT : c.stream;
    RMAT_OR_RETURN(rmat_check_config(&c));
    if (c.stream != RMAT_STREAM_RMAT || c.direction != RMAT_DIRECTED || c.symmetrize ||
        c.first != 0) {
        return RMAT_ERR_STREAM;
    }
    if (edges > RMAT_MAX_EDGES) {
        return RMAT_ERR_RANGE;
    }
    rmat_levels_of(&c, levels);
    if (rmat_expectation_of(&c, levels).kept * RMAT_MAX_REDRAW < 1) {
        return RMAT_ERR_REDRAW;
    }
    RMAT_OR_RETURN(rmat_rows_set_up(&rows->view, &rows->tables, &c, levels));
    rows->view.seed = c.seed;
    rows->view.edges = edges;
    source = rmat_rows_source(rows);
    c.no_self_loops = 0; /* the list has no self-loops left to drop */
    return rmat_create_from(&rows->gen, &source, &c);
}

int rmat_rows_create(rmat_rows **out, const rmat_config *config, uint64_t edges)
{
    rmat_rows *rows;
    int st;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (config == NULL) {
        return RMAT_ERR_ARG;
    }
    rows = calloc(1, sizeof *rows);
    if (rows == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_TRY(set_up(rows, config, edges));
    *out = rows;
    rows = NULL;
done:
    rmat_rows_destroy(rows);
    return st;
}

void rmat_rows_destroy(rmat_rows *rows)
{
    if (rows != NULL) {
        rmat_destroy(rows->gen);
        free(rows->tables);
        free(rows);
    }
}
