/*
 * resume.c - goes on with a file that an earlier run left.
 *
 * Is it the same graph?  Everything that HDF5 writes of a file but the edges, and with that the
 * model, follows from the spec.  So the file that the spec asks for is laid out once more, in
 * memory, where its edges are holes, and compared byte for byte outside of the datasets.
 */
#include "io/resume/resume.h"
#include "io/resume/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
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
static int compare_gaps(const pair *x, bool *same, uint64_t *at)
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
    if (st == EDGEFILE_OK && edgefile_skeleton_incomplete(spec, path) == EDGEFILE_OK) {
        st = compare_gaps(&copy, same, &at);
    }
    close(copy.fd);
    unlink(path);
    return st;
}

static int check_part(edgefile_part *p, const edgefile_schema *s, const graphfile_spec *spec,
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
        st = compare_gaps(&x, &same, &at);
    }
    if (st == EDGEFILE_OK && !same && have.st_size == wanted.st_size) {
        st = try_incomplete(&x, spec, &same);
        if (st == EDGEFILE_OK && same) {
            st = edgefile_skeleton_incomplete(spec, p->path);
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
    st = edgefile_skeleton_create(&expected, spec, more, n_more);
    if (st == EDGEFILE_OK) {
        st = check_part(p, &schema, spec, &expected, fd);
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

/*
 * What this process has written of a graph, and the record of it.
 *
 * A thread that has written a chunk adds it to the sets.  If the last record is old enough, that
 * thread takes a copy of the sets, syncs all files, and records the copy: chunks that other threads
 * write meanwhile belong to the next record.
 */

struct edgefile_recorder {
    double seconds; /* between records */
    pthread_mutex_t lock;
    edgefile_record now; /* of process 0 with what earlier runs left */
    bool busy;           /* a thread is recording */
    bool shards_synced;  /* their names; of the thread that is recording */
    double next;         /* time of the next record */
};

static double clock_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int edgefile_recorder_create(edgefile_output *w, double seconds)
{
    edgefile_recorder *r = calloc(1, sizeof *r);
    int st = r != NULL ? edgefile_record_init(&r->now, w->n_parts) : edgefile_no_memory(w->partial);

    if (st == EDGEFILE_OK && w->rank == 0 && w->prior != NULL) {
        st = edgefile_record_merge(&r->now, w->prior);
    }
    if (st != EDGEFILE_OK) {
        if (r != NULL) {
            edgefile_record_free(&r->now);
        }
        free(r);
        return st;
    }
    pthread_mutex_init(&r->lock, NULL);
    r->seconds = seconds;
    r->next = clock_now() + seconds;
    w->recorder = r;
    return EDGEFILE_OK;
}

void edgefile_recorder_free(edgefile_output *w)
{
    if (w->recorder != NULL) {
        edgefile_record_free(&w->recorder->now);
        pthread_mutex_destroy(&w->recorder->lock);
        free(w->recorder);
        w->recorder = NULL;
    }
}

/* The names of shards, too: the folder of the record is not theirs. */
static int sync_parts(const edgefile_output *w)
{
    bool *synced = &w->recorder->shards_synced;

    for (int k = 0; k < w->n_parts; k++) {
        const edgefile_part *p = &w->parts[k];

        if (atomic_load(&p->ready) && fdatasync(p->fd) != 0) {
            return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", p->path);
        }
        if (atomic_load(&p->ready) && w->layout == EDGEFILE_LAYOUT_SHARDED && !*synced) {
            EDGEFILE_TRY(edgefile_sync_folder_of(p->path));
            *synced = true;
        }
    }
    return EDGEFILE_OK;
}

/* A sample of a dataset, at a random edge or pointer of the set. */
static int sample(const edgefile_output *w, int k, edgefile_part_record *r, int dataset,
                  const edgefile_extents *set, uint64_t start, unsigned *seed)
{
    const edgefile_part *p = &w->parts[k];
    const uint64_t width = (uint64_t)edgefile_width(&w->schema, dataset);
    const struct edgefile_extent *e;
    uint64_t at, bytes;

    if (set->n == 0 || width == 0 || edgefile_is_iso(&w->schema, dataset)) {
        return EDGEFILE_OK;
    }
    e = &set->list[(size_t)rand_r(seed) % set->n];
    at = e->first + (uint64_t)((double)rand_r(seed) / RAND_MAX * (double)(e->end - e->first - 1));
    bytes = (e->end - at) * width;
    return edgefile_record_sample(
        r, p->path, p->fd, p->offset[dataset] + (at - start) * width,
        (uint32_t)(bytes < EDGEFILE_SAMPLE_BYTES ? bytes : EDGEFILE_SAMPLE_BYTES));
}

static int sample_all(edgefile_output *w, edgefile_record *r, unsigned *seed)
{
    const bool csr = w->schema.format == EDGEFILE_CSR;

    for (int k = 0; k < w->n_parts; k++) {
        const edgefile_part *p = &w->parts[k];
        edgefile_part_record *part = &r->parts[k];

        for (int i = 0; i < EDGEFILE_N_DATASETS && atomic_load(&p->ready); i++) {
            const bool pointers = csr && i == EDGEFILE_POINTERS;

            EDGEFILE_TRY(sample(w, k, part, i, pointers ? &part->pointers : &part->edges,
                                pointers ? p->first_row : p->start, seed));
        }
    }
    return EDGEFILE_OK;
}

/* Takes the copy's samples over: they tell of what is on the disk. */
static void keep_samples(edgefile_recorder *r, const edgefile_record *copy)
{
    for (int k = 0; k < copy->n_parts; k++) {
        r->now.parts[k].n_samples = copy->parts[k].n_samples;
        memcpy(r->now.parts[k].samples, copy->parts[k].samples, sizeof copy->parts[k].samples);
    }
}

static int record(edgefile_output *w)
{
    edgefile_recorder *r = w->recorder;
    unsigned seed = (unsigned)(clock_now() * 1e6);
    edgefile_record copy;
    int st = edgefile_record_init(&copy, w->n_parts);

    if (st == EDGEFILE_OK) {
        pthread_mutex_lock(&r->lock);
        st = edgefile_record_merge(&copy, &r->now);
        pthread_mutex_unlock(&r->lock);
    }
    if (st == EDGEFILE_OK) {
        st = sync_parts(w);
    }
    if (st == EDGEFILE_OK) {
        st = sample_all(w, &copy, &seed);
    }
    if (st == EDGEFILE_OK) {
        st = edgefile_record_write(&copy, w->partial, w->rank);
    }
    if (st == EDGEFILE_OK) {
        pthread_mutex_lock(&r->lock);
        keep_samples(r, &copy);
        pthread_mutex_unlock(&r->lock);
    }
    edgefile_record_free(&copy);
    return st;
}

static int record_if_due(edgefile_output *w)
{
    edgefile_recorder *r = w->recorder;
    bool due;
    int st;

    pthread_mutex_lock(&r->lock);
    due = !r->busy && r->seconds > 0 && clock_now() >= r->next;
    r->busy |= due;
    pthread_mutex_unlock(&r->lock);
    if (!due) {
        return EDGEFILE_OK;
    }
    st = record(w);
    pthread_mutex_lock(&r->lock);
    r->busy = false;
    r->next = clock_now() + r->seconds;
    pthread_mutex_unlock(&r->lock);
    return st;
}

int edgefile_recorder_add_edges(edgefile_output *w, int k, uint64_t first, uint64_t count,
                                uint64_t fingerprint)
{
    edgefile_recorder *r = w->recorder;
    edgefile_part_record *p;
    int st;

    if (r == NULL) {
        return EDGEFILE_OK;
    }
    p = &r->now.parts[k];
    pthread_mutex_lock(&r->lock);
    st = edgefile_extents_add(&p->edges, first, first + count);
    p->fingerprint += st == EDGEFILE_OK ? fingerprint : 0;
    pthread_mutex_unlock(&r->lock);
    return st == EDGEFILE_OK ? record_if_due(w) : st;
}

int edgefile_recorder_add_pointers(edgefile_output *w, int k, uint64_t first, uint64_t count)
{
    edgefile_recorder *r = w->recorder;
    int st;

    if (r == NULL) {
        return EDGEFILE_OK;
    }
    pthread_mutex_lock(&r->lock);
    st = edgefile_extents_add(&r->now.parts[k].pointers, first, first + count);
    pthread_mutex_unlock(&r->lock);
    return st == EDGEFILE_OK ? record_if_due(w) : st;
}

int edgefile_recorder_mark(edgefile_output *w, uint64_t row, uint64_t col, uint64_t edge)
{
    const struct edgefile_mark mark = {row, col, edge};
    edgefile_recorder *r = w->recorder;
    int st;

    if (r == NULL) {
        return EDGEFILE_OK;
    }
    pthread_mutex_lock(&r->lock);
    st = edgefile_record_mark(&r->now, &mark);
    pthread_mutex_unlock(&r->lock);
    return st;
}

int edgefile_recorder_save(edgefile_output *w)
{
    return w->recorder != NULL ? record(w) : EDGEFILE_OK;
}
