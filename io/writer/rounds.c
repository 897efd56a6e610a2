/*
 * rounds.c - several processes write one file.
 *
 * The place of a piece depends on the bytes of all pieces before it, including those of other
 * processes.  So pieces are written in rounds.  In a round each process encodes the pieces of
 * consecutive edges and keeps them.  At its end the processes exchange the numbers of their bytes
 * and the rows of their last edges.  Each then writes its pieces after those of lower ranks.
 * Formats that know the place of every edge write their pieces immediately.
 */
#include "io/writer.h"

#include <stdlib.h>
#include <string.h>

typedef struct graphfile_kept {
    uint64_t number;
    graphfile_ends ends;
    graphfile_buffer *bytes;
    struct graphfile_kept *next; /* in the order of numbers */
} graphfile_kept;

int graphfile_keep(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    graphfile_kept *made = malloc(sizeof *made), **at = &w->kept;

    if (made == NULL) {
        graphfile_give_buffer(w, b);
        return edgefile_no_memory(NULL);
    }
    *made = (graphfile_kept){.number = p->number, .ends = graphfile_ends_of(w, p), .bytes = b};
    pthread_mutex_lock(&w->lock);
    while (*at != NULL && (*at)->number < p->number) {
        at = &(*at)->next;
    }
    made->next = *at;
    *at = made;
    pthread_mutex_unlock(&w->lock);
    return EDGEFILE_OK;
}

void graphfile_drop_kept(graphfile_writer *w)
{
    while (w->kept != NULL) {
        graphfile_kept *first = w->kept;

        w->kept = first->next;
        graphfile_give_buffer(w, first->bytes);
        free(first);
    }
}

/* Finds two rows: that of the last edge before those of this process, and that of the last edge of
 * all processes.  If this round has no such edge, it is the last row of the previous round. */
static int share_rows(const graphfile_writer *w, uint64_t *before, uint64_t *last)
{
    const edgefile_group *group = w->spec.group;
    uint64_t *rows = calloc((size_t)group->size, sizeof *rows), mine = 0;
    int st = rows == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK;

    for (const graphfile_kept *k = w->kept; k != NULL; k = k->next) {
        mine = k->ends.count > 0 ? k->ends.last_src + 1 : mine;
    }
    *before = *last = w->row;
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        edgefile_group_gather(group, mine, rows);
        for (int k = 0; k < group->size; k++) {
            if (rows[k] > 0) {
                *before = k < group->rank ? rows[k] - 1 : *before;
                *last = rows[k] - 1;
            }
        }
    }
    free(rows);
    return st;
}

/* The kept pieces and the bytes that join them; *bytes is their total. */
static int join_kept(graphfile_writer *w, graphfile_buffer *joins, uint64_t *bytes)
{
    *bytes = 0;
    for (const graphfile_kept *k = w->kept; k != NULL; k = k->next) {
        EDGEFILE_TRY(graphfile_join(w, &k->ends, joins));
        *bytes += graphfile_length(joins++) + graphfile_length(k->bytes);
    }
    return EDGEFILE_OK;
}

static int write_kept(graphfile_writer *w, graphfile_buffer *joins, uint64_t offset)
{
    for (const graphfile_kept *k = w->kept; k != NULL; k = k->next) {
        EDGEFILE_TRY(graphfile_write_buffer(w, offset, joins));
        offset += graphfile_length(joins++);
        EDGEFILE_TRY(graphfile_write_buffer(w, offset, k->bytes));
        offset += graphfile_length(k->bytes);
    }
    return EDGEFILE_OK;
}

static int place_kept(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    uint64_t n = 0, last, mine = 0, before, all;
    graphfile_buffer *joins;
    int st;

    for (const graphfile_kept *k = w->kept; k != NULL; k = k->next) {
        n++;
    }
    joins = calloc(n + 1, sizeof *joins);
    st = joins == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK;
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        st = share_rows(w, &before, &last);
    }
    if (st == EDGEFILE_OK) {
        w->row = before;
        st = edgefile_group_agree(group, join_kept(w, joins, &mine));
        w->row = last;
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_group_share(group, w->file.name, mine, &before, &all);
    }
    if (st == EDGEFILE_OK) {
        st = write_kept(w, joins, w->offset + before);
        w->offset += all;
    }
    for (uint64_t i = 0; joins != NULL && i < n; i++) {
        graphfile_buffer_free(&joins[i]);
    }
    free(joins);
    graphfile_drop_kept(w);
    return st;
}

int graphfile_end_round(graphfile_writer *w)
{
    int st = EDGEFILE_OK;

    if (w->spec.group == NULL) {
        return EDGEFILE_OK;
    }
    if (w->about->encode != NULL && w->about->encode->edge_bytes == 0) {
        st = place_kept(w);
    }
    return edgefile_group_agree(w->spec.group, st);
}

/* The ends of all pieces: one process knows each, and the others have zeros. */
static int gather_ends(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    enum { WORDS = sizeof *w->ends / sizeof(uint64_t) };
    uint64_t n = 0, *counts = calloc((size_t)group->size, sizeof *counts);
    graphfile_ends *ends;
    int st = counts == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK;

    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        edgefile_group_gather(group, w->n_ends, counts);
        for (int k = 0; k < group->size; k++) {
            n = counts[k] > n ? counts[k] : n;
        }
    }
    free(counts);
    if (st != EDGEFILE_OK || n == 0) {
        return st;
    }
    ends = realloc(w->ends, n * sizeof *ends);
    st = edgefile_group_agree(group, ends == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK);
    if (ends != NULL) {
        memset(ends + w->n_ends, 0, (n - w->n_ends) * sizeof *ends);
        w->ends = ends;
        w->n_ends = n;
    }
    if (st == EDGEFILE_OK) {
        edgefile_group_sum(group, (uint64_t *)(void *)w->ends, n * WORDS);
    }
    return st;
}

int graphfile_gather(graphfile_writer *w)
{
    _Atomic uint64_t *const sums[] = {&w->written, &w->fingerprint, &w->part[0].written,
                                      &w->part[1].written, &w->part[2].written};
    enum { N = sizeof sums / sizeof *sums };
    uint64_t values[N];

    if (w->spec.group == NULL) {
        return EDGEFILE_OK;
    }
    for (int i = 0; i < N; i++) {
        values[i] = atomic_load(sums[i]);
    }
    edgefile_group_sum(w->spec.group, values, N);
    for (int i = 0; i < N; i++) {
        atomic_store(sums[i], values[i]);
    }
    return gather_ends(w);
}
