/* commit.c - the end of a writer: its files get their names, or nothing stays of them, or what is
 * done is kept for a later run. */
#include "io/formats/writer.h"
#include "io/resume/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int finish(graphfile_writer *w)
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
        if (st == EDGEFILE_OK) {
            st = graphfile_append(w, &b);
        }
        graphfile_buffer_free(&b);
    }
    EDGEFILE_TRY(edgefile_group_agree(w->spec.group, st));
    if (w->about->write->finish != NULL) {
        st = edgefile_group_agree(w->spec.group, w->about->write->finish(w));
    }
    return st;
}

/* The main file and those beside it.  Returns how many. */
int graphfile_all_files(graphfile_writer *w, graphfile_plain **f)
{
    f[0] = &w->file;
    for (int i = 0; i < w->n_beside; i++) {
        f[1 + i] = &w->beside[i];
    }
    return 1 + w->n_beside;
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

/* Is there a record of the files, for a later run, that goes with them? */
static bool is_recorded(const graphfile_writer *w)
{
    return w->file.partial != NULL && !w->file.attached && graphfile_is_resumable(w->about);
}

void graphfile_destroy(graphfile_writer **out, bool keep)
{
    graphfile_plain *files[GRAPHFILE_MOST_FILES];
    graphfile_writer *w = *out;
    char detail[1024]; /* of the error that led here, if any */
    int n;

    snprintf(detail, sizeof detail, "%s", edgefile_detail());
    if (w->opened && w->about->write->close != NULL) {
        w->about->write->close(w);
    }
    if (!keep && is_recorded(w)) {
        edgefile_record_remove(w->file.partial, true);
    }
    n = graphfile_all_files(w, files);
    for (int i = n - 1; i >= 0; i--) { /* the main file has the lock */
        if (keep) {
            free(files[i]->partial);
            files[i]->partial = NULL; /* so that it is not removed */
        }
        graphfile_plain_close(files[i]);
    }
    graphfile_drop_kept(w);
    graphfile_drop_shared_pages(w);
    free_buffers(w->spare);
    free_buffers(w->spare_chunks);
    free(w->ends);
    graphfile_progress_end(w);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->turn);
    free(w);
    *out = NULL;
    edgefile_fail(EDGEFILE_OK, "%s", detail);
}

/* The processes agree on the failure for two reasons: nothing is removed while another process
 * still writes, and a process that is in graphfile_commit() fails there instead of waiting forever.
 */
static void give_up(graphfile_writer **out, bool keep)
{
    graphfile_writer *w = *out;
    char detail[1024]; /* of the error that led here */

    snprintf(detail, sizeof detail, "%s", edgefile_detail());
    if (keep && w->about->write->keep != NULL) {
        keep = w->about->write->keep(w);
    } else if (keep) {
        keep = w->progress != NULL && (graphfile_progress_save(w) == EDGEFILE_OK || w->resumed > 0);
    }
    if (w->opened && w->about->write->close != NULL) { /* before others find out */
        w->about->write->close(w);
        w->opened = false;
    }
    if (w->spec.group != NULL) {
        edgefile_group_agree(w->spec.group,
                             edgefile_fail(EDGEFILE_ERR_PEER, "%s: given up", graphfile_name(w)));
    }
    graphfile_destroy(out, keep);
    edgefile_fail(EDGEFILE_OK, "%s", detail);
}

void graphfile_abort(graphfile_writer **out)
{
    if (out != NULL && *out != NULL) {
        give_up(out, false);
    }
}

void graphfile_keep_partial(graphfile_writer **out)
{
    if (out != NULL && *out != NULL) {
        give_up(out, true);
    }
}

/* The first file in which anything differs counts. */
static void take_differences(graphfile_writer *w)
{
    graphfile_plain *files[GRAPHFILE_MOST_FILES];
    graphfile_committed *c = &w->committed;
    const int n = graphfile_all_files(w, files);

    for (int i = 0; i < n; i++) {
        const uint64_t differ = atomic_load(&files[i]->differences);

        if (differ > 0 && c->differences == 0) {
            c->first_difference = atomic_load(&files[i]->first_difference);
            c->file = i;
        }
        c->differences += differ;
    }
}

int graphfile_commit(graphfile_writer **out, graphfile_committed *done)
{
    graphfile_plain *files[GRAPHFILE_MOST_FILES];
    graphfile_writer *w;
    char *partial;
    int st;

    if (out == NULL || *out == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    w = *out;
    partial = is_recorded(w) ? strdup(w->file.partial) : NULL;
    st = edgefile_group_agree(w->spec.group, EDGEFILE_OK); /* does any process give up? */
    if (st == EDGEFILE_OK) {
        st = finish(w);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_plain_publish(files, graphfile_all_files(w, files));
    }
    if (st == EDGEFILE_OK && w->about->write->complete == NULL) {
        w->committed.bytes = atomic_load(&w->file.end);
    }
    if (st == EDGEFILE_OK && done != NULL) {
        take_differences(w);
        *done = w->committed;
    }
    if (st == EDGEFILE_OK && partial != NULL) {
        edgefile_record_remove(partial, true); /* what is left of it does no harm */
    }
    free(partial);
    graphfile_destroy(out, false);
    return st;
}
