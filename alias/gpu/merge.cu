/*
 * alias/gpu/merge.cu - the sweep's table by merging the prefix sums (alias/cpu/merge.c).
 *
 * The merge path of D(i) and E(j + 1) is cut into tiles of equal length, whose beginnings are found
 * by partial p-ary search.  A thread block copies a tile to shared memory, where each thread finds
 * the beginning of its share of the steps and packs them.
 */
#include "alias/gpu/tile.cuh"

namespace
{

enum { THREADS = 256, ITEMS = 9, STEPS = THREADS * ITEMS };

template <typename Item, typename Writer>
__global__ void __launch_bounds__(THREADS)
    merge_tile(alias_gpu_partition part, const uint64_t *cuts, Writer writer)
{
    __shared__ alias_tile<Item, THREADS, STEPS> tile;
    const uint64_t first = (uint64_t)blockIdx.x * STEPS;
    const uint32_t steps = (uint32_t)min(part.n - first, (uint64_t)STEPS);
    const uint32_t begin = min(threadIdx.x * ITEMS, steps);
    uint32_t i;

    if (part.scalars->status != ALIAS_OK) {
        return;
    }
    const uint64_t light = cuts[blockIdx.x], heavy = first - light;
    const uint32_t lights = (uint32_t)(cuts[blockIdx.x + 1] - light), heavies = steps - lights;

    tile.load(alias_gpu_lists<Item>(part), light, lights, heavy, heavies);
    __syncthreads();
    i = tile.split(begin, lights, heavies);
    tile.pack(i, begin - i, min(steps - begin, (uint32_t)ITEMS), lights);
    __syncthreads();
    tile.write(writer, part.capacity, lights, heavies);
}

} // namespace

int alias_gpu_merge(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream)
{
    const uint64_t tiles = (job->plan.n + STEPS - 1) / STEPS;
    uint64_t *cuts = (uint64_t *)alias_arena_take(arena, tiles + 1, sizeof(*cuts));
    alias_gpu_partition part;
    int st = alias_gpu_partition_items(&part, &job->plan, arena, stream);

    if (st != ALIAS_OK || arena->base == NULL) {
        return st;
    }
    st = alias_gpu_split(&part, ALIAS_SPLIT_PARY, 0, tiles, STEPS, cuts, stream);
    if (st != ALIAS_OK) {
        return st;
    }
    return alias_with_rows(job->rows, [&](auto item, auto writer) {
        merge_tile<decltype(item)><<<(unsigned)tiles, THREADS, 0, stream>>>(part, cuts, writer);
        return alias_gpu_launched();
    });
}
