/* status.c: how far a job is, for watch.tick().  Private to the engine and the programs above it.
 */
#ifndef APPS_ENGINE_METER_H
#define APPS_ENGINE_METER_H

#include "apps/engine/engine.h"

/* Work is counted in steps of the caller's choice: edges that are read or written, passes over a
 * stream weighed against them. */
typedef struct {
    const engine_watch *watch;
    engine_progress now;
    double work;   /* of the whole job */
    double before; /* of it, done in earlier phases */
    int stopped;   /* what watch->tick() has returned last */
} engine_meter;

/* A job of one phase, in which each edge is one step. */
engine_meter engine_meter_of(const engine_watch *watch, const char *phase, uint64_t edges,
                             double edge_bytes);

/* Bytes of an edge in a file, about: until the file is complete. */
double engine_edge_bytes(const graphfile_graph *g, graphfile_format format);

/* `steps` of the current phase are done, and so many edges are in the file.  Returns what
 * watch->tick() does, 0 without one. */
int engine_meter_tick(engine_meter *meter, double steps, uint64_t edges);

#endif
