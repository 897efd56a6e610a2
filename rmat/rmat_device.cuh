/*
 * rmat_device.cuh - R-MAT edges inside CUDA kernels, for programs that compile .cu files with nvcc.
 * Requires C++17 or later.
 *
 * A consumer uses the edges in the registers of the thread that made them:
 *
 *     struct consumer {
 *         struct state { ... };                    one for each thread
 *         __device__ void begin(state &) const;    called before the thread's first edge
 *         __device__ void operator()(state &, uint64_t e, uint64_t src, uint64_t dst) const;
 *         __device__ void end(state &) const;      called after the thread's last edge, while other
 *                                                  threads may still be at work
 *     };
 *
 * rmat_for_each_edge() passes the consumer to the kernels by value; they inline its functions.  It
 * gives the consumer each edge e of [first, first + count) exactly once, in no particular order.
 * Several kernels run, so more threads call begin() and end() than one grid has.  The edges are
 * those of rmat_generate(). apps/examples/out_degrees.cu is an example.
 *
 * How edges are made.  A range is cut into pieces, and two kernels run for each piece
 * (kernels.cuh):
 *   1. The first kernel makes all edges.  It draws their ends (draw.cuh), transforms
 *      them if the model's options require it (transform.cuh) and passes them to a sink.  It
 *      repeats unwanted draws, and sets aside the few edges that may be wrong.
 *   2. The second kernel makes those.
 *
 * For single edges in your own kernel, call rmat_edge_at() of rmat/model/edge.h with the view of
 * rmat_get_device_view(). For many edges of a plain graph (rmat_is_plain()) at full speed:
 *   - Fill an rmat_piece with rmat_piece_of().
 *   - Let each block rmat_stage() its tables at the beginning of dynamic shared memory: one table
 *     (rmat_one_table) if the piece has one, else a table for each group (rmat_own_tables).
 *   - Call rmat_draw_fast() for every edge, and rmat_edge_at() for those that may have met a tie.
 */
#ifndef RMAT_RMAT_DEVICE_CUH
#define RMAT_RMAT_DEVICE_CUH

#include "rmat/gpu/kernels.cuh"

/*
 * A sink receives the edges of the kernels.  This one passes them to a consumer; those of
 * arrays.cu store them.  A sink takes whole *units* of a few edges each from the first
 * kernel, and single edges that either kernel makes again.  `final` means that the first kernel
 * makes no edge again.
 */
template <typename C> struct rmat_each {
    typedef typename C::state state;
    typedef uint64_t id;
    static const int edges = 2;         /* base edges of a unit */
    static const bool wide = true;      /* whether scales above 32 occur */
    static const bool stores = false;   /* whether it also takes edges that may be wrong */
    static const bool together = false; /* whether it takes single edges of a whole warp together */
    static const int kernels = RMAT_FOR_PLAIN; /* kernels.cuh */
    C consumer;

    /* Edge j of unit u, counted from the piece's first unit. */
    static __device__ __forceinline__ uint32_t offset(uint32_t u, int j)
    {
        return 2 * u + (uint32_t)j;
    }
    /* The number of base edges from e on before the first aligned unit. */
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
                if constexpr (final) { /* here, the kernels of plain graphs */
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

/* Starts passing edges [first, first + count) to a consumer, and returns immediately.  The
 * generator's GPU must be the current one.  Returns 0 or a negative rmat_status, as
 * rmat_generate_arrays_device() does. */
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
    return rmat_run(gen, view, first, count, sink, sink, stream);
}

#endif
