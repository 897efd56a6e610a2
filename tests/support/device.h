/*
 * device.h - the backend of a test: the CPU in the programs test_alias and test_rmat, and a GPU in
 * test_alias_gpu and test_rmat_gpu.  The latter are compiled from the same files with TEST_ON_GPU.
 *
 * to_host() and copy_to_host() copy a GPU's memory to the host.  On the CPU the functions of GPU
 * memory are those of host memory.
 */
#ifndef TESTS_SUPPORT_DEVICE_H
#define TESTS_SUPPORT_DEVICE_H

#include "tests/support/alias_util.h"

#ifdef TEST_ON_GPU
#include "tests/support/gpu_util.h"

enum { ON_GPU = 1 };
#define ALIAS_TESTED ALIAS_BACKEND_GPU

static inline void copy_to_host(void *host, const void *device, size_t size)
{
    must_cuda(cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost));
}

static inline void copy_to_device(void *device, const void *host, size_t size)
{
    must_cuda(cudaMemcpy(device, host, size, cudaMemcpyHostToDevice));
}

#else

enum { ON_GPU = 0 };
#define ALIAS_TESTED ALIAS_BACKEND_CPU

static inline int small_run(void) /* gpu_util.h */
{
    return SANITIZED;
}

static inline size_t free_device_memory(void)
{
    return 0;
}

static inline void check_no_leak(size_t before)
{
    (void)before;
}

static inline void copy_to_host(void *host, const void *device, size_t size)
{
    memcpy(host, device, size);
}

static inline void copy_to_device(void *device, const void *host, size_t size)
{
    memcpy(device, host, size);
}

static inline void *on_device(const void *host, size_t size)
{
    void *memory = must_alloc(size + 1, 1);

    return host ? memcpy(memory, host, size) : memory;
}

static inline void free_device(void *memory)
{
    free(memory);
}
SCOPED_MEMORY(free_device)
#endif

/* A copy on the host, for free(). */
static inline void *to_host(const void *device, size_t size)
{
    void *host = must_alloc(size + 1, 1);

    copy_to_host(host, device, size);
    return host;
}

#endif
