/* The file of a graph: its attributes, the job for the engine that writes it, and the summary. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/client/client.h"
#include "apps/common/clock.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/status.h"
#include "io/small_file.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COMMAND_ROOM = 512 };

/* A graph that is written, and what the summary says of it. */
typedef struct {
    const chung_lu_options *options;
    const chung_lu_stream *stream;
    chung_lu_graph graph;
    char command[COMMAND_ROOM];     /* that makes the same edges again */
    engine_result made;             /* of the file */
    double weight_seconds, seconds; /* the whole run */
} summary;

/* Attributes of the file that say how the edges were made; their values lie here, in the options
 * and in the stream. */
typedef struct {
    edgefile_attr list[16];
    size_t n;
    uint64_t scale;
    char generator[64];
} attributes;

/* The command that makes the same edges: all options that they depend on. */
static void format_command(char text[COMMAND_ROOM], const chung_lu_options *o,
                           const chung_lu_stream *stream)
{
    char x[NUMBER_TEXT], y[NUMBER_TEXT], z[NUMBER_TEXT];

    text[0] = '\0';
    if (o->like.name != NULL) {
        text_append(text, COMMAND_ROOM, "chung_lu --like FILE");
        if (o->like.multiply > 1) {
            text_append(text, COMMAND_ROOM, " --multiply %" PRIu64, o->like.multiply);
        }
    } else if (o->degrees != NULL) {
        text_append(text, COMMAND_ROOM, "chung_lu --degrees FILE");
    } else {
        text_append(text, COMMAND_ROOM,
                    "chung_lu --power-law %s --vertices %" PRIu64
                    " --min-degree %s --max-degree %s",
                    format_double(x, o->exponent), o->vertices, format_double(y, o->min_degree),
                    format_double(z, o->max_degree));
    }
    text_append(text, COMMAND_ROOM, " --edges %" PRIu64 " --seed %" PRIu64, o->edges, stream->seed);
}

static void add_attr(attributes *a, const char *name, edgefile_type type, const void *value)
{
    a->list[a->n++] = (edgefile_attr){name, type, 1, value};
}

static void describe_graph(attributes *a, const chung_lu_options *o, const chung_lu_stream *stream)
{
    const chung_lu_like *like = &o->like;

    a->n = 0;
    for (a->scale = 0; (uint64_t)1 << a->scale < stream->vertices; a->scale++) {
    }
    snprintf(a->generator, sizeof a->generator, "chung_lu %s", rmat_version());
    add_attr(a, "generator", EDGEFILE_STRING, a->generator);
    add_attr(a, "model", EDGEFILE_STRING, "chung-lu");
    add_attr(a, "rows_scale", EDGEFILE_U64, &a->scale);
    add_attr(a, "cols_scale", EDGEFILE_U64, &a->scale);
    add_attr(a, "num_rows", EDGEFILE_U64, &stream->vertices);
    add_attr(a, "num_cols", EDGEFILE_U64, &stream->vertices);
    if (like->name != NULL) {
        /* Without the folder: attributes should not depend on where files lie. */
        const char *slash = strrchr(like->name, '/');

        add_attr(a, "like", EDGEFILE_STRING, slash != NULL ? slash + 1 : like->name);
        add_attr(a, "like_fingerprint", EDGEFILE_U64, &like->fingerprint);
        add_attr(a, "multiply", EDGEFILE_U64, &like->multiply);
    } else if (o->degrees == NULL) {
        add_attr(a, "exponent", EDGEFILE_F64, &o->exponent);
        add_attr(a, "min_degree", EDGEFILE_F64, &o->min_degree);
        add_attr(a, "max_degree", EDGEFILE_F64, &o->max_degree);
    }
    add_attr(a, "seed", EDGEFILE_U64, &stream->seed);
    add_attr(a, "batch", EDGEFILE_U64, &stream->batch);
}

/* Bytes of the file where they are known before it is made, else 0. */
static uint64_t planned_bytes(const chung_lu_options *o, const chung_lu_stream *stream,
                              const char *command)
{
    graphfile_spec spec = {.format = GRAPHFILE_H5,
                           .graph = {.edges = o->edges, .id_bytes = stream->id_bytes},
                           .layout = EDGEFILE_LAYOUT_SINGLE};
    attributes attrs;

    if (o->job.format != GRAPHFILE_H5 || o->unique || edge_options_any(&o->graph)) {
        return 0;
    }
    describe_graph(&attrs, o, stream);
    add_attr(&attrs, "command", EDGEFILE_STRING, command);
    spec.attrs = attrs.list;
    spec.n_attrs = attrs.n;
    return graphfile_bytes(&spec);
}

static int write_file(summary *s)
{
    const chung_lu_options *o = s->options;
    engine_source source = chung_lu_source(&s->graph);
    engine_job job = o->job;
    engine_result *made = &s->made;
    attributes attrs;
    client c;
    int status;

    describe_graph(&attrs, o, s->stream);
    source.attrs = attrs.list;
    source.n_attrs = attrs.n;
    source.command = s->command;
    job.source = &source;
    job.edges = o->edges;
    job.id_bytes = s->stream->id_bytes;
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

/* The summary. */

/* The edges in the file; of a dry run, those asked for. */
static uint64_t edges_of(const summary *s)
{
    return s->made.edges > 0 ? s->made.edges : s->options->edges;
}

static void json_model(json_object *j, const summary *s)
{
    const chung_lu_options *o = s->options;

    json_string(j, "model", "chung-lu");
    json_u64(j, "num_rows", s->stream->vertices);
    json_u64(j, "num_cols", s->stream->vertices);
    json_u64(j, "edges", edges_of(s));
    json_u64(j, "id_bits", (uint64_t)s->stream->id_bytes * 8);
    if (o->like.name != NULL) {
        json_string(j, "like", o->like.name);
        json_hex(j, "like_fingerprint", o->like.fingerprint);
        json_u64(j, "multiply", o->like.multiply);
        json_bool(j, "directed", o->like.directed);
    } else if (o->degrees != NULL) {
        json_string(j, "degrees", o->degrees);
    } else {
        json_f64(j, "exponent", o->exponent);
        json_f64(j, "min_degree", o->min_degree);
        json_f64(j, "max_degree", o->max_degree);
    }
    json_u64(j, "seed", s->stream->seed);
    json_u64(j, "batch", s->stream->batch);
    json_string(j, "command", *s->made.command != '\0' ? s->made.command : s->command);
}

static void json_maker(json_object *j, const summary *s)
{
    json_string(j, "backend", s->made.backend == RMAT_BACKEND_GPU ? "gpu" : "cpu");
    if (s->made.backend == RMAT_BACKEND_GPU) {
        json_u64(j, "device", (uint64_t)s->made.device);
    } else {
        json_u64(j, "threads", (uint64_t)s->options->job.threads);
    }
    json_f64(j, "weight_seconds", s->weight_seconds);
    json_f64(j, "table_seconds", s->graph.table_seconds);
}

static void print_model(FILE *f, const summary *s)
{
    const chung_lu_options *o = s->options;
    char x[NUMBER_TEXT];

    fprintf(f, "vertices     %" PRIu64 "\n", s->stream->vertices);
    if (o->like.name != NULL) {
        char times[NUMBER_TEXT] = "";

        if (o->like.multiply > 1) {
            snprintf(times, sizeof times, ", %" PRIu64 " times", o->like.multiply);
        }
        text_line(f, "degrees      of the graph %s%s%s", o->like.name, times,
                  o->like.directed ? ", out and in apart" : "");
    } else if (o->degrees != NULL) {
        text_line(f, "degrees      of %s", o->degrees);
    } else {
        fprintf(f, "degrees      power law of exponent %s, %.6g to %.6g\n",
                format_double(x, o->exponent), o->min_degree, o->max_degree);
    }
    fprintf(f, "edges        %" PRIu64 ", %d-bit ids\n", edges_of(s), 8 * s->stream->id_bytes);
}

static void print_maker(FILE *f, const summary *s)
{
    if (s->made.backend == RMAT_BACKEND_GPU) {
        fprintf(f, "GPU %d", s->made.device);
    } else {
        fprintf(f, "CPU, %d thread%s", s->options->job.threads,
                s->options->job.threads == 1 ? "" : "s");
    }
}

/* Host memory of a rank: weights, which are kept for the tables of another backend, and tables. */
static uint64_t weight_bytes(const summary *s)
{
    return (s->options->like.directed ? 2 : 1) * s->stream->vertices * sizeof(double);
}

static uint64_t table_bytes(const summary *s)
{
    return (s->options->like.directed ? 2 : 1) * chung_lu_row_bytes(s->stream->vertices) *
           s->stream->vertices;
}

/* planned: of a dry run; file_bytes: 0 where they are not known. */
static void print_json(FILE *f, const summary *s, bool planned, uint64_t file_bytes)
{
    json_object j;

    json_begin(&j, f);
    json_string(&j, "file", s->options->job.output);
    if (!planned || file_bytes > 0) {
        json_u64(&j, "file_bytes", file_bytes);
    }
    json_model(&j, s);
    if (planned) {
        json_u64(&j, "weight_bytes", weight_bytes(s));
        json_u64(&j, "table_bytes", table_bytes(s));
    } else {
        json_hex(&j, "fingerprint", s->made.fingerprint);
        json_maker(&j, s);
        json_string(&j, "io", engine_io_name(s->made.io));
        json_f64(&j, "generate_write_seconds", s->made.stream_seconds);
        json_f64(&j, "seconds", s->seconds);
        json_f64(&j, "edges_per_second", (double)s->made.edges / s->seconds);
    }
    json_end(&j);
}

static void print_lines(FILE *f, const summary *s, bool planned, uint64_t file_bytes)
{
    char size[NUMBER_TEXT], x[NUMBER_TEXT], y[NUMBER_TEXT];
    const bool known = !planned || file_bytes > 0;

    text_line(f, "file         %s%s%s%s%s", s->options->job.output, known ? " (" : "",
              known ? format_bytes(size, (double)file_bytes) : "", known ? ")" : "",
              planned ? ", not made" : "");
    print_model(f, s);
    if (planned) {
        fprintf(f, "memory       weights %s, table %s\n", format_bytes(x, (double)weight_bytes(s)),
                format_bytes(y, (double)table_bytes(s)));
        return;
    }
    fprintf(f, "fingerprint  0x%016" PRIx64 "\n", s->made.fingerprint);
    fprintf(f, "time         %.3f s: weights %.3f, table %.3f, generate and write %.3f\n",
            s->seconds, s->weight_seconds, s->graph.table_seconds, s->made.stream_seconds);
    fprintf(f, "rate         %s edges/s, %s/s\nmade by      ",
            format_si(x, (double)s->made.edges / s->seconds),
            format_bytes(y, (double)file_bytes / s->seconds));
    print_maker(f, s);
    fprintf(f, ", %s writes\n", engine_io_name(s->made.io));
}

static void print_summary(const summary *s, bool planned, uint64_t file_bytes)
{
    const chung_lu_options *o = s->options;
    /* Edges on standard output must not be mixed with the summary. */
    FILE *f = strcmp(o->job.output, "-") == 0 && !planned ? stderr : stdout;

    if (o->json) {
        print_json(f, s, planned, file_bytes);
    } else if (planned || !o->quiet) {
        print_lines(f, s, planned, file_bytes);
    }
}

/* For a dry run, on rank 0: returns EXIT_OK if the file could be created. */
static int check_output(const engine_job *job, uint64_t bytes)
{
    const int status =
        strcmp(job->output, "-") == 0
            ? EDGEFILE_OK
            : edgefile_could_create(job->output, dist_size() > 1, job->replace, bytes);

    return status == EDGEFILE_OK ? EXIT_OK : client_fail("", engine_fail_file(status), job->output);
}

int chung_lu_make(const chung_lu_options *o, const chung_lu_stream *stream,
                  const chung_lu_degrees *degrees, double seconds)
{
    const double start = clock_seconds();
    summary s = {.options = o, .stream = stream, .weight_seconds = seconds};
    int status = EXIT_OK;

    format_command(s.command, o, stream);
    chung_lu_graph_open(&s.graph, stream, degrees, o->job.threads);
    if (!o->dry_run) {
        status = write_file(&s);
        s.seconds = seconds + clock_seconds() - start;
        if (status == EXIT_OK && dist_rank() == 0) {
            print_summary(&s, false, s.made.file_bytes);
        }
    } else if (dist_rank() == 0) {
        const uint64_t bytes = planned_bytes(o, stream, s.command);

        print_summary(&s, true, bytes);
        status = check_output(&o->job, bytes);
    }
    chung_lu_graph_close(&s.graph);
    return status;
}
