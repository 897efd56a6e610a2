/*
 * rmat_csr.h - rows of the graph as CSR, straight from the generator: each rank of a distributed
 * program builds its own rows in place, without files and without communication.
 *
 * Functions return 0 or a negative rmat_status.  Thread-safe.  apps/examples/pagerank.c is an
 * example.
 */
#ifndef RMAT_RMAT_CSR_H
#define RMAT_RMAT_CSR_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Which graph: the first `edges` edges of the stream, as rmat_generate() numbers them; unique: each
 * once.  For exactly M distinct ones: rmat_unique_edges(). */
typedef struct {
    uint64_t edges;
    int unique;
    int id_bytes; /* of indices: 4 or 8 */
    int weights;  /* 1: with weights */
} rmat_csr_spec;

/* Rows [first_row, first_row + rows).  All arrays in host memory, or all in the GPU's. */
typedef struct {
    uint64_t first_row, rows, edges;
    uint64_t *pointers; /* rows + 1 elements from 0 to edges */
    void *indices;      /* columns, in order within each row */
    void *weights;      /* float or int32_t; NULL: none */
} rmat_csr;

/*
 * Rows [first_row, last_row) in host memory, whatever the generator's backend; the device form in
 * the memory of its GPU (RMAT_ERR_ARG for a CPU generator).  It costs one pass over the stream to
 * count the edges (all rows: none), one to gather them, and a sort.  While it works it needs, where
 * the generator is, twice 8 bytes for each edge of these rows with its duplicates (16 where both
 * scales together are above 64), with unique a third more, beside the result.  RMAT_ERR_RANGE: rows
 * that the graph does not have.  Free *out with rmat_csr_free(), what is on the GPU with
 * rmat_csr_free_device().
 */
int rmat_csr_block(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                   const rmat_csr_spec *spec, rmat_csr *out);
int rmat_csr_block_device(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                          const rmat_csr_spec *spec, rmat_csr *out);
void rmat_csr_free(rmat_csr *csr);
void rmat_csr_free_device(const rmat_gen *gen, rmat_csr *csr);

/*
 * How many edges of the stream have exactly `distinct` different ones among them: the least such
 * number, for rmat_csr_spec.edges.  (symmetrize: of pairs of vertices; the result is even.)  Works
 * through the graph in blocks of `bytes` bytes of memory (the GPU's, if the generator is there;
 * RMAT_ERR_ARG if that is less than rmat_block.h asks for), and with up to a quarter as much of
 * host memory.  RMAT_ERR_DRAWS: there are not that many, or they would take too many draws
 * (rmat_sample.h).
 */
int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
