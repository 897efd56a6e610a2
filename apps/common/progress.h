/*
 * Progress on stderr: on a terminal a bar redrawn in place, else a line every few seconds.  One
 * final line in both cases.
 */
#ifndef APPS_COMMON_PROGRESS_H
#define APPS_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint64_t edges;
    uint64_t before; /* edges of passes before this one, added to what is done */
    double edge_bytes;
    bool quiet, terminal;
    double start, next; /* of the next drawing */
} progress;

/* edge_bytes: of the file, by edge. */
void progress_start(progress *p, uint64_t edges, double edge_bytes, bool quiet);

/* Draw if it is time to. */
void progress_update(progress *p, uint64_t done);

/* Draw if it is time to: what is being done, the share of all the work (0 to 1) and how many edges
 * are in the file. */
void progress_show(progress *p, const char *phase, double share, uint64_t done);

/* The same as long as nothing is done yet: what is being done instead. */
void progress_note(progress *p, const char *text);

/* The final line, or after a failure (finished = false) just the end of the bar. */
void progress_end(progress *p, bool finished);

#endif
