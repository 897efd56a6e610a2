/* alias/cpu/kernels_avx2.c - the inner loops of alias/cpu/cpu.h for AVX2.  The file sets the
 * target itself, so that one command compiles all of alias/. Empty on other processors. */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif
#define KERNELS      alias_kernels_avx2
#define KERNELS_NAME "avx2"
#define LANES        4
#include "alias/cpu/kernels_body.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
