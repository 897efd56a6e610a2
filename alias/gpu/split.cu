/*
 * States of the sweep after every part (PSA, section 4.1 of the GPU paper): how many of its first d
 * steps took a light item.  That is the least i for which heavy d - i - 1 comes before light i.
 * Either by a binary search for each, or by partial p-ary search.
 */
#include "alias/gpu/partition.cuh"
#include "alias/gpu/pary_search.cuh"

namespace
{

enum {
    /* Threads of a block, and where there are not enough splits for all multiprocessors. */
    MANY_THREADS = 128,
    FEW_THREADS = 32,
    FEW = 1 << 15,
    /* The same for the p-ary split, with one and with more lanes for a split. */
    PARY_THREADS = 256,
    LANES_THREADS = 64,
    LANES_ALL = 20480 /* lanes for all splits together, before some are saved */
};

/* A state of the sweep that is looked for. */
template <typename Item> struct state {
    alias_gpu_lists<Item> lists;
    uint64_t steps, low, high; /* its lights lie in [low, high] */

    __device__ __forceinline__ state(const alias_gpu_partition &part, uint64_t steps_)
        : lists(part), steps(steps_)
    {
        const uint64_t lights = part.counts->lights, heavies = part.counts->heavies;

        low = steps > heavies ? steps - heavies : 0;
        high = min(steps, lights);
    }
};

/* Whether the sweep takes heavy steps - i - 1 before light i. */
template <typename Item>
__device__ __forceinline__ bool heavy_first(const alias_gpu_lists<Item> &lists, uint64_t i,
                                            uint64_t steps)
{
    return *lists.heavy_end(steps - i - 1) <= *lists.light_start(i);
}

template <typename Item>
__global__ void split_binary(alias_gpu_partition part, uint64_t parts, uint64_t size, uint64_t *out)
{
    const uint64_t p = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    state<Item> s(part, p < parts ? p * size : part.n);

    if (part.scalars->status != ALIAS_OK || p > parts) {
        return;
    }
    while (s.low < s.high) {
        const uint64_t i = s.low + (s.high - s.low) / 2;

        if (heavy_first(s.lists, i, s.steps)) {
            s.high = i;
        } else {
            s.low = i + 1;
        }
    }
    out[p] = s.low;
}

template <typename Item, int THREADS, int LANES>
__global__ void __launch_bounds__(THREADS)
    split_pary(alias_gpu_partition part, uint64_t parts, uint64_t size, uint64_t *out)
{
    using search = alias_pary_search<THREADS, LANES>;
    __shared__ typename search::storage storage;
    const uint64_t p = (uint64_t)blockIdx.x * search::QUERIES + threadIdx.x / LANES;
    const state<Item> s(part, p < parts ? p * size : part.n);

    if (part.scalars->status != ALIAS_OK) {
        return;
    }
    const uint64_t lights =
        search::search(storage, s.low, s.high, s.steps,
                       [&s](uint64_t i, uint64_t steps) { return heavy_first(s.lists, i, steps); });

    if (p <= parts && threadIdx.x % LANES == 0) {
        out[p] = lights;
    }
}

template <typename Item, int LANES>
int launch_pary(const alias_gpu_partition &part, uint64_t parts, uint64_t size, uint64_t *out,
                cudaStream_t stream)
{
    constexpr int THREADS = LANES > 1 ? LANES_THREADS : PARY_THREADS;
    const unsigned blocks = (unsigned)(parts / (THREADS / LANES) + 1);

    split_pary<Item, THREADS, LANES><<<blocks, THREADS, 0, stream>>>(part, parts, size, out);
    return alias_gpu_launched();
}

template <typename Item>
int split(const alias_gpu_partition &part, alias_split_method method, int lanes, uint64_t parts,
          uint64_t size, uint64_t *out, cudaStream_t stream)
{
    if (method == ALIAS_SPLIT_BINARY) {
        const unsigned threads = parts < FEW ? FEW_THREADS : MANY_THREADS;

        split_binary<Item>
            <<<(unsigned)(parts / threads + 1), threads, 0, stream>>>(part, parts, size, out);
        return alias_gpu_launched();
    }
    if (lanes == 0) {
        for (lanes = 32; lanes > 1 && parts > LANES_ALL / (unsigned)lanes; lanes /= 2) {
        }
    }
    switch (lanes) {
    case 32:
        return launch_pary<Item, 32>(part, parts, size, out, stream);
    case 16:
        return launch_pary<Item, 16>(part, parts, size, out, stream);
    case 8:
        return launch_pary<Item, 8>(part, parts, size, out, stream);
    case 4:
        return launch_pary<Item, 4>(part, parts, size, out, stream);
    case 2:
        return launch_pary<Item, 2>(part, parts, size, out, stream);
    default:
        return launch_pary<Item, 1>(part, parts, size, out, stream);
    }
}

} // namespace

int alias_gpu_split(const alias_gpu_partition *part, alias_split_method method, int lanes,
                    uint64_t parts, uint64_t size, uint64_t *lights, cudaStream_t stream)
{
    return part->n <= ALIAS_GPU_NARROW
               ? split<uint32_t>(*part, method, lanes, parts, size, lights, stream)
               : split<uint64_t>(*part, method, lanes, parts, size, lights, stream);
}
