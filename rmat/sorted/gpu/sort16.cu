/* The sorter of 16-byte keys. */
#include "rmat/sorted/gpu/sort.cuh"

extern "C" const gpu_block_sorter *rmat_gpu_sorter16(void)
{
    static const gpu_block_sorter sorter = {block_scratch<rmat_code>, block_sort<rmat_code>,
                                            block_unique<rmat_code>};

    return &sorter;
}
