/* What chung_lu tells: as lines, or as one JSON object. */
#include "apps/chung_lu/chung_lu.h"
#include "apps/common/json.h"
#include "apps/common/numbers.h"
#include "apps/common/text.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of the file; where none was made, those asked for. */
static uint64_t edges_of(const chung_lu_summary *s)
{
    return s->made.edges > 0 ? s->made.edges : s->options->edges;
}

static void json_model(json_object *j, const chung_lu_summary *s)
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

static void json_maker(json_object *j, const chung_lu_summary *s)
{
    json_string(j, "backend", s->made.backend == RMAT_BACKEND_GPU ? "gpu" : "cpu");
    if (s->made.backend == RMAT_BACKEND_GPU) {
        json_u64(j, "device", (uint64_t)s->made.device);
    } else {
        json_u64(j, "threads", (uint64_t)s->options->job.threads);
    }
    json_f64(j, "weight_seconds", s->weight_seconds);
    json_f64(j, "table_seconds", s->graph->table_seconds);
}

static void print_model(FILE *f, const chung_lu_summary *s)
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

static void print_maker(FILE *f, const chung_lu_summary *s)
{
    if (s->made.backend == RMAT_BACKEND_GPU) {
        fprintf(f, "GPU %d", s->made.device);
    } else {
        fprintf(f, "CPU, %d thread%s", s->options->job.threads,
                s->options->job.threads == 1 ? "" : "s");
    }
}

void chung_lu_print(const chung_lu_summary *s)
{
    const chung_lu_options *o = s->options;
    double edges = (double)s->made.edges, bytes = (double)s->made.file_bytes;
    /* What goes to standard output shall not be mixed with this. */
    FILE *f = strcmp(o->job.output, "-") == 0 ? stderr : stdout;
    char x[NUMBER_TEXT], y[NUMBER_TEXT];
    json_object j;

    if (o->json) {
        json_begin(&j, f);
        json_string(&j, "file", o->job.output);
        json_u64(&j, "file_bytes", s->made.file_bytes);
        json_model(&j, s);
        json_hex(&j, "fingerprint", s->made.fingerprint);
        json_maker(&j, s);
        json_string(&j, "io", engine_io_name(s->made.io));
        json_f64(&j, "generate_write_seconds", s->made.stream_seconds);
        json_f64(&j, "seconds", s->seconds);
        json_f64(&j, "edges_per_second", edges / s->seconds);
        json_end(&j);
    } else if (!o->quiet) {
        text_line(f, "file         %s (%s)", o->job.output,
                  format_bytes(x, (double)s->made.file_bytes));
        print_model(f, s);
        fprintf(f, "fingerprint  0x%016" PRIx64 "\n", s->made.fingerprint);
        fprintf(f, "time         %.3f s: weights %.3f, table %.3f, generate and write %.3f\n",
                s->seconds, s->weight_seconds, s->graph->table_seconds, s->made.stream_seconds);
        fprintf(f, "rate         %s edges/s, %s/s\n", format_si(x, edges / s->seconds),
                format_bytes(y, bytes / s->seconds));
        fprintf(f, "made by      ");
        print_maker(f, s);
        fprintf(f, ", %s writes\n", engine_io_name(s->made.io));
    }
}

void chung_lu_print_plan(const chung_lu_summary *s, uint64_t file_bytes)
{
    const chung_lu_stream *stream = s->stream;
    uint64_t sets = s->options->like.directed ? 2 : 1; /* of weights, each with its table */
    uint64_t table_bytes = sets * chung_lu_row_bytes(stream->vertices) * stream->vertices;
    /* Kept for the tables of another backend. */
    uint64_t weight_bytes = sets * stream->vertices * sizeof(double);
    char x[NUMBER_TEXT], y[NUMBER_TEXT];
    json_object j;

    if (s->options->json) {
        json_begin(&j, stdout);
        json_string(&j, "file", s->options->job.output);
        if (file_bytes > 0) {
            json_u64(&j, "file_bytes", file_bytes);
        }
        json_model(&j, s);
        json_u64(&j, "weight_bytes", weight_bytes);
        json_u64(&j, "table_bytes", table_bytes);
        json_end(&j);
        return;
    }
    if (file_bytes > 0) {
        text_line(stdout, "file         %s (%s), not made", s->options->job.output,
                  format_bytes(x, (double)file_bytes));
    } else {
        text_line(stdout, "file         %s, not made", s->options->job.output);
    }
    print_model(stdout, s);
    printf("memory       weights %s, table %s\n", format_bytes(x, (double)weight_bytes),
           format_bytes(y, (double)table_bytes));
}
