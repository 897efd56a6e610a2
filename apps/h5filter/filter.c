/*
 * filter.c - a plug-in for HDF5: the filter that makes the edges of virtual files.
 *
 * HDF5 hands over the parameters of the filter and the stored bytes of a chunk, both described in
 * io/virtual/frame.h, and gets the elements of one dataset in that chunk.  Anything unexpected, a
 * file of a newer version or a checksum that does not match, makes the read fail; a plug-in has no
 * means to say why, but `rmat info FILE` has.  Data is never written through the filter.
 *
 * The headers of HDF5 are included for its declarations only.  The plug-in calls no function of the
 * library, so that one plug-in serves all versions from 1.10 on, however the program that loads it
 * is linked.  It allocates by malloc() what HDF5 releases by free(), as all plug-ins do.
 */
#include "apps/common/huge_alloc.h"
#include "apps/h5filter/chunk_cache.h"
#include "io/virtual/frame.h"

#include <H5PLextern.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "datasets are little-endian");

/* Chunks from this size on are worth huge pages: malloc() gets them from the system each time. */
enum { LARGE = 1 << 21 };

static bool is_frame(const unsigned *words, size_t n)
{
    return n > EDGEFILE_FRAME_WORDS && n <= EDGEFILE_FRAME_MAX &&
           words[EDGEFILE_FRAME_VERSION_WORD] == EDGEFILE_FRAME_VERSION &&
           words[EDGEFILE_FRAME_WEIGHT] <= 1 &&
           words[EDGEFILE_FRAME_COLUMN] < 2 + words[EDGEFILE_FRAME_WEIGHT] &&
           (words[EDGEFILE_FRAME_ID_BYTES] == 4 || words[EDGEFILE_FRAME_ID_BYTES] == 8) &&
           words[EDGEFILE_FRAME_CHUNK] != 0 &&
           words[EDGEFILE_FRAME_CHUNK] <= EDGEFILE_FRAME_MOST_CHUNK;
}

/* Is this a chunk of the dataset?  Its first edge. */
static bool is_chunk(const unsigned *words, size_t n, const unsigned char *stored, size_t bytes,
                     uint64_t *first)
{
    unsigned char expected[EDGEFILE_FRAME_PAYLOAD];

    *first = 0;
    if (bytes != sizeof expected) {
        return false;
    }
    for (int i = 0; i < 8; i++) {
        *first |= (uint64_t)stored[i] << 8 * i;
    }
    edgefile_frame_payload(edgefile_frame_state(words, n), *first, expected);
    return memcmp(stored, expected, sizeof expected) == 0 && *first < edgefile_frame_edges(words) &&
           *first % words[EDGEFILE_FRAME_CHUNK] == 0;
}

/* Returns the bytes in *buffer, or 0: the chunk cannot be read. */
static size_t make_chunk(unsigned flags, size_t n, const unsigned words[], size_t stored,
                         size_t *size, void **buffer)
{
    uint64_t first;
    size_t bytes;
    void *made;

    if (!(flags & H5Z_FLAG_REVERSE) || !is_frame(words, n) ||
        !is_chunk(words, n, *buffer, stored, &first)) {
        return 0;
    }
    bytes = (size_t)words[EDGEFILE_FRAME_CHUNK] *
            edgefile_frame_width(words, words[EDGEFILE_FRAME_COLUMN]);
    made = bytes < LARGE ? malloc(bytes) : huge_alloc(bytes);
    if (made == NULL || chunk_cache_copy(words, n, first, made) != 0) {
        free(made);
        return 0;
    }
    free(*buffer);
    *buffer = made;
    *size = bytes;
    return bytes;
}

static const H5Z_class2_t filter = {
    .version = H5Z_CLASS_T_VERS,
    .id = EDGEFILE_FRAME_FILTER,
    .encoder_present = 0,
    .decoder_present = 1,
    .name = EDGEFILE_FRAME_NAME,
    .filter = make_chunk,
};

__attribute__((visibility("default"))) H5PL_type_t H5PLget_plugin_type(void)
{
    return H5PL_TYPE_FILTER;
}

__attribute__((visibility("default"))) const void *H5PLget_plugin_info(void)
{
    return &filter;
}
