/* All edges of a source once, piece by piece, by several threads. */
#ifndef APPS_ENGINE_SOURCE_EDGE_WALK_H
#define APPS_ENGINE_SOURCE_EDGE_WALK_H

#include "apps/common/progress.h"
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

typedef struct {
    int signal;        /* 0, or what stopped it */
    const char *error; /* NULL, or what failed first; of text */
    char text[EDGE_WALK_TEXT];
} edge_walk_result;

/* Threads take pieces in order: each the lowest number that nobody has.  bar: NULL, or begun.
 * Returns 0, or -1 with *result saying why it ended early. */
int edge_walk(edge_source *s, int threads, const edge_walk_body *body, progress *bar,
              edge_walk_result *result);

/* After a walk that ended early: a line on stderr, and the exit code. */
int edge_walk_failed(const char *command, const char *name, const edge_walk_result *result);

#endif
