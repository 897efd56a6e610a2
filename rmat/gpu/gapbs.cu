/*
 * gapbs.cu - GAPBS's edges in device memory.
 *
 * One CUDA block makes what is wanted of one block of the list, from its seed on.  It keeps 1024
 * words of the generator's sequence in shared memory, and its 224 threads make the next 224 words
 * at a time, which need none of each other.  `scale` such steps are the levels of exactly 224
 * edges, one a thread: the levels' bits, collected by ballots, lie in two buffers in turn, so that
 * the edges of one batch are cut out while the next is being made.
 */
#include "rmat/gpu/backend.h"
#include "rmat/model/gapbs.h"
#include "rmat/model/mt19937.h"
#include "rmat/try.h"

enum { WIDTH = 224, WARPS = WIDTH / 32, WINDOW = 1024, WORDS = WARPS * RMAT_GAPBS_MAX_SCALE };

/* The edges of a call that lie in this CUDA block's block of the list. */
typedef struct {
    uint32_t block, from, end; /* edges [from, end) of the block */
    uint64_t start;            /* edge e of the block is element start + e of the arrays */
} part;

static __device__ part part_of(uint64_t first, uint64_t count)
{
    const uint64_t block = first / GAPBS_BLOCK + blockIdx.x, start = block * GAPBS_BLOCK;
    const uint64_t left = first + count - start;

    return {(uint32_t)block, (uint32_t)(first > start ? first - start : 0),
            (uint32_t)(left < GAPBS_BLOCK ? left : GAPBS_BLOCK), start - first};
}

static __device__ void begin(uint32_t *x, uint32_t seed)
{
    if (threadIdx.x == 0) {
        mt_seed(x, seed);
    }
    __syncthreads();
}

/* Number j of the generator, before tempering.  All threads make one of 224 consecutive numbers,
 * and meet before they make the next ones. */
static __device__ __forceinline__ uint32_t advance(uint32_t *x, uint32_t j)
{
    const uint32_t made = mt_twist(x[j % WINDOW], x[(j + 1) % WINDOW], x[(j + MT_M) % WINDOW]);

    x[(j + MT_N) % WINDOW] = made;
    return made;
}

/* The `scale` bits from bit `at` on. */
static __device__ __forceinline__ uint32_t cut(const uint32_t *bits, uint32_t at, int scale)
{
    return __funnelshift_r(bits[at / 32], bits[at / 32 + 1], at % 32) & ((1u << scale) - 1);
}

template <typename T>
static __global__ void __launch_bounds__(WIDTH)
    ends_kernel(const uint32_t *permutation, int scale, uint32_t seed, uint64_t first,
                uint64_t count, T *src, T *dst)
{
    __shared__ uint32_t x[WINDOW], bits[2][2][WORDS + 1]; /* [batch][end][word] */
    const part p = part_of(first, count);
    const uint32_t t = threadIdx.x;
    uint32_t j = t;

    begin(x, seed + p.block);
    for (uint32_t batch = 0; batch < p.end; batch += WIDTH) {
        uint32_t(*to)[WORDS + 1] = bits[batch / WIDTH % 2];
        const uint32_t e = batch + t;

        for (int l = 0; l < scale; l++, j += WIDTH) {
            const uint32_t number = mt_temper(advance(x, j));

            __syncthreads();
            if (batch + WIDTH > p.from) {
                const uint32_t s = __ballot_sync(~0u, number >= GAPBS_AB);
                const uint32_t b = __ballot_sync(~0u, number > GAPBS_A && number < GAPBS_AB);
                const uint32_t d = __ballot_sync(~0u, number > GAPBS_ABC);

                if (t % 32 == 0) {
                    to[0][WARPS * l + t / 32] = s;
                    to[1][WARPS * l + t / 32] = b | d;
                }
            }
        }
        __syncthreads();
        if (e >= p.from && e < p.end) {
            src[p.start + e] = permutation[cut(to[0], t * scale, scale)];
            dst[p.start + e] = permutation[cut(to[1], t * scale, scale)];
        }
    }
}

/* Number j is the weight of edge j, less the numbers that were rejected before it. */
static __global__ void __launch_bounds__(WIDTH)
    weight_kernel(uint32_t seed, uint64_t first, uint64_t count, uint32_t *weight)
{
    __shared__ uint32_t x[WINDOW];
    const part p = part_of(first, count);
    uint32_t rejected = 0;

    begin(x, seed + p.block);
    for (uint32_t j = threadIdx.x; j - threadIdx.x < p.end + rejected; j += WIDTH) {
        const uint32_t word = advance(x, j);
        uint32_t e = j - rejected;

        if (__syncthreads_or(word == GAPBS_REJECTED)) { /* once in 2^32 numbers */
            for (uint32_t i = 0; i < WIDTH; i++) {
                const uint32_t other = j - threadIdx.x + i;
                const bool is = x[(other + MT_N) % WINDOW] == GAPBS_REJECTED;

                rejected += is;
                e -= is && other < j;
            }
            __syncthreads();
        }
        if (word != GAPBS_REJECTED && e >= p.from && e < p.end) {
            weight[p.start + e] = gapbs_weight(mt_temper(word));
        }
    }
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to, void *stream)
{
    rmat_gapbs *g = (rmat_gapbs *)state;
    const uint64_t blocks = (first + count - 1) / GAPBS_BLOCK - first / GAPBS_BLOCK + 1;
    const cudaStream_t in = (cudaStream_t)stream;
    const void *copy;
    int st;

    RMAT_TRY(rmat_gpu_copy(&g->copies, rmat_gapbs_permutation(g),
                           sizeof *g->permutation << g->scale, &copy));
    if (to->id_bytes == 4) {
        ends_kernel<<<(unsigned)blocks, WIDTH, 0, in>>>((const uint32_t *)copy, g->scale, g->seed,
                                                        first, count, (uint32_t *)to->src,
                                                        (uint32_t *)to->dst);
    } else {
        ends_kernel<<<(unsigned)blocks, WIDTH, 0, in>>>((const uint32_t *)copy, g->scale, g->seed,
                                                        first, count, (uint64_t *)to->src,
                                                        (uint64_t *)to->dst);
    }
    RMAT_TRY(rmat_gpu_launched());
    if (to->weight != NULL) {
        weight_kernel<<<(unsigned)blocks, WIDTH, 0, in>>>(g->seed, first, count,
                                                          (uint32_t *)to->weight);
        RMAT_TRY(rmat_gpu_launched());
    }
done:
    return st;
}

extern "C" rmat_source_fill_device *rmat_gpu_gapbs(void)
{
    return fill;
}
