/* Gathers the keys of an interval, in graphs of scales up to 32; and closes chunks, for all graphs.
 */
#include "rmat/sorted/gpu/gather.cuh"

extern "C" int rmat_gpu_gather(const rmat_gen *gen, uint64_t first, uint64_t count,
                               const gpu_interval_gather *to, cudaStream_t stream)
{
    return interval_gather_run<uint32_t>(gen, first, count, to, stream);
}

enum { THREADS = 256 };

/* Fills the unused places of each chunk, a warp for each. */
static __global__ void __launch_bounds__(THREADS) close_kernel(gpu_interval_gather to, int bits)
{
    const uint32_t w = (blockIdx.x * THREADS + threadIdx.x) / 32;

    if (w >= to.n_chunks) {
        return;
    }
    const gpu_interval_chunk c = to.chunks[w];
    const uint64_t first = c.end - c.left, end = min(c.end, to.room);
    const rmat_code last = ((rmat_code)1 << bits) - 1;

    for (uint64_t i = first + threadIdx.x % 32; i < end; i += 32) {
        if (to.key_bytes == 8) {
            ((uint64_t *)to.keys)[i] = (uint64_t)last;
        } else {
            ((rmat_code *)to.keys)[i] = last;
        }
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
        if (first < end) {
            atomicAdd(&to.counters->holes, (unsigned long long)(end - first));
        }
        to.chunks[w] = {0, 0};
    }
}

extern "C" int rmat_gpu_close_chunks(const gpu_interval_gather *to, int bits, cudaStream_t stream)
{
    if (to->n_chunks == 0) {
        return RMAT_OK;
    }
    close_kernel<<<(to->n_chunks * 32 + THREADS - 1) / THREADS, THREADS, 0, stream>>>(*to, bits);
    return rmat_gpu_launched();
}
