/*
 * recorder.c - what this process has written of a graph, and the record of it.
 *
 * A thread that has written a chunk adds it to the sets.  If the last record is old enough, that
 * thread takes a copy of the sets, syncs all files, and records the copy: chunks that other threads
 * write meanwhile belong to the next record.
 */
#include "io/resume/record.h"
#include "io/resume/resume.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
