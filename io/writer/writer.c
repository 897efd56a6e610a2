/*
 * writer.c - the life of a writer of any format: create, write, commit or abort.
 *
 * All processes of a group go through the same steps.  They agree after each step that can fail, so
 * that none waits for one that gave up.
 *
 * A crash leaves no file that claims to be complete and is not.  A format's finish syncs its edges
 * before it marks the file complete, and the file is renamed only after all of it is synced.
 */
#include "io/writer.h"
#include "io/hdf5.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Creating. */

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

/* *out: a writer without a file. */
static int new_writer(graphfile_writer **out, const char *name, const graphfile_spec *spec)
{
    graphfile_writer *w;

    EDGEFILE_TRY(check_arguments(name, spec));
    EDGEFILE_TRY(graphfile_check(spec->format, &spec->graph));
    EDGEFILE_TRY(edgefile_attrs_check(spec));
    if (strcmp(name, "-") == 0 &&
        (spec->group != NULL || !(graphfile_table[spec->format]->traits & GRAPHFILE_PIPE))) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s cannot be written to standard output%s",
                             graphfile_names[spec->format],
                             spec->group != NULL ? " by several processes" : "");
    }
    w = calloc(1, sizeof *w);
    if (w == NULL) {
        return edgefile_no_memory(name);
    }
    w->spec = *spec;
    w->about = graphfile_descriptors[spec->format];
    w->file.fd = w->file.direct_fd = w->weights.fd = w->weights.direct_fd = -1;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->turn, NULL);
    *out = w;
    return EDGEFILE_OK;
}

/* The second file, of a format that has one. */
static int create_weights(graphfile_writer *w)
{
    const graphfile_spec *s = &w->spec;
    char *name;
    int st;

    if (!(w->about->facts.traits & GRAPHFILE_WEIGHTS_APART)) {
        return EDGEFILE_OK;
    }
    if (asprintf(&name, "%s" GRAPHFILE_WEIGHTS, w->file.name) < 0) {
        name = NULL;
    }
    st = edgefile_group_agree(s->group,
                              name == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK);
    if (st == EDGEFILE_OK) {
        st = s->graph.weight != EDGEFILE_NO_WEIGHT
                 ? io_file_create(&w->weights, name, s->replace != 0, s->buffered != 0, s->group)
                 : io_file_absent(&w->weights, name, s->replace != 0, s->group);
    }
    free(name);
    return st;
}

/* Writes the bytes before the edges. */
static int begin_file(graphfile_writer *w)
{
    const edgefile_group *group = w->spec.group;

    EDGEFILE_TRY(edgefile_group_agree(
        group, io_partial_room(&w->file, graphfile_most_bytes(&w->spec, NULL))));
    if (w->about->place == NULL) {
        return edgefile_group_agree(group, graphfile_encode_header(w));
    }
    w->opened = true;
    return edgefile_group_agree(group, w->about->place->open(w));
}

/* Closes and frees everything, and removes files that were not published. */
static void destroy(graphfile_writer **out)
{
    graphfile_writer *w = *out;
    char detail[1024]; /* of the earlier error, if any */

    snprintf(detail, sizeof detail, "%s", edgefile_detail());
    if (w->opened && w->about->place->close != NULL) {
        w->about->place->close(w);
    }
    io_file_close(&w->weights);
    io_file_close(&w->file); /* last: until then its lock keeps other writers from both files */
    graphfile_drop_kept(w);
    graphfile_drop_shared_pages(w);
    while (w->spare != NULL) {
        graphfile_buffer *b = w->spare;

        w->spare = b->next;
        graphfile_buffer_free(b);
        free(b);
    }
    free(w->ends);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->turn);
    free(w);
    *out = NULL;
    edgefile_fail(EDGEFILE_OK, "%s", detail);
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
    st = edgefile_group_agree(group, new_writer(&w, name, spec));
    if (st == EDGEFILE_OK) {
        st = io_file_create(&w->file, name, spec->replace != 0, spec->buffered != 0, group);
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

const char *graphfile_name(const graphfile_writer *w)
{
    return w->file.name != NULL ? w->file.name : "standard output";
}

/* Writing. */

int graphfile_write(graphfile_writer *w, const graphfile_piece *p)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    EDGEFILE_TRY(graphfile_check_piece(w, p));
    EDGEFILE_TRY(w->about->place != NULL ? w->about->place->piece(w, p)
                                         : graphfile_encode_piece(w, p));
    atomic_fetch_add(&w->written, p->count);
    atomic_fetch_add(&w->fingerprint, p->fingerprint);
    return EDGEFILE_OK;
}

static const char *const part_names[] = {"pointers", "in-pointers", "in-neighbors"};

int graphfile_write_part(graphfile_writer *w, graphfile_part part, uint64_t first, uint64_t count,
                         const void *elements)
{
    graphfile_part_place *x;

    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    x = &w->part[part];
    if (x->width == 0) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: has no %s", graphfile_name(w),
                             part_names[part]);
    }
    EDGEFILE_TRY(
        edgefile_range_check(graphfile_name(w), part_names[part], first, count, x->length));
    if (count == 0) {
        return EDGEFILE_OK;
    }
    if (elements == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s is NULL", part_names[part]);
    }
    EDGEFILE_TRY(graphfile_write_chunk(w, &w->file, x->offset + first * x->width, elements,
                                       count * x->width));
    atomic_fetch_add(&x->written, count);
    return EDGEFILE_OK;
}

size_t graphfile_in_bytes(const graphfile_writer *w)
{
    return w->part[GRAPHFILE_IN_NEIGHBORS].width;
}

void graphfile_cancel(graphfile_writer *w)
{
    atomic_store(&w->file.cancelled, true);
    pthread_mutex_lock(&w->lock);
    w->cancelled = true;
    pthread_cond_broadcast(&w->turn);
    pthread_mutex_unlock(&w->lock);
}

/* The end of a writer: its file is renamed, or removed. */

static int check_count(const graphfile_writer *w, const char *what, uint64_t written,
                       uint64_t expected)
{
    return written == expected
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu %s were written, expected %llu",
                               graphfile_name(w), (unsigned long long)written, what,
                               (unsigned long long)expected);
}

/* Checks that all edges are there, and in order. */
static int check_all(const graphfile_writer *w)
{
    EDGEFILE_TRY(graphfile_check_ends(w));
    if (w->kept != NULL) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "the last round has not ended");
    }
    EDGEFILE_TRY(check_count(w, "edges", atomic_load(&w->written), w->spec.graph.edges));
    for (int i = 0; i < GRAPHFILE_N_PARTS; i++) {
        EDGEFILE_TRY(
            check_count(w, part_names[i], atomic_load(&w->part[i].written), w->part[i].length));
    }
    return EDGEFILE_OK;
}

static int finish_file(graphfile_writer *w)
{
    const graphfile_place *place = w->about->place;
    int st;

    EDGEFILE_TRY(graphfile_gather(w));
    st = check_all(w);
    if (st == EDGEFILE_OK) {
        st = place != NULL ? graphfile_write_shared_pages(w) : graphfile_encode_trailer(w);
    }
    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    return place != NULL && place->finish != NULL
               ? edgefile_group_agree(w->spec.group, place->finish(w))
               : EDGEFILE_OK;
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
        st = finish_file(w);
    }
    if (st == EDGEFILE_OK) {
        st = io_file_publish(&w->file,
                             w->about->facts.traits & GRAPHFILE_WEIGHTS_APART ? &w->weights : NULL);
    }
    if (st == EDGEFILE_OK && done != NULL) {
        *done =
            (graphfile_committed){.bytes = atomic_load(&w->file.end) + atomic_load(&w->weights.end),
                                  .fingerprint = atomic_load(&w->fingerprint)};
    }
    destroy(out);
    return st;
}
