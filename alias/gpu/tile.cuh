/*
 * alias/gpu/tile.cuh - a run of consecutive steps of the sweep in shared memory, for merge and for
 * PSA's shared-memory pack.
 *
 * Whoever packs the tile notes a partner for each item: for a light item the heavy one that fills
 * its bucket, for a heavy item the light one before which it ends.  The rows follow from the
 * partners.  They are written list by list, so that neighbours in memory are written together.
 */
#ifndef ALIAS_GPU_TILE_CUH
#define ALIAS_GPU_TILE_CUH

#include "alias/gpu/partition.cuh"
#include "alias/gpu/rows.cuh"
#include <cuda_pipeline_primitives.h>

/* Calls f(item, writer), where item has the type of the items in the lists and writer writes these
 * rows, and returns what it returns. */
template <typename F> int alias_with_rows(const alias_gpu_rows &rows, F f)
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

    /* The least i for which the tile's heavy item steps - i - 1 comes before its light item i. */
    __device__ __forceinline__ uint32_t split(uint32_t steps, uint32_t lights,
                                              uint32_t heavies) const
    {
        uint32_t low = steps > heavies ? steps - heavies : 0, high = min(steps, lights);

        while (low < high) {
            const uint32_t i = (low + high) / 2;

            if (sum[lights + 1 + (steps - i - 1)] <= sum[i]) {
                high = i;
            } else {
                low = i + 1;
            }
        }
        return low;
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

#endif
