/*
 * kronecker.h - private to rmat/: the stream KRONECKER, whose initiator has more than 2 x 2 entries
 * (STREAM.md, "Initiators").
 *
 * One draw from an alias table of 64 x 64 paths decides as many levels as have at most 64 paths on
 * a side.  So the kernels of 2 x 2 matrices draw these graphs, too: of every group they give a
 * number of six bits for either end, whose place value is a power of the order instead of 64.
 */
#ifndef RMAT_MODEL_KRONECKER_H
#define RMAT_MODEL_KRONECKER_H

#include "alias/core/hd.h"
#include "rmat/rmat.h"
#include "rmat/rmat_source.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RMAT_KRONECKER_VERSION = 1, RMAT_KRONECKER_GROUPS = 10 };

typedef struct rmat_initiator {
    int order, levels;
    int per_group; /* levels that one draw decides */
    int groups;    /* the last one has the levels that are left */
    const double *entries;
} rmat_initiator;

/* Of a configuration whose order is valid; levels is 0 if rows is no power of the order, or too
 * high a one. */
rmat_initiator rmat_initiator_of(const rmat_config *c);

/* How many levels a group has. */
static inline int rmat_initiator_levels(const rmat_initiator *i, int group)
{
    return group < i->groups - 1 ? i->per_group : i->levels - group * i->per_group;
}

/* rmat.c: a generator of the groups' numbers, six bits each, for a checked configuration, of which
 * it uses seed, no_self_loops, isa, backend and device. */
int rmat_create_groups(rmat_gen **out, const rmat_config *c, const rmat_initiator *initiator);

/* A list of edges of the stream, as source.c keeps one.  In an end that the generator of groups has
 * drawn, the last group has the lowest six bits, with `last` numbers; those before have `whole`. */
typedef struct {
    rmat_gen *gen;
    uint64_t vertices, whole, last;
    int groups, order;
    double *entries; /* with sum 1 */
} rmat_kronecker;

int rmat_kronecker_create(rmat_kronecker **out, const rmat_config *c);
void rmat_kronecker_destroy(rmat_kronecker *k);
rmat_source rmat_kronecker_source(const rmat_kronecker *k, uint64_t edges);

/* The vertex that such an end is. */
ALIAS_HD uint64_t rmat_kronecker_vertex(const rmat_kronecker *k, uint64_t end)
{
    uint64_t vertex = 0;

    for (int g = k->groups - 1; g > 0; g--) {
        vertex = vertex * k->whole + (end >> 6 * g & 63);
    }
    return vertex * k->last + (end & 63);
}

#ifdef __cplusplus
}
#endif

#endif
