/*
 * alias_gpu.h - alias tables in GPU memory, for programs that keep their data there.
 *
 * alias/alias.h is enough to build a table on a GPU from weights in host memory and to draw into
 * host memory.  This header adds weights and draws in device memory, and repeated builds without
 * allocation.  alias/alias_device.cuh draws inside kernels.
 *
 * Device pointers point into the memory of the table's GPU.  A stream is a cudaStream_t passed as
 * void *; NULL is the default stream.  Functions leave the calling thread's current GPU unchanged.
 * They return 0 or an alias_status.  A build without CUDA has all of them, and they return
 * ALIAS_ERR_NO_BACKEND.
 */
#ifndef ALIAS_ALIAS_GPU_H
#define ALIAS_ALIAS_GPU_H

#include "alias/alias.h"
#include <stddef.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The number of usable GPUs; 0 if there is no CUDA driver. */
int alias_gpu_count(void);

/* Returns CUDA's name and description of the calling thread's last CUDA error, such as the cause of
 * an ALIAS_ERR_CUDA or ALIAS_ERR_NOMEM; "" if there was none.  Valid until the thread's next
 * error. */
const char *alias_gpu_error(void);

/* alias_create() from n weights in device memory.  Waits until the table is built. */
int alias_create_device(alias_table **out, const alias_config *config, const double *weights,
                        uint64_t n, void *stream, uint64_t *bad);

/*
 * Repeated builds.
 *
 * alias_prepare() allocates a table of n rows without contents.  The builder must have GPU kernels:
 * AUTO, PSA or PSA_PLUS.  alias_build_bytes() returns the size of a build's scratch memory
 * in bytes; that memory must be aligned to 256 bytes.
 *
 * alias_build_async() starts a build from n weights in device memory on a stream and returns
 * immediately.  Weights and scratch memory must not change until the build is complete.  Builds
 * that share a table or scratch memory must follow one another on one stream.  Draws on that stream
 * see the finished table.
 *
 * alias_build_wait() waits for the table's last build and returns the status, and *bad, that
 * alias_create() would have returned.  Until then, only draws on that stream and
 * alias_used_builder() may use the table.
 */
int alias_prepare(alias_table **out, const alias_config *config, uint64_t n);
size_t alias_build_bytes(const alias_table *table);
int alias_build_async(alias_table *table, const double *weights, void *scratch, void *stream);
int alias_build_wait(alias_table *table, uint64_t *bad);

/* The rows of a GPU table in device memory, for kernels.  They belong to the table. */
typedef struct {
    const void *rows; /* alias_row8 or alias_row16 (alias/core/draw.h) */
    uint64_t n;
    int k;
    int row_bytes;
} alias_view;

/* ALIAS_ERR_ARG for a CPU table. */
int alias_get_view(const alias_table *table, alias_view *view);

/*
 * Starts draws [first, first + count) on a stream, into out[0..count) in device memory, and returns
 * immediately.  Any number of threads and streams may draw from one table.  ALIAS_SAMPLER_BASELINE
 * makes the draws of alias_sample32(). The other samplers make those of alias_sample_sections32(),
 * a batch in section order: never pair it element by element without a shuffle.  AUTO chooses
 * between the two by the table's rows and count only.  Stores are fastest if out is aligned to 16
 * bytes and first is a multiple of 4.  Scratch memory: 8 bytes per section, which the table keeps
 * for later calls.  ALIAS_ERR_ARG for a CPU table, and for ALIAS_SAMPLER_SHARED with sections that
 * do not fit shared memory.  Other errors as for alias_sample32().
 */
int alias_sample32_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint32_t *out, void *stream);
int alias_sample64_device(const alias_table *table, alias_sampler sampler, uint64_t seed,
                          uint64_t first, uint64_t count, uint64_t *out, void *stream);

/* Returns the sampler that ALIAS_SAMPLER_AUTO means for count draws from the table. */
alias_sampler alias_best_sampler(const alias_table *table, uint64_t count);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
