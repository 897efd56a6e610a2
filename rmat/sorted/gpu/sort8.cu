/* The sorter of 8-byte keys. */
#include "rmat/sorted/gpu/sort.cuh"

extern "C" const gpu_interval_sorter *rmat_gpu_sorter8(void)
{
    static const gpu_interval_sorter sorter = {interval_scratch<uint64_t>, interval_sort<uint64_t>,
                                               interval_unique<uint64_t>};

    return &sorter;
}
