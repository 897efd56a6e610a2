/*
 * interval.c - the public functions of rmat_interval.h.  They check their arguments and the
 * interval's state, and call the backend (cpu/interval.c, gpu/interval.c).
 */
#include "rmat/sorted/interval.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>

static const rmat_interval_ops *ops_of(const rmat_gen *gen)
{
    return gen->gpu != NULL ? rmat_gpu()->interval_ops() : rmat_cpu_interval_ops();
}

/* Keys of a GPU have 64 bits, and its kernels that make them ids of 32. */
static int check_backend(const rmat_gen *gen)
{
    return gen->gpu != NULL && rmat_scale(&gen->config) > 32 ? RMAT_ERR_GPU_SCALE : RMAT_OK;
}

int rmat_interval_bytes(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    *bytes = 0;
    RMAT_OR_RETURN(check_backend(gen));
    return ops_of(gen)->bytes(gen, edges, bytes);
}

/* By bisection: rmat_interval_bytes() grows with the edges. */
int rmat_interval_capacity(const rmat_gen *gen, uint64_t bytes, uint64_t *edges)
{
    uint64_t low = 0, high = bytes / 8, takes;

    *edges = 0;
    while (low < high) {
        const uint64_t middle = high - (high - low) / 2;

        RMAT_OR_RETURN(rmat_interval_bytes(gen, middle, &takes));
        if (takes <= bytes) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *edges = low;
    return RMAT_OK;
}

int rmat_interval_create(rmat_interval **out, const rmat_gen *gen, uint64_t bytes)
{
    return rmat_interval_create_in(out, gen, bytes, false);
}

int rmat_interval_create_in(rmat_interval **out, const rmat_gen *gen, uint64_t bytes, bool pooled)
{
    rmat_interval *b;
    uint64_t capacity;
    int st;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (gen == NULL) {
        return RMAT_ERR_ARG;
    }
    st = rmat_interval_capacity(gen, bytes, &capacity);
    if (st != RMAT_OK || capacity < RMAT_INTERVAL_LEAST_EDGES) {
        return st != RMAT_OK ? st : RMAT_ERR_ARG;
    }
    if (rmat_own_weights(gen) && (rmat_key_bits(gen) > 128 || gen->gpu != NULL)) {
        return RMAT_ERR_WEIGHTS;
    }
    b = calloc(1, sizeof *b);
    if (b == NULL) {
        return RMAT_ERR_NOMEM;
    }
    b->gen = gen;
    b->ops = ops_of(gen);
    b->capacity = capacity;
    b->pooled = pooled;
    st = b->ops->create(b, b->capacity);
    if (st) {
        rmat_interval_destroy(b);
        return st;
    }
    *out = b;
    return RMAT_OK;
}

void rmat_interval_destroy(rmat_interval *b)
{
    if (b != NULL) {
        b->ops->destroy(b);
        free(b);
    }
}

/* Whether *c is a cell of the graph, or the end after all cells. */
static bool is_in_graph(const rmat_gen *gen, const rmat_cell *c)
{
    return (c->src < gen->view.rows && c->dst < gen->view.cols) ||
           (c->src == gen->view.rows && c->dst == 0);
}

static uint64_t before_cell(const rmat_gen *gen, const rmat_cell *c)
{
    return gen->source.before(gen->source.state, c->src, c->dst);
}

static bool is_single(const rmat_interval *b)
{
    return b->end.src == b->first.src ? b->end.dst == b->first.dst + 1
                                      : b->end.src == b->first.src + 1 && b->end.dst == 0 &&
                                            b->first.dst + 1 == b->gen->view.cols;
}

int rmat_interval_begin(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, int unique)
{
    if (b == NULL || b->trimmed || first == NULL || end == NULL || !is_in_graph(b->gen, first) ||
        !is_in_graph(b->gen, end) || rmat_cell_below(end, first)) {
        return RMAT_ERR_ARG;
    }
    b->first = *first;
    b->end = *end;
    b->unique = unique != 0;
    b->sorted = false;
    b->edges = b->most = b->made = b->kept = 0;
    b->counted = is_single(b) && !rmat_own_weights(b->gen);
    b->in_order = rmat_is_in_order(b->gen);
    b->from = b->in_order ? before_cell(b->gen, first) : 0;
    b->to = b->in_order ? before_cell(b->gen, end) : rmat_stream_edges(b->gen);
    return b->ops->begin(b);
}

static int check_stream(const rmat_gen *gen, uint64_t first, uint64_t count)
{
    const uint64_t edges = rmat_stream_edges(gen);

    return first > edges || count > edges - first ? RMAT_ERR_RANGE : RMAT_OK;
}

/* The part of [*first, *first + *count) that is in [from, to). */
static void clip(uint64_t from, uint64_t to, uint64_t *first, uint64_t *count)
{
    const uint64_t begin = *first > from ? *first : from;
    const uint64_t end = *first + *count < to ? *first + *count : to;

    *first = begin;
    *count = begin < end ? end - begin : 0;
}

/* The number of keys that still fit after `keys` keys. */
static uint64_t room_after(const rmat_interval *b, uint64_t keys)
{
    return b->capacity > keys ? b->capacity - keys : 0;
}

/*
 * Unique edges are gathered slice by slice, unless all fit.  A slice is so long that what it adds
 * probably fits, judged by the slices before; if the room runs low, sorting and dropping copies
 * makes more.  A slice that does not fit is made again, in smaller ones: what has been kept of it
 * does no harm, as copies are dropped.
 */
static int add_unique(rmat_interval *b, uint64_t first, uint64_t count)
{
    uint64_t limit = UINT64_MAX;

    while (count) {
        /* Of the stream's edges, those that were in the interval so far, rounded up. */
        const double kept = b->made ? ((double)b->kept + 1000) / (double)b->made : 1;
        const double share = kept < 1 ? kept : 1, need = share * (double)count / 0.97;
        uint64_t keys, room, slice = count, now;
        int st;

        if (count <= room_after(b, b->most)) {
            b->most += count;
            return b->ops->gather(b, first, count);
        }
        RMAT_OR_RETURN(b->ops->gathered(b, &keys));
        if (keys > b->capacity / 8 * 7 && need >= (double)room_after(b, keys)) {
            RMAT_OR_RETURN(b->ops->settle(b, &keys));
            if (keys > b->capacity / 4 * 3 && need >= (double)room_after(b, keys)) {
                return RMAT_ERR_FULL;
            }
        }
        room = room_after(b, keys);
        if (need >= (double)room && 0.9 * (double)room < share * (double)count) {
            slice = (uint64_t)(0.9 * (double)room / share);
            slice = slice > room ? slice : room < count ? room : count;
        }
        slice = slice < limit ? slice : limit;
        st = b->ops->gather(b, first, slice);
        st = st == RMAT_OK ? b->ops->gathered(b, &now) : st;
        if (st == RMAT_ERR_FULL) {
            RMAT_OR_RETURN(b->ops->settle(b, &b->most));
            RMAT_OR_RETURN(b->most > b->capacity / 4 * 3 ? RMAT_ERR_FULL : RMAT_OK);
            limit = slice / 2;
        } else {
            RMAT_OR_RETURN(st);
            b->most = now;
            b->made += slice;
            b->kept += now - keys;
            first += slice;
            count -= slice;
        }
    }
    return RMAT_OK;
}

/* Of a single cell. */
static int add_counted(rmat_interval *b, uint64_t first, uint64_t count)
{
    const rmat_cell cells[] = {b->first, b->end};
    uint64_t met;

    RMAT_OR_RETURN(rmat_count_cells(b->gen, first, count, 2, cells, &met));
    b->edges += met;
    b->edges = b->unique && b->edges > 1 ? 1 : b->edges;
    return RMAT_OK;
}

int rmat_interval_add(rmat_interval *b, uint64_t first, uint64_t count)
{
    RMAT_OR_RETURN(b != NULL && !b->sorted ? check_stream(b->gen, first, count) : RMAT_ERR_ARG);
    clip(b->from, b->to, &first, &count);
    if (!count || !rmat_cell_below(&b->first, &b->end)) {
        return RMAT_OK;
    }
    if (b->counted) {
        return add_counted(b, first, count);
    }
    return (b->unique ? add_unique : b->ops->gather)(b, rmat_stream_first(b->gen) + first, count);
}

static int compare_cells(const void *a, const void *b)
{
    return rmat_cell_below(b, a) - rmat_cell_below(a, b);
}

/* The median of some cells that are evenly spaced among those gathered; the first cell if there are
 * none. */
static int median_of(rmat_interval *b, rmat_cell *m)
{
    enum { MOST = 1 << 16 };
    rmat_cell *cells = malloc(MOST * sizeof *cells);
    uint64_t n = 0;
    int st;

    *m = b->first;
    RMAT_TRY(cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_TRY(b->ops->sample(b, MOST, cells, &n));
    if (n > 0) {
        qsort(cells, n, sizeof *cells, compare_cells);
        *m = cells[n / 2];
    }
done:
    free(cells);
    return st;
}

int rmat_interval_middle(rmat_interval *b, rmat_cell *middle)
{
    if (b == NULL || middle == NULL || b->counted || !rmat_cell_below(&b->first, &b->end)) {
        return RMAT_ERR_ARG;
    }
    if (b->in_order && b->to > b->from) {
        const uint64_t edge = b->from + (b->to - b->from) / 2;

        RMAT_OR_RETURN(rmat_generate(b->gen, edge, 1, &middle->src, &middle->dst));
    } else {
        RMAT_OR_RETURN(median_of(b, middle));
    }
    if (!rmat_cell_below(&b->first, middle)) { /* the first cell: the next one */
        *middle = b->first.dst + 1 < b->gen->view.cols ? (rmat_cell){b->first.src, b->first.dst + 1}
                                                       : (rmat_cell){b->first.src + 1, 0};
    }
    /* A single cell has no inside, and comes here if its edges have weights of their own. */
    return rmat_cell_below(middle, &b->end) ? RMAT_OK : RMAT_ERR_NOMEM;
}

int rmat_interval_sort(rmat_interval *b)
{
    uint64_t keys;

    if (b == NULL || b->sorted) {
        return RMAT_ERR_ARG;
    }
    if (!b->counted) {
        /* For the RMAT_ERR_FULL that a GPU reports only here. */
        RMAT_OR_RETURN(b->ops->gathered(b, &keys));
        RMAT_OR_RETURN(b->ops->settle(b, &b->edges));
    }
    b->sorted = true;
    return RMAT_OK;
}

int rmat_interval_trim(rmat_interval *b)
{
    if (b == NULL || !b->sorted) {
        return RMAT_ERR_ARG;
    }
    b->trimmed = true;
    return b->ops->trim != NULL ? b->ops->trim(b) : RMAT_OK;
}

uint64_t rmat_interval_edges(const rmat_interval *b)
{
    return b->edges;
}

int rmat_interval_lower(const rmat_interval *b, uint64_t *edges)
{
    if (b == NULL || !b->sorted || edges == NULL) {
        return RMAT_ERR_ARG;
    }
    *edges = b->first.src >= b->first.dst ? b->edges : 0;
    return b->counted ? RMAT_OK : b->ops->lower(b, edges);
}

static int check_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
                          const uint64_t *pointers)
{
    if (b == NULL || !b->sorted || (count && pointers == NULL)) {
        return RMAT_ERR_ARG;
    }
    return first_row > b->gen->view.rows + 1 || count > b->gen->view.rows + 1 - first_row
               ? RMAT_ERR_ROWS
               : RMAT_OK;
}

int rmat_interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                           uint64_t *pointers)
{
    RMAT_OR_RETURN(check_pointers(b, first_row, count, pointers));
    if (!b->counted && count) {
        return b->ops->pointers(b, first_row, count, add, pointers);
    }
    for (uint64_t i = 0; i < count; i++) {
        pointers[i] = add + (first_row + i > b->first.src ? b->edges : 0);
    }
    return RMAT_OK;
}

int rmat_interval_pointers_device(const rmat_interval *b, uint64_t first_row, uint64_t count,
                                  uint64_t add, uint64_t *pointers, void *stream)
{
    const int st = check_pointers(b, first_row, count, pointers);

    if (!st && b->ops->pointers_device == NULL) {
        return RMAT_ERR_ARG;
    }
    return st || !count ? st : b->ops->pointers_device(b, first_row, count, add, pointers, stream);
}

static int check_read(const rmat_interval *b, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_config *c;

    if (b == NULL || !b->sorted || to == NULL || (to->id_bytes != 4 && to->id_bytes != 8)) {
        return RMAT_ERR_ARG;
    }
    c = &b->gen->config;
    if (first > b->edges || count > b->edges - first) {
        return RMAT_ERR_EDGES;
    }
    if (to->id_bytes == 4 &&
        ((to->src != NULL && c->rows_scale > 32) || (to->dst != NULL && c->cols_scale > 32))) {
        return RMAT_ERR_ID_WIDTH;
    }
    return to->weight != NULL && c->weights == RMAT_NO_WEIGHTS ? RMAT_ERR_WEIGHTS : RMAT_OK;
}

/* So many edges of a single cell. */
static void read_counted(const rmat_interval *b, uint64_t count, const rmat_arrays *to)
{
    const rmat_cell *c = &b->first;
    uint32_t weight = 0;

    if (to->weight != NULL) {
        (void)rmat_weights_of(b->gen, 1, &c->src, &c->dst, 8, &weight);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (to->src != NULL) {
            set_id(to->src, i, c->src, to->id_bytes);
        }
        if (to->dst != NULL) {
            set_id(to->dst, i, c->dst, to->id_bytes);
        }
        if (to->weight != NULL) {
            ((uint32_t *)to->weight)[i] = weight;
        }
    }
}

int rmat_interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to)
{
    RMAT_OR_RETURN(check_read(b, first, count, to));
    if (b->counted) {
        read_counted(b, count, to);
        return RMAT_OK;
    }
    return count ? b->ops->read(b, first, count, to) : RMAT_OK;
}

int rmat_interval_read_device(const rmat_interval *b, uint64_t first, uint64_t count,
                              const rmat_arrays *to, void *stream)
{
    const int st = check_read(b, first, count, to);

    if (!st && b->ops->read_device == NULL) {
        return RMAT_ERR_ARG;
    }
    return st || !count ? st : b->ops->read_device(b, first, count, to, stream);
}

static bool belongs(const rmat_interval *b, const rmat_cell *c)
{
    return !rmat_cell_below(c, &b->first) && rmat_cell_below(c, &b->end) &&
           !(rmat_has_source(b->gen) && b->gen->config.no_self_loops && c->src == c->dst);
}

int rmat_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    if (b == NULL || !b->sorted || !b->unique || b->trimmed || b->in_order || (n && list == NULL) ||
        rmat_own_weights(b->gen)) {
        return RMAT_ERR_ARG;
    }
    for (uint64_t i = 0; i < n; i++) {
        RMAT_OR_RETURN(belongs(b, &list[i].cell) ? RMAT_OK : RMAT_ERR_ARG);
    }
    if (n && !b->counted) {
        RMAT_OR_RETURN(b->ops->insert(b, n, list));
    }
    b->edges += n;
    return RMAT_OK;
}

int rmat_stream_in_order(const rmat_gen *gen)
{
    return rmat_is_in_order(gen);
}

int rmat_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                     const rmat_cell *cells, uint64_t *counts)
{
    if (gen == NULL || n < 1 || cells == NULL || (n > 1 && counts == NULL)) {
        return RMAT_ERR_ARG;
    }
    RMAT_OR_RETURN(check_stream(gen, first, count));
    RMAT_OR_RETURN(rmat_is_in_order(gen) ? RMAT_OK : check_backend(gen));
    for (uint64_t i = 0; i < n; i++) {
        if (!is_in_graph(gen, &cells[i]) || (i && rmat_cell_below(&cells[i], &cells[i - 1]))) {
            return RMAT_ERR_ARG;
        }
    }
    for (uint64_t i = 0; i + 1 < n; i++) {
        counts[i] = 0;
    }
    if (n > 1 && count && rmat_is_in_order(gen)) {
        uint64_t begin = before_cell(gen, &cells[0]), end;

        for (uint64_t i = 0; i + 1 < n; i++, begin = end) {
            uint64_t at = first;

            end = before_cell(gen, &cells[i + 1]);
            counts[i] = count;
            clip(begin, end, &at, &counts[i]);
        }
    } else if (n > 1 && count) {
        RMAT_OR_RETURN(
            ops_of(gen)->count_cells(gen, rmat_stream_first(gen) + first, count, n, cells, counts));
    }
    return RMAT_OK;
}
