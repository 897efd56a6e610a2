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
 * apps/examples/out_degrees.cu is an example.  Compile with any standard from C++17 on.
 *
 * For single edges in a kernel of one's own: rmat_edge_at() of rmat/model/edge.h with the view of
 * rmat_get_device_view().  For many of a plain square graph (rmat_is_plain()): fill a rmat_piece by
 * rmat_piece_of(), rmat_stage() its table (if it has one, or else a table for each group) at the
 * beginning of dynamic shared memory, call rmat_draw_fast() with rmat_one_table (or
 * rmat_own_tables) for every edge, and rmat_edge_at() for those that may tie.
 */
#ifndef RMAT_RMAT_DEVICE_CUH
#define RMAT_RMAT_DEVICE_CUH

#include "rmat/gpu/launch_plain.cuh"
#include "rmat/gpu/launch_transformed.cuh"

/* What the kernels hand their edges to; around a consumer, or (rmat/gpu/array_sinks.cuh) arrays. */
template <typename C, bool transformed> struct rmat_each {
    typedef typename C::state state;
    typedef uint64_t id;
    static const int edges = 2;       /* of a unit: base edges */
    static const bool wide = true;    /* scales above 32 */
    static const bool stores = false; /* edges that may be wrong, too */
    static const int variety = 0;     /* of kernels: 1: one without vertex counts; 2: those for
                                         permutation alone */
    C consumer;

    /* Edge j of unit u. */
    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        return 2 * u + (uint32_t)j;
    }
    /* Base edges from e on that no unit can have, and a copy for units from e on. */
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
                if constexpr (transformed) {
                    rmat_sink_both(p, *this, s, p.first + offset(u, j), src[j], dst[j]);
                } else {
                    consumer(s, p.first + offset(u, j), src[j], dst[j]);
                }
            }
        }
    }
    __device__ __forceinline__ void edge(state &s, uint64_t e, uint64_t src, uint64_t dst) const
    {
        consumer(s, e, src, dst);
    }
};

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
    const rmat_each<C, false> plain = {consumer};
    const rmat_each<C, true> sink = {consumer};
    rmat_view view;
    const int st = rmat_get_device_view(gen, &view);

    if (st != RMAT_OK) {
        return st;
    }
    return rmat_is_plain(view) ? rmat_run_plain(gen, view, first, count, plain, stream)
                               : rmat_run_transformed(gen, view, first, count, sink, sink, stream);
}

#endif
