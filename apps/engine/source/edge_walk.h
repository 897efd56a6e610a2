/* All edges of a source once, piece by piece, by several threads. */
#ifndef APPS_ENGINE_SOURCE_EDGE_WALK_H
#define APPS_ENGINE_SOURCE_EDGE_WALK_H

#include "apps/engine/meter.h"
#include "apps/engine/source/edge_source.h"

enum { EDGE_WALK_TEXT = 2048 };

typedef struct {
    /* A piece: by thread `thread` of 0 to threads - 1.  0, or -1 with `text` saying what failed; ""
     * where nobody need be told. */
    int (*visit)(void *state, int thread, const edge_piece_memory *piece, char *text, size_t size);
    void (*stop)(void *state); /* NULL, or called once when the walk ends early: wakes those that
                                  wait in visit() */
    void *state;
} edge_walk_body;

/* Threads take pieces in order: each the lowest number that nobody has.  The meter counts edges.
 * Returns an engine_status: of the first failure, or ENGINE_STOPPED. */
int edge_walk(edge_source *s, int threads, const edge_walk_body *body, engine_meter *meter);

/* The same for the pieces [first, end). */
int edge_walk_some(edge_source *s, uint64_t first, uint64_t end, int threads,
                   const edge_walk_body *body, engine_meter *meter);

#endif
