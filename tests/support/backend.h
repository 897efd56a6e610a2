/*
 * backend.h - the backend that a test runs on: the CPU in the program test_rmat, and a GPU in
 * test_rmat_gpu, which is compiled from the same files with TEST_ON_GPU.
 *
 * What a GPU leaves in its own memory comes to the host by to_host() or copy_to_host().  On the CPU
 * the functions of this memory are those of the host's.
 */
#ifndef TESTS_SUPPORT_BACKEND_H
#define TESTS_SUPPORT_BACKEND_H

#include "rmat/rmat_csr.h"
#include "tests/support/alias_util.h"
#include "tests/support/must.h"

#include <stdlib.h>
#include <string.h>

#ifdef TEST_ON_GPU
#include "rmat/rmat_gpu.h"
#include "tests/support/gpu_util.h"

enum { ON_GPU = 1 };
#define TESTED RMAT_BACKEND_GPU

static inline void copy_to_host(void *host, const void *device, size_t size)
{
    must_cuda(cudaMemcpy(host, device, size, cudaMemcpyDeviceToHost));
}

#else

enum { ON_GPU = 0 };
#define TESTED RMAT_BACKEND_CPU

static inline int small_run(void)
{
    return 0;
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

/* Rows that a GPU's generator has left in its memory are moved to the host, as if rmat_csr_rows()
 * had made them. */
static inline void move_csr_to_host(const rmat_gen *gen, const rmat_csr_spec *spec, rmat_csr *csr)
{
    rmat_csr device = *csr;

    csr->pointers = to_host(device.pointers, (device.rows + 1) * sizeof *device.pointers);
    csr->indices = to_host(device.indices, device.edges * (uint64_t)spec->id_bytes);
    csr->weights = spec->weights ? to_host(device.weights, device.edges * 4) : NULL;
    rmat_csr_free_device(gen, &device);
}

#endif
