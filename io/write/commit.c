/*
 * commit.c - the end of a graph: either it gets its name, or nothing of it stays.
 *
 * The order of steps makes sure that a crash leaves no file that says it is complete but is not:
 * all processes sync their edges; the attributes `fingerprint` and `complete` are set and synced;
 * the names are given and the folder is synced.  The processes agree after every step, so that all
 * of them end alike; process 0 alone takes the last step.
 */
#include "io/private.h"
#include "io/resume/record.h"
#include "io/resume/resume.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void edgefile_destroy(edgefile_writer *w, bool remove_it)
{
    w->given_up = remove_it;
    for (int k = 0; k < w->n_parts; k++) {
        edgefile_part_close(w, &w->parts[k]);
    }
    if (w->lock_fd >= 0 && remove_it && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        edgefile_shard_folder_remove(w->partial);
    }
    if (w->lock_fd >= 0 && remove_it) {
        edgefile_record_remove(w->partial, true);
    }
    edgefile_partial_close(w, remove_it);
    edgefile_recorder_free(w);
    if (w->prior != NULL) {
        edgefile_record_free(w->prior);
        free(w->prior);
    }
    pthread_mutex_destroy(&w->joining);
    edgefile_late_free(w);
    free(w->parts);
    free(w->name);
    free(w->partial);
    free(w);
}

/* Ends the writing of edges.  The own part stays open for its attributes. */
static int sync_parts(edgefile_writer *w)
{
    int st = EDGEFILE_OK;

    for (int k = 0; k < w->n_parts; k++) {
        edgefile_part *p = &w->parts[k];
        int one = atomic_load(&p->ready) ? edgefile_part_sync(w, p) : EDGEFILE_OK;
        if (st == EDGEFILE_OK) {
            st = one;
        }
        if (k != edgefile_own_part(w)) {
            edgefile_part_close(w, p);
        }
    }
    return st;
}

/* What was written to a part: by this process at first, then summed over all. */
enum { EDGES, FINGERPRINT, POINTERS, N_TOTALS };

static int check_complete(const edgefile_writer *w, uint64_t totals[][N_TOTALS])
{
    const bool csr = w->schema.format == EDGEFILE_CSR;
    uint64_t written = 0, edges = 0, pointers = 0, expected = 0;
    bool complete = true;

    for (int k = 0; k < w->n_parts; k++) {
        written += totals[k][EDGES];
        edges += w->parts[k].edges;
        complete = complete && totals[k][EDGES] == w->parts[k].edges;
        pointers += totals[k][POINTERS];
        expected += csr ? w->parts[k].rows + 1 : 0;
    }
    if (!complete) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges were written, expected %llu",
                             w->partial, (unsigned long long)written, (unsigned long long)edges);
    }
    if (pointers != expected) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu pointers were written, expected %llu",
                             w->partial, (unsigned long long)pointers,
                             (unsigned long long)expected);
    }
    return EDGEFILE_OK;
}

/* Completes the folder of the shards, except for its name. */
static int finish_folder(edgefile_writer *w)
{
    char *folder = edgefile_shard_folder(w->partial), *token = NULL;
    int st;

    if (folder == NULL || asprintf(&token, "%s/" EDGEFILE_TOKEN_NAME, folder) < 0) {
        free(folder);
        return edgefile_no_memory(w->partial);
    }
    unlink(token);
    st = edgefile_folder_sync(folder);
    free(token);
    free(folder);
    return st;
}

/* On process 0: completes and publishes the file, or the master.  The lock's descriptor is open on
 * that file, so fsync() of it syncs the file. */
static int finish_graph(edgefile_writer *w, uint64_t fingerprint)
{
    EDGEFILE_TRY(edgefile_layout_complete(w, w->partial, fingerprint));
    if (fsync(w->lock_fd) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", w->partial);
    }
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        EDGEFILE_TRY(finish_folder(w));
    }
    EDGEFILE_TRY(edgefile_publish(w));
    edgefile_record_remove(w->partial, true); /* what is left of it does no harm */
    return EDGEFILE_OK;
}

static int commit(edgefile_writer *w, uint64_t *fingerprint)
{
    int own = edgefile_own_part(w);
    uint64_t(*totals)[N_TOTALS] = calloc((size_t)w->n_parts, sizeof *totals), sum = 0;
    int st = totals == NULL ? edgefile_no_memory(w->partial) : EDGEFILE_OK;

    for (int k = 0; k < w->n_parts && totals != NULL; k++) {
        totals[k][EDGES] = atomic_load(&w->parts[k].written);
        totals[k][FINGERPRINT] = atomic_load(&w->parts[k].fingerprint);
        totals[k][POINTERS] = atomic_load(&w->parts[k].pointers);
        if (w->rank == 0 && w->prior != NULL) {
            const edgefile_part_record *p = &w->prior->parts[k];

            totals[k][EDGES] += edgefile_extents_within(&p->edges, 0, UINT64_MAX);
            totals[k][FINGERPRINT] += p->fingerprint;
            totals[k][POINTERS] += edgefile_extents_within(&p->pointers, 0, UINT64_MAX);
        }
    }
    st = edgefile_group_agree(w->group, st);
    if (st == EDGEFILE_OK) {
        st = edgefile_group_agree(w->group, sync_parts(w));
    }
    if (st != EDGEFILE_OK) {
        goto done;
    }
    edgefile_group_sum(w->group, totals[0], N_TOTALS * (size_t)w->n_parts);
    edgefile_late_share(w);
    st = check_complete(w, totals);
    if (st != EDGEFILE_OK) {
        goto done;
    }
    for (int k = 0; k < w->n_parts; k++) {
        sum += totals[k][FINGERPRINT];
    }
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        st = edgefile_part_complete(w, &w->parts[own], totals[own][FINGERPRINT]);
    }
    edgefile_part_close(w, &w->parts[own]);
    st = edgefile_group_agree(w->group, st);
    if (st == EDGEFILE_OK) {
        st = edgefile_group_agree(w->group, w->rank == 0 ? finish_graph(w, sum) : EDGEFILE_OK);
    }
    if (st == EDGEFILE_OK && fingerprint != NULL) {
        *fingerprint = sum;
    }
done:
    free(totals);
    return st;
}

int edgefile_commit(edgefile_writer **w, uint64_t *fingerprint)
{
    int st;

    if (w == NULL || *w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    st = commit(*w, fingerprint);
    edgefile_destroy(*w, st != EDGEFILE_OK);
    *w = NULL;
    return st;
}

/* The processes agree on the failure for two reasons: nothing is removed while another process
 * still writes, and a process that is in edgefile_commit() fails there instead of waiting forever.
 */
static void give_up(edgefile_writer **w, bool keep)
{
    char detail[1024]; /* of the error that led here */

    if (w == NULL || *w == NULL) {
        return;
    }
    snprintf(detail, sizeof detail, "%s", edgefile_detail());
    if (keep) { /* if it fails, the record before it stays */
        edgefile_recorder_save(*w);
    }
    (*w)->given_up = !keep;
    for (int k = 0; k < (*w)->n_parts; k++) {
        edgefile_part_close(*w, &(*w)->parts[k]);
    }
    if ((*w)->group != NULL) {
        edgefile_group_agree((*w)->group,
                             edgefile_fail(EDGEFILE_ERR_PEER, "%s: given up", (*w)->partial));
    }
    edgefile_destroy(*w, !keep);
    *w = NULL;
    edgefile_fail(EDGEFILE_OK, "%s", detail);
}

void edgefile_abort(edgefile_writer **w)
{
    give_up(w, false);
}

void edgefile_keep(edgefile_writer **w)
{
    give_up(w, w != NULL && *w != NULL && (*w)->recorder != NULL);
}
