/*
 * alias_gpu.h - alias tables in GPU memory, for callers whose data is there too.
 *
 * alias.h alone suffices to build a table on a GPU from weights in host memory and to draw into
 * host memory.  This header adds weights and draws in device memory, and repeated builds without
 * allocation.  Pointers called "device" point into the memory of the table's GPU; a stream is a
 * cudaStream_t passed as void *, NULL the default stream.  Functions leave the calling thread's
 * current GPU as it was.  In a build without CUDA every function here exists and returns
 * ALIAS_ERR_NO_BACKEND.  For drawing inside a kernel of one's own: alias/alias_device.cuh.
 */
#ifndef ALIAS_ALIAS_GPU_H
#define ALIAS_ALIAS_GPU_H

#include "alias/alias.h"
#include <stddef.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Usable GPUs; 0 of them is no error. */
int alias_gpu_count(void);

/* What CUDA said about the last ALIAS_ERR_CUDA or ALIAS_ERR_NOMEM of the calling thread; "" if
 * nothing.  Valid until the thread's next failure. */
const char *alias_gpu_error(void);

/* alias_create() from n weights in device memory: waits until the table is built. */
int alias_create_device(alias_table **out, const alias_config *config, const double *weights,
                        uint64_t n, void *stream, uint64_t *bad);

/*
 * Repeated builds.  alias_prepare() makes a table of n rows that has no contents yet;
 * alias_build_bytes() says how much device memory a build of it needs beside the rows (256-byte
 * aligned); alias_build_async() starts a build from weights in device memory and returns at once.
 * Weights and scratch must stay as they are until the stream has got there; builds that use the
 * same table or scratch must follow one another on a stream.  Draws on the same stream come after
 * the build.  alias_build_wait() waits for the table's last build and returns its status, as
 * alias_create() would; until then alias_used_builder() is the only other thing to ask.
 */
int alias_prepare(alias_table **out, const alias_config *config, uint64_t n);
size_t alias_build_bytes(const alias_table *table);
int alias_build_async(alias_table *table, const double *weights, void *scratch, void *stream);
int alias_build_wait(alias_table *table, uint64_t *bad);

/* A copy of the table in host memory (a CPU table), or of a CPU table on GPU device. */
int alias_copy_to_host(alias_table **out, const alias_table *table);
int alias_copy_to_device(alias_table **out, const alias_table *table, int device);

/* The rows where they are, for kernels; borrowed from the table. */
typedef struct {
    const void *rows;  /* array of structs: alias_row8 or alias_row16; else thresholds */
    const void *alias; /* struct of arrays: aliases, of the same width; else NULL */
    uint64_t n;
    int k;
    int row_bytes;
} alias_view;
int alias_get_view(const alias_table *table, alias_view *view);

/*
 * Draws [first, first + count) into out[0..count) in device memory: starts them and returns at
 * once. Any number of threads and streams may draw from one table.  ALIAS_SAMPLER_BASELINE gives
 * the numbers of alias_sample32(), the others those of alias_sample_sections32(): a batch in
 * section order, never to be paired element by element without a shuffle.  Which of the two AUTO
 * gives depends on the table's rows and count alone.  Fastest into memory aligned to 16 bytes, with
 * first a multiple of 4.  Scratch memory: 8 bytes per section, kept by the table for the next time.
 * ALIAS_ERR_ARG for a CPU table, and for ALIAS_SAMPLER_SHARED with sections beyond shared memory.
 */
int alias_sample32_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint32_t *out, void *stream);
int alias_sample64_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint64_t *out, void *stream);

/* What AUTO means for so many draws from the table. */
alias_sampler alias_best_sampler(const alias_table *table, uint64_t count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
