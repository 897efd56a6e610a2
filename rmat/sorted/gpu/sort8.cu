/* The sorter of 8-byte keys. */
#include "rmat/sorted/gpu/sort.cuh"

extern "C" const gpu_block_sorter *rmat_gpu_sorter8(void)
{
    static const gpu_block_sorter sorter = {block_scratch<uint64_t>, block_sort<uint64_t>,
                                            block_unique<uint64_t>};

    return &sorter;
}
