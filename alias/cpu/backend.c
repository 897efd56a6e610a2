/*
 * alias/cpu/backend.c - the CPU's choice of an instruction set, threads and memory, the plan of
 * masses, and its set of operations.
 */
#include "alias/cpu/cpu.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

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

/*
 * The plan of masses: steps 1 to 4 of the rule in alias/core/quantize.h, with sections distributed
 * to threads; and alias_quantize().
 */

/* The status of the first unusable weight of section b, and its index; ALIAS_OK if there is none.
 */
static int check_section(const alias_mass_plan *plan, uint64_t b, uint64_t *bad)
{
    uint64_t i, end = b * ALIAS_SECTION_ITEMS + alias_section_items(plan->n, b);

    for (i = b * ALIAS_SECTION_ITEMS; i < end; i++) {
        int st = alias_weight_status(plan->weights[i]);

        if (st != ALIAS_OK) {
            *bad = i;
            return st;
        }
    }
    return ALIAS_OK;
}

/* Step 1, and the check of the weights. */
static int sum_sections(const alias_mass_plan *plan, int threads, double *sum, uint64_t *bad)
{
    uint64_t first_bad = UINT64_MAX;
    int st = ALIAS_OK;

#pragma omp parallel num_threads(alias_cpu_team(threads, plan->sections / 8))
    {
        uint64_t b;

#pragma omp for schedule(dynamic, 64)
        for (b = 0; b < plan->sections; b++) {
            bool suspect = false;

            sum[b] =
                plan->kernels->section_sum(plan->weights + b * ALIAS_SECTION_ITEMS,
                                           alias_section_items(plan->n, b), plan->scale, &suspect);
            if (suspect) {
                uint64_t where = UINT64_MAX;
                int what = check_section(plan, b, &where);

#pragma omp critical(alias_bad_weight)
                if (where < first_bad) {
                    first_bad = where;
                    st = what;
                }
            }
        }
    }
    if (st != ALIAS_OK && bad != NULL) {
        *bad = first_bad;
    }
    return st;
}

/* Step 2: replaces the section sums by F at the ends of the sections; returns S. */
static double prefix_sums(double *sum, uint64_t sections)
{
    double base = 0, part = 0, f = 0;
    uint64_t b;

    for (b = 0; b < sections; b++) {
        if (b % ALIAS_SEGMENT_SECTIONS == 0) {
            base = f;
            part = sum[b];
        } else {
            part += sum[b];
        }
        f = base + part;
        sum[b] = f;
    }
    return f;
}

int alias_mass_plan_create(alias_mass_plan *plan, const double *weights, uint64_t n, int k,
                           int threads, uint64_t *bad)
{
    double *f = NULL, total, mass = ldexp((double)n, k);
    uint64_t b;
    int st;

    *plan =
        (alias_mass_plan){.kernels = alias_cpu_kernels(), .weights = weights, .n = n, .scale = 1.0};
    plan->sections = alias_section_count(n);
    f = alias_cpu_alloc(plan->sections, sizeof(*f));
    plan->start = alias_cpu_alloc(plan->sections + 1, sizeof(*plan->start));
    if (f == NULL || plan->start == NULL) {
        st = ALIAS_ERR_NOMEM;
        goto done;
    }
    st = sum_sections(plan, threads, f, bad);
    if (st != ALIAS_OK) {
        goto done;
    }
    total = prefix_sums(f, plan->sections);
    if (total == 0) {
        st = ALIAS_ERR_ZERO_SUM;
        goto done;
    }
    plan->scale = alias_weight_scale(total);
    if (plan->scale != 1) {
        sum_sections(plan, threads, f, NULL);
        total = prefix_sums(f, plan->sections);
    }
    plan->factor = mass / total;
    plan->start[0] = 0;
    for (b = 0; b < plan->sections; b++) {
        plan->start[b + 1] = (uint64_t)(f[b] / total * mass);
    }
done:
    free(f);
    if (st != ALIAS_OK) {
        alias_mass_plan_free(plan);
    }
    return st;
}

int alias_mass_plan_of_masses(alias_mass_plan *plan, const uint64_t *masses, uint64_t n, int k)
{
    const uint64_t mass = n << k;
    uint64_t sum = 0;

    *plan = (alias_mass_plan){.kernels = alias_cpu_kernels(), .masses = masses, .n = n};
    plan->sections = alias_section_count(n);
    plan->start = alias_cpu_alloc(plan->sections + 1, sizeof(*plan->start));
    if (plan->start == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < n && sum <= mass; i++) {
        if (i % ALIAS_SECTION_ITEMS == 0) {
            plan->start[i / ALIAS_SECTION_ITEMS] = sum;
        }
        sum = masses[i] <= mass - sum ? sum + masses[i] : UINT64_MAX;
    }
    plan->start[plan->sections] = sum;
    if (sum != mass) {
        alias_mass_plan_free(plan);
        return ALIAS_ERR_SUM;
    }
    return ALIAS_OK;
}

void alias_mass_plan_free(alias_mass_plan *plan)
{
    free(plan->start);
    plan->start = NULL;
}

void alias_mass_all(const alias_mass_plan *plan, int threads, uint64_t *q)
{
    uint64_t b;

#pragma omp parallel for schedule(static) num_threads(alias_cpu_team(threads, plan->sections / 8))
    for (b = 0; b < plan->sections; b++) {
        alias_mass_section(plan, b, q + b * ALIAS_SECTION_ITEMS);
    }
}

int alias_quantize(const double *weights, uint64_t n, int k, uint64_t *q, uint64_t *bad)
{
    alias_mass_plan plan;
    int st;

    if (weights == NULL || q == NULL || k < 0 || k > 63) {
        return ALIAS_ERR_ARG;
    }
    if (n == 0) {
        return ALIAS_ERR_EMPTY;
    }
    if (n > (uint64_t)1 << (63 - k)) {
        return ALIAS_ERR_ARG;
    }
    st = alias_mass_plan_create(&plan, weights, n, k, 0, bad);
    if (st == ALIAS_OK) {
        alias_mass_all(&plan, 0, q);
        alias_mass_plan_free(&plan);
    }
    return st;
}

/* The operations. */

static int build_table(alias_table *table, const alias_input *input)
{
    alias_mass_plan plan;
    int st;

    table->rows = alias_cpu_alloc(table->n, (size_t)table->row_bytes);
    if (table->rows == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    st = input->weights != NULL
             ? alias_mass_plan_create(&plan, input->weights, table->n, table->k,
                                      table->config.threads, input->bad)
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

static void free_rows(alias_table *table)
{
    free(table->rows);
}

const alias_ops alias_cpu_ops = {.build = build_table,
                                 .get_row = get_row,
                                 .sample = alias_cpu_sample,
                                 .destroy = free_rows,
                                 .sections = alias_cpu_sections};
