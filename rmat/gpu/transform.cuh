/*
 * transform.cuh - turns drawn ends into those of edges (rmat_view.transform), for all edges of a
 * thread's unit together.  C++17, for nvcc.
 *
 * The transformations are the same for all edges of a piece, so branches on them cost almost
 * nothing.  Ends that must be drawn again are only marked; kernels.cuh draws them.
 *
 * Logical operations and shifts limit the kernels, not multiplications.  So a round of the
 * permutation leaves numbers of up to 32 bits at the top of a word.  There nothing lies above them,
 * and reversing the whole word brings them down.
 */
#ifndef RMAT_GPU_TRANSFORM_CUH
#define RMAT_GPU_TRANSFORM_CUH

#include "rmat/gpu/draw.cuh"

#include <type_traits>

/* The type of ends before the transformations for sink S: 32 bits are enough up to scale 30. */
template <int groups, typename S>
using rmat_drawn =
    typename std::conditional<groups <= RMAT_LOW_GROUPS, uint32_t, typename S::id>::type;

/* One round of rmat_permute_bits(), for up to 32 bits, which it leaves at the top of a word. */
static __device__ __forceinline__ uint32_t rmat_permute_round(const rmat_piece_side &side, int r,
                                                              uint32_t x)
{
    x = r == 0 ? x : __brev(x);
    return x * (x * side.two + side.b[r]) + (uint32_t)side.k[r];
}

/* rmat_permute_bits(), for sides of up to 32 bits and, last, of 32 and more.  Sides of
 * RMAT_PERMUTE_FEW_BITS or fewer have additional rounds, which follow afterwards. */
template <int n>
static __device__ __forceinline__ void rmat_permute_narrow(const rmat_piece_side &side, uint32_t *x)
{
#pragma unroll
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
#pragma unroll
        for (int j = 0; j < n; j++) {
            x[j] = rmat_permute_round(side, r, x[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < n; j++) {
        x[j] >>= side.up;
    }
}

static __device__ __forceinline__ uint32_t rmat_permute_few_bits(const rmat_piece_side &side,
                                                                 uint32_t x)
{
    x <<= side.up;
#pragma unroll 1
    for (int r = RMAT_PERMUTE_ROUNDS; r < side.rounds; r++) {
        x = rmat_permute_round(side, r, x);
    }
    return x >> side.up;
}

static __device__ __forceinline__ uint64_t rmat_permute_wide(const rmat_piece_side &side,
                                                             uint64_t x)
{
    uint32_t low = (uint32_t)x, high = (uint32_t)(x >> 32);

#pragma unroll
    for (int r = 0; r < RMAT_PERMUTE_ROUNDS; r++) {
        low = r == 0 ? low : __brev(low + high * RMAT_PERMUTE_SPREAD);

        const uint32_t m = low * side.two + side.b[r];
        const uint64_t y = philox_mul(low, m) + side.k[r];

        high = (high * m + (uint32_t)(y >> 32)) & side.upper;
        low = (uint32_t)y;
    }
    return (uint64_t)high << 32 | low;
}

/* Permutes one end of each of n edges, possibly beyond the last vertex. few: sides of few bits. */
template <int n, bool few, typename id>
static __device__ __forceinline__ void rmat_permute_unit(const rmat_piece_side &side, id *x)
{
    if (sizeof(id) == 8 && side.wide) {
#pragma unroll
        for (int j = 0; j < n; j++) {
            x[j] = (id)rmat_permute_wide(side, x[j]);
        }
    } else {
        uint32_t narrow[n];

#pragma unroll
        for (int j = 0; j < n; j++) {
            narrow[j] = (uint32_t)x[j];
        }
        rmat_permute_narrow<n>(side, narrow);
#pragma unroll
        for (int j = 0; j < n; j++) {
            x[j] = narrow[j];
        }
    }
    if (few && side.rounds > RMAT_PERMUTE_ROUNDS) {
#pragma unroll
        for (int j = 0; j < n; j++) {
            x[j] = rmat_permute_few_bits(side, (uint32_t)x[j]);
        }
    }
}

/*
 * Cycle walking: the permutation is applied to ends until they are vertices.  A thread lists the
 * ends of its edges that are not, with blockDim.x places between two, and walks them one after
 * another.  A warp then waits for the longest of 32 sums, which is less than the sum of the longest
 * walks.
 */

/* Whether an end must walk on.  Unwanted ends need not, and might never return. */
template <typename id>
static __device__ __forceinline__ bool rmat_walks(const rmat_piece_side &side, id x,
                                                  uint32_t closest)
{
    return x > (id)side.last && closest != 0;
}

/* Lists ends of n edges from list[at] on, or moves them back from there; returns the place after
 * them. */
template <int n, bool back, typename id>
static __device__ __forceinline__ uint32_t rmat_list_ends(const rmat_piece_side &side, id *x,
                                                          const uint32_t *closest, id *list,
                                                          uint32_t at)
{
#pragma unroll
    for (int j = 0; j < n; j++) {
        if (rmat_walks(side, x[j], closest[j])) {
            if (back) {
                x[j] = list[at];
            } else {
                list[at] = x[j];
            }
            at += blockDim.x;
        }
    }
    return at;
}

template <typename id>
static __device__ __forceinline__ void rmat_walk_list(const rmat_piece_side &side, id *list,
                                                      uint32_t end)
{
#pragma unroll 4
    for (uint32_t at = 0; at != end;) {
        id x = list[at];

        rmat_permute_unit<1, true>(side, &x);
        list[at] = x;
        at += x <= (id)side.last ? blockDim.x : 0;
    }
}

/* list: this thread's first of 2 n places. */
template <int n, typename id>
static __device__ __forceinline__ void rmat_walk_unit(const rmat_piece &p, id *src, id *dst,
                                                      const uint32_t *closest, id *list)
{
    const rmat_piece_side &rows = p.side[0], &cols = p.side[1];
    uint32_t end = rmat_list_ends<n, false>(rows, src, closest, list, 0), taken;

    if (p.square) {
        end = rmat_list_ends<n, false>(rows, dst, closest, list, end);
    }
    rmat_walk_list(rows, list, end);
    taken = rmat_list_ends<n, true>(rows, src, closest, list, 0);
    if (!p.square) {
        end = rmat_list_ends<n, false>(cols, dst, closest, list, 0);
        rmat_walk_list(cols, list, end);
        taken = 0;
    }
    rmat_list_ends<n, true>(cols, dst, closest, list, taken);
}

/*
 * Turns the drawn ends of a unit's edges into those of its base edges.  If the kernel repeats
 * draws, closest[j] becomes 0 for unwanted edges that cannot have met a tie, and odd for all
 * others.  list: places of rmat_walk_unit() for this many edges, in bounded kernels.
 *
 * Kernels for fewer transformations are faster.  Not `bounded`: the graph has 2^scale vertices, and
 * more than RMAT_PERMUTE_FEW_BITS of them if they are permuted.  The loops of cycle walking would
 * cost the other kernels 5 % even if they never run.  `permuted`: permutation is the only
 * transformation, and no check is needed.  With ends of 64 bits the graph has 2^32 vertices or
 * more, the case of rmat_permute_wide().
 */
template <typename Tables, int edges, typename id>
static __device__ __forceinline__ void
rmat_transform_unit_ends(const rmat_piece &p, id *src, id *dst, uint32_t *closest, id *list)
{
    const bool bounded = Tables::bounded;
    const rmat_piece_side &rows = p.side[0], &cols = p.side[1];

    if constexpr (Tables::permuted && sizeof(id) == 8) { /* a square graph of 2^scale vertices */
#pragma unroll
        for (int j = 0; j < edges; j++) {
            src[j] = rmat_permute_wide(rows, src[j]);
            dst[j] = rmat_permute_wide(rows, dst[j]);
        }
        return;
    } else if constexpr (Tables::permuted) {
        rmat_permute_narrow<edges>(rows, src);
        rmat_permute_narrow<edges>(rows, dst);
        return;
    }
    if (p.transform & RMAT_TRANSFORM_RECTANGULAR) {
#pragma unroll
        for (int j = 0; j < edges; j++) {
            src[j] = src[j] & (id)rows.mask;
            dst[j] = dst[j] & (id)cols.mask;
        }
    }
    if (p.transform & RMAT_TRANSFORM_REDRAWN) {
        const bool no_loops = (p.transform & RMAT_TRANSFORM_NO_LOOPS) != 0;

#pragma unroll
        for (int j = 0; j < edges; j++) {
            bool unwanted = no_loops & (src[j] == dst[j]);

            if constexpr (bounded) {
                unwanted |= (src[j] > (id)rows.last) | (dst[j] > (id)cols.last);
            }
            closest[j] = unwanted & (closest[j] >= p.ties.limit) ? 0 : closest[j] | 1;
        }
    } else if (Tables::redrawn) { /* a tie at distance 0 does not mark an unwanted edge */
#pragma unroll
        for (int j = 0; j < edges; j++) {
            closest[j] |= 1;
        }
    }
    if (p.transform & RMAT_TRANSFORM_PERMUTED) {
        if (bounded &&
            (p.transform &
             RMAT_TRANSFORM_BOUNDED)) { /* unwanted ends must not walk: they might never return */
#pragma unroll
            for (int j = 0; j < edges; j++) {
                src[j] = min(src[j], (id)rows.last);
                dst[j] = min(dst[j], (id)cols.last);
            }
        }
        rmat_permute_unit<edges, bounded>(rows, src);
        rmat_permute_unit<edges, bounded>(cols, dst);
        if (bounded && (p.transform & RMAT_TRANSFORM_BOUNDED)) {
            rmat_walk_unit<edges>(p, src, dst, closest, list);
        }
    }
    if (p.transform & (RMAT_TRANSFORM_LOWER | RMAT_TRANSFORM_UPPER)) {
        const bool lower = (p.transform & RMAT_TRANSFORM_LOWER) != 0;

#pragma unroll
        for (int j = 0; j < edges; j++) {
            const id least = min(src[j], dst[j]), most = max(src[j], dst[j]);

            src[j] = lower ? most : least;
            dst[j] = lower ? least : most;
        }
    }
}

/* Makes the edges of a unit for sink S. */
template <int groups, typename Tables, typename S>
static __device__ __forceinline__ void
rmat_transformed_unit(const rmat_piece &p, const S &sink, uint32_t u, typename S::id *src,
                      typename S::id *dst, uint32_t *closest, rmat_drawn<groups, S> *list)
{
    rmat_drawn<groups, S> s[S::edges], d[S::edges];

#pragma unroll
    for (int j = 0; j < S::edges; j++) {
        closest[j] =
            rmat_draw_fast<groups, Tables>(p, (uint32_t)p.first + sink.offset(u, j), s[j], d[j]);
    }
    rmat_transform_unit_ends<Tables, S::edges>(p, s, d, closest, list);
#pragma unroll
    for (int j = 0; j < S::edges; j++) {
        src[j] = s[j];
        dst[j] = d[j];
    }
}

#endif
