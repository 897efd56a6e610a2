/*
 * rmat_block.h - the edges of the stream that lie in an interval of the sorted order, sorted, with
 * or without their duplicates: what sorted lists and CSR are made of, without ever having or
 * moving the whole graph.  Making the stream again for every block costs less than that.
 *
 * The order is by source, then by destination, of the edges as rmat_generate() gives them.  A block
 * lives where its generator makes edges: in host memory, or on the GPU.  It belongs to one thread
 * at a time; once it is sorted, any number may read it.  Functions return 0 or a negative
 * rmat_status.
 */
#ifndef RMAT_RMAT_BLOCK_H
#define RMAT_RMAT_BLOCK_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A place in the order. */
typedef struct {
    uint64_t src, dst;
} rmat_cell;

typedef struct rmat_block rmat_block;

/*
 * Memory for blocks of one generator, which must outlive it.  bytes: of host or device memory, for
 * everything that the block needs; rmat_block_capacity() edges fit.  RMAT_ERR_ARG if that is less
 * than RMAT_BLOCK_LEAST edges.  Free it with rmat_block_destroy(); NULL is allowed there.
 */
#define RMAT_BLOCK_LEAST 4096
int rmat_block_create(rmat_block **out, const rmat_gen *gen, uint64_t bytes);
void rmat_block_destroy(rmat_block *b);

/* How many edges at once, with duplicates, fit into so many bytes; and the bytes that so many take.
 * They depend on the generator's backend, rows and columns alone. */
uint64_t rmat_block_capacity(const rmat_gen *gen, uint64_t bytes);
uint64_t rmat_block_bytes(const rmat_gen *gen, uint64_t edges);

/* Begin anew: the edges at *first and behind, before *end, which may be {rows, 0}.  unique: each
 * once. */
int rmat_block_begin(rmat_block *b, const rmat_cell *first, const rmat_cell *end, int unique);

/*
 * Of the stream's edges [first, first + count) those of the interval; any number of calls, in any
 * order, no edge twice.  RMAT_ERR_FULL: they do not fit; with unique, what is distinct of them
 * takes more than 3/4 of the capacity.  An interval of a single cell always fits.  Then
 * rmat_block_middle() tells a cell inside the interval (not its first one) that has about half of
 * the edges before it; begin again with either part.
 */
int rmat_block_add(rmat_block *b, uint64_t first, uint64_t count);
int rmat_block_middle(rmat_block *b, rmat_cell *middle);

/* When all were added; a GPU may say only here that they do not fit (RMAT_ERR_FULL). */
int rmat_block_sort(rmat_block *b);

/* --- Of a sorted block --- */

uint64_t rmat_block_edges(const rmat_block *b);

/* How many of them have src >= dst. */
int rmat_block_lower(const rmat_block *b, uint64_t *edges);

/* counts[i]: how many edges lie before cells[i], for n cells in any order. */
int rmat_block_before(const rmat_block *b, uint64_t n, const rmat_cell *cells, uint64_t *counts);

/* pointers[i]: add, and how many edges have a source below first_row + i, for i < count. */
int rmat_block_pointers(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t add,
                        uint64_t *pointers);

/* Edges [first, first + count) of the block into host arrays; each of src, dst, weight may be
 * NULL.  RMAT_ERR_WEIGHTS where the model has none. */
int rmat_block_read(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to);

/* The two above into the memory of the generator's GPU, started in a stream (cudaStream_t as
 * void *).  RMAT_ERR_ARG for a CPU generator.  Arrays must be aligned to their elements. */
int rmat_block_pointers_device(const rmat_block *b, uint64_t first_row, uint64_t count,
                               uint64_t add, uint64_t *pointers, void *stream);
int rmat_block_read_device(const rmat_block *b, uint64_t first, uint64_t count,
                           const rmat_arrays *to, void *stream);

/* An edge of the stream that is the first of its kind. */
typedef struct {
    rmat_cell cell;
    uint64_t index; /* in the stream */
} rmat_new;

/*
 * Of the stream's edges [first, first + count) those of the interval that a block of unique edges
 * lacks, each once with its least index, in the order of indices.  *list is to be freed; *n is how
 * many.  RMAT_ERR_FULL if they are more than `most`.
 */
int rmat_block_news(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most,
                    rmat_new **list, uint64_t *n);

/* Put cells of the interval, which a block of unique edges lacks and no two of which are the same,
 * into their places.  RMAT_ERR_FULL if there is no room for them. */
int rmat_block_insert(rmat_block *b, uint64_t n, const rmat_new *list);

/* counts[i], for i < n - 1: how many of the stream's edges [first, first + count) lie at cells[i]
 * or behind, before cells[i + 1]; for n cells in order.  Needs no block. */
int rmat_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                     const rmat_cell *cells, uint64_t *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
