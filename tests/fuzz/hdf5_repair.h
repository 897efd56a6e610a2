/* The blocks of an HDF5 file that end with, or contain, a checksum; and mutants with right ones. */
#ifndef TESTS_FUZZ_HDF5_REPAIR_H
#define TESTS_FUZZ_HDF5_REPAIR_H

#include <stddef.h>
#include <stdint.h>

enum { HDF5_MOST_BLOCKS = 1024 };

/* bytes [start, start + bytes) have their checksum at `sum`: at their end, or, of a fractal heap's
 * direct block, inside, where it counts as 0. */
typedef struct {
    size_t start, bytes, sum;
} hdf5_block;

typedef struct {
    uint8_t *data; /* of the intact file; owned by whoever made it */
    size_t size;
    hdf5_block block[HDF5_MOST_BLOCKS];
    size_t n;
} hdf5_seed;

/* Finds the blocks of an intact file whose data and size are set. */
void hdf5_find_blocks(hdf5_seed *seed);

/* Makes a mutant into `to`, of the seed's size, that `number` alone determines; returns its size,
 * which may be less. */
size_t hdf5_mutate(const hdf5_seed *seed, uint64_t number, uint8_t *to);

#endif
