/* A graph from an edge source into a file of any format: what `rmat convert` does, and the engine
 * with a graph that was sorted into an HDF5 file first. */
#ifndef APPS_ENGINE_FORMATS_FORMATS_H
#define APPS_ENGINE_FORMATS_FORMATS_H

#include "apps/engine/attributes/foreign.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/engine.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/edge_source.h"

typedef struct {
    /* What file; its graph is that of the source.  h5 without attributes gets those that follow
     * from the source. */
    const graphfile_spec *spec;
    int threads;         /* at least 1 */
    int id_bytes;        /* of ids in the file, as engine_job has them; 0: of the source */
    engine_sign id_sign; /* likewise; AUTO: as in the source, where the format can */
    uint64_t memory;     /* for the in-neighbours of a serialized graph; 0: half of what is there */
    const engine_watch *watch;
} format_options;

typedef struct {
    uint64_t edges; /* of the file */
    graphfile_committed committed;
    double seconds;
    const char *lost; /* what the file does not keep, as "weights"; "" where it keeps everything */
} format_result;

/* What a file in this format does not keep of the graph, as in format_result; static. */
const char *format_lost(const graphfile_graph *g, graphfile_format to);

/* Write the edges of the source, as they come, to a file in any format but csr; "-" is standard
 * output.  With a group it is collective, the format is not one of HDF5 of our own, and all pieces
 * but the last have EDGE_SOURCE_PIECE edges. Returns an engine_status; ENGINE_ERR_JOB with field
 * "format": the format cannot hold the graph, or with those of engine_check_ids(), and nothing was
 * written. */
int format_write(edge_source *source, const char *out, const format_options *options,
                 format_result *result);

/* What the attributes of an h5 file say of a source. */
enum { FORMAT_VERSION = 64 };
typedef struct {
    foreign_attrs foreign; /* without a model */
    model_attrs model;
    char version[FORMAT_VERSION];
    uint64_t stream;
    const edgefile_attr *attrs;
    size_t n;
} format_attrs;

/* How many edges of a list each rank writes in a round, on so many threads of this rank: a multiple
 * of GRAPHFILE_ROUND.  Collective. */
uint64_t format_round_edges(int threads);

/* After all edges were written to a format with GRAPHFILE_NEEDS_POINTERS, before it is committed:
 * its row pointers and what else follows from all edges.  Returns an engine_status. */
int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options);

#endif
