/*
 * Vertices whose numbers have large holes between them, as hashes have: they are numbered anew, in
 * the same order, from 0 on.
 */
#ifndef APPS_FIT_COMPACT_H
#define APPS_FIT_COMPACT_H

#include "rmat/rmat_source.h"

typedef struct {
    rmat_source from;
    uint64_t *ids; /* the numbers that occur, in order */
    uint64_t n;
} fit_compact;

/* Do so many vertices leave most numbers without an edge? */
int fit_has_holes(const rmat_source *source);

/* Finds the numbers, in one pass over the edges.  Returns an rmat_status; *c is to be closed in any
 * case.  from is copied; what it points to must outlive *c. */
int fit_compact_open(fit_compact *c, const rmat_source *from, int threads);
void fit_compact_close(fit_compact *c);

/* The same edges with the new numbers; its state is c. */
rmat_source fit_compact_source(fit_compact *c);

#endif
