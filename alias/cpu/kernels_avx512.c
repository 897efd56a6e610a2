/* alias/cpu/kernels_avx512.c - the inner loops of alias/cpu/kernels.h, compiled for AVX-512. */
#define KERNELS      alias_kernels_avx512
#define KERNELS_NAME "avx512"
#define LANES        8
#include "alias/cpu/kernels_body.h"
