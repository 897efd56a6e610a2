/* Stands in for the GPU backend in a build without it. */
#include "alias/alias_impl.h"

#include <stddef.h>

const alias_ops *alias_gpu_ops(void)
{
    return NULL;
}
