/* The host's part of a sample sort (sample_sort.h): plans it, and starts its kernels. */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/rmat_gpu.h"
#include "rmat/sorted/gpu/distribute.cuh"
#include "rmat/sorted/gpu/sample_sort.h"
#include "rmat/sorted/gpu/tile_sort.cuh"
#include "rmat/try.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

enum {
    MEAN_TILE = 4352, /* keys, so that hardly any tile has more than a block takes */
    THREADS = 768,    /* of a block that sorts a tile, each with so many of its keys */
    KEYS = 8,
    LARGE_THREADS = 1024,
    LARGE_KEYS = 12,
    MOST_BY_CUB = 64 /* tiles sorted one by one, before all keys are */
};

/* Chooses the number of parts and the levels of both trees: tiles are to be MEAN_TILE long if 15 %
 * of their places stay unused, because parts differ in length; longer, if there are too few places.
 */
static void choose_levels(split_plan *plan)
{
    const uint64_t tiles = plan->n / MEAN_TILE, places = tiles * 20 / 17;

    /* So many that there are about as many parts as tiles in each, and not too many. */
    while (plan->tile_levels < SPLIT_LEVELS && (places >> (2 * plan->tile_levels + 2) != 0 ||
                                                places >> plan->tile_levels >= SPLIT_WAYS)) {
        plan->tile_levels++;
    }
    plan->n_parts = (uint32_t)(places >> plan->tile_levels) + 1;
    if (plan->n_parts > SPLIT_WAYS) {
        plan->n_parts = SPLIT_WAYS;
    }
    while (1u << plan->part_levels < plan->n_parts) {
        plan->part_levels++;
    }
    plan->samples = ((uint64_t)plan->n_parts << plan->tile_levels) * 17 / 20;
    if (plan->samples > tiles) {
        plan->samples = tiles;
    }
    plan->samples *= SPLIT_SAMPLE;
}

/* Divides scratch memory, or only measures it if there is none, and returns how much it is. */
static size_t lay_out(split_plan *plan, void *scratch)
{
    alias_arena arena = {(char *)scratch, 0};
    /* At least what n keys need, and fewer as well. */
    const uint64_t places = plan->n / MEAN_TILE * 20 / 17 + SPLIT_WAYS;
    const uint64_t most = (uint64_t)SPLIT_WAYS * SPLIT_WAYS, tiles = places < most ? places : most;

    plan->parts = (split_part *)alias_arena_take(&arena, SPLIT_WAYS + 1, sizeof(split_part));
    plan->part_tree = (uint32_t *)alias_arena_take(&arena, SPLIT_WAYS, sizeof(uint32_t));
    plan->tile_trees = (uint32_t *)alias_arena_take(&arena, tiles, sizeof(uint32_t));
    plan->part_ends = (unsigned long long *)alias_arena_take(&arena, SPLIT_WAYS, sizeof(uint64_t));
    plan->tile_ends = (unsigned long long *)alias_arena_take(&arena, tiles, sizeof(uint64_t));
    plan->large = (split_list *)alias_arena_take(&arena, 2, sizeof(split_list));
    plan->pairs = (unsigned long long *)alias_arena_take(&arena, 2, sizeof(uint64_t));
    return arena.used;
}

extern "C" size_t rmat_sample_sort_scratch(uint64_t n)
{
    split_plan plan = {};

    plan.n = n;
    return n < RMAT_SAMPLE_SORT_LEAST ? 0 : lay_out(&plan, NULL);
}

/* Lets a kernel have so much shared memory; *fits: whether the GPU has it. */
template <typename Kernel> static int allow_shared(Kernel kernel, size_t shared, bool *fits)
{
    cudaFuncAttributes attributes;
    int device, most;

    RMAT_CUDA_OR_RETURN(cudaGetDevice(&device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    RMAT_CUDA_OR_RETURN(cudaFuncGetAttributes(&attributes, kernel));
    *fits = shared + attributes.sharedSizeBytes <= (size_t)most;
    if (*fits) {
        RMAT_CUDA_OR_RETURN(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    }
    return RMAT_OK;
}

static uint32_t blocks_for(uint64_t n, uint64_t of_a_block)
{
    return (uint32_t)((n + of_a_block - 1) / of_a_block);
}

/* Sorts the sample and chooses the splitters.  *pays: 0 if so many of the keys are in order
 * already, or equal, that threads would wait for each other at the counters of the same ways. */
static int choose_splitters(split_plan *plan, uint64_t *const keys[2], int bits, void *cub,
                            size_t cub_bytes, cudaStream_t stream, int *pays)
{
    cub::DoubleBuffer<uint64_t> both(keys[1], keys[1] + plan->samples);
    const uint32_t blocks = blocks_for(plan->samples, 256);
    unsigned long long pairs[2];

    plan->sample = both.Current();
    split_sample_kernel<<<blocks, 256, 0, stream>>>(*plan, keys[0]);
    RMAT_OR_RETURN(rmat_gpu_launched());
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(plan->pairs, 0, sizeof pairs, stream));
    split_pairs_kernel<false><<<blocks, 256, 0, stream>>>(*plan, plan->pairs);
    RMAT_OR_RETURN(rmat_gpu_launched());
    RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(
        cub::DeviceRadixSort::SortKeys(cub, cub_bytes, both, plan->samples, 0, bits, stream)));
    plan->sample = both.Current();
    split_pairs_kernel<true><<<blocks, 256, 0, stream>>>(*plan, plan->pairs + 1);
    RMAT_OR_RETURN(rmat_gpu_launched());
    split_parts_kernel<<<1, SPLIT_WAYS, 0, stream>>>(*plan);
    RMAT_OR_RETURN(rmat_gpu_launched());
    split_tiles_kernel<<<plan->n_parts, 256, 0, stream>>>(*plan);
    RMAT_OR_RETURN(rmat_gpu_launched());
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(pairs, plan->pairs, sizeof pairs, cudaMemcpyDeviceToHost, stream));
    RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(stream));
    *pays = pairs[0] <= plan->samples / 8 * 5 && pairs[1] <= plan->samples / 8;
    return RMAT_OK;
}

/* Moves all keys to their parts, in keys[1], and then to their tiles, in keys[0]. */
static int distribute_keys(const split_plan *plan, uint64_t *const keys[2], void *cub,
                           size_t cub_bytes, cudaStream_t stream)
{
    const uint32_t parts = plan->n_parts, tiles = parts << plan->tile_levels;
    const uint32_t batches = blocks_for(plan->n, SPLIT_BATCH), most = batches + parts;
    const size_t shared = sizeof(distribute_shared);

    RMAT_CUDA_OR_RETURN(
        cudaMemsetAsync(plan->part_ends, 0, parts * sizeof *plan->part_ends, stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemsetAsync(plan->tile_ends, 0, tiles * sizeof *plan->tile_ends, stream));
    split_count_kernel<false>
        <<<blocks_for(batches, COUNT_BATCHES), DISTRIBUTE_THREADS, 0, stream>>>(*plan, keys[0]);
    RMAT_OR_RETURN(rmat_gpu_launched());
    split_places_kernel<<<1, SPLIT_WAYS, 0, stream>>>(*plan);
    RMAT_OR_RETURN(rmat_gpu_launched());
    split_move_kernel<false>
        <<<batches, DISTRIBUTE_THREADS, shared, stream>>>(*plan, keys[0], keys[1]);
    RMAT_OR_RETURN(rmat_gpu_launched());
    split_count_kernel<true>
        <<<blocks_for(most, COUNT_BATCHES), DISTRIBUTE_THREADS, 0, stream>>>(*plan, keys[1]);
    RMAT_OR_RETURN(rmat_gpu_launched());
    RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(cub::DeviceScan::ExclusiveSum(
        cub, cub_bytes, plan->tile_ends, plan->tile_ends, tiles, stream)));
    split_move_kernel<true><<<most, DISTRIBUTE_THREADS, shared, stream>>>(*plan, keys[1], keys[0]);
    RMAT_OR_RETURN(rmat_gpu_launched());
    split_append_kernel<<<1024, 256, 0, stream>>>(*plan, keys[0]);
    return rmat_gpu_launched();
}

/* Sorts the listed tiles one by one. */
static int sort_each(const split_plan *plan, uint64_t *const keys[2], const uint32_t *tiles,
                     uint32_t n, int bits, void *cub, size_t cub_bytes, cudaStream_t stream)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t before = tiles[i] == 0 ? 0 : tiles[i] - 1;
        unsigned long long ends[2] = {0, 0};

        RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(ends + (tiles[i] == 0), plan->tile_ends + before,
                                            (tiles[i] - before + 1) * sizeof *ends,
                                            cudaMemcpyDeviceToHost, stream));
        RMAT_CUDA_OR_RETURN(cudaStreamSynchronize(stream));

        const uint64_t count = ends[1] - ends[0];
        cub::DoubleBuffer<uint64_t> both(keys[0] + ends[0], keys[1] + ends[0]);

        RMAT_CUDA_OR_RETURN(ALIAS_GPU_CUB(
            cub::DeviceRadixSort::SortKeys(cub, cub_bytes, both, count, 0, bits, stream)));
        if (both.selector != 0) {
            RMAT_CUDA_OR_RETURN(cudaMemcpyAsync(keys[0] + ends[0], both.Current(),
                                                count * sizeof **keys, cudaMemcpyDeviceToDevice,
                                                stream));
        }
    }
    return RMAT_OK;
}

/* Reads how many tiles are on a list, and the first of them, up to `most`. */
static int read_list(const split_list *list, uint32_t *count, uint32_t *tiles, uint32_t most,
                     cudaStream_t stream)
{
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(count, &list->count, sizeof *count, cudaMemcpyDeviceToHost, stream));
    RMAT_CUDA_OR_RETURN(
        cudaMemcpyAsync(tiles, list->tiles, most * sizeof *tiles, cudaMemcpyDeviceToHost, stream));
    return rmat_gpu_status(cudaStreamSynchronize(stream));
}

static int sort_tiles(const split_plan *plan, uint64_t *const keys[2], int bits, void *cub,
                      size_t cub_bytes, cudaStream_t stream, int *sorted)
{
    uint32_t large, tiles[MOST_BY_CUB];

    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(plan->large, 0, 2 * sizeof *plan->large, stream));
    tile_sort_kernel<THREADS, KEYS>
        <<<plan->n_parts << plan->tile_levels, THREADS, sizeof(tile_shared<THREADS * KEYS>),
           stream>>>(*plan, keys[0], NULL, plan->large);
    RMAT_OR_RETURN(rmat_gpu_launched());
    RMAT_OR_RETURN(read_list(plan->large, &large, tiles, MOST_BY_CUB, stream));
    if (large != 0 && large <= SPLIT_LIST) {
        tile_sort_kernel<LARGE_THREADS, LARGE_KEYS>
            <<<large, LARGE_THREADS, sizeof(tile_shared<LARGE_THREADS * LARGE_KEYS>), stream>>>(
                *plan, keys[0], plan->large, plan->large + 1);
        RMAT_OR_RETURN(rmat_gpu_launched());
        RMAT_OR_RETURN(read_list(plan->large + 1, &large, tiles, MOST_BY_CUB, stream));
    }
    *sorted = large <= MOST_BY_CUB;
    if (*sorted) {
        RMAT_OR_RETURN(sort_each(plan, keys, tiles, large, bits, cub, cub_bytes, stream));
    }
    return RMAT_OK;
}

extern "C" int rmat_sample_sort(uint64_t *const keys[2], uint64_t n, int bits, void *scratch,
                                size_t scratch_bytes, cudaStream_t stream, int *sorted)
{
    split_plan plan = {};
    bool fits[4];
    int pays;
    size_t used;
    char *cub;

    *sorted = 0;
    plan.n = n;
    plan.last = UINT64_MAX >> (64 - bits);
    plan.shift = bits > 32 ? bits - 32 : 0;
    RMAT_OR_RETURN(allow_shared(split_move_kernel<false>, sizeof(distribute_shared), fits));
    RMAT_OR_RETURN(allow_shared(split_move_kernel<true>, sizeof(distribute_shared), fits + 1));
    RMAT_OR_RETURN(allow_shared(tile_sort_kernel<THREADS, KEYS>,
                                sizeof(tile_shared<THREADS * KEYS>), fits + 2));
    RMAT_OR_RETURN(allow_shared(tile_sort_kernel<LARGE_THREADS, LARGE_KEYS>,
                                sizeof(tile_shared<LARGE_THREADS * LARGE_KEYS>), fits + 3));
    if (!fits[0] || !fits[1] || !fits[2] || !fits[3]) {
        return RMAT_OK;
    }
    choose_levels(&plan);
    used = lay_out(&plan, scratch);
    cub = (char *)scratch + used;
    RMAT_OR_RETURN(choose_splitters(&plan, keys, bits, cub, scratch_bytes - used, stream, &pays));
    if (!pays) {
        return RMAT_OK;
    }
    RMAT_OR_RETURN(distribute_keys(&plan, keys, cub, scratch_bytes - used, stream));
    return sort_tiles(&plan, keys, bits, cub, scratch_bytes - used, stream, sorted);
}
