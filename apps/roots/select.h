/* Which vertices are search keys. */
#ifndef APPS_ROOTS_SELECT_H
#define APPS_ROOTS_SELECT_H

#include "apps/client/client.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    int scale, threads;
    uint64_t seeds[2], count; /* count: how many search keys are wanted */
    uint64_t *keys;           /* the result, room for count of them */
    uint64_t candidates;      /* the result: vertices that were tried */
} roots_job;

/* Reads the edges once, seldom more often.  Returns an engine_status. */
int roots_select(edge_source *source, roots_job *job, client *c);

#endif
