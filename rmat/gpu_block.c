/* Blocks in GPU memory. */
#include "rmat/block_impl.h"

const rmat_block_ops *rmat_gpu_block_ops(void)
{
    return rmat_cpu_block_ops();
}
