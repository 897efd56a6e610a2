/* convert.h - writes the graph of an edge source to a file of any format.  `rmat convert` does
 * this, and so does the engine with a graph that it first sorted into an HDF5 file. */
#ifndef APPS_ENGINE_CONVERT_H
#define APPS_ENGINE_CONVERT_H

#include "apps/engine/engine.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    /* The file; its graph, and the attributes of h5, follow from the source. */
    const graphfile_spec *spec;
    int threads;         /* at least 1 */
    int id_bytes;        /* of ids in the file, as in engine_job; 0: those of the source */
    engine_sign id_sign; /* as in engine_job; AUTO: as in the source, if the format allows it */
    uint64_t memory;     /* for in-neighbors of sg and wsg; 0: half of the available memory */
    const engine_watch *watch;
} format_options;

/* Returns what the format does not keep of the graph, such as "weights"; "" if it keeps everything.
 * Static. */
const char *format_lost(const graphfile_graph *g, graphfile_format to);

/* Writes the edges of the source in their order to a file in any format but csr; "-" is standard
 * output.  With a group it is collective, and the format is not h5.  *bytes becomes the length of
 * the file.  Returns an engine_status.  ENGINE_ERR_JOB: the format cannot hold the graph (field
 * "format") or its ids (fields of engine_check_ids()), and nothing was written. */
int format_write(edge_source *source, const char *out, const format_options *options,
                 uint64_t *bytes);

/* transpose.c: writes the transposed graph if the file needs it, for formats with
 * GRAPHFILE_NEEDS_POINTERS.  Call it after all edges are written and before the commit.  Returns an
 * engine_status. */
int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options);

/* For a rank that ends all others: removes the files that are not complete.  Returns as
 * edgefile_abandon(): -1 where another rank was first, which then says why the job ends. */
int engine_abandon(void);

#endif
