/*
 * Sums over all thread blocks before, in the kernel that makes the summands ("decoupled look-back",
 * D. Merrill, M. Garland 2016).  Each block publishes its own sums at once, and those up to and
 * including itself as soon as it knows them.
 *
 * As in CUB's scan, a block waits for those with lower numbers, which the hardware starts first.
 */
#ifndef ALIAS_GPU_LOOK_BACK_CUH
#define ALIAS_GPU_LOOK_BACK_CUH

#include <stdint.h>

/* Light items and their deficits: 16 bytes that are written and read at once.  Zero at first. */
struct alignas(16) alias_published {
    uint64_t lights; /* times 4, plus one of these */
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

/* Publishes the sums of block b, by one thread. */
static __device__ __forceinline__ void alias_publish(alias_published *all, uint64_t b,
                                                     uint64_t lights, uint64_t deficit)
{
    all[b].put(lights, deficit, b == 0 ? alias_published::OF_ALL : alias_published::OF_BLOCK);
}

/* The sums over all blocks before b, by one warp; publishes those including b, whose own sums are
 * given. */
static __device__ __forceinline__ void alias_look_back(alias_published *all, uint64_t b,
                                                       uint64_t own_lights, uint64_t own_deficit,
                                                       uint64_t *lights_before,
                                                       uint64_t *deficit_before)
{
    const uint32_t lane = threadIdx.x % 32;
    uint64_t lights = 0, deficit = 0; /* of this lane's share of the blocks */
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
        /* Of these blocks, those up to the first one that speaks for all before it. */
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
