/* official.cu - the edges of GAPBS and of Graph500 in device memory. */
#include "rmat/gpu/backend.h"
#include "rmat/model/official.h"
#include "rmat/try.h"

/*
 * GAPBS's edges in device memory.
 *
 * One CUDA block makes the wanted edges of one block of the list, from its seed on.  It keeps 1024
 * words of the generator's sequence in shared memory.  Its 224 threads make the next 224 words
 * together, because these do not depend on each other.  `scale` such steps are the levels of
 * exactly 224 edges, one per thread.  Ballots collect the levels' bits in two buffers in turn: the
 * edges of one batch are cut out while the next batch is made.
 */
enum { WIDTH = 224, WARPS = WIDTH / 32, WINDOW = 1024, WORDS = WARPS * RMAT_GAPBS_MAX_SCALE };

/* The edges of a call that lie in this CUDA block's block of the list. */
typedef struct {
    uint32_t block, from, end; /* edges [from, end) of the block */
    uint64_t start;            /* edge e of the block is element start + e of the arrays */
} block_part;

static __device__ block_part part_of(uint64_t first, uint64_t count)
{
    const uint64_t block = first / GAPBS_BLOCK + blockIdx.x, start = block * GAPBS_BLOCK;
    const uint64_t left = first + count - start;

    return {(uint32_t)block, (uint32_t)(first > start ? first - start : 0),
            (uint32_t)(left < GAPBS_BLOCK ? left : GAPBS_BLOCK), start - first};
}

static __device__ void begin_sequence(uint32_t *x, uint32_t seed)
{
    if (threadIdx.x == 0) {
        mt_seed(x, seed);
    }
    __syncthreads();
}

/* Number j of the generator, before tempering.  Each of the threads makes one of 224 consecutive
 * numbers, and a barrier follows before the next ones. */
static __device__ __forceinline__ uint32_t next_number(uint32_t *x, uint32_t j)
{
    const uint32_t made = mt_twist(x[j % WINDOW], x[(j + 1) % WINDOW], x[(j + MT_M) % WINDOW]);

    x[(j + MT_N) % WINDOW] = made;
    return made;
}

/* The `scale` bits from bit `at` on. */
static __device__ __forceinline__ uint32_t cut_bits(const uint32_t *bits, uint32_t at, int scale)
{
    return __funnelshift_r(bits[at / 32], bits[at / 32 + 1], at % 32) & ((1u << scale) - 1);
}

template <typename T>
static __global__ void __launch_bounds__(WIDTH)
    ends_kernel(const uint32_t *permutation, int scale, uint32_t seed, uint64_t first,
                uint64_t count, T *src, T *dst)
{
    __shared__ uint32_t x[WINDOW], bits[2][2][WORDS + 1]; /* [batch][end][word] */
    const block_part p = part_of(first, count);
    const uint32_t t = threadIdx.x;
    uint32_t j = t;

    begin_sequence(x, seed + p.block);
    for (uint32_t batch = 0; batch < p.end; batch += WIDTH) {
        uint32_t(*to)[WORDS + 1] = bits[batch / WIDTH % 2];
        const uint32_t e = batch + t;

        for (int l = 0; l < scale; l++, j += WIDTH) {
            const uint32_t number = mt_temper(next_number(x, j));

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
            src[p.start + e] = permutation[cut_bits(to[0], t * scale, scale)];
            dst[p.start + e] = permutation[cut_bits(to[1], t * scale, scale)];
        }
    }
}

/* Number j, minus the numbers that were rejected before it, is the weight of edge j. */
static __global__ void __launch_bounds__(WIDTH)
    weight_kernel(uint32_t seed, uint64_t first, uint64_t count, uint32_t *weight)
{
    __shared__ uint32_t x[WINDOW];
    const block_part p = part_of(first, count);
    uint32_t rejected = 0;

    begin_sequence(x, seed + p.block);
    for (uint32_t j = threadIdx.x; j - threadIdx.x < p.end + rejected; j += WIDTH) {
        const uint32_t word = next_number(x, j);
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

extern "C" int rmat_gpu_gapbs(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                              void *stream)
{
    rmat_gapbs *g = (rmat_gapbs *)state;
    const uint64_t blocks = (first + count - 1) / GAPBS_BLOCK - first / GAPBS_BLOCK + 1;
    const cudaStream_t in = (cudaStream_t)stream;
    const void *copy;

    RMAT_OR_RETURN(rmat_gpu_copy(&g->copies, rmat_gapbs_permutation(g),
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
    RMAT_OR_RETURN(rmat_gpu_launched());
    if (to->weight != NULL) {
        weight_kernel<<<(unsigned)blocks, WIDTH, 0, in>>>(g->seed, first, count,
                                                          (uint32_t *)to->weight);
        RMAT_OR_RETURN(rmat_gpu_launched());
    }
    return RMAT_OK;
}

/*
 * Graph500's edges on a GPU.
 *
 * A thread makes edge t of each block of 256 edges that its CUDA block takes.  So the coefficients
 * of its last skip (official.h) stay in registers, and all threads multiply them with the same
 * window. The windows of all these blocks are computed first, one per thread.
 *
 * Numbers are kept below 2^32, modulo p = 2^31 - 1 but not below p: a step takes two products and
 * one addition.  They are reduced to decide a level, by the fraction of x / 10000
 * (official_body.h); the upper 32 of its 64 bits are computed.  The fraction is shifted so that the
 * quadrants have the order d, b, c, a. Edges below the diagonal are flipped after all levels, by
 * swapping the highest bit in which the ends differ.  An edge that meets a number to reject is made
 * again from the beginning.
 */
enum { THREADS = 256, EVENLY = 2048 /* CUDA blocks that occupy a GPU evenly */ };

/* The first levels of graphs of more than 2^32 vertices: a multiple of 5. */
enum { FIRST = 30 };

/* Products of five pairs of numbers from (-2^30, 2^30], added to this multiple of p, are not
 * negative. */
#define BIAS (((5ull << 60) / MRG_P + 1) * MRG_P)

/* 2^64 / 10000, rounded up, and the places where the quadrants b, c and a begin after d. */
#define MAGIC       1844674407370956ull
#define FRACTION(t) ((uint32_t)(((uint64_t)(t) << 32) / MRG_TOTAL))
#define TO_B        (0u - FRACTION(MRG_ABC))
#define TO_C        (FRACTION(MRG_B) - FRACTION(MRG_ABC))
#define TO_A        (FRACTION(MRG_BC) - FRACTION(MRG_ABC))

struct graph500_range {
    uint64_t first, end;
    uint32_t blocks; /* of 256 edges, for one CUDA block */
};

/* Maps a number from [0, p) to (-2^30, 2^30]. */
static __device__ __forceinline__ int32_t centred(uint32_t x)
{
    return (int32_t)(x > MRG_P / 2 + 1 ? x - MRG_P : x);
}

struct graph500_edge {
    uint64_t src, dst;
    uint32_t after; /* the number after its levels */
};

/* Makes an edge that meets a number to reject. */
static __device__ __noinline__ void redo_edge(const mrg_view *view, uint64_t edge,
                                              graph500_edge *to)
{
    uint32_t z[5];

    mrg_state(view, edge, 1, z);
    mrg_edge(view, z, &to->src, &to->dst);
    to->after = mrg_next(z);
}

/* The state of an edge: number r in z[r], below 2^31 + 4. */
static __device__ __forceinline__ void skip_states(const int32_t c[5], const int32_t *y,
                                                   uint32_t z[5])
{
#pragma unroll
    for (int r = 0; r < 5; r++) {
        uint64_t sum = BIAS;

#pragma unroll
        for (int i = 0; i < 5; i++) {
            asm("mad.wide.s32 %0, %1, %2, %0;" : "+l"(sum) : "r"(c[i]), "r"(y[4 - r + i]));
        }
        /* 2^32 is 2 modulo p. */
        const uint64_t folded = (sum >> 32) * 2 + (uint32_t)sum;

        z[r] = ((uint32_t)folded & MRG_P) + (uint32_t)(folded >> 31);
    }
}

/* Replaces the oldest number by the next one, and returns it reduced. */
static __device__ __forceinline__ uint32_t step_state(uint32_t newest, uint32_t *oldest)
{
    const uint64_t twice = 2ull * MRG_X * newest + 2ull * MRG_Y * *oldest;

    *oldest = (uint32_t)(twice >> 32) + ((uint32_t)twice >> 1);
    return min(*oldest, *oldest - MRG_P);
}

struct graph500_ends {
    uint32_t src, dst, least; /* least: of the numbers */
};

/* Decides a level, for this bit of the ends. */
static __device__ __forceinline__ void decide_edge(uint32_t x, uint32_t bit, graph500_ends *e)
{
    uint32_t f = x * (uint32_t)(MAGIC >> 32) + TO_B;

    asm("mad.hi.u32 %0, %1, %2, %0;" : "+r"(f) : "r"(x), "r"((uint32_t)MAGIC));
    e->least = min(e->least, x);
    if (f < TO_C) {
        e->dst |= bit;
    }
    if ((f >= TO_C && f < TO_A) || f < TO_B) {
        e->src |= bit;
    }
}

/* Draws `count` of the next five levels and appends their bits.  Returns the number after them.
 * After five levels it returns the last one; the newest number is then in its place again, z[0]. */
static __device__ __forceinline__ uint32_t five(int count, uint32_t z[5], graph500_ends *e)
{
    graph500_ends bits = {0, 0, e->least};
    uint32_t x = 0;

#pragma unroll
    for (int k = 0; k < 5; k++) {
        x = step_state(z[(5 - k) % 5], &z[4 - k]);
        if (k == count) {
            break;
        }
        decide_edge(x, 16 >> k, &bits);
    }
    e->src = e->src << count | bits.src >> (5 - count);
    e->dst = e->dst << count | bits.dst >> (5 - count);
    e->least = bits.least;
    return x;
}

/* Draws all levels but the last count % 5. */
static __device__ __forceinline__ void fives(int count, uint32_t z[5], graph500_ends *e)
{
    for (; count >= 5; count -= 5) {
        (void)five(5, z, e);
    }
}

/* Swaps the highest bit that differs, for a source above the destination. */
template <typename word> static __device__ __forceinline__ void flip(word *src, word *dst)
{
    if (*src > *dst) {
        const word highest = (word)1 << (sizeof(word) == 8 ? 63 - __clzll((long long)(*src ^ *dst))
                                                           : 31 - __clz((int)(*src ^ *dst)));

        *src ^= highest;
        *dst ^= highest;
    }
}

/* mrg_scramble() with the instructions that reverse bits. */
static __device__ __forceinline__ uint32_t scramble(const mrg_scrambling &s, uint32_t x)
{
    x = __brev((x + (uint32_t)s.add) * (uint32_t)s.multiply[0]) >> (32 - s.scale);
    return __brev(x * (uint32_t)s.multiply[1]) >> (32 - s.scale);
}

static __device__ __forceinline__ uint64_t scramble(const mrg_scrambling &s, uint64_t x)
{
    x = __brevll((x + s.add) * s.multiply[0]) >> (64 - s.scale);
    return __brevll(x * s.multiply[1]) >> (64 - s.scale);
}

/* word: an integer that has `scale` bits. */
template <typename word, typename id>
static __global__ void __launch_bounds__(THREADS)
    graph500_kernel(const mrg_view *view, mrg_scrambling how, graph500_range range, id *src,
                    id *dst, float *weight)
{
    const uint64_t first = (range.first >> 8) + (uint64_t)blockIdx.x * range.blocks;
    const int rest = sizeof(word) == 8 ? how.scale - FIRST : how.scale;
    const unsigned t = threadIdx.x;
    __shared__ int32_t windows[THREADS][12]; /* of 9 numbers; 12: aligned to 16 bytes */
    int32_t c[5];

    if (t < range.blocks) {
        uint32_t z[5], y[9];

        mrg_state(view, (first + t) << 8, 0, z);
        mrg_window(z, y);
        for (int i = 0; i < 9; i++) {
            windows[t][i] = centred(y[i]);
        }
    }
#pragma unroll
    for (int i = 0; i < 5; i++) {
        c[i] = centred(view->skip[0][i][t]);
    }
    __syncthreads();
    for (uint32_t b = 0; b < range.blocks; b++) {
        const uint64_t e = (first + b) << 8 | t;
        graph500_ends ends = {0, 0, MRG_P};
        uint32_t z[5], after;
        word s = 0, d = 0;

        if (((first + b) << 8) >= range.end) {
            break;
        }
        skip_states(c, windows[b], z);
        if (sizeof(word) == 8) {
            fives(FIRST, z, &ends);
            s = ends.src;
            d = ends.dst;
            ends.src = ends.dst = 0;
        }
        fives(rest, z, &ends);
        after = five(rest % 5, z, &ends);
        s = sizeof(word) == 8 ? s << rest | ends.src : ends.src;
        d = sizeof(word) == 8 ? d << rest | ends.dst : ends.dst;
        flip(&s, &d);
        s = scramble(how, s);
        d = scramble(how, d);
        if (e < range.first || e >= range.end) {
            continue;
        }
        if (ends.least < MRG_REJECT) {
            graph500_edge again;

            redo_edge(view, e, &again);
            s = (word)again.src;
            d = (word)again.dst;
            after = again.after;
        }
        src[e - range.first] = (id)s;
        dst[e - range.first] = (id)d;
        if (weight != NULL) {
            weight[e - range.first] = mrg_weight(after);
        }
    }
}

template <typename word, typename id>
static int start_graph500(const rmat_graph500 *g, const mrg_view *view, uint64_t first,
                          uint64_t count, const rmat_arrays *to, cudaStream_t stream)
{
    const uint64_t blocks = ((first + count - 1) >> 8) - (first >> 8) + 1;
    const uint64_t share = (blocks + EVENLY - 1) / EVENLY;
    const graph500_range range = {first, first + count,
                                  (uint32_t)(share < THREADS ? share : (uint64_t)THREADS)};
    const uint64_t grid = (blocks + range.blocks - 1) / range.blocks;

    graph500_kernel<word, id><<<(unsigned)grid, THREADS, 0, stream>>>(
        view, g->view.scrambling, range, (id *)to->src, (id *)to->dst, (float *)to->weight);
    return rmat_gpu_launched();
}

extern "C" int rmat_gpu_graph500(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                                 void *stream)
{
    rmat_graph500 *g = (rmat_graph500 *)state;
    cudaStream_t s = (cudaStream_t)stream;
    const void *copy;
    int st;

    RMAT_OR_RETURN(rmat_gpu_copy(&g->copies, &g->view, sizeof g->view, &copy));
    if (to->id_bytes == 4) {
        st = start_graph500<uint32_t, uint32_t>(g, (const mrg_view *)copy, first, count, to, s);
    } else if (g->view.scrambling.scale <= 32) {
        st = start_graph500<uint32_t, uint64_t>(g, (const mrg_view *)copy, first, count, to, s);
    } else {
        st = start_graph500<uint64_t, uint64_t>(g, (const mrg_view *)copy, first, count, to, s);
    }
    return st;
}
