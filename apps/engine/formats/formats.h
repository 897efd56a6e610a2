/* A graph from an edge source into a file of any format: what `rmat convert` does, and the engine
 * for the formats of other programs. */
#ifndef APPS_ENGINE_FORMATS_FORMATS_H
#define APPS_ENGINE_FORMATS_FORMATS_H

#include "apps/engine/engine.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/edge_walk.h"

typedef struct {
    int threads;         /* at least 1 */
    bool replace;        /* an existing file may be replaced */
    const char *columns; /* as graphfile_spec.columns, or NULL */
    bool compress;       /* as graphfile_spec.compress, and so are these: */
    graphfile_encoding encoding;
    uint64_t row_group;
    int id_bytes;                /* of ids in the file, as engine_job has them; 0: of the source */
    engine_sign id_sign;         /* likewise; AUTO: as in the source, where the format can */
    const edgefile_group *group; /* of the ranks that write the file together, or NULL */
    const edgefile_spec *hdf5;   /* of an HDF5 file; NULL: of a list, what the source says */
    const char *comment;         /* a line for formats that have a place for it, or NULL */
    uint64_t memory; /* for the in-neighbours of a serialized graph; 0: half of what is there */
    const engine_watch *watch;
    double record_seconds; /* as in graphfile_spec */
    bool resume;
} format_options;

typedef struct {
    uint64_t edges, bytes; /* of the file */
    uint64_t resumed;      /* edges that an earlier run had left */
    double seconds;
    const char *lost; /* what the file does not keep, as "weights"; "" where it keeps everything */
    edgefile_path io; /* of an HDF5 file */
} format_result;

/* What a file in this format does not keep of the graph, as in format_result; static. */
const char *format_lost(const graphfile_graph *g, graphfile_format to);

/* Write the edges of the source, as they come, to a file in this format, of HDF5 where options say
 * so; "-" is standard output.  With a group it is collective, HDF5 is compressed, and all pieces
 * but the last have EDGE_SOURCE_PIECE edges.  Returns an engine_status; ENGINE_ERR_JOB with field
 * "format": the format cannot hold the graph, or with those of engine_check_ids(), and nothing was
 * written. */
int format_write(edge_source *source, const char *out, graphfile_format format,
                 const format_options *options, format_result *result);

/* The same for HDF5: formats/hdf5.c. */
int format_write_hdf5(edge_source *source, const char *out, const format_options *options,
                      format_result *result);

/*
 * rounds.c: the edges by all ranks, in the rounds of graphfile.h or edgefile.h; collective.  The
 * body writes pieces.  agree: what a rank did went so; collective.  They return an engine_status,
 * the same on all ranks.
 */
typedef struct {
    uint64_t edges;           /* of a process in a round: a multiple of so many */
    int (*end)(void *writer); /* the round; returns an edgefile_status */
    void *writer;
} format_rounds;

/* From piece `begin` on. */
int format_write_rounds(edge_source *source, uint64_t begin, const format_rounds *rounds,
                        const edge_walk_body *body, const format_options *options,
                        double edge_bytes);
int format_agree(int status);

/* After all edges were written to a format with GRAPHFILE_NEEDS_POINTERS, before it is committed:
 * its row pointers and what else follows from all edges.  Returns an engine_status. */
int format_write_pointers(edge_source *source, graphfile_writer *writer,
                          const format_options *options);

#endif
