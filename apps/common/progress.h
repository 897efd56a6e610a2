/*
 * Progress of a run on stderr: on a terminal a bar that is redrawn in place and removed at the end,
 * otherwise a line every 30 seconds.
 */
#ifndef APPS_COMMON_PROGRESS_H
#define APPS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t edges;    /* in all */
    double edge_bytes; /* bytes of the file for each edge */
    bool quiet, terminal;
    double start, next; /* times of the start and of the next drawing, as clock_seconds() */
} progress;

/* Begin: the members above say what the arguments are.  A quiet object prints nothing. */
void progress_start(progress *p, uint64_t edges, double edge_bytes, bool quiet);

/* Draw if it is time to: `done` edges of this pass are finished. */
void progress_update(progress *p, uint64_t done);

/* Draw if it is time to: what is being done, the share of all the work (0 to 1) and how many edges
 * are in the file. */
void progress_show(progress *p, const char *phase, double share, uint64_t done);

/* Remove the bar. */
void progress_end(progress *p);

#endif
