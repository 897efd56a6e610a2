/*
 * A run of steps of the sweep in shared memory: light items from first.light on, heavy ones from
 * first.heavy on.  Whoever packs notes for each item its partner: for a light item the heavy one
 * that fills its bucket, for a heavy item the light one before which it ends.  The rows follow, and
 * are written list by list, so that neighbours in memory are written together.
 */
#ifndef ALIAS_GPU_TILE_CUH
#define ALIAS_GPU_TILE_CUH

#include "alias/gpu_partition.cuh"
#include "alias/gpu_rows.cuh"

/* Calls f(item, writer) with an item of the width that the lists have, and the writer that fits. */
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

    uint64_t sum[STEPS + 2]; /* D of the lights and one more, then E(j + 1) of the heavies, too */
    Item item[STEPS + 1];    /* the lights, then the heavies and one more */
    uint16_t partner[STEPS]; /* the same order; numbers among the tile's lights or heavies */

    /* To be called by all threads, with a barrier after it. */
    __device__ __forceinline__ void load(const alias_gpu_lists<Item> &lists, uint64_t light,
                                         uint32_t lights, uint64_t heavy, uint32_t heavies)
    {
        const uint32_t steps = lights + heavies;

#pragma unroll
        for (int u = 0; u < (STEPS + 2 + THREADS - 1) / THREADS; u++) {
            const uint32_t s = u * THREADS + threadIdx.x;

            if (s < steps + 2) {
                sum[s] = s <= lights ? *lists.light_start(light + s)
                                     : *lists.heavy_end(heavy + (s - lights - 1));
            }
            if (s < steps + 1) {
                item[s] = s < lights ? *lists.light_item(light + s)
                                     : *lists.heavy_item(heavy + (s - lights));
            }
        }
    }

    /* The least i of the tile's lights for which heavy steps - i - 1 comes before light i. */
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

    /* Sweeps on from a state. */
    __device__ __forceinline__ void pack(uint32_t i, uint32_t j, uint32_t steps, uint32_t lights)
    {
        uint64_t d = sum[i], e = sum[lights + 1 + j];

        for (; steps > 0; steps--) {
            const bool light = e > d;
            uint64_t next;

            partner[light ? i : lights + j] = (uint16_t)(light ? j : i);
            i += light;
            j += !light;
            next = sum[light ? i : lights + 1 + j];
            d = light ? next : d;
            e = light ? e : next;
        }
    }

    /* Writes the rows.  By all threads, with a barrier before it. */
    template <typename Writer>
    __device__ __forceinline__ void write(const Writer &writer, uint64_t capacity, uint32_t lights,
                                          uint32_t heavies) const
    {
        const uint32_t steps = lights + heavies;

#pragma unroll
        for (int u = 0; u < (STEPS + THREADS - 1) / THREADS; u++) {
            const uint32_t s = u * THREADS + threadIdx.x;

            if (s < steps) {
                const uint32_t with = partner[s];
                const bool light = s < lights;
                const uint64_t start = sum[light ? s : s + 1];
                const uint64_t end = sum[light ? s + 1 : with];
                const uint64_t alias = item[light ? lights + with : s + 1];

                writer.put(item[s], writer.make(item[s], capacity + start - end, alias));
            }
        }
    }
};

#endif
