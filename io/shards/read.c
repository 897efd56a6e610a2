/*
 * read.c - reads the shards of a master.
 *
 * Edges are read from the shards themselves, not through HDF5's virtual datasets, which give fill
 * values if a shard is missing.  All shards are opened and checked once in the beginning; after
 * that one is open at a time, the one that was read last.
 */
#include "io/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The path of the shards without ".shards": beside the file that `name` stands for, named as the
 * attribute says. */
static char *shard_base(const char *name, const char *folder)
{
    size_t length = strlen(folder), end = strlen(".shards");
    char *real, *slash, *base = NULL;

    if (length <= end || strcmp(folder + length - end, ".shards") != 0 || strchr(folder, '/')) {
        edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'shard_folder' is '%s'", name, folder);
        return NULL;
    }
    real = realpath(name, NULL);
    slash = real == NULL ? NULL : strrchr(real, '/');
    if (slash == NULL ||
        asprintf(&base, "%.*s/%.*s", (int)(slash - real), real, (int)(length - end), folder) < 0) {
        edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name);
        base = NULL;
    }
    free(real);
    return base;
}

static int check_shard(const edgefile_reader *r, int k, const edgefile_reader *shard)
{
    if (!shard->is_shard || shard->shard != (uint64_t)k ||
        shard->of_shards != (uint64_t)r->shards) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not shard %d of %d", shard->name, k,
                             r->shards);
    }
    if (shard->start != r->list[k].start) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: begins with edge %" PRIu64 ", expected %" PRIu64, shard->name,
                             shard->start, r->list[k].start);
    }
    if (k > 0 && shard->edges > 0 && shard->schema.id_bytes != r->schema.id_bytes) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has ids of %d bytes, the shards before of %d", shard->name,
                             shard->schema.id_bytes, r->schema.id_bytes);
    }
    if ((shard->schema.weight != EDGEFILE_NO_WEIGHT) != r->has_weight) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %s", shard->name,
                             r->has_weight ? "no weights, the master has some"
                                           : "weights, the master has none");
    }
    if (k > 0 && shard->schema.weight != r->schema.weight) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has weights of another type than the shards before", shard->name);
    }
    return EDGEFILE_OK;
}

static int open_shard(const edgefile_reader *r, int k, edgefile_reader **shard)
{
    char *path = edgefile_shard_path(r->base, k), detail[1024];
    int st;

    *shard = NULL;
    if (path == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = edgefile_open_one(shard, path);
    free(path);
    if (st == EDGEFILE_OK) {
        st = check_shard(r, k, *shard);
        if (st != EDGEFILE_OK) {
            edgefile_close(*shard);
        }
    }
    if (st == EDGEFILE_OK) {
        return st;
    }
    *shard = NULL;
    snprintf(detail, sizeof detail, "%s", edgefile_detail());
    return edgefile_fail(st == EDGEFILE_ERR_OPEN ? EDGEFILE_ERR_FORMAT : st,
                         "%s: shard %d of %d: %s", r->name, k, r->shards, detail);
}

static int check_sums(const edgefile_reader *r, uint64_t fingerprint)
{
    if (r->list[r->shards].start != r->edges) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: its shards hold %" PRIu64 " edges, expected %" PRIu64, r->name,
                             r->list[r->shards].start, r->edges);
    }
    if (fingerprint != r->fingerprint) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the fingerprints of its shards add up to %" PRIu64
                             ", expected %" PRIu64 ": a shard is of another graph",
                             r->name, fingerprint, r->fingerprint);
    }
    return EDGEFILE_OK;
}

int edgefile_read_shards_open(edgefile_reader *r)
{
    uint64_t fingerprint = 0;

    r->open_shard = -1;
    r->base = shard_base(r->name, r->folder);
    if (r->base == NULL) {
        return EDGEFILE_ERR_FORMAT;
    }
    r->list = calloc((size_t)r->shards + 1, sizeof *r->list);
    if (r->list == NULL) {
        return edgefile_no_memory(r->name);
    }
    for (int k = 0; k < r->shards; k++) {
        edgefile_reader *shard;
        EDGEFILE_TRY(open_shard(r, k, &shard));
        if (k == 0) {
            r->schema.id_bytes = shard->schema.id_bytes;
            r->schema.weight = shard->schema.weight;
        }
        r->list[k].fingerprint = shard->fingerprint;
        r->list[k + 1].start = r->list[k].start + shard->edges;
        fingerprint += shard->fingerprint;
        edgefile_close(shard);
    }
    return check_sums(r, fingerprint);
}

int edgefile_read_shard(edgefile_reader *r, uint64_t edge, edgefile_reader **shard, uint64_t *start)
{
    int low = 0, high = r->shards - 1;

    while (low <
           high) { /* the last shard that does not begin behind the edge; empty shards are last */
        int middle = low + (high - low + 1) / 2;
        if (r->list[middle].start <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if (r->open_shard != low) {
        edgefile_close(r->open);
        r->open = NULL;
        r->open_shard = -1;
        EDGEFILE_TRY(open_shard(r, low, &r->open));
        if (r->open->edges != r->list[low + 1].start - r->list[low].start ||
            r->open->fingerprint != r->list[low].fingerprint) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has changed meanwhile", r->open->name);
        }
        r->open_shard = low;
    }
    *shard = r->open;
    *start = r->list[low].start;
    return EDGEFILE_OK;
}
