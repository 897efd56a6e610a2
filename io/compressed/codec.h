/*
 * codec.h - the bytes of a chunk of a compressed dataset: HDF5's filters shuffle and deflate.
 *
 * Shuffle puts the first bytes of all elements first, then their second bytes, and so on, so that
 * the high bytes, which differ little, stand together.  Deflate makes a zlib stream of that, whose
 * checksum covers the elements.
 *
 * deflate.c does this with ISA-L, which writes the same bytes on every x86-64 processor with SSE4.2
 * and for any number of threads.  Other versions of ISA-L, or other architectures, may write other
 * bytes of the same content.  deflate_none.c takes its place where ISA-L is missing.
 */
#ifndef IO_COMPRESSED_CODEC_H
#define IO_COMPRESSED_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that an encoded chunk of so many bytes takes. */
size_t edgefile_codec_room(size_t bytes);

/* Working memory for chunks of up to so many bytes, for one thread at a time.  NULL: memory is
 * exhausted. */
typedef struct edgefile_codec edgefile_codec;
edgefile_codec *edgefile_codec_new(size_t bytes);
void edgefile_codec_free(edgefile_codec *c); /* NULL does nothing */

/* Encodes elements of 4 or 8 bytes.  `to` has edgefile_codec_room() bytes.  Returns how many it
 * takes, or 0: ISA-L failed. */
size_t edgefile_codec_encode(edgefile_codec *c, void *to, const void *from, size_t count,
                             size_t width);

/* Decodes bytes that may be anything.  False: they are not exactly a chunk of so many elements. */
bool edgefile_codec_decode(edgefile_codec *c, void *to, size_t count, size_t width,
                           const void *from, size_t bytes);

#endif
