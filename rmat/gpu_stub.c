/* Built where CUDA is absent: the GPU backend that is not there. */
#include "rmat/rmat_impl.h"

#include <stddef.h>

const rmat_backend_ops *rmat_gpu_backend(void)
{
    return NULL;
}
