/*
 * alias/gpu/psa.cu - PSA (alias/cpu/builders.c) on the GPU: it partitions the items, then finds
 * where the parts of the sweep begin, then packs the parts.
 *
 * The p-ary split gains 1.1 to 1.5 times over a binary search for 1,000 to 10,000 splits.  A chain
 * of dependent loads binds both, and half of the time is the launch of a kernel.  Of 120 shapes (32
 * to 256 threads, 1 to 32 lanes, 1 to 7 probes of a lane) on an H200, none gained 1.3 for 5,000.
 */
#include "alias/gpu/pary_search.cuh"
#include "alias/gpu/rows.cuh"

#include <cuda_pipeline_primitives.h>

/*
 * A run of consecutive steps of the sweep in shared memory.
 *
 * The packing threads note a partner for each item.  That of a light item is the heavy one that
 * fills its bucket; that of a heavy item is the light one before which it ends.  The rows follow
 * from the partners.  They are written list by list, so that neighboring rows are written together.
 */

/* Calls f(item, writer), where item has the type of the items in the lists and writer writes these
 * rows, and returns what it returns. */
template <typename F> int alias_with_rows(const alias_view &rows, F f)
{
    return alias_with_writer(rows, [&](auto writer) {
        if constexpr (sizeof(typename decltype(writer)::word) == 8) {
            if (rows.n > ALIAS_GPU_NARROW) {
                return f(uint64_t(), writer);
            }
        }
        return f(uint32_t(), writer);
    });
}

template <typename Item, int THREADS, int STEPS> struct alias_tile {
    static_assert(STEPS <= 65535, "partners have 16 bits");

    /* D of the light items and of the next one, then E(j + 1) of the heavy ones and of the next */
    uint64_t sum[STEPS + 2];
    Item item[STEPS + 1];    /* the light items, the heavy ones and the next one */
    uint16_t partner[STEPS]; /* index in item[] */

    /* Copies the lists from the items light and heavy on; each warp reads whole lines of memory.
     * All threads must call, and a barrier must follow. */
    __device__ __forceinline__ void load(const alias_gpu_lists<Item> &lists, uint64_t light,
                                         uint32_t lights, uint64_t heavy, uint32_t heavies)
    {
        /* Heavy items run backwards: from index low on they are heavy + heavies + 1 ... heavy. */
        const uint64_t low = lists.n + 1 - heavy - heavies;
        const uint32_t light_skip = (uint32_t)light % 32, heavy_skip = (uint32_t)low % 32;
        const uint32_t border = (light_skip + lights + 1 + 31) / 32 * 32;
        const uint64_t light_at = light - light_skip + threadIdx.x;
        const uint64_t heavy_at = low - heavy_skip - border + threadIdx.x;

#pragma unroll
        for (int u = 0; u < STEPS + 3 + 3 * 31; u += THREADS) {
            const uint32_t t = u + threadIdx.x;

            if (t < border) {
                const uint32_t s = t - light_skip;

                if (s <= lights) {
                    __pipeline_memcpy_async(&sum[s], lists.sums + (light_at + u), sizeof(sum[s]));
                }
                if (s < lights) {
                    __pipeline_memcpy_async(&item[s], lists.items + (light_at + u),
                                            sizeof(item[s]));
                }
            } else {
                const uint32_t back = t - border - heavy_skip;
                const uint32_t s = lights + heavies + 1 - back;

                if (back <= heavies) {
                    __pipeline_memcpy_async(&sum[s], lists.sums + (heavy_at + u), sizeof(sum[s]));
                }
                if (back - 1 <= heavies) {
                    __pipeline_memcpy_async(&item[s], lists.items + (heavy_at + u),
                                            sizeof(item[s]));
                }
            }
        }
        __pipeline_commit();
        __pipeline_wait_prior(0);
    }

    /* Notes the partners of the given number of steps, from light item i and heavy item j on. */
    __device__ __forceinline__ void pack(uint32_t i, uint32_t j, uint32_t steps, uint32_t lights)
    {
        uint64_t d = sum[i], e;

        j += lights;
        e = sum[j + 1];
        for (; steps > 0; steps--) {
            if (e > d) {
                partner[i++] = (uint16_t)j;
                d = sum[i];
            } else {
                partner[j++] = (uint16_t)i;
                e = sum[j + 1];
            }
        }
    }

    /* Writes the rows.  All threads must call, after a barrier. */
    template <typename Writer>
    __device__ __forceinline__ void write(const Writer &writer, uint64_t capacity, uint32_t lights,
                                          uint32_t heavies) const
    {
        const uint32_t steps = lights + heavies;

#pragma unroll
        for (int u = 0; u < STEPS; u += THREADS) {
            const uint32_t s = u + threadIdx.x;

            if (s < lights) {
                writer.put(item[s],
                           writer.make(item[s], capacity + sum[s] - sum[s + 1], item[partner[s]]));
            } else if (s < steps) {
                writer.put(item[s], writer.make(item[s], capacity + sum[s + 1] - sum[partner[s]],
                                                item[s + 1]));
            }
        }
    }
};

/*
 * The split step of PSA: how many light items the sweep has taken after every part ("Weighted
 * Random Sampling on GPUs", section 4.1).
 *
 * After `steps` steps that number is the least i for which heavy item steps - i - 1 comes before
 * light item i.  It is found either by a binary search for each part or by partial p-ary search for
 * all parts of a thread block together.
 */

namespace
{

enum {
    /* Threads of a block of binary searches: in general, and with fewer than FEW parts, too few to
     * keep all multiprocessors busy. */
    MANY_THREADS = 128,
    FEW_THREADS = 32,
    FEW = 1 << 15,
    /* Threads of a block of p-ary searches with one lane per part, and with more. */
    PARY_THREADS = 256,
    LANES_THREADS = 64,
    LANES_ALL = 20480 /* lanes over all parts; more are not used */
};

/* A state of the sweep to be found. */
template <typename Item> struct split_state {
    alias_gpu_lists<Item> lists;
    uint64_t steps, low, high; /* its number of light items lies in [low, high] */

    __device__ __forceinline__ split_state(const alias_gpu_partition &part, uint64_t steps_)
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
    split_state<Item> s(part, p < parts ? p * size : part.n);

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
    const split_state<Item> s(part, p < parts ? p * size : part.n);

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
int start_split(const alias_gpu_partition &part, alias_split_method method, uint64_t parts,
                uint64_t size, uint64_t *out, cudaStream_t stream)
{
    int lanes = 32; /* threads for each part in the p-ary split */

    if (method == ALIAS_SPLIT_BINARY) {
        const unsigned threads = parts < FEW ? FEW_THREADS : MANY_THREADS;

        split_binary<Item>
            <<<(unsigned)(parts / threads + 1), threads, 0, stream>>>(part, parts, size, out);
        return alias_gpu_launched();
    }
    while (lanes > 1 && parts > LANES_ALL / (unsigned)lanes) {
        lanes /= 2;
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

int alias_gpu_split(const alias_gpu_partition *part, alias_split_method method, uint64_t parts,
                    uint64_t size, uint64_t *lights, cudaStream_t stream)
{
    return part->n <= ALIAS_GPU_NARROW
               ? start_split<uint32_t>(*part, method, parts, size, lights, stream)
               : start_split<uint64_t>(*part, method, parts, size, lights, stream);
}

/*
 * The pack step of PSA.  One thread sweeps each part, from the state that the split found to the
 * next one.
 *
 * The state is i, j and the rest of heavy item j above C, which is E(j + 1) - D(i) and is kept as
 * these two sums.  There are two ways to read the lists ("Weighted Random Sampling on GPUs",
 * section 4.2; H.-P. Lehmann's thesis, section 3.2).  Baseline: each thread reads from device
 * memory. Shared: the lists of all parts of a thread block are first copied to shared memory; parts
 * that are too long for that are read from device memory.
 */

namespace
{

enum { BASELINE_THREADS = 128, SHARED_THREADS = 256, SHARED_STEPS = 1792 };

/* The parts, and the numbers of light items that are finished at their borders. */
struct parts_of {
    uint64_t parts, size;
    const uint64_t *lights;
};

template <typename Item, typename Writer>
__global__ void __launch_bounds__(BASELINE_THREADS)
    pack_baseline(alias_gpu_partition part, parts_of of, Writer writer)
{
    const uint64_t p = (uint64_t)blockIdx.x * BASELINE_THREADS + threadIdx.x;
    const alias_gpu_lists<Item> lists(part);

    if (part.scalars->status != ALIAS_OK || p >= of.parts) {
        return;
    }
    const uint64_t first = p * of.size, end = min(first + of.size, part.n);
    uint64_t i = of.lights[p], j = first - i; /* light item, heavy item */
    uint64_t d = *lists.light_start(i), e = *lists.heavy_end(j);
    Item heavy = *lists.heavy_item(j);

    for (uint64_t t = first; t < end; t++) {
        const bool light = e > d;
        /* Choose the address, then read: one load instead of two conditional ones. */
        const uint64_t *sum = light ? lists.light_start(i + 1) : lists.heavy_end(j + 1);
        const Item *at = light ? lists.light_item(i) : lists.heavy_item(j + 1);
        const uint64_t next = *sum; /* D(i + 1) or E(j + 2) */
        const Item item = *at;      /* number of light item i or of heavy item j + 1 */
        const uint64_t threshold = part.capacity + (light ? d : e) - (light ? next : d);
        const uint64_t row = light ? item : heavy;

        writer.put(row, writer.make(row, threshold, light ? heavy : item));
        d = light ? next : d;
        e = light ? e : next;
        heavy = light ? heavy : item;
        i += light;
        j += !light;
    }
}

template <typename Item, typename Writer>
__global__ void __launch_bounds__(SHARED_THREADS)
    pack_shared(alias_gpu_partition part, parts_of of, uint32_t per_block, Writer writer)
{
    __shared__ alias_tile<Item, SHARED_THREADS, SHARED_STEPS> tile;
    const uint64_t p = (uint64_t)blockIdx.x * per_block;
    const uint64_t p_end = min(p + per_block, of.parts);

    if (part.scalars->status != ALIAS_OK) {
        return;
    }
    const uint64_t first = p * of.size, end = min(p_end * of.size, part.n);
    const uint64_t light = of.lights[p], heavy = first - light;
    const uint32_t lights = (uint32_t)(of.lights[p_end] - light);
    const uint32_t heavies = (uint32_t)(end - first) - lights;

    tile.load(alias_gpu_lists<Item>(part), light, lights, heavy, heavies);
    __syncthreads();
    if (p + threadIdx.x < p_end) {
        const uint64_t own = (p + threadIdx.x) * of.size;
        const uint32_t i = (uint32_t)(of.lights[p + threadIdx.x] - light);

        tile.pack(i, (uint32_t)(own - first) - i, (uint32_t)min(of.size, part.n - own), lights);
    }
    __syncthreads();
    tile.write(writer, part.capacity, lights, heavies);
}

unsigned blocks_for(uint64_t count, uint64_t per_block)
{
    return (unsigned)((count + per_block - 1) / per_block);
}

} // namespace

int alias_gpu_psa(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t n = job->plan.n, splits = job->config->splits;
    const bool baseline = job->config->pack == ALIAS_PACK_BASELINE;
    /* Steps in a part; from shared memory an odd number, so that the threads of a warp use distinct
     * banks. */
    const uint64_t automatic = baseline ? 4 : 127;
    const uint64_t size = splits == 0 ? automatic : splits < n ? (n + splits - 1) / splits : 1;
    const uint64_t parts = (n + size - 1) / size;
    uint64_t *lights = (uint64_t *)alias_arena_take(arena, parts + 1, sizeof(*lights));
    const parts_of of = {parts, size, lights};
    alias_gpu_partition part;
    int st = alias_gpu_partition_items(&part, &job->plan, arena, stream);

    if (st != ALIAS_OK || arena->base == NULL) {
        return st;
    }
    ALIAS_OR_RETURN(alias_gpu_split(&part, job->config->split, parts, size, lights, stream));
    return alias_with_rows(job->rows, [&](auto item, auto writer) {
        using Item = decltype(item);

        if (baseline || size > SHARED_STEPS) {
            pack_baseline<Item>
                <<<blocks_for(parts, BASELINE_THREADS), BASELINE_THREADS, 0, stream>>>(part, of,
                                                                                       writer);
        } else {
            const uint32_t per_block =
                min((uint32_t)(SHARED_STEPS / size), (uint32_t)SHARED_THREADS);

            pack_shared<Item><<<blocks_for(parts, per_block), SHARED_THREADS, 0, stream>>>(
                part, of, per_block, writer);
        }
        return alias_gpu_launched();
    });
}
