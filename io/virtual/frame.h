/*
 * frame.h - what an HDF5 filter is given of a virtual file: the parameters of the filter, which are
 * the same for all chunks of a dataset, and the stored bytes of one chunk.
 *
 * The parameters are 32-bit words: EDGEFILE_FRAME_WORDS of them are named below, the others are a
 * model, whose meaning only the maker of the edges knows.  The datasets of a file have the same
 * words but for EDGEFILE_FRAME_COLUMN.  A chunk is stored as 12 bytes: the number of its first edge
 * in the file, 8 bytes, and a checksum over all words and that number, 4 bytes, both little-endian.
 *
 * The checksum mixes the words one by one into a state of 64 bits.  Each step is a bijection of the
 * state, so that a change of a single word always changes the state, and the 32 bits that are kept
 * of it with a probability of 1 - 2^-32.
 *
 * Needs no HDF5: the filter's plug-in includes it as well.
 */
#ifndef IO_VIRTUAL_FRAME_H
#define IO_VIRTUAL_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* The number of the filter.  The HDF Group reserves 256 to 511 for uses like this one, without a
 * registration. */
#define EDGEFILE_FRAME_FILTER 362

/* HDF5 stores this name in every file, and shows it where the plug-in is not found. */
#define EDGEFILE_FRAME_NAME "rmat: plug-in in the folder that 'rmat info --plugin-path' prints"

#define EDGEFILE_FRAME_VERSION 1

/* Elements of a chunk, at most: HDF5 makes a whole one in memory. */
#define EDGEFILE_FRAME_MOST_CHUNK (1U << 26)

enum {
    EDGEFILE_FRAME_VERSION_WORD,
    EDGEFILE_FRAME_COLUMN,   /* 0: src, 1: dst, 2: weight */
    EDGEFILE_FRAME_ID_BYTES, /* 4 or 8 */
    EDGEFILE_FRAME_WEIGHT,   /* 1 if edges have weights, which take 4 bytes; else 0 */
    EDGEFILE_FRAME_EDGES,    /* of the file; low word, high word */
    EDGEFILE_FRAME_CHUNK = EDGEFILE_FRAME_EDGES + 2, /* elements of a chunk */
    EDGEFILE_FRAME_WORDS,                            /* the words of the model begin here */
    EDGEFILE_FRAME_MAX = 256 /* words in all: H5Pget_filter2() tells no more */
};

enum { EDGEFILE_FRAME_COLUMNS = 3, EDGEFILE_FRAME_PAYLOAD = 12 };

static inline uint64_t edgefile_frame_edges(const uint32_t *words)
{
    return words[EDGEFILE_FRAME_EDGES] | (uint64_t)words[EDGEFILE_FRAME_EDGES + 1] << 32;
}

/* Bytes of an element of this column. */
static inline uint32_t edgefile_frame_width(const uint32_t *words, uint32_t column)
{
    return column == 2 ? 4 : words[EDGEFILE_FRAME_ID_BYTES];
}

static inline uint64_t edgefile_frame_mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * 0xBF58476D1CE4E5B9u;
    return state ^ state >> 32;
}

/* The state after all words of a dataset. */
static inline uint64_t edgefile_frame_state(const uint32_t *words, size_t n)
{
    uint64_t state = 0x9E3779B97F4A7C15u;

    for (size_t i = 0; i < n; i++) {
        state = edgefile_frame_mix(state, words[i]);
    }
    return state;
}

/* The stored bytes of the chunk that begins with edge `first`. */
static inline void edgefile_frame_payload(uint64_t state, uint64_t first,
                                          unsigned char payload[EDGEFILE_FRAME_PAYLOAD])
{
    const uint32_t sum = (uint32_t)(edgefile_frame_mix(state, first) >> 16);

    for (int i = 0; i < EDGEFILE_FRAME_PAYLOAD; i++) {
        payload[i] = (unsigned char)(i < 8 ? first >> 8 * i : sum >> 8 * (i - 8));
    }
}

#endif
