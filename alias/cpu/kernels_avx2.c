/* alias/cpu/kernels_avx2.c - the inner loops of alias/cpu/kernels.h, compiled for AVX2. */
#define KERNELS      alias_kernels_avx2
#define KERNELS_NAME "avx2"
#define LANES        4
#include "alias/cpu/kernels_body.h"
