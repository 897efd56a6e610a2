/*
 * rmat_tally_stream() on a GPU: edges are made in a buffer of device memory, counted there, and
 * overwritten by the next ones.
 *
 * Bits are counted by carry-save adders, as in Harley and Seal's population count.  A thread takes
 * 16 edges at a time, and of the 12 words that each is worth (words.h) 32 bits; with wide ids, the
 * warp beside it takes the other half, of the same edges, which then are in the cache.  One adder
 * takes two words and the digit of weight 1 of every bit's count, and leaves that digit and a carry
 * of weight 2; so 16 words end in one carry of weight 16, whose further digits are rarely touched
 * and lie in local memory.  In the end lane k of a warp adds up what all lanes have counted for bit
 * k.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/model/fingerprint.h"
#include "rmat/tally/tally.h"
#include "rmat/tally/words.h"
#include "rmat/try.h"

#include <stddef.h>

/* Edges of a full buffer: so many that the counts of a thread are worth adding up. */
#define MOST_EDGES  ((uint64_t)1 << 27)
#define LEAST_EDGES ((uint64_t)1 << 20)

enum {
    THREADS = 256,
    STEP = 16,        /* edges that a thread counts at a time */
    LEAST_STEPS = 16, /* of a thread, where there are enough edges for all */
    HIGH = 24         /* digits of weight 16 and more: of 2^28 edges of a thread, at most */
};

/* Digits of weight 1, 2, 4, 8 of the counts of each word's bits. */
template <int WORDS> struct low_digits {
    uint32_t of[4][WORDS];
};

static __device__ void add(uint32_t &digit, uint32_t &carry, uint32_t a, uint32_t b)
{
    const uint32_t half = a ^ b;

    carry = (a & b) | (half & digit);
    digit ^= half;
}

/* Bits 32 half to 32 half + 31 of x. */
template <typename T> static __device__ uint32_t part(T x, unsigned half)
{
    return (uint32_t)((uint64_t)x >> 32 * half);
}

template <typename T, int WORDS>
static __device__ void load(uint32_t w[WORDS], const T *src, const T *dst, uint64_t i,
                            uint64_t count, unsigned half)
{
    const T u = i < count ? src[i] : 0, v = i < count ? dst[i] : 0; /* 0 has no bit to count */
    const uint32_t s = part(u, half), d = part(v, half);
    const uint32_t s1 = part((T)(u >> 1), half), d1 = part((T)(v >> 1), half);

    RMAT_TALLY_WORDS(w, WORDS, s, d, s1, d1);
}

/* Count two words of each kind, the n-th two of STEP / 2, n = 0, ...; where n ends in j ones, the
 * carries pass j more digits.  waiting: carries of weight 2, 4, 8 that wait for a second one.  The
 * last ones leave carries of weight 16 in waiting[3]. */
template <int WORDS>
static __device__ __forceinline__ void count_two(low_digits<WORDS> &low, uint32_t waiting[4][WORDS],
                                                 int n, const uint32_t a[WORDS],
                                                 const uint32_t b[WORDS])
{
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint32_t carry;

        add(low.of[0][w], carry, a[w], b[w]);
        if (n % 2 == 0) {
            waiting[0][w] = carry;
            continue;
        }
        add(low.of[1][w], carry, waiting[0][w], carry);
        if (n % 4 == 1) {
            waiting[1][w] = carry;
            continue;
        }
        add(low.of[2][w], carry, waiting[1][w], carry);
        if (n % 8 == 3) {
            waiting[2][w] = carry;
            continue;
        }
        add(low.of[3][w], waiting[3][w], waiting[2][w], carry);
    }
}

/* The n-th carry of weight 16 into digits that may each have a second one of the same weight
 * waiting: bit k of n says whether digit k has. */
static __device__ void count_high(uint32_t digits[HIGH], uint32_t waiting[HIGH], uint64_t n,
                                  uint32_t carry)
{
    int k = 0;

    for (; n >> k & 1; k++) {
        add(digits[k], carry, waiting[k], carry);
    }
    waiting[k] = carry;
}

/* What the warp's words have for bit `lane`, each worth `weight`. */
static __device__ uint64_t sum_of(uint32_t word, unsigned lane, uint64_t weight)
{
    uint32_t votes = 0;

#pragma unroll
    for (unsigned bit = 0; bit < 32; bit++) {
        const uint32_t ballot = __ballot_sync(0xffffffffu, word >> bit & 1);

        votes = bit == lane ? ballot : votes;
    }
    return __popc(votes) * weight;
}

template <typename T, int WORDS>
static __global__ void __launch_bounds__(THREADS, 2)
    count_bits(const T *__restrict__ src, const T *__restrict__ dst, uint64_t count,
               rmat_tally *tally)
{
    const int sets[RMAT_NEIGHBOUR_WORDS] = RMAT_TALLY_SETS;
    const unsigned halves = sizeof(T) / sizeof(uint32_t), wide = THREADS / halves;
    const unsigned warp = threadIdx.x / 32, half = warp % halves, lane = threadIdx.x % 32;
    const uint64_t stride = (uint64_t)gridDim.x * wide, lot = stride * STEP;
    const uint64_t steps = (count + lot - 1) / lot;
    uint64_t at = (uint64_t)blockIdx.x * wide + warp / halves * 32 + lane;
    low_digits<WORDS> low = {};
    uint32_t digits[WORDS][HIGH] = {}, waiting[WORDS][HIGH];

    for (uint64_t n = 0; n < steps; n++, at += lot) {
        uint32_t carries[4][WORDS];

#pragma unroll
        for (int i = 0; i < STEP; i += 2) {
            uint32_t a[WORDS], b[WORDS];

            load<T, WORDS>(a, src, dst, at + i * stride, count, half);
            load<T, WORDS>(b, src, dst, at + (i + 1) * stride, count, half);
            count_two<WORDS>(low, carries, i / 2, a, b);
        }
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            count_high(digits[w], waiting[w], n, carries[3][w]);
        }
    }
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint64_t sum = 0;

        for (int k = 0; k < 4; k++) {
            sum += sum_of(low.of[k][w], lane, (uint64_t)1 << k);
        }
        for (int k = 0; steps >> k != 0; k++) {
            sum += sum_of(digits[w][k], lane, (uint64_t)STEP << k);
            if (steps >> k & 1) {
                sum += sum_of(waiting[w][k], lane, (uint64_t)STEP << k);
            }
        }
        atomicAdd((unsigned long long *)&tally->bits[sets[w]][32 * half + lane],
                  (unsigned long long)sum);
    }
}

static __device__ void add_to(uint64_t *total, uint64_t of_thread)
{
    for (int lane = 16; lane > 0; lane /= 2) {
        of_thread += __shfl_down_sync(0xffffffffu, of_thread, lane);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd((unsigned long long *)total, (unsigned long long)of_thread);
    }
}

/* VERTICES: 0, or RMAT_TALLY_VERTICES where there are any. */
template <typename T, int VERTICES>
static __global__ void __launch_bounds__(THREADS)
    count_graph(const T *__restrict__ src, const T *__restrict__ dst, uint64_t count,
                const rmat_tally_request request, rmat_tally *tally)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;
    uint64_t loops = 0, hashes = 0;
    uint32_t out[VERTICES + 1] = {}, in[VERTICES + 1] = {};

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        const uint64_t u = src[i], v = dst[i];

        loops += u == v;
        hashes += rmat_edge_hash(u, v);
#pragma unroll
        for (int k = 0; k < VERTICES; k++) {
            if (k < request.vertices) {
                out[k] += u == request.vertex[k];
                in[k] += v == request.vertex[k];
            }
        }
    }
    add_to(&tally->loops, loops);
    add_to(&tally->fingerprint, hashes);
#pragma unroll
    for (int k = 0; k < VERTICES; k++) {
        add_to(&tally->out[k], out[k]);
        add_to(&tally->in[k], in[k]);
    }
}

/* What a call has on the GPU. */
typedef struct {
    cudaStream_t stream;
    char *edges; /* sources, then destinations */
    rmat_tally *tally;
    uint64_t room; /* edges that there is memory for */
    unsigned blocks;
} device_tally;

/* A buffer for all edges, or for as many as there is memory for. */
static int allocate(device_tally *d, cudaMemPool_t pool, uint64_t count, size_t id_bytes)
{
    int st;

    d->room = count < MOST_EDGES ? (count + 15) & ~(uint64_t)15 : MOST_EDGES; /* aligned */
    do {
        st = rmat_gpu_status(
            cudaMallocFromPoolAsync((void **)&d->edges, 2 * id_bytes * d->room, pool, d->stream));
        d->room /= st == RMAT_ERR_NOMEM ? 2 : 1;
    } while (st == RMAT_ERR_NOMEM && d->room >= LEAST_EDGES);
    return st;
}

static int begin(device_tally *d, const rmat_gen *gen, uint64_t count, size_t id_bytes)
{
    const cudaMemPool_t pool = rmat_gpu_pool(gen);
    int st = RMAT_OK, processors;

    RMAT_TRY_CUDA(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, rmat_used_device(gen)));
    d->blocks = 4 * (unsigned)processors;
    RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&d->tally, sizeof *d->tally, pool, d->stream));
    RMAT_TRY_CUDA(cudaMemsetAsync(d->tally, 0, sizeof *d->tally, d->stream));
    RMAT_TRY(allocate(d, pool, count, id_bytes));
done:
    return st;
}

template <typename T>
static int count_edges(const device_tally *d, uint64_t count, const rmat_tally_request *request)
{
    const T *src = (const T *)d->edges, *dst = src + d->room;
    const uint64_t lots = count / (THREADS * STEP * LEAST_STEPS) + 1;
    const unsigned blocks = lots < d->blocks ? (unsigned)lots : d->blocks;
    int st = RMAT_OK;

    if (request->neighbours) {
        count_bits<T, RMAT_NEIGHBOUR_WORDS>
            <<<blocks, THREADS, 0, d->stream>>>(src, dst, count, d->tally);
        RMAT_TRY(rmat_gpu_launched());
    } else if (request->levels) {
        count_bits<T, RMAT_LEVEL_WORDS>
            <<<blocks, THREADS, 0, d->stream>>>(src, dst, count, d->tally);
        RMAT_TRY(rmat_gpu_launched());
    }
    if (request->graph && request->vertices > 0) {
        count_graph<T, RMAT_TALLY_VERTICES>
            <<<2 * blocks, THREADS, 0, d->stream>>>(src, dst, count, *request, d->tally);
        RMAT_TRY(rmat_gpu_launched());
    } else if (request->graph) {
        count_graph<T, 0>
            <<<2 * blocks, THREADS, 0, d->stream>>>(src, dst, count, *request, d->tally);
        RMAT_TRY(rmat_gpu_launched());
    }
done:
    return st;
}

static int run(const device_tally *d, const rmat_gen *gen, uint64_t first, uint64_t count,
               int id_bytes, const rmat_tally_request *request)
{
    const rmat_arrays to = {d->edges, d->edges + d->room * (size_t)id_bytes, NULL, id_bytes};
    int st = RMAT_OK;

    for (uint64_t at = 0; at < count; at += d->room) {
        const uint64_t n = count - at < d->room ? count - at : d->room;

        RMAT_TRY(rmat_gpu_store(gen, first + at, n, &to, RMAT_ARRAYS, d->stream));
        RMAT_TRY(id_bytes == 4 ? count_edges<uint32_t>(d, n, request)
                               : count_edges<uint64_t>(d, n, request));
    }
done:
    return st;
}

extern "C" int rmat_gpu_tally(const rmat_gen *gen, uint64_t first, uint64_t count, int id_bytes,
                              const rmat_tally_request *request, rmat_tally *tally)
{
    device_tally d = {};
    rmat_tally counted = {};
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(gen), &before));

    if (st != RMAT_OK) {
        return st;
    }
    RMAT_TRY(begin(&d, gen, count, (size_t)id_bytes));
    RMAT_TRY(run(&d, gen, first, count, id_bytes, request));
    RMAT_TRY_CUDA(
        cudaMemcpyAsync(&counted, d.tally, sizeof counted, cudaMemcpyDeviceToHost, d.stream));
    RMAT_TRY_CUDA(cudaStreamSynchronize(d.stream));
    counted.edges = request->levels || request->neighbours ? count : 0;
    counted.graph_edges = request->graph ? count : 0;
    rmat_tally_add(tally, &counted);
done:
    if (d.edges != NULL) {
        (void)cudaFreeAsync(d.edges, d.stream);
    }
    if (d.tally != NULL) {
        (void)cudaFreeAsync(d.tally, d.stream);
    }
    if (d.stream != NULL) {
        (void)cudaStreamDestroy(d.stream);
    }
    alias_gpu_leave(before);
    return st;
}
