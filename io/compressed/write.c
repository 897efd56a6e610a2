/*
 * write.c - the write path of compressed files.
 *
 * How far the edges will reach is not known before all of them are encoded.  So pointers are
 * written behind the furthest place that edges could take, where the file has a hole until then,
 * and moved up at the end: they take a few hundredths of a CSR file.  A group of processes writes
 * them last.
 */
#include "io/compressed/write.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The places of a column's chunks, at most. */
static uint64_t most_bytes(const edgefile_index *x)
{
    return x->n *
           edgefile_chunk_page(edgefile_codec_room(edgefile_index_chunk(x) * (uint64_t)x->width));
}

int edgefile_compressed_bytes(const void *values, uint64_t count, size_t width, uint64_t *bytes)
{
    edgefile_codec *codec = edgefile_codec_new(EDGEFILE_CHUNK * width);
    char *to = malloc(edgefile_codec_room(EDGEFILE_CHUNK * width));

    *bytes = 0;
    for (uint64_t at = 0; at < count && codec != NULL && to != NULL; at += EDGEFILE_CHUNK) {
        const uint64_t left = count - at;

        *bytes += edgefile_chunk_page(
            edgefile_codec_encode(codec, to, (const char *)values + at * width,
                                  (size_t)(left < EDGEFILE_CHUNK ? left : EDGEFILE_CHUNK), width));
    }
    free(to);
    edgefile_codec_free(codec);
    return codec != NULL && to != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);
}

static int open_indices(edgefile_output *w, edgefile_part *p, edgefile_compressed *c, uint64_t *end)
{
    uint64_t roots[EDGEFILE_N_DATASETS];
    int n = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (edgefile_is_compressed(&w->schema, i, p->edges)) {
            EDGEFILE_TRY(edgefile_index_init(&c->index[i], edgefile_length(&w->schema, i, p->edges),
                                             edgefile_width(&w->schema, i), p->path));
            n++;
        }
    }
    EDGEFILE_TRY(edgefile_compressed_look(p->path, p->fd, end, roots, n));
    for (int i = EDGEFILE_N_DATASETS - 1; i >= 0; i--) {
        if (c->index[i].n > 0) {
            c->index[i].root = roots[--n];
        }
    }
    return EDGEFILE_OK;
}

static int open_compressed(edgefile_output *w, edgefile_part *p)
{
    edgefile_compressed *c = calloc(1, sizeof *c);
    uint64_t end, most = 0;

    if (c == NULL) {
        return edgefile_no_memory(w->partial);
    }
    pthread_mutex_init(&c->lock, NULL);
    w->compressed = c;
    edgefile_lane_init(&c->edges, p, true, w->size > 1);
    edgefile_lane_init(&c->pointers, p, false, false);
    EDGEFILE_TRY(open_indices(w, p, c, &end));
    EDGEFILE_TRY(edgefile_positional_ops.open(w, p));
    c->first_edges = w->schema.format == EDGEFILE_CSR ? EDGEFILE_DST : EDGEFILE_SRC;
    for (int i = c->first_edges; i < EDGEFILE_N_DATASETS; i++) {
        c->n_edges += c->index[i].n > 0;
        most += c->index[i].n > 0 ? most_bytes(&c->index[i]) : 0;
    }
    c->edges.base = c->edges.end = edgefile_chunk_page(end);
    c->pointers.base = c->pointers.end = c->edges.base + most;
    return EDGEFILE_OK;
}

static int write_compressed(edgefile_output *w, edgefile_part *p, uint64_t first, uint64_t count,
                            const void *const data[EDGEFILE_N_DATASETS])
{
    (void)p;
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (data[i] != NULL) {
            EDGEFILE_TRY(edgefile_chunks_add(w, i, first, count, data[i]));
        }
    }
    return EDGEFILE_OK;
}

/* The pointers' chunks up to the end of those of the edges. */
static int move_pointers(const edgefile_part *p, edgefile_compressed *c)
{
    edgefile_index *x = &c->index[EDGEFILE_POINTERS];
    const uint64_t room = edgefile_chunk_page(edgefile_codec_room(EDGEFILE_CHUNK * 8));
    char *data = malloc(room);
    int st = data != NULL ? EDGEFILE_OK : edgefile_no_memory(p->path);

    for (uint64_t k = 0; k < x->n && st == EDGEFILE_OK; k++) {
        const uint64_t bytes = edgefile_chunk_page(x->chunk[k].bytes);

        if (edgefile_get(p->fd, x->chunk[k].offset, bytes, data) < bytes ||
            edgefile_put(p->fd, -1, c->edges.end, bytes, data) < bytes) {
            st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", p->path);
        }
        x->chunk[k].offset = c->edges.end;
        c->edges.end += bytes;
    }
    free(data);
    return st;
}

/* What is missing shows when the writer is committed. */
static bool is_complete(const edgefile_output *w, const edgefile_compressed *c)
{
    const bool csr = edgefile_is_pointers(w, EDGEFILE_POINTERS);
    const uint64_t edges = edgefile_edge_chunks(c), pointers = c->index[EDGEFILE_POINTERS].n;

    if (w->size > 1) {
        return c->edges.next == edges + (csr ? pointers : 0);
    }
    return c->edges.next == edges && (!csr || c->pointers.next == pointers);
}

static int write_indices(const edgefile_part *p, edgefile_compressed *c)
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (c->index[i].n > 0) {
            c->index[i].nodes = c->edges.end;
            c->edges.end += edgefile_index_bytes(&c->index[i]);
            EDGEFILE_TRY(edgefile_index_write(&c->index[i], p->fd, p->path));
        }
    }
    return edgefile_compressed_set_end(p->path, p->fd, c->edges.end);
}

static int finish_compressed(edgefile_output *w, edgefile_part *p)
{
    edgefile_compressed *c = w->compressed;

    if (!is_complete(w, c)) {
        return EDGEFILE_OK;
    }
    if (w->size > 1) {
        edgefile_compressed_gather(w);
    } else if (edgefile_is_pointers(w, EDGEFILE_POINTERS)) {
        EDGEFILE_TRY(move_pointers(p, c));
    }
    return w->rank == 0 ? write_indices(p, c) : EDGEFILE_OK;
}

static int close_compressed(edgefile_output *w, edgefile_part *p)
{
    edgefile_compressed *c = w->compressed;

    w->compressed = NULL;
    edgefile_positional_ops.close(w, p);
    if (c == NULL) {
        return EDGEFILE_OK;
    }
    edgefile_lane_free(&c->edges);
    edgefile_lane_free(&c->pointers);
    edgefile_chunks_free(c);
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        edgefile_index_free(&c->index[i]);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
    return EDGEFILE_OK;
}

const edgefile_write_ops edgefile_compressed_ops = {.open = open_compressed,
                                                    .write = write_compressed,
                                                    .close = close_compressed,
                                                    .end_round = edgefile_compressed_end_round,
                                                    .finish = finish_compressed};
