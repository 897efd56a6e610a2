/*
 * rmat verify: sorted graphs, one interval of the sorted order after the other.
 *
 * An interval is generated again as `rmat generate` does it: by passes over the stream that keep
 * the edges of the interval, which are then sorted.  The edges and row pointers of the file that
 * lie in the interval are compared with it, and the next interval takes its place in memory.
 */
#include "apps/verify/sorted.h"
#include "apps/common/interrupt.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1 << 24 }; /* between two looks at signals */

/* While the stream is gone through. */
static int tick(void *run, uint64_t made)
{
    edge_run *x = run;

    (void)made;
    if (interrupt_signal() != 0) {
        atomic_store(&x->stop, true);
    }
    progress_update(&x->bar, atomic_load(&x->done));
    return atomic_load(&x->stop);
}

int check_status(interval_check *s, int status)
{
    if (status != RMAT_OK && status != SORTED_STOPPED) {
        edge_run_failed(&s->run, status);
    }
    return status == RMAT_OK ? 0 : -1;
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

int check_count(interval_check *s, uint64_t end, const rmat_cell *from, const rmat_cell *to,
                uint64_t *count)
{
    counting c = {s->run.gen, {*from, *to}, 0};
    int status = sorted_each_piece(0, end, count_piece, &c, tick, &s->run);

    *count = c.count;
    return check_status(s, status);
}

rmat_cell check_behind(const interval_check *s, const rmat_cell *cell)
{
    const rmat_config *m = &s->model->drawn;
    const uint64_t cols = m->cols != 0 ? m->cols : (uint64_t)1 << m->cols_scale;

    return cell->dst + 1 == cols ? (rmat_cell){cell->src + 1, 0}
                                 : (rmat_cell){cell->src, cell->dst + 1};
}

/* Rows [first, end), of an interval that begins at edge `at`. */
static int look_at_rows(interval_check *s, uint64_t at, uint64_t first, uint64_t end)
{
    int status = 0;

    for (uint64_t n; first < end && status == 0; first += n) {
        if (tick(&s->run, 0)) {
            return -1;
        }
        n = end - first < ROWS ? end - first : ROWS;
        status = verify_pointers(&s->results->pointers, s->reader, s->interval, first, n, at);
    }
    if (status <= EDGEFILE_ERR_ARG) {
        edge_run_unreadable(&s->run, status);
        return -1;
    }
    return check_status(s, status);
}

/* Those of rows that begin in the interval, or where it is a sample between two edges of it. */
static int look_at_pointers(interval_check *s, uint64_t i, uint64_t at, const edge_range *range)
{
    const rmat_cell *from = &s->cuts.cells[i], *to = &s->cuts.cells[i + 1];
    uint64_t first = from->src + (from->dst > 0), end = to->src + (to->dst > 0);
    uint64_t src[2];

    if (s->run.source.rows.rows == 0) {
        return 0;
    }
    if (range == NULL) {
        end += i + 1 == s->cuts.n;
    } else {
        for (int k = 0; k < 2; k++) {
            rmat_arrays one = {.src = &src[k], .id_bytes = 8};
            int status = rmat_interval_read(s->interval,
                                            (k == 0 ? range->first : range->end - 1) - at, 1, &one);

            if (status != RMAT_OK) {
                return check_status(s, status);
            }
        }
        first = range->first == 0 ? 0 : src[0] + 1;
        end = range->end == s->edges ? s->end.src + 1 : src[1] + 1;
    }
    return look_at_rows(s, at, first, end);
}

static int look(interval_check *s, uint64_t first, uint64_t end)
{
    if (first < end) {
        pieces_range(&s->run.source, first, end);
        edge_run_threads(&s->run, s->threads);
    }
    return atomic_load(&s->run.stop) ? -1 : 0;
}

/* What the interval has of these ranges. */
static int look_at_interval(interval_check *s, uint64_t i, uint64_t at, uint64_t n,
                            const edge_range *ranges)
{
    uint64_t end = at + rmat_interval_edges(s->interval);
    bool sample = s->run.source.sample > 0;
    int failed = sample ? 0 : look_at_pointers(s, i, at, NULL);

    s->run.interval = s->interval;
    s->run.interval_first = at;
    for (uint64_t k = 0; !failed && k < n; k++) {
        edge_range r = {ranges[k].first > at ? ranges[k].first : at,
                        ranges[k].end < end ? ranges[k].end : end};

        if (r.first < r.end) {
            failed = look(s, r.first, r.end);
            if (!failed && sample) {
                failed = look_at_pointers(s, i, at, &r);
            }
        }
    }
    return failed;
}

int check_intervals(interval_check *s, uint64_t at, uint64_t n, const edge_range *ranges,
                    uint64_t *made)
{
    const model_order *order = &s->model->order;

    *made = 0;
    for (uint64_t i = 0; i < s->cuts.n; i++) {
        uint64_t lower = 0;
        int status = sorted_fill(s->interval, &s->cuts, i, order->stream_edges, order->unique, tick,
                                 &s->run);

        if (status == RMAT_OK && order->unique) {
            status = rmat_interval_lower(s->interval, &lower);
        }
        if (check_status(s, status) || look_at_interval(s, i, at + *made, n, ranges)) {
            return -1;
        }
        *made += rmat_interval_edges(s->interval);
        s->results->pairs += lower;
    }
    return 0;
}

/* All edges of the file, or what of the sample lies in each interval. */
static int look_at_all(interval_check *s, uint64_t n, const edge_range *ranges)
{
    uint64_t made, end = s->run.source.end;
    rmat_gen *gen = s->run.gen;
    int failed = check_intervals(s, 0, n, ranges, &made);

    if (failed) {
        return failed;
    }
    s->results->made = made;
    s->results->counted = true;
    if (s->run.source.sample == 0 && made < end) { /* they are of the fingerprint */
        s->run.gen = NULL;
        failed = look(s, made > ranges->first ? made : ranges->first, end);
        s->run.gen = gen;
    }
    return failed;
}

/* Is the last of the stream's edges a new one?  Else fewer of them would do. */
static int look_at_last(interval_check *s)
{
    sorted_results *r = s->results;
    uint64_t edges = s->model->order.stream_edges;
    uint64_t index = edges - (s->model->drawn.symmetrize ? 2 : 1);
    rmat_cell next;

    if (edges == 0) {
        return 0;
    }
    if (check_status(s, rmat_generate(s->run.gen, index, 1, &r->last.src, &r->last.dst))) {
        return -1;
    }
    next = check_behind(s, &r->last);
    if (check_count(s, index, &r->last, &next, &r->copies) != 0) {
        return -1;
    }
    r->last_known = true;
    return 0;
}

static int look_at_edges(interval_check *s)
{
    const piece_source *source = &s->run.source;
    uint64_t n = source->sample > 0 ? source->sample : 1;
    edge_range *ranges = calloc(n, sizeof *ranges);
    int failed;

    if (ranges == NULL) {
        return check_status(s, RMAT_ERR_NOMEM);
    }
    ranges[0] = (edge_range){source->begin, source->end};
    for (uint64_t k = 0; k < source->sample; k++) {
        pieces_sampled(source, k, &ranges[k].first, &ranges[k].end);
    }
    failed = source->sample > 0 && n < s->cuts.n ? check_sample(s, n, ranges)
                                                 : look_at_all(s, n, ranges);
    free(ranges);
    return failed;
}

void verify_sorted(sorted_results *results, const verify_options *options, const file_model *model,
                   const edge_file *file, edgefile_reader *reader)
{
    rmat_config promised = model->drawn;
    interval_check s = {
        .results = results, .model = model, .reader = reader, .threads = options->threads};
    edge_run *x = &s.run;
    uint64_t shard;

    memset(results, 0, sizeof *results);
    edge_run_begin(x, &results->edges, options, file, &model->drawn, options->threads);
    s.end.src = promised.rows != 0 ? promised.rows : (uint64_t)1 << promised.rows_scale;
    results->is_shard = edgefile_get_u64(reader, "shard", &shard) == EDGEFILE_OK;
    s.edges = results->is_shard ? UINT64_MAX : x->source.end;
    if (promised.symmetrize) { /* both directions, but not one behind the other */
        promised.symmetrize = 0;
        promised.direction = RMAT_DIRECTED;
    }
    x->model = &promised;
    x->sorted = true;
    x->unique = model->order.unique;
    results->edges.some_rows = x->source.sample > 0 || results->is_shard;
    /* All edges or none show the model. */
    x->fit_stride = !results->edges.some_rows && !x->unique && promised.stream == RMAT_STREAM_RMAT;
    if (results->edges.error == NULL) {
        progress_start(&x->bar, pieces_edges(&x->source),
                       (file->rows > 0 ? 1 : 2) * file->id_bytes + (file->weights ? 4 : 0),
                       options->quiet);
        if (check_plan(&s, options) == 0 && look_at_edges(&s) == 0 && x->unique &&
            !model->order.dedup) {
            look_at_last(&s);
        }
        progress_end(&x->bar, !atomic_load(&x->stop));
    }
    rmat_interval_destroy(s.interval);
    free(s.cuts.cells);
    edge_run_end(x);
}
