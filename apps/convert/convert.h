/* A graph in another format: what `rmat convert` does, and `rmat generate --format`. */
#ifndef APPS_CONVERT_CONVERT_H
#define APPS_CONVERT_CONVERT_H

#include "apps/common/progress.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    const char *command; /* for messages: "convert", "generate" */
    int threads;         /* at least 1 */
    bool force;          /* OUT may be replaced */
    bool quiet;          /* no progress */
    const char *comment; /* a line for formats that have a place for it, or NULL */
    uint64_t memory;     /* for the in-neighbours of a serialized graph; 0: half of what is there */
} convert_options;

typedef struct {
    uint64_t edges, bytes; /* of OUT */
    double seconds;
    const char *lost; /* what OUT does not keep, as "weights"; or NULL */
} convert_summary;

/* The edges of the source to a file in the format `to`, with progress on stderr; "-" is standard
 * output.  Signals must be installed (apps/common/interrupt.h).  Returns an exit code, after a line
 * on stderr where it is not EXIT_OK; EXIT_USAGE: the format cannot hold the graph, and nothing was
 * written. */
int convert_run(edge_source *source, const char *out, graphfile_format to,
                const convert_options *options, convert_summary *summary);

/* The same where `to` is ours, GRAPHFILE_H5: apps/convert/hdf5.c. */
int convert_to_h5(edge_source *source, const char *out, const convert_options *options,
                  convert_summary *summary);

/* After all edges were written to a format with GRAPHFILE_NEEDS_POINTERS, before it is committed:
 * its row pointers and what else follows from all edges.  As convert_run().  bar: as
 * progress_start() left it, for progress_note(). */
int convert_write_pointers(edge_source *source, graphfile_writer *writer,
                           const convert_options *options, progress *bar);

#endif
