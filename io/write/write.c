/* write.c - hands edges to the part that they belong to. */
#include "io/private.h"

/* Opens a shard of another process when this process first writes edges to it. */
static int make_ready(edgefile_writer *w, int k)
{
    edgefile_part *p = &w->parts[k];
    int st = EDGEFILE_OK;

    if (atomic_load(&p->ready)) {
        return EDGEFILE_OK;
    }
    if (w->ops == &edgefile_hdf5_ops) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             "%s: shard %d belongs to another process, and HDF5 takes one writer "
                             "per file",
                             w->partial, k);
    }
    pthread_mutex_lock(&w->joining);
    if (!atomic_load(&p->ready)) {
        st = edgefile_part_attach(w, k, NULL);
        if (st == EDGEFILE_OK) {
            st = edgefile_part_begin(w, k);
        }
        if (st != EDGEFILE_OK) {
            edgefile_part_close(w, p);
        }
    }
    pthread_mutex_unlock(&w->joining);
    return st;
}

static int check_range(const edgefile_writer *w, const char *what, uint64_t first, uint64_t count,
                       uint64_t length)
{
    if (first > length || count > length - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu %s at %llu, the file has %llu",
                             w->partial, (unsigned long long)count, what, (unsigned long long)first,
                             (unsigned long long)length);
    }
    return EDGEFILE_OK;
}

int edgefile_write(edgefile_writer *w, uint64_t first, uint64_t count, const void *src,
                   const void *dst, const void *weight, uint64_t fingerprint)
{
    const void *const data[EDGEFILE_N_DATASETS] = {src, dst, weight};
    edgefile_part *p;
    int k, st;

    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    st = check_range(w, "edges", first, count, w->edges);
    if (st != EDGEFILE_OK || count == 0) {
        return st;
    }
    if (w->schema.format == EDGEFILE_CSR && src != NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL", w->partial);
    }
    if ((w->schema.format == EDGEFILE_EDGES && src == NULL) || dst == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if ((weight == NULL) != (w->schema.weight == EDGEFILE_NO_WEIGHT)) {
        return edgefile_fail(EDGEFILE_ERR_ARG,
                             weight == NULL ? "%s: has weights, but weight is NULL"
                                            : "%s: has no weights, but weight is not NULL",
                             w->partial);
    }
    k = edgefile_part_of(w, first);
    p = &w->parts[k];
    if (count > p->start + p->edges - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges at %llu reach beyond shard %d",
                             w->partial, (unsigned long long)count, (unsigned long long)first, k);
    }
    EDGEFILE_TRY(make_ready(w, k));
    EDGEFILE_TRY(w->ops->write(w, p, first - p->start, count, data));
    atomic_fetch_add(&p->written, count);
    atomic_fetch_add(&p->fingerprint, fingerprint);
    return EDGEFILE_OK;
}

/* A CSR graph has one part. */
int edgefile_write_pointers(edgefile_writer *w, uint64_t first, uint64_t count,
                            const uint64_t *pointers)
{
    const void *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] = pointers};
    int st;

    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    if (w->schema.format != EDGEFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers", w->partial);
    }
    st = check_range(w, "pointers", first, count, w->schema.rows + 1);
    if (st != EDGEFILE_OK || count == 0) {
        return st;
    }
    if (pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    EDGEFILE_TRY(w->ops->write(w, &w->parts[0], first, count, data));
    atomic_fetch_add(&w->parts[0].pointers, count);
    return EDGEFILE_OK;
}

int edgefile_drain(edgefile_writer *w, int failed)
{
    if (w == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    }
    return w->ops->drain == NULL ? EDGEFILE_OK : w->ops->drain(w, failed != 0);
}

edgefile_path edgefile_used_path(const edgefile_writer *w)
{
    return w->path;
}

edgefile_layout edgefile_used_layout(const edgefile_writer *w)
{
    return w->layout;
}
