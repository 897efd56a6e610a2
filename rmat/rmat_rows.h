/*
 * rmat_rows.h - R-MAT graphs that are made row by row: the stream `rows` (ROWS.md).
 *
 * The list of such a graph is sorted by source, then by destination, so that it is CSR as it comes:
 * nothing is sorted or sent.  Any row, degree, edge or range of them is a pure function of the
 * model, its number of edges and the seed, and costs what it holds.  As a multiset, the edges have
 * the same law as those of rmat_generate(): independent draws from the model.  But they are other
 * edges.
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

#define RMAT_ROWS_VERSION 1 /* of the stream: files name it */

/* A graph by rows. */
typedef struct rmat_rows rmat_rows;

/*
 * Of *config, whose stream is RMAT_STREAM_RMAT or RMAT_STREAM_ROWS, it uses the shape, matrices,
 * noise, no_self_loops, permute, weights, seed, threads and stop; direction and symmetrize would
 * join two rows in one edge, and first would leave out edges that others depend on:
 * RMAT_ERR_STREAM.  edges: of the graph, at most RMAT_MAX_EDGES (RMAT_ERR_RANGE). On success *out
 * owns the graph, to be freed with rmat_rows_destroy(); on failure it is NULL. Other errors as of
 * rmat_create() on the CPU.
 */
int rmat_rows_create(rmat_rows **out, const rmat_config *config, uint64_t edges);
void rmat_rows_destroy(rmat_rows *rows); /* NULL is allowed */

/* For each of `count` vertices: the number of edges with that source, to degrees, and, unless
 * starts is NULL, of those with a lower one, to starts.  With permute the vertices are numbered as
 * in the permuted graph, but starts count in the order before.  RMAT_ERR_VERTEX: there is no such
 * vertex; nothing is written then.  RMAT_ERR_STOPPED. */
int rmat_rows_degrees(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                      uint64_t *degrees, uint64_t *starts);

/* The destinations of a vertex's edges, in ascending order, to dst, which has room for its degree,
 * of id_bytes (4 or 8) bytes each.  RMAT_ERR_VERTEX; RMAT_ERR_ID_WIDTH; RMAT_ERR_NOMEM;
 * RMAT_ERR_STOPPED. */
int rmat_rows_row(const rmat_rows *rows, uint64_t vertex, void *dst, int id_bytes);

/* Edges [first, first + count) of the list, with weights on request.  With permute they are those
 * of the list before it, with other vertex numbers.  RMAT_ERR_RANGE: there are not so many. */
int rmat_rows_edges(const rmat_rows *rows, uint64_t first, uint64_t count,
                    const rmat_arrays *arrays);

/*
 * CSR of rows [begin, end): pointers has end - begin + 1 elements, the number of edges before each
 * row in the whole graph and before row `end`; dst, unless it is NULL, takes their destinations,
 * with weights beside unless weight is NULL, and has room for `room` edges: RMAT_ERR_FULL if they
 * are more, pointers are complete then.  Of a permuted graph, whose rows lie all over the list, all
 * rows are made together, with 8 bytes for each besides; a part of them: RMAT_ERR_STREAM.
 * RMAT_ERR_ROWS; RMAT_ERR_NOMEM; RMAT_ERR_STOPPED.
 */
int rmat_rows_csr(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t *pointers,
                  uint64_t room, void *dst, void *weight, int id_bytes);

/*
 * The same without weights, in the memory of the current GPU: pointers and dst are device pointers,
 * dst is not NULL.  Takes a byte an edge there besides, 0.9 GB at most, and returns once its work
 * is done; it runs in `stream`, a cudaStream_t.  RMAT_ERR_FULL leaves pointers unset.
 * RMAT_ERR_RANGE: a row has 2^32 edges or more.  RMAT_ERR_NO_BACKEND, RMAT_ERR_CUDA,
 * RMAT_ERR_NOMEM.
 */
int rmat_rows_csr_device(const rmat_rows *rows, uint64_t begin, uint64_t end, uint64_t *pointers,
                         uint64_t room, void *dst, int id_bytes, void *stream);

/*
 * Rows of any vertices, in the memory of the current GPU, where all arrays are: offsets takes count
 * + 1 elements, the number of edges of the vertices before each, and dst their rows one behind the
 * other, each in ascending order; it has room for `room` edges.  A vertex may be there more than
 * once; one that does not exist has no edges.  Takes up to 40 bytes for each vertex, and 5 for each
 * edge, besides.  It runs in `stream`, a cudaStream_t, and returns once its work is done.
 * RMAT_ERR_FULL: there are more edges; offsets are complete then.  RMAT_ERR_STREAM for a permuted
 * graph; RMAT_ERR_RANGE: 2^32 vertices or more, or 2^35 edges; RMAT_ERR_ID_WIDTH,
 * RMAT_ERR_NO_BACKEND, RMAT_ERR_CUDA, RMAT_ERR_NOMEM.
 */
int rmat_rows_batch_device(const rmat_rows *rows, uint64_t count, const uint64_t *vertices,
                           uint64_t *offsets, uint64_t room, void *dst, int id_bytes, void *stream);

/* How many rows have how many edges. */
enum { RMAT_ROWS_FEW = 1024 };
typedef struct rmat_rows_counts {
    uint64_t rows, edges;        /* rows that have edges, and these */
    uint64_t few[RMAT_ROWS_FEW]; /* rows with i edges; few[0] is not used */
    uint64_t many[64];           /* with 2^i to 2^(i + 1) - 1, RMAT_ROWS_FEW or more */
    uint64_t largest;            /* edges of a row */
} rmat_rows_counts;

/*
 * Adds to *counts those rows whose first edge is among [first, first + count) of the list, which is
 * not made: it costs a walk over the tree of sources, whose nodes are fewer than a tenth of the
 * edges as a rule.  Ranges may be counted apart, and their counts added up, but for largest, of
 * which the largest counts.  RMAT_ERR_RANGE; RMAT_ERR_NOMEM; RMAT_ERR_STOPPED.  _device: on the
 * current GPU; *counts is in host memory.  RMAT_ERR_NO_BACKEND, RMAT_ERR_CUDA.
 */
int rmat_rows_count(const rmat_rows *rows, uint64_t first, uint64_t count,
                    rmat_rows_counts *counts);
int rmat_rows_count_device(const rmat_rows *rows, uint64_t first, uint64_t count,
                           rmat_rows_counts *counts);

/* The list as an edge source, before it is permuted; for as long as the graph exists. */
rmat_source rmat_rows_source(const rmat_rows *rows);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
