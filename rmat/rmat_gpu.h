/*
 * rmat_gpu.h - the edges of an R-MAT graph in GPU memory, for programs that keep their graph there.
 *
 * rmat.h is enough to make edges on a GPU for host memory: set config.backend to RMAT_BACKEND_GPU.
 * The functions here leave the edges in GPU memory.  All backends give the same edges (STREAM.md).
 * rmat_device.cuh uses edges without storing them.
 *
 * "Device" pointers point into the memory of the generator's GPU.  A stream is a cudaStream_t
 * passed as void *; NULL is the default stream.  A function with a stream starts its work in it and
 * returns immediately.  Every function leaves the calling thread's current GPU unchanged.  Any
 * number of threads and streams may use one generator.  Functions return 0 or a negative
 * rmat_status (rmat.h), unless stated otherwise.  A build without CUDA has every function that
 * programs call; those that return a status return RMAT_ERR_NO_BACKEND.
 *
 * The header is C17 and C++ and needs no CUDA headers.
 */
#ifndef RMAT_RMAT_GPU_H
#define RMAT_RMAT_GPU_H

#include "rmat/model/edge.h"
#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The number of usable GPUs; 0 if there are none. */
int rmat_gpu_count(void);

/* Returns CUDA's message for the last RMAT_ERR_CUDA or RMAT_ERR_NOMEM of the calling thread; "" if
 * there was none.  Valid until the thread's next failure. */
const char *rmat_gpu_error(void);

/* The number of the generator's GPU, as in cudaSetDevice(); -1 for a CPU generator. */
int rmat_used_device(const rmat_gen *gen);

/*
 * rmat_generate_arrays() into device memory: starts writing edges [first, first + count) of the
 * stream, with weights in the same pass on request.
 *
 * Pointers must be aligned to their elements (RMAT_ERR_ARG).  Stores are fastest if src and dst
 * have the same remainder modulo 16.  With symmetrize they are fastest if `first` is even and its
 * ids lie at a multiple of twice their size.  Weights are fastest if all arrays begin at multiples
 * of 16 bytes.  More generally, take the edge whose ids begin a 16-byte line: its weight should be
 * aligned to the total size of that line's weights.
 *
 * The call takes scratch memory from the generator and returns it in stream order.  It takes about
 * 4 bytes for every 100 edges and for every repeated draw, less than 100 MiB in all.  RMAT_ERR_ARG
 * for a CPU generator; other errors as for rmat_generate_arrays().
 */
int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream);

/* Starts adding the rmat_fingerprint() of count edges to *result.  All pointers are in the memory
 * of the current GPU. */
int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream);

/*
 * Fills *view with the generator's tables in device memory, for rmat_edge_at() and similar
 * functions in kernels.  The generator owns the tables.  RMAT_ERR_ARG for a generator with an edge
 * source (rmat_source.h), which has no tables.  Groups with the same matrices share a table.  The
 * distinct fast tables are contiguous from fast[0] on, and the distinct full tables from full[0]
 * on.
 */
int rmat_get_device_view(const rmat_gen *gen, rmat_view *view);

/* --- For the kernels of rmat_device.cuh; programs do not need the rest of this header --- */

/* One more bit of rmat_view.transform: unwanted draws are frequent, and the first kernel repeats
 * them. */
enum { RMAT_TRANSFORM_OFTEN = RMAT_TRANSFORM_UNUSED };

/* Lists of edges that the first kernel sets aside, one list per block, for the second kernel to
 * make.  The first kernel sets an edge aside if it may have met a tie.  Where unwanted draws are
 * rare, it also sets those aside.  All lists are in device memory. */
typedef struct {
    uint32_t *found;   /* [blocks]: the number of edges set aside, even beyond the capacity */
    uint32_t *edges;   /* [blocks][capacity] */
    uint32_t capacity; /* of one list */
    uint32_t limit; /* an edge whose distance (rmat_draw_fast()) is below this may have met a tie */
} rmat_ties;

/* Allocates lists for `blocks` blocks that make `edges` edges each.  rmat_ties_end() returns them
 * in the same stream. */
int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties);
int rmat_ties_end(const rmat_ties *ties, void *stream);

/* rmat_gpu_status() converts a cudaError_t to a status and keeps its text for rmat_gpu_error().
 * rmat_gpu_launched() does this for the last launch. */
int rmat_gpu_status(int error);
int rmat_gpu_launched(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
