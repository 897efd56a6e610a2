/* alias/cpu/kernels_avx512.c - the inner loops of alias/cpu/cpu.h for AVX-512.  The file sets
 * the target itself, so that one command compiles all of alias/. Empty on other processors. */
#if defined(__x86_64__)
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw"))),        \
                             apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")
#endif
#define KERNELS      alias_kernels_avx512
#define KERNELS_NAME "avx512"
#define LANES        8
#include "alias/cpu/kernels_body.h"
#ifdef __clang__
#pragma clang attribute pop
#endif
#endif
