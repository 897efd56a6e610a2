/*
 * alias/research/gpu_space_efficient_draw.cu - draws from the space-efficient table on the GPU: by
 * the grouped rejection loop (alias/gpu/rejection.cuh) where few attempts fail, otherwise in
 * strips.
 */
#include "alias/gpu/rejection.cuh"
#include "alias/gpu/state.h"
#include "alias/research/space_efficient_table.h"

namespace
{

enum { THREADS = 256, BATCH = 1 << 24, STRIP = 16 };

/* The attempts at one draw; neighbouring ones share a Philox block. */
struct attempts {
    const alias_slots &table;
    uint64_t seed, draw;
    philox_block block;
    uint32_t number; /* of the Philox block; UINT32_MAX if there is none yet */

    __device__ __forceinline__ alias_slot operator()(uint32_t attempt)
    {
        if (attempt / 2 != number) {
            number = attempt / 2;
            block = philox_at(seed, draw, number, PHILOX_SPACE_EFFICIENT);
        }
        return alias_slot_at(&table, alias_slot_bits(&block, attempt));
    }
};

template <int group, typename T>
__global__ void __launch_bounds__(THREADS)
    draw_groups(alias_slots table, uint64_t seed, uint64_t first, uint64_t count, T *out)
{
    const uint64_t thread = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    const uint64_t stride = (uint64_t)gridDim.x * (THREADS / group);
    const uint32_t lane = threadIdx.x % 32;

    for (uint64_t warp = thread / 32 * (32 / group); warp < count; warp += stride) {
        const uint64_t i = warp + lane / group;
        attempts propose = {table, seed, first + i, {}, UINT32_MAX};
        auto accept = [&](const alias_slot &s) { return alias_slot_accepted(&table, &s) != 0; };
        uint32_t item = alias_reject<group>(0xffffffffu, propose, accept, i < count).value.item;

        if (lane % group == 0 && i < count) {
            out[i] = item;
        }
    }
}

/*
 * The same in strips: each lane makes STRIP draws one after the other without waiting for other
 * lanes, and the warp waits for its last lane only at the end of the strip.
 */
template <typename T>
__global__ void __launch_bounds__(THREADS)
    draw_strips(alias_slots table, uint64_t seed, uint64_t first, uint64_t count, T *out)
{
    __shared__ uint32_t items[THREADS / 32][STRIP * 32];
    const uint32_t lane = threadIdx.x % 32;
    uint32_t *mine = items[threadIdx.x / 32];
    const uint64_t warps = (uint64_t)gridDim.x * (THREADS / 32);

    for (uint64_t begin = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / 32 * (STRIP * 32);
         begin < count; begin += warps * (STRIP * 32)) {
        const uint32_t size = (uint32_t)min(count - begin, (uint64_t)(STRIP * 32));
        attempts propose = {table, seed, first + begin + lane, {}, UINT32_MAX};
        uint32_t i = lane, attempt = 0;

        while (i < size) {
            alias_slot s = propose(attempt);

            attempt++;
            if (alias_slot_accepted(&table, &s)) {
                mine[i] = s.item;
                i += 32;
                attempt = 0;
                propose.draw += 32;
                propose.number = UINT32_MAX;
            }
        }
        __syncwarp();
        for (i = lane; i < size; i += 32) {
            out[begin + i] = mine[i];
        }
        __syncwarp();
    }
}

unsigned grid_for(uint64_t count, uint64_t per_block)
{
    return (unsigned)min((count - 1) / per_block + 1, (uint64_t)1 << 20);
}

template <typename T>
void launch_draw(int group, const alias_slots &slots, uint64_t seed, uint64_t first, uint64_t count,
                 T *out, cudaStream_t stream)
{
    static void (*const kernels[])(alias_slots, uint64_t, uint64_t, uint64_t, T *) = {
        draw_groups<1, T>, draw_groups<2, T>,  draw_groups<4, T>,
        draw_groups<8, T>, draw_groups<16, T>, draw_groups<32, T>};
    int index = 0;

    if (group == ALIAS_SPACE_STRIPS) {
        draw_strips<<<grid_for(count, THREADS * STRIP), THREADS, 0, stream>>>(slots, seed, first,
                                                                              count, out);
        return;
    }
    while (1 << index < group) {
        index++;
    }
    kernels[index]<<<grid_for(count, THREADS / group), THREADS, 0, stream>>>(slots, seed, first,
                                                                             count, out);
}

/*
 * The best way to draw, from G draws/s measured on an H200 with one thread per draw, with two, and
 * in strips:
 *
 *     rejected    n = 1e3          1e6             1e7
 *       5 %    86  55  125     89  46  69      60  33  61
 *      17 %    62  44  102     63  44  62      51  34  57
 *      33 %    44  32   77     44  32  59      42  31  52
 *      50 %    30  23   56     30  23  45      29  23  43
 *
 * Several threads per draw never pay.  By the lockstep model, 2 would from 13 % and 4 from 43 % on,
 * but attempts beyond the accepted one cost random accesses, and a vote costs a third of an
 * attempt.
 */
int best_group(const alias_space_efficient *table)
{
    return table->n > table->slots * 0.85 ? 1 : ALIAS_SPACE_STRIPS;
}

} // namespace

int alias_gpu_space_draw(const alias_space_efficient *table, int group, uint64_t seed,
                         uint64_t first, uint64_t count, void *out, bool wide, void *stream)
{
    const alias_slots slots = {table->ranks, table->fractions, table->slots};
    int before, st = alias_gpu_enter(table->device, &before);

    if (st != ALIAS_OK) {
        return st;
    }
    group = group != ALIAS_SPACE_AUTO ? group : best_group(table);
    if (wide) {
        launch_draw(group, slots, seed, first, count, (uint64_t *)out, (cudaStream_t)stream);
    } else {
        launch_draw(group, slots, seed, first, count, (uint32_t *)out, (cudaStream_t)stream);
    }
    st = alias_gpu_launched();
    alias_gpu_leave(before);
    return st;
}

int alias_gpu_space_sample(const alias_space_efficient *table, uint64_t seed, uint64_t first,
                           uint64_t count, void *out, bool wide)
{
    const uint64_t size = wide ? 8 : 4;
    uint64_t done, now;
    void *batch = NULL;
    int before, st = alias_gpu_enter(table->device, &before);

    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_gpu_status(cudaMalloc(&batch, min(count, (uint64_t)BATCH) * size));
    for (done = 0; st == ALIAS_OK && done < count; done += now) {
        now = min(count - done, (uint64_t)BATCH);
        st = alias_gpu_space_draw(table, ALIAS_SPACE_AUTO, seed, first + done, now, batch, wide,
                                  NULL);
        if (st == ALIAS_OK) {
            st = alias_gpu_status(
                cudaMemcpy((char *)out + done * size, batch, now * size, cudaMemcpyDeviceToHost));
        }
    }
    (void)cudaFree(batch);
    alias_gpu_leave(before);
    return st;
}
