/*
 * rmat_csr.h - rows of the graph in compressed sparse row (CSR) form, in memory.  Each rank of a
 * distributed program builds its own rows, without files and without communication.
 *
 * Functions return 0 or a negative rmat_status (rmat.h) and are thread-safe.
 * apps/examples/pagerank.c is an example.
 */
#ifndef RMAT_RMAT_CSR_H
#define RMAT_RMAT_CSR_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The graph: the first `edges` edges of the stream, as rmat_generate() numbers them.  With unique,
 * each edge is kept once.  For a graph of exactly M distinct edges, set `edges` to the result of
 * rmat_unique_edges() for M. */
typedef struct {
    uint64_t edges;
    int unique;
    int id_bytes; /* of indices: 4 or 8 */
    int weights;  /* 1: with weights */
} rmat_csr_spec;

/* Rows [first_row, first_row + rows).  All arrays are in host memory, or all in the GPU's. */
typedef struct {
    uint64_t first_row, rows, edges;
    uint64_t *pointers; /* rows + 1 elements, from 0 to edges */
    void *indices;      /* column numbers, increasing within each row; edges elements */
    void *weights;      /* float or int32_t, edges elements; NULL: none */
} rmat_csr;

/*
 * Builds rows [first_row, last_row). rmat_csr_rows() builds them in host memory, for a generator of
 * any backend. rmat_csr_rows_device() builds them in the memory of the generator's GPU
 * (RMAT_ERR_ARG for a CPU generator).  On success the caller frees *out with rmat_csr_free() or
 * rmat_csr_free_device().  On failure there is nothing to free.
 *
 * The cost is one pass over the stream to count the edges (none for all rows), one to gather them,
 * and a sort.
 *
 * The working memory is where the generator is, in addition to the result.  It takes 8 bytes for
 * each edge of these rows, duplicates included, or 16 on a CPU if rows_scale + cols_scale is above
 * 64.  The sort takes a sixth more on a CPU.  On a GPU it takes twice as much, but before the
 * result exists.  With unique, some of the rows take a third more.  A GPU's generator keeps this
 * memory for the next call, until an array or an interval needs it.
 *
 * A graph by rows (ROWS.md) with all of its edges is made directly in the arrays, unless it is
 * permuted, a CPU drops copies, or a GPU makes weights.  It needs none of this memory.  On a GPU it
 * takes up to 0.7 GB, which the generator keeps for the next call.
 *
 * RMAT_ERR_ROWS: last_row is below first_row or above the graph's rows.  RMAT_ERR_GPU_SCALE as in
 * rmat_interval.h.  RMAT_ERR_RANGE, RMAT_ERR_ID_WIDTH, RMAT_ERR_WEIGHTS as for
 * rmat_generate_arrays().
 */
int rmat_csr_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                  const rmat_csr_spec *spec, rmat_csr *out);
int rmat_csr_rows_device(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                         const rmat_csr_spec *spec, rmat_csr *out);

/*
 * Builds the rows of one rank in a program of several processes.  Rank `rank` of 0 to ranks - 1
 * gets range number `rank` of the rows with all of their edges, as from rmat_csr_rows() or
 * rmat_csr_rows_device().  The ranges follow each other and cover all rows.  They have about equal
 * numbers of edges, as far as whole rows allow, and some may be empty.  In the stream `rows`
 * (ROWS.md), each row counts as two additional edges.
 *
 * No rank sends anything.  Each rank computes its range from the graph and the number of ranks
 * alone, so ranks with and without a GPU make the same cuts.  All ranks must pass the same model,
 * `ranks` and *spec.
 *
 * The cost is that of rmat_csr_rows() with some of the rows.  Every rank generates the whole stream
 * twice: to count its edges, and to gather them.  A single rank generates it once.  Before that, a
 * sample cuts the ranges, in 4 ms for two ranks and at most 0.3 s for many.  So with more ranks,
 * each needs less memory and sorts less, but generates as much.  If the stream is in order
 * (rmat_stream_in_order()), each rank generates only its own edges, and needs no sample.
 *
 * RMAT_ERR_ARG: rank is not from 0 to ranks - 1, or ranks is below 1.  Other errors as for
 * rmat_csr_rows().
 */
int rmat_csr_rank(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                  rmat_csr *out);
int rmat_csr_rank_device(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                         rmat_csr *out);
void rmat_csr_free(rmat_csr *csr);                             /* NULL is allowed */
void rmat_csr_free_device(const rmat_gen *gen, rmat_csr *csr); /* csr may be NULL */

/*
 * Sets *edges to the least number of edges of the stream among which exactly `distinct` are
 * different: the value for rmat_csr_spec.edges.  With symmetrize the function counts distinct pairs
 * of vertices, and the result is even.
 *
 * The search works through the graph in intervals of `bytes` bytes of memory, on the GPU for a GPU
 * generator.  It also uses up to a quarter as much host memory.  RMAT_ERR_ARG: `bytes` is less than
 * rmat_interval.h requires, or the generator has an edge source (rmat_source.h).  RMAT_ERR_DRAWS:
 * the graph has fewer distinct edges, or needs too many draws to reach them (rmat_interval.h).
 */
int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
