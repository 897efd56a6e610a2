/* io/formats/parse_bin.c - pairs of little-endian integers. */
#include "io/formats/reader.h"

#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static uint64_t pair_bytes(const graphfile_reader *r)
{
    return r->format == GRAPHFILE_BIN32 ? 8 : 16;
}

static int open_bin(graphfile_reader *r)
{
    const uint64_t pair = pair_bytes(r), rest = r->bytes % pair;

    if (rest != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: byte %" PRIu64 ": %" PRIu64
                             " bytes behind the last pair, expected pairs of %" PRIu64 " bytes",
                             r->name, r->bytes - rest, rest, pair);
    }
    r->piece = r->piece / pair * pair;
    r->piece = r->piece > 0 ? r->piece : pair;
    return EDGEFILE_OK;
}

static uint64_t id_at(const unsigned char *from, int bytes)
{
    uint64_t wide;
    uint32_t narrow;

    if (bytes == 4) {
        memcpy(&narrow, from, sizeof narrow);
        return le32toh(narrow);
    }
    memcpy(&wide, from, sizeof wide);
    return le64toh(wide);
}

static int put_pairs(graphfile_reader *r, uint64_t offset, const unsigned char *from, size_t bytes,
                     graphfile_batch *b)
{
    const int width = (int)(pair_bytes(r) / 2);
    int st = EDGEFILE_OK;

    for (size_t i = 0; i < bytes && st == EDGEFILE_OK; i += 2 * (size_t)width) {
        uint64_t src = id_at(from + i, width), dst = id_at(from + i + width, width);

        if (src > GRAPHFILE_HIGHEST || dst > GRAPHFILE_HIGHEST) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: byte %" PRIu64 ": %s is %" PRIu64 ", expected 0 to %" PRIu64,
                                 r->name,
                                 offset + i + (src > GRAPHFILE_HIGHEST ? 0 : (size_t)width),
                                 src > GRAPHFILE_HIGHEST ? "src" : "dst",
                                 src > GRAPHFILE_HIGHEST ? src : dst, GRAPHFILE_HIGHEST);
        }
        st = graphfile_put(b, src, dst, 0);
    }
    return st;
}

static int parse_bin(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    const uint64_t offset = piece * r->piece, left = r->bytes - offset;
    const size_t bytes = (size_t)(left < r->piece ? left : r->piece);
    unsigned char *memory = malloc(bytes);
    int st;

    if (memory == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", r->name);
    }
    st = graphfile_pread(r, offset, memory, bytes);
    if (st == EDGEFILE_OK) {
        st = put_pairs(r, offset, memory, bytes, b);
    }
    free(memory);
    return st;
}

const graphfile_read_ops graphfile_bin_read = {.open = open_bin, .parse = parse_bin};
