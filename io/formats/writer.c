/*
 * writer.c - a writer of any format: its file, what comes before the edges, the pieces, and what
 * comes after them.
 */
#include "io/formats/writer.h"
#include "io/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Writes it at the writer's offset, which moves on; in a group process 0 writes. */
static int append(graphfile_writer *w, graphfile_buffer *b)
{
    const uint64_t offset = w->offset;

    w->offset += graphfile_length(b);
    return graphfile_is_first(w) ? graphfile_write_buffer(w, offset, b) : EDGEFILE_OK;
}

/* Collective.  The header is the same in all processes: process 0 writes it, or, where open()
 * writes the same bytes to places of its own, each of them does. */
static int begin_file(graphfile_writer *w)
{
    const graphfile_write_ops *ops = w->about->write;
    graphfile_buffer b = {0};
    int exact, st = EDGEFILE_OK;

    if (ops->complete == NULL) { /* h5 and csr do it themselves */
        st = graphfile_plain_expect(&w->file, graphfile_most_bytes(&w->spec, &exact));
    }
    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    if (ops->open != NULL) {
        w->opened = true;
        st = ops->open(w);
        /* h5 and csr have agreed in it */
        return ops->complete != NULL ? st : edgefile_group_agree(w->spec.group, st);
    }
    if (w->about->edge_bytes != 0) {
        graphfile_plain_reserve(&w->file, w->about->edge_bytes * w->spec.graph.edges);
    }
    st = ops->header != NULL ? ops->header(w, &b) : EDGEFILE_OK;
    if (st == EDGEFILE_OK) {
        st = append(w, &b);
        w->start = w->offset;
    }
    graphfile_buffer_free(&b);
    return edgefile_group_agree(w->spec.group, st);
}

/* The second file, of a format that has one.  Collective. */
static int create_weights(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;
    const bool replace = w->spec.replace != 0;
    char *name;
    int st;

    if (!(w->about->facts.traits & GRAPHFILE_WEIGHTS_APART)) {
        return EDGEFILE_OK;
    }
    if (asprintf(&name, "%s" GRAPHFILE_WEIGHTS, w->file.name) < 0) {
        name = NULL;
    }
    st = edgefile_group_agree(group, name == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK);
    if (st == EDGEFILE_OK) {
        st = w->spec.graph.weight != EDGEFILE_NO_WEIGHT
                 ? graphfile_plain_create(&w->weights, name, replace, group)
                 : graphfile_plain_absent(&w->weights, name, replace, group);
    }
    free(name);
    return st;
}

static int check_arguments(const char *name, const graphfile_spec *spec)
{
    if (name == NULL || spec == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "name or spec is NULL");
    }
    if (name[0] == '\0') {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the file name is empty");
    }
    if ((unsigned)spec->format >= GRAPHFILE_N_FORMATS) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown format %d", (int)spec->format);
    }
    if (spec->graph.id_bytes != 4 && spec->graph.id_bytes != 8) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "id_bytes is %d, allowed are 4 and 8",
                             spec->graph.id_bytes);
    }
    if ((unsigned)spec->graph.weight > EDGEFILE_WEIGHT_I32) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown weight %d", (int)spec->graph.weight);
    }
    return EDGEFILE_OK;
}

static int check_spec(const graphfile_spec *spec)
{
    EDGEFILE_TRY(graphfile_check(spec->format, &spec->graph));
    EDGEFILE_TRY(graphfile_check_base(spec->format, spec->base));
    return graphfile_table[spec->format]->traits & GRAPHFILE_EDGEFILE ? edgefile_spec_check(spec)
                                                                      : EDGEFILE_OK;
}

/* Standard output, pipes and devices. */
static int check_name(const char *name, const graphfile_spec *spec)
{
    const unsigned traits = graphfile_table[spec->format]->traits;
    struct stat about;

    if (strcmp(name, "-") == 0 && (spec->group != NULL || !(traits & GRAPHFILE_PIPE))) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s cannot be written to standard output%s",
                             graphfile_names[spec->format],
                             spec->group != NULL ? " by several processes" : "");
    }
    if (traits & GRAPHFILE_PIPE && spec->group == NULL && stat(name, &about) == 0 &&
        (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode))) {
        return edgefile_fail(
            EDGEFILE_ERR_OPEN,
            "%s: is %s, expected a regular file or none; '-' writes %s to standard "
            "output, which may be a pipe",
            name, edgefile_kind(about.st_mode), graphfile_names[spec->format]);
    }
    return EDGEFILE_OK;
}

static void free_buffers(graphfile_buffer *list)
{
    while (list != NULL) {
        graphfile_buffer *next = list->next;

        graphfile_buffer_free(list);
        free(list);
        list = next;
    }
}

/* Closes and frees everything, and removes files that were not published. */
static void destroy(graphfile_writer **out)
{
    graphfile_writer *w = *out;
    char detail[1024]; /* of the error that led here, if any */

    snprintf(detail, sizeof detail, "%s", edgefile_detail());
    if (w->opened && w->about->write->close != NULL) {
        w->about->write->close(w);
    }
    graphfile_plain_close(&w->weights);
    graphfile_plain_close(&w->file); /* last: until then its lock keeps others away from both */
    graphfile_drop_kept(w);
    graphfile_drop_shared_pages(w);
    free_buffers(w->spare);
    free_buffers(w->spare_chunks);
    free(w->ends);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->turn);
    free(w);
    *out = NULL;
    edgefile_fail(EDGEFILE_OK, "%s", detail);
}

/* Memory is exhausted: NULL. */
static graphfile_writer *new_writer(const graphfile_spec *spec)
{
    graphfile_writer *w = calloc(1, sizeof *w);

    if (w != NULL) {
        w->spec = *spec;
        w->about = graphfile_descriptors[spec->format];
        w->file.fd = w->file.direct_fd = w->weights.fd = w->weights.direct_fd = -1;
        pthread_mutex_init(&w->lock, NULL);
        pthread_cond_init(&w->turn, NULL);
    }
    return w;
}

int graphfile_create(graphfile_writer **out, const char *name, const graphfile_spec *spec)
{
    const edgefile_group *group = spec == NULL ? NULL : spec->group;
    graphfile_writer *w = NULL;
    int st;

    if (out == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "out is NULL");
    }
    *out = NULL;
    EDGEFILE_TRY(edgefile_group_check(group));
    st = check_arguments(name, spec);
    if (st == EDGEFILE_OK) {
        st = check_spec(spec);
    }
    if (st == EDGEFILE_OK) {
        st = check_name(name, spec);
    }
    if (st == EDGEFILE_OK && (w = new_writer(spec)) == NULL) {
        st = edgefile_no_memory(name);
    }
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_create(&w->file, name, spec->replace != 0, group);
    }
    if (st == EDGEFILE_OK) {
        st = create_weights(w);
    }
    if (st == EDGEFILE_OK) {
        st = begin_file(w);
    }
    if (st != EDGEFILE_OK && w != NULL) {
        destroy(&w);
    }
    *out = w;
    return st;
}

/*
 * Writing: a thread encodes its piece, waits for the piece's place in the file, and
 * writes it there.
 *
 * The place is known when all pieces before are encoded; where every edge has the same number of
 * bytes, at once.  To a pipe, pieces are written one after the other.
 */

#define AHEAD ((uint64_t)256 << 20) /* bytes of disk space that are allocated ahead */

enum { NEWLINES = 1 << 16 };

static int write_newlines(graphfile_writer *w, uint64_t offset, uint64_t count)
{
    char many[NEWLINES];

    memset(many, '\n', sizeof many);
    while (count > 0) {
        size_t n = count < sizeof many ? (size_t)count : sizeof many;

        EDGEFILE_TRY(graphfile_plain_write(&w->file, offset, many, n));
        offset += n;
        count -= n;
    }
    return EDGEFILE_OK;
}

int graphfile_write_buffer(graphfile_writer *w, uint64_t offset, graphfile_buffer *b)
{
    const char *data = graphfile_align(b, offset);
    size_t done = 0;

    for (size_t i = 0; i < b->n_runs; i++) {
        const graphfile_run *run = &b->runs[i];

        EDGEFILE_TRY(graphfile_plain_write(&w->file, offset, data + done, run->at - done));
        offset += run->at - done;
        done = run->at;
        EDGEFILE_TRY(write_newlines(w, offset, run->newlines));
        offset += run->newlines;
    }
    return graphfile_plain_write(&w->file, offset, data + done, b->bytes - done);
}

graphfile_buffer *graphfile_take_buffer(graphfile_writer *w, bool chunk)
{
    graphfile_buffer **list = chunk ? &w->spare_chunks : &w->spare, *b;

    pthread_mutex_lock(&w->lock);
    b = *list;
    if (b != NULL) {
        *list = b->next;
    }
    pthread_mutex_unlock(&w->lock);
    if (b == NULL && (b = calloc(1, sizeof *b)) != NULL) {
        b->is_chunk = chunk;
    }
    return b;
}

void graphfile_give_buffer(graphfile_writer *w, graphfile_buffer *b)
{
    graphfile_buffer **list = b->is_chunk ? &w->spare_chunks : &w->spare;

    graphfile_empty(b);
    pthread_mutex_lock(&w->lock);
    b->next = *list;
    *list = b;
    pthread_mutex_unlock(&w->lock);
}

int graphfile_join(graphfile_writer *w, const graphfile_ends *p, graphfile_buffer *b)
{
    return w->about->write->join != NULL ? w->about->write->join(w, p, b) : EDGEFILE_OK;
}

/* Waits, under the lock, until all earlier pieces have their places; then writes what joins this
 * piece to them. */
static int take_turn(graphfile_writer *w, const graphfile_piece *p)
{
    const graphfile_ends ends = graphfile_ends_of(w, p);
    graphfile_buffer b = {0};
    int st;

    while (w->next != p->number && !w->cancelled) {
        pthread_cond_wait(&w->turn, &w->lock);
    }
    if (w->cancelled) {
        return edgefile_fail(EDGEFILE_ERR_PEER, "cancelled");
    }
    st = graphfile_join(w, &ends, &b);
    if (st == EDGEFILE_OK && graphfile_length(&b) > 0) {
        st = append(w, &b);
    }
    graphfile_buffer_free(&b);
    return st;
}

static int place_piece(graphfile_writer *w, const graphfile_piece *p, graphfile_buffer *b)
{
    const bool pipe = w->file.name == NULL;
    uint64_t offset;
    int st;

    if (w->about->edge_bytes != 0 && !pipe) {
        return graphfile_write_buffer(w, w->start + p->first * w->about->edge_bytes, b);
    }
    pthread_mutex_lock(&w->lock);
    st = take_turn(w, p);
    offset = w->offset;
    w->offset += graphfile_length(b);
    if (st == EDGEFILE_OK && pipe) {
        st = graphfile_write_buffer(w, offset, b);
    } else if (st == EDGEFILE_OK && w->offset > w->file.reserved + AHEAD / 4) {
        graphfile_plain_reserve(&w->file, w->offset + AHEAD);
    }
    w->next++;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
    if (st == EDGEFILE_OK && !pipe) {
        st = graphfile_write_buffer(w, offset, b);
    }
    return st;
}

static int encode_piece(graphfile_writer *w, const graphfile_piece *p)
{
    graphfile_buffer *b = graphfile_take_buffer(w, false);
    int st;

    if (b == NULL) {
        return edgefile_no_memory(NULL);
    }
    st = w->about->write->encode(w, p, b);
    if (st == EDGEFILE_OK && w->spec.group != NULL && w->about->edge_bytes == 0) {
        return graphfile_keep(w, p, b);
    }
    if (st == EDGEFILE_OK) {
        st = place_piece(w, p, b);
    }
    graphfile_give_buffer(w, b);
    return st;
}

int graphfile_write(graphfile_writer *w, const graphfile_piece *p)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    if (!w->about->write->unchecked) {
        EDGEFILE_TRY(graphfile_check_piece(w, p));
    }
    EDGEFILE_TRY(w->about->write->write != NULL ? w->about->write->write(w, p)
                                                : encode_piece(w, p));
    atomic_fetch_add(&w->written, p->count);
    return EDGEFILE_OK;
}

int graphfile_write_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                             const uint64_t *pointers)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    if (w->spec.format != GRAPHFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers",
                             graphfile_name(w));
    }
    return w->about->write->pointers(w, first, count, pointers);
}

size_t graphfile_in_bytes(const graphfile_writer *w)
{
    return w->about->write->in_bytes != NULL ? w->about->write->in_bytes(w) : 0;
}

int graphfile_write_in_pointers(graphfile_writer *w, uint64_t first, uint64_t count,
                                const uint64_t *pointers)
{
    return w->about->write->in_pointers(w, first, count, pointers);
}

int graphfile_write_in_neighbours(graphfile_writer *w, uint64_t first, uint64_t count,
                                  const void *neighbours)
{
    return w->about->write->in_neighbours(w, first, count, neighbours);
}

const char *graphfile_name(const graphfile_writer *w)
{
    return w->file.name != NULL ? w->file.name : "standard output";
}

void graphfile_cancel(graphfile_writer *w)
{
    atomic_store(&w->file.cancelled, true);
    pthread_mutex_lock(&w->lock);
    w->cancelled = true;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
}

/* The end of a writer: its file gets its name, or nothing stays of it. */

/* Are all edges there, and in order? */
static int check_all(const graphfile_writer *w)
{
    EDGEFILE_TRY(graphfile_check_ends(w));
    if (w->kept != NULL) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "the last round has not ended");
    }
    if (atomic_load(&w->written) != w->spec.graph.edges) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%llu of %llu edges were written",
                             (unsigned long long)atomic_load(&w->written),
                             (unsigned long long)w->spec.graph.edges);
    }
    return EDGEFILE_OK;
}

static int finish_files(graphfile_writer *w)
{
    graphfile_buffer b = {0};
    int st;

    if (w->about->write->complete != NULL) {
        return w->about->write->complete(w);
    }
    EDGEFILE_TRY(graphfile_gather(w));
    st = check_all(w);
    if (st == EDGEFILE_OK) {
        st = graphfile_write_shared_pages(w);
    }
    if (st == EDGEFILE_OK && w->about->write->trailer != NULL) {
        st = w->about->write->trailer(w, &b);
    }
    if (st == EDGEFILE_OK && graphfile_length(&b) > 0) {
        st = append(w, &b);
    }
    graphfile_buffer_free(&b);
    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    if (w->about->write->finish != NULL) {
        st = edgefile_group_agree(w->spec.group, w->about->write->finish(w));
    }
    return st;
}

void graphfile_abort(graphfile_writer **out)
{
    if (out != NULL && *out != NULL) {
        destroy(out);
    }
}

int graphfile_commit(graphfile_writer **out, graphfile_committed *done)
{
    graphfile_writer *w;
    int st;

    if (out == NULL || *out == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    w = *out;
    st = edgefile_group_agree(w->spec.group, EDGEFILE_OK); /* does any process give up? */
    if (st == EDGEFILE_OK) {
        st = finish_files(w);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_publish(
            &w->file, w->about->facts.traits & GRAPHFILE_WEIGHTS_APART ? &w->weights : NULL);
    }
    if (st == EDGEFILE_OK && w->about->write->complete == NULL) {
        w->committed.bytes = atomic_load(&w->file.end);
    }
    if (st == EDGEFILE_OK && done != NULL) {
        *done = w->committed;
    }
    destroy(out);
    return st;
}
