/*
 * rmat_gpu.h - R-MAT edges in GPU memory, for callers whose graph is there too.
 *
 * rmat.h alone suffices to make edges on a GPU for host memory: set config.backend to
 * RMAT_BACKEND_GPU.  This header leaves them where they are made.  All backends give the same edges
 * (STREAM.md).  Pointers called "device" point into the memory of the generator's GPU; a stream is
 * a cudaStream_t passed as void *, NULL the default stream.  Functions leave the calling thread's
 * current GPU as it was.  In a build without CUDA every function here exists and returns
 * RMAT_ERR_NO_BACKEND.  To use up edges without storing them: rmat/rmat_device.cuh.
 */
#ifndef RMAT_RMAT_GPU_H
#define RMAT_RMAT_GPU_H

#include "rmat/model/edge.h"
#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Usable GPUs; 0 of them is no error. */
int rmat_gpu_count(void);

/* What CUDA said about the last RMAT_ERR_CUDA or RMAT_ERR_NOMEM of the calling thread; "" if
 * nothing.  Valid until the thread's next failure. */
const char *rmat_gpu_error(void);

/* The GPU of the generator, as in cudaSetDevice(); -1 for a CPU generator. */
int rmat_used_device(const rmat_gen *gen);

/*
 * Edges [first, first + count) into device memory: starts them and returns at once.  Any number of
 * threads and streams may use one generator.  Separate arrays src[0..count) and dst[0..count), or
 * one array of pairs: the source of edge first + i in pairs[2 i], its destination in
 * pairs[2 i + 1].  Pointers must be aligned to their elements (RMAT_ERR_ARG).  Fastest where src
 * and dst have the same remainder modulo 16, and uint64_t pairs are aligned to 16.  Scratch memory
 * of the call comes from the generator and goes back to it in stream order: 4 bytes for every 100
 * edges or so, and for every edge that is drawn again, but less than 100 MiB.  RMAT_ERR_ARG for a
 * CPU generator; else errors as for rmat_generate().
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
 * The same for separate arrays, with weights in the same pass: rmat_generate_arrays() into device
 * memory.  Fastest where the edge whose ids begin 16 bytes has a weight that begins as many
 * bytes as such 16 bytes have weights: so always, if all arrays begin at multiples of 16.  With
 * reverse edges all functions here are fastest from an even edge on, with its ids at a multiple of
 * two ids.
 */
int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream);

/* Starts adding rmat_fingerprint() of count edges in the current GPU's memory to *result, in device
 * memory too. */
int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream);

/*
 * The generator's tables in device memory, for rmat_edge_at() and the like in kernels; borrowed
 * from the generator.  Groups with the same matrices share a table.  The different fast tables lie
 * one behind another from fast[0] on, and so do the full ones from full[0] on.
 */
int rmat_get_device_view(const rmat_gen *gen, rmat_view *view);

/*
 * For rmat_device.cuh.  The kernel that makes edges sets those aside that may tie or must be drawn
 * again, a list for each of its blocks; a second one settles them.  All in device memory.
 */
typedef struct {
    uint32_t *found;   /* [blocks]: how many, also of those that the list has no room for */
    uint32_t *edges;   /* [blocks][capacity] */
    uint64_t *total;   /* how many in all, as long as the generator exists */
    uint64_t *redraws; /* likewise: rmat_redraws() */
    uint32_t capacity; /* of a block's list */
    uint32_t limit;    /* of what rmat_fast_edge() returns: what is below may tie */
} rmat_ties;

/* At most so many base edges at a time keep the lists below 64 MiB; at most 2^30. */
uint64_t rmat_piece_edges(const rmat_gen *gen);

/* Lists for blocks that make so many edges each; to be given back in the same stream. */
int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties);
int rmat_ties_end(const rmat_ties *ties, void *stream);

/* The status that goes with a cudaError_t, which rmat_gpu_error() then describes; and what became
 * of the launch before. */
int rmat_gpu_status(int error);
int rmat_gpu_launched(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
