/*
 * rmat_csr.h - rows of the graph in compressed sparse row (CSR) form, straight from the generator:
 * each rank of a distributed program builds its own rows in place, without files and without
 * communication.
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

/* Which graph: the first `edges` edges of the stream, as rmat_generate() numbers them; with unique
 * each edge is kept once.  For a graph of exactly M distinct edges set `edges` to what
 * rmat_unique_edges() returns for M. */
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
 * Builds rows [first_row, last_row): rmat_csr_rows() in host memory, whatever the generator's
 * backend; rmat_csr_rows_device() in the memory of the generator's GPU (RMAT_ERR_ARG for a CPU
 * generator).  On success *out owns its arrays, to be freed with rmat_csr_free() or
 * rmat_csr_free_device(); on failure there is nothing to free.
 *
 * The cost is one pass over the stream to count the edges (none for all rows), one to gather them,
 * and a sort.  Working memory, where the generator is: 8 bytes for each edge of these rows,
 * duplicates included (16 on a CPU if rows_scale + cols_scale is above 64), beside the result; to
 * sort, a sixth more on a CPU, and twice as much on a GPU, but before the result is there.  With
 * unique, and not of all rows, a third more.  A GPU's generator keeps that memory for the next
 * call, until an array or an interval needs it.  A graph by rows (ROWS.md) with all of its edges,
 * on a CPU with copies and on a GPU without weights, is made straight into the arrays: that takes
 * nothing of this but, on a GPU, up to 0.7 GB, which the generator keeps for the next call.
 * RMAT_ERR_ROWS if last_row is below first_row or above the graph's rows; RMAT_ERR_GPU_SCALE as of
 * rmat_interval.h; RMAT_ERR_RANGE, RMAT_ERR_ID_WIDTH, RMAT_ERR_WEIGHTS as for
 * rmat_generate_arrays().
 */
int rmat_csr_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                  const rmat_csr_spec *spec, rmat_csr *out);
int rmat_csr_rows_device(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                         const rmat_csr_spec *spec, rmat_csr *out);

/*
 * The rows of one of several ranks, for a program of several processes: rank `rank` of 0 to
 * ranks - 1 gets the rank-th range of rows with all of their edges, as by rmat_csr_rows() and
 * rmat_csr_rows_device().  Ranges follow each other, cover all rows and have about as many edges
 * each, as far as whole rows can; of the stream `rows` (ROWS.md), each row counts as two edges
 * besides.  Some may be empty.
 *
 * Nothing is sent: each rank finds its range for itself, from the graph and the number of ranks
 * alone, so that ranks with a GPU and ranks without one make the same cuts.  All must be given the
 * same model, `ranks` and *spec.
 *
 * The cost is that of rmat_csr_rows() with some of the rows: every rank generates the whole stream
 * twice, once to count its edges and once to gather them; with one rank, once.  Before that, the
 * ranges are cut by a sample, which takes 4 ms for two ranks, and at most 0.3 s for many.
 * More ranks therefore need less memory and sort less each, but do not generate less.  Where the
 * stream is in order (rmat_stream_in_order()), each rank generates its own edges alone, and there
 * is no sample.  RMAT_ERR_ARG if rank is not from 0 to ranks - 1, or ranks is below 1; otherwise
 * errors as of rmat_csr_rows().
 */
int rmat_csr_rank(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                  rmat_csr *out);
int rmat_csr_rank_device(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                         rmat_csr *out);
void rmat_csr_free(rmat_csr *csr);                             /* NULL is allowed */
void rmat_csr_free_device(const rmat_gen *gen, rmat_csr *csr); /* csr may be NULL */

/*
 * Sets *edges to the least number of edges of the stream among which exactly `distinct` are
 * different: the value for rmat_csr_spec.edges.  With symmetrize it counts distinct pairs of
 * vertices, and the result is even.  The search works through the graph in intervals of `bytes`
 * bytes of memory (the GPU's, if the generator is there; RMAT_ERR_ARG if that is less than
 * rmat_interval.h requires), and uses up to a quarter as much host memory besides.  RMAT_ERR_DRAWS
 * if the graph has fewer distinct edges, or reaching them would take too many draws
 * (rmat_sample.h); RMAT_ERR_ARG for an edge source (rmat_source.h).
 */
int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
