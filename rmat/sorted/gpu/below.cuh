/* below.cuh - private to rmat/: binary search in sorted keys, for the files with kernels. */
#ifndef RMAT_SORTED_GPU_BELOW_CUH
#define RMAT_SORTED_GPU_BELOW_CUH

#include <stdint.h>

/* How many of the sorted keys are below this one, if between `from` and `to` are. */
template <typename K>
static __device__ __forceinline__ uint64_t rmat_below(const K *keys, uint64_t from, uint64_t to,
                                                      K key)
{
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;

        if (keys[middle] < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

#endif
