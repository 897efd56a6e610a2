/*
 * resume.c - goes on with a file that an earlier run left.
 *
 * Is it the same graph?  Everything that HDF5 writes of a file but the edges, and with that the
 * model, follows from the spec.  So the file that the spec asks for is laid out once more, in
 * memory, where its edges are holes, and compared byte for byte outside of the datasets.
 */
#include "io/resume/resume.h"
#include "io/resume/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH "/dev/shm/edgefile-XXXXXX"

enum { BUFFER = 1 << 16 };

int edgefile_resume_find(edgefile_output *w, const graphfile_spec *spec)
{
    bool found;

    if (!spec->resume || !w->stale) {
        return edgefile_record_remove(w->partial, true);
    }
    w->prior = calloc(1, sizeof *w->prior);
    if (w->prior == NULL) {
        return edgefile_no_memory(w->partial);
    }
    w->resumed = true; /* so that it stays if the record is damaged */
    EDGEFILE_TRY(edgefile_record_read(w->prior, w->partial, &found));
    w->resumed = found;
    if (!found) {
        free(w->prior);
        w->prior = NULL;
    }
    return EDGEFILE_OK;
}

static int forget(edgefile_output *w)
{
    edgefile_record_free(w->prior);
    free(w->prior);
    w->prior = NULL;
    w->resumed = false;
    return edgefile_record_remove(w->partial, true);
}

/* A run that ended while it published has given the folder its name, but not yet the master: then
 * it goes back. */
int edgefile_resume_folder(edgefile_output *w)
{
    char *built = edgefile_shard_folder(w->partial), *named = edgefile_shard_folder(w->name);
    int st = built != NULL && named != NULL ? EDGEFILE_OK : edgefile_no_memory(w->partial);

    if (st == EDGEFILE_OK && access(built, F_OK) != 0) {
        if (access(w->name, F_OK) == 0 || access(named, F_OK) != 0) {
            st = forget(w);
        } else if (rename(named, built) != 0) {
            st = edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", named);
        }
    }
    free(built);
    free(named);
    return st;
}

/* The record as text, from process 0 to all. */
static int broadcast(edgefile_output *w)
{
    char *text = NULL;
    uint64_t bytes = 0;
    int st = EDGEFILE_OK;

    if (w->rank == 0 && w->prior != NULL) {
        text = edgefile_record_text(w->prior);
        st = text != NULL ? EDGEFILE_OK : EDGEFILE_ERR_NOMEM;
        bytes = text != NULL ? strlen(text) + 1 : 0;
    }
    EDGEFILE_TRY(edgefile_group_agree(w->group, st));
    edgefile_group_broadcast(w->group, &bytes, sizeof bytes);
    if (bytes == 0) {
        return EDGEFILE_OK;
    }
    if (w->rank > 0) {
        text = malloc(bytes);
        w->prior = calloc(1, sizeof *w->prior);
        st = text != NULL && w->prior != NULL ? EDGEFILE_OK : edgefile_no_memory(w->partial);
    }
    st = edgefile_group_agree(w->group, st);
    if (st == EDGEFILE_OK) {
        edgefile_group_broadcast(w->group, text, bytes);
        st = w->rank > 0 ? edgefile_record_parse(w->prior, text, w->partial) : EDGEFILE_OK;
    }
    free(text);
    return edgefile_group_agree(w->group, st);
}

/* From here on it is process 0's, which has the rest of its own to add. */
static int take_over(const edgefile_output *w)
{
    EDGEFILE_TRY(edgefile_record_write(w->prior, w->partial, 0));
    return edgefile_record_remove(w->partial, false);
}

int edgefile_resume_share(edgefile_output *w)
{
    const edgefile_group *group = w->group;

    if (group != NULL) {
        EDGEFILE_TRY(broadcast(w));
    }
    w->resumed = w->prior != NULL;
    return edgefile_group_agree(group, w->resumed && w->rank == 0 ? take_over(w) : EDGEFILE_OK);
}

/* The ranges of a file that are not data: before, between and behind the datasets. */
typedef struct {
    int n;
    edgefile_chunk range[EDGEFILE_N_DATASETS + 1];
} gaps;

static gaps find_gaps(const edgefile_schema *s, const edgefile_part *p, uint64_t length)
{
    gaps g = {0};
    uint64_t at = 0;

    for (;;) {
        int next = -1;

        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            if (p->offset[i] > 0 && p->offset[i] >= at && !edgefile_is_iso(s, i) &&
                (next < 0 || p->offset[i] < p->offset[next])) {
                next = i;
            }
        }
        if (next < 0) {
            g.range[g.n++] = (edgefile_chunk){at, length - at};
            return g;
        }
        g.range[g.n++] = (edgefile_chunk){at, p->offset[next] - at};
        at = p->offset[next] +
             edgefile_length(s, next, p->edges) * (uint64_t)edgefile_width(s, next);
    }
}

/* Two files: the one that is there, and the one that it should be. */
typedef struct {
    const char *path; /* of the first, for messages */
    int fd, expected_fd;
    gaps gaps;
} pair;

/* *same: are they the same in all gaps?  If not, *at is the first byte that differs. */
static int compare(const pair *x, bool *same, uint64_t *at)
{
    char have[BUFFER], expected[BUFFER];

    *same = true;
    for (int i = 0; i < x->gaps.n; i++) {
        const uint64_t end = x->gaps.range[i].offset + x->gaps.range[i].bytes;

        for (uint64_t n, from = x->gaps.range[i].offset; from < end; from += n) {
            n = end - from < BUFFER ? end - from : BUFFER;
            if (edgefile_get(x->expected_fd, from, n, expected) != n ||
                edgefile_get(x->fd, from, n, have) != n) {
                return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", x->path);
            }
            for (uint64_t k = 0; k < n; k++) {
                if (have[k] != expected[k]) {
                    *same = false;
                    *at = from + k;
                    return EDGEFILE_OK;
                }
            }
        }
    }
    return EDGEFILE_OK;
}

static int copy_gaps(const pair *x, int to)
{
    const edgefile_chunk *last = &x->gaps.range[x->gaps.n - 1];
    char data[BUFFER];

    if (ftruncate(to, (off_t)(last->offset + last->bytes)) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", x->path);
    }
    for (int i = 0; i < x->gaps.n; i++) {
        const uint64_t end = x->gaps.range[i].offset + x->gaps.range[i].bytes;

        for (uint64_t n, from = x->gaps.range[i].offset; from < end; from += n) {
            n = end - from < BUFFER ? end - from : BUFFER;
            if (edgefile_get(x->fd, from, n, data) != n ||
                edgefile_put(to, -1, from, n, data) != n) {
                return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", x->path);
            }
        }
    }
    return EDGEFILE_OK;
}

/* A run that ended after it had marked the file complete, and before it gave it its name, left
 * other values of attributes.  Would the file be as expected without them?  Tried with a copy. */
static int try_incomplete(const pair *x, const graphfile_spec *spec, bool *same)
{
    char path[] = SCRATCH;
    pair copy = *x;
    uint64_t at;
    int st;

    copy.fd = mkstemp(path);
    if (copy.fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
    }
    st = copy_gaps(x, copy.fd);
    if (st == EDGEFILE_OK && edgefile_layout_incomplete(spec, path) == EDGEFILE_OK) {
        st = compare(&copy, same, &at);
    }
    close(copy.fd);
    unlink(path);
    return st;
}

static int check(edgefile_part *p, const edgefile_schema *s, const graphfile_spec *spec,
                 const edgefile_part *expected, int expected_fd)
{
    pair x = {.path = p->path, .fd = p->fd, .expected_fd = expected_fd};
    struct stat have, wanted;
    bool same = false;
    uint64_t at = 0;
    int st = EDGEFILE_OK;

    if (fstat(p->fd, &have) != 0 || fstat(expected_fd, &wanted) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", p->path);
    }
    if (have.st_size == wanted.st_size) {
        x.gaps = find_gaps(s, expected, (uint64_t)wanted.st_size);
        st = compare(&x, &same, &at);
    }
    if (st == EDGEFILE_OK && !same && have.st_size == wanted.st_size) {
        st = try_incomplete(&x, spec, &same);
        if (st == EDGEFILE_OK && same) {
            st = edgefile_layout_incomplete(spec, p->path);
        }
    }
    if (st == EDGEFILE_OK && !same) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: was begun by a different command, or is damaged, and cannot be "
                           "resumed: its metadata "
                           "differs at byte %llu. A run without resume replaces it",
                           p->path, (unsigned long long)at);
    }
    return st;
}

int edgefile_resume_part(edgefile_output *w, int k, const graphfile_spec *spec,
                         const edgefile_attr *more, size_t n_more)
{
    edgefile_part *p = &w->parts[k];
    char path[] = SCRATCH;
    edgefile_part expected = {.path = path, .edges = p->edges, .rows = p->rows};
    edgefile_schema schema = w->schema;
    const int fd = mkstemp(path);
    int st;

    if (fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", path);
    }
    schema.rows = p->rows;
    st = edgefile_layout_create(&expected, spec, more, n_more);
    if (st == EDGEFILE_OK) {
        st = check(p, &schema, spec, &expected, fd);
    }
    close(fd);
    unlink(path);
    if (st == EDGEFILE_OK) {
        memcpy(p->offset, expected.offset, sizeof p->offset);
        st = edgefile_resume_see(w, k);
    }
    return st;
}

int edgefile_resume_see(const edgefile_output *w, int k)
{
    return edgefile_record_check(&w->prior->parts[k], w->parts[k].path, w->parts[k].fd);
}
