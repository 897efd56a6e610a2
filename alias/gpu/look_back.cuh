/*
 * alias/gpu/look_back.cuh - prefix sums over thread blocks inside the kernel that makes the
 * summands, by "decoupled look-back" (D. Merrill, M. Garland, "Single-pass parallel prefix scan
 * with decoupled look-back", 2016).
 *
 * Each block publishes its own sums as soon as it has them, and the sums up to and including itself
 * as soon as it knows those.  A block that needs the sums before it adds up published values,
 * backwards, until it meets one that includes all earlier blocks.  As in CUB's scan, a block waits
 * only for blocks with lower numbers, which the hardware starts first.
 */
#ifndef ALIAS_GPU_LOOK_BACK_CUH
#define ALIAS_GPU_LOOK_BACK_CUH

#include <stdint.h>

/* A published number of light items and sum of their deficits: 16 bytes that are written and read
 * as a whole.  Zero before the first of them. */
struct alignas(16) alias_published {
    uint64_t lights; /* times 4, plus one of the states below */
    uint64_t deficit;

    enum { NOTHING = 0, OF_BLOCK = 1, OF_ALL = 2 };

    __device__ __forceinline__ void put(uint64_t lights_, uint64_t deficit_, uint64_t state)
    {
        asm volatile(
            "{ .reg .b128 v; mov.b128 v, {%1, %2}; st.relaxed.gpu.global.b128 [%0], v; }" ::"l"(
                this),
            "l"(lights_ << 2 | state), "l"(deficit_)
            : "memory");
    }

    __device__ __forceinline__ alias_published get() const
    {
        alias_published p;

        asm volatile("{ .reg .b128 v; ld.relaxed.gpu.global.b128 v, [%2]; mov.b128 {%0, %1}, v; }"
                     : "=l"(p.lights), "=l"(p.deficit)
                     : "l"(this)
                     : "memory");
        return p;
    }

    __device__ __forceinline__ uint32_t state() const
    {
        return lights & 3;
    }
};

/* Publishes the sums of block b; called by one thread. */
static __device__ __forceinline__ void alias_publish(alias_published *all, uint64_t b,
                                                     uint64_t lights, uint64_t deficit)
{
    all[b].put(lights, deficit, b == 0 ? alias_published::OF_ALL : alias_published::OF_BLOCK);
}

/* Computes the sums over all blocks before b, and publishes those up to and including b, whose own
 * sums are given.  Called by one warp. */
static __device__ __forceinline__ void alias_look_back(alias_published *all, uint64_t b,
                                                       uint64_t own_lights, uint64_t own_deficit,
                                                       uint64_t *lights_before,
                                                       uint64_t *deficit_before)
{
    const uint32_t lane = threadIdx.x % 32;
    uint64_t lights = 0, deficit = 0; /* over the blocks that this lane reads */
    uint64_t at = b;
    bool done = b == 0;

    for (; !done; at -= 32) {
        alias_published p = {alias_published::OF_ALL, 0}; /* before block 0 */
        uint32_t complete, use;

        if (at > lane) {
            do {
                p = all[at - 1 - lane].get();
            } while (p.state() == alias_published::NOTHING);
        }
        complete = __ballot_sync(0xffffffffu, p.state() == alias_published::OF_ALL);
        /* Use the blocks up to the first whose sums include all blocks before it. */
        use = complete == 0 ? 32 : (uint32_t)__ffs((int)complete);
        lights += lane < use ? p.lights >> 2 : 0;
        deficit += lane < use ? p.deficit : 0;
        done = complete != 0;
    }
#pragma unroll
    for (int h = 16; h > 0; h /= 2) {
        lights += __shfl_xor_sync(0xffffffffu, lights, h);
        deficit += __shfl_xor_sync(0xffffffffu, deficit, h);
    }
    if (lane == 0) {
        if (b > 0) {
            all[b].put(lights + own_lights, deficit + own_deficit, alias_published::OF_ALL);
        }
        *lights_before = lights;
        *deficit_before = deficit;
    }
}

#endif
