/* alias/cpu/kernels_generic.c - the inner loops of alias/cpu/kernels.h, compiled for the baseline
 * instruction set of the architecture. */
#define KERNELS      alias_kernels_generic
#define KERNELS_NAME "generic"
#define LANES        2
#include "alias/cpu/kernels_body.h"
