/*
 * interval.c - sorted intervals on either backend (cpu/interval.c, gpu/interval.c): the steps that
 * make one, and the public functions, which check their arguments and the interval's state.
 */
#include "rmat/sorted/interval.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

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
    RMAT_OR_RETURN(rmat_interval_capacity(gen, bytes, &capacity));
    if (capacity < RMAT_INTERVAL_LEAST_EDGES) {
        return RMAT_ERR_ARG;
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
    st = b->ops->create(b);
    if (st != RMAT_OK) {
        rmat_interval_destroy(b);
        b = NULL;
    }
    *out = b;
    return st;
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

/* --- Making an interval --- */

static bool is_single(const rmat_interval *b)
{
    return b->end.src == b->first.src ? b->end.dst == b->first.dst + 1
                                      : b->end.src == b->first.src + 1 && b->end.dst == 0 &&
                                            b->first.dst + 1 == b->gen->view.cols;
}

int rmat_interval_begin(rmat_interval *b, const rmat_cell *first, const rmat_cell *end, int unique)
{
    b->first = *first;
    b->end = *end;
    b->unique = unique != 0;
    b->sorted = b->all_fit = false;
    b->edges = b->most = b->made = b->kept = 0;
    b->counted = !unique && !rmat_own_weights(b->gen) && is_single(b);
    b->from = rmat_is_in_order(b->gen) ? before_cell(b->gen, first) : 0;
    b->to = !rmat_cell_below(first, end) ? b->from
            : rmat_is_in_order(b->gen)   ? before_cell(b->gen, end)
                                         : rmat_stream_edges(b->gen);
    return b->ops->begin(b);
}

/* Edges of the stream that are gathered at a time: a few milliseconds on a GPU, and a fraction of a
 * second on a CPU. */
static uint64_t most_at_once(const rmat_gen *gen)
{
    return gen->gpu != NULL ? (uint64_t)1 << 30 : (uint64_t)rmat_threads(gen) << 24;
}

/* Gathers a slice of the stream, or counts its edges. */
static int add_slice(rmat_interval *b, uint64_t first, uint64_t count)
{
    const rmat_cell cells[] = {b->first, b->end};
    uint64_t n;

    if (b->counted) {
        RMAT_OR_RETURN(rmat_count_cells(b->gen, first, count, 2, cells, &n));
        b->edges += n;
    } else {
        RMAT_OR_RETURN(b->ops->gather(b, rmat_stream_first(b->gen) + first, count, &n));
        n = n < b->most + count ? n : b->most + count;
        b->made += count;
        b->kept += n - b->most;
        b->most = n;
    }
    b->edges_made += count;
    return rmat_stops(b->gen) ? RMAT_ERR_STOPPED : RMAT_OK;
}

/* Drops copies.  RMAT_ERR_FULL: hardly any room is left. */
static int make_room(rmat_interval *b)
{
    RMAT_OR_RETURN(b->ops->settle(b, &b->most));
    return b->most > b->capacity / 4 * 3 ? RMAT_ERR_FULL : RMAT_OK;
}

/*
 * Unique edges are gathered in slices that fit even if no edge is a copy, until all that are left
 * probably fit, judged by the slices before.  If the room runs low, sorting and dropping copies
 * makes more.  A slice that does not fit is made again, in such that do: what has been kept of it
 * does no harm.
 */
int rmat_interval_add(rmat_interval *b, uint64_t first, uint64_t count)
{
    clip(b->from, b->to, &first, &count);
    while (count > 0) {
        const uint64_t most = most_at_once(b->gen);
        const double share = b->made ? ((double)b->kept + 1000) / (double)b->made : 1;
        uint64_t slice = count < most ? count : most;
        int st;

        if (b->unique && !b->all_fit && b->most + slice > b->capacity &&
            (double)b->most + 1.03 * share * (double)count > (double)b->capacity) {
            RMAT_OR_RETURN(b->most > b->capacity / 8 * 7 ? make_room(b) : RMAT_OK);
            slice = slice < b->capacity - b->most ? slice : b->capacity - b->most;
        }
        st = add_slice(b, first, slice);
        if (st == RMAT_ERR_FULL && b->most + slice > b->capacity && b->unique) {
            RMAT_OR_RETURN(make_room(b));
            b->made = b->kept = 0;
        } else {
            RMAT_OR_RETURN(st);
            first += slice;
            count -= slice;
        }
    }
    return RMAT_OK;
}

int rmat_interval_sort(rmat_interval *b)
{
    RMAT_OR_RETURN(b->counted ? RMAT_OK : b->ops->settle(b, &b->edges));
    b->sorted = true;
    return RMAT_OK;
}

/* Sets *middle to a cell of an interval that is full, other than its first one, with about half of
 * the gathered edges before it. */
static int find_middle(rmat_interval *b, rmat_cell *middle)
{
    uint64_t keys;

    *middle = b->first;
    if (rmat_is_in_order(b->gen)) {
        const uint64_t edge = b->from + (b->to - b->from) / 2;

        RMAT_OR_RETURN(rmat_generate(b->gen, edge, 1, &middle->src, &middle->dst));
    } else {
        RMAT_OR_RETURN(b->ops->settle(b, &keys));
        if (keys > 0) {
            const rmat_arrays to = {&middle->src, &middle->dst, NULL, 8};

            RMAT_OR_RETURN(b->ops->read(b, keys / 2, 1, &to));
        }
    }
    if (!rmat_cell_below(&b->first, middle)) { /* the first cell: the next one */
        *middle = b->first.dst + 1 < b->gen->view.cols ? (rmat_cell){b->first.src, b->first.dst + 1}
                                                       : (rmat_cell){b->first.src + 1, 0};
    }
    return rmat_cell_below(middle, &b->end) ? RMAT_OK : RMAT_ERR_NOMEM; /* a single cell */
}

int rmat_interval_make(rmat_interval *b, const rmat_cell *first, rmat_cell *end, uint64_t edges,
                       int unique)
{
    int st;

    if (b == NULL || b->trimmed || first == NULL || end == NULL || !is_in_graph(b->gen, first) ||
        !is_in_graph(b->gen, end) || rmat_cell_below(end, first)) {
        return RMAT_ERR_ARG;
    }
    RMAT_OR_RETURN(check_stream(b->gen, 0, edges));
    for (b->intervals_made++;;) {
        RMAT_OR_RETURN(rmat_interval_begin(b, first, end, unique));
        st = rmat_interval_add(b, 0, edges);
        if (st != RMAT_ERR_FULL) {
            return st == RMAT_OK ? rmat_interval_sort(b) : st;
        }
        RMAT_OR_RETURN(find_middle(b, end));
    }
}

int rmat_interval_make_part(rmat_interval *b, rmat_parts *parts, uint64_t i, uint64_t edges,
                            int unique)
{
    rmat_cell end, *more;

    if (parts == NULL || i >= parts->n) {
        return RMAT_ERR_ARG;
    }
    end = parts->cells[i + 1];
    RMAT_OR_RETURN(rmat_interval_make(b, &parts->cells[i], &end, edges, unique));
    if (rmat_cell_below(&end, &parts->cells[i + 1])) {
        more = realloc(parts->cells, (parts->n + 2) * sizeof *more);
        if (more == NULL) {
            return RMAT_ERR_NOMEM;
        }
        parts->cells = more;
        memmove(more + i + 2, more + i + 1, (parts->n - i) * sizeof *more);
        more[i + 1] = end;
        parts->n++;
    }
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

rmat_interval_work rmat_interval_work_of(const rmat_interval *b)
{
    return (rmat_interval_work){b->intervals_made, b->edges_made};
}

int rmat_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    RMAT_OR_RETURN(n ? b->ops->insert(b, n, list) : RMAT_OK);
    b->edges += n;
    return RMAT_OK;
}

/* --- Reading it --- */

uint64_t rmat_interval_edges(const rmat_interval *b)
{
    return b->edges;
}

/* In host memory, or on a GPU, in a stream. */
static int make_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                         uint64_t *pointers, bool on_gpu, void *stream)
{
    if (b == NULL || !b->sorted || (count && pointers == NULL)) {
        return RMAT_ERR_ARG;
    }
    if (first_row > b->gen->view.rows + 1 || count > b->gen->view.rows + 1 - first_row) {
        return RMAT_ERR_ROWS;
    }
    if (on_gpu && b->ops->pointers_device == NULL) {
        return RMAT_ERR_ARG;
    }
    if (b->counted && !on_gpu) {
        for (uint64_t i = 0; i < count; i++) {
            pointers[i] = add + (first_row + i > b->first.src ? b->edges : 0);
        }
        return RMAT_OK;
    }
    return count == 0 ? RMAT_OK
           : on_gpu   ? b->ops->pointers_device(b, first_row, count, add, pointers, stream)
                      : b->ops->pointers(b, first_row, count, add, pointers);
}

int rmat_interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                           uint64_t *pointers)
{
    return make_pointers(b, first_row, count, add, pointers, false, NULL);
}

int rmat_interval_pointers_device(const rmat_interval *b, uint64_t first_row, uint64_t count,
                                  uint64_t add, uint64_t *pointers, void *stream)
{
    return make_pointers(b, first_row, count, add, pointers, true, stream);
}

/* So many edges of a single cell. */
static int read_counted(const rmat_interval *b, uint64_t count, const rmat_arrays *to)
{
    const rmat_cell *c = &b->first;
    uint32_t weight = 0;

    RMAT_OR_RETURN(to->weight != NULL ? rmat_weights_of(b->gen, 1, &c->src, &c->dst, 8, &weight)
                                      : RMAT_OK);
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
    return RMAT_OK;
}

static int read_edges(const rmat_interval *b, uint64_t first, uint64_t count, const rmat_arrays *to,
                      bool on_gpu, void *stream)
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
    if (to->weight != NULL && c->weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    if (on_gpu && b->ops->read_device == NULL) {
        return RMAT_ERR_ARG;
    }
    return count == 0   ? RMAT_OK
           : on_gpu     ? b->ops->read_device(b, first, count, to, stream)
           : b->counted ? read_counted(b, count, to)
                        : b->ops->read(b, first, count, to);
}

int rmat_interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                       const rmat_arrays *to)
{
    return read_edges(b, first, count, to, false, NULL);
}

int rmat_interval_read_device(const rmat_interval *b, uint64_t first, uint64_t count,
                              const rmat_arrays *to, void *stream)
{
    return read_edges(b, first, count, to, true, stream);
}

/* --- Cutting the order --- */

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
        uint64_t at = first;

        counts[i] = rmat_is_in_order(gen) ? count : 0;
        if (counts[i] > 0) {
            clip(before_cell(gen, &cells[i]), before_cell(gen, &cells[i + 1]), &at, &counts[i]);
        }
    }
    while (n > 1 && !rmat_cell_below(&cells[n - 2], &cells[n - 1])) { /* no cells at the end */
        n--;
    }
    if (n == 1 || count == 0 || rmat_is_in_order(gen)) {
        return RMAT_OK;
    }
    first += rmat_stream_first(gen);
    return ops_of(gen)->count_cells(gen, first, count, n, cells, counts);
}
