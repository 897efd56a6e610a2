/*
 * alias/gpu/launch.cuh - early launches, for short kernels that follow one another so closely that
 * their launches take a noticeable part of the time.  The next kernel's blocks go to the
 * multiprocessors while the kernel before still runs, and wait for its end ("programmatic dependent
 * launch", from sm_90 on).  On older GPUs launches are normal.
 *
 * The first kernel of a sequence is launched normally and calls alias_next_may_start(). All others
 * are launched by alias_launch(). Every thread of theirs calls alias_follow() before anything else,
 * even if it then returns.  So the end of one kernel also means the end of all before it.
 */
#ifndef ALIAS_GPU_LAUNCH_CUH
#define ALIAS_GPU_LAUNCH_CUH

#include "alias/gpu/device.h"

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
