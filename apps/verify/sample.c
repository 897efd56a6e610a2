/*
 * rmat verify: a sample of a sorted graph.
 *
 * Of each chunk of the file the first and the last edge are read.  All edges of the graph between
 * these two are an interval of the sorted order, which one pass over the stream makes; the chunk
 * must hold just them.  How many edges come before, another pass counts, unless copies are left
 * out: then only the first chunk's place and the last one's are known.
 */
#include "apps/engine/sorted/fill.h"
#include "apps/engine/source/edge_source.h"
#include "apps/verify/look.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_interval.h"
#include <stdlib.h>

typedef struct {
    check_run *check;
    rmat_gen *gen;
    rmat_interval *interval;
    sorted_cuts cuts;
    rmat_cell end; /* of the graph */
    uint64_t cols; /* of the graph */
    uint64_t done, number;
    void *src, *dst, *weight; /* VERIFY_BLOCK edges */
} sampling;

static int stream_tick(void *state, uint64_t made)
{
    sampling *s = state;

    (void)made;
    return check_tick(s->check, s->done);
}

/* Notes a status of rmat; returns whether the sample goes on. */
static bool is_ok(sampling *s, int status)
{
    if (status != RMAT_OK && status != SORTED_STOPPED && status != RMAT_ERR_STOPPED) {
        const char *cuda = rmat_gpu_error();

        look_fail(&s->check->look, *cuda ? cuda : rmat_strerror(status));
    }
    return status == RMAT_OK;
}

/* An edge of the file as a place in the order. */
static bool find_cell(sampling *s, uint64_t edge, rmat_cell *cell)
{
    const edge_file *file = s->check->file;
    uint64_t src = 0, dst = 0, row = 0;
    int status = edgefile_read(file->reader, edge, 1, file->rows > 0 ? NULL : &src, &dst, NULL);

    if (status == EDGEFILE_OK && file->rows > 0) {
        status = csr_rows(file->reader, edge, 1, &src, &row);
    }
    if (status == EDGEFILE_ERR_RANGE) {
        look_fail(&s->check->look, "dataset 'pointers_to_1' is not in order");
        s->check->look.results->damaged = true;
    } else if (status != EDGEFILE_OK) {
        look_failed_read(&s->check->look, status);
    }
    *cell = (rmat_cell){edge_id(&src, 0, file->id_bytes), edge_id(&dst, 0, file->id_bytes)};
    return status == EDGEFILE_OK;
}

static bool is_below(const rmat_cell *a, const rmat_cell *b)
{
    return a->src < b->src || (a->src == b->src && a->dst < b->dst);
}

/* From the first edge of a span to behind its last one.  *right: they are in that order. */
static bool cut_out(sampling *s, const engine_span *span, bool *right)
{
    const uint64_t end = span->first + span->count;
    rmat_cell first = {0, 0}, last = {s->end.src - 1, s->cols - 1};

    if ((span->first > 0 && !find_cell(s, span->first, &first)) ||
        (end != s->check->file->edges && !find_cell(s, end - 1, &last))) {
        return false;
    }
    *right = !is_below(&last, &first) && last.src < s->end.src && first.dst < s->cols &&
             last.dst < s->cols;
    s->cuts.n = 1;
    s->cuts.cells[0] = first;
    s->cuts.cells[1] = last.dst + 1 == s->cols ? (rmat_cell){last.src + 1, 0}
                                               : (rmat_cell){last.src, last.dst + 1};
    return true;
}

typedef struct {
    const rmat_gen *gen;
    rmat_cell cells[2];
    uint64_t count;
} counting;

static int count_piece(void *state, uint64_t first, uint64_t n)
{
    counting *c = state;
    uint64_t count;
    int status = rmat_count_cells(c->gen, first, n, 2, c->cells, &count);

    c->count += status == RMAT_OK ? count : 0;
    return status;
}

/* How many edges of the stream come before the cell in the order. */
static bool count_before(sampling *s, const rmat_cell *cell, uint64_t *count)
{
    counting c = {s->gen, {{0, 0}, *cell}, 0};
    int status =
        sorted_each_piece(0, s->check->model->order.stream_edges, count_piece, &c, stream_tick, s);

    *count = c.count;
    return is_ok(s, status);
}

/* Edges of the interval, which is at edge `at` of the graph, that lie in the span. */
static bool compare_edges(sampling *s, uint64_t at, const engine_span *span)
{
    const pipeline_sink sink = look_sink(&s->check->look);
    const uint64_t stop = at + rmat_interval_edges(s->interval), last = span->first + span->count;
    const uint64_t end = stop < last ? stop : last;
    const rmat_arrays to = {s->src, s->dst, s->weight, s->check->file->id_bytes};

    for (uint64_t first = at > span->first ? at : span->first, n; first < end; first += n) {
        pipeline_chunk c = {.first = first, .src = s->src, .dst = s->dst, .weight = s->weight};

        if (stream_tick(s, 0)) {
            return false;
        }
        n = end - first < VERIFY_BLOCK ? end - first : VERIFY_BLOCK;
        c.count = n;
        c.number = s->number++;
        if (!is_ok(s, rmat_interval_read(s->interval, first - at, n, &to)) ||
            sink.write(sink.state, NULL, &c) != NULL) {
            return false;
        }
        s->done += n;
    }
    return true;
}

/* Pointers of the rows that begin between cells. */
static bool compare_pointers(sampling *s, uint64_t at, const rmat_cell *from, const rmat_cell *to)
{
    enum { POINTERS = 8192 };
    const pipeline_sink sink = look_sink(&s->check->look);
    const uint64_t items = 8 / (uint64_t)s->check->file->id_bytes;
    uint64_t end = to->src + (to->dst > 0), pointers[POINTERS];

    for (uint64_t row = from->src + (from->dst > 0), n; row < end; row += n) {
        pipeline_chunk c = {.first = PIPELINE_POINTERS + row * items, .dst = pointers};

        n = end - row < POINTERS ? end - row : POINTERS;
        c.count = n * items;
        c.number = s->number++;
        if (!is_ok(s, rmat_interval_pointers(s->interval, row, n, at, pointers)) ||
            sink.write(sink.state, NULL, &c) != NULL) {
            return false;
        }
    }
    return true;
}

/* *made: the edges of the graph between the span's first and last one, which begin at edge `at`. */
static bool compare_span(sampling *s, uint64_t at, const engine_span *span, uint64_t *made)
{
    const model_order *order = &s->check->model->order;

    *made = 0;
    for (uint64_t i = 0; i < s->cuts.n; i++) { /* more, where an interval was cut in two */
        if (!is_ok(s, sorted_fill(s->gen, s->interval, &s->cuts, i, order->stream_edges,
                                  order->unique, stream_tick, s)) ||
            !compare_edges(s, at + *made, span) ||
            (s->check->file->rows > 0 &&
             !compare_pointers(s, at + *made, &s->cuts.cells[i], &s->cuts.cells[i + 1]))) {
            return false;
        }
        *made += rmat_interval_edges(s->interval);
    }
    return true;
}

static void note_misplaced(sampling *s, const engine_span *span, uint64_t place, uint64_t between,
                           bool counted)
{
    misplaced_edges *m = &s->check->look.results->misplaced;

    if (m->count++ == 0) {
        m->first = span->first;
        m->edges = span->count;
        m->place = place;
        m->between = between;
        m->counted = counted;
    }
}

static bool look_at_span(sampling *s, const engine_span *span)
{
    const bool unique = s->check->model->order.unique;
    const uint64_t end = span->first + span->count;
    uint64_t at = span->first, made;
    bool right;

    if (!cut_out(s, span, &right)) {
        return false;
    }
    if (!right) {
        note_misplaced(s, span, 0, 0, false);
        return true;
    }
    if ((!unique && span->first > 0 && !count_before(s, &s->cuts.cells[0], &at)) ||
        !compare_span(s, at, span, &made)) {
        return false;
    }
    if (at > span->first || at + made < end ||
        ((unique || end == s->check->file->edges) && at + made != end)) {
        note_misplaced(s, span, at, made, true);
    }
    return true;
}

static bool begin_sample(sampling *s)
{
    const verify_options *o = s->check->options;
    const edge_file *file = s->check->file;
    rmat_config config = s->check->model->drawn;
    uint64_t bytes = 0;
    int status;

    s->cols = config.cols != 0 ? config.cols : (uint64_t)1 << config.cols_scale;
    s->end.src = config.rows != 0 ? config.rows : (uint64_t)1 << config.rows_scale;
    s->cuts.cells = calloc(2, sizeof *s->cuts.cells);
    s->src = malloc((size_t)VERIFY_BLOCK * (size_t)file->id_bytes);
    s->dst = malloc((size_t)VERIFY_BLOCK * (size_t)file->id_bytes);
    s->weight = file->weights ? malloc((size_t)VERIFY_BLOCK * 4) : NULL;
    config.threads = o->threads;
    config.backend = o->backend == RMAT_BACKEND_GPU ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
    config.device = o->device;
    status = s->cuts.cells == NULL || s->src == NULL || s->dst == NULL ||
                     (file->weights && s->weight == NULL)
                 ? RMAT_ERR_NOMEM
                 : rmat_create(&s->gen, &config);
    if (status == RMAT_OK) {
        status = rmat_interval_bytes(s->gen, 2 * (uint64_t)VERIFY_CHUNK, &bytes);
    }
    if (status == RMAT_OK && o->memory > 0 && o->memory < bytes) {
        bytes = o->memory;
    }
    if (status == RMAT_OK) {
        status = rmat_interval_create(&s->interval, s->gen, bytes);
    }
    return is_ok(s, status);
}

void check_sample(check_run *c, const engine_span *spans, size_t n)
{
    sampling s = {.check = c};
    bool going_on = begin_sample(&s);

    for (size_t k = 0; k < n && going_on; k++) {
        going_on = look_at_span(&s, &spans[k]);
    }
    rmat_interval_destroy(s.interval);
    rmat_destroy(s.gen);
    free(s.cuts.cells);
    free(s.src);
    free(s.dst);
    free(s.weight);
}
