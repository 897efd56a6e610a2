/*
 * sample_sort.h - private to rmat/: sorts many long 8-byte keys in GPU memory.
 *
 * A radix sort moves all keys once for each 8 bits of a key.  A sample sort moves them three times,
 * however long they are:
 *
 *  1. A sample of the keys is sorted.  Evenly spaced keys of it, the splitters, divide all keys
 *     into up to 1024 parts of about the same size (distribute.cuh), and each part into up to 1024
 *     tiles of some 4,000 keys.
 *  2. Keys are counted by part and moved to their parts, then counted by tile and moved to their
 *     tiles (distribute.cuh).
 *  3. A block sorts each tile in shared memory (tile_sort.cuh).
 *
 * The largest key is not distributed, but written behind all others: a gathered interval has it at
 * all its unused places.  Tiles too large for a block, where the sample was bad luck or many keys
 * are equal, are sorted by CUB, and so are all keys if the sample shows many that are equal or in
 * order already.
 *
 * After: Frazer, McKellar: Samplesort: a sampling approach to minimal storage tree sorting, 1970;
 * Leischner, Osipov, Sanders: GPU sample sort, 2010; Sanders, Winkel: Super scalar sample sort,
 * 2004 (the search tree without branches).
 */
#ifndef RMAT_SORTED_GPU_SAMPLE_SORT_H
#define RMAT_SORTED_GPU_SAMPLE_SORT_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_SAMPLE_SORT_LEAST ((uint64_t)1 << 24) /* keys */

/* Whether it is faster than CUB's radix sort for n keys of so many bits: of fewer bits that takes
 * fewer passes, and of more keys there are too many tiles. */
static inline int rmat_sample_sort_pays(uint64_t n, int bits)
{
    return n >= RMAT_SAMPLE_SORT_LEAST && n <= (uint64_t)17 << 28 && bits > 40;
}

/* The scratch memory in bytes, besides that of CUB, that sorting up to n keys takes. */
size_t rmat_sample_sort_scratch(uint64_t n);

/*
 * Sorts the n keys of keys[0], which are below 2^bits and for which rmat_sample_sort_pays();
 * keys[1] has room for as many.  Waits for the stream.  Returns an rmat_status.  *sorted: 0 if CUB
 * is to sort keys[0] instead, because a block cannot have the 139 KB of shared memory that the
 * largest takes (those of sm_75, 86, 89 and 120 cannot), or many keys are equal or in order.
 */
int rmat_sample_sort(uint64_t *const keys[2], uint64_t n, int bits, void *scratch,
                     size_t scratch_bytes, cudaStream_t stream, int *sorted);

#ifdef __cplusplus
}
#endif

#endif
