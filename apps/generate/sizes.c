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
    static const int others[] = {SCALE, ROWS_SCALE, COLS_SCALE, VERTICES, ROWS,           COLS,
                                 A,     B,          C,          D,        LEVEL_MATRICES, -1};
    int other = given[CLASS] ? generate_any(given, others) : -1;

    if (given[CLASS] && raw->preset != 0) {
        return usage_error("generate", "--class: given with --preset %s, allowed: with %s",
                           generate_table[PRESET].choices[raw->preset],
                           generate_table[PRESET].choices[0]);
    }
    return other >= 0 ? generate_error_pair(CLASS, other) : EXIT_OK;
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

    if (given[rows ? ROWS_SCALE : COLS_SCALE]) {
        vertices = (uint64_t)1 << (rows ? raw->rows_scale : raw->cols_scale);
    } else if (given[rows ? ROWS : COLS]) {
        vertices = rows ? raw->rows : raw->cols;
    }
    *(rows ? &model->rows : &model->cols) = vertices;
    *(rows ? &model->rows_scale : &model->cols_scale) = scale_of(vertices);
}

int generate_resolve_sizes(const generate_values *raw, const bool *given, rmat_config *model)
{
    static const int row_options[] = {ROWS_SCALE, ROWS, -1}, col_options[] = {COLS_SCALE, COLS, -1};
    int both = given[SCALE] ? SCALE : given[VERTICES] ? VERTICES : -1, row, col;
    uint64_t scale = given[CLASS] ? class_scales[raw->size_class]
                     : !given[SCALE] && presets[raw->preset].scale != 0 ? presets[raw->preset].scale
                                                                        : raw->scale;

    if (check_class(raw, given) != EXIT_OK) {
        return EXIT_USAGE;
    }
    if (given[SCALE] && given[VERTICES]) {
        return generate_error_pair(VERTICES, SCALE);
    }
    if (given[ROWS_SCALE] && given[ROWS]) {
        return generate_error_pair(ROWS, ROWS_SCALE);
    }
    if (given[COLS_SCALE] && given[COLS]) {
        return generate_error_pair(COLS, COLS_SCALE);
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
        resolve_side(raw, given, both == VERTICES ? raw->vertices : (uint64_t)1 << scale,
                     (rmat_side)side, model);
    }
    return EXIT_OK;
}

int generate_resolve_edges(const generate_values *raw, const bool *given, generate_options *out)
{
    uint64_t factor = given[EDGE_FACTOR] ? raw->edge_factor : presets[raw->preset].edge_factor;
    uint64_t rows = out->job.model.rows, all = RMAT_MAX_EDGES >> out->job.model.symmetrize;
    uint64_t most = all / rows;
    char text[NUMBER_TEXT], range[64] = "";

    if (given[EDGES] && given[EDGE_FACTOR]) {
        return generate_error_pair(EDGES, EDGE_FACTOR);
    }
    if (given[EDGES] && raw->edges > all) {
        return usage_error("generate",
                           "--edges: '%" PRIu64 "' is out of range with --symmetrize, allowed: "
                           "0 to %" PRIu64 " (2^61)",
                           raw->edges, all);
    }
    if (!given[EDGES] && factor > most) {
        if (most > 0) {
            snprintf(range, sizeof range, "1 to %" PRIu64 ", or ", most);
        }
        return usage_error("generate",
                           "--edge-factor: '%" PRIu64 "' is out of range with %s source "
                           "vertices%s, allowed: %s--edges",
                           factor, format_vertices(text, rows),
                           out->job.model.symmetrize ? " and --symmetrize" : "", range);
    }
    out->job.edges = given[EDGES] ? raw->edges : factor * rows;
    return EXIT_OK;
}
