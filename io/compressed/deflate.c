/*
 * deflate.c - chunks of compressed datasets, by ISA-L: see codec.h.
 *
 * ISA-L's assembler for x86-64 (igzip_icf_body_h1_gr_bt.asm, label .write_first_byte; 2.30 to 2.32)
 * enters position 2 into its hash table under the hash of what a register happens to hold: bits 16
 * to 47 of the stream's address.  Usually nothing comes of that.  But if the hash is that of
 * position 0, 1 or 2, a match may be missed or found that is not otherwise, and the same elements
 * become other bytes, about once in 20,000 chunks.  So a chunk is encoded again then, by a stream
 * at another address.
 */
#include "io/compressed/codec.h"
#include "io/reader.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <string.h>

/* Level 1.  Level 0 writes 20 % more bytes of sorted ids and is slower; level 2 gains 0.2 %; level
 * 3 takes five times as long, and its bytes depend on the processor. */
enum { LEVEL = 1, LEVEL_BYTES = ISAL_DEF_LVL1_EXTRA_LARGE };

enum { BLOCK = 4096 }; /* elements that are shuffled at once: they stay in the L1 cache */

enum { STREAMS = 4 }; /* one more than there are positions that an address can disturb */

struct edgefile_codec {
    struct isal_zstream deflate[STREAMS]; /* more than 64 KiB each, so bits 16 and on differ */
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

/* ISA-L's hash of four bytes: CRC-32C from 0, without a last inversion. */
static uint32_t hash_of(uint32_t bytes)
{
    for (int i = 0; i < 32; i++) {
        bytes = bytes >> 1 ^ (0x82F63B78u & -(bytes & 1));
    }
    return bytes;
}

/* Whether the stream's address has a hash that may have changed the result. */
static bool is_disturbed(const struct isal_zstream *z, const uint8_t *from, size_t bytes)
{
    const uint32_t mask = z->internal_state.hash_mask;
    const uint32_t address = hash_of((uint32_t)((uintptr_t)z >> 16));
    bool disturbed = false;

    for (size_t at = 0; at < 3 && at + sizeof(uint32_t) <= bytes; at++) {
        uint32_t word;

        memcpy(&word, from + at, sizeof word);
        disturbed |= ((hash_of(word) ^ address) & mask) == 0;
    }
    return disturbed;
}

static size_t deflate(edgefile_codec *c, struct isal_zstream *z, void *to, size_t bytes)
{
    isal_deflate_init(z); /* isal_deflate_stateless_init() leaves hist_bits as they are */
    z->level = LEVEL;
    z->level_buf = c->level;
    z->level_buf_size = LEVEL_BYTES;
    z->gzip_flag = IGZIP_ZLIB;
    z->end_of_stream = 1;
    z->flush = NO_FLUSH;
    z->next_in = c->shuffled;
    z->avail_in = (uint32_t)bytes;
    z->next_out = to;
    z->avail_out = (uint32_t)edgefile_codec_room(bytes);
    return isal_deflate_stateless(z) == COMP_OK && z->avail_in == 0 ? z->total_out : 0;
}

size_t edgefile_codec_encode(edgefile_codec *c, void *to, const void *from, size_t count,
                             size_t width)
{
    const size_t bytes = count * width;
    size_t encoded = 0;

    if (width == 4) {
        shuffle32(c->shuffled, from, count);
    } else {
        shuffle64(c->shuffled, from, count);
    }
    for (int i = 0; i < STREAMS; i++) {
        encoded = deflate(c, &c->deflate[i], to, bytes);
        if (!is_disturbed(&c->deflate[i], c->shuffled, bytes)) {
            break;
        }
    }
    return encoded;
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
