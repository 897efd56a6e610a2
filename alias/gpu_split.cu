/*
 * States of the sweep after every part (PSA, section 4.1 of the GPU paper): how many of its first d
 * steps took a light item.  That is the least i for which heavy d - i - 1 comes before light i.
 * Either by a binary search for each, or by partial p-ary search.
 */
#include "alias/gpu_partition.cuh"
#include "alias/pary_search.cuh"

namespace
{

enum {
    FEW_THREADS = 32, /* of a block, while there are not enough splits for all multiprocessors */
    MANY_THREADS = 128,
    FEW = 1 << 15,
    PARY_THREADS = 128,
    PARY_LANES = 1 << 18 /* threads that keep a GPU busy */
};

/* Whether the sweep takes heavy steps - i - 1 before light i, for 0 <= i <= min(steps, lights). */
template <typename Item> struct heavy_first {
    alias_gpu_lists<Item> lists;
    uint64_t lights, heavies;

    __device__ __forceinline__ bool operator()(uint64_t i, uint64_t steps) const
    {
        if (i >= steps) {
            return true;
        }
        if (steps - i > heavies) {
            return false;
        }
        return *lists.heavy_end(steps - i - 1) <= *lists.light_start(i);
    }
};

template <typename Item>
__global__ void split_binary(alias_gpu_partition part, uint64_t parts, uint64_t size, uint64_t *out)
{
    const uint64_t p = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (part.scalars->status != ALIAS_OK || p > parts) {
        return;
    }
    const uint64_t steps = p < parts ? p * size : part.n;
    const heavy_first<Item> reached = {alias_gpu_lists<Item>(part), part.counts->lights,
                                       part.counts->heavies};
    uint64_t low = steps > reached.heavies ? steps - reached.heavies : 0;
    uint64_t high = min(steps, reached.lights);

    while (low < high) {
        const uint64_t i = low + (high - low) / 2;

        if (*reached.lists.heavy_end(steps - i - 1) <= *reached.lists.light_start(i)) {
            high = i;
        } else {
            low = i + 1;
        }
    }
    out[p] = low;
}

template <typename Item, int LANES>
__global__ void __launch_bounds__(PARY_THREADS)
    split_pary(alias_gpu_partition part, uint64_t parts, uint64_t size, uint64_t *out)
{
    using search = alias_pary_search<PARY_THREADS, LANES>;
    __shared__ typename search::storage storage;
    const uint64_t before = (uint64_t)blockIdx.x * search::QUERIES;
    const uint64_t p = before + threadIdx.x / LANES;

    if (part.scalars->status != ALIAS_OK) {
        return;
    }
    const heavy_first<Item> reached = {alias_gpu_lists<Item>(part), part.counts->lights,
                                       part.counts->heavies};
    const uint64_t last = before + search::QUERIES - 1;
    const uint64_t steps = p < parts ? p * size : part.n;
    const uint64_t first_steps = before < parts ? before * size : part.n;
    const uint64_t last_steps = last < parts ? last * size : part.n;
    const uint64_t low = first_steps > reached.heavies ? first_steps - reached.heavies : 0;
    const uint64_t high = min(last_steps, reached.lights);
    const uint64_t lights = search::search(storage, low, high, steps, reached);

    if (p <= parts && threadIdx.x % LANES == 0) {
        out[p] = lights;
    }
}

template <typename Item, int LANES>
int launch_pary(const alias_gpu_partition &part, uint64_t parts, uint64_t size, uint64_t *out,
                cudaStream_t stream)
{
    const uint64_t queries = PARY_THREADS / LANES;

    split_pary<Item, LANES>
        <<<(unsigned)(parts / queries + 1), PARY_THREADS, 0, stream>>>(part, parts, size, out);
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
        for (lanes = 32; lanes > 1 && parts > PARY_LANES / (unsigned)lanes; lanes /= 2) {
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
