/*
 * alias/gpu/pack.cu - the pack step of PSA: one thread sweeps each part, from the state that the
 * split found to the next one.
 *
 * The state is i, j and what is left of heavy item j above C, which is E(j + 1) - D(i) and is kept
 * as these two sums.  There are three ways to read the lists ("Weighted Random Sampling on GPUs",
 * section 4.2; H.-P. Lehmann's thesis, section 3.2):
 *
 * baseline: each thread reads what it needs from device memory;
 * shared:   the lists of all parts of a thread block are first copied to shared memory (parts that
 *           are too long for that are packed chunked);
 * chunked:  each thread has short chunks of both lists in shared memory, which the threads of its
 *           warp refill together when one of them runs out.  Parts may be of any length.
 */
#include "alias/gpu/tile.cuh"

namespace
{

enum {
    WARP = 32,
    BASELINE_THREADS = 128,
    SHARED_THREADS = 256,
    SHARED_STEPS = 1792,
    CHUNKED_THREADS = 128,
    CHUNK = 8,
    PAD = CHUNK + 1, /* so that the same place of all chunks lies in distinct banks */
    WORKERS = WARP / CHUNK
};

/* The parts, and the numbers of light items that are finished at their borders. */
struct parts_of {
    uint64_t parts, size;
    const uint64_t *lights;
};

/* A state of the sweep. */
template <typename Item> struct sweep {
    uint64_t i, j, d, e; /* light item, heavy item, D(i), E(j + 1) */
    Item heavy;          /* number of heavy item j */

    __device__ __forceinline__ sweep(const alias_gpu_lists<Item> &lists, uint64_t light,
                                     uint64_t steps)
        : i(light), j(steps - light), d(*lists.light_start(light)),
          e(*lists.heavy_end(steps - light)), heavy(*lists.heavy_item(steps - light))
    {
    }

    __device__ __forceinline__ bool takes_light() const
    {
        return e > d;
    }

    /* Writes a row and moves on.  A light step takes next = D(i + 1) and item = light item i; a
     * heavy step takes next = E(j + 2) and item = heavy item j + 1. */
    template <typename Writer>
    __device__ __forceinline__ void step(const Writer &writer, uint64_t capacity, bool light,
                                         uint64_t next, Item item)
    {
        const uint64_t threshold = capacity + (light ? d : e) - (light ? next : d);
        const uint64_t row = light ? item : heavy;

        writer.put(row, writer.make(row, threshold, light ? heavy : item));
        d = light ? next : d;
        e = light ? e : next;
        heavy = light ? heavy : item;
        i += light;
        j += !light;
    }
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
    sweep<Item> s(lists, of.lights[p], first);

    for (uint64_t t = first; t < end; t++) {
        const bool light = s.takes_light();
        /* Choose the address, then read: one load instead of two conditional ones. */
        const uint64_t *sum = light ? lists.light_start(s.i + 1) : lists.heavy_end(s.j + 1);
        const Item *item = light ? lists.light_item(s.i) : lists.heavy_item(s.j + 1);

        s.step(writer, part.capacity, light, *sum, *item);
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

/* The next CHUNK entries of a list for each thread of a warp. */
template <typename Item> struct chunk {
    uint64_t sum[WARP * PAD];
    Item item[WARP * PAD];
};

template <typename Item, typename Writer>
__global__ void __launch_bounds__(CHUNKED_THREADS)
    pack_chunked(alias_gpu_partition part, parts_of of, Writer writer)
{
    __shared__ chunk<Item> light_chunks[CHUNKED_THREADS / WARP];
    __shared__ chunk<Item> heavy_chunks[CHUNKED_THREADS / WARP];
    const uint64_t p = min((uint64_t)blockIdx.x * CHUNKED_THREADS + threadIdx.x, of.parts);
    const uint32_t lane = threadIdx.x % WARP, place = lane % CHUNK;
    const alias_gpu_lists<Item> lists(part);
    chunk<Item> &lights = light_chunks[threadIdx.x / WARP];
    chunk<Item> &heavies = heavy_chunks[threadIdx.x / WARP];

    if (part.scalars->status != ALIAS_OK) {
        return;
    }
    const uint64_t light_count = part.counts->lights, heavy_count = part.counts->heavies;
    const uint64_t first = min(p * of.size, part.n), end = min(first + of.size, part.n);
    uint32_t used_lights = CHUNK, used_heavies = CHUNK;
    sweep<Item> s(lists, of.lights[p], first);
    uint64_t steps = end - first;

    while (__any_sync(0xffffffffu, steps > 0)) {
        const bool want_lights = steps > 0 && used_lights > CHUNK * 2 / 3;
        const bool want_heavies = steps > 0 && used_heavies > CHUNK * 2 / 3;

        __syncwarp();
        for (uint32_t worker = lane / CHUNK; worker < WARP; worker += WORKERS) {
            const uint64_t i = __shfl_sync(0xffffffffu, s.i, (int)worker) + place;
            const uint64_t j = __shfl_sync(0xffffffffu, s.j, (int)worker) + place;
            const bool light = __shfl_sync(0xffffffffu, want_lights, (int)worker);
            const bool heavy = __shfl_sync(0xffffffffu, want_heavies, (int)worker);

            if (light && i < light_count) {
                lights.sum[worker * PAD + place] = *lists.light_start(i + 1);
                lights.item[worker * PAD + place] = *lists.light_item(i);
            }
            if (heavy && j < heavy_count) {
                heavies.sum[worker * PAD + place] = *lists.heavy_end(j + 1);
                heavies.item[worker * PAD + place] = *lists.heavy_item(j + 1);
            }
        }
        __syncwarp();
        used_lights = want_lights ? 0 : used_lights;
        used_heavies = want_heavies ? 0 : used_heavies;
        while (steps > 0 && used_lights < CHUNK && used_heavies < CHUNK) {
            const bool light = s.takes_light();
            const chunk<Item> &from = light ? lights : heavies;
            const uint32_t at = lane * PAD + (light ? used_lights : used_heavies);

            s.step(writer, part.capacity, light, from.sum[at], from.item[at]);
            used_lights += light;
            used_heavies += !light;
            steps--;
        }
    }
}

unsigned blocks_for(uint64_t count, uint64_t per_block)
{
    return (unsigned)((count + per_block - 1) / per_block);
}

} // namespace

int alias_gpu_pack(const alias_gpu_job *job, const alias_gpu_partition *part,
                   alias_pack_method method, uint64_t parts, uint64_t size, const uint64_t *lights,
                   cudaStream_t stream)
{
    const parts_of of = {parts, size, lights};

    return alias_with_rows(job->rows, [&](auto item, auto writer) {
        using Item = decltype(item);

        if (method == ALIAS_PACK_BASELINE) {
            pack_baseline<Item>
                <<<blocks_for(parts, BASELINE_THREADS), BASELINE_THREADS, 0, stream>>>(*part, of,
                                                                                       writer);
        } else if (method == ALIAS_PACK_CHUNKED || size > SHARED_STEPS) {
            pack_chunked<Item><<<blocks_for(parts, CHUNKED_THREADS), CHUNKED_THREADS, 0, stream>>>(
                *part, of, writer);
        } else {
            const uint32_t per_block =
                min((uint32_t)(SHARED_STEPS / size), (uint32_t)SHARED_THREADS);

            pack_shared<Item><<<blocks_for(parts, per_block), SHARED_THREADS, 0, stream>>>(
                *part, of, per_block, writer);
        }
        return alias_gpu_launched();
    });
}
