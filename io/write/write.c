/* write.c - hands edges to the part that they belong to. */
#include "io/private.h"
#include "io/resume/record.h"
#include "io/resume/resume.h"

/* Opens a shard of another process when this process first writes edges to it. */
static int make_ready(edgefile_writer *w, int k)
{
    edgefile_part *p = &w->parts[k];
    int st = EDGEFILE_OK;

    if (atomic_load(&p->ready)) {
        return EDGEFILE_OK;
    }
    if (w->ops == &edgefile_hdf5_ops) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "%s: shard %d belongs to another process, and HDF5 allows only one writer of a file",
            w->partial, k);
    }
    pthread_mutex_lock(&w->joining);
    if (!atomic_load(&p->ready)) {
        st = edgefile_part_attach(w, k, NULL);
        if (st == EDGEFILE_OK) {
            st = edgefile_part_begin(w, k);
        }
        if (st != EDGEFILE_OK) {
            edgefile_part_close(w, p);
        }
    }
    pthread_mutex_unlock(&w->joining);
    return st;
}

static int check_range(const edgefile_writer *w, const char *what, uint64_t first, uint64_t count,
                       uint64_t length)
{
    if (first < w->parts[0].start) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %s at %llu, the shard begins at %llu",
                             w->partial, what, (unsigned long long)first,
                             (unsigned long long)w->parts[0].start);
    }
    if (first > length || count > length - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu %s at %llu, the file has %llu",
                             w->partial, (unsigned long long)count, what, (unsigned long long)first,
                             (unsigned long long)length);
    }
    return EDGEFILE_OK;
}

int edgefile_write(edgefile_writer *w, uint64_t first, uint64_t count, const void *src,
                   const void *dst, const void *weight, uint64_t fingerprint)
{
    const void *const data[EDGEFILE_N_DATASETS] = {src, dst, weight};
    edgefile_part *p;
    int k, st;

    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    st = check_range(w, "edges", first, count, w->edges);
    if (st != EDGEFILE_OK || count == 0) {
        return st;
    }
    if (w->schema.format == EDGEFILE_CSR && src != NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL", w->partial);
    }
    if ((w->schema.format == EDGEFILE_EDGES && src == NULL) || dst == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if ((weight == NULL) != (w->schema.weight == EDGEFILE_NO_WEIGHT)) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             weight == NULL ? "%s: has weights, but weight is NULL"
                                            : "%s: has no weights, but weight is not NULL",
                             w->partial);
    }
    k = edgefile_part_of(w, first);
    p = &w->parts[k];
    if (count > p->start + p->edges - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges at %llu reach beyond shard %d",
                             w->partial, (unsigned long long)count, (unsigned long long)first, k);
    }
    EDGEFILE_TRY(make_ready(w, k));
    EDGEFILE_TRY(w->ops->write(w, p, first - p->start, count, data));
    atomic_fetch_add(&p->written, count);
    atomic_fetch_add(&p->fingerprint, fingerprint);
    return edgefile_recorder_add_edges(w, k, first, count, fingerprint);
}

/* What of the pointers belongs to part k. */
static int write_part_of_pointers(edgefile_writer *w, int k, uint64_t first, uint64_t count,
                                  const uint64_t *pointers)
{
    edgefile_part *p = &w->parts[k];
    const uint64_t begin = first > p->first_row ? first : p->first_row;
    const uint64_t last = p->first_row + p->rows; /* a row's end is a pointer, too */
    const uint64_t n = (last < first + count - 1 ? last : first + count - 1) - begin + 1;
    const void *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] =
                                                       pointers + (begin - first)};
    uint64_t known; /* that an earlier run left: where two parts meet, one may have it */

    EDGEFILE_TRY(make_ready(w, k));
    EDGEFILE_TRY(w->ops->write(w, p, begin - p->first_row, n, data));
    known = w->prior != NULL
                ? edgefile_extents_within(&w->prior->parts[k].pointers, begin, begin + n)
                : 0;
    atomic_fetch_add(&p->pointers, n - known);
    return edgefile_recorder_add_pointers(w, k, begin, n);
}

int edgefile_write_pointers(edgefile_writer *w, uint64_t first, uint64_t count,
                            const uint64_t *pointers)
{
    int st;

    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    if (w->schema.format != EDGEFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers", w->partial);
    }
    st = check_range(w, "pointers", first, count, w->schema.rows + 1);
    if (st != EDGEFILE_OK || count == 0) {
        return st;
    }
    if (pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    for (int k = edgefile_part_of_pointer(w, first);
         k < w->n_parts && w->parts[k].first_row < first + count; k++) {
        EDGEFILE_TRY(write_part_of_pointers(w, k, first, count, pointers));
    }
    return EDGEFILE_OK;
}

void edgefile_missing(const edgefile_writer *w, uint64_t *first, uint64_t *count)
{
    if (w->prior != NULL) {
        edgefile_extents_missing(&w->prior->parts[edgefile_part_of(w, *first)].edges, first, count);
    }
}

int edgefile_has_edges(const edgefile_writer *w, uint64_t first, uint64_t count)
{
    uint64_t known = 0;

    for (int k = 0; k < w->n_parts && w->prior != NULL; k++) {
        known += edgefile_extents_within(&w->prior->parts[k].edges, first, first + count);
    }
    return known == count;
}

int edgefile_has_pointers(const edgefile_writer *w, uint64_t first, uint64_t count)
{
    uint64_t known = 0, all = 0;

    if (w->prior == NULL || count == 0) {
        return count == 0;
    }
    for (int k = edgefile_part_of_pointer(w, first);
         k < w->n_parts && w->parts[k].first_row < first + count; k++) {
        const edgefile_part *p = &w->parts[k];
        const uint64_t begin = first > p->first_row ? first : p->first_row;
        const uint64_t last = p->first_row + p->rows + 1; /* a row's end is a pointer, too */
        const uint64_t end = last < first + count ? last : first + count;

        all += end - begin;
        known += edgefile_extents_within(&w->prior->parts[k].pointers, begin, end);
    }
    return known == all;
}

int edgefile_mark(edgefile_writer *w, uint64_t row, uint64_t col, uint64_t edge)
{
    return edgefile_recorder_mark(w, row, col, edge);
}

int edgefile_marked(const edgefile_writer *w, uint64_t row, uint64_t col, uint64_t *edge)
{
    for (size_t i = 0; w->prior != NULL && i < w->prior->n_marks; i++) {
        const struct edgefile_mark *m = &w->prior->marks[i];

        if (m->row == row && m->col == col) {
            *edge = m->edge;
            return 1;
        }
    }
    return 0;
}

uint64_t edgefile_resumed(const edgefile_writer *w)
{
    uint64_t edges = 0;

    for (int k = 0; k < w->n_parts && w->prior != NULL; k++) {
        edges += edgefile_extents_within(&w->prior->parts[k].edges, 0, UINT64_MAX);
    }
    return edges;
}

int edgefile_end_round(edgefile_writer *w)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    return w->size == 1 || w->ops->end_round == NULL ? EDGEFILE_OK : w->ops->end_round(w);
}

edgefile_path edgefile_used_path(const edgefile_writer *w)
{
    return w->path;
}

edgefile_layout edgefile_used_layout(const edgefile_writer *w)
{
    return w->layout;
}
