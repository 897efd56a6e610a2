/* source.h - private to rmat/: the edges of a generator that rmat_create_from() made. */
#ifndef RMAT_SOURCE_SOURCE_H
#define RMAT_SOURCE_SOURCE_H

#include "rmat/model/generator.h"

/* Edges [first, first + count) of the stream, on the calling thread: count is not 0, and weights,
 * unless NULL, are the source's or hashes.  RMAT_OK or RMAT_ERR_SOURCE. */
int rmat_source_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to);

/* Where the piece of the stream ends that edge `at` is best made with. */
uint64_t rmat_source_piece_end(const rmat_gen *gen, uint64_t at);

#endif
