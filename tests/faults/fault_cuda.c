/*
 * fault_cuda.c - the program's calls of the CUDA runtime, in a build with -D RMAT_SHARED_CUDART=ON.
 *
 * Calls that do work are counted, kernel launches among them.  Calls that release something or
 * return an error are not.  A call that fails is not made.
 */
#include "fault.h"

#include <cuda_runtime_api.h>

static _Thread_local cudaError_t last; /* as cudaGetLastError() will tell it */

/* Define NAME(PARAMETERS), which fails with ERROR or passes ARGUMENTS on. */
#define WRAP(name, error, parameters, arguments)                                                   \
    EXPORT cudaError_t name parameters                                                             \
    {                                                                                              \
        return strikes(CUDA) ? (last = error) : NEXT(name) arguments;                              \
    }
#define MEMORY(name, parameters, arguments)                                                        \
    WRAP(name, cudaErrorMemoryAllocation, parameters, arguments)
#define WORK(name, parameters, arguments) WRAP(name, cudaErrorLaunchFailure, parameters, arguments)

typedef void *any;

MEMORY(cudaMalloc, (any * p, size_t n), (p, n))
MEMORY(cudaMallocHost, (any * p, size_t n), (p, n))
MEMORY(cudaHostAlloc, (any * p, size_t n, unsigned flags), (p, n, flags))
MEMORY(cudaHostRegister, (any p, size_t n, unsigned flags), (p, n, flags))
MEMORY(cudaMallocFromPoolAsync, (any * p, size_t n, cudaMemPool_t pool, cudaStream_t stream),
       (p, n, pool, stream))
MEMORY(cudaMemPoolCreate, (cudaMemPool_t * pool, const struct cudaMemPoolProps *how), (pool, how))
WORK(cudaMemPoolSetAttribute, (cudaMemPool_t pool, enum cudaMemPoolAttr attr, any value),
     (pool, attr, value))
WORK(cudaMemcpy, (any to, const void *from, size_t n, enum cudaMemcpyKind kind),
     (to, from, n, kind))
WORK(cudaMemcpyAsync,
     (any to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t s),
     (to, from, n, kind, s))
WORK(cudaMemset, (any to, int byte, size_t n), (to, byte, n))
WORK(cudaMemsetAsync, (any to, int byte, size_t n, cudaStream_t s), (to, byte, n, s))
WORK(cudaMemGetInfo, (size_t * available, size_t *all), (available, all))
WORK(cudaStreamCreateWithFlags, (cudaStream_t * s, unsigned flags), (s, flags))
WORK(cudaStreamSynchronize, (cudaStream_t s), (s))
WORK(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned flags), (s, e, flags))
WORK(cudaEventCreate, (cudaEvent_t * e), (e))
WORK(cudaEventCreateWithFlags, (cudaEvent_t * e, unsigned flags), (e, flags))
WORK(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, s))
WORK(cudaEventSynchronize, (cudaEvent_t e), (e))
WORK(cudaEventQuery, (cudaEvent_t e), (e))
WORK(cudaDeviceSynchronize, (void), ())
WORK(cudaSetDevice, (int device), (device))
WORK(cudaGetDevice, (int *device), (device))
WORK(cudaGetDeviceCount, (int *n), (n))
WORK(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attr, int device),
     (value, attr, device))
WORK(cudaFuncSetAttribute, (const void *f, enum cudaFuncAttribute attr, int value),
     (f, attr, value))
WORK(cudaFuncGetAttributes, (struct cudaFuncAttributes * to, const void *f), (to, f))
WORK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
     (int *n, const void *f, int threads, size_t shared, unsigned flags),
     (n, f, threads, shared, flags))
WORK(cudaLaunchKernelExC, (const cudaLaunchConfig_t *how, const void *f, any *arguments),
     (how, f, arguments))
WORK(cudaLaunchKernel,
     (const void *f, dim3 grid, dim3 block, any *arguments, size_t shared, cudaStream_t s),
     (f, grid, block, arguments, shared, s))

/* What the compiler makes of <<<...>>>. */
cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 grid, dim3 block, any *arguments, size_t shared,
                               cudaStream_t s);
WORK(__cudaLaunchKernel,
     (cudaKernel_t f, dim3 grid, dim3 block, any *arguments, size_t shared, cudaStream_t s),
     (f, grid, block, arguments, shared, s))

/* The error of a call that failed here, or what the runtime says. */
EXPORT cudaError_t cudaGetLastError(void)
{
    const cudaError_t mine = last;

    last = cudaSuccess;
    return mine != cudaSuccess ? mine : NEXT(cudaGetLastError)();
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
    return last != cudaSuccess ? last : NEXT(cudaPeekAtLastError)();
}
