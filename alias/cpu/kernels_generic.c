/* alias/cpu/kernels_generic.c - the inner loops of alias/cpu/cpu.h, compiled for the baseline
 * instruction set of the architecture.  On 64-bit Arm processors, that is NEON. */
#if defined(__aarch64__)
#define KERNELS_NEON
#define KERNELS_NAME "neon"
#else
#define KERNELS_NAME "generic"
#endif
#define KERNELS alias_kernels_generic
#define LANES   2
#include "alias/cpu/kernels_body.h"
