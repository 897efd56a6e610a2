/*
 * The model that the attributes of a file describe.
 *
 * Every attribute is read by its type and checked against its allowed range; each complaint names
 * the attribute, so that `verify` can report all of them and not only the first.
 */
#include "apps/engine/attributes/model_attrs.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    edgefile_reader *r;
    model_complaint complain;
    void *state;
    int status;
} reading;

__attribute__((format(printf, 2, 3))) static void wrong(reading *x, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (x->complain != NULL) {
        x->complain(x->state, text);
    }
    x->status = -1;
}

static uint64_t get_u64(reading *x, const char *name, uint64_t least, uint64_t most)
{
    uint64_t value = least;

    if (edgefile_get_u64(x->r, name, &value) != EDGEFILE_OK) {
        wrong(x, "%s", edgefile_detail_of(x->r));
    } else if (value < least || value > most) {
        wrong(x, "%s is %" PRIu64 ", allowed: %" PRIu64 " to %" PRIu64, name, value, least, most);
        value = least;
    }
    return value;
}

static double get_f64(reading *x, const char *name)
{
    double value = 0;

    if (edgefile_get_f64(x->r, name, &value) != EDGEFILE_OK) {
        wrong(x, "%s", edgefile_detail_of(x->r));
    } else if (!(value >= 0 && value <= 1)) {
        wrong(x, "%s is %g, allowed: 0 to 1", name, value);
        value = 0;
    }
    return value;
}

static bool get_string(reading *x, const char *name, char *text, size_t size)
{
    if (edgefile_get_string(x->r, name, text, size) != EDGEFILE_OK) {
        wrong(x, "%s", edgefile_detail_of(x->r));
        return false;
    }
    return true;
}

static bool is_there(reading *x, const char *name)
{
    double value;
    uint64_t count;

    return edgefile_get_f64(x->r, name, &value) == EDGEFILE_OK ||
           edgefile_get_f64s(x->r, name, NULL, 0, &count) == EDGEFILE_OK;
}

/* 0 where there are as many vertices as the scale has room for, as in rmat_config. */
static uint64_t read_vertices(reading *x, const char *name, const char *scale_name, int scale)
{
    uint64_t full = (uint64_t)1 << scale, least = scale == 1 ? 1 : full / 2 + 1, vertices = full;

    if (edgefile_get_u64(x->r, name, &vertices) != EDGEFILE_OK) {
        wrong(x, "%s", edgefile_detail_of(x->r));
    } else if (vertices < least || vertices > full) {
        wrong(x, "%s is %" PRIu64 ", with %s %d allowed: %" PRIu64 " to %" PRIu64, name, vertices,
              scale_name, scale, least, full);
    }
    return vertices == full ? 0 : vertices;
}

static void read_levels(reading *x, file_model *m)
{
    int scale =
        m->given.rows_scale > m->given.cols_scale ? m->given.rows_scale : m->given.cols_scale;
    double values[4 * RMAT_MAX_SCALE];
    uint64_t count = 0;

    if (edgefile_get_f64s(x->r, "matrices", values, 4 * RMAT_MAX_SCALE, &count) != EDGEFILE_OK) {
        wrong(x, "%s", edgefile_detail_of(x->r));
    } else if (count != 4 * (uint64_t)scale) {
        wrong(x, "matrices has %" PRIu64 " numbers, expected 4 for each of %d levels", count,
              scale);
    } else {
        for (int l = 0; l < scale; l++) {
            const double *v = values + (ptrdiff_t)4 * l;

            m->levels[l] = (rmat_matrix){v[0], v[1], v[2], v[3]};
        }
    }
}

/* Either a, b, c, d, or the levels' own, or both: with noise. */
static void read_matrices(reading *x, file_model *m)
{
    bool one = false;

    m->has_levels = is_there(x, "matrices");
    for (const char *name = "a\0b\0c\0d\0"; *name != '\0'; name += 2) {
        one = one || is_there(x, name);
    }
    m->given.noise = get_f64(x, "noise");
    if (one || !m->has_levels) {
        m->given.matrix.a = get_f64(x, "a");
        m->given.matrix.b = get_f64(x, "b");
        m->given.matrix.c = get_f64(x, "c");
        m->given.matrix.d = get_f64(x, "d");
    }
    if (m->has_levels || m->given.noise > 0) {
        read_levels(x, m);
    }
    m->given.levels = one || !m->has_levels ? NULL : m->levels;
}

static void read_direction(reading *x, rmat_config *c)
{
    char text[64];

    if (!get_string(x, "direction", text, sizeof text)) {
        return;
    }
    for (c->direction = RMAT_DIRECTED; c->direction <= RMAT_UPPER; c->direction++) {
        if (strcmp(text, model_direction_name(c->direction)) == 0) {
            return;
        }
    }
    c->direction = RMAT_DIRECTED;
    wrong(x, "direction is '%s', allowed: directed, lower, upper", text);
}

static void read_weights(reading *x, rmat_config *c)
{
    char text[MODEL_WEIGHTS], same[MODEL_WEIGHTS];

    if (!get_string(x, "weights", text, sizeof text)) {
        return;
    }
    if (sscanf(text, "int:%" SCNd32 ":%" SCNd32, &c->weight_min, &c->weight_max) == 2) {
        c->weights = RMAT_WEIGHTS_INT;
    } else if (sscanf(text, "float:%f:%f", &c->weight_low, &c->weight_high) == 2) {
        c->weights = RMAT_WEIGHTS_FLOAT;
    } else if (strcmp(text, "uniform") == 0) {
        c->weights = RMAT_WEIGHTS_UNIFORM;
    }
    if (strcmp(text, model_weights_name(same, c)) != 0) {
        wrong(x, "weights is '%s', allowed: none, uniform, int:MIN:MAX, float:MIN:MAX", text);
    }
}

/* Files of stream version 1 do not name the stream. */
static void read_stream(reading *x, rmat_config *c)
{
    char text[64];
    const char *name;

    if (edgefile_get_string(x->r, "stream", text, sizeof text) != EDGEFILE_OK) {
        return;
    }
    for (c->stream = RMAT_STREAM_RMAT; (unsigned)c->stream < RMAT_STREAMS; c->stream++) {
        name = rmat_stream_name(c->stream);
        if (strcmp(text, name) == 0) {
            break;
        }
    }
    if ((unsigned)c->stream == RMAT_STREAMS) {
        c->stream = RMAT_STREAM_RMAT;
        wrong(x, "stream is '%s', allowed: rmat, graph500, gapbs, rows", text);
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
    if (!order->csr && edgefile_get_string(x->r, "order", text, sizeof text) != EDGEFILE_OK) {
        return;
    }
    order->sorted = true;
    if (get_string(x, "order", text, sizeof text) && strcmp(text, "sorted") != 0) {
        wrong(x, "order is '%s', allowed: sorted", text);
    }
    order->unique = get_u64(x, "unique", 0, 1) != 0;
    order->dedup = edgefile_get_u64(x->r, "dedup", &dedup) == EDGEFILE_OK;
    if (order->dedup && (dedup != 1 || !order->unique)) {
        wrong(x, "dedup is %" PRIu64 ", allowed: 1 in a file whose attribute unique is 1", dedup);
    }
    order->stream_edges = get_u64(x, "stream_edges", 0, RMAT_MAX_EDGES);
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
        c->rows = read_vertices(&x, "num_rows", "rows_scale", c->rows_scale);
        c->cols = read_vertices(&x, "num_cols", "cols_scale", c->cols_scale);
        read_matrices(&x, m);
    }
    c->permute = (int)get_u64(&x, "permute", 0, 1);
    c->no_self_loops = !get_u64(&x, "self_loops", 0, 1);
    read_direction(&x, c);
    c->symmetrize = (int)get_u64(&x, "symmetrize", 0, 1);
    read_weights(&x, c);
    c->seed = get_u64(&x, "seed", 0, UINT64_MAX);
    if (edgefile_get_u64(r, "first", &c->first) == EDGEFILE_OK) {
        c->first = get_u64(&x, "first", 1, RMAT_MAX_EDGES);
    }
    read_order(&x, &m->order);
    if (c->stream == RMAT_STREAM_ROWS) {
        c->edges = model_base_edges(r, m);
    }
    m->drawn = *c;
    m->drawn.noise = 0;
    m->drawn.levels = m->has_levels ? m->levels : NULL;
    return x.status;
}

uint64_t model_base_edges(edgefile_reader *r, const file_model *model)
{
    /* Of a graph whose copies were dropped the draws are known. */
    const uint64_t draws = model->order.stream_edges >> (model->given.symmetrize != 0);

    char text[MODEL_COMMAND];
    const char *at;
    uint64_t edges = edgefile_edges(r) / (model->given.symmetrize ? 2 : 1);

    if (model->order.dedup) {
        return draws;
    }
    if (((model->order.unique && model->given.symmetrize) ||
         (rmat_is_official(model->given.stream) && model->given.no_self_loops)) &&
        edgefile_get_string(r, "command", text, sizeof text) == EDGEFILE_OK &&
        (at = strstr(text, " --edges ")) != NULL) {
        edges = strtoull(at + strlen(" --edges "), NULL, 10) - model->given.first;
    }
    return edges;
}
