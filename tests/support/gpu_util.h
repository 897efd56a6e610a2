/* Helpers of the tests of GPU tables.  Only for builds with CUDA. */
#ifndef TESTS_SUPPORT_GPU_UTIL_H
#define TESTS_SUPPORT_GPU_UTIL_H

#include "alias/alias_gpu.h"
#include "tests/support/alias_util.h"
#include "tests/support/must.h"

#include <check.h>
#include <cuda_runtime_api.h>

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
enum { GPU_VARIANTS = 9, PSA_VARIANTS = 6 };
alias_config variant_config(int variant, int row_bytes, alias_layout layout);

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

#endif
