/*
 * alias/gpu/split.cu - the split step of PSA: how many light items the sweep has taken after every
 * part ("Weighted Random Sampling on GPUs", section 4.1).
 *
 * After `steps` steps that number is the least i for which heavy item steps - i - 1 comes before
 * light item i.  It is found either by a binary search for each part or by partial p-ary search for
 * all parts of a thread block together.
 */
#include "alias/gpu/partition.cuh"
#include "alias/gpu/pary_search.cuh"

namespace
{

enum {
    /* Threads of a block of binary searches: in general, and with fewer than FEW parts, which do
     * not keep all multiprocessors busy. */
    MANY_THREADS = 128,
    FEW_THREADS = 32,
    FEW = 1 << 15,
    /* Threads of a block of p-ary searches with one lane per part, and with more. */
    PARY_THREADS = 256,
    LANES_THREADS = 64,
    LANES_ALL = 20480 /* lanes over all parts; more are not used */
};

/* A state of the sweep to be found. */
template <typename Item> struct state {
    alias_gpu_lists<Item> lists;
    uint64_t steps, low, high; /* its number of light items lies in [low, high] */

    __device__ __forceinline__ state(const alias_gpu_partition &part, uint64_t steps_)
        : lists(part), steps(steps_)
    {
        const uint64_t lights = part.counts->lights, heavies = part.counts->heavies;

        low = steps > heavies ? steps - heavies : 0;
        high = min(steps, lights);
    }
};

/* Whether the sweep takes heavy item steps - i - 1 before light item i. */
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
