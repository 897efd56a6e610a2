/*
 * rmat_device.cuh - R-MAT edges inside CUDA kernels, for programs whose .cu files nvcc compiles.
 * Requires C++17 or later.
 *
 * A consumer uses the edges where they are made, in the registers of the thread that made them:
 *
 *     struct consumer {
 *         struct state { ... };                    one for each thread
 *         __device__ void begin(state &) const;    called before the thread's first edge
 *         __device__ void operator()(state &, uint64_t e, uint64_t src, uint64_t dst) const;
 *         __device__ void end(state &) const;      called after its last edge; other threads may
 *                                                  still be at work
 *     };
 *
 * rmat_for_each_edge() passes the consumer to the kernels by value, where its functions are
 * inlined, and hands it each edge e of [first, first + count) exactly once, in no particular order.
 * Several kernels run, so begin() and end() are called by more threads than one grid has.  The
 * edges are those of rmat_generate().  apps/examples/out_degrees.cu is an example.
 *
 * How edges are made.  A range is cut into pieces, and two kernels run for each piece
 * (launch.cuh):
 *   1. the first kernel (kernels.cuh) makes all edges: it draws their ends (draw.cuh),
 *      transforms them if the model's options ask for that (transform.cuh), hands them to a sink,
 *      draws those again that are unwanted, and sets aside the few that may be wrong;
 *   2. the second kernel makes those.
 *
 * For single edges in a kernel of your own: rmat_edge_at() of rmat/model/edge.h with the view of
 * rmat_get_device_view().  For many edges of a plain graph (rmat_is_plain()) at full speed: fill
 * an rmat_piece with rmat_piece_of(); let each block rmat_stage() its tables at the beginning of
 * dynamic shared memory, one table (rmat_one_table) if the piece has one, else a table for each
 * group (rmat_own_tables); call rmat_draw_fast() for every edge, and rmat_edge_at() for those that
 * may have met a tie.
 */
#ifndef RMAT_RMAT_DEVICE_CUH
#define RMAT_RMAT_DEVICE_CUH

#include "rmat/gpu/launch.cuh"

/*
 * A sink: what the kernels hand their edges to.  This one passes them to a consumer; those of
 * array_sinks.cuh store them.  A sink takes whole *units* of a few edges each from the first
 * kernel, and single edges that either kernel makes once more.  final: the first one makes none.
 */
template <typename C> struct rmat_each {
    typedef typename C::state state;
    typedef uint64_t id;
    static const int edges = 2;         /* base edges of a unit */
    static const bool wide = true;      /* whether scales above 32 occur */
    static const bool stores = false;   /* whether it takes edges that may be wrong, too */
    static const bool together = false; /* whether it takes single edges of a whole warp at once */
    static const int variety = 0; /* 1: a first kernel without vertex counts exists as well; 2:
                                     and one for permutation alone */
    C consumer;

    /* Edge j of unit u, counted from the piece's first unit. */
    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        return 2 * u + (uint32_t)j;
    }
    /* How many base edges from e on must precede the first unit, so that it is aligned. */
    uint64_t head(uint64_t) const
    {
        return 0;
    }
    /* The sink for units from base edge e on. */
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
    template <bool final>
    __device__ __forceinline__ void unit(state &s, const rmat_piece &p, uint32_t u,
                                         const uint64_t *src, const uint64_t *dst,
                                         const uint32_t *closest) const
    {
        for (int j = 0; j < edges; j++) {
            if (closest[j] >= p.ties.limit) {
                if constexpr (final) { /* of the variety 0, these are the kernels of plain graphs */
                    consumer(s, p.first + offset(u, j), src[j], dst[j]);
                } else {
                    rmat_sink_both(p, *this, s, p.first + offset(u, j), src[j], dst[j]);
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
 * Starts handing edges [first, first + count) to a consumer, and returns at once.  The generator's
 * GPU must be the current one.  Returns 0 or a negative rmat_status, as rmat_generate_device().
 */
template <typename C>
int rmat_for_each_edge(const rmat_gen *gen, uint64_t first, uint64_t count, const C &consumer,
                       cudaStream_t stream)
{
    if (first > RMAT_MAX_EDGES || count > RMAT_MAX_EDGES - first) {
        return RMAT_ERR_RANGE;
    }
    const rmat_each<C> sink = {consumer};
    rmat_view view;
    const int st = rmat_get_device_view(gen, &view);

    if (st != RMAT_OK) {
        return st;
    }
    return rmat_is_plain(view) ? rmat_run_plain(gen, view, first, count, sink, stream)
                               : rmat_run_transformed(gen, view, first, count, sink, sink, stream);
}

#endif
