/* model_attrs.c - the attributes and the command of a model.  They omit the file's name, threads,
 * backend and everything else that does not change the bytes. */
#include "apps/engine/attributes/model_attrs.h"
#include "apps/common/message.h"
#include "rmat/rmat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *model_direction_name(rmat_direction direction)
{
    static const char *const names[] = {"directed", "lower", "upper"};

    return names[direction];
}

/* With as few digits as read back as the same float. */
static void put_float(char text[16], float x)
{
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, 16, "%.*g", digits, (double)x);
        if (strtof(text, NULL) == x) {
            break;
        }
    }
}

const char *model_weights_name(char text[MODEL_WEIGHTS], const rmat_config *m)
{
    char low[16], high[16];

    if (m->weights == RMAT_WEIGHTS_INT) {
        snprintf(text, MODEL_WEIGHTS, "int:%" PRId32 ":%" PRId32, m->weight_min, m->weight_max);
    } else if (m->weights == RMAT_WEIGHTS_FLOAT) {
        put_float(low, m->weight_low);
        put_float(high, m->weight_high);
        snprintf(text, MODEL_WEIGHTS, "float:%s:%s", low, high);
    } else {
        snprintf(text, MODEL_WEIGHTS, "%s",
                 m->weights == RMAT_WEIGHTS_UNIFORM ? "uniform" : "none");
    }
    return text;
}

#define add(text, ...) text_append(text, MODEL_COMMAND, __VA_ARGS__)

/* Appends the options for drawn edges. csr: the option that names the format.  The type of ids is
 * added if it is not the default. */
static void add_options(model_attrs *attrs, model_ids ids, const model_order *order,
                        const char *csr)
{
    const rmat_config *m = &attrs->model;
    const bool small = m->rows_scale <= 32 && m->cols_scale <= 32;
    char *text = attrs->command;

    if (m->first > 0) {
        add(text, " --first %" PRIu64, m->first);
    }
    add(text, "%s%s", m->permute ? " --permute" : "", m->no_self_loops ? " --no-self-loops" : "");
    if (m->direction != RMAT_DIRECTED) {
        add(text, " --undirected %s", model_direction_name(m->direction));
    }
    add(text, "%s", m->symmetrize ? " --symmetrize" : "");
    if (strcmp(attrs->weights, "none") != 0) {
        add(text, " --weights %s", attrs->weights);
    }
    if (order != NULL) {
        add(text, "%s%s",
            order->dedup    ? " --dedup"
            : order->unique ? " --unique"
                            : "",
            order->csr      ? csr
            : order->unique ? ""
                            : " --sorted");
    }
    if (ids.is_signed) {
        add(text, " --id-type int%d", 8 * ids.bytes);
    } else if (small && ids.bytes == 8) {
        add(text, " --id-type uint64");
    }
}

static void format_command(model_attrs *attrs, uint64_t edges)
{
    const rmat_config *m = &attrs->model;
    const bool powers = attrs->num_rows == (uint64_t)1 << m->rows_scale &&
                        attrs->num_cols == (uint64_t)1 << m->cols_scale;
    const uint64_t rows = powers ? (uint64_t)m->rows_scale : attrs->num_rows;
    const uint64_t cols = powers ? (uint64_t)m->cols_scale : attrs->num_cols;
    char *text = attrs->command, a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT];

    text[0] = '\0';
    add(text, "rmat generate");
    if (rmat_is_official(m->stream)) {
        add(text, " --stream %s --scale %d --edges %" PRIu64 " --seed %" PRIu64,
            rmat_stream_name(m->stream), m->rows_scale, m->first + edges, m->seed);
        if (m->stream == RMAT_STREAM_GRAPH500) {
            add(text, " --seed2 %" PRIu64, m->seed2);
        }
        return;
    }
    if (m->stream != RMAT_STREAM_RMAT) {
        add(text, " --stream %s", rmat_stream_name(m->stream));
    }
    /* "--scale 20", or "--scale 20x18", or "--vertices 1000x300" where not both are powers of 2. */
    add(text, " --%s %" PRIu64, powers ? "scale" : "vertices", rows);
    if (rows != cols) {
        add(text, "x%" PRIu64, cols);
    }
    add(text, " --edges %" PRIu64, m->first + edges);
    if (m->levels != NULL) {
        add(text, " --level-matrices FILE");
    } else {
        add(text, " --a %s --b %s --c %s --d %s", format_double(a, m->matrix.a),
            format_double(b, m->matrix.b), format_double(c, m->matrix.c),
            format_double(d, m->matrix.d));
    }
    add(text, " --seed %" PRIu64, m->seed);
    if (m->noise > 0) {
        add(text, " --noise %s", format_double(a, m->noise));
    }
}

/* The same keys twice: readers in C look for them in the object "binsparse", those in Python beside
 * it. */
static void format_binsparse(model_attrs *attrs, model_ids ids, const model_order *order)
{
    static const char *const values[] = {"iso[uint8]", "float32", "int32", "float32"};
    const char *const sign = ids.is_signed ? "" : "u";
    char keys[MODEL_BINSPARSE / 2 - 16];

    snprintf(keys, sizeof keys,
             "\"version\": \"0.1\", \"format\": \"CSR\", \"shape\": [%" PRIu64 ", %" PRIu64
             "], \"number_of_stored_values\": %" PRIu64
             ", \"data_types\": {\"pointers_to_1\": \"%sint64\", \"indices_1\": \"%sint%d\", "
             "\"values\": \"%s\"}",
             attrs->num_rows, attrs->num_cols, order->edges, sign, sign, 8 * ids.bytes,
             values[attrs->model.weights]);
    snprintf(attrs->binsparse, sizeof attrs->binsparse, "{\"binsparse\": {%s}, %s}", keys, keys);
}

static void put_attr(model_attrs *attrs, const char *name, edgefile_type type, uint64_t count,
                     const void *value)
{
    attrs->list[attrs->n++] = (edgefile_attr){name, type, count, value};
}

static void put_string(model_attrs *attrs, const char *name, const char *value)
{
    put_attr(attrs, name, EDGEFILE_STRING, 1, value);
}

static void put_number(model_attrs *attrs, const char *name, uint64_t value)
{
    uint64_t *number = &attrs->numbers[attrs->n];

    *number = value;
    put_attr(attrs, name, EDGEFILE_U64, 1, number);
}

static void put_order(model_attrs *attrs, model_ids ids, const model_order *order)
{
    put_string(attrs, "order", "sorted");
    put_number(attrs, "unique", order->unique);
    if (order->dedup) {
        put_number(attrs, "dedup", 1);
    }
    put_number(attrs, "stream_edges", order->stream_edges);
    if (order->csr && order->unique) { /* binsparse has no copies of an edge */
        format_binsparse(attrs, ids, order);
        put_string(attrs, "binsparse", attrs->binsparse);
    }
}

/* What becomes of drawn edges; all: also what is the default. */
static void put_options(model_attrs *attrs, bool all)
{
    const rmat_config *m = &attrs->model;

    if (all || m->permute) {
        put_number(attrs, "permute", m->permute != 0);
    }
    if (all || m->no_self_loops) {
        put_number(attrs, "self_loops", m->no_self_loops == 0);
    }
    if (all || m->direction != RMAT_DIRECTED) {
        put_string(attrs, "direction", model_direction_name(m->direction));
    }
    if (all || m->symmetrize) {
        put_number(attrs, "symmetrize", m->symmetrize != 0);
    }
    if (all || strcmp(attrs->weights, "none") != 0) {
        put_string(attrs, "weights", attrs->weights);
    }
}

void model_attrs_fill(model_attrs *attrs, const rmat_config *model, uint64_t edges, model_ids ids,
                      const model_order *order)
{
    rmat_config *m = &attrs->model;

    *m = *model;
    m->isa = RMAT_ISA_AUTO; /* this machine may lack the one that was asked for */
    attrs->num_rows = m->rows != 0 ? m->rows : (uint64_t)1 << m->rows_scale;
    attrs->num_cols = m->cols != 0 ? m->cols : (uint64_t)1 << m->cols_scale;
    attrs->stream_version = (uint64_t)rmat_stream_version(m->stream);
    model_weights_name(attrs->weights, m);
    format_command(attrs, edges);
    add_options(attrs, ids, order, " --format csr");

    attrs->n = 0;
    put_string(attrs, "generator", "rmat");
    put_string(attrs, "library_version", rmat_version());
    put_string(attrs, "stream", rmat_stream_name(m->stream));
    put_attr(attrs, "stream_version", EDGEFILE_U64, 1, &attrs->stream_version);
    put_number(attrs, "rows_scale", (uint64_t)m->rows_scale);
    put_number(attrs, "cols_scale", (uint64_t)m->cols_scale);
    put_number(attrs, "num_rows", attrs->num_rows);
    put_number(attrs, "num_cols", attrs->num_cols);
    if (m->levels == NULL) {
        put_attr(attrs, "a", EDGEFILE_F64, 1, &m->matrix.a);
        put_attr(attrs, "b", EDGEFILE_F64, 1, &m->matrix.b);
        put_attr(attrs, "c", EDGEFILE_F64, 1, &m->matrix.c);
        put_attr(attrs, "d", EDGEFILE_F64, 1, &m->matrix.d);
    }
    if (m->levels != NULL || m->noise > 0) {
        const int levels = m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale;

        (void)rmat_levels(m, attrs->levels); /* the model was checked */
        put_attr(attrs, "matrices", EDGEFILE_F64, 4 * (uint64_t)levels, attrs->levels);
    }
    put_attr(attrs, "noise", EDGEFILE_F64, 1, &m->noise);
    put_options(attrs, true);
    put_number(attrs, "seed", m->seed);
    if (m->stream == RMAT_STREAM_GRAPH500) {
        put_number(attrs, "seed2", m->seed2);
    }
    if (m->first > 0) {
        put_number(attrs, "first", m->first);
    }
    put_string(attrs, "command", attrs->command);
    if (order != NULL) {
        put_order(attrs, ids, order);
    }
}

static void fill_from_source(model_attrs *attrs, const engine_job *job, model_ids ids,
                             const model_order *order)
{
    const engine_source *s = job->source;
    rmat_config *m = &attrs->model;

    *m = job->model;
    attrs->num_rows = m->rows;
    attrs->num_cols = m->cols;
    if (s->edges.weights != RMAT_NO_WEIGHTS) {
        m->weights = RMAT_NO_WEIGHTS; /* the edges' own are no option */
    }
    model_weights_name(attrs->weights, m);
    m->weights = job->model.weights;
    snprintf(attrs->command, sizeof attrs->command, "%s", s->command);
    add_options(attrs, ids, order, s->csr_option);

    for (attrs->n = 0; attrs->n < s->n_attrs; attrs->n++) {
        attrs->list[attrs->n] = s->attrs[attrs->n];
    }
    put_string(attrs, "command", attrs->command);
    put_options(attrs, false);
    if (order != NULL) {
        put_order(attrs, ids, order);
    }
}

void model_attrs_of_plan(model_attrs *attrs, const engine_plan *plan, graphfile_format format,
                         uint64_t edges, uint64_t stream_edges)
{
    const engine_job *job = &plan->job;
    const model_ids ids = {job->id_bytes, job->id_sign == ENGINE_SIGNED};
    const model_order sorted = {.sorted = true,
                                .csr = format == GRAPHFILE_CSR,
                                .unique = job->unique,
                                .edges = edges,
                                .stream_edges = stream_edges,
                                .dedup = job->dedup};
    const model_order *order = job->sorted ? &sorted : NULL;

    if (job->source != NULL) {
        fill_from_source(attrs, job, ids, order);
    } else {
        model_attrs_fill(attrs, &job->model, job->edges, ids, order);
    }
}

void model_attrs_foreign(model_attrs *attrs, const graphfile_graph *g)
{
    const uint64_t rows = g->rows > 0 ? g->rows : 1, cols = g->cols > 0 ? g->cols : 1;

    attrs->n = 0;
    put_string(attrs, "generator", FOREIGN_CONVERT);
    put_string(attrs, "library_version", rmat_version());
    put_number(attrs, "rows_scale", rows > 1 ? (uint64_t)rmat_scale_of(rows) : 0);
    put_number(attrs, "cols_scale", cols > 1 ? (uint64_t)rmat_scale_of(cols) : 0);
    put_number(attrs, "num_rows", rows);
    put_number(attrs, "num_cols", cols);
}
