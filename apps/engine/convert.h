/* A graph from an edge source into a file of any format: what `rmat convert` does, and the engine
 * with a graph that was sorted into an HDF5 file first. */
#ifndef APPS_ENGINE_CONVERT_H
#define APPS_ENGINE_CONVERT_H

#include "apps/engine/engine.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    /* What file; its graph, and the attributes of h5, follow from the source. */
    const graphfile_spec *spec;
    int threads;         /* at least 1 */
    int id_bytes;        /* of ids in the file, as engine_job has them; 0: of the source */
    engine_sign id_sign; /* likewise; AUTO: as in the source, where the format can */
    uint64_t memory;     /* for the in-neighbours of a serialized graph; 0: half of what is there */
    const engine_watch *watch;
} format_options;

/* What a file in this format does not keep of the graph, as "weights"; "" where it keeps
 * everything.  Static. */
const char *format_lost(const graphfile_graph *g, graphfile_format to);

/* Write the edges of the source, as they come, to a file in any format but csr; "-" is standard
 * output.  With a group it is collective, and the format is not one of HDF5 of our own.  Returns an
 * engine_status; ENGINE_ERR_JOB with field "format": the format cannot hold the graph, or with
 * those of engine_check_ids(), and nothing was written.  *bytes: of the file. */
int format_write(edge_source *source, const char *out, const format_options *options,
                 uint64_t *bytes);

/* transpose.c: after all edges were written to a format with GRAPHFILE_NEEDS_POINTERS, before it is
 * committed: the transposed graph, if the file is to have it.  Returns an engine_status. */
int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options);

/* For a rank that ends all others: removes the files that are not complete.  Returns as
 * edgefile_abandon(): -1 where another rank was first, which then says why the job ends. */
int engine_abandon(void);

#endif
