/*
 * alias/gpu/device.h - CUDA devices, errors, launches and scratch memory, for every GPU part of the
 * project.
 *
 * Other modules may include this header only; alias/gpu/state.h and the rest of alias/gpu/ are
 * private.  It needs a build with CUDA and serves C and CUDA files.  It includes alias/alias_gpu.h
 * for alias_gpu_count() and alias_gpu_error(), the text of the calling thread's last error.
 *
 * A function that calls CUDA and holds nothing wraps its calls in ALIAS_GPU_OR_RETURN.  One that
 * has something to release has a variable `int st`, wraps its calls in ALIAS_GPU_TRY and ends in
 *
 *     done:
 *         ... release everything, whether or not it was allocated ...
 *         return st;
 *
 * The functions are thread-safe: errors, launches and the current GPU belong to the calling thread.
 */
#ifndef ALIAS_GPU_DEVICE_H
#define ALIAS_GPU_DEVICE_H

#include "alias/alias_gpu.h"

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

/* librmat_core and alias_device.cuh use these too. */
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Returns the alias_status for the result of a CUDA function.  An error is remembered for
 * alias_gpu_error() and cleared, so that the next CUDA call does not return it. */
int alias_gpu_status(cudaError_t error);

/* Returns the status of the last kernel launch.  Call it after every launch.  Errors inside the
 * kernel appear only when a call waits for its stream. */
int alias_gpu_launched(void);

/* For tests: makes the calling thread's launch number `after` + 1 fail.  Negative: no launch. */
void alias_gpu_fail_launch(int after);

/* Replaces *device, if it is -1, by the calling thread's current GPU.  ALIAS_ERR_DEVICE, and -1,
 * if there is no GPU of that number. */
int alias_gpu_choose(int *device);

/* Makes a GPU the calling thread's current one.  Stores the previous one in *before for the
 * matching alias_gpu_leave(), which must follow only after success. */
int alias_gpu_enter(int device, int *before);
void alias_gpu_leave(int before);

/* Evaluates an expression of type alias_status; unless it is ALIAS_OK, returns it. */
#define ALIAS_OR_RETURN(call)                                                                      \
    do {                                                                                           \
        const int status_ = (call);                                                                \
        if (status_ != ALIAS_OK) {                                                                 \
            return status_;                                                                        \
        }                                                                                          \
    } while (0)

/* Evaluates an expression of type alias_status; unless it is ALIAS_OK, goes to done with it in st.
 */
#define ALIAS_TRY(call)                                                                            \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st != ALIAS_OK) {                                                                      \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* The same for an expression of type cudaError_t. */
#define ALIAS_GPU_OR_RETURN(call) ALIAS_OR_RETURN(alias_gpu_status(call))
#define ALIAS_GPU_TRY(call)       ALIAS_TRY(alias_gpu_status(call))

/* For CUDA files: the value of a call of CUB.  CUB throws if it cannot ask for the current GPU. */
#define ALIAS_GPU_CUB(...)                                                                         \
    ([&]() -> cudaError_t {                                                                        \
        try {                                                                                      \
            return __VA_ARGS__;                                                                    \
        } catch (...) {                                                                            \
            const cudaError_t error = cudaGetLastError();                                          \
                                                                                                   \
            return error != cudaSuccess ? error : cudaErrorUnknown;                                \
        }                                                                                          \
    }())

/* A bump allocator over caller-owned scratch memory.  With base NULL it returns NULL and only adds
 * up sizes, so that one function both measures and takes its memory. */
typedef struct {
    char *base;
    size_t used; /* bytes */
} alias_arena;

/* count * size bytes, aligned to 256 bytes if base is; NULL if the arena only measures. */
static inline void *alias_arena_take(alias_arena *arena, uint64_t count, size_t size)
{
    size_t at = arena->used;

    arena->used += (count * size + 255) / 256 * 256;
    return arena->base != NULL ? arena->base + at : NULL;
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#ifdef __CUDACC__

/*
 * Early launches, for short kernels that follow one another so closely that their launches take a
 * noticeable part of the time.  The next kernel's blocks go to the multiprocessors while the kernel
 * before still runs, and wait for its end ("programmatic dependent launch", from sm_90 on).  On
 * older GPUs launches are normal.
 *
 * The first kernel of a sequence is launched normally and calls alias_next_may_start(). All others
 * are launched by alias_launch(). Every thread of theirs calls alias_follow() before anything else,
 * even if it then returns.  So the end of one kernel also means the end of all before it.
 */

/* Lets the blocks of the next kernel start as soon as all blocks of this one have made the call and
 * leave room. */
static __device__ __forceinline__ void alias_next_may_start()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/* Calls alias_next_may_start(), and waits for the end and the writes of the previous kernel. */
static __device__ __forceinline__ void alias_follow()
{
    alias_next_may_start();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Launches a kernel that begins with alias_follow(), early or normally.  A multiprocessor that is
 * not empty keeps its division into shared memory and cache.  So do not launch a kernel early if
 * its speed depends on the cache. */
template <typename... Parameters, typename... Arguments>
int alias_launch(bool early, void (*kernel)(Parameters...), unsigned grid, unsigned threads,
                 size_t shared, cudaStream_t stream, const Arguments &...arguments)
{
    cudaLaunchAttribute overlap = {};
    cudaLaunchConfig_t config = {};
    cudaFuncAttributes compiled;

    /* The architecture that the kernel was compiled for decides, not the GPU. */
    ALIAS_GPU_OR_RETURN(cudaFuncGetAttributes(&compiled, kernel));
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = threads;
    config.dynamicSmemBytes = shared;
    config.stream = stream;
    config.attrs = &overlap;
    config.numAttrs = early && compiled.ptxVersion >= 90;
    (void)cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
    return alias_gpu_launched();
}

#endif

#endif
