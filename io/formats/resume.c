/*
 * resume.c - files that are written from their beginning to their end, interrupted and continued,
 * and what an earlier run left of any file (graphfile_missing() and those after it).
 *
 * Pieces are placed one after another, but threads finish them in any order.  What counts is how
 * far the file is without a gap: so many pieces, edges and bytes.  Now and then that is recorded
 * (io/resume/record.h), after the file was synced, with a checksum of everything behind the header:
 * it is made of those of the pieces, which are computed while their bytes are in memory.  A later
 * run reads what there is once, to see that it has the checksum, cuts the file off there and goes
 * on with the next piece.
 *
 * Several processes know how far they are at the end of a round, when all agree.
 */
#include "io/resume/resume.h"
#include "io/formats/writer.h"
#include "io/resume/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READ_BYTES = 1 << 20 };

/* A piece that is written before an earlier one; of a group, one of this process's in a round. */
typedef struct {
    uint64_t number, edges, bytes; /* edges and bytes of the file up to its end */
    graphfile_sum sum;
} early_piece;

struct graphfile_progress {
    double seconds, next; /* between records; time of the next one */
    pthread_mutex_t lock; /* guards what follows */
    bool busy;            /* a thread is recording */
    edgefile_record now;
    uint64_t pieces; /* without a gap; now.place_edges and place_bytes go with them */
    early_piece *early;
    size_t n_early, room;
};

static double clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool graphfile_is_resumable(const graphfile_descriptor *about)
{
    const graphfile_write_ops *ops = about->write;

    return ops->keep != NULL ||
           (ops->encode != NULL && ops->open == NULL && ops->join == NULL && ops->n_beside == 0 &&
            ops->finish == NULL && !(about->facts.traits & GRAPHFILE_NEEDS_SORTED));
}

int graphfile_check_resume(graphfile_format format)
{
    return graphfile_is_resumable(graphfile_descriptors[format])
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_ARG, "files in the format %s cannot be resumed",
                               graphfile_names[format]);
}

/* One line that says which file it is, beside its first bytes; the caller frees it. */
static char *identity(const graphfile_spec *s)
{
    const graphfile_graph *g = &s->graph;
    char *text;

    if (asprintf(&text,
                 "%s rows %" PRIu64 " cols %" PRIu64 " edges %" PRIu64 " ids %d weights %d "
                 "base %u made by %s",
                 graphfile_names[s->format], g->rows, g->cols, g->edges, g->id_bytes,
                 (int)g->weight, s->base, s->comment != NULL ? s->comment : "-") < 0) {
        return NULL;
    }
    for (char *p = text; *p != '\0'; p++) {
        *p = (char)(*p == '\n' ? ' ' : *p);
    }
    return text;
}

static int create_progress(graphfile_writer *w)
{
    struct graphfile_progress *p = calloc(1, sizeof *p);

    w->progress = p;
    if (p == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    pthread_mutex_init(&p->lock, NULL);
    p->seconds = w->spec.record_seconds;
    p->next = clock_now() + p->seconds;
    EDGEFILE_TRY(edgefile_record_init(&p->now, 1));
    p->now.graph = identity(&w->spec);
    return p->now.graph != NULL ? EDGEFILE_OK : edgefile_no_memory(w->file.name);
}

/* On process 0: takes over the record that an earlier run left, if there is one and it is of this
 * graph. */
static int find_record(graphfile_writer *w)
{
    struct graphfile_progress *p = w->progress;
    edgefile_record old;
    bool found;
    int st = edgefile_record_read(&old, w->file.partial, &found);

    if (st != EDGEFILE_OK || !found) {
        edgefile_record_free(&old);
        return st;
    }
    if (old.graph == NULL || strcmp(old.graph, p->now.graph) != 0 || old.n_parts != 1) {
        st = edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: was begun by a different command and cannot be resumed. A run without resume "
            "replaces it",
            w->file.partial);
    }
    if (st == EDGEFILE_OK) {
        edgefile_record_free(&p->now);
        p->now = old;
        p->pieces = old.place_pieces;
    } else {
        edgefile_record_free(&old);
    }
    return st;
}

static int cut_off(const graphfile_writer *w, uint64_t bytes)
{
    return ftruncate(w->file.fd, (off_t)bytes) == 0
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", w->file.partial);
}

int graphfile_progress_begin(graphfile_writer *w)
{
    struct graphfile_progress *p;
    uint64_t place[3];
    int st = create_progress(w);

    p = w->progress;
    if (st == EDGEFILE_OK && !w->file.attached && w->file.kept) {
        st = find_record(w);
    }
    if (st == EDGEFILE_OK && !w->file.attached && p->pieces == 0) {
        st = edgefile_record_remove(w->file.partial, true);
    }
    if (st == EDGEFILE_OK && !w->file.attached && p->pieces == 0) {
        st = cut_off(w, 0);
    }
    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    memcpy(place, (uint64_t[]){p->pieces, p->now.place_edges, p->now.place_bytes}, sizeof place);
    edgefile_group_broadcast(w->spec.group, place, sizeof place);
    p->pieces = place[0];
    p->now.place_edges = place[1];
    p->now.place_bytes = place[2];
    w->resumed = place[1];
    if (!w->file.attached) { /* the others' sums count it once */
        atomic_store(&w->written, place[1]);
        atomic_store(&w->pieces, place[0]);
    }
    w->next = place[0];
    atomic_store(&w->file.end, place[2]);
    return EDGEFILE_OK;
}

/* The checksum of bytes behind those whose checksum is `sum`: a polynomial in FACTOR modulo 2^32,
 * of which those of two stretches can be put together. */
#define FACTOR ((uint32_t)0x01000193)

static uint32_t add_bytes(uint32_t sum, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++) {
        sum = sum * FACTOR + at[i] + 1;
    }
    return sum;
}

static uint32_t put_together(uint32_t sum, graphfile_sum next)
{
    uint32_t factor = FACTOR;

    for (uint64_t n = next.bytes; n > 0; n >>= 1) {
        sum *= n & 1 ? factor : 1;
        factor *= factor;
    }
    return sum + next.sum;
}

/* Does the file have the checksum of the record, from `at` on? */
static int check_kept(const graphfile_writer *w, uint64_t at)
{
    const edgefile_record *r = &w->progress->now;
    uint32_t sum = 0;
    unsigned char *data = malloc(READ_BYTES);
    int st = data != NULL ? EDGEFILE_OK : edgefile_no_memory(w->file.name);

    while (st == EDGEFILE_OK && at < r->place_bytes) {
        const uint64_t left = r->place_bytes - at;
        const uint64_t bytes = left < READ_BYTES ? left : READ_BYTES;

        if (edgefile_get(w->file.fd, at, bytes, data) != bytes) {
            break;
        }
        sum = add_bytes(sum, data, bytes);
        at += bytes;
    }
    free(data);
    if (st == EDGEFILE_OK && (at < r->place_bytes || sum != r->place_crc)) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: the first %" PRIu64 " bytes are not those that were written; a run "
                           "that does not resume replaces them",
                           w->file.partial, r->place_bytes);
    }
    return st;
}

int graphfile_progress_header(graphfile_writer *w, graphfile_buffer *header)
{
    const size_t bytes = (size_t)graphfile_length(header);
    char *have = malloc(bytes + 1);
    int st = EDGEFILE_OK;

    if (have == NULL) {
        return edgefile_no_memory(w->file.name);
    }
    if (edgefile_get(w->file.fd, 0, bytes, have) != bytes ||
        (bytes > 0 && memcmp(have, graphfile_align(header, 0), bytes) != 0)) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: was changed, or begun by a different command, and cannot be "
                           "resumed: its beginning "
                           "differs. A run without resume replaces it",
                           w->file.partial);
    }
    free(have);
    if (st == EDGEFILE_OK && graphfile_is_first(w)) {
        st = check_kept(w, bytes);
        st = st == EDGEFILE_OK ? cut_off(w, w->progress->now.place_bytes) : st;
    }
    w->start = bytes;
    w->offset = w->progress->now.place_bytes;
    return st;
}

static int sync_file(const graphfile_writer *w)
{
    return fdatasync(w->file.fd) == 0 ? EDGEFILE_OK
                                      : edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO),
                                                      "%s: sync: %m", w->file.partial);
}

/* A copy of the record is taken, the file synced, and the copy recorded. */
static int record_now(graphfile_writer *w)
{
    struct graphfile_progress *p = w->progress;
    edgefile_record copy;
    int st = edgefile_record_init(&copy, 1);

    if (st == EDGEFILE_OK) {
        pthread_mutex_lock(&p->lock);
        st = edgefile_record_merge(&copy, &p->now);
        copy.graph = strdup(p->now.graph);
        copy.place_pieces = p->pieces;
        pthread_mutex_unlock(&p->lock);
    }
    if (st == EDGEFILE_OK) {
        st = copy.graph != NULL ? sync_file(w) : edgefile_no_memory(w->file.name);
    }
    if (st == EDGEFILE_OK && copy.place_pieces > 0) {
        st = edgefile_record_write(&copy, w->file.partial, 0);
    }
    edgefile_record_free(&copy);
    return st;
}

static int keep_early(struct graphfile_progress *p, const early_piece *piece)
{
    if (p->n_early == p->room) {
        const size_t room = p->room > 0 ? 2 * p->room : 16;
        early_piece *early = realloc(p->early, room * sizeof *early);

        if (early == NULL) {
            return edgefile_no_memory(NULL);
        }
        p->early = early;
        p->room = room;
    }
    p->early[p->n_early++] = *piece;
    return EDGEFILE_OK;
}

/* The checksum of what there is and of what follows it. */
static void add_sum(struct graphfile_progress *p, graphfile_sum sum)
{
    p->now.place_crc = put_together(p->now.place_crc, sum);
}

static void go_on(struct graphfile_progress *p, const early_piece *piece)
{
    add_sum(p, piece->sum);
    p->pieces = piece->number + 1;
    p->now.place_edges = piece->edges;
    p->now.place_bytes = piece->bytes;
}

/* Under the lock: there are about as many early pieces as threads. */
static void take_early(struct graphfile_progress *p)
{
    for (size_t i = 0; i < p->n_early;) {
        if (p->early[i].number == p->pieces) {
            go_on(p, &p->early[i]);
            p->early[i] = p->early[--p->n_early];
            i = 0;
        } else {
            i++;
        }
    }
}

graphfile_sum graphfile_progress_sum(const graphfile_writer *w, const graphfile_buffer *b)
{
    return (graphfile_sum){w->progress != NULL ? add_bytes(0, b->data, b->bytes) : 0, b->bytes};
}

int graphfile_progress_piece(graphfile_writer *w, const graphfile_piece *piece, uint64_t end,
                             graphfile_sum sum)
{
    struct graphfile_progress *p = w->progress;
    const early_piece written = {piece->number, piece->first + piece->count, end, sum};
    int st = EDGEFILE_OK;
    bool due;

    if (p == NULL) {
        return EDGEFILE_OK;
    }
    pthread_mutex_lock(&p->lock);
    if (w->spec.group == NULL && piece->number == p->pieces) {
        go_on(p, &written);
        take_early(p);
    } else {
        st = keep_early(p, &written);
    }
    due = st == EDGEFILE_OK && w->spec.group == NULL && !p->busy && p->seconds > 0 &&
          clock_now() >= p->next;
    p->busy |= due;
    pthread_mutex_unlock(&p->lock);
    if (due) {
        st = record_now(w);
        pthread_mutex_lock(&p->lock);
        p->busy = false;
        p->next = clock_now() + p->seconds;
        pthread_mutex_unlock(&p->lock);
    }
    return st;
}

static int compare_numbers(const void *a, const void *b)
{
    const early_piece *x = a, *y = b;

    return (x->number > y->number) - (x->number < y->number);
}

/* The pieces of a round: those of a process follow those of the lower rank.  Collective. */
static int add_round(const graphfile_writer *w)
{
    struct graphfile_progress *p = w->progress;
    const edgefile_group *group = w->spec.group;
    uint64_t *all = calloc(2 * (size_t)group->size, sizeof *all);
    struct graphfile_progress mine = {.n_early = 0};
    uint64_t bytes = 0;
    int st = all == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK;

    if (p->n_early > 1) {
        qsort(p->early, p->n_early, sizeof *p->early, compare_numbers);
    }
    for (size_t i = 0; i < p->n_early; i++) {
        add_sum(&mine, p->early[i].sum);
        bytes += p->early[i].sum.bytes;
    }
    p->n_early = 0;
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        edgefile_group_gather(group, mine.now.place_crc, all);
        edgefile_group_gather(group, bytes, all + group->size);
        for (int k = 0; k < group->size; k++) {
            add_sum(p, (graphfile_sum){(uint32_t)all[k], all[group->size + k]});
        }
    }
    free(all);
    return st;
}

int graphfile_progress_round(graphfile_writer *w)
{
    struct graphfile_progress *p = w->progress;
    uint64_t sums[3] = {atomic_load(&w->written), atomic_load(&w->pieces), 0};
    int st = EDGEFILE_OK;

    if (p == NULL) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(add_round(w));
    sums[2] = graphfile_is_first(w) && p->seconds > 0 && clock_now() >= p->next;
    edgefile_group_sum(w->spec.group, sums, 3);
    p->now.place_edges = sums[0];
    p->pieces = sums[1];
    p->now.place_bytes =
        w->about->edge_bytes != 0 ? w->start + sums[0] * w->about->edge_bytes : w->offset;
    if (sums[2] > 0) {
        EDGEFILE_TRY(edgefile_group_agree(w->spec.group, sync_file(w)));
        st = graphfile_is_first(w) ? record_now(w) : EDGEFILE_OK;
        p->next = clock_now() + p->seconds;
    }
    return st;
}

int graphfile_progress_save(graphfile_writer *w)
{
    return w->progress != NULL && graphfile_is_first(w) ? record_now(w) : EDGEFILE_OK;
}

void graphfile_progress_end(graphfile_writer *w)
{
    struct graphfile_progress *p = w->progress;

    if (p != NULL) {
        edgefile_record_free(&p->now);
        pthread_mutex_destroy(&p->lock);
        free(p->early);
        free(p);
        w->progress = NULL;
    }
}

/* --- What an earlier run left, of these files and of HDF5 files --- */

/* NULL: an earlier run has left nothing, or the format has no such record. */
static const edgefile_output *resumed_output(const graphfile_writer *g)
{
    const edgefile_output *w = g->about->write == &graphfile_edgefile_write ? g->state : NULL;

    return w != NULL && w->prior != NULL ? w : NULL;
}

void graphfile_missing(const graphfile_writer *g, uint64_t *first, uint64_t *count)
{
    const edgefile_output *w = resumed_output(g);

    if (w != NULL) {
        edgefile_extents_missing(&w->prior->parts[edgefile_part_of(w, *first)].edges, first, count);
    } else if (g->about->write != &graphfile_edgefile_write && *first < g->resumed) {
        const uint64_t known = g->resumed - *first < *count ? g->resumed - *first : *count;

        *first += known;
        *count -= known;
    }
}

int graphfile_has_edges(const graphfile_writer *g, uint64_t first, uint64_t count)
{
    const edgefile_output *w = resumed_output(g);
    uint64_t known = 0;

    for (int k = 0; w != NULL && k < w->n_parts; k++) {
        known += edgefile_extents_within(&w->prior->parts[k].edges, first, first + count);
    }
    return known == count;
}

int graphfile_has_pointers(const graphfile_writer *g, uint64_t first, uint64_t count)
{
    const edgefile_output *w = resumed_output(g);
    uint64_t known = 0, all = 0;

    if (w == NULL || count == 0) {
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

int graphfile_mark(graphfile_writer *g, uint64_t row, uint64_t col, uint64_t edge)
{
    return g->about->write == &graphfile_edgefile_write
               ? edgefile_recorder_mark(g->state, row, col, edge)
               : EDGEFILE_OK;
}

int graphfile_marked(const graphfile_writer *g, uint64_t row, uint64_t col, uint64_t *edge)
{
    const edgefile_output *w = resumed_output(g);

    for (size_t i = 0; w != NULL && i < w->prior->n_marks; i++) {
        const struct edgefile_mark *m = &w->prior->marks[i];

        if (m->row == row && m->col == col) {
            *edge = m->edge;
            return 1;
        }
    }
    return 0;
}
