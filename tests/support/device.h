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
#include "alias/alias_gpu.h"

#include <cuda_runtime_api.h>

enum { ON_GPU = 1 };
#define ALIAS_TESTED ALIAS_BACKEND_GPU

/* RMAT_TEST_SMALL. 1: small tables only, for compute-sanitizer. 2: only the tables needed to run
 * every kernel, for its racecheck, which is even slower.  Else 0. */
int small_run(void);

#define must_cuda(call)                                                                            \
    do {                                                                                           \
        cudaError_t must_error = (call);                                                           \
        must(must_error == cudaSuccess, "%s: %s", #call, cudaGetErrorString(must_error));          \
    } while (0)

/* A copy in GPU memory of size bytes, or uninitialized memory for NULL; freed with
 * free_device(). */
void *on_device(const void *host, size_t size);

static inline void free_device(void *memory)
{
    must_cuda(cudaFree(memory));
}
SCOPED_MEMORY(free_device)

/* Bytes of free GPU memory after all work is done. */
size_t free_device_memory(void);

/* Fails the test if less memory is free than before.  Small runs may share the GPU, and leave this
 * check to the sanitizer, which knows every allocation. */
void check_no_leak(size_t before);

/* Takes more and more of the GPU's memory, from room bytes of free memory on, and makes the attempt
 * each time.  Fails the test unless the attempt gives 0 and no_memory several times each, and 0 at
 * the end, without a leak. */
void check_scarce_memory(size_t room, int (*attempt)(void *), void *data, int no_memory);

/* All ways to build on the GPU: the first PSA_VARIANTS by PSA, the last one by AUTO. */
enum { GPU_VARIANTS = 6, PSA_VARIANTS = 4 };
alias_config variant_config(int variant, int row_bytes);

/* The variant and its settings as text; valid until the next call. */
const char *describe(const alias_config *config, uint64_t n, const char *weights);

/* The reference tables: the CPU's by sweep and by PSA+. */
typedef struct {
    alias_table *sweep, *plus;
} cpu_tables;
cpu_tables cpu_tables_create(const double *weights, uint64_t n, int row_bytes);
void cpu_tables_destroy(cpu_tables tables);
SCOPED(cpu_tables_destroy, cpu_tables)

/* Fails the test unless the table has the rows that its builder promises. */
void check_rows(const alias_table *table, const cpu_tables *expected, const char *what);

/* Builds from weights in GPU memory and compares: check_rows(). */
void check_build(const alias_config *config, const double *device_weights, uint64_t n,
                 const cpu_tables *expected, const char *weights);

/* The same of weights in host memory, for all variants from the first one on. */
void check_variants(const double *w, uint64_t n, int row_bytes, int first, const char *weights);

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

/* Before the first call of CUDA: there are none. */
static inline void hide_gpus(void)
{
    setenv("CUDA_VISIBLE_DEVICES", "", 1);
}

static inline int small_run(void)
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
