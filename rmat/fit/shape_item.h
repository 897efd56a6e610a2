/*
 * shape_item.h - private to rmat/: what is counted of one vertex, one edge and one probe of a graph
 * in CSR form, for the CPU and the GPU alike.
 */
#ifndef RMAT_FIT_SHAPE_ITEM_H
#define RMAT_FIT_SHAPE_ITEM_H

#include "alias/core/hd.h"
#include "rmat/rmat_shape.h"

/* A graph of up to 2^32 vertices: pointers has one element more than there are vertices. */
typedef struct {
    const uint64_t *pointers;
    const uint32_t *columns;
    uint64_t vertices, edges;
} shape_graph;

/* Bits of the answer to a probe. */
enum { SHAPE_PROBED = 1, SHAPE_MUTUAL = 2, SHAPE_WALK = 4, SHAPE_CLOSED = 8 };

ALIAS_HD int shape_log2(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return 63 - __clzll((long long)x);
#else
    return 63 - __builtin_clzll(x);
#endif
}

ALIAS_HD int shape_fine(uint64_t degree)
{
    const int log2 = degree < 16 ? 3 : shape_log2(degree);
    const int bin = degree < 16 ? (int)degree : 8 * (log2 - 2) + (int)(degree >> (log2 - 3) & 7);

    return bin < RMAT_SHAPE_FINE ? bin : RMAT_SHAPE_FINE - 1;
}

/* The coarse bin that a fine one lies in. */
ALIAS_HD int shape_coarse(int fine)
{
    return fine < 4    ? fine
           : fine < 8  ? 4 + (fine - 4) / 2
           : fine < 16 ? 6 + (fine - 8) / 4
                       : 4 + fine / 4;
}

/* The row that an edge lies in: the last one of [low, high] that does not begin behind it. */
ALIAS_HD uint64_t shape_row(const uint64_t *pointers, uint64_t low, uint64_t high, uint64_t edge)
{
    while (low < high) {
        const uint64_t middle = low + (high - low + 1) / 2;

        if (pointers[middle] <= edge) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* Is there an edge from u to v? */
ALIAS_HD int shape_has(const shape_graph *g, uint64_t u, uint64_t v)
{
    uint64_t low = g->pointers[u], high = g->pointers[u + 1];

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (g->columns[middle] < v) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < g->pointers[u + 1] && g->columns[low] == v;
}

/* A number in [0, range), range < 2^32, by hashing i (finalizer of MurmurHash3's 64-bit variant,
 * A. Appleby, public domain). */
ALIAS_HD uint64_t shape_below(uint64_t i, uint64_t salt, uint64_t range)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15U ^ salt;

    x = (x ^ x >> 33) * 0xff51afd7ed558ccdU;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53U;
    x ^= x >> 33;
    return (x >> 32) * range >> 32;
}

/* Probe i of edges: of each edge once, or of random ones where there are more than probes.  The
 * reverse is looked for at an edge's first copy only, so that shares are those of distinct edges.
 */
ALIAS_HD int shape_probe(const shape_graph *g, uint64_t i)
{
    const uint64_t edge = g->edges <= RMAT_SHAPE_PROBES ? i : shape_below(i, 1, g->edges);
    const uint64_t u = shape_row(g->pointers, 0, g->vertices - 1, edge), v = g->columns[edge];
    const uint64_t next = g->pointers[v], degree = g->pointers[v + 1] - next;
    const int is_copy = edge > g->pointers[u] && g->columns[edge - 1] == v;
    uint64_t w;
    int answer = 0;

    if (u == v) {
        return 0;
    }
    if (!is_copy) {
        answer = SHAPE_PROBED | (shape_has(g, v, u) ? SHAPE_MUTUAL : 0);
    }
    if (degree == 0) {
        return answer;
    }
    w = g->columns[next + shape_below(i, 2, degree)];
    if (w != u && w != v) {
        answer |= SHAPE_WALK | (shape_has(g, u, w) ? SHAPE_CLOSED : 0);
    }
    return answer;
}

#endif
