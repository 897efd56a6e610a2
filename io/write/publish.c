/*
 * publish.c - NAME.partial becomes NAME, and NAME.partial.shards becomes NAME.shards: the master is
 * the main file of a set (publish_set.c).  A graph without shards that replaces one with shards
 * does so by one rename; the old shards are removed then.
 */
#include "io/private.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int edgefile_sync_folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash - name) + 1;
    char folder[PATH_MAX];

    if (length >= sizeof folder) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %s", name, strerror(ENAMETOOLONG));
    }
    snprintf(folder, sizeof folder, "%.*s", (int)length, name);
    return edgefile_folder_sync(length == 0 ? "." : folder);
}

typedef struct {
    char *old;        /* NAME.partial.old */
    char *shards;     /* NAME.shards */
    char *built;      /* NAME.partial.shards */
    char *old_shards; /* NAME.partial.old.shards */
    edgefile_set_file file[2];
} names;

static int make_names(const edgefile_writer *w, names *n)
{
    memset(n, 0, sizeof *n);
    if (asprintf(&n->old, "%s.old", w->partial) < 0) {
        n->old = NULL;
    }
    if (n->old != NULL) {
        n->old_shards = edgefile_shard_folder(n->old);
    }
    n->shards = edgefile_shard_folder(w->name);
    n->built = edgefile_shard_folder(w->partial);
    if (n->old_shards == NULL || n->shards == NULL || n->built == NULL) {
        return edgefile_no_memory(w->name);
    }
    n->file[0] = (edgefile_set_file){w->partial, w->name, n->old, true, w->replace, false};
    n->file[1] =
        (edgefile_set_file){n->built, n->shards, n->old_shards, true, w->replace || w->stale, true};
    return EDGEFILE_OK;
}

static void free_names(names *n)
{
    free(n->old);
    free(n->shards);
    free(n->built);
    free(n->old_shards);
}

int edgefile_publish(edgefile_writer *w)
{
    const bool sharded = w->layout == EDGEFILE_LAYOUT_SHARDED;
    names n;
    int old_shards = 0, st = make_names(w, &n);

    if (st == EDGEFILE_OK && (w->replace || w->stale)) {
        old_shards = edgefile_shard_folder_exists(w->name);
        st = old_shards < 0 && (sharded || w->replace) ? old_shards : EDGEFILE_OK;
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_set_publish(n.file, sharded ? 2 : 1);
    }
    /* The new graph is in place: that something of the old one is left is no reason to fail. */
    if (st == EDGEFILE_OK && !sharded && old_shards > 0) {
        edgefile_shard_folder_remove(w->name);
    }
    free_names(&n);
    return st;
}

int edgefile_publish_master(const edgefile_writer *w)
{
    names n;
    int st = make_names(w, &n);

    if (st == EDGEFILE_OK) {
        st = edgefile_set_publish(n.file, 1);
    }
    free_names(&n);
    return st;
}

/* A writer that died may have left the name free for another graph, or put one back there. */
static int check_name(const edgefile_writer *w)
{
    if (w->replace || (access(w->name, F_OK) != 0 && errno == ENOENT)) {
        return EDGEFILE_OK;
    }
    return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: already exists", w->name);
}

int edgefile_publish_clean(edgefile_writer *w)
{
    names n;
    int exists, st = make_names(w, &n);

    if (st == EDGEFILE_OK) {
        st = edgefile_set_recover(n.file, 2);
    }
    if (st == EDGEFILE_OK) {
        st = check_name(w);
    }
    if (st == EDGEFILE_OK && !w->resumed) {
        st = edgefile_shard_folder_remove(w->partial);
    }
    if (st != EDGEFILE_OK) {
        goto done;
    }
    exists = edgefile_shard_folder_exists(w->name);
    if (exists < 0 && (w->replace || w->layout == EDGEFILE_LAYOUT_SHARDED)) {
        st = exists;
    } else if (exists != 0 && !w->replace && !w->stale && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        st = edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: already exists", n.shards);
    }
done:
    free_names(&n);
    return st;
}
