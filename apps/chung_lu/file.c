/* The edges into a file: what made them, and the job for the engine. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add(char text[CHUNG_LU_COMMAND],
                                                      const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + used, CHUNG_LU_COMMAND - used, format, arguments);
    va_end(arguments);
}

void chung_lu_format_command(char text[CHUNG_LU_COMMAND], const chung_lu_options *o,
                             const chung_lu_stream *stream)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT];

    text[0] = '\0';
    if (o->like.name != NULL) {
        add(text, "chung_lu --like FILE");
        if (o->like.multiply > 1) {
            add(text, " --multiply %" PRIu64, o->like.multiply);
        }
    } else if (o->degrees != NULL) {
        add(text, "chung_lu --degrees FILE");
    } else {
        add(text, "chung_lu --power-law %s --vertices %" PRIu64 " --min-degree %s --max-degree %s",
            format_double(x, o->exponent), o->vertices, format_double(y, o->min_degree),
            format_double(z, o->max_degree));
    }
    add(text, " --edges %" PRIu64 " --seed %" PRIu64, o->edges, stream->seed);
}

static void put(chung_lu_attrs *a, const char *name, edgefile_type type, const void *value)
{
    a->list[a->n++] = (edgefile_attr){name, type, 1, value};
}

/* The name without its folder: the attributes shall not depend on where the files lie. */
static void describe_like(chung_lu_attrs *a, const chung_lu_like *like)
{
    const char *slash = strrchr(like->name, '/');

    a->multiply = like->multiply;
    a->like_fingerprint = like->fingerprint;
    put(a, "like", EDGEFILE_STRING, slash != NULL ? slash + 1 : like->name);
    put(a, "like_fingerprint", EDGEFILE_U64, &a->like_fingerprint);
    put(a, "multiply", EDGEFILE_U64, &a->multiply);
}

void chung_lu_describe(chung_lu_attrs *a, const chung_lu_options *o, const chung_lu_stream *stream)
{
    a->n = 0;
    a->vertices = stream->vertices;
    a->seed = stream->seed;
    a->batch = stream->batch;
    for (a->scale = 0; (uint64_t)1 << a->scale < stream->vertices; a->scale++) {
    }
    snprintf(a->generator, sizeof a->generator, "chung_lu %s", rmat_version());
    put(a, "generator", EDGEFILE_STRING, a->generator);
    put(a, "model", EDGEFILE_STRING, "chung-lu");
    put(a, "rows_scale", EDGEFILE_U64, &a->scale);
    put(a, "cols_scale", EDGEFILE_U64, &a->scale);
    put(a, "num_rows", EDGEFILE_U64, &a->vertices);
    put(a, "num_cols", EDGEFILE_U64, &a->vertices);
    if (o->like.name != NULL) {
        describe_like(a, &o->like);
    } else if (o->degrees == NULL) {
        put(a, "exponent", EDGEFILE_F64, &o->exponent);
        put(a, "min_degree", EDGEFILE_F64, &o->min_degree);
        put(a, "max_degree", EDGEFILE_F64, &o->max_degree);
    }
    put(a, "seed", EDGEFILE_U64, &a->seed);
    put(a, "batch", EDGEFILE_U64, &a->batch);
}

uint64_t chung_lu_file_bytes(const chung_lu_options *o, const chung_lu_stream *stream,
                             const char *command)
{
    graphfile_spec spec = {.format = GRAPHFILE_H5,
                           .graph = {.edges = o->edges, .id_bytes = stream->id_bytes},
                           .layout = EDGEFILE_LAYOUT_SINGLE};
    chung_lu_attrs attrs;

    if (o->job.format != GRAPHFILE_H5 || o->unique || edge_options_any(&o->graph)) {
        return 0;
    }
    chung_lu_describe(&attrs, o, stream);
    put(&attrs, "command", EDGEFILE_STRING, command);
    spec.attrs = attrs.list;
    spec.n_attrs = attrs.n;
    return graphfile_bytes(&spec);
}

int chung_lu_write(chung_lu_summary *summary)
{
    const chung_lu_options *o = summary->options;
    engine_source source = chung_lu_source(summary->graph);
    engine_job job = o->job;
    engine_result *made = &summary->made;
    chung_lu_attrs attrs;
    client c;
    int status;

    chung_lu_describe(&attrs, o, summary->stream);
    source.attrs = attrs.list;
    source.n_attrs = attrs.n;
    source.command = summary->command;
    job.source = &source;
    job.edges = o->edges;
    job.id_bytes = summary->stream->id_bytes;
    client_begin(&c, "", job.output, o->quiet);
    job.watch = c.watch;
    status = edge_options_apply("", &o->graph, &job);
    if (status != EXIT_OK) {
        return status;
    }
    job.unique = o->unique;
    client_note_suffix(&c, job.output, job.format);
    status = engine_write_file(&job, made);
    return client_end(&c, status, job.output, made->edges,
                      made->edges > 0 ? (double)made->file_bytes / (double)made->edges : 0);
}
