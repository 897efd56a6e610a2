/*
 * alias/cpu/kernels.c - the choice of an instruction set at run time.  The library holds the inner
 * loops for all of them, so that one binary runs everywhere.
 */
#include "alias/cpu/kernels.h"

#include <pthread.h>

static const alias_kernels *sets[3];
static int set_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_sets(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        sets[set_count++] = &alias_kernels_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        sets[set_count++] = &alias_kernels_avx2;
    }
#elif defined(__aarch64__)
    sets[set_count++] = &alias_kernels_neon;
#endif
    sets[set_count++] = &alias_kernels_generic;
}

const alias_kernels *const *alias_cpu_kernel_sets(int *count)
{
    pthread_once(&once, find_sets);
    *count = set_count;
    return sets;
}

const alias_kernels *alias_cpu_kernels(void)
{
    pthread_once(&once, find_sets);
    return sets[0];
}
