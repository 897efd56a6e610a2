/* What the files of `rmat convert` share.  Private. */
#ifndef APPS_CONVERT_CONVERT_H
#define APPS_CONVERT_CONVERT_H

#include "apps/client/edge_options.h"
#include "apps/common/one_process.h"
#include "apps/engine/vertices/vertices.h"
#include <limits.h>

enum { CONVERT_AS_IT_IS = -1, CONVERT_BY_ID, CONVERT_BY_FIRST };

typedef struct {
    reading_values reading;
    int to, id_type, encoding, compact, vertex_header;
    uint64_t threads, rows, cols, vertices, memory, seed, row_group, base, labels;
    const char *columns, *vertex_file;
    bool compress, force, json, quiet, help;
    bool vertex_names, drop_isolated, largest, components;
    edge_values edges;
} convert_values;

/* From a file to another. */
typedef struct {
    const char *in, *out;
    int to;
    const convert_values *values;
} convert_request;

/* Is the graph to be another one than that of the file, or in another order? */
bool convert_is_changed(const convert_request *r, const graphfile_graph *graph);

/* vertices.c: the vertices.  What is all 0 is nothing. */
typedef struct {
    graphfile_name_table *names;
    edge_source *opened;        /* as it was opened, which has the model; owned by the source */
    edgefile_small *ids, *file; /* OUT.ids; the table */
    char ids_name[PATH_MAX];
    double homophily; /* with labels */
} convert_tables;

/* Do these options go together?  Returns an exit code. */
int convert_check_tables(const convert_request *r);

/* For the names of vertices, before the source is opened.  Returns an engine_status. */
int convert_begin_names(convert_tables *t, const convert_request *r);

/* Makes the source compact, if it is to be, and creates the tables.  Returns an exit code, after a
 * line on stderr where it is not EXIT_OK. */
int convert_begin_tables(convert_tables *t, const convert_request *r, edge_source **source,
                         const engine_watch *watch, int threads);

/* Writes and publishes the tables, once OUT is complete.  Likewise. */
int convert_end_tables(convert_tables *t, const convert_request *r, edge_source *source,
                       const engine_watch *watch, int threads);
void convert_free_tables(convert_tables *t);

#endif
