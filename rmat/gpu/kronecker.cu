/* kronecker.cu - the stream KRONECKER in device memory: groups are drawn by the kernels of every
 * model, and each edge is stored as its vertices. */
#include "rmat/model/gpu.h"
#include "rmat/model/kronecker.h"
#include "rmat/rmat_device.cuh"

namespace
{

struct store_vertices {
    struct state {
    };
    rmat_kronecker k;
    uint64_t first;
    rmat_arrays to;

    __device__ void begin(state &) const
    {
    }
    __device__ void end(state &) const
    {
    }
    __device__ void put(void *ids, uint64_t i, uint64_t end) const
    {
        const uint64_t vertex = rmat_kronecker_vertex(&k, end);

        if (to.id_bytes == 4) {
            ((uint32_t *)ids)[i] = (uint32_t)vertex;
        } else {
            ((uint64_t *)ids)[i] = vertex;
        }
    }
    __device__ void operator()(state &, uint64_t e, uint64_t src, uint64_t dst) const
    {
        put(to.src, e - first, src);
        put(to.dst, e - first, dst);
    }
};

} // namespace

extern "C" int rmat_gpu_kronecker(void *state, uint64_t first, uint64_t count,
                                  const rmat_arrays *to, void *stream)
{
    const rmat_kronecker *k = (const rmat_kronecker *)state;
    const store_vertices store = {*k, first, *to};

    return rmat_for_each_edge(k->gen, first, count, store, (cudaStream_t)stream);
}
