/*
 * alias/cpu/backend.c - the CPU's set of operations, the choice of an instruction set at run time,
 * and threads and memory.
 */
#include "alias/cpu/cpu.h"
#include "alias/cpu/kernels.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

static int build_table(alias_table *table, const alias_input *input)
{
    alias_mass_plan plan;
    int st;

    table->rows = alias_cpu_alloc(table->n, (size_t)table->row_bytes);
    if (table->rows == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    st = input->weights != NULL
             ? alias_mass_plan_create(&plan, input->weights, table->n, table->k, table->threads,
                                      input->bad)
             : alias_mass_plan_of_masses(&plan, input->masses, table->n, table->k);
    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_cpu_build_rows(table, &plan);
    alias_mass_plan_free(&plan);
    return st;
}

static int get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    const char *rows = table->rows;

    *row = alias_logical_row(rows + i * (uint64_t)table->row_bytes, table->row_bytes, table->k, i);
    return ALIAS_OK;
}

int alias_cpu_empty(alias_table **out, const alias_table *like)
{
    alias_config config = like->config;
    int st;

    config.row_bytes = like->row_bytes;
    config.builder = like->builder;
    st = alias_table_new(out, &config, like->n, alias_cpu_ops());
    if (st != ALIAS_OK) {
        return st;
    }
    (*out)->rows = alias_cpu_alloc(like->n, (size_t)like->row_bytes);
    if ((*out)->rows == NULL) {
        alias_destroy(*out);
        *out = NULL;
        return ALIAS_ERR_NOMEM;
    }
    return ALIAS_OK;
}

static void free_rows(alias_table *table)
{
    alias_cpu_free(table->rows);
}

const alias_ops *alias_cpu_ops(void)
{
    static const alias_ops ops = {.build = build_table,
                                  .get_row = get_row,
                                  .sample = alias_cpu_sample,
                                  .destroy = free_rows,
                                  .sections = alias_cpu_sections,
                                  .sections_part = alias_cpu_sections_part};

    return &ops;
}

/* The choice of an instruction set at run time.  The library holds the inner loops for all of them,
 * so that one binary runs everywhere. */

static const alias_kernels *kernel_sets[3];
static int kernel_set_count;
static pthread_once_t kernel_sets_once = PTHREAD_ONCE_INIT;

static void find_kernel_sets(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        kernel_sets[kernel_set_count++] = &alias_kernels_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        kernel_sets[kernel_set_count++] = &alias_kernels_avx2;
    }
#elif defined(__aarch64__)
    kernel_sets[kernel_set_count++] = &alias_kernels_neon;
#endif
    kernel_sets[kernel_set_count++] = &alias_kernels_generic;
}

const alias_kernels *const *alias_cpu_kernel_sets(int *count)
{
    pthread_once(&kernel_sets_once, find_kernel_sets);
    *count = kernel_set_count;
    return kernel_sets;
}

const alias_kernels *alias_cpu_kernels(void)
{
    pthread_once(&kernel_sets_once, find_kernel_sets);
    return kernel_sets[0];
}

/* Threads and memory of the CPU backend. */

#define HUGE_PAGE ((size_t)2 << 20)

int alias_cpu_team(int threads, uint64_t work)
{
    if (threads == 0) {
        threads = omp_get_num_procs();
    }
    return work >= (uint64_t)threads ? threads : work > 1 ? (int)work : 1;
}

static void *allocate_aligned(uint64_t count, size_t size, bool huge)
{
    size_t bytes, align = 64;
    void *memory;

    if (count > (SIZE_MAX - 2 * HUGE_PAGE) / size) {
        return NULL;
    }
    bytes = (size_t)count * size;
    if (huge && bytes >= HUGE_PAGE) {
        align = HUGE_PAGE;
    }
    bytes = (bytes + align - 1) / align * align;
    memory = aligned_alloc(align, bytes != 0 ? bytes : align);
    if (memory != NULL && align == HUGE_PAGE) {
        madvise(memory, bytes, MADV_HUGEPAGE); /* may fail: only speed depends on it */
    }
    return memory;
}

void *alias_cpu_alloc(uint64_t count, size_t size)
{
    return allocate_aligned(count, size, true);
}

void *alias_cpu_alloc_sparse(uint64_t count, size_t size)
{
    return allocate_aligned(count, size, false);
}

void alias_cpu_free(void *memory)
{
    free(memory);
}
