/* alias/cpu/kernels_neon.c - the inner loops of alias/cpu/kernels.h for NEON, which every 64-bit
 * Arm processor has.  Empty on other processors. */
#if defined(__aarch64__)
#define KERNELS      alias_kernels_neon
#define KERNELS_NAME "neon"
#define KERNELS_NEON
#define LANES 2
#include "alias/cpu/kernels_body.h"
#endif
