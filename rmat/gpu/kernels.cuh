/*
 * kernels.cuh - private to rmat/: the two kernels that make edges, the repeated draws of both, and
 * their start for a range of the stream.  C++17, for nvcc.
 */
#ifndef RMAT_GPU_KERNELS_CUH
#define RMAT_GPU_KERNELS_CUH

#include "rmat/gpu/transform.cuh"
#include "rmat/try.h"

/*
 * Repeats unwanted draws inside the first kernel.
 *
 * A warp collects the edges whose draw is unwanted in a queue in shared memory, and draws 32 of
 * them whenever it has 32.  Those that are unwanted again return to the queue.  So all threads have
 * work for any fraction of unwanted draws, until the warp has no more units.  The sink receives an
 * edge soon after its neighbors, while the L2 cache still holds their part of the arrays.  A later
 * store would make memory read and write 32 bytes for each id.
 *
 * This is rejection sampling on SIMT machines as in alias/gpu/rejection.cuh, with one thread per
 * sample.  A thread takes the next sample as soon as its sample is accepted.
 *
 * An earlier version listed these edges in device memory, and a second kernel drew them.  That was
 * faster for 64-bit ids if 1/8 of the draws are unwanted, and much slower if half are.  Neither
 * memory nor arithmetic is the bottleneck there: each store of a unit waits for the one before it.
 */

/* An edge, counted from the piece's first unit, and its next attempt. */
struct rmat_waiting {
    uint32_t at, attempt;
};

/* The room in a warp's queue: fewer edges than the warp has lanes, and a unit of each lane. */
template <typename S> static __host__ __device__ constexpr uint32_t rmat_queue_edges()
{
    return 31 + 32 * S::edges;
}

/* Puts an edge on the list of the block, for the second kernel.  found: in shared memory. */
static __device__ __forceinline__ void rmat_set_aside(const rmat_piece &p, uint32_t *found,
                                                      uint32_t at)
{
    const uint32_t place = atomicAdd(found, 1u);

    if (place < p.ties.capacity) {
        p.ties.edges[(uint64_t)blockIdx.x * p.ties.capacity + place] = at;
    }
}

/* Passes base edge e to the sink, with its reverse if the graph is symmetric. */
template <typename S>
static __device__ __forceinline__ void rmat_sink_both(const rmat_piece &p, const S &sink,
                                                      typename S::state &state, uint64_t e,
                                                      uint64_t src, uint64_t dst)
{
    const bool symmetric = (p.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;

    sink.edge(state, symmetric ? 2 * e : e, src, dst);
    if (symmetric) {
        sink.edge(state, 2 * e + 1, dst, src);
    }
}

/* The queue of a warp; all its lanes call each function together. */
template <int groups, typename Tables, typename S> struct rmat_redraw_queue {
    typedef rmat_drawn<groups, S> drawn;
    rmat_waiting *entries; /* [rmat_queue_edges()], in shared memory */
    drawn *list;           /* of the lane, for rmat_walk_unit() */
    uint32_t count;        /* the same in all lanes */

    __device__ __forceinline__ void push(bool mine, uint32_t at, uint32_t attempt)
    {
        const uint32_t votes = __ballot_sync(0xffffffffu, mine), lane = threadIdx.x % 32;

        if (mine) {
            entries[count + __popc(votes & ((1u << lane) - 1))] = {at, attempt};
        }
        count += __popc(votes);
        __syncwarp();
    }

    /* Makes one draw for up to 32 edges. */
    template <typename State>
    __device__ __forceinline__ void turn(const rmat_piece &p, const S &sink, State &state,
                                         uint32_t *found)
    {
        const uint32_t lane = threadIdx.x % 32, n = min(count, 32u);
        const bool mine = lane < n;
        const rmat_waiting now = mine ? entries[count - n + lane] : rmat_waiting{0, 0};
        const uint64_t e = p.first + now.at;
        uint32_t w[groups], closest[1];
        drawn s[1], d[1];
        bool again = false, done = false;
        uint64_t src, dst;

        count -= n;
        __syncwarp();
        if (mine) {
            philox_block b = {};

#pragma unroll
            for (int g = 0; g < groups; g++) {
                w[g] = rmat_draw_word(&p.view, e, now.attempt, g, &b);
            }
            closest[0] = rmat_words_to_ends<groups, Tables>(p, w, s[0], d[0]);
            rmat_transform_unit_ends<Tables, 1>(p, s, d, closest, list);
            src = s[0];
            dst = d[0];
            done = closest[0] >= p.ties.limit;
            again = closest[0] == 0 && now.attempt + 1 < RMAT_ATTEMPTS;
            if (!done && !again) {
                rmat_set_aside(p, found, now.at);
            }
        }
        if constexpr (S::together) {
            sink.take_together(state, p, done, src, dst);
        } else if (done) {
            rmat_sink_both(p, sink, state, e, src, dst);
        }
        push(again, now.at, now.attempt + 1);
    }
};

/*
 * The first of the two kernels: it makes all edges of a piece and passes them to a sink
 * (rmat_device.cuh).
 *
 * A piece, whose edges all have the same high index word, is divided into units of a few edges.
 * Each thread makes a unit per iteration with the fast draws of draw.cuh.  Unwanted draws are
 * repeated.  Edges that may have met a tie are only noted in a list of the block.  The second
 * kernel makes those, because settling them here would cost this kernel half of its threads.
 */
enum {
    RMAT_EDGE_THREADS = 1024 /* of a block, at most; more threads mean fewer copies of the tables */
};

/* The first kernels that exist for a sink besides that for all transformations: S::kernels. */
enum {
    RMAT_FOR_PLAIN = 1,
    RMAT_FOR_PERMUTED = 2, /* permutation alone */
    RMAT_FOR_UNBOUNDED = 4 /* all but vertex counts and frequent redraws */
};

/* Permuted ends of more than 32 bits fit into 40 registers. 1536 threads of a multiprocessor can
 * have that many: two blocks of 768.  An sm_75 multiprocessor runs 1024 threads, and its compiler
 * refuses more. */
template <int groups, typename Tables, typename S> constexpr bool rmat_permutes_wide()
{
    return Tables::permuted && sizeof(rmat_drawn<groups, S>) == 8;
}
template <int groups, typename Tables, typename S> constexpr int rmat_edge_threads()
{
    return rmat_permutes_wide<groups, Tables, S>() ? 768 : RMAT_EDGE_THREADS;
}

/* The number of blocks that the registers must suffice for; 0: the compiler decides. */
template <int groups, typename Tables, typename S> constexpr int rmat_edge_blocks()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750
    return 0;
#else
    return rmat_permutes_wide<groups, Tables, S>() ? 2 : 0;
#endif
}

/* single: receives the edges that are drawn again, one by one. */
template <int groups, typename Tables, typename S, typename Single>
static __global__ void __launch_bounds__(rmat_edge_threads<groups, Tables, S>(),
                                         rmat_edge_blocks<groups, Tables, S>())
    rmat_first_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                      const __grid_constant__ Single single)
{
    __shared__ uint32_t found;
    rmat_redraw_queue<groups, Tables, Single> queue = {};
    typename S::state state;

    rmat_stage<groups, Tables>(p);
    if (threadIdx.x == 0) {
        found = 0;
    }
    if constexpr (Tables::redrawn) {
        rmat_waiting *entries =
            (rmat_waiting *)(rmat_shared + Tables::tables(p, groups) * RMAT_GROUP_PATHS);

        queue.entries = entries + threadIdx.x / 32 * rmat_queue_edges<S>();
        queue.list = (rmat_drawn<groups, S> *)(entries + blockDim.x / 32 * rmat_queue_edges<S>()) +
                     threadIdx.x;
    }
    __syncthreads();
    sink.begin(state);
    for (uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < p.units;
         u += gridDim.x * blockDim.x) {
        typename S::id src[S::edges], dst[S::edges];
        uint32_t closest[S::edges], least = UINT32_MAX;

        if constexpr (Tables::transformed) {
            rmat_transformed_unit<groups, Tables, S>(p, sink, u, src, dst, closest, queue.list);
        }
#pragma unroll
        for (int j = 0; j < S::edges; j++) {
            if constexpr (!Tables::transformed) {
                closest[j] = rmat_draw_fast<groups, Tables>(
                    p, (uint32_t)p.first + sink.offset(u, j), src[j], dst[j]);
            }
            least = closest[j] < least ? closest[j] : least;
        }
        sink.template unit<!Tables::redrawn>(state, p, u, src, dst, closest);
        if (least < p.ties.limit) {
            for (int j = 0; j < S::edges; j++) {
                if (closest[j] < p.ties.limit && !(Tables::redrawn && closest[j] == 0)) {
                    rmat_set_aside(p, &found, sink.offset(u, j));
                }
            }
        }
        if constexpr (Tables::redrawn) {
#pragma unroll
            for (int j = 0; j < S::edges; j++) {
                queue.push(closest[j] == 0, sink.offset(u, j), 1);
            }
            /* after the last unit until none is left */
            for (const uint32_t enough = u + gridDim.x * blockDim.x < p.units ? 32 : 1;
                 queue.count >= enough;) {
                queue.turn(p, single, state, &found);
            }
        }
    }
    sink.end(state);
    __syncthreads();
    if (threadIdx.x == 0) {
        p.ties.found[blockIdx.x] = found;
    }
}

/* The second of the two kernels: it makes the edges that the first one set aside, and those before
 * and after its units, by the reference (rmat/model/edge.h). */
enum {
    RMAT_SETTLE_THREADS = 256,
    RMAT_SETTLE_BLOCKS = 4 /* per list: the latency of single edges dominates */
};

/* The ends that the first kernel drew for base edge e of its units at this attempt, with ties
 * decided by the bits below the fraction.  Returns their distance from a tie, over all groups that
 * the kernel draws. */
static __device__ uint32_t rmat_draw_again(const rmat_piece &p, uint64_t e, uint32_t attempt,
                                           uint64_t *src, uint64_t *dst)
{
    const rmat_view &v = p.view;
    const uint32_t reach = 1u << (32 - rmat_fraction_bits(v.groups));
    uint32_t closest = UINT32_MAX;
    philox_block b = {};
    uint64_t s = 0, d = 0;

    for (int g = 0; g < rmat_kernel_groups(v.groups); g++) {
        const uint32_t w = rmat_draw_word(&v, e, attempt, g, &b);
        const uint32_t row = v.fast[g][w & RMAT_PATH_MASK];
        const uint32_t path = (w < row ? w : row) & RMAT_PATH_MASK;

        closest = min(closest, w - row + reach);
        if (g < v.groups) {
            const int shift = g == v.groups - 1 ? v.drop : 0;

            s = s << (6 - shift) | (path >> 6) >> shift;
            d = d << (6 - shift) | (path & 63) >> shift;
        }
    }
    *src = s & v.src_mask;
    *dst = d & v.dst_mask;
    return closest;
}

/* Whether the first kernel set base edge e aside.  It does if a draw may have met a tie.  It also
 * does if the draw is unwanted and is the last one, or the kernel does not repeat draws. */
static __device__ bool rmat_was_set_aside(const rmat_piece &p, uint64_t e, bool redrawn)
{
    for (uint32_t attempt = 0; attempt < RMAT_ATTEMPTS; attempt++) {
        uint64_t src, dst;

        if (rmat_draw_again(p, e, attempt, &src, &dst) < p.ties.limit) {
            return true;
        }
        if (!rmat_unwanted(&p.view, src, dst)) {
            return false;
        }
        if (!redrawn) {
            return true;
        }
    }
    return true;
}

/* Makes base edge e, which was set aside.  If the first kernel stored it already, it is stored
 * again only if it was wrong: this check takes less time than writing single ids all over the
 * memory. */
template <typename S>
static __device__ __forceinline__ void rmat_settle(const rmat_piece &p, const S &sink,
                                                   typename S::state &state, uint64_t e)
{
    uint64_t src, dst, fast_src, fast_dst;
    const uint32_t attempts = rmat_draw_wanted(&p.view, e, &src, &dst);

    if (S::stores && attempts == 0) {
        rmat_draw_again(p, e, 0, &fast_src, &fast_dst);
        if (src == fast_src && dst == fast_dst) {
            return;
        }
    }
    rmat_transform_ends(&p.view, &src, &dst);
    rmat_sink_both(p, sink, state, e, src, dst);
}

/* Facts about the first kernel's run, for the second one; undefined if the piece has no units. */
struct rmat_first_run {
    uint32_t lists, threads; /* blocks, which each left a list, and their threads */
    uint32_t edges;          /* of its units */
    bool redrawn;            /* it draws again */
};

/* Several blocks of this kernel share a list. */
template <typename S>
static __global__ void __launch_bounds__(RMAT_SETTLE_THREADS)
    rmat_second_kernel(const __grid_constant__ rmat_piece p, const __grid_constant__ S sink,
                       rmat_first_run run)
{
    const int symmetric = (p.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t after = (p.first + (uint64_t)p.units * run.edges) << symmetric;
    const uint64_t before = (p.first << symmetric) - p.begin, rest = before + (p.end - after);
    typename S::state state;

    sink.begin(state);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < rest;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint64_t e = i < before ? p.begin + i : after + (i - before);
        uint64_t src, dst;

        rmat_edge_at(&p.view, e, &src, &dst);
        sink.edge(state, e, src, dst);
    }
    if (p.units != 0) {
        const uint32_t lists = run.lists, list = blockIdx.x % lists, found = p.ties.found[list];
        const uint32_t start = blockIdx.x / lists * blockDim.x + threadIdx.x;
        const uint32_t step = gridDim.x / lists * blockDim.x, turn = run.threads * run.edges;
        const uint32_t *aside = p.ties.edges + (uint64_t)list * p.ties.capacity;
        const bool listed = found <= p.ties.capacity; /* else the list has overflowed: find the
                                                         edges again */
        const uint32_t turns =
            (p.units * run.edges - list * turn + lists * turn - 1) / (lists * turn);

        for (uint32_t i = start; i < (listed ? found : turns * turn); i += step) {
            const uint32_t at = listed ? aside[i] : (i / turn * lists + list) * turn + i % turn;

            if (listed ||
                (at < p.units * run.edges && rmat_was_set_aside(p, p.first + at, run.redrawn))) {
                rmat_settle(p, sink, state, p.first + at);
            }
        }
    }
    sink.end(state);
}

/* --- Starting the two kernels for a piece of the stream --- */

/* Bytes of dynamic shared memory of a block with this many threads: tables, the queues of its
 * warps, and the lists of its threads. */
template <int groups, typename Tables, typename S>
size_t rmat_shared_bytes(const rmat_piece &p, int threads)
{
    const size_t waiting = Tables::redrawn ? rmat_queue_edges<S>() * sizeof(rmat_waiting) : 0;
    const uint32_t walked = RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_PERMUTED;
    const size_t list =
        (p.transform & walked) == walked ? 2 * S::edges * sizeof(rmat_drawn<groups, S>) : 0;

    return (size_t)Tables::tables(p, groups) * RMAT_TABLE_BYTES + (size_t)threads / 32 * waiting +
           (size_t)threads * list;
}

/* Chooses the grid.  A block has all `all` threads that the kernel may have, or half or a quarter
 * as many if the shared memory then lets more threads run at the same time.  If shared memory has
 * no room even for those, sets *blocks to 0 and returns RMAT_OK. */
template <typename Kernel, typename Shared>
int rmat_grid(Kernel kernel, int all, const Shared &shared, uint64_t units, int *threads,
              int *blocks)
{
    cudaFuncAttributes attributes;
    int device, multiprocessors, most, running = 0;

    *blocks = 0;
    RMAT_CUDA_OR_RETURN(cudaGetDevice(&device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    RMAT_CUDA_OR_RETURN(
        cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    RMAT_CUDA_OR_RETURN(cudaFuncGetAttributes(&attributes, kernel));
    most -= (int)attributes.sharedSizeBytes;
    /* Always the same value, because other threads may be setting it at the same time. */
    RMAT_CUDA_OR_RETURN(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    for (int t = all; t >= all / 2 || (running == 0 && t == all / 4); t /= 2) {
        int fit = 0;

        if (shared(t) <= (size_t)most) {
            RMAT_CUDA_OR_RETURN(
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, t, shared(t)));
        }
        if (fit * t > running) {
            running = fit * t;
            *threads = t;
            *blocks = fit * multiprocessors;
        }
    }
    if (*blocks != 0 && (uint64_t)*blocks > (units + *threads - 1) / *threads) {
        *blocks = (int)((units + *threads - 1) / *threads);
    }
    return RMAT_OK;
}

/* Starts both kernels.  `sink` receives the units of the first one, `single` the edges that are
 * drawn again or made by the second. */
template <int groups, typename Tables, typename S, typename Single>
int rmat_launch(const rmat_gen *gen, rmat_piece p, const S &sink, const Single &single,
                cudaStream_t stream)
{
    const auto kernel = rmat_first_kernel<groups, Tables, S, Single>;
    const auto shared = [&](int t) { return rmat_shared_bytes<groups, Tables, S>(p, t); };
    int threads = 0, blocks = 0, settling, end, st = RMAT_OK;
    uint64_t turns = 0;

    if (p.units != 0) {
        st = rmat_grid(kernel, rmat_edge_threads<groups, Tables, S>(), shared, p.units, &threads,
                       &blocks);
    }
    if (st == RMAT_OK && blocks != 0) {
        turns = (p.units - 1) / ((uint64_t)blocks * threads) + 1;
    }
    if (st == RMAT_OK) {
        st = rmat_ties_begin(gen, (uint32_t)blocks, turns * threads * S::edges, stream, &p.ties);
    }
    if (st != RMAT_OK) {
        return st;
    }
    if (blocks != 0) {
        kernel<<<blocks, threads, shared(threads), stream>>>(p, sink, single);
        st = rmat_gpu_launched();
        settling = blocks * RMAT_SETTLE_BLOCKS;
    } else { /* too few edges or too little shared memory: the second kernel makes all */
        const uint64_t most = 1 << 14, all = (p.end - p.begin - 1) / RMAT_SETTLE_THREADS + 1;

        p.units = 0;
        settling = (int)(all < most ? all : most);
    }
    if (st == RMAT_OK) {
        const rmat_first_run run = {(uint32_t)blocks, (uint32_t)threads, (uint32_t)S::edges,
                                    Tables::redrawn};

        rmat_second_kernel<<<settling, RMAT_SETTLE_THREADS, 0, stream>>>(p, single, run);
        st = rmat_gpu_launched();
    }
    end = rmat_ties_end(&p.ties, stream);
    return st != RMAT_OK ? st : end;
}

/* Calls launch() with rmat_kernel_groups(groups) as a std::integral_constant: n or a larger number
 * of groups. */
template <bool wide, int n = 4, typename Launch>
int rmat_by_groups(int groups, const Launch &launch)
{
    if (rmat_kernel_groups(groups) == n) {
        return launch(std::integral_constant<int, n>());
    }
    if constexpr (n == (wide ? RMAT_MAX_GROUPS : 6)) {
        return RMAT_ERR_ID_WIDTH;
    } else {
        constexpr int next = n == 8 ? RMAT_MAX_GROUPS : n + 1;

        return rmat_by_groups<wide, next>(groups, launch);
    }
}

/* Whether the graph is plain: square, with the drawn ends as those of the edges. */
static inline bool rmat_is_plain(const rmat_view &view)
{
    return view.transform == 0 && view.src_mask == view.dst_mask;
}

/* Whether permutation is the only transformation, and its kernels can do it for ids of type T. */
template <typename T> bool rmat_is_permuted(const rmat_piece &p)
{
    return p.transform == RMAT_TRANSFORM_PERMUTED &&
           (sizeof(T) == 4 || p.view.groups <= RMAT_LOW_GROUPS || p.side[0].up == 0);
}

/* Whether only the kernel for all transformations can make the piece. */
static inline bool rmat_is_bounded(const rmat_piece &p)
{
    return (p.transform &
            (RMAT_TRANSFORM_BOUNDED | RMAT_TRANSFORM_OFTEN | RMAT_TRANSFORM_FEW_BITS)) != 0;
}

/* Starts both kernels for one piece.  The first one is that of the sink's kernels with the fewest
 * transformations that the piece allows. */
template <int groups, bool bounded, typename S, typename Single>
int rmat_launch_piece(const rmat_gen *gen, const rmat_piece &p, const S &sink, const Single &single,
                      cudaStream_t stream)
{
    typedef rmat_permuted<rmat_one_table> one;
    typedef rmat_permuted<rmat_own_tables> own;

    if constexpr ((S::kernels & RMAT_FOR_PLAIN) != 0) {
        if (rmat_is_plain(p.view)) {
            return p.tables == 1
                       ? rmat_launch<groups, rmat_one_table>(gen, p, sink, single, stream)
                       : rmat_launch<groups, rmat_own_tables>(gen, p, sink, single, stream);
        }
    }
    if constexpr ((S::kernels & RMAT_FOR_PERMUTED) != 0) {
        if (rmat_is_permuted<typename S::id>(p)) {
            return p.tables == 1 ? rmat_launch<groups, one>(gen, p, sink, single, stream)
                                 : rmat_launch<groups, own>(gen, p, sink, single, stream);
        }
    }
    if constexpr ((S::kernels & RMAT_FOR_UNBOUNDED) != 0) {
        if (!bounded || !rmat_is_bounded(p)) {
            return rmat_launch<groups, rmat_placed_tables<false>>(gen, p, sink, single, stream);
        }
    }
    if constexpr (bounded) {
        return rmat_launch<groups, rmat_placed_tables<true>>(gen, p, sink, single, stream);
    }
}

/*
 * Starts making edges [first, first + count) for a sink, piece by piece.  Pieces do not cross a
 * multiple of 2^32 base edges, and their edges, and those after the last unit, have numbers of 31
 * bits.  With symmetrize, units consist of base edges with both edges in the range.  `single`
 * receives the edges that are drawn again or made by the second kernel.  bounded:
 * rmat_is_bounded() may be true; else the kernels for that case are not compiled.
 */
template <bool bounded = true, typename S, typename Single>
int rmat_run(const rmat_gen *gen, const rmat_view &view, uint64_t first, uint64_t count,
             const S &sink, const Single &single, cudaStream_t stream)
{
    const int symmetric = (view.transform & RMAT_TRANSFORM_SYMMETRIC) != 0;
    const uint64_t end = first + count, stop = end >> symmetric, most = (uint64_t)1 << 30;
    int st = RMAT_OK;

    while (st == RMAT_OK && first < end) {
        const uint64_t base = (first + (uint64_t)symmetric) >> symmetric;
        uint64_t n = ((uint64_t)1 << 32) - (uint32_t)base, head = sink.head(base);
        rmat_piece p = rmat_piece_of(view, base);

        n = n < most ? n : most;
        n = n < stop - base ? n : stop - base;
        head = head < n ? head : n;
        p.begin = first;
        p.end = base + n == stop ? end : (base + n) << symmetric;
        p.first += head;
        p.units = (uint32_t)((n - head) / S::edges) & ~31u; /* whole warps */
        st = rmat_by_groups<S::wide>(view.groups, [&](auto groups) {
            return rmat_launch_piece<decltype(groups)::value, bounded>(gen, p, sink.at(p.first),
                                                                       single, stream);
        });
        first = p.end;
    }
    return st;
}

#endif
