/* tally.cu - the same on a GPU: of edges that are made there, and of edges that are stored there.
 */
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/model/fingerprint.h"
#include "rmat/model/permutation.h"
#include "rmat/rmat_gpu.h"
#include "rmat/tally/tally.h"
#include "rmat/try.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Counts on a GPU how many edges have each bit of each word that an edge is worth (tally.h).
 *
 * Bits are counted by carry-save adders, as in Harley and Seal's population count.  A thread takes
 * 16 edges at a time, and of each of their words 32 bits; with wide ids, the warp beside it takes
 * the other half of the same edges, which then are in the cache.  One adder takes two words and the
 * digit of weight 1 of every bit's count, and leaves that digit and a carry of weight 2; so 16
 * words end in one carry of weight 16, whose further digits are rarely touched and lie in local
 * memory.  In the end the threads of a warp add up their 32 numbers of each word, digit by digit,
 * and lane k adds what bit k has to the counts of all.
 *
 * The adders are bound by the processor's logical instructions.  The fingerprint takes
 * multiplications instead, so the graph may be counted in the same go, and edges are read once.
 */
enum {
    THREADS = 256,
    RESIDENT = 2,           /* blocks of a processor: it has the registers for them */
    STEP = 16,              /* edges that a thread counts at a time */
    CHUNK = THREADS * STEP, /* ids that a block counts at a time; two halves of wide edges */
    SECOND_HALF = 31,       /* its first bit */
    LOW = 4,                /* digits of weight 1, 2, 4, 8 of a count */
    HIGH = 24,              /* of weight 16 and more: of 2^28 edges of a thread, at most */
    LEAST_CHUNKS = 16       /* of a block, where there are enough edges for all */
};

/* Digits of weight 1, 2, 4, 8 of the counts of each word's bits. */
template <int WORDS> struct low_digits {
    uint32_t of[LOW][WORDS];
};

static __device__ void add_digits(uint32_t &digit, uint32_t &carry, uint32_t a, uint32_t b)
{
    const uint32_t half = a ^ b;

    carry = (a & b) | (half & digit);
    digit ^= half;
}

/* The bits of x that a half counts: 0 to 31 or, of wide ids, 31 to 62.  So both have a bit 31,
 * which the second needs for the pair of bits 31 and 32. */
static __device__ uint32_t part_of_id(uint32_t x, unsigned)
{
    return x;
}

static __device__ uint32_t part_of_id(uint64_t x, unsigned half)
{
    return __funnelshift_r((uint32_t)x, (uint32_t)(x >> 32), SECOND_HALF * half);
}

template <typename T, int WORDS>
static __device__ void words_of(uint32_t w[WORDS], T src, T dst, unsigned half)
{
    const uint32_t s = part_of_id(src, half), d = part_of_id(dst, half), s1 = s >> 1, d1 = d >> 1;

    RMAT_TALLY_WORDS(w, WORDS, s, d, s1, d1);
}

/* Count two words of each kind, the n-th two of STEP / 2, n = 0, ...; where n ends in j ones, the
 * carries pass j more digits.  waiting: carries of weight 2, 4, 8 that wait for a second one.  The
 * last ones leave carries of weight 16 in waiting[3]. */
template <int WORDS>
static __device__ __forceinline__ void count_two(low_digits<WORDS> &low,
                                                 uint32_t waiting[LOW][WORDS], int n,
                                                 const uint32_t a[WORDS], const uint32_t b[WORDS])
{
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint32_t carry;

        add_digits(low.of[0][w], carry, a[w], b[w]);
        if (n % 2 == 0) {
            waiting[0][w] = carry;
            continue;
        }
        add_digits(low.of[1][w], carry, waiting[0][w], carry);
        if (n % 4 == 1) {
            waiting[1][w] = carry;
            continue;
        }
        add_digits(low.of[2][w], carry, waiting[1][w], carry);
        if (n % 8 == 3) {
            waiting[2][w] = carry;
            continue;
        }
        add_digits(low.of[3][w], waiting[3][w], waiting[2][w], carry);
    }
}

/* The n-th carries of weight 16 into digits that may each have a second one of the same weight
 * waiting: bit k of n says whether digits[k] have. */
template <int WORDS>
static __device__ __forceinline__ void
count_high(uint32_t digits[][WORDS], uint32_t waiting[][WORDS], uint64_t n, uint32_t carries[WORDS])
{
    int k = 0;

    for (; n >> k & 1; k++) {
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            add_digits(digits[k][w], carries[w], waiting[k][w], carries[w]);
        }
    }
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        waiting[k][w] = carries[w];
    }
}

/* The sum of the numbers of a warp's threads: lane k has that of bit k.  Digits of a thread's
 * number are `apart` words from each other; n: how often count_high() was called. */
static __device__ uint64_t sum_of_warp(const uint32_t *digits, const uint32_t *waiting, int apart,
                                       uint64_t n)
{
    const int high = 64 - __clzll((long long)n), most = LOW + high + 6; /* 33 addends: 6 more */
    const unsigned lane = threadIdx.x % 32;
    uint32_t number[LOW + HIGH + 6] = {}, carry = 0;
    uint64_t sum = 0;

#pragma unroll 1
    for (int k = 0; k < LOW + high; k++) {
        number[k] = digits[k * apart];
        if (k >= LOW) {
            add_digits(number[k], carry, n >> (k - LOW) & 1 ? waiting[(k - LOW) * apart] : 0,
                       carry);
        }
    }
    number[LOW + high] = carry;
#pragma unroll 1
    for (unsigned to = 16; to > 0; to /= 2) {
        carry = 0;
#pragma unroll 1
        for (int k = 0; k < most; k++) {
            add_digits(number[k], carry, __shfl_xor_sync(0xffffffffu, number[k], to), carry);
        }
    }
#pragma unroll 1
    for (int k = 0; k < most; k++) {
        sum |= (uint64_t)(number[k] >> lane & 1) << k;
    }
    return sum;
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

/* Loops and hashes of two edges; with wide ids, of one: the other half takes the other. */
template <typename T>
static __device__ __forceinline__ void count_two_edges(uint64_t *loops, uint64_t *hashes,
                                                       const T u[2], const T v[2], unsigned half)
{
    const T x = half == 0 ? u[0] : u[1], y = half == 0 ? v[0] : v[1];

    *loops += x == y;
    *hashes += rmat_edge_hash(x, y);
    if (sizeof(T) == sizeof(uint32_t)) {
        *loops += u[1] == v[1];
        *hashes += rmat_edge_hash(u[1], v[1]);
    }
}

/* src, dst: whole chunks, of which the last `zeros` edges are (0, 0) and not meant; they have no
 * bit to count and no fingerprint.  GRAPH: loops and the fingerprint as well. */
template <typename T, int WORDS, bool GRAPH>
static __global__ void __launch_bounds__(THREADS, RESIDENT)
    count_bits(const T *__restrict__ src, const T *__restrict__ dst, uint64_t chunks,
               uint64_t zeros, rmat_tally *tally)
{
    const int sets[RMAT_NEIGHBOUR_WORDS] = RMAT_TALLY_SETS;
    const unsigned halves = sizeof(T) / sizeof(uint32_t), lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32, half = warp % halves, across = THREADS / halves;
    low_digits<WORDS> low = {};
    uint32_t digits[LOW + HIGH][WORDS] = {}, waiting[HIGH][WORDS] = {};
    uint64_t n = 0, loops = blockIdx.x == 0 && threadIdx.x == 0 ? -zeros : 0, hashes = 0;

    for (uint64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, n++) {
        const uint64_t at = chunk * CHUNK / halves + warp / halves * 32 + lane;
        uint32_t carries[LOW][WORDS];

#pragma unroll
        for (int i = 0; i < STEP; i += 2) {
            const uint64_t j = at + i * across, k = j + across;
            const T u[2] = {src[j], src[k]}, v[2] = {dst[j], dst[k]};
            uint32_t a[WORDS], b[WORDS];

            words_of<T, WORDS>(a, u[0], v[0], half);
            words_of<T, WORDS>(b, u[1], v[1], half);
            if (GRAPH) {
                count_two_edges<T>(&loops, &hashes, u, v, half);
            }
            count_two<WORDS>(low, carries, i / 2, a, b);
        }
        count_high<WORDS>(digits + LOW, waiting, n, carries[3]);
    }
    if (GRAPH) {
        add_to(&tally->loops, loops);
        add_to(&tally->fingerprint, hashes);
    }
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        for (int k = 0; k < LOW; k++) {
            digits[k][w] = low.of[k][w];
        }
    }
#pragma unroll 1
    for (int w = 0; w < WORDS; w++) {
        const bool twice = half == 1 && lane == 0 && w < RMAT_LEVEL_WORDS; /* bit 31 of ids */
        const uint64_t sum = sum_of_warp(digits[0] + w, waiting[0] + w, WORDS, n);

        if (!twice) {
            atomicAdd((unsigned long long *)&tally->bits[sets[w]][SECOND_HALF * half + lane],
                      (unsigned long long)sum);
        }
    }
}

/* Bits of edges in device memory, with GRAPH the graph, by up to so many blocks.  There is room
 * for whole chunks: zeros behind the edges fill up the last one. */
template <typename T, int WORDS, bool GRAPH>
static int count_levels(T *src, T *dst, uint64_t count, unsigned most_blocks, rmat_tally *tally,
                        cudaStream_t stream)
{
    const uint64_t chunk = CHUNK * sizeof(uint32_t) / sizeof(T);
    const uint64_t chunks = (count + chunk - 1) / chunk, zeros = chunks * chunk - count;
    const uint64_t some = chunks / LEAST_CHUNKS + 1;
    const unsigned blocks = some < most_blocks ? (unsigned)some : most_blocks;

    if (zeros > 0) {
        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(src + count, 0, zeros * sizeof(T), stream));
        RMAT_CUDA_OR_RETURN(cudaMemsetAsync(dst + count, 0, zeros * sizeof(T), stream));
    }
    count_bits<T, WORDS, GRAPH><<<blocks, THREADS, 0, stream>>>(src, dst, chunks, zeros, tally);
    return rmat_gpu_launched();
}

/*
 * rmat_tally_stream() on a GPU: edges are made in a buffer of device memory, counted there
 * (count_levels()), and overwritten by the next ones.
 */

/* Edges of a full buffer: so many that what a block does in the end is little. */
#define MOST_EDGES  ((uint64_t)1 << 28)
#define LEAST_EDGES ((uint64_t)1 << 20)

enum { GRAPH_BLOCKS = 4 /* that count the graph, per one that counts bits */ };

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

/* A buffer of whole chunks for all edges, or for as many as there is memory for. */
static int allocate_buffer(device_tally *d, cudaMemPool_t pool, uint64_t count, size_t id_bytes)
{
    uint64_t edges = count < MOST_EDGES ? count : MOST_EDGES;
    int st;

    do {
        d->room = (edges + CHUNK - 1) / CHUNK * CHUNK;
        st = rmat_gpu_status(
            cudaMallocFromPoolAsync((void **)&d->edges, 2 * id_bytes * d->room, pool, d->stream));
        edges /= 2;
    } while (st == RMAT_ERR_NOMEM && edges >= LEAST_EDGES);
    return st;
}

static int begin_tally(device_tally *d, const rmat_gen *gen, uint64_t count, size_t id_bytes)
{
    const cudaMemPool_t pool = rmat_gpu_pool(gen);
    int processors;

    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, rmat_used_device(gen)));
    d->blocks = RESIDENT * (unsigned)processors;
    RMAT_CUDA_OR_RETURN(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
    RMAT_CUDA_OR_RETURN(
        cudaMallocFromPoolAsync((void **)&d->tally, sizeof *d->tally, pool, d->stream));
    RMAT_CUDA_OR_RETURN(cudaMemsetAsync(d->tally, 0, sizeof *d->tally, d->stream));
    return allocate_buffer(d, pool, count, id_bytes);
}

template <typename T, int VERTICES>
static int count_graph_alone(const device_tally *d, uint64_t count,
                             const rmat_tally_request *request)
{
    const T *src = (const T *)d->edges, *dst = src + d->room;

    count_graph<T, VERTICES>
        <<<GRAPH_BLOCKS * d->blocks, THREADS, 0, d->stream>>>(src, dst, count, *request, d->tally);
    return rmat_gpu_launched();
}

template <typename T, bool GRAPH>
static int count_words(const device_tally *d, uint64_t count, bool neighbours)
{
    T *src = (T *)d->edges, *dst = src + d->room;

    return neighbours ? count_levels<T, RMAT_NEIGHBOUR_WORDS, GRAPH>(src, dst, count, d->blocks,
                                                                     d->tally, d->stream)
                      : count_levels<T, RMAT_LEVEL_WORDS, GRAPH>(src, dst, count, d->blocks,
                                                                 d->tally, d->stream);
}

template <typename T>
static int count_edges(const device_tally *d, uint64_t count, const rmat_tally_request *request)
{
    const bool levels = request->levels || request->neighbours, graph = request->graph != 0;
    const bool together = levels && graph && request->vertices == 0;

    if (levels) {
        RMAT_OR_RETURN((together ? count_words<T, true>(d, count, request->neighbours != 0)
                                 : count_words<T, false>(d, count, request->neighbours != 0)));
    }
    if (graph && request->vertices > 0) {
        RMAT_OR_RETURN((count_graph_alone<T, RMAT_TALLY_VERTICES>(d, count, request)));
    } else if (graph && !together) {
        RMAT_OR_RETURN((count_graph_alone<T, 0>(d, count, request)));
    }
    return RMAT_OK;
}

static int make_and_count(const device_tally *d, const rmat_gen *gen, uint64_t first,
                          uint64_t count, int id_bytes, const rmat_tally_request *request)
{
    const rmat_arrays to = {d->edges, d->edges + d->room * (size_t)id_bytes, NULL, id_bytes};

    for (uint64_t at = 0; at < count; at += d->room) {
        const uint64_t n = count - at < d->room ? count - at : d->room;

        RMAT_OR_RETURN(rmat_gpu_store(gen, first + at, n, &to, RMAT_ARRAYS, d->stream));
        RMAT_OR_RETURN(id_bytes == 4 ? count_edges<uint32_t>(d, n, request)
                                     : count_edges<uint64_t>(d, n, request));
    }
    return RMAT_OK;
}

extern "C" int rmat_gpu_tally(const rmat_gen *gen, uint64_t first, uint64_t count, int id_bytes,
                              const rmat_tally_request *request, rmat_tally *tally)
{
    device_tally d = {};
    rmat_tally counted = {};
    int before, st;

    RMAT_OR_RETURN(rmat_gpu_enter(gen, &before));
    RMAT_TRY(begin_tally(&d, gen, count, (size_t)id_bytes));
    RMAT_TRY(make_and_count(&d, gen, first, count, id_bytes, request));
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

/*
 * Bits of edges that are stored in device memory, as of a file, after the permutation of their
 * vertices has been undone.
 */
static_assert((int)RMAT_TALLY_CHUNK == (int)CHUNK, "arrays have room for whole chunks");

enum { BLOCKS = 1024 };

template <typename T>
static __global__ void __launch_bounds__(THREADS)
    unpermute_ids(const rmat_permutation p, T *ids, uint64_t count)
{
    const uint64_t stride = (uint64_t)gridDim.x * THREADS;

    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += stride) {
        ids[i] = (T)rmat_unpermute_vertex(&p, ids[i]);
    }
}

template <typename T>
static int count_stored(const rmat_permutation *p, T *src, T *dst, uint64_t count,
                        rmat_tally *tally, cudaStream_t stream)
{
    if (p != NULL) {
        unpermute_ids<<<BLOCKS, THREADS, 0, stream>>>(p[RMAT_ROWS], src, count);
        RMAT_OR_RETURN(rmat_gpu_launched());
        unpermute_ids<<<BLOCKS, THREADS, 0, stream>>>(p[RMAT_COLS], dst, count);
        RMAT_OR_RETURN(rmat_gpu_launched());
    }
    return count_levels<T, RMAT_LEVEL_WORDS, false>(src, dst, count, BLOCKS, tally, stream);
}

extern "C" int rmat_gpu_tally_stored(const rmat_permutation *p, void *src, void *dst,
                                     uint64_t count, int id_bytes, rmat_tally *tally, void *stream)
{
    return id_bytes == 4 ? count_stored(p, (uint32_t *)src, (uint32_t *)dst, count, tally,
                                        (cudaStream_t)stream)
                         : count_stored(p, (uint64_t *)src, (uint64_t *)dst, count, tally,
                                        (cudaStream_t)stream);
}
