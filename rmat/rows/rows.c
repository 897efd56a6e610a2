/*
 * rows.c - the stream `rows` on a CPU: the walk down the tree (tree.h), degrees and single rows,
 * and the list as an edge source.
 *
 * A walk keeps its unvisited nodes on a stack, lower ones on top, and leaves out nodes without any
 * requested edge.  Small nodes go to the CPU kernels (rows.h), unless they are bound or only a part
 * of them is wanted.
 */
#include "rmat/rows/rows.h"
#include "rmat/model/gpu.h"
#include "rmat/try.h"
#include <stdlib.h>
#include <string.h>

/* Sorts n values below 2^bits, byte by byte; room is as long as x. */
static void sort_ids(uint64_t *x, uint64_t n, int bits, uint64_t *room)
{
    uint64_t *from = x, *to = room, *other;

    if (n <= 48) {
        rmat_rows_sort(x, n, 8);
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

/* A walk: the kernels, and the nodes that wait for the lanes of vectors. */
typedef struct {
    const rmat_cpu_kernels *kernels;
    rmat_rows_lanes lanes;
} walk;

/* Whether the lanes can make these edges.  They can if all of them are wanted, because lanes have
 * no marks, and if their numbers share the high word. */
static bool is_for_lanes(const rmat_rows_target *t, uint64_t start, uint64_t count)
{
    return count <= RMAT_ROWS_THROWN && start >= t->range.first && start + count <= t->range.end &&
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
    const uint64_t from = cell->start > t->range.first ? cell->start : t->range.first;
    const uint64_t end =
        cell->start + cell->count < t->range.end ? cell->start + cell->count : t->range.end;
    uint64_t dst[RMAT_ROWS_LEAF];

    if (cell->level == v->levels) {
        for (uint64_t i = from; i < end; i++) {
            set_id(t->dst, i - t->range.first, cell->prefix, t->id_bytes);
        }
        return;
    }
    for (uint64_t i = 0; i < cell->count; i++) {
        dst[i] = rmat_rows_destination(v, src, cell, cell->start + i);
    }
    rmat_rows_sort(dst, cell->count, 8);
    for (uint64_t i = from; i < end; i++) {
        set_id(t->dst, i - t->range.first, dst[i - cell->start], t->id_bytes);
    }
}

/* Makes the requested edges of a row. */
static void make_row(walk *w, const rmat_rows_node *row)
{
    const rmat_rows_target *t = w->lanes.to;
    const rmat_rows_view *v = t->view;
    const uint64_t end =
        row->start + row->count < t->range.end ? row->start + row->count : t->range.end;
    rmat_rows_cell stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    for (uint64_t i = row->start > t->range.first ? row->start : t->range.first;
         t->src != NULL && i < end; i++) {
        set_id(t->src, i - t->range.first, row->prefix, t->id_bytes);
    }
    stack[n++] = rmat_rows_row_cell(v, row);
    while (n > 0) {
        const rmat_rows_cell cell = stack[--n];
        bool is_leaf;

        if (cell.count == 0 || cell.start >= t->range.end ||
            cell.start + cell.count <= t->range.first) {
            continue;
        }
        is_leaf = rmat_rows_is_leaf(v, row->prefix, cell.count, cell.level, cell.state);
        if ((cell.state == 0 || is_leaf) && is_for_lanes(t, cell.start, cell.count)) {
            put_in_lanes(w, cell.start, cell.count, row->prefix, cell.prefix,
                         RMAT_ROWS_IN_ROW + cell.level, cell.state);
        } else if (is_leaf || cell.level == v->levels) {
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

void rmat_rows_walk(const rmat_rows_target *t, const rmat_rows_node *top)
{
    const rmat_rows_view *v = t->view;
    walk w;
    rmat_rows_node stack[RMAT_MAX_SCALE + 1];
    int n = 0;

    w.kernels = rmat_cpu_kernels_of(t->gen->isa);
    w.lanes.to = t;
    w.lanes.high = w.lanes.waiting = w.lanes.cells = w.lanes.edges = 0;
    stack[n++] = *top;
    while (n > 0) {
        const rmat_rows_node node = stack[--n];
        const bool is_row = node.level == v->levels;

        if (t->pointers == NULL && (node.count == 0 || node.start >= t->range.end ||
                                    node.start + node.count <= t->range.first)) {
            continue;
        }
        if (node.count == 0 || is_row) {
            rmat_rows_put_pointers(t, node.level, node.prefix, node.start);
        }
        if (node.count > 0 && is_row && t->dst != NULL) {
            make_row(&w, &node);
        } else if (node.count > 0 && !is_row && node.level >= rmat_rows_src_level(v) &&
                   !node.src_tight && v->state == 0 && is_for_lanes(t, node.start, node.count)) {
            put_in_lanes(&w, node.start, node.count, node.prefix, 0, node.level, 0);
        } else if (node.count > 0 && !is_row) {
            n = rmat_rows_push_children(v, &node, stack, n);
        }
    }
    w.kernels->rows(&w.lanes, NULL);
}

static int fill_list(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_rows *rows = state;
    const rmat_rows_target t = {.view = &rows->view,
                                .gen = rows->gen,
                                .range = {.first = first, .end = first + count},
                                .src = to->src,
                                .dst = to->dst,
                                .id_bytes = to->id_bytes};
    const rmat_rows_node root = rmat_rows_root(t.view);

    rmat_rows_walk(&t, &root);
    return 0;
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
    cell = rmat_rows_row_cell(v, &row);
    while (cell.level < v->levels &&
           !rmat_rows_is_leaf(v, src, cell.count, cell.level, cell.state)) {
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

enum { VERTICES = 256 }; /* that a thread takes at a time */
typedef struct {
    const rmat_rows *rows;
    uint64_t count;
    const uint64_t *vertices;
    uint64_t *degrees, *starts;
} degrees_job;

static int find_degrees(void *job, uint64_t item)
{
    const degrees_job *j = job;

    for (uint64_t i = item * VERTICES; i < (item + 1) * VERTICES && i < j->count; i++) {
        uint64_t vertex = j->vertices[i];
        rmat_rows_node row;

        (void)rmat_unpermute(j->rows->gen, RMAT_ROWS, 1, &vertex);
        row = rmat_rows_find(&j->rows->view, vertex);
        j->degrees[i] = row.count;
        if (j->starts != NULL) {
            j->starts[i] = row.start;
        }
    }
    return RMAT_OK;
}

int rmat_rows_degrees(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                      uint64_t *degrees, uint64_t *starts)
{
    const uint64_t walk_edges = 64; /* a walk takes as long as some edges */
    degrees_job job = {rows, count, vertices, degrees, starts};

    for (uint64_t i = 0; i < count; i++) {
        if (vertices[i] >= rows->view.rows) {
            return RMAT_ERR_VERTEX;
        }
    }
    return rmat_in_parallel(rows->gen, (count + VERTICES - 1) / VERTICES, walk_edges * count,
                            find_degrees, &job);
}

/* Replaces the destinations by their new numbers, and sorts them. */
static int permute_row(const rmat_rows *rows, uint64_t count, void *dst, int id_bytes)
{
    uint64_t *ids = malloc((2 * count + 1) * sizeof *ids);

    if (ids == NULL) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < count; i++) {
        ids[i] = id_at(dst, i, id_bytes);
    }
    (void)rmat_permute(rows->gen, RMAT_COLS, count, ids);
    sort_ids(ids, count, rows->view.cols_scale, ids + count);
    for (uint64_t i = 0; i < count; i++) {
        set_id(dst, i, ids[i], id_bytes);
    }
    free(ids);
    return RMAT_OK;
}

int rmat_rows_row(const rmat_rows *rows, uint64_t vertex, void *dst, int id_bytes)
{
    enum { STOP_EDGES = 1 << 22 }; /* a fraction of a second */
    const rmat_rows_view *v = &rows->view;
    rmat_rows_target t = {.view = v, .gen = rows->gen, .id_bytes = id_bytes};
    rmat_rows_node row;
    uint64_t end;

    if (vertex >= v->rows) {
        return RMAT_ERR_VERTEX;
    }
    if (id_bytes == 4 && v->cols_scale > 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    (void)rmat_unpermute(rows->gen, RMAT_ROWS, 1, &vertex);
    row = rmat_rows_find(v, vertex);
    end = row.start + row.count;
    for (uint64_t first = row.start; first < end; first = t.range.end) {
        if (rmat_stops(rows->gen)) {
            return RMAT_ERR_STOPPED;
        }
        t.range.first = first;
        t.range.end = end - first > STOP_EDGES ? first + STOP_EDGES : end;
        t.dst = (char *)dst + (first - row.start) * (uint64_t)id_bytes;
        rmat_rows_walk(&t, &row);
    }
    return rows->gen->config.permute && row.count > 0 ? permute_row(rows, row.count, dst, id_bytes)
                                                      : RMAT_OK;
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
    if (rmat_kept_of(&c, levels) * RMAT_MAX_REDRAW < 1) {
        return RMAT_ERR_REDRAW;
    }
    RMAT_OR_RETURN(rmat_rows_set_up(&rows->view, &c, levels));
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
        free((void *)rows->view.full);
        free(rows);
    }
}
