/*
 * Bits of edges that are stored in device memory, as of a file, after the permutation of their
 * vertices has been undone.
 */
#include "rmat/model/unpermute.h"
#include "rmat/tally/count_bits.cuh"
#include "rmat/tally/stored.h"

static_assert((int)RMAT_TALLY_CHUNK == (int)CHUNK, "arrays have room for whole chunks");

enum { BLOCKS = 1024 };

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    unpermute(const rmat_permutation p, T *ids, uint64_t count)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        ids[i] = (T)rmat_unpermute_vertex(&p, ids[i]);
    }
}

template <typename T>
static int count_stored(const rmat_permutation *p, T *src, T *dst, uint64_t count,
                        rmat_tally *tally, cudaStream_t stream)
{
    int st = RMAT_OK;

    if (p != NULL) {
        unpermute<<<BLOCKS, THREADS, 0, stream>>>(p[RMAT_ROWS], src, count);
        RMAT_TRY(rmat_gpu_launched());
        unpermute<<<BLOCKS, THREADS, 0, stream>>>(p[RMAT_COLS], dst, count);
        RMAT_TRY(rmat_gpu_launched());
    }
    RMAT_TRY((count_levels<T, RMAT_LEVEL_WORDS, false>(src, dst, count, BLOCKS, tally, stream)));
done:
    return st;
}

extern "C" int rmat_gpu_tally_stored(const rmat_permutation *p, void *src, void *dst,
                                     uint64_t count, int id_bytes, rmat_tally *tally, void *stream)
{
    return id_bytes == 4 ? count_stored(p, (uint32_t *)src, (uint32_t *)dst, count, tally,
                                        (cudaStream_t)stream)
                         : count_stored(p, (uint64_t *)src, (uint64_t *)dst, count, tally,
                                        (cudaStream_t)stream);
}
