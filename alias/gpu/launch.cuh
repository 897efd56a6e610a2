/*
 * alias/gpu/launch.cuh - early launches, for kernels that follow one another so closely that
 * starting them counts: a kernel is put on the multiprocessors while the one before still runs
 * there, and waits for its end ("programmatic dependent launch", from sm_90 on; elsewhere launches
 * are usual ones).
 *
 * The first kernel of such a row is launched as usual and calls alias_next_may_start().  All others
 * are launched by alias_launch() and call alias_follow() before anything else, in every thread,
 * even if they then return: so the end of one also means the end of all before it.
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

/* The same, and waits until the kernel before has ended and its writes can be read. */
static __device__ __forceinline__ void alias_follow()
{
    alias_next_may_start();
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Launches a kernel that begins with alias_follow(), early or as usual.  A multiprocessor that is
 * not empty keeps its division into shared memory and cache, so a kernel that lives on the cache
 * had better not be early. */
template <typename... Parameters, typename... Arguments>
int alias_launch(bool early, void (*kernel)(Parameters...), unsigned grid, unsigned threads,
                 size_t shared, cudaStream_t stream, const Arguments &...arguments)
{
    cudaLaunchAttribute overlap = {};
    cudaLaunchConfig_t config = {};
    cudaFuncAttributes compiled;

    /* What counts is not the GPU but what the kernel was compiled for. */
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
