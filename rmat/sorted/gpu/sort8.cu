/* The sorter of 8-byte keys: by a sample sort where that pays, else by CUB. */
#include "rmat/sorted/gpu/sample_sort.h"
#include "rmat/sorted/gpu/sort.cuh"

static int scratch8(uint64_t n, size_t *bytes)
{
    const int st = interval_scratch<uint64_t>(n, bytes);

    *bytes += rmat_sample_sort_scratch(n);
    return st;
}

static int sort8(void *keys[2], uint64_t n, int bits, void *scratch, size_t scratch_bytes,
                 cudaStream_t stream)
{
    uint64_t *const both[2] = {(uint64_t *)keys[0], (uint64_t *)keys[1]};
    int sorted = 0, st = RMAT_OK;

    if (rmat_sample_sort_pays(n, bits)) {
        st = rmat_sample_sort(both, n, bits, scratch, scratch_bytes, stream, &sorted);
    }
    return st != RMAT_OK || sorted
               ? st
               : interval_sort<uint64_t>(keys, n, bits, scratch, scratch_bytes, stream);
}

extern "C" const gpu_interval_sorter *rmat_gpu_sorter8(void)
{
    static const gpu_interval_sorter sorter = {scratch8, sort8, interval_unique<uint64_t>};

    return &sorter;
}
