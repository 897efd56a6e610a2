/*
 * create.c - the beginning of a graph.
 *
 * Process 0 checks the name, locks NAME.partial and creates what the others are to find there: the
 * whole file, or the master and the folder for the shards.  It tells the others where that is; they
 * check that they find the same one (token.c), and create or open their own part.  After every step
 * all agree, so that nobody writes before everybody is ready.
 */
#include "io/compressed/compressed.h"
#include "io/resume/record.h"
#include "io/resume/resume.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What process 0 tells the others. */
typedef struct {
    char partial[PATH_MAX];
    edgefile_layout layout;
    edgefile_path path;
    uint64_t offset[EDGEFILE_N_DATASETS];
    edgefile_token token;
    bool resumed;
} job;

edgefile_writer *edgefile_writer_new(const edgefile_spec *spec)
{
    edgefile_writer *w = calloc(1, sizeof *w);

    if (w == NULL) {
        edgefile_no_memory(NULL);
        return NULL;
    }
    w->group = spec->group;
    w->rank = spec->group == NULL ? 0 : spec->group->rank;
    w->size = spec->group == NULL ? 1 : spec->group->size;
    w->lock_fd = -1;
    w->replace = spec->replace != 0;
    w->unaligned = spec->unaligned || spec->format == EDGEFILE_CSR;
    w->schema = edgefile_schema_of(spec);
    w->edges = spec->edges;
    w->path = spec->path;
    w->layout = spec->layout;
    w->shard = spec->shard;
    w->shards = spec->shards;
    pthread_mutex_init(&w->joining, NULL);
    return w;
}

static int make_parts(edgefile_writer *w)
{
    int ranges;

    w->n_parts = w->layout == EDGEFILE_LAYOUT_SHARDED ? w->size : 1;
    ranges = w->shards > 0 ? w->shards : w->n_parts;
    w->parts = calloc((size_t)w->n_parts, sizeof *w->parts);
    if (w->parts == NULL) {
        w->n_parts = 0;
        return edgefile_no_memory(w->partial);
    }
    for (int k = 0; k < w->n_parts; k++) {
        edgefile_part *p = &w->parts[k];
        p->fd = p->direct_fd = -1;
        p->h5_file = -1;
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            p->h5_dataset[i] = -1;
        }
        edgefile_shard_range(w->edges, w->schema.id_bytes, w->schema.weight, ranges, w->shard + k,
                             &p->start, &p->edges);
        edgefile_shard_range(w->schema.rows, 8, EDGEFILE_NO_WEIGHT, ranges, w->shard + k,
                             &p->first_row, &p->rows);
    }
    w->ops = w->schema.compressed            ? &edgefile_compressed_ops
             : edgefile_is_parallel(w)       ? &edgefile_parallel_ops
             : w->path == EDGEFILE_PATH_HDF5 ? &edgefile_hdf5_ops
                                             : &edgefile_positional_ops;
    return EDGEFILE_OK;
}

/* Is there room for all files together, and may one be as long as the longest of them? */
static int check_room(edgefile_writer *w, const edgefile_spec *spec)
{
    edgefile_spec chosen = *spec, shard = *spec;
    uint64_t bytes;

    chosen.layout = w->layout;
    shard.rows = w->parts[0].rows;
    bytes = edgefile_bytes(&chosen);
    return edgefile_partial_fits(w, bytes,
                                 w->layout == EDGEFILE_LAYOUT_SINGLE
                                     ? bytes
                                     : edgefile_spec_bytes(&shard, w->parts[0].edges));
}

static char *token_path(const edgefile_writer *w)
{
    char *path;

    if (w->layout != EDGEFILE_LAYOUT_SHARDED) {
        return strdup(w->partial);
    }
    return asprintf(&path, "%s.shards/" EDGEFILE_TOKEN_NAME, w->partial) < 0 ? NULL : path;
}

/* The token is in the extent of the first dataset, or behind what there is of a compressed file,
 * where data will overwrite it; with shards it is in a file of its own.  A file that an earlier run
 * left has samples in its place. */
static uint64_t token_room(const edgefile_writer *w)
{
    const uint64_t room =
        edgefile_length(&w->schema, 0, w->edges) * (uint64_t)edgefile_width(&w->schema, 0);

    if (w->resumed && w->layout != EDGEFILE_LAYOUT_SHARDED) {
        return 0;
    }
    return w->layout == EDGEFILE_LAYOUT_SHARDED || (w->schema.compressed && room > 0)
               ? sizeof(edgefile_token)
               : room;
}

static int put_token(const edgefile_writer *w, job *j)
{
    char *path;
    int st;

    if (w->size == 1 || token_room(w) == 0) {
        return EDGEFILE_OK;
    }
    path = token_path(w);
    st = path == NULL ? edgefile_no_memory(w->partial)
                      : edgefile_token_write(path, j->offset[0], token_room(w), &j->token);
    free(path);
    return st;
}

static int make_folder(const edgefile_writer *w)
{
    char *folder = edgefile_shard_folder(w->partial);
    int st = EDGEFILE_OK;

    if (folder == NULL) {
        return edgefile_no_memory(w->partial);
    }
    if (mkdir(folder, 0777) != 0) {
        st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", folder);
    }
    free(folder);
    return st;
}

static int find_end(const edgefile_part *p, uint64_t *end)
{
    struct stat st;

    if (fstat(p->fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", p->path);
    }
    *end = edgefile_chunk_page((uint64_t)st.st_size);
    return EDGEFILE_OK;
}

static int prepare(edgefile_writer *w, const char *name, const edgefile_spec *spec, job *j)
{
    EDGEFILE_TRY(edgefile_partial_open(w, name));
    EDGEFILE_TRY(edgefile_resume_find(w, spec));
    w->layout = edgefile_choose_layout(w, spec);
    EDGEFILE_TRY(edgefile_check_path(w));
    if (w->resumed && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        EDGEFILE_TRY(edgefile_resume_folder(w));
    }
    EDGEFILE_TRY(edgefile_publish_clean(w));
    EDGEFILE_TRY(make_parts(w));
    EDGEFILE_TRY(check_room(w, spec));
    if (w->resumed && w->prior->n_parts != w->n_parts) {
        return edgefile_fail(
            EDGEFILE_ERR_ARG,
            "%s: was begun with %d processes, each of which wrote a file, and cannot be resumed "
            "with %d",
            w->partial, w->prior->n_parts, w->n_parts);
    }
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        EDGEFILE_TRY(w->resumed ? EDGEFILE_OK : make_folder(w));
        EDGEFILE_TRY(edgefile_master_create(w, spec));
    } else {
        EDGEFILE_TRY(edgefile_part_create(w, 0, spec));
        memcpy(j->offset, w->parts[0].offset, sizeof j->offset);
        if (w->schema.compressed && w->size > 1) {
            EDGEFILE_TRY(find_end(&w->parts[0], &j->offset[0]));
        }
    }
    if (strlen(w->partial) >= sizeof j->partial) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: the name is too long", w->partial);
    }
    strcpy(j->partial, w->partial);
    j->layout = w->layout;
    j->path = w->path;
    j->resumed = w->resumed;
    return put_token(w, j);
}

/* On processes other than 0. */
static int join(edgefile_writer *w, const job *j)
{
    char *path;
    int st;

    w->layout = j->layout;
    w->path = j->path;
    w->resumed = j->resumed;
    w->partial = strdup(j->partial);
    w->name = strndup(j->partial, strlen(j->partial) - strlen(".partial"));
    if (w->partial == NULL || w->name == NULL) {
        return edgefile_no_memory(j->partial);
    }
    st = make_parts(w);
    if (st == EDGEFILE_OK && token_room(w) > 0) {
        path = token_path(w);
        st = path == NULL
                 ? edgefile_no_memory(w->partial)
                 : edgefile_token_check(w->rank, path, j->offset[0], token_room(w), &j->token);
        free(path);
    }
    return st;
}

/* Creates or opens the part that this process writes to first: its shard, or the single file. */
static int open_own(edgefile_writer *w, const edgefile_spec *spec, const job *j)
{
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        return edgefile_part_create(w, w->rank, spec);
    }
    if (w->rank > 0) {
        EDGEFILE_TRY(edgefile_part_attach(w, 0, j->offset));
    }
    return w->rank > 0 && w->resumed ? edgefile_resume_see(w, 0) : EDGEFILE_OK;
}

int edgefile_create(edgefile_writer **out, const char *name, const edgefile_spec *spec)
{
    const edgefile_group *group = spec == NULL ? NULL : spec->group;
    edgefile_writer *w = NULL;
    job *j = NULL;
    int st = EDGEFILE_OK;

    if (out == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "out is NULL");
    }
    *out = NULL;
    EDGEFILE_TRY(edgefile_group_check(group));
    st = edgefile_spec_check(name, spec);
    if (st == EDGEFILE_OK) {
        st = edgefile_hdf5_need(name);
    }
    if (st == EDGEFILE_OK &&
        ((w = edgefile_writer_new(spec)) == NULL || (j = calloc(1, sizeof *j)) == NULL)) {
        st = edgefile_no_memory(name);
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_late_keep(w, spec);
    }
    st = edgefile_group_agree(group, st);
    if (st != EDGEFILE_OK) {
        goto done;
    }
    st = edgefile_group_agree(group, w->rank == 0 ? prepare(w, name, spec, j) : EDGEFILE_OK);
    if (st != EDGEFILE_OK) {
        goto done;
    }
    edgefile_group_broadcast(group, j, sizeof *j);
    st = edgefile_group_agree(group, w->rank == 0 ? EDGEFILE_OK : join(w, j));
    if (st == EDGEFILE_OK) {
        st = edgefile_resume_share(w);
    }
    if (st != EDGEFILE_OK) {
        goto done;
    }
    st = open_own(w, spec, j);
    if (st == EDGEFILE_OK && w->ops == &edgefile_positional_ops) {
        st = edgefile_recorder_create(w, spec->record_seconds);
    }
    st = edgefile_group_agree(group, st);
    if (st == EDGEFILE_OK) {
        st = edgefile_group_agree(group, edgefile_part_begin(w, edgefile_own_part(w)));
    }
done:
    free(j);
    if (st != EDGEFILE_OK && w != NULL) { /* what an earlier run left may be of use yet */
        edgefile_destroy(w, !w->resumed);
    } else {
        *out = w;
    }
    return st;
}
