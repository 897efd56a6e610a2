/*
 * rmat_tally.h - counts over edges, whether they are stored or only made, counted and forgotten.
 *
 * What tests of a generator look at: how many edges fall into each quadrant of each level of the
 * recursion, and into each pair of quadrants of neighbouring levels; loops, fingerprint, and the
 * degrees of chosen vertices.  All counts of a list are sums over its edges, so the tallies of its
 * parts add up to that of the whole, on any number of machines.
 *
 * Functions that return int return 0 or a negative rmat_status (rmat.h).
 */
#ifndef RMAT_RMAT_TALLY_H
#define RMAT_RMAT_TALLY_H

#include "rmat/rmat.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { RMAT_TALLY_VERTICES = 16 };

/*
 * Counts; an object that is all zero has seen no edge.  Every member is a uint64_t, and two objects
 * are added member by member.
 *
 * bits[m][k] is the number of edges that have all bits of the set m: 1, bit k of the source; 2, bit
 * k of the destination; 4 and 8, bit k + 1 of them, which is one level up.  Sets without 1 and 2
 * are not counted, they stand elsewhere: rmat_tally_quadrants() knows where.
 */
typedef struct {
    uint64_t edges;        /* whose bits were counted */
    uint64_t bits[16][64]; /* [set][k] */
    uint64_t graph_edges;  /* for which the rest holds */
    uint64_t loops;
    uint64_t fingerprint;              /* rmat_fingerprint() */
    uint64_t out[RMAT_TALLY_VERTICES]; /* degrees of the chosen vertices */
    uint64_t in[RMAT_TALLY_VERTICES];
} rmat_tally;

/* What is counted. */
typedef struct {
    int levels;     /* bits, of a level alone; 0 or 1, as the next two */
    int neighbours; /* and of neighbouring levels; implies levels */
    int graph;      /* loops, fingerprint, and degrees: */
    int vertices;   /* how many are chosen, 0 to RMAT_TALLY_VERTICES */
    uint64_t vertex[RMAT_TALLY_VERTICES];
} rmat_tally_request;

/*
 * Adds edges [first, first + count) of the stream to *tally, made on the generator's backend: by
 * all its threads, or on its GPU, which takes a little over 4 GiB of its memory, or less where
 * there is less.  Returns when they have been counted.  RMAT_ERR_RANGE, RMAT_ERR_ARG for more
 * vertices than there is room for, RMAT_ERR_NOMEM, RMAT_ERR_CUDA, RMAT_ERR_SOURCE; *tally is
 * undefined then.
 */
int rmat_tally_stream(const rmat_gen *gen, uint64_t first, uint64_t count,
                      const rmat_tally_request *request, rmat_tally *tally);

void rmat_tally_add(rmat_tally *to, const rmat_tally *more);

/* The number of edges in the quadrants of bit k: quadrants[q] with q = 2 (bit of the source) + (bit
 * of the destination), that is a, b, c, d.  With neighbours also those of bits k + 1 and k at once:
 * pairs[4 p + q], p the quadrant of bit k + 1, k < 63.  Either may be NULL. */
void rmat_tally_quadrants(const rmat_tally *tally, int k, uint64_t quadrants[4],
                          uint64_t pairs[16]);

/*
 * Bits of edges in host memory.  A counter belongs to one thread.  rmat_counter_add() counts
 * src[0..count) and dst[0..count), ids of id_bytes (4 or 8) bytes; rmat_counter_total() adds what
 * it has counted so far to tally->edges and tally->bits.  A counter has all its ids of one width.
 */
typedef struct rmat_counter rmat_counter;

rmat_counter *rmat_counter_create(int neighbours); /* NULL: memory is exhausted */
void rmat_counter_destroy(rmat_counter *c);        /* NULL is allowed */
void rmat_counter_add(rmat_counter *c, uint64_t count, const void *src, const void *dst,
                      int id_bytes);
void rmat_counter_total(const rmat_counter *c, rmat_tally *tally);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
