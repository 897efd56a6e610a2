/*
 * read.c - reads compressed files.
 *
 * HDF5 opens the file and reads its attributes; chunks are read and decoded without it.  Opening
 * checks that the indices are those that the writer makes and that the chunks lie where their sizes
 * say (compressed.h); the checksum of each chunk covers the rest.
 */
#include "io/compressed/compressed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct edgefile_inflating {
    int fd;
    edgefile_index index[EDGEFILE_N_DATASETS];
    uint64_t begin, end;              /* of the chunks */
    edgefile_ahead *edges, *pointers; /* pointers: of a CSR file, else NULL */
};

/* Threads for pointers, which are few, and wait while edges are worked on. */
enum { EDGE_WORKERS = 16, POINTER_WORKERS = 2 };

const edgefile_index *edgefile_inflating_index(const edgefile_reader *r, int dataset)
{
    return &r->inflating->index[dataset];
}

static const char *name_of(const edgefile_reader *r, int dataset)
{
    return edgefile_dataset_name(r->schema.format, dataset);
}

static uint64_t raw_bytes(const edgefile_index *x)
{
    return edgefile_index_chunk(x) * (uint64_t)x->width;
}

/* Does the chunk lie where the ones before it end? */
static int check_place(edgefile_reader *r, int dataset, uint64_t k, uint64_t file_bytes)
{
    struct edgefile_inflating *y = r->inflating;
    const edgefile_index *x = &y->index[dataset];
    const edgefile_chunk *c = &x->chunk[k];

    if (y->end == 0) {
        y->begin = y->end = edgefile_chunk_page(c->offset);
    }
    if (c->offset != y->end || c->bytes == 0 || c->bytes > edgefile_codec_room(raw_bytes(x)) ||
        c->offset > file_bytes || edgefile_chunk_page(c->bytes) > file_bytes - c->offset) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: chunk %" PRIu64 " of dataset '%s' cannot have %" PRIu64
                             " bytes at byte %" PRIu64,
                             r->name, k, name_of(r, dataset), c->bytes, c->offset);
    }
    y->end += edgefile_chunk_page(c->bytes);
    return EDGEFILE_OK;
}

static int check_places(edgefile_reader *r, uint64_t file_bytes)
{
    struct edgefile_inflating *y = r->inflating;
    const bool csr = r->schema.format == EDGEFILE_CSR;

    for (uint64_t k = 0; k < y->index[EDGEFILE_DST].n; k++) {
        for (int i = csr ? EDGEFILE_DST : EDGEFILE_SRC; i < EDGEFILE_N_DATASETS; i++) {
            if (y->index[i].n > 0) {
                EDGEFILE_TRY(check_place(r, i, k, file_bytes));
            }
        }
    }
    for (uint64_t k = 0; csr && k < y->index[EDGEFILE_POINTERS].n; k++) {
        EDGEFILE_TRY(check_place(r, EDGEFILE_POINTERS, k, file_bytes));
    }
    return EDGEFILE_OK;
}

static int read_indices(edgefile_reader *r, uint64_t file_bytes)
{
    struct edgefile_inflating *y = r->inflating;
    uint64_t roots[EDGEFILE_N_DATASETS], end;
    int n = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        n += edgefile_is_compressed(&r->schema, i, r->edges);
    }
    EDGEFILE_TRY(edgefile_compressed_look(r->name, y->fd, &end, roots, n));
    n = 0;
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t length = edgefile_length(&r->schema, i, r->edges);

        if (!edgefile_is_compressed(&r->schema, i, r->edges)) {
            continue;
        }
        if (length / EDGEFILE_CHUNK > file_bytes / EDGEFILE_CHUNK_PAGE) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: is too short for the chunks of dataset '%s'", r->name,
                                 name_of(r, i));
        }
        EDGEFILE_TRY(
            edgefile_index_init(&y->index[i], length, edgefile_width(&r->schema, i), r->name));
        y->index[i].root = roots[n++];
        EDGEFILE_TRY(edgefile_index_read(&y->index[i], y->fd, r->name, name_of(r, i)));
    }
    return check_places(r, file_bytes);
}

int edgefile_inflating_open(edgefile_reader *r, uint64_t file_bytes)
{
    const unsigned pointers = 1U << EDGEFILE_POINTERS;
    unsigned edges = (1U << EDGEFILE_N_DATASETS) - 1;
    struct edgefile_inflating *y = calloc(1, sizeof *y);

    r->inflating = y;
    if (y == NULL) {
        return edgefile_no_memory(r->name);
    }
    y->fd = edgefile_open_fd(r->name);
    if (y->fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", r->name);
    }
    if (edgefile_codec_check() != EDGEFILE_OK) {
        return EDGEFILE_ERR_OPEN; /* the file may be in order: it is this build that cannot read it
                                   */
    }
    EDGEFILE_TRY(read_indices(r, file_bytes));
    if (r->schema.format == EDGEFILE_CSR) {
        y->pointers = edgefile_ahead_new(r, pointers, POINTER_WORKERS);
        edges &= ~pointers;
    }
    y->edges = edgefile_ahead_new(r, edges, EDGE_WORKERS);
    return y->edges != NULL && (y->pointers != NULL || r->schema.format != EDGEFILE_CSR)
               ? EDGEFILE_OK
               : edgefile_no_memory(r->name);
}

void edgefile_inflating_close(struct edgefile_inflating *y)
{
    if (y == NULL) {
        return;
    }
    edgefile_ahead_free(y->edges);
    edgefile_ahead_free(y->pointers);
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        edgefile_index_free(&y->index[i]);
    }
    if (y->fd >= 0) {
        close(y->fd);
    }
    free(y);
}

static bool is_zero(const char *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

int edgefile_inflate(const edgefile_reader *r, int dataset, uint64_t chunk, edgefile_codec *codec,
                     char *memory, char *to)
{
    const struct edgefile_inflating *y = r->inflating;
    const edgefile_index *x = &y->index[dataset];
    const edgefile_chunk *c = &x->chunk[chunk];
    const uint64_t bytes = edgefile_chunk_page(c->bytes);
    const uint64_t done = edgefile_get(y->fd, c->offset, bytes, memory);

    if (done < bytes) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %s", r->name,
                             c->offset + done, errno == 0 ? "the file ends" : strerror(errno));
    }
    if (!edgefile_codec_decode(codec, to, edgefile_index_chunk(x), (size_t)x->width, memory,
                               c->bytes) ||
        !is_zero(memory + c->bytes, bytes - c->bytes)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: chunk %" PRIu64 " of dataset '%s' at byte %" PRIu64 " is damaged",
                             r->name, chunk, name_of(r, dataset), c->offset);
    }
    return EDGEFILE_OK;
}

static int read_columns(const edgefile_reader *r, edgefile_ahead *ahead, uint64_t first,
                        uint64_t count, char *const data[EDGEFILE_N_DATASETS])
{
    unsigned wanted = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        wanted |= data[i] != NULL ? 1U << i : 0;
    }
    for (uint64_t done = 0, part; done < count; done += part) {
        const uint64_t at = (first + done) % EDGEFILE_CHUNK, room = EDGEFILE_CHUNK - at;
        char *const *column;

        part = count - done < room ? count - done : room;
        EDGEFILE_TRY(edgefile_ahead_get(ahead, (first + done) / EDGEFILE_CHUNK, wanted, &column));
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            const uint64_t width = (uint64_t)edgefile_width(&r->schema, i);

            if (data[i] != NULL) {
                memcpy(data[i] + done * width, column[i] + at * width, part * width);
            }
        }
    }
    return EDGEFILE_OK;
}

int edgefile_inflating_read(edgefile_reader *r, uint64_t first, uint64_t count,
                            char *const data[EDGEFILE_N_DATASETS])
{
    const struct edgefile_inflating *y = r->inflating;
    const bool pointers = r->schema.format == EDGEFILE_CSR && data[EDGEFILE_POINTERS] != NULL;

    return read_columns(r, pointers ? y->pointers : y->edges, first, count, data);
}

int edgefile_inflating_ranges(const edgefile_reader *r, edgefile_chunk *range)
{
    const struct edgefile_inflating *y = r->inflating;
    int n = 0;

    range[n++] = (edgefile_chunk){y->begin, y->end - y->begin};
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (y->index[i].n > 0 && edgefile_index_bytes(&y->index[i]) > 0) {
            range[n++] = (edgefile_chunk){y->index[i].nodes, edgefile_index_bytes(&y->index[i])};
        }
    }
    return n;
}
