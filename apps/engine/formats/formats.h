/* A graph from an edge source into a file of any format: what `rmat convert` does, and the engine
 * for the formats of other programs. */
#ifndef APPS_ENGINE_FORMATS_FORMATS_H
#define APPS_ENGINE_FORMATS_FORMATS_H

#include "apps/engine/engine.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    int threads;         /* at least 1 */
    bool replace;        /* an existing file may be replaced */
    const char *columns; /* as graphfile_spec.columns, or NULL */
    const char *comment; /* a line for formats that have a place for it, or NULL */
    uint64_t memory;     /* for the in-neighbours of a serialized graph; 0: half of what is there */
    const engine_watch *watch;
} format_options;

typedef struct {
    uint64_t edges, bytes; /* of the file */
    double seconds;
    const char *lost; /* what the file does not keep, as "weights"; "" where it keeps everything */
} format_result;

/* What a file in this format does not keep of the graph, as in format_result; static. */
const char *format_lost(const graphfile_graph *g, graphfile_format to);

/* Write the edges of the source, as they come, to a file in this format other than CSR; "-" is
 * standard output.  Returns an
 * engine_status; ENGINE_ERR_JOB with field "format": the format cannot hold the graph, and nothing
 * was written. */
int format_write(edge_source *source, const char *out, graphfile_format format,
                 const format_options *options, format_result *result);

/* The same for an HDF5 list: formats/hdf5.c. */
int format_write_hdf5(edge_source *source, const char *out, const format_options *options,
                      format_result *result);

/* After all edges were written to a format with GRAPHFILE_NEEDS_POINTERS, before it is committed:
 * its row pointers and what else follows from all edges.  Returns an engine_status. */
int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options);

#endif
