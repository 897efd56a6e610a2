/*
 * rmat_device.cuh - R-MAT edges inside kernels, for callers who compile .cu files.
 *
 * A consumer takes the edges where they are made, in the registers of the thread that made them:
 *
 *     struct consumer {
 *         struct state { ... };                    a thread's own
 *         __device__ void begin(state &) const;    before the thread's first edge
 *         __device__ void operator()(state &, uint64_t e, uint64_t src, uint64_t dst) const;
 *         __device__ void end(state &) const;      after its last; other threads may be at work
 *     };
 *
 * rmat_for_each_edge() copies it to the kernels by value, where it is inlined, and hands it each
 * edge e of [first, first + count) exactly once, in no order; there are several kernels, so begin()
 * and end() see more threads than one grid has.  The edges are those of rmat_generate().
 * apps/example_out_degrees.cu is an example.  Compile with any standard from C++17 on.
 *
 * For single edges in a kernel of one's own: rmat_edge_at() of rmat_edge.h with the view of
 * rmat_get_device_view().  For many: fill a rmat_piece by rmat_piece_of(), rmat_stage() its table
 * (or tables) at the beginning of dynamic shared memory, call rmat_fast_edge() with rmat_one_table
 * (or rmat_own_tables) for every edge, and rmat_edge_at() for those that may tie.
 *
 * How it is done.  A piece of the stream, all of it with the same high index word, is cut into
 * units of a few edges.  rmat_edge_kernel makes a unit per thread and turn, straight from the short
 * fractions of the tables in shared memory (STREAM.md, "Draws"), and only notes which edges met a
 * tie.  rmat_settle_kernel makes those edges again, and those left over by the units: settling in
 * place would cost the first kernel half of its threads.  Integer operations are what limits it, so
 *   - what is the same for all edges of a piece in the first rounds of Philox comes from the host,
 *   - own or alias is one minimum of word and row, a tie shows in the least of word ^ row,
 *   - the levels that the last group lacks are dropped by a shift at the end, and the same shift
 *     drops groups, so that one kernel serves up to four groups, another one nine to eleven.
 */
#ifndef RMAT_RMAT_DEVICE_CUH
#define RMAT_RMAT_DEVICE_CUH

#include "rmat/rmat_gpu.h"

#include <cuda_runtime.h>

enum {
    RMAT_SETTLE_THREADS = 256,
    RMAT_TABLE_BYTES = 4 * RMAT_GROUP_PATHS, /* in shared memory */
    RMAT_LOW_GROUPS = 5                      /* groups that fill the low word, 30 bits */
};

/* Kernels exist for so many groups, and do fewer with groups that count for nothing. */
static inline int rmat_kernel_groups(int groups)
{
    return groups <= 4 ? 4 : groups <= 8 ? groups : RMAT_MAX_GROUPS;
}

struct rmat_piece {
    rmat_view view;      /* tables in device memory, for groups that count for nothing, too */
    bool alike;          /* all groups have the same table */
    uint64_t begin, end; /* edges of the piece, at most 2^31 */
    uint64_t first;      /* edge of the first unit */
    uint32_t units;
    uint32_t drop; /* low bits of all groups that are none of the graph's */
    struct {
        uint32_t k0, k1, k2; /* of rounds 2 and 3, with what does not depend on the edge */
    } block[3];
    uint32_t keys[10][2];
    rmat_ties ties;
};

/* Everything but units and ties, for edges [first, first + count) with the same high index word. */
static inline rmat_piece rmat_piece_of(const rmat_view &view, uint64_t first, uint64_t count)
{
    const int groups = rmat_kernel_groups(view.groups);
    rmat_piece p = {};

    p.view = view;
    p.alike = true;
    for (int g = 0; g < RMAT_MAX_GROUPS; g++) {
        p.view.fast[g] = view.fast[g < view.groups ? g : 0];
        p.alike = p.alike && p.view.fast[g] == view.fast[0];
    }
    p.begin = p.first = first;
    p.end = first + count;
    p.drop = (uint32_t)(RMAT_GROUP_LEVELS * (groups - view.groups) + view.drop);
    for (uint32_t r = 0; r < 10; r++) {
        p.keys[r][0] = (uint32_t)view.seed + r * 0x9E3779B9u;
        p.keys[r][1] = (uint32_t)(view.seed >> 32) + r * 0xBB67AE85u;
    }
    for (uint32_t b = 0; b < 3; b++) {
        const uint64_t p1 = philox_mul(0xCD9E8D57u, b);
        const uint32_t c0 = (uint32_t)(p1 >> 32) ^ (uint32_t)(first >> 32) ^ p.keys[0][0];
        const uint64_t p0 = philox_mul(0xD2511F53u, c0);

        p.block[b].k0 = (uint32_t)p1 ^ p.keys[1][0];
        p.block[b].k1 = (uint32_t)(p0 >> 32) ^ p.keys[1][1];
        p.block[b].k2 = (uint32_t)p0 ^ p.keys[2][1];
    }
    return p;
}

/* Tables come first in a block's dynamic shared memory. */
extern __shared__ __align__(16) uint32_t rmat_shared[];

/* Fast tables as a kernel has them: one for all groups, or one behind another, with places that are
 * known to the compiler; or where the view says. */
struct rmat_one_table {
    static const bool alike = true;

    static __device__ __forceinline__ uint32_t row(const rmat_piece &, int, uint32_t w)
    {
        return rmat_shared[w & RMAT_PATH_MASK];
    }
};

struct rmat_own_tables {
    static const bool alike = false;

    static __device__ __forceinline__ uint32_t row(const rmat_piece &, int g, uint32_t w)
    {
        return rmat_shared[g * RMAT_GROUP_PATHS + (w & RMAT_PATH_MASK)];
    }
};

struct rmat_far_tables {
    static __device__ __forceinline__ uint32_t row(const rmat_piece &p, int g, uint32_t w)
    {
        return p.view.fast[g][w & RMAT_PATH_MASK];
    }
};

/* Copies tables to shared memory, 16-byte aligned.  For all threads of a block; __syncthreads()
 * before they are used. */
static __device__ __forceinline__ void rmat_stage(const rmat_piece &p, int tables)
{
    for (int t = 0; t < tables; t++) {
        const uint4 *from = (const uint4 *)p.view.fast[t];
        uint4 *to = (uint4 *)(rmat_shared + t * RMAT_GROUP_PATHS);

        for (uint32_t i = threadIdx.x; i < RMAT_GROUP_PATHS / 4; i += blockDim.x) {
            to[i] = from[i];
        }
    }
}

/* The words of all draws of the edge with this low index word. */
template <int groups>
static __device__ __forceinline__ void rmat_draw_words(const rmat_piece &p, uint32_t low,
                                                       uint32_t *w)
{
    /* Rounds 1 and 2, as far as all blocks have them in common. */
    const uint64_t first = philox_mul(0xD2511F53u, low);
    const uint64_t second = philox_mul(0xCD9E8D57u, (uint32_t)(first >> 32) ^ p.keys[0][1]);

#pragma unroll
    for (int b = 0; b < (groups == 5 ? 1 : (groups + 3) / 4); b++) {
        uint32_t c0 = (uint32_t)(second >> 32) ^ p.block[b].k0, c1 = (uint32_t)second;
        uint32_t c2 = (uint32_t)first ^ p.block[b].k1, c3 = 0;

#pragma unroll
        for (int r = 2; r < 10; r++) {
            const uint64_t p0 = philox_mul(0xD2511F53u, c0), p1 = philox_mul(0xCD9E8D57u, c2);

            c0 = (uint32_t)(p1 >> 32) ^ c1 ^ p.keys[r][0];
            c1 = (uint32_t)p1;
            c2 = (uint32_t)(p0 >> 32) ^ (r == 2 ? p.block[b].k2 : c3 ^ p.keys[r][1]);
            c3 = (uint32_t)p0;
        }
        w[4 * b] = c0;
        w[4 * b + 1] = c1;
        w[4 * b + 2] = c2;
        w[4 * b + 3] = c3;
    }
    if (groups == 5) {
        w[4] = rmat_fifth_word(w[0], w[1], w[2], w[3]);
    }
}

/*
 * Vertex bits of the groups as they pile up.  Each group's 6 bits take one operation: funnel shifts
 * let sources come in from the right, first group first, destinations from the left, last group
 * first.  The bits are then those of low, above them those of mid, above them those of top.
 */
template <int groups> struct rmat_bits {
    static const int above = groups - RMAT_LOW_GROUPS;
    static const int above_mid = above - RMAT_LOW_GROUPS;
    static const int low_bits = RMAT_GROUP_LEVELS * (above < 0 ? groups : RMAT_LOW_GROUPS);
    static const int mid_bits = above > 0 ? RMAT_GROUP_LEVELS *(above_mid < 0 ? above : 5) : 0;
    uint32_t low = 0, mid = 0, top = 0;

    __device__ __forceinline__ uint32_t &word(int g)
    {
        return g >= above ? low : g >= above_mid ? mid : top;
    }
    __device__ __forceinline__ void from_right(int g, uint32_t path)
    {
        word(g) = __funnelshift_l(path << (32 - 2 * RMAT_GROUP_LEVELS), word(g), RMAT_GROUP_LEVELS);
    }
    __device__ __forceinline__ void from_left(int g, uint32_t path)
    {
        word(g) = __funnelshift_r(word(g), path, RMAT_GROUP_LEVELS);
    }

    /* All bits but the lowest `drop`, each word being flush left or right. */
    __device__ __forceinline__ uint64_t vertex(bool flush_left, uint32_t drop, uint64_t mask) const
    {
        if constexpr (above <= 0) {
            return (low >> (drop + (flush_left ? 32 - low_bits : 0))) & (uint32_t)mask;
        } else {
            const uint32_t l = flush_left ? low : low << (32 - low_bits);
            const uint32_t m = flush_left ? mid >> (32 - mid_bits) : mid;
            const uint32_t t = flush_left ? top >> (32 - RMAT_GROUP_LEVELS) : top;
            const uint32_t high = m | t << 30, highest = t >> 2, shift = drop + (32 - low_bits);

            return (uint64_t)(__funnelshift_r(high, highest, shift) & (uint32_t)(mask >> 32))
                       << 32 |
                   (__funnelshift_r(l, high, shift) & (uint32_t)mask);
        }
    }
};

/*
 * The edge with this low index word; groups = rmat_kernel_groups(view.groups).  It is right unless
 * the result is below 2^(32 - rmat_fraction_bits(view.groups)): the edge may then have met a tie,
 * and rmat_edge_at() settles it.
 */
template <int groups, typename Tables, typename T>
static __device__ __forceinline__ uint32_t rmat_fast_edge(const rmat_piece &p, uint32_t low, T &src,
                                                          T &dst)
{
    rmat_bits<groups> s, d;
    uint32_t w[(groups + 4) / 4 * 4], near[groups], closest;

    rmat_draw_words<groups>(p, low, w);
#pragma unroll
    for (int g = 0; g < groups; g++) {
        const uint32_t row = Tables::row(p, g, w[g]);

        near[g] = w[g] ^ row;
        w[g] = w[g] < row ? w[g] : row;
        s.from_right(g, w[g]);
    }
#pragma unroll
    for (int g = groups - 1; g >= 0; g--) {
        d.from_left(g, w[g]);
    }
    src = (T)s.vertex(false, p.drop, p.view.src_mask);
    dst = (T)d.vertex(true, p.drop, p.view.dst_mask);
    closest = near[0];
#pragma unroll
    for (int g = 1; g < groups; g += 2) {
        closest = __vimin3_u32(closest, near[g], near[g + 1 < groups ? g + 1 : g]);
    }
    return closest;
}

/* What the kernels hand their edges to; around a consumer, or (gpu_generate.cu) two arrays. */
template <typename C> struct rmat_each {
    typedef typename C::state state;
    typedef uint64_t id;
    static const int edges = 2;    /* of a unit */
    static const bool wide = true; /* scales above 32 */
    C consumer;

    /* Edge j of unit u. */
    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        return 2 * u + (uint32_t)j;
    }
    /* Edges before `first` ones that no unit can have, and a copy for units from `first` on. */
    uint64_t head(uint64_t) const
    {
        return 0;
    }
    rmat_each at(uint64_t) const
    {
        return *this;
    }

    __device__ __forceinline__ void begin(state &s) const
    {
        consumer.begin(s);
    }
    __device__ __forceinline__ void end(state &s) const
    {
        consumer.end(s);
    }
    __device__ __forceinline__ void unit(state &s, const rmat_piece &p, uint32_t u,
                                         const uint64_t *src, const uint64_t *dst,
                                         const uint32_t *closest) const
    {
        for (int j = 0; j < edges; j++) {
            if (closest[j] >= p.ties.limit) {
                consumer(s, p.first + offset(u, j), src[j], dst[j]);
            }
        }
    }
    __device__ __forceinline__ void edge(state &s, uint64_t e, uint64_t src, uint64_t dst) const
    {
        consumer(s, e, src, dst);
    }
};

template <int groups, typename Tables, typename S>
static __global__ void __launch_bounds__(1024)
    rmat_edge_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink)
{
    __shared__ uint32_t found;
    typename S::state state;

    rmat_stage(p, Tables::alike ? 1 : groups);
    if (threadIdx.x == 0) {
        found = 0;
    }
    __syncthreads();
    sink.begin(state);
    for (uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < p.units;
         u += gridDim.x * blockDim.x) {
        typename S::id src[S::edges], dst[S::edges];
        uint32_t closest[S::edges], least = UINT32_MAX;

#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            closest[j] = rmat_fast_edge<groups, Tables>(p, (uint32_t)p.first + S::offset(u, j),
                                                        src[j], dst[j]);
            least = closest[j] < least ? closest[j] : least;
        }
        sink.unit(state, p, u, src, dst, closest);
        if (least < p.ties.limit) {
            for (int j = 0; j < S::edges; j++) {
                if (closest[j] < p.ties.limit) {
                    uint32_t at = atomicAdd(&found, 1u);

                    if (at < p.ties.capacity) {
                        p.ties.edges[(uint64_t)blockIdx.x * p.ties.capacity + at] = S::offset(u, j);
                    }
                }
            }
        }
    }
    sink.end(state);
    __syncthreads();
    if (threadIdx.x == 0) {
        p.ties.found[blockIdx.x] = found;
    }
}

template <typename S>
static __device__ __forceinline__ void rmat_settle(const rmat_piece &p, const S &sink,
                                                   typename S::state &state, uint64_t e)
{
    uint64_t src, dst;

    rmat_edge_at(&p.view, e, &src, &dst);
    sink.edge(state, e, src, dst);
}

/* As many blocks as the kernel before had, if there were units; that one's had so many threads. */
template <int groups, typename S>
static __global__ void __launch_bounds__(RMAT_SETTLE_THREADS)
    rmat_settle_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                       uint32_t threads)
{
    const uint64_t after = p.first + (uint64_t)p.units * S::edges;
    const uint64_t before = p.first - p.begin, rest = before + (p.end - after);
    typename S::state state;

    sink.begin(state);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rest;
         i += (uint64_t)gridDim.x * blockDim.x) {
        rmat_settle(p, sink, state, i < before ? p.begin + i : after + (i - before));
    }
    if (p.units != 0) {
        const uint32_t found = p.ties.found[blockIdx.x];

        if (found <= p.ties.capacity) {
            for (uint32_t i = threadIdx.x; i < found; i += blockDim.x) {
                rmat_settle(p, sink, state,
                            p.first + p.ties.edges[(uint64_t)blockIdx.x * p.ties.capacity + i]);
            }
        } else { /* Too many to be remembered: look for them again. */
            for (uint32_t u = blockIdx.x * threads; u < p.units; u += gridDim.x * threads) {
                for (uint32_t i = threadIdx.x; i < threads * S::edges; i += blockDim.x) {
                    const uint32_t mine = u + i % threads, o = S::offset(mine, (int)(i / threads));
                    typename S::id src, dst;

                    if (mine < p.units && rmat_fast_edge<groups, rmat_far_tables>(
                                              p, (uint32_t)p.first + o, src, dst) < p.ties.limit) {
                        rmat_settle(p, sink, state, p.first + o);
                    }
                }
            }
        }
        if (threadIdx.x == 0) {
            atomicAdd((unsigned long long *)p.ties.total, (unsigned long long)found);
        }
    }
    sink.end(state);
}

/* Blocks of 512 threads or, where these keep fewer threads at work, of 1024.  None (and RMAT_OK)
 * where so much shared memory is not to be had. */
template <typename Kernel>
int rmat_grid(Kernel kernel, size_t shared, uint64_t units, int *threads, int *blocks)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, most, large;
    cudaError_t error = cudaGetDevice(&device);

    *blocks = 0;
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    }
    if (error == cudaSuccess) {
        error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    }
    if (error == cudaSuccess) {
        error = cudaFuncGetAttributes(&attributes, kernel);
    }
    if (error != cudaSuccess) {
        return rmat_gpu_status(error);
    }
    most -= (int)attributes.sharedSizeBytes;
    if (shared > (size_t)most) {
        return RMAT_OK;
    }
    /* Always the same, as other threads may be doing this, too. */
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, 512, shared);
    }
    if (error == cudaSuccess) {
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&large, kernel, 1024, shared);
    }
    if (error != cudaSuccess) {
        return rmat_gpu_status(error);
    }
    *threads = 512;
    if (*blocks < 2 * large) {
        *threads = 1024;
        *blocks = large;
    }
    *blocks *= multiprocessors;
    if ((uint64_t)*blocks > (units + *threads - 1) / *threads) {
        *blocks = (int)((units + *threads - 1) / *threads);
    }
    return RMAT_OK;
}

template <int groups, typename S>
int rmat_launch(const rmat_gen *gen, rmat_piece p, const S &sink, cudaStream_t stream)
{
    const auto kernel = p.alike ? rmat_edge_kernel<groups, rmat_one_table, S>
                                : rmat_edge_kernel<groups, rmat_own_tables, S>;
    const size_t shared = (size_t)(p.alike ? 1 : groups) * RMAT_TABLE_BYTES;
    int threads = 0, blocks = 0, end, st = RMAT_OK;

    if (p.units != 0) {
        st = rmat_grid(kernel, shared, p.units, &threads, &blocks);
        if (st != RMAT_OK) {
            return st;
        }
    }
    if (blocks != 0) {
        const uint64_t turns = (p.units - 1) / ((uint64_t)blocks * threads) + 1;

        st = rmat_ties_begin(gen, (uint32_t)blocks, turns * threads * S::edges, stream, &p.ties);
        if (st != RMAT_OK) {
            return st;
        }
        kernel<<<blocks, threads, shared, stream>>>(p, sink);
        st = rmat_gpu_launched();
    } else { /* too few edges or too little shared memory: all of them with care */
        const uint64_t most = 1 << 14, all = (p.end - p.begin - 1) / RMAT_SETTLE_THREADS + 1;

        p.units = 0;
        blocks = (int)(all < most ? all : most);
    }
    if (st == RMAT_OK) {
        rmat_settle_kernel<groups, S>
            <<<blocks, RMAT_SETTLE_THREADS, 0, stream>>>(p, sink, (uint32_t)threads);
        st = rmat_gpu_launched();
    }
    end = p.units != 0 ? rmat_ties_end(&p.ties, stream) : RMAT_OK;
    return st != RMAT_OK ? st : end;
}

template <typename S>
int rmat_launch_groups(const rmat_gen *gen, const rmat_piece &p, const S &sink, cudaStream_t stream)
{
    switch (rmat_kernel_groups(p.view.groups)) {
    case 4:
        return rmat_launch<4>(gen, p, sink, stream);
    case 5:
        return rmat_launch<5>(gen, p, sink, stream);
    case 6:
        return rmat_launch<6>(gen, p, sink, stream);
    }
    if constexpr (S::wide) {
        switch (rmat_kernel_groups(p.view.groups)) {
        case 7:
            return rmat_launch<7>(gen, p, sink, stream);
        case 8:
            return rmat_launch<8>(gen, p, sink, stream);
        default:
            return rmat_launch<RMAT_MAX_GROUPS>(gen, p, sink, stream);
        }
    }
    return RMAT_ERR_ID_WIDTH;
}

/* Piece by piece: at most 2^31 edges, and never across a multiple of 2^32. */
template <typename S>
int rmat_run(const rmat_gen *gen, uint64_t first, uint64_t count, const S &sink,
             cudaStream_t stream)
{
    rmat_view view;
    int st = rmat_get_device_view(gen, &view);

    while (st == RMAT_OK && count != 0) {
        uint64_t n = ((uint64_t)1 << 31) - (first & 0x7fffffffu), head = sink.head(first);
        rmat_piece p;

        n = count < n ? count : n;
        head = head < n ? head : n;
        p = rmat_piece_of(view, first, n);
        p.first += head;
        p.units = (uint32_t)((n - head) / S::edges) & ~31u; /* whole warps */
        st = rmat_launch_groups(gen, p, sink.at(p.first), stream);
        first += n;
        count -= n;
    }
    return st;
}

/*
 * Starts making edges [first, first + count) for a consumer, and returns at once.  The generator's
 * GPU must be the current one.  Errors as for rmat_generate_device().
 */
template <typename C>
int rmat_for_each_edge(const rmat_gen *gen, uint64_t first, uint64_t count, const C &consumer,
                       cudaStream_t stream)
{
    if (first > RMAT_MAX_EDGES || count > RMAT_MAX_EDGES - first) {
        return RMAT_ERR_RANGE;
    }
    return rmat_run(gen, first, count, rmat_each<C>{consumer}, stream);
}

#endif
