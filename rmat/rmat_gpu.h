/*
 * rmat_gpu.h - the edges of an R-MAT graph in GPU memory, for programs whose graph is there too.
 *
 * rmat.h alone suffices to make edges on a GPU for host memory: set config.backend to
 * RMAT_BACKEND_GPU.  The functions here leave the edges where they are made.  All backends give the
 * same edges (STREAM.md).  To use edges without storing them: rmat_device.cuh.
 *
 * "Device" pointers point into the memory of the generator's GPU.  A stream is a cudaStream_t
 * passed as void *; NULL is the default stream.  Functions with a stream start their work in it and
 * return at once.  Functions leave the calling thread's current GPU as it was, and any number of
 * threads and streams may use one generator.  They return 0 or a negative rmat_status (rmat.h),
 * unless stated otherwise.  In a build without CUDA every function here exists; those that return a
 * status return RMAT_ERR_NO_BACKEND.
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

/* What CUDA said about the last RMAT_ERR_CUDA or RMAT_ERR_NOMEM of the calling thread; "" if there
 * was none.  Valid until the thread's next failure. */
const char *rmat_gpu_error(void);

/* The number of the generator's GPU, as in cudaSetDevice(); -1 for a CPU generator. */
int rmat_used_device(const rmat_gen *gen);

/*
 * Starts writing edges [first, first + count) of the stream to device memory: to separate arrays
 * src[0..count) and dst[0..count), or to one array of pairs, with the source of edge first + i in
 * pairs[2 i] and its destination in pairs[2 i + 1].
 *
 * Pointers must be aligned to their elements (RMAT_ERR_ARG).  It is fastest if src and dst have the
 * same remainder modulo 16, and if uint64_t pairs are aligned to 16; with symmetrize, from an even
 * edge on, whose ids are at a multiple of twice their size.  The call takes scratch memory from the
 * generator and returns it in stream order: about 4 bytes for every 100 edges and for every edge
 * that is drawn again, less than 100 MiB in all.  RMAT_ERR_ARG for a CPU generator; other errors as
 * for rmat_generate().
 */
int rmat_generate_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst, void *stream);
int rmat_generate32_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t *src,
                           uint32_t *dst, void *stream);
int rmat_generate_pairs_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *pairs,
                               void *stream);
int rmat_generate_pairs32_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                 uint32_t *pairs, void *stream);

/*
 * rmat_generate_arrays() into device memory: separate arrays of ids of either width, and weights in
 * the same pass on request.  Weights are fastest if all arrays begin at multiples of 16; in
 * general, if the weight of the edge whose ids begin a 16-byte line is aligned to the size of the
 * weights of that line.
 */
int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream);

/* Starts adding the rmat_fingerprint() of count edges to *result; all pointers in the memory of the
 * current GPU. */
int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream);

/*
 * Fills *view with the generator's tables in device memory, for rmat_edge_at() and its like in
 * kernels; they are borrowed from the generator.  RMAT_ERR_ARG for a generator with an edge source
 * (rmat_source.h), which has no tables.  Groups with the same matrices share a table.  The
 * different fast tables are contiguous from fast[0] on, and so are the full ones from full[0] on.
 */
int rmat_get_device_view(const rmat_gen *gen, rmat_view *view);

/* --- For the kernels of rmat_device.cuh; programs need none of what follows --- */

/* In addition to the bits of rmat_view.transform: so many draws are unwanted that the first kernel
 * has to draw again. */
enum { RMAT_TRANSFORM_OFTEN = RMAT_TRANSFORM_UNUSED };

/*
 * Lists of edges that the first kernel sets aside, one list for each of its blocks, because they
 * may have met a tie, or because their draw is unwanted, where that is rare; the second kernel
 * makes them.  All in device memory.
 */
typedef struct {
    uint32_t *found;   /* [blocks]: how many, including those that the list has no room for */
    uint32_t *edges;   /* [blocks][capacity] */
    uint64_t *total;   /* the number set aside over the generator's life */
    uint64_t *redraws; /* the number of redraws over the generator's life: rmat_redraws() */
    uint32_t capacity; /* of one list */
    uint32_t limit;    /* edges whose distance (rmat_draw_fast()) is below it may have met a tie */
} rmat_ties;

/* Allocates lists for `blocks` blocks that make `edges` edges each; to be returned by
 * rmat_ties_end() in the same stream. */
int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties);
int rmat_ties_end(const rmat_ties *ties, void *stream);

/* The status for a cudaError_t, whose text rmat_gpu_error() then returns; and that of the launch
 * just made. */
int rmat_gpu_status(int error);
int rmat_gpu_launched(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
