/*
 * fault_cuda.c - fails a program at one of its calls of the CUDA runtime: to be loaded with
 * LD_PRELOAD into a build with -D RMAT_SHARED_CUDART=ON.
 *
 * Calls that do work are counted from 1, kernel launches among them; those that give something
 * back, or tell of an error, are not.
 *
 * FAULT_CUDA_CALL    the number of the call that is to fail, and is not made; without it none does
 * FAULT_CUDA_MORE    nonzero: all later ones fail, too, as after a kernel that trapped
 * FAULT_CUDA_COUNTS  a file for the number of calls, as text, when the program ends
 */
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long calls;
static _Thread_local cudaError_t last; /* as cudaGetLastError() will tell it */

static long number(const char *name)
{
    const char *text = getenv(name);

    return text != NULL ? strtol(text, NULL, 10) : 0;
}

/* Is this call to fail? */
static bool struck(cudaError_t error)
{
    const long call = atomic_fetch_add(&calls, 1) + 1, first = number("FAULT_CUDA_CALL");

    if (first == 0 || call < first || (call > first && number("FAULT_CUDA_MORE") == 0)) {
        return false;
    }
    last = error;
    return true;
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("FAULT_CUDA_COUNTS");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;

    if (file != NULL) {
        fprintf(file, "%ld\n", atomic_load(&calls));
        fclose(file);
    }
}

#define EXPORT __attribute__((visibility("default")))

/* Define NAME(PARAMETERS), which fails with ERROR or passes ARGUMENTS on. */
#define WRAP(name, error, parameters, arguments)                                                   \
    EXPORT cudaError_t name parameters                                                             \
    {                                                                                              \
        cudaError_t(*next) parameters;                                                             \
                                                                                                   \
        *(void **)&next = dlsym(RTLD_NEXT, #name);                                                 \
        return struck(error) ? error : next arguments;                                             \
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

static cudaError_t take_last(const char *name, bool keep)
{
    const cudaError_t mine = last;
    cudaError_t (*next)(void);

    if (mine != cudaSuccess) {
        last = keep ? mine : cudaSuccess;
        return mine;
    }
    *(void **)&next = dlsym(RTLD_NEXT, name);
    return next();
}

EXPORT cudaError_t cudaGetLastError(void)
{
    return take_last("cudaGetLastError", false);
}

EXPORT cudaError_t cudaPeekAtLastError(void)
{
    return take_last("cudaPeekAtLastError", true);
}
