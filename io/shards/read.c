/*
 * read.c - reads the shards of a master.
 *
 * Edges are read from the shards themselves, not through HDF5's virtual datasets, which give fill
 * values if a shard is missing.  All shards are opened and checked once in the beginning; after
 * that the one is open whose edges were read last, and the one whose pointers were.
 */
#include "io/files.h"
#include "io/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* *base: the path of the shards without ".shards", beside the file that `name` stands for, named as
 * the attribute says. */
static int find_base(char **base, const char *name, const char *folder)
{
    const size_t length = strlen(folder), end = strlen(".shards");
    char *real, *slash;
    int st = EDGEFILE_OK;

    if (length <= end || strcmp(folder + length - end, ".shards") != 0 || strchr(folder, '/')) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'shard_folder' is '%s'", name,
                             folder);
    }
    real = realpath(name, NULL);
    slash = real == NULL ? NULL : strrchr(real, '/');
    if (slash == NULL ||
        asprintf(base, "%.*s/%.*s", (int)(slash - real), real, (int)(length - end), folder) < 0) {
        st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_OPEN), "%s: %m", name);
        *base = NULL;
    }
    free(real);
    return st;
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
                             "%s: has ids of %d bytes, but the shards before it have ids of %d",
                             shard->name, shard->schema.id_bytes, r->schema.id_bytes);
    }
    if (k > 0 && shard->edges > 0 && shard->schema.signed_ids != r->schema.signed_ids) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %s ids, but the shards before it do not",
                             shard->name, shard->schema.signed_ids ? "signed" : "unsigned");
    }
    if (shard->schema.format != r->schema.format) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is of another format than the master",
                             shard->name);
    }
    if (shard->first_row != r->list[k].first_row) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: begins with row %" PRIu64 ", expected %" PRIu64, shard->name,
                             shard->first_row, r->list[k].first_row);
    }
    if (r->schema.format == EDGEFILE_EDGES &&
        (shard->schema.weight != EDGEFILE_NO_WEIGHT) != r->has_weight) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %s", shard->name,
                             r->has_weight ? "no weights, but the master has weights"
                                           : "weights, but the master has none");
    }
    if (k > 0 && shard->schema.weight != r->schema.weight) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: has weights of another type than the shards before it",
                             shard->name);
    }
    return EDGEFILE_OK;
}

static int open_shard(const edgefile_reader *r, int k, edgefile_reader **shard)
{
    char *path = edgefile_shard_path(r->base, k), detail[1024];
    bool missing;
    int st;

    *shard = NULL;
    if (path == NULL) {
        return edgefile_no_memory(r->name);
    }
    st = edgefile_open_one(shard, path);
    /* A graph that lacks a shard is not whole; of one that cannot be opened nothing is known. */
    missing =
        st == EDGEFILE_ERR_OPEN && access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR);
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
    return edgefile_fail(missing ? EDGEFILE_ERR_FORMAT : st, "%s: shard %d of %d: %s", r->name, k,
                         r->shards, detail);
}

static int check_sums(const edgefile_reader *r, uint64_t fingerprint)
{
    if (r->list[r->shards].start != r->edges) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: its shards hold %" PRIu64 " edges, expected %" PRIu64, r->name,
                             r->list[r->shards].start, r->edges);
    }
    if (r->list[r->shards].first_row != r->schema.rows) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: its shards hold %" PRIu64 " rows, expected %" PRIu64, r->name,
                             r->list[r->shards].first_row, r->schema.rows);
    }
    if (fingerprint != r->fingerprint) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the fingerprints of its shards add up to %" PRIu64
                             ", expected %" PRIu64 ": a shard belongs to another graph",
                             r->name, fingerprint, r->fingerprint);
    }
    return EDGEFILE_OK;
}

int edgefile_read_shards_open(edgefile_reader *r)
{
    uint64_t fingerprint = 0;

    EDGEFILE_TRY(find_base(&r->base, r->name, r->folder));
    r->list = calloc((size_t)r->shards + 1, sizeof *r->list);
    if (r->list == NULL) {
        return edgefile_no_memory(r->name);
    }
    for (int k = 0; k < r->shards; k++) {
        edgefile_reader *shard;
        EDGEFILE_TRY(open_shard(r, k, &shard));
        if (k == 0) {
            r->schema.id_bytes = shard->schema.id_bytes;
            r->schema.signed_ids = shard->schema.signed_ids;
            r->schema.weight = shard->schema.weight;
        }
        r->list[k].fingerprint = shard->fingerprint;
        r->list[k + 1].start = r->list[k].start + shard->edges;
        r->list[k + 1].first_row = r->list[k].first_row + shard->schema.rows;
        fingerprint += shard->fingerprint;
        edgefile_close(shard);
    }
    return check_sums(r, fingerprint);
}

static int open_once(edgefile_reader *r, struct edgefile_open_shard *last, int k)
{
    if (last->reader != NULL && last->shard == k) {
        return EDGEFILE_OK;
    }
    edgefile_close(last->reader);
    last->reader = NULL;
    EDGEFILE_TRY(open_shard(r, k, &last->reader));
    if (last->reader->edges != r->list[k + 1].start - r->list[k].start ||
        last->reader->schema.rows != r->list[k + 1].first_row - r->list[k].first_row ||
        last->reader->fingerprint != r->list[k].fingerprint) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: was changed while it was read",
                             last->reader->name);
    }
    last->shard = k;
    return EDGEFILE_OK;
}

/* The last shard that does not begin behind the edge; empty shards are last. */
int edgefile_read_shard(edgefile_reader *r, uint64_t edge, edgefile_reader **shard, uint64_t *start)
{
    int low = 0, high = r->shards - 1;

    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (r->list[middle].start <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    EDGEFILE_TRY(open_once(r, &r->edges_from, low));
    *shard = r->edges_from.reader;
    *start = r->list[low].start;
    return EDGEFILE_OK;
}

/* The first shard whose rows end at the pointer or behind it. */
int edgefile_read_shard_of_pointer(edgefile_reader *r, uint64_t pointer, edgefile_reader **shard,
                                   uint64_t *start)
{
    int low = 0, high = r->shards - 1;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (r->list[middle + 1].first_row >= pointer) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    EDGEFILE_TRY(open_once(r, &r->pointers_from, low));
    *shard = r->pointers_from.reader;
    *start = r->list[low].first_row;
    return EDGEFILE_OK;
}
