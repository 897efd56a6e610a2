/*
 * read.c - reads virtual files: the filter's parameters are checked when a file is opened, the
 * stored bytes of a chunk when edges in it are read, and the edges are made by the caller's maker.
 */
#include "io/edgefile_virtual.h"
#include "io/reader.h"
#include "io/virtual/frame.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024 };

static const edgefile_maker *_Atomic current;

void edgefile_set_maker(const edgefile_maker *maker)
{
    atomic_store(&current, maker);
}

int edgefile_is_virtual(const edgefile_reader *r)
{
    return r->is_virtual;
}

/* The words of a dataset, *n of EDGEFILE_FRAME_MAX at most. */
static int read_words(const edgefile_reader *r, const char *name, hid_t creation, uint32_t *words,
                      size_t *n)
{
    unsigned flags;

    *n = EDGEFILE_FRAME_MAX;
    if (H5Pget_layout(creation) != H5D_CHUNKED || H5Pget_nfilters(creation) != 1 ||
        H5Pget_filter2(creation, 0, &flags, n, words, 0, NULL, NULL) != EDGEFILE_FRAME_FILTER) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' lacks the filter %d that virtual files have",
                             r->name, name, EDGEFILE_FRAME_FILTER);
    }
    if (*n > 0 && words[EDGEFILE_FRAME_VERSION_WORD] != EDGEFILE_FRAME_VERSION) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: dataset '%s': version %" PRIu32 " of virtual files is not known here, only %d",
            r->name, name, words[EDGEFILE_FRAME_VERSION_WORD], EDGEFILE_FRAME_VERSION);
    }
    return EDGEFILE_OK;
}

/* Do the words agree with what HDF5 says of the dataset, and with the other datasets? */
static bool is_consistent(const edgefile_reader *r, int i, hid_t creation, const uint32_t *words,
                          size_t n)
{
    const size_t behind = EDGEFILE_FRAME_COLUMN + 1;
    hsize_t chunk = 0;

    return n > EDGEFILE_FRAME_WORDS && n <= EDGEFILE_FRAME_MAX &&
           H5Pget_chunk(creation, 1, &chunk) == 1 && chunk > 0 &&
           chunk <= EDGEFILE_FRAME_MOST_CHUNK && words[EDGEFILE_FRAME_CHUNK] == chunk &&
           words[EDGEFILE_FRAME_COLUMN] == (uint32_t)i &&
           words[EDGEFILE_FRAME_ID_BYTES] == (uint32_t)r->schema.id_bytes &&
           words[EDGEFILE_FRAME_WEIGHT] == r->has_weight &&
           edgefile_frame_edges(words) == r->edges && r->schema.format == EDGEFILE_EDGES &&
           (r->words == NULL || (r->n_words == n && memcmp(r->words + behind, words + behind,
                                                           (n - behind) * sizeof *words) == 0));
}

int edgefile_virtual_dataset(edgefile_reader *r, int i, hid_t creation)
{
    const char *name = edgefile_dataset_name(r->schema.format, i);
    uint32_t words[EDGEFILE_FRAME_MAX];
    size_t n;

    EDGEFILE_TRY(read_words(r, name, creation, words, &n));
    if (!is_consistent(r, i, creation, words, n)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s': the parameters of the filter contradict the file",
                             r->name, name);
    }
    r->frame_state[i] = edgefile_frame_state(words, n);
    if (r->words == NULL) {
        r->words = malloc(sizeof words);
        if (r->words == NULL) {
            return edgefile_no_memory(r->name);
        }
        memcpy(r->words, words, sizeof words);
        r->n_words = n;
    }
    return EDGEFILE_OK;
}

int edgefile_virtual_open(edgefile_reader *r)
{
    const edgefile_maker *maker = atomic_load(&current);
    char text[TEXT] = "this program cannot generate them";

    if (r->words == NULL) { /* a master of shards, which has no edges itself */
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is a virtual file, but has shards", r->name);
    }
    r->maker_ops = maker;
    if (maker == NULL || maker->open(&r->maker, r->words + EDGEFILE_FRAME_WORDS,
                                     r->n_words - EDGEFILE_FRAME_WORDS, text, sizeof text) != 0) {
        r->maker = NULL;
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the edges of this virtual file cannot be "
                             "made: %s",
                             r->name, text);
    }
    return EDGEFILE_OK;
}

void edgefile_virtual_close(edgefile_reader *r)
{
    if (r->maker != NULL) {
        ((const edgefile_maker *)r->maker_ops)->close(r->maker);
    }
    free(r->words);
}

/* Between edgefile_hdf5_begin() and edgefile_hdf5_end(). */
static int check_chunk(const edgefile_reader *r, int i, hsize_t first)
{
    const char *name = edgefile_dataset_name(r->schema.format, i);
    unsigned char stored[EDGEFILE_FRAME_PAYLOAD], expected[EDGEFILE_FRAME_PAYLOAD];
    hsize_t bytes = 0;
    uint32_t mask = 0;

    if (H5Dget_chunk_storage_size(r->dataset[i], &first, &bytes) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (bytes != sizeof stored) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s': the chunk at edge %" PRIu64 " has %" PRIu64
                             " bytes, expected %zu",
                             r->name, name, (uint64_t)first, (uint64_t)bytes, sizeof stored);
    }
    if (H5Dread_chunk(r->dataset[i], H5P_DEFAULT, &first, &mask, stored) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    edgefile_frame_payload(r->frame_state[i], first, expected);
    if (mask != 0 || memcmp(stored, expected, sizeof stored) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s': the checksum of the chunk at edge %" PRIu64
                             " is wrong",
                             r->name, name, (uint64_t)first);
    }
    return EDGEFILE_OK;
}

/* Checks the chunks with edges [first, end) of a dataset. */
static int check_chunks(const edgefile_reader *r, int i, uint64_t first, uint64_t end)
{
    const uint64_t chunk = r->words[EDGEFILE_FRAME_CHUNK];
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    for (uint64_t at = first - first % chunk; at < end && st == EDGEFILE_OK; at += chunk) {
        st = check_chunk(r, i, at);
    }
    edgefile_hdf5_end();
    return st;
}

int edgefile_virtual_read(edgefile_reader *r, uint64_t first, uint64_t count,
                          char *const data[EDGEFILE_N_DATASETS])
{
    const edgefile_maker *maker = r->maker_ops;
    char text[TEXT] = "";

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (data[i] != NULL) {
            EDGEFILE_TRY(check_chunks(r, i, first, first + count));
        }
    }
    if (count > 0 &&
        maker->fill(r->maker, first, count, r->schema.id_bytes, data[EDGEFILE_SRC],
                    data[EDGEFILE_DST], data[EDGEFILE_WEIGHT], text, sizeof text) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %s", r->name, text);
    }
    return EDGEFILE_OK;
}

int edgefile_virtual_check(edgefile_reader *r, const uint32_t *words, size_t n)
{
    if (r == NULL || words == NULL || !r->is_virtual) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is not that of a virtual file");
    }
    if (n != r->n_words - EDGEFILE_FRAME_WORDS ||
        memcmp(words, r->words + EDGEFILE_FRAME_WORDS, n * sizeof *words) != 0) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: the model in the parameters of the filter differs from that of the attributes",
            r->name);
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (r->dataset[i] >= 0) {
            EDGEFILE_TRY(check_chunks(r, i, 0, r->edges));
        }
    }
    return EDGEFILE_OK;
}
