/* Gathers the keys of an interval, in graphs of any scale; compiled by itself because it takes
 * long. */
#include "rmat/sorted/gpu/gather.cuh"

extern "C" int rmat_gpu_gather_wide(const rmat_gen *gen, uint64_t first, uint64_t count,
                                    const gpu_interval_gather *to, cudaStream_t stream)
{
    return interval_gather_run<uint64_t>(gen, first, count, to, stream);
}
