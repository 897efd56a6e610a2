/* commit.c - the end of a writer: its files get their names, or nothing stays of them, or what is
 * done is kept for a later run. */
#include "io/formats/writer.h"
#include "io/resume/record.h"

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

void graphfile_destroy(graphfile_writer **out)
{
    graphfile_writer *w = *out;

    if (w->opened && w->about->write->close != NULL) {
        w->about->write->close(w);
    }
    for (int i = 0; i < w->n_beside; i++) {
        graphfile_plain_close(&w->beside[i]);
    }
    graphfile_plain_close(&w->file);
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
}

void graphfile_abort(graphfile_writer **out)
{
    if (out == NULL || *out == NULL) {
        return;
    }
    if ((*out)->progress != NULL && !(*out)->file.attached && (*out)->file.partial != NULL) {
        edgefile_record_remove((*out)->file.partial, true);
    }
    graphfile_destroy(out);
}

int graphfile_commit(graphfile_writer **out, uint64_t *bytes)
{
    graphfile_plain *files[GRAPHFILE_MOST_FILES];
    graphfile_writer *w = *out;
    char *partial = w->file.partial != NULL ? strdup(w->file.partial) : NULL;
    int st = finish(w);

    if (st == EDGEFILE_OK) {
        st = graphfile_plain_publish(files, graphfile_all_files(w, files));
    }
    if (bytes != NULL) {
        *bytes = atomic_load(&w->file.end);
    }
    if (st == EDGEFILE_OK && w->progress != NULL && !w->file.attached && partial != NULL) {
        edgefile_record_remove(partial, true); /* what is left of it does no harm */
    }
    free(partial);
    graphfile_abort(out);
    return st;
}

void graphfile_keep_partial(graphfile_writer **out)
{
    if (out == NULL || *out == NULL || (*out)->progress == NULL) {
        graphfile_abort(out);
        return;
    }
    (*out)->file.kept = graphfile_progress_save(*out) == EDGEFILE_OK || (*out)->resumed > 0;
    if ((*out)->file.kept) {
        free((*out)->file.partial);
        (*out)->file.partial = NULL; /* so that it is not removed */
        graphfile_destroy(out);
    } else {
        graphfile_abort(out);
    }
}
