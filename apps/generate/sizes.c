/* How many vertices and edges: what scales, counts, classes and presets come to. */
#include "apps/common/message.h"
#include "apps/generate/describe.h"
#include "apps/generate/model.h"
#include "datasets/presets.h"
#include <inttypes.h>
#include <stdio.h>

#define PRESET_SIZES(name, a, b, c, d, factor, scale) {factor, scale},
#define CLASS_SCALE(name, scale)                      scale,

static const struct {
    uint64_t edge_factor, scale;
} presets[] = {RMAT_PRESETS(PRESET_SIZES)};

static const uint64_t class_scales[] = {RMAT_CLASSES(CLASS_SCALE)};

static int check_class(const generate_values *raw, const bool *given)
{
    static const int others[] = {GENERATE_SCALE,
                                 GENERATE_ROWS_SCALE,
                                 GENERATE_COLS_SCALE,
                                 GENERATE_VERTICES,
                                 GENERATE_ROWS,
                                 GENERATE_COLS,
                                 GENERATE_A,
                                 GENERATE_B,
                                 GENERATE_C,
                                 GENERATE_D,
                                 GENERATE_LEVEL_MATRICES,
                                 -1};
    int other = given[GENERATE_CLASS] ? generate_any(given, others) : -1;

    if (given[GENERATE_CLASS] && raw->preset != 0) {
        return usage_error("generate", "--class: given with --preset %s, allowed: with %s",
                           generate_table[GENERATE_PRESET].choices[raw->preset],
                           generate_table[GENERATE_PRESET].choices[0]);
    }
    return other >= 0 ? generate_error_pair(GENERATE_CLASS, other) : EXIT_OK;
}

static int scale_of(uint64_t vertices)
{
    int scale = 1;

    while (scale < RMAT_MAX_SCALE && (uint64_t)1 << scale < vertices) {
        scale++;
    }
    return scale;
}

/* A side's own options, or what both sides have. */
static void resolve_side(const generate_values *raw, const bool *given, uint64_t both,
                         rmat_side side, rmat_config *model)
{
    bool rows = side == RMAT_ROWS;
    uint64_t vertices = both;

    if (given[rows ? GENERATE_ROWS_SCALE : GENERATE_COLS_SCALE]) {
        vertices = (uint64_t)1 << (rows ? raw->rows_scale : raw->cols_scale);
    } else if (given[rows ? GENERATE_ROWS : GENERATE_COLS]) {
        vertices = rows ? raw->rows : raw->cols;
    }
    *(rows ? &model->rows : &model->cols) = vertices;
    *(rows ? &model->rows_scale : &model->cols_scale) = scale_of(vertices);
}

int generate_resolve_sizes(const generate_values *raw, const bool *given, rmat_config *model)
{
    static const int row_options[] = {GENERATE_ROWS_SCALE, GENERATE_ROWS, -1},
                     col_options[] = {GENERATE_COLS_SCALE, GENERATE_COLS, -1};
    int both = given[GENERATE_SCALE]      ? GENERATE_SCALE
               : given[GENERATE_VERTICES] ? GENERATE_VERTICES
                                          : -1,
        row, col;
    uint64_t scale = given[GENERATE_CLASS] ? class_scales[raw->size_class]
                     : !given[GENERATE_SCALE] && presets[raw->preset].scale != 0
                         ? presets[raw->preset].scale
                         : raw->scale;

    if (check_class(raw, given) != EXIT_OK) {
        return EXIT_USAGE;
    }
    if (given[GENERATE_SCALE] && given[GENERATE_VERTICES]) {
        return generate_error_pair(GENERATE_VERTICES, GENERATE_SCALE);
    }
    if (given[GENERATE_ROWS_SCALE] && given[GENERATE_ROWS]) {
        return generate_error_pair(GENERATE_ROWS, GENERATE_ROWS_SCALE);
    }
    if (given[GENERATE_COLS_SCALE] && given[GENERATE_COLS]) {
        return generate_error_pair(GENERATE_COLS, GENERATE_COLS_SCALE);
    }
    row = generate_any(given, row_options);
    col = generate_any(given, col_options);
    if (row >= 0 && col >= 0 && both >= 0) {
        return usage_error(
            "generate", "--%s: given together with --%s and --%s, allowed: two of the three",
            generate_option_name(both), generate_option_name(row), generate_option_name(col));
    }
    if ((row >= 0) != (col >= 0) && both < 0) {
        return usage_error("generate",
                           "--%s: given alone, allowed: together with --%s, --%s, --scale or "
                           "--vertices",
                           generate_option_name(row >= 0 ? row : col),
                           row >= 0 ? "cols-scale" : "rows-scale", row >= 0 ? "cols" : "rows");
    }
    for (int side = RMAT_ROWS; side <= RMAT_COLS; side++) {
        resolve_side(raw, given, both == GENERATE_VERTICES ? raw->vertices : (uint64_t)1 << scale,
                     (rmat_side)side, model);
    }
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

int generate_resolve_edges(const generate_values *raw, const bool *given, generate_options *out)
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
