/* From the options to the model: how many vertices and edges there are, matrices, and what becomes
 * of edges. */
#include "apps/generate/model.h"
#include "apps/client/edge_options.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/generate/generate.h"
#include "datasets/presets.h"
#include "rmat/rmat_gapbs.h"
#include "rmat/rmat_graph500.h"
#include "rmat/rmat_source.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *option_name(int which)
{
    return generate_table[which].name;
}

int generate_any(const bool *given, const int *options)
{
    while (*options >= 0 && !given[*options]) {
        options++;
    }
    return *options;
}

int generate_error_pair(int one, int other)
{
    return usage_error("generate", "--%s: given together with --%s, allowed: one of them",
                       option_name(one), option_name(other));
}

/* Sizes: what scales, counts and presets come to. */

#define PRESET(name, a, b, c, d, factor, scale) {{a, b, c, d}, factor, scale},

static const struct {
    rmat_matrix matrix;
    uint64_t edge_factor, scale;
} presets[] = {RMAT_PRESETS(PRESET)};

/* How many vertices there are. */
static int resolve_sizes(const generate_values *raw, const bool *given, rmat_config *m)
{
    const uint64_t own = presets[raw->preset].scale;
    const option_pair scale =
        given[GENERATE_SCALE] || own == 0 ? raw->scale : (option_pair){own, own};

    if (given[GENERATE_SCALE] && given[GENERATE_VERTICES]) {
        return generate_error_pair(GENERATE_VERTICES, GENERATE_SCALE);
    }
    m->rows = given[GENERATE_VERTICES] ? raw->vertices.first : (uint64_t)1 << scale.first;
    m->cols = given[GENERATE_VERTICES] ? raw->vertices.second : (uint64_t)1 << scale.second;
    m->rows_scale = rmat_scale_of(m->rows);
    m->cols_scale = rmat_scale_of(m->cols);
    return EXIT_OK;
}

/* Edges of the whole list become those of a slice. */
static int resolve_slice(const generate_values *raw, const bool *given, generate_options *out)
{
    const uint64_t all = out->job.edges, rest = raw->first < all ? all - raw->first : 0;

    if (raw->first > all) {
        return usage_error("generate",
                           "--first: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                           ", the number of edges of the list",
                           raw->first, all);
    }
    if (given[GENERATE_COUNT] && raw->count > rest) {
        return usage_error("generate",
                           "--count: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                           ", the edges of the list from --first on",
                           raw->count, rest);
    }
    out->job.model.first = raw->first;
    out->job.edges = given[GENERATE_COUNT] ? raw->count : rest;
    return EXIT_OK;
}

/* Once the model is complete: how many edges. */
static int resolve_edges(const generate_values *raw, const bool *given, generate_options *out)
{
    uint64_t factor =
        given[GENERATE_EDGE_FACTOR] ? raw->edge_factor : presets[raw->preset].edge_factor;
    uint64_t rows = out->job.model.rows, all = RMAT_MAX_EDGES >> out->job.model.symmetrize;
    uint64_t most = all / rows;
    char text[NUMBER_TEXT], range[64] = "";

    if (given[GENERATE_EDGES] && given[GENERATE_EDGE_FACTOR]) {
        return generate_error_pair(GENERATE_EDGES, GENERATE_EDGE_FACTOR);
    }
    if (given[GENERATE_EDGES] && raw->edges > all) {
        return usage_error("generate",
                           "--edges: '%" PRIu64 "' is out of range with --symmetrize, allowed: "
                           "0 to %" PRIu64 " (2^61)",
                           raw->edges, all);
    }
    if (!given[GENERATE_EDGES] && factor > most) {
        if (most > 0) {
            snprintf(range, sizeof range, "1 to %" PRIu64 ", or ", most);
        }
        return usage_error("generate",
                           "--edge-factor: '%" PRIu64 "' is out of range with %s source "
                           "vertices%s, allowed: %s--edges",
                           factor, format_vertices(text, rows),
                           out->job.model.symmetrize ? " and --symmetrize" : "", range);
    }
    out->job.edges = given[GENERATE_EDGES] ? raw->edges : factor * rows;
    return resolve_slice(raw, given, out);
}

/* The model. */

static int resolve_probabilities(const generate_values *raw, const bool *given, rmat_matrix *matrix)
{
    double sum;

    for (int i = GENERATE_A; i <= GENERATE_C; i++) {
        if (!given[i]) {
            return usage_error("generate",
                               "--%s: missing, allowed: --a, --b and --c together, or none "
                               "of --a --b --c --d",
                               option_name(i));
        }
    }
    *matrix = (rmat_matrix){raw->a, raw->b, raw->c, raw->d};
    if (!given[GENERATE_D]) {
        /* To 15 decimals: 1 - 0.57 - 0.19 - 0.19 shall be the same 0.05 that one can type. */
        matrix->d = rint((1 - raw->a - raw->b - raw->c) * 1e15) / 1e15;
        if (matrix->d <= 0 && matrix->d > -1e-9) {
            matrix->d = 0; /* neither a rounding error below 0 nor -0 */
        }
    }
    sum = matrix->a + matrix->b + matrix->c + (given[GENERATE_D] ? matrix->d : 0);
    if (matrix->d < 0 || (given[GENERATE_D] && fabs(sum - 1) > 1e-9)) {
        return usage_error(
            "generate",
            MESSAGE_OPTIONS("--a --b --c%s") ": the sum '%.12g' is out of range, allowed: %s",
            given[GENERATE_D] ? " --d" : "", sum, given[GENERATE_D] ? "1 within 1e-9" : "0 to 1");
    }
    return EXIT_OK;
}

static int resolve_matrices(const generate_values *raw, const bool *given, generate_options *out)
{
    static const int single[] = {GENERATE_A, GENERATE_B, GENERATE_C, GENERATE_D, -1},
                     others[] = {GENERATE_PRESET, GENERATE_A, GENERATE_B,
                                 GENERATE_C,      GENERATE_D, -1};
    rmat_config *m = &out->job.model;
    int one = generate_any(given, single), other = generate_any(given, others), status = EXIT_OK;

    if (given[GENERATE_LEVEL_MATRICES] && other >= 0) {
        return generate_error_pair(GENERATE_LEVEL_MATRICES, other);
    }
    if (one >= 0 && given[GENERATE_PRESET]) {
        return generate_error_pair(one, GENERATE_PRESET);
    }
    if (given[GENERATE_LEVEL_MATRICES]) {
        status = generate_read_levels(raw->level_matrices,
                                      m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale,
                                      out->levels);
        m->levels = out->levels;
    } else if (one >= 0) {
        status = resolve_probabilities(raw, given, &m->matrix);
    } else {
        m->matrix = presets[raw->preset].matrix;
    }
    if (status != EXIT_OK) {
        return status;
    }
    m->noise = raw->noise > 0 ? raw->noise : 0; /* no -0 */
    if (m->noise > rmat_noise_limit(m)) {
        char x[NUMBER_TEXT], limit[NUMBER_TEXT];

        return usage_error("generate",
                           "--noise: '%s' is out of range with these matrices, allowed: 0 to %s, "
                           "min((a+d)/2, b, c) of every level",
                           format_double(x, m->noise), format_double(limit, rmat_noise_limit(m)));
    }
    return EXIT_OK;
}

static int resolve_weights(const generate_values *raw, generate_options *out)
{
    if (!edge_options_weights(raw->weights, &out->job.model)) {
        return usage_error("generate", "--weights: '%s' is unknown, allowed: %s", raw->weights,
                           generate_table[GENERATE_WEIGHTS].allowed);
    }
    return EXIT_OK;
}

/* What only a square graph has. */
static int resolve_turns(const generate_values *raw, const bool *given, rmat_config *m)
{
    /* The presets whose benchmarks permute the vertices: the first two. */
    const bool implied = given[GENERATE_PRESET] && raw->preset <= 1;
    static const int options[] = {GENERATE_NO_SELF_LOOPS, GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE,
                                  GENERATE_SIMPLE, -1};
    int which = generate_any(given, options);
    char rows[NUMBER_TEXT], cols[NUMBER_TEXT];

    m->permute = raw->permute || implied;
    m->no_self_loops = raw->no_self_loops || raw->simple;
    m->symmetrize = raw->symmetrize || raw->simple;
    m->direction =
        given[GENERATE_UNDIRECTED] ? (rmat_direction)(RMAT_LOWER + raw->undirected) : RMAT_DIRECTED;
    if (which >= 0 && m->rows != m->cols) {
        return usage_error("generate",
                           "--%s: given with %s source and %s destination vertices, allowed: "
                           "with equal numbers of both",
                           option_name(which), format_vertices(rows, m->rows),
                           format_vertices(cols, m->cols));
    }
    return EXIT_OK;
}

const char *generate_redraw_option(const bool *given, const rmat_config *model)
{
    rmat_config m = *model;
    rmat_expectation e;

    m.no_self_loops = 0;
    m.isa = RMAT_ISA_AUTO; /* whether there is the one asked for shows later */
    return option_name(!given[GENERATE_VERTICES] ||
                               (rmat_expect(&m, &e) == RMAT_OK && e.kept * RMAT_MAX_REDRAW >= 1)
                           ? GENERATE_NO_SELF_LOOPS
                           : GENERATE_VERTICES);
}

/* An official stream has one model; the stream by rows, whose edges depend on one another, no
 * slices. */
static int resolve_stream(const generate_values *raw, const bool *given, rmat_config *m)
{
    static const int others[] = {
        GENERATE_VERTICES, GENERATE_PRESET,         GENERATE_A,     GENERATE_B, GENERATE_C,
        GENERATE_D,        GENERATE_LEVEL_MATRICES, GENERATE_NOISE, -1};
    static const int slices[] = {GENERATE_FIRST, GENERATE_COUNT, -1};
    const bool official = rmat_is_official((rmat_stream)raw->stream);
    const int other = official                          ? generate_any(given, others)
                      : raw->stream == RMAT_STREAM_ROWS ? generate_any(given, slices)
                                                        : -1;

    m->stream = (rmat_stream)raw->stream;
    m->seed = raw->seed;
    m->seed2 = given[GENERATE_SEED2] ? raw->seed2 : RMAT_GRAPH500_SEED2;
    if (official && !given[GENERATE_SEED]) {
        m->seed = m->stream == RMAT_STREAM_GRAPH500 ? RMAT_GRAPH500_SEED1 : RMAT_GAPBS_SEED;
    }
    if (m->stream == RMAT_STREAM_GAPBS && m->seed > UINT32_MAX) {
        return usage_error("generate",
                           "--seed: '%" PRIu64
                           "' is out of range with --stream %s, allowed: 0 to %" PRIu32,
                           m->seed, rmat_stream_name(m->stream), UINT32_MAX);
    }
    if (official && raw->scale.first != raw->scale.second) {
        return usage_error("generate",
                           "--scale: '%" PRIu64 "x%" PRIu64
                           "' given with --stream %s, allowed: one number, for both sides",
                           raw->scale.first, raw->scale.second, rmat_stream_name(m->stream));
    }
    if (m->stream == RMAT_STREAM_GAPBS && raw->scale.first > RMAT_GAPBS_MAX_SCALE) {
        return usage_error(
            "generate", "--scale: '%" PRIu64 "' is out of range with --stream %s, allowed: 1 to %d",
            raw->scale.first, rmat_stream_name(m->stream), RMAT_GAPBS_MAX_SCALE);
    }
    if (m->stream != RMAT_STREAM_RMAT && given[GENERATE_UNIQUE]) {
        return usage_error("generate", "--unique: given with --stream %s, allowed: --dedup",
                           rmat_stream_name(m->stream));
    }
    if (other >= 0) {
        return usage_error("generate", "--%s: given with --stream %s, allowed: with --stream rmat",
                           option_name(other), rmat_stream_name(m->stream));
    }
    return given[GENERATE_SEED2] && m->stream != RMAT_STREAM_GRAPH500
               ? usage_error("generate",
                             "--seed2: given with --stream %s, allowed: with --stream graph500",
                             rmat_stream_name(m->stream))
               : EXIT_OK;
}

int generate_resolve_model(const generate_values *raw, const bool *given, generate_options *out)
{
    int status;

    if ((status = resolve_stream(raw, given, &out->job.model)) != EXIT_OK ||
        (status = resolve_sizes(raw, given, &out->job.model)) != EXIT_OK ||
        (status = resolve_matrices(raw, given, out)) != EXIT_OK ||
        (status = resolve_turns(raw, given, &out->job.model)) != EXIT_OK ||
        (status = resolve_weights(raw, out)) != EXIT_OK) {
        return status;
    }
    return resolve_edges(raw, given, out);
}
