/*
 * A sample that is smaller than the intervals of the graph are many: for each of its chunks one
 * block, from the chunk's first edge to its last one, whatever they are in the file.  How many
 * edges come before, the stream tells, unless copies are left out: then only the first chunk's
 * place and the last one's are known.
 */
#include "apps/verify/sorted.h"

/* The place in the order of an edge of the file. */
static int cell_of(interval_check *s, edge_piece *p, uint64_t edge, rmat_cell *cell)
{
    int status;

    pieces_range(&s->run.source, edge, edge + 1);
    status = piece_next(&s->run.source, p);
    if (status != EDGEFILE_OK) {
        edge_run_unreadable(&s->run, status);
        return -1;
    }
    *cell = (rmat_cell){edge_id(p->edges.src, 0, p->edges.id_bytes),
                        edge_id(p->edges.dst, 0, p->edges.id_bytes)};
    return 0;
}

static bool below(const rmat_cell *a, const rmat_cell *b)
{
    return a->src < b->src || (a->src == b->src && a->dst < b->dst);
}

/* From the first edge of a range to behind its last one.  *right: they are in that order. */
static int cut_out(interval_check *s, edge_piece *p, const edge_range *range, bool *right)
{
    const rmat_config *m = &s->model->drawn;
    const uint64_t cols = m->cols != 0 ? m->cols : (uint64_t)1 << m->cols_scale;
    rmat_cell first = {0, 0}, last = {s->end.src - 1, cols - 1};

    if ((range->first > 0 && cell_of(s, p, range->first, &first) != 0) ||
        (range->end != s->edges && cell_of(s, p, range->end - 1, &last) != 0)) {
        return -1;
    }
    *right = !below(&last, &first) && last.src < s->end.src && first.dst < cols && last.dst < cols;
    s->cuts.n = 1;
    s->cuts.cells[0] = first;
    s->cuts.cells[1] = check_behind(s, &last);
    return 0;
}

static void note(misplaced_edges *m, const edge_range *range, uint64_t place, uint64_t between,
                 bool counted)
{
    if (m->count++ == 0) {
        m->first = range->first;
        m->edges = range->end - range->first;
        m->place = place;
        m->between = between;
        m->counted = counted;
    }
}

static int look_at_one(interval_check *s, edge_piece *p, const edge_range *range)
{
    const bool unique = s->model->order.unique;
    const rmat_cell begin = {0, 0};
    uint64_t at = range->first, made;
    bool right;

    if (cut_out(s, p, range, &right) != 0) {
        return -1;
    }
    if (!right) {
        note(&s->results->misplaced, range, 0, 0, false);
        return 0;
    }
    if (!unique && range->first > 0 &&
        check_count(s, s->model->order.stream_edges, &begin, s->cuts.cells, &at) != 0) {
        return -1;
    }
    if (check_intervals(s, at, 1, range, &made) != 0) {
        return -1;
    }
    if (at > range->first || at + made < range->end ||
        ((unique || range->end == s->edges) && at + made != range->end)) {
        note(&s->results->misplaced, range, at, made, true);
    }
    return 0;
}

int check_sample(interval_check *s, uint64_t n, const edge_range *ranges)
{
    edge_piece p = {0};
    int failed = 0;

    if (!piece_allocate(&p, &s->run.source)) {
        failed = check_status(s, RMAT_ERR_NOMEM);
    }
    for (uint64_t k = 0; k < n && !failed; k++) {
        failed = look_at_one(s, &p, &ranges[k]);
    }
    piece_free(&p);
    return failed;
}
