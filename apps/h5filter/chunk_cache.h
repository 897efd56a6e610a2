/*
 * chunk_cache.h - the edges of the chunks that were read last.
 *
 * HDF5 asks for one dataset's elements of a chunk at a time, but edges are made with all that
 * belongs to them.  What was made for `src` is therefore kept for `dst` and `weight`, and for the
 * next small slice of the same chunk.
 */
#ifndef APPS_H5FILTER_CHUNK_CACHE_H
#define APPS_H5FILTER_CHUNK_CACHE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Copies a column of the chunk that begins with edge `first` to `to`, which has room for a whole
 * chunk; behind the last edge of the file there are zeros.  The words are those of the dataset, n
 * in all, checked by the caller as far as io/virtual/frame.h goes.  Returns 0, or -1: the words
 * describe no model that this version can make, or memory is exhausted.  Any thread.
 */
int chunk_cache_copy(const uint32_t *words, size_t n, uint64_t first, void *to);

#endif
