/* No edges in device memory in a build without CUDA. */
#include "rmat/fit/load.h"

#include <stddef.h>

rmat_source_fill_device *fit_loaded_fill_device(void)
{
    return NULL;
}
