/* What the files of `rmat convert` share. */
#ifndef APPS_CONVERT_CONVERT_H
#define APPS_CONVERT_CONVERT_H

#include "apps/client/client.h"
#include "apps/client/edge_options.h"
#include "apps/engine/formats/formats.h"

typedef struct {
    int from, to, id_type, encoding;
    uint64_t threads, rows, cols, vertices, memory, seed, row_group;
    const char *columns, *datasets;
    bool compress, force, json, quiet, help;
    edge_values edges;
} convert_values;

/* From a file to another. */
typedef struct {
    const char *in, *out;
    int to;
    const convert_values *values;
} convert_request;

/* change.c: is the graph to be another one than that of the file, or in another order? */
bool convert_changes(const convert_request *r, const graphfile_graph *graph);

/* change.c: the file's edges, changed and sorted as the options say.  An exit code. */
int convert_change(const convert_request *r, edge_source *source, client *c, int threads,
                   format_result *result);

/* convert.c: the bar's end, and the exit code after a message that speaks of options.  graph: that
 * of the file. */
int convert_end(client *c, int status, const convert_request *r, const graphfile_graph *graph,
                const format_result *result);

#endif
