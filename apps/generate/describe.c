/* The model of a job in words, for the summary and the dry run. */
#include "apps/generate/describe.h"
#include "apps/engine/attributes/model_attrs.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *format_vertices(char text[NUMBER_TEXT], uint64_t vertices)
{
    if ((vertices & (vertices - 1)) == 0) {
        snprintf(text, NUMBER_TEXT, "2^%d", __builtin_ctzll(vertices));
    } else {
        snprintf(text, NUMBER_TEXT, "%" PRIu64, vertices);
    }
    return text;
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format,
                                                      ...)
{
    size_t used = strlen(text);
    va_list arguments;

    if (used > 0 && used + 2 < size) {
        memcpy(text + used, ", ", 3);
        used += 2;
    }
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void generate_print_model(FILE *stream, const engine_job *o, uint64_t edges, bool at_most)
{
    const rmat_config *m = &o->model;
    char text[512] = "", weights[MODEL_WEIGHTS];
    char a[NUMBER_TEXT], b[NUMBER_TEXT], x[NUMBER_TEXT], y[NUMBER_TEXT];

    fprintf(stream, "vertices     %s sources, %s destinations\n", format_vertices(x, m->rows),
            format_vertices(y, m->cols));
    if (m->levels == NULL) {
        fprintf(stream, "matrix       a = %s, b = %s, c = %s, d = %s\n",
                format_double(a, m->matrix.a), format_double(b, m->matrix.b),
                format_double(x, m->matrix.c), format_double(y, m->matrix.d));
    }
    fprintf(stream, "seed         %" PRIu64, m->seed);
    if (m->stream == RMAT_STREAM_GRAPH500) {
        fprintf(stream, ", second seed %" PRIu64, m->seed2);
    }
    putc('\n', stream);
    if (m->stream != RMAT_STREAM_RMAT) {
        add(text, sizeof text, "stream %s", rmat_stream_name(m->stream));
    }
    if (m->levels != NULL) {
        add(text, sizeof text, "a matrix for each level");
    }
    if (m->noise > 0) {
        add(text, sizeof text, "noise %s", format_double(x, m->noise));
    }
    if (m->no_self_loops) {
        add(text, sizeof text, "no self loops");
    }
    /* Official streams scramble their vertices by themselves. */
    if (m->permute || m->stream == RMAT_STREAM_RMAT) {
        add(text, sizeof text, m->permute ? "permuted" : "not permuted");
    }
    if (m->direction != RMAT_DIRECTED) {
        add(text, sizeof text, "undirected (%s)", model_direction_name(m->direction));
    }
    if (m->symmetrize) {
        add(text, sizeof text, "each edge with its reverse");
    }
    if (m->weights != RMAT_NO_WEIGHTS) {
        add(text, sizeof text, "weights %s", model_weights_name(weights, m));
    }
    if (text[0] != '\0') {
        fprintf(stream, "model        %s\n", text);
    }
    if (o->sorted || engine_is_foreign(o)) {
        fprintf(stream, "format       %s%s%s\n", graphfile_names[o->format],
                o->sorted ? ", sorted" : "", o->unique ? ", no edge twice" : "");
    }
    if (m->first > 0) {
        fprintf(stream, "slice        from edge %" PRIu64 " of the stream\n",
                m->first << (m->symmetrize != 0));
    }
    fprintf(stream, "edges        %s%" PRIu64, at_most ? "at most " : "", edges);
    if (!engine_is_foreign(o)) { /* else the format says it */
        fprintf(stream, ", %d-bit ids", 8 * o->id_bytes);
    }
    putc('\n', stream);
}

void generate_json_model(json_object *j, const engine_job *o, uint64_t edges)
{
    const rmat_config *m = &o->model;
    char weights[MODEL_WEIGHTS];

    json_u64(j, "rows_scale", (uint64_t)m->rows_scale);
    json_u64(j, "cols_scale", (uint64_t)m->cols_scale);
    json_u64(j, "num_rows", m->rows);
    json_u64(j, "num_cols", m->cols);
    json_u64(j, "edges", edges);
    json_u64(j, "base_edges", o->edges);
    if (!engine_is_foreign(o)) {
        json_u64(j, "id_bits", (uint64_t)o->id_bytes * 8);
    }
    json_string(j, "format", graphfile_names[o->format]);
    json_bool(j, "sorted", o->sorted);
    json_bool(j, "unique", o->unique);
    json_bool(j, "dedup", o->dedup);
    json_string(j, "stream", rmat_stream_name(m->stream));
    json_bool(j, "level_matrices", m->levels != NULL);
    if (m->levels == NULL) {
        json_f64(j, "a", m->matrix.a);
        json_f64(j, "b", m->matrix.b);
        json_f64(j, "c", m->matrix.c);
        json_f64(j, "d", m->matrix.d);
    }
    json_f64(j, "noise", m->noise);
    json_bool(j, "permute", m->permute);
    json_bool(j, "self_loops", !m->no_self_loops);
    json_string(j, "direction", model_direction_name(m->direction));
    json_bool(j, "symmetrize", m->symmetrize);
    json_string(j, "weights", model_weights_name(weights, m));
    json_u64(j, "first", m->first);
    json_u64(j, "seed", m->seed);
    if (m->stream == RMAT_STREAM_GRAPH500) {
        json_u64(j, "seed2", m->seed2);
    }
}
