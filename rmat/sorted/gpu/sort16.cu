/* The sorter of 16-byte keys. */
#include "rmat/sorted/gpu/sort.cuh"

extern "C" const gpu_interval_sorter *rmat_gpu_sorter16(void)
{
    static const gpu_interval_sorter sorter = {
        interval_scratch<rmat_code>, interval_sort<rmat_code>, interval_unique<rmat_code>};

    return &sorter;
}
