/* deflate.c - chunks of compressed datasets, by ISA-L: see codec.h. */
#include "io/compressed/codec.h"
#include "io/private.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

/* Level 1.  Level 0 writes 20 % more bytes of sorted ids and is slower; level 2 gains 0.2 %; level
 * 3 takes five times as long, and its bytes depend on the processor. */
enum { LEVEL = 1, LEVEL_BYTES = ISAL_DEF_LVL1_EXTRA_LARGE };

enum { BLOCK = 4096 }; /* elements that are shuffled at once: they stay in the L1 cache */

struct edgefile_codec {
    struct isal_zstream deflate;
    struct inflate_state inflate;
    uint8_t level[LEVEL_BYTES];
    uint8_t shuffled[];
};

int edgefile_codec_check(void)
{
    return EDGEFILE_OK;
}

/* Where deflate gains nothing it stores blocks of up to 65535 bytes with 5 more each; ISA-L also
 * wants some room to look ahead. */
size_t edgefile_codec_room(size_t bytes)
{
    return bytes + bytes / 1024 + 1024;
}

edgefile_codec *edgefile_codec_new(size_t bytes)
{
    return malloc(sizeof(edgefile_codec) + bytes);
}

void edgefile_codec_free(edgefile_codec *c)
{
    free(c);
}

static void shuffle32(uint8_t *to, const uint32_t *from, size_t count)
{
    for (size_t at = 0; at < count; at += BLOCK) {
        const size_t n = count - at < BLOCK ? count - at : BLOCK;

        for (size_t k = 0; k < sizeof *from; k++) {
            uint8_t *plane = to + k * count + at;

            for (size_t i = 0; i < n; i++) {
                plane[i] = (uint8_t)(from[at + i] >> 8 * k);
            }
        }
    }
}

static void shuffle64(uint8_t *to, const uint64_t *from, size_t count)
{
    for (size_t at = 0; at < count; at += BLOCK) {
        const size_t n = count - at < BLOCK ? count - at : BLOCK;

        for (size_t k = 0; k < sizeof *from; k++) {
            uint8_t *plane = to + k * count + at;

            for (size_t i = 0; i < n; i++) {
                plane[i] = (uint8_t)(from[at + i] >> 8 * k);
            }
        }
    }
}

static void unshuffle32(uint32_t *to, const uint8_t *from, size_t count)
{
    const uint8_t *b = from + count, *c = b + count, *d = c + count;

    for (size_t i = 0; i < count; i++) {
        to[i] =
            (uint32_t)from[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24;
    }
}

static void unshuffle64(uint64_t *to, const uint8_t *from, size_t count)
{
    for (size_t at = 0; at < count; at += BLOCK) {
        const size_t n = count - at < BLOCK ? count - at : BLOCK;

        memset(to + at, 0, n * sizeof *to);
        for (size_t k = 0; k < sizeof *to; k++) {
            const uint8_t *plane = from + k * count + at;

            for (size_t i = 0; i < n; i++) {
                to[at + i] |= (uint64_t)plane[i] << 8 * k;
            }
        }
    }
}

size_t edgefile_codec_encode(edgefile_codec *c, void *to, const void *from, size_t count,
                             size_t width)
{
    struct isal_zstream *z = &c->deflate;

    if (width == 4) {
        shuffle32(c->shuffled, from, count);
    } else {
        shuffle64(c->shuffled, from, count);
    }
    isal_deflate_init(z); /* isal_deflate_stateless_init() leaves hist_bits as they are */
    z->level = LEVEL;
    z->level_buf = c->level;
    z->level_buf_size = LEVEL_BYTES;
    z->gzip_flag = IGZIP_ZLIB;
    z->end_of_stream = 1;
    z->flush = NO_FLUSH;
    z->next_in = c->shuffled;
    z->avail_in = (uint32_t)(count * width);
    z->next_out = to;
    z->avail_out = (uint32_t)edgefile_codec_room(count * width);
    return isal_deflate_stateless(z) == COMP_OK && z->avail_in == 0 ? z->total_out : 0;
}

bool edgefile_codec_decode(edgefile_codec *c, void *to, size_t count, size_t width,
                           const void *from, size_t bytes)
{
    struct inflate_state *z = &c->inflate;

    isal_inflate_init(z);
    z->crc_flag = ISAL_ZLIB;
    z->next_in = (uint8_t *)from;
    z->avail_in = (uint32_t)bytes;
    z->next_out = c->shuffled;
    z->avail_out = (uint32_t)(count * width);
    if (isal_inflate_stateless(z) != ISAL_DECOMP_OK || z->block_state != ISAL_BLOCK_FINISH ||
        z->avail_out != 0 || z->avail_in != 0) {
        return false;
    }
    if (width == 4) {
        unshuffle32(to, c->shuffled, count);
    } else {
        unshuffle64(to, c->shuffled, count);
    }
    return true;
}
