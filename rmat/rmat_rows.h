/*
 * rmat_rows.h - R-MAT graphs that are made row by row: the stream `rows` (ROWS.md).
 *
 * The list of such a graph is sorted by source, then by destination, so it is CSR without sorting
 * and without communication.  Any row, degree, edge or range of them is a pure function of the
 * model, its number of edges and the seed.  Its cost is proportional to its own edges.  As a
 * multiset, the edges follow the same law as those of rmat_generate(): independent draws from the
 * model.  They are not the same edges.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h).  Any number of threads may
 * use an rmat_rows at the same time.
 */
#ifndef RMAT_RMAT_ROWS_H
#define RMAT_RMAT_ROWS_H

#include "rmat/rmat.h"
#include "rmat/rmat_source.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define RMAT_ROWS_VERSION 2 /* of the stream; files record it */

/* A graph made row by row. */
typedef struct rmat_rows rmat_rows;

/*
 * Creates a graph of `edges` edges, at most RMAT_MAX_EDGES (RMAT_ERR_RANGE).  config->stream is
 * RMAT_STREAM_RMAT or RMAT_STREAM_ROWS.  The graph uses the shape, matrices, noise, no_self_loops,
 * permute, weights, seed, threads and stop of *config.  RMAT_ERR_STREAM: direction or symmetrize is
 * set, which would join two rows in one edge, or first is set, which would leave out edges that
 * others depend on.  On success the caller owns *out and frees it with rmat_rows_destroy(). On
 * failure *out is NULL.  Other errors as for rmat_create() on the CPU.
 */
int rmat_rows_create(rmat_rows **out, const rmat_config *config, uint64_t edges);
void rmat_rows_destroy(rmat_rows *rows); /* NULL is allowed */

/* Writes to degrees, for each of `count` vertices, the number of edges with that source.  Unless
 * starts is NULL, writes to starts the number of edges with a lower source.  With permute, vertices
 * have their numbers in the permuted graph, but starts count in the order of the list before the
 * permutation.  RMAT_ERR_VERTEX: a vertex does not exist, and nothing has been written.
 * RMAT_ERR_STOPPED. */
int rmat_rows_degrees(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                      uint64_t *degrees, uint64_t *starts);

/* Writes the destinations of a vertex's edges, in ascending order, to dst.  dst has room for the
 * vertex's degree, at id_bytes (4 or 8) bytes each.  RMAT_ERR_VERTEX; RMAT_ERR_ID_WIDTH;
 * RMAT_ERR_NOMEM; RMAT_ERR_STOPPED. */
int rmat_rows_row(const rmat_rows *rows, uint64_t vertex, void *dst, int id_bytes);

/*
 * Writes the CSR form of rows [begin, end). pointers receives end - begin + 1 elements: the number
 * of edges of the whole graph before each row, and before row `end`. dst receives the destinations,
 * and weight their weights; either may be NULL.  Both have room for `room` edges.  RMAT_ERR_FULL:
 * there are more edges; the pointers are complete.  RMAT_ERR_STREAM: the graph is permuted, so its
 * rows lie all over the list.  RMAT_ERR_ROWS; RMAT_ERR_NOMEM; RMAT_ERR_STOPPED.
 */
int rmat_rows_csr(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t *pointers,
                  uint64_t room, void *dst, void *weight, int id_bytes);

/*
 * Writes the rows of `count` vertices, in any order, in the memory of the current GPU; all arrays
 * are there. offsets receives count + 1 elements: the number of edges of the vertices before each
 * vertex. dst receives their rows one after another, each in ascending order, and has room for
 * `room` edges.  A vertex may occur more than once.  A vertex that does not exist has no edges.
 * The work runs in `stream`, a cudaStream_t, and is done when the call returns.  It takes up to 40
 * bytes per vertex and 5 bytes per edge of additional device memory.  RMAT_ERR_FULL: there are more
 * edges; the offsets are complete.  RMAT_ERR_STREAM: the graph is permuted.  RMAT_ERR_RANGE: 2^32
 * vertices or more, or 2^35 edges or more.  RMAT_ERR_ID_WIDTH, RMAT_ERR_NO_BACKEND, RMAT_ERR_CUDA,
 * RMAT_ERR_NOMEM.
 */
int rmat_rows_batch_device(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                           uint64_t *offsets, uint64_t room, void *dst, int id_bytes, void *stream);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
