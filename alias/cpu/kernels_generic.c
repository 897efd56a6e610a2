#define KERNELS      alias_kernels_generic
#define KERNELS_NAME "generic"
#define LANES        2
#include "alias/cpu/kernels_body.h"
