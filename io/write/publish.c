/*
 * publish.c - NAME.partial becomes NAME, and NAME.partial.shards becomes NAME.shards.
 *
 * The master is renamed last, so that NAME never stands for shards that are not there.  A graph
 * that is replaced keeps its name until then.  Only if both the old and the new graph have shards
 * does the old one step aside for a moment, as NAME.partial.old; it comes back if a rename fails.
 */
#include "io/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rename_noreplace(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    return link(from, to) == 0 ? unlink(from) : -1;
}

int edgefile_sync_folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(name, (size_t)(slash - name) + 1);
    int st;

    if (folder == NULL) {
        return edgefile_no_memory(name);
    }
    st = edgefile_folder_sync(folder);
    free(folder);
    return st;
}

static int rename_failed(const char *partial, const char *name)
{
    if (errno == EEXIST || errno == ENOTEMPTY) {
        return edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: another program created it meanwhile", name);
    }
    return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: rename from %s: %m", name,
                         partial);
}

int edgefile_publish_file(const char *partial, const char *name, bool replace)
{
    int rc = replace ? rename(partial, name) : rename_noreplace(partial, name);

    return rc == 0 ? EDGEFILE_OK : rename_failed(partial, name);
}

typedef struct {
    char *old;        /* NAME.partial.old */
    char *shards;     /* NAME.shards */
    char *built;      /* NAME.partial.shards */
    char *old_shards; /* NAME.partial.old.shards */
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
    return EDGEFILE_OK;
}

static void free_names(names *n)
{
    free(n->old);
    free(n->shards);
    free(n->built);
    free(n->old_shards);
}

/* old_shards: there is an old graph with shards, which must step aside.  An old single file stays
 * until the rename of the master replaces it. */
static int publish_shards(const edgefile_writer *w, const names *n, bool old_shards)
{
    bool has_old = false;
    int st;

    if (old_shards) {
        has_old = rename(w->name, n->old) == 0;
        if ((!has_old && errno != ENOENT) || rename(n->shards, n->old_shards) != 0) {
            st = rename_failed(w->partial, w->name);
            if (has_old) {
                rename(n->old, w->name);
            }
            return st;
        }
    }
    if (rename(n->built, n->shards) != 0) {
        st = rename_failed(w->partial, w->name);
    } else {
        st = edgefile_publish_file(w->partial, w->name, w->replace);
        if (st == EDGEFILE_OK) {
            return st;
        }
        rename(n->shards, n->built);
    }
    if (old_shards) {
        rename(n->old_shards, n->shards);
    }
    if (has_old) {
        rename(n->old, w->name);
    }
    return st;
}

int edgefile_publish(edgefile_writer *w)
{
    names n;
    int old_shards, st = make_names(w, &n);

    if (st != EDGEFILE_OK) {
        goto done;
    }
    old_shards = w->replace || w->stale ? edgefile_shard_folder_exists(w->name) : 0;
    if (old_shards < 0) {
        st = old_shards;
    } else if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        st = publish_shards(w, &n, old_shards > 0);
    } else {
        st = edgefile_publish_file(w->partial, w->name, w->replace);
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_sync_folder_of(w->name);
    }
    if (st != EDGEFILE_OK) {
        goto done;
    }
    /* The new graph is in place: that something of the old one is left is no reason to fail. */
    if (w->layout == EDGEFILE_LAYOUT_SHARDED) {
        unlink(n.old);
        edgefile_shard_folder_remove(n.old);
    } else if (old_shards) {
        edgefile_shard_folder_remove(w->name);
    }
done:
    free_names(&n);
    return st;
}

int edgefile_publish_clean(edgefile_writer *w)
{
    names n;
    int exists, st = make_names(w, &n);

    if (st == EDGEFILE_OK) {
        st = edgefile_shard_folder_remove(w->partial);
    }
    if (st == EDGEFILE_OK && w->stale) {
        unlink(n.old);
        st = edgefile_shard_folder_remove(n.old);
    }
    if (st != EDGEFILE_OK) {
        goto done;
    }
    exists = edgefile_shard_folder_exists(w->name);
    if (exists < 0 && (w->replace || w->layout == EDGEFILE_LAYOUT_SHARDED)) {
        st = exists;
    } else if (exists != 0 && !w->replace && !w->stale && w->layout == EDGEFILE_LAYOUT_SHARDED) {
        st = edgefile_fail(EDGEFILE_ERR_EXISTS, "%s: exists already", n.shards);
    }
done:
    free_names(&n);
    return st;
}
