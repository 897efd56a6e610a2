/* model_attrs.c - the attributes and the command of a model, written and read.  They omit the
 * file's name, threads, backend and everything else that does not change the bytes. */
#include "apps/engine/attributes/model_attrs.h"
#include "apps/common/message.h"
#include "rmat/rmat.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const model_direction_names[] = {"directed", "lower", "upper"};

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

bool model_parse_weights(const char *text, rmat_config *m)
{
    const char *numbers = text + strcspn(text, ":");
    long long least, greatest;
    int end = 0;

    if (*numbers == '\0') {
        m->weights = *text == 'u' ? RMAT_WEIGHTS_UNIFORM : RMAT_NO_WEIGHTS;
        return strcmp(text, "none") == 0 || strcmp(text, "uniform") == 0;
    }
    /* sscanf() would also take blanks, a plus sign, nan and hexadecimal digits. */
    if (strspn(numbers, ":0123456789+-.eE") < strlen(numbers) || strstr(numbers, ":+") != NULL) {
        return false;
    }
    if (sscanf(text, "float:%f:%f%n", &m->weight_low, &m->weight_high, &end) == 2) {
        m->weights = RMAT_WEIGHTS_FLOAT;
        return text[end] == '\0' && m->weight_low >= -1e38F && m->weight_high <= 1e38F;
    }
    if (sscanf(text, "int:%lld:%lld%n", &least, &greatest, &end) == 2) {
        m->weights = RMAT_WEIGHTS_INT;
        m->weight_min = (int32_t)least;
        m->weight_max = (int32_t)greatest;
        return text[end] == '\0' && m->weight_min == least && m->weight_max == greatest;
    }
    return false;
}

#define add(text, ...) text_append(text, MODEL_COMMAND, __VA_ARGS__)

/* Appends the options for drawn edges. csr: the option that names the format.  The type of ids is
 * added if it is not the default. */
static void add_options(model_attrs *attrs, const model_order *order, const char *csr)
{
    const rmat_config *m = &attrs->model;
    const bool small = m->rows_scale <= 32 && m->cols_scale <= 32;
    char *text = attrs->command;

    if (m->first > 0) {
        add(text, " --first %" PRIu64, m->first);
    }
    add(text, "%s%s", m->permute ? " --permute" : "", m->no_self_loops ? " --no-self-loops" : "");
    if (m->direction != RMAT_DIRECTED) {
        add(text, " --undirected %s", model_direction_names[m->direction]);
    }
    add(text, "%s", m->symmetrize ? " --symmetrize" : "");
    if (strcmp(attrs->weights, "none") != 0) {
        add(text, " --weights %s", attrs->weights);
    }
    if (order->sorted) {
        add(text, "%s%s",
            order->dedup    ? " --dedup"
            : order->unique ? " --unique"
                            : "",
            order->csr      ? csr
            : order->unique ? ""
                            : " --sorted");
    }
    if (order->signed_ids) {
        add(text, " --id-type int%d", 8 * order->id_bytes);
    } else if (small && order->id_bytes == 8) {
        add(text, " --id-type uint64");
    }
}

static void format_command(model_attrs *attrs, uint64_t edges)
{
    const rmat_config *m = &attrs->model;
    const bool powers = m->rows == (uint64_t)1 << m->rows_scale && m->cols == (uint64_t)1
                                                                                  << m->cols_scale;
    const uint64_t rows = powers ? (uint64_t)m->rows_scale : m->rows;
    const uint64_t cols = powers ? (uint64_t)m->cols_scale : m->cols;
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
    attrs->numbers[attrs->n] = value;
    put_attr(attrs, name, EDGEFILE_U64, 1, &attrs->numbers[attrs->n]);
}

static void put_number_if(model_attrs *attrs, bool condition, const char *name, uint64_t value)
{
    if (condition) {
        put_number(attrs, name, value);
    }
}

/* The same keys twice: readers in C look for them in the object "binsparse", those in Python beside
 * it. */
static void put_binsparse(model_attrs *attrs, const model_order *order)
{
    static const char *const values[] = {"iso[uint8]", "float32", "int32", "float32"};
    const char *const sign = order->signed_ids ? "" : "u";
    char keys[MODEL_BINSPARSE / 2 - 16];

    snprintf(keys, sizeof keys,
             "\"version\": \"0.1\", \"format\": \"CSR\", \"shape\": [%" PRIu64 ", %" PRIu64
             "], \"number_of_stored_values\": %" PRIu64
             ", \"data_types\": {\"pointers_to_1\": \"%sint64\", \"indices_1\": \"%sint%d\", "
             "\"values\": \"%s\"}",
             attrs->model.rows, attrs->model.cols, order->edges, sign, sign, 8 * order->id_bytes,
             values[attrs->model.weights]);
    snprintf(attrs->binsparse, sizeof attrs->binsparse, "{\"binsparse\": {%s}, %s}", keys, keys);
    put_string(attrs, "binsparse", attrs->binsparse);
}

static void put_order(model_attrs *attrs, const model_order *order)
{
    if (!order->sorted) {
        return;
    }
    put_string(attrs, "order", "sorted");
    put_number(attrs, "unique", order->unique);
    put_number_if(attrs, order->dedup, "dedup", 1);
    put_number(attrs, "stream_edges", order->stream_edges);
    if (order->csr && order->unique) { /* binsparse has no copies of an edge */
        put_binsparse(attrs, order);
    }
}

/* What becomes of drawn edges; all: also what is the default. */
static void put_options(model_attrs *attrs, bool all)
{
    const rmat_config *m = &attrs->model;

    put_number_if(attrs, all || m->permute, "permute", m->permute != 0);
    put_number_if(attrs, all || m->no_self_loops, "self_loops", m->no_self_loops == 0);
    if (all || m->direction != RMAT_DIRECTED) {
        put_string(attrs, "direction", model_direction_names[m->direction]);
    }
    put_number_if(attrs, all || m->symmetrize, "symmetrize", m->symmetrize != 0);
    if (all || strcmp(attrs->weights, "none") != 0) {
        put_string(attrs, "weights", attrs->weights);
    }
}

void model_attrs_fill(model_attrs *attrs, const rmat_config *model, uint64_t edges,
                      const model_order *order)
{
    rmat_config *m = &attrs->model;

    *m = *model;
    m->isa = RMAT_ISA_AUTO; /* this machine may lack the one that was asked for */
    attrs->stream_version = (uint64_t)rmat_stream_version(m->stream);
    model_weights_name(attrs->weights, m);
    format_command(attrs, edges);
    add_options(attrs, order, " --format csr");

    attrs->n = 0;
    put_string(attrs, "generator", "rmat");
    snprintf(attrs->version, sizeof attrs->version, "%s", rmat_version());
    put_string(attrs, "library_version", attrs->version);
    put_string(attrs, "stream", rmat_stream_name(m->stream));
    put_attr(attrs, "stream_version", EDGEFILE_U64, 1, &attrs->stream_version);
    put_number(attrs, "rows_scale", (uint64_t)m->rows_scale);
    put_number(attrs, "cols_scale", (uint64_t)m->cols_scale);
    put_number(attrs, "num_rows", m->rows);
    put_number(attrs, "num_cols", m->cols);
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
    put_number_if(attrs, m->stream == RMAT_STREAM_GRAPH500, "seed2", m->seed2);
    put_number_if(attrs, m->first > 0, "first", m->first);
    put_string(attrs, "command", attrs->command);
    put_order(attrs, order);
    put_number_if(attrs, order->unique && !order->dedup && m->symmetrize, "pairs", edges);
}

void model_attrs_of_plan(model_attrs *attrs, const engine_plan *plan, graphfile_format format,
                         uint64_t edges, uint64_t stream_edges)
{
    const engine_job *job = &plan->job;
    const model_order order = {.sorted = job->sorted,
                               .csr = format == GRAPHFILE_CSR,
                               .unique = job->unique,
                               .dedup = job->dedup,
                               .edges = edges,
                               .stream_edges = stream_edges,
                               .id_bytes = job->id_bytes,
                               .signed_ids = job->id_sign == ENGINE_SIGNED};
    const engine_source *s = job->source;
    rmat_config options = job->model;

    if (s == NULL) {
        model_attrs_fill(attrs, &job->model, job->edges, &order);
        return;
    }
    attrs->model = job->model;
    if (plan->own_weights) { /* no option gives them */
        options.weights = RMAT_NO_WEIGHTS;
    }
    model_weights_name(attrs->weights, &options);
    snprintf(attrs->command, sizeof attrs->command, "%s", s->command);
    add_options(attrs, &order, s->csr_option);

    for (attrs->n = 0; attrs->n < s->n_attrs; attrs->n++) {
        attrs->list[attrs->n] = s->attrs[attrs->n];
    }
    put_string(attrs, "command", attrs->command);
    put_options(attrs, false);
    put_order(attrs, &order);
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

/*
 * Reading.  Every attribute is read by its type and checked against its allowed range; each
 * complaint names the attribute, so that `verify` can report all of them and not only the first.
 */

typedef struct {
    edgefile_reader *r;
    model_complaint complain;
    void *state;
    int status;
} reading;

static void note(reading *x, int status)
{
    x->status = status;
    if (x->complain != NULL) {
        x->complain(x->state, engine_detail());
    }
}

#define wrong(x, ...) note(x, engine_fail(__VA_ARGS__))

/* Whether the status is that of an attribute that was read; else complains. */
static bool was_read(reading *x, int status)
{
    if (status != EDGEFILE_OK) {
        wrong(x, "%s", edgefile_detail_of(x->r));
    }
    return status == EDGEFILE_OK;
}

static uint64_t get_u64(reading *x, const char *name, uint64_t least, uint64_t most)
{
    uint64_t value = least;

    if (was_read(x, edgefile_get_u64(x->r, name, &value)) && (value < least || value > most)) {
        wrong(x, "%s is %" PRIu64 ", allowed: %" PRIu64 " to %" PRIu64, name, value, least, most);
        value = least;
    }
    return value;
}

static double get_f64(reading *x, const char *name)
{
    double value = 0;

    if (was_read(x, edgefile_get_f64(x->r, name, &value)) && !(value >= 0 && value <= 1)) {
        wrong(x, "%s is %g, allowed: 0 to 1", name, value);
        value = 0;
    }
    return value;
}

static uint64_t get_vertices(reading *x, const char *name, const char *scale_name, int scale)
{
    const uint64_t full = (uint64_t)1 << scale, least = scale == 1 ? 1 : full / 2 + 1;
    uint64_t vertices = full;

    if (was_read(x, edgefile_get_u64(x->r, name, &vertices)) &&
        (vertices < least || vertices > full)) {
        wrong(x, "%s is %" PRIu64 ", with %s %d allowed: %" PRIu64 " to %" PRIu64, name, vertices,
              scale_name, scale, least, full);
    }
    return vertices;
}

/* The place of a text attribute among n names; 0 if it is none of them. */
static unsigned get_name(reading *x, const char *name, const char *const names[], unsigned n,
                         const char *allowed)
{
    unsigned place = 0;
    char text[64];

    if (!was_read(x, edgefile_get_string(x->r, name, text, sizeof text))) {
        return 0;
    }
    while (place < n && strcmp(text, names[place]) != 0) {
        place++;
    }
    if (place == n) {
        wrong(x, "%s is '%s', allowed: %s", name, text, allowed);
    }
    return place % n;
}

/* Either a, b, c, d, or the levels' own, or both: with noise. */
static void read_matrices(reading *x, file_model *m)
{
    rmat_config *c = &m->given;
    const int scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
    uint64_t count = 0;
    double a;
    int status;

    c->noise = get_f64(x, "noise");
    status = edgefile_get_f64s(x->r, "matrices", &m->levels[0].a, 4 * RMAT_MAX_SCALE, &count);
    m->has_levels = status == EDGEFILE_OK;
    if ((m->has_levels || c->noise > 0) && was_read(x, status) && count != 4 * (uint64_t)scale) {
        wrong(x, "matrices has %" PRIu64 " numbers, expected 4 for each of %d levels", count,
              scale);
    }
    if (m->has_levels && edgefile_get_f64(x->r, "a", &a) != EDGEFILE_OK) {
        c->levels = m->levels;
    } else {
        c->matrix.a = get_f64(x, "a");
        c->matrix.b = get_f64(x, "b");
        c->matrix.c = get_f64(x, "c");
        c->matrix.d = get_f64(x, "d");
    }
}

static void read_weights(reading *x, rmat_config *c)
{
    char text[MODEL_WEIGHTS], same[MODEL_WEIGHTS];

    if (was_read(x, edgefile_get_string(x->r, "weights", text, sizeof text)) &&
        (!model_parse_weights(text, c) || strcmp(text, model_weights_name(same, c)) != 0)) {
        wrong(x, "weights is '%s', allowed: none, uniform, int:MIN:MAX, float:MIN:MAX", text);
    }
}

static void read_stream(reading *x, rmat_config *c)
{
    const char *names[RMAT_STREAMS];
    char text[2];

    for (unsigned i = 0; i < RMAT_STREAMS; i++) {
        names[i] = rmat_stream_name((rmat_stream)i);
    }
    /* Files of stream version 1 do not name the stream. */
    if (edgefile_get_string(x->r, "stream", text, sizeof text) == EDGEFILE_OK) {
        c->stream =
            (rmat_stream)get_name(x, "stream", names, RMAT_STREAMS, "rmat, graph500, gapbs, rows");
    }
    if (c->stream == RMAT_STREAM_GRAPH500) {
        c->seed2 = get_u64(x, "seed2", 0, UINT64_MAX);
    }
}

/* Files that are not sorted say nothing of it. */
static void read_order(reading *x, model_order *order)
{
    uint64_t dedup = 0;
    char text[64];

    order->edges = edgefile_edges(x->r);
    order->csr = edgefile_format_of(x->r) == EDGEFILE_CSR;
    order->id_bytes = edgefile_id_bytes(x->r);
    order->signed_ids = edgefile_signed_ids(x->r);
    if (!order->csr && edgefile_get_string(x->r, "order", text, sizeof text) != EDGEFILE_OK) {
        return;
    }
    order->sorted = true;
    if (was_read(x, edgefile_get_string(x->r, "order", text, sizeof text)) &&
        strcmp(text, "sorted") != 0) {
        wrong(x, "order is '%s', allowed: sorted", text);
    }
    order->unique = get_u64(x, "unique", 0, 1) != 0;
    order->dedup = edgefile_get_u64(x->r, "dedup", &dedup) == EDGEFILE_OK;
    if (order->dedup && (dedup != 1 || !order->unique)) {
        wrong(x, "dedup is %" PRIu64 ", allowed: 1 in a file whose attribute unique is 1", dedup);
    }
    order->stream_edges = get_u64(x, "stream_edges", 0, RMAT_MAX_EDGES);
}

/* Copies of edges and the loops of an official stream are drawn, but not in the graph. */
static uint64_t read_base_edges(reading *x, const file_model *m)
{
    const model_order *o = &m->order;
    const int reversed = m->given.symmetrize != 0;

    if (o->unique && !o->dedup && reversed) { /* a loop is its own reverse */
        return get_u64(x, "pairs", 0, RMAT_MAX_EDGES);
    }
    return (o->dedup || (rmat_is_official(m->given.stream) && m->given.no_self_loops)
                ? o->stream_edges
                : o->edges) >>
           reversed;
}

int model_read(file_model *m, edgefile_reader *r, model_complaint complain, void *state)
{
    reading x = {r, complain, state, 0};
    rmat_config *c = &m->given;

    memset(m, 0, sizeof *m);
    rmat_config_default(c);
    read_stream(&x, c);
    c->rows_scale = (int)get_u64(&x, "rows_scale", 1, RMAT_MAX_SCALE);
    c->cols_scale = (int)get_u64(&x, "cols_scale", 1, RMAT_MAX_SCALE);
    if (x.status == 0) { /* the others depend on these */
        c->rows = get_vertices(&x, "num_rows", "rows_scale", c->rows_scale);
        c->cols = get_vertices(&x, "num_cols", "cols_scale", c->cols_scale);
        read_matrices(&x, m);
    }
    c->permute = (int)get_u64(&x, "permute", 0, 1);
    c->no_self_loops = !get_u64(&x, "self_loops", 0, 1);
    c->direction = (rmat_direction)get_name(&x, "direction", model_direction_names, 3,
                                            "directed, lower, upper");
    c->symmetrize = (int)get_u64(&x, "symmetrize", 0, 1);
    read_weights(&x, c);
    c->seed = get_u64(&x, "seed", 0, UINT64_MAX);
    if (edgefile_get_u64(r, "first", &c->first) == EDGEFILE_OK) {
        c->first = get_u64(&x, "first", 1, RMAT_MAX_EDGES);
    }
    read_order(&x, &m->order);
    m->base_edges = read_base_edges(&x, m);
    if (c->stream == RMAT_STREAM_ROWS) {
        c->edges = m->base_edges;
    }
    m->drawn = *c;
    m->drawn.noise = 0;
    m->drawn.levels = m->has_levels ? m->levels : NULL;
    return x.status;
}
