/* options.c - from the options of `rmat generate` to a job and its plan: the model, with numbers of
 * vertices and edges and matrices, also from a file, and the steps after the draw; then the output
 * file, its format, what that requires and excludes, and GAPBS's own graphs. */
#include "apps/client/client.h"
#include "apps/generate/generate.h"
#include "datasets/presets.h"
#include "rmat/rmat_source.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME(which) generate_table[which].name

/* The first given option of a list that ends with -1, or -1. */
static int any(const generate_options *o, const int *options)
{
    while (*options >= 0 && !o->given[*options]) {
        options++;
    }
    return *options;
}

static int error_pair(int one, int other)
{
    return refuse("--%s: given together with --%s, allowed: one of them", NAME(one), NAME(other));
}

/* Sizes: what scales, counts and presets come to. */

#define PRESET(name, a, b, c, d, factor, scale) {{a, b, c, d}, factor, scale},

static const struct {
    rmat_matrix matrix;
    uint64_t edge_factor, scale;
} presets[] = {RMAT_PRESETS(PRESET)};

/* How many vertices there are. */
static int resolve_sizes(generate_options *o)
{
    const uint64_t own = presets[o->preset].scale;
    const option_pair scale =
        o->given[GENERATE_SCALE] || own == 0 ? o->scale : (option_pair){own, own};
    rmat_config *m = &o->job.model;

    if (o->given[GENERATE_SCALE] && o->given[GENERATE_VERTICES]) {
        return error_pair(GENERATE_VERTICES, GENERATE_SCALE);
    }
    m->rows = o->given[GENERATE_VERTICES] ? o->vertices.first : (uint64_t)1 << scale.first;
    m->cols = o->given[GENERATE_VERTICES] ? o->vertices.second : (uint64_t)1 << scale.second;
    m->rows_scale = rmat_scale_of(m->rows);
    m->cols_scale = rmat_scale_of(m->cols);
    return EXIT_OK;
}

/* Once the model is complete: how many edges. */
static int resolve_edges(generate_options *o)
{
    const bool given = o->given[GENERATE_EDGES];
    const uint64_t factor =
        o->given[GENERATE_EDGE_FACTOR] ? o->edge_factor : presets[o->preset].edge_factor;
    const uint64_t rows = o->job.model.rows, first = o->job.model.first;
    const uint64_t most = RMAT_MAX_EDGES >> o->job.model.symmetrize;
    const uint64_t all = given ? o->job.edges : factor * rows;
    char range[64] = "";

    if (given && o->given[GENERATE_EDGE_FACTOR]) {
        return error_pair(GENERATE_EDGES, GENERATE_EDGE_FACTOR);
    }
    if (given && all > most) {
        return refuse("--edges: '%" PRIu64 "' is out of range with --symmetrize, allowed: "
                      "0 to %" PRIu64 " (2^61)",
                      all, most);
    }
    if (!given && factor > most / rows) {
        if (most / rows > 0) {
            snprintf(range, sizeof range, "up to %" PRIu64 ", or ", most / rows);
        }
        return refuse("--edge-factor: '%" PRIu64 "'%s is out of range with %" PRIu64
                      " source vertices%s, allowed: %s--edges",
                      factor, o->given[GENERATE_EDGE_FACTOR] ? "" : ", its default,", rows,
                      o->job.model.symmetrize ? " and --symmetrize" : "", range);
    }
    if (first > all) {
        return refuse("--first: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                      ", the number of edges of the list",
                      first, all);
    }
    if (o->given[GENERATE_COUNT] && o->count > all - first) {
        return refuse("--count: '%" PRIu64 "' is out of range, allowed: 0 to %" PRIu64
                      ", the edges of the list from --first on",
                      o->count, all - first);
    }
    o->job.edges = o->given[GENERATE_COUNT] ? o->count : all - first;
    return EXIT_OK;
}

/* The file of --level-matrices: a b c d on a line, the most significant level first. */

enum { LINE_TEXT = 1024 };

#define BLANKS " \t\r\n"

/* Four decimal probabilities, and nothing else. */
static bool parse_matrix(const char *text, rmat_matrix *m)
{
    double p[4];

    if (text[strspn(text, "0123456789.eE+-" BLANKS)] != '\0') {
        return false; /* strtod() would also take hexadecimal digits and other blanks */
    }
    for (int i = 0; i < 4; i++) {
        char *end;

        p[i] = strtod(text, &end);
        if (end == text || (*end != '\0' && strchr(BLANKS, *end) == NULL) ||
            !(p[i] >= 0 && p[i] <= 1)) {
            return false;
        }
        text = end;
    }
    *m = (rmat_matrix){p[0], p[1], p[2], p[3]};
    return text[strspn(text, BLANKS)] == '\0' && fabs(p[0] + p[1] + p[2] + p[3] - 1) <= 1e-9;
}

static int parse_lines(const char *path, FILE *file, int count, rmat_matrix *levels)
{
    char text[LINE_TEXT];
    int n = 0;

    for (int line = 1; fgets(text, sizeof text, file) != NULL; line++) {
        const bool whole = strchr(text, '\n') != NULL || feof(file);
        rmat_matrix ignored;

        text[strcspn(text, "#\n")] = '\0';
        if (whole && text[strspn(text, BLANKS)] == '\0') {
            continue;
        }
        if (!whole || !parse_matrix(text, n < count ? &levels[n] : &ignored)) {
            return refuse("--level-matrices: %s, line %d: '%.64s' is no matrix, allowed: four "
                          "probabilities that add up to 1 within 1e-9, in a line of at most %d "
                          "characters",
                          path, line, text, LINE_TEXT - 2);
        }
        n++;
    }
    if (ferror(file)) {
        return refuse("--level-matrices: '%s': %s, allowed: a file that can be read", path,
                      strerror(errno));
    }
    return n == count ? EXIT_OK
                      : refuse("--level-matrices: '%s' has %d matri%s, allowed: %d, one for each "
                               "level",
                               path, n, n == 1 ? "x" : "ces", count);
}

int generate_read_levels(const char *path, int count, rmat_matrix *levels)
{
    FILE *file = fopen(path, "r");
    int status;

    if (file == NULL) {
        return refuse("--level-matrices: '%s': %s, allowed: a file that can be read", path,
                      strerror(errno));
    }
    status = parse_lines(path, file, count, levels);
    fclose(file);
    return status;
}

/* The model. */

static int resolve_probabilities(const generate_options *o, rmat_matrix *matrix)
{
    const bool all = o->given[GENERATE_D];
    double sum;

    for (int i = GENERATE_A; i <= GENERATE_C; i++) {
        if (!o->given[i]) {
            return refuse("--%s: missing, allowed: --a, --b and --c together, or none "
                          "of --a --b --c --d",
                          NAME(i));
        }
    }
    if (!all) {
        /* To 15 decimals: 1 - 0.57 - 0.19 - 0.19 must equal the 0.05 that a user types. */
        matrix->d = rint((1 - matrix->a - matrix->b - matrix->c) * 1e15) / 1e15;
        if (matrix->d <= 0 && matrix->d > -1e-9) {
            matrix->d = 0; /* neither a rounding error below 0 nor -0 */
        }
    }
    sum = matrix->a + matrix->b + matrix->c + (all ? matrix->d : 0);
    if (matrix->d < 0 || (all && fabs(sum - 1) > 1e-9)) {
        return refuse("--a --b --c%s: the sum '%.12g' is out of range, allowed: %s",
                      all ? " --d" : "", sum, all ? "1 within 1e-9" : "0 to 1");
    }
    return EXIT_OK;
}

static int resolve_matrices(generate_options *o)
{
    static const int single[] = {GENERATE_A, GENERATE_B, GENERATE_C, GENERATE_D, -1},
                     others[] = {GENERATE_PRESET, GENERATE_A, GENERATE_B,
                                 GENERATE_C,      GENERATE_D, -1};
    const int one = any(o, single), other = any(o, others);
    rmat_config *m = &o->job.model;
    int status = EXIT_OK;

    if (o->given[GENERATE_LEVEL_MATRICES] && strcmp(o->level_matrices, "-") == 0) {
        return refuse("--level-matrices: '-' names no file, allowed: the path of a file");
    }
    if (o->given[GENERATE_LEVEL_MATRICES] && other >= 0) {
        return error_pair(GENERATE_LEVEL_MATRICES, other);
    }
    if (one >= 0 && o->given[GENERATE_PRESET]) {
        return error_pair(one, GENERATE_PRESET);
    }
    if (o->given[GENERATE_LEVEL_MATRICES]) {
        status = generate_read_levels(o->level_matrices,
                                      m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale,
                                      o->levels);
        m->levels = o->levels;
    } else if (one >= 0) {
        status = resolve_probabilities(o, &m->matrix);
    } else {
        m->matrix = presets[o->preset].matrix;
    }
    if (status == EXIT_OK && m->noise > rmat_noise_limit(m)) {
        char x[NUMBER_TEXT], limit[NUMBER_TEXT];

        return refuse("--noise: '%s' is out of range with these matrices, allowed: 0 to %s, "
                      "min((a+d)/2, b, c) of every level",
                      format_double(x, m->noise), format_double(limit, rmat_noise_limit(m)));
    }
    return status;
}

/* What only a square graph has. */
static int resolve_turns(generate_options *o)
{
    /* The presets whose benchmarks permute the vertices: the first two. */
    const bool implied = o->given[GENERATE_PRESET] && o->preset <= 1;
    static const int options[] = {GENERATE_NO_SELF_LOOPS, GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE,
                                  GENERATE_SIMPLE, -1};
    const int which = any(o, options);
    rmat_config *m = &o->job.model;

    m->permute = o->permute || implied;
    m->no_self_loops = o->no_self_loops || o->simple;
    m->symmetrize = o->symmetrize || o->simple;
    m->direction = o->given[GENERATE_UNDIRECTED] ? (rmat_direction)(RMAT_LOWER + o->undirected)
                                                 : RMAT_DIRECTED;
    if (which >= 0 && m->rows != m->cols) {
        return refuse("--%s: given with %" PRIu64 " source and %" PRIu64
                      " destination vertices, allowed: with equal numbers of both",
                      NAME(which), m->rows, m->cols);
    }
    return EXIT_OK;
}

/* An official stream has one model; the stream by rows, whose edges depend on one another, no
 * slices. */
static int resolve_stream(generate_options *o)
{
    static const int others[] = {
        GENERATE_VERTICES, GENERATE_PRESET,         GENERATE_A,     GENERATE_B, GENERATE_C,
        GENERATE_D,        GENERATE_LEVEL_MATRICES, GENERATE_NOISE, -1};
    static const int slices[] = {GENERATE_FIRST, GENERATE_COUNT, -1};
    rmat_config *m = &o->job.model;
    const bool official = rmat_is_official(m->stream);
    const char *name = rmat_stream_name(m->stream);
    const int other = official                        ? any(o, others)
                      : m->stream == RMAT_STREAM_ROWS ? any(o, slices)
                                                      : -1;

    if (official && !o->given[GENERATE_SEED]) {
        m->seed = m->stream == RMAT_STREAM_GRAPH500 ? RMAT_GRAPH500_SEED1 : RMAT_GAPBS_SEED;
    }
    if (m->stream == RMAT_STREAM_GAPBS && m->seed > UINT32_MAX) {
        return refuse("--seed: '%" PRIu64
                      "' is out of range with --stream %s, allowed: 0 to %" PRIu32,
                      m->seed, name, UINT32_MAX);
    }
    if (official && o->scale.first != o->scale.second) {
        return refuse("--scale: '%" PRIu64 "x%" PRIu64
                      "' given with --stream %s, allowed: one number, for both sides",
                      o->scale.first, o->scale.second, name);
    }
    if (m->stream == RMAT_STREAM_GAPBS && o->scale.first > RMAT_GAPBS_MAX_SCALE) {
        return refuse("--scale: '%" PRIu64 "' is out of range with --stream %s, allowed: 1 to %d",
                      o->scale.first, name, RMAT_GAPBS_MAX_SCALE);
    }
    if (m->stream != RMAT_STREAM_RMAT && o->given[GENERATE_UNIQUE]) {
        return refuse("--unique: given with --stream %s, allowed: --dedup", name);
    }
    if (other >= 0) {
        return refuse("--%s: given with --stream %s, allowed: with --stream rmat", NAME(other),
                      name);
    }
    return o->given[GENERATE_SEED2] && m->stream != RMAT_STREAM_GRAPH500
               ? refuse("--seed2: given with --stream %s, allowed: with --stream graph500", name)
               : EXIT_OK;
}

static int resolve_model(generate_options *o)
{
    int status;

    if ((status = resolve_stream(o)) != EXIT_OK || (status = resolve_sizes(o)) != EXIT_OK ||
        (status = resolve_matrices(o)) != EXIT_OK || (status = resolve_turns(o)) != EXIT_OK) {
        return status;
    }
    if (edge_options_weights("generate", o->weights, &o->job.model) != EXIT_OK) {
        return EXIT_USAGE;
    }
    return resolve_edges(o);
}

/* --- The output file --- */

/*
 * GAPBS's graphs as GAPBS's own programs have them: `rmat generate --stream gapbs` into sg or wsg.
 *
 * Its builder adds the reverse of each edge, drops loops and copies, and takes the largest vertex
 * that occurs for the last one.  The first three are options of the job; the last one is found by
 * making the edges once more beforehand, until the last vertex of the scale turns up.
 */

#define SIGNAL_PIECE ((uint64_t)1 << 22) /* edges between two looks at signals */

/* An official GAPBS graph in its own format, without an option that says otherwise, becomes what
 * GAPBS makes of it. */
static void turn_into_gapbs(generate_options *o)
{
    static const int others[] = {GENERATE_PERMUTE,    GENERATE_NO_SELF_LOOPS,
                                 GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE,
                                 GENERATE_DEDUP,      GENERATE_SIMPLE,
                                 GENERATE_SORTED,     GENERATE_FIRST,
                                 GENERATE_COUNT,      -1};
    rmat_config *m = &o->job.model;

    if (any(o, others) >= 0) {
        return;
    }
    o->as_gapbs = true;
    m->symmetrize = m->no_self_loops = 1;
    o->job.dedup = true;
    if (o->job.format == GRAPHFILE_WSG && !o->given[GENERATE_WEIGHTS]) {
        m->weights = RMAT_WEIGHTS_INT;
        m->weight_min = 1;
        m->weight_max = 255;
    }
}

/* The number of vertices of the graph. */
static int count_gapbs_vertices(const engine_job *job, const rmat_gen *gen, uint64_t *vertices)
{
    const uint64_t all = (uint64_t)1 << job->model.rows_scale;
    engine_meter meter = engine_meter_of(&job->watch, "counting vertices", job->edges, 0);

    *vertices = 1;
    for (uint64_t first = 0, n; first < job->edges && *vertices < all; first += n) {
        uint64_t some;
        int status = engine_meter_tick(&meter, (double)first, 0);

        if (status != ENGINE_OK) {
            return status;
        }
        n = job->edges - first < SIGNAL_PIECE ? job->edges - first : SIGNAL_PIECE;
        status = rmat_gapbs_vertices(gen, first, n, &some);
        if (status != RMAT_OK) {
            return engine_fail("%s", rmat_strerror(status));
        }
        *vertices = some > *vertices ? some : *vertices;
    }
    return ENGINE_OK;
}

int generate_gapbs_open(generate_options *o)
{
    engine_job *job = &o->job;
    rmat_config model = job->model;
    uint64_t vertices;
    int status;

    model.backend = RMAT_BACKEND_CPU;
    model.threads = o->plan.job.threads;
    status = rmat_create(&o->gapbs, &model);
    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    status = count_gapbs_vertices(job, o->gapbs, &vertices);
    if (status != ENGINE_OK) {
        return status;
    }
    model_attrs_foreign(&o->attrs, &(graphfile_graph){.rows = vertices, .cols = vertices});
    o->source = (engine_source){
        .edges = rmat_source_of(o->gapbs),
        .attrs = o->attrs.list,
        .n_attrs = o->attrs.n,
        .command = "rmat generate --stream gapbs", /* of the sorted file, which is removed */
        .csr_option = " --format csr"};
    o->source.edges.edges = job->edges;
    o->source.edges.rows = o->source.edges.cols = vertices;
    job->source = &o->source;
    return engine_make_plan(&o->plan, job);
}

/* --format. */

/* The name says the format, or the format a name. */
static int resolve_name(generate_options *o)
{
    engine_job *job = &o->job;
    const bool named = o->given[GENERATE_OUTPUT], pipe = strcmp(job->output, "-") == 0;
    int by_name = -1;

    if (!o->given[GENERATE_FORMAT] && named && !pipe) {
        if (graphfile_format_of_name(job->output, &by_name) != EDGEFILE_OK) {
            return refuse("--output: %s; --format takes any name", edgefile_detail());
        }
        job->format = by_name < 0 ? job->format : (graphfile_format)by_name;
    }
    if (!named) {
        graphfile_default_name(job->format, o->default_output, sizeof o->default_output);
        job->output = o->default_output;
    }
    return EXIT_OK;
}

static int resolve_output(generate_options *o)
{
    engine_job *job = &o->job;
    int status = resolve_name(o);
    char list[256];
    unsigned traits;

    if (status != EXIT_OK) {
        return status;
    }
    traits = graphfile_table[job->format]->traits;
    job->dedup = job->dedup || o->simple;
    if (job->unique && job->dedup) {
        return error_pair(GENERATE_UNIQUE,
                          o->given[GENERATE_DEDUP] ? GENERATE_DEDUP : GENERATE_SIMPLE);
    }
    if (job->model.stream == RMAT_STREAM_GAPBS &&
        (job->format == GRAPHFILE_SG || job->format == GRAPHFILE_WSG)) {
        turn_into_gapbs(o);
    }
    if (strcmp(job->output, "-") == 0 && !(traits & GRAPHFILE_PIPE)) {
        graphfile_list(GRAPHFILE_PIPE, list, sizeof list);
        return refuse("--output: '-' given with --format %s, allowed: with %s",
                      graphfile_names[job->format], list);
    }
    status = client_check_terminal("generate", "--output", job->output, job->format,
                                   job->replace || o->dry_run);
    if (status != EXIT_OK || traits & GRAPHFILE_EDGEFILE) {
        return status;
    }
    return edge_options_fit_weights("generate", "format", o->weights, &job->model, job->format);
}

/* The format cannot hold the graph. */
static int refuse_format(const generate_options *o)
{
    const char *missing = client_missing_option(o->job.format, &o->plan.graph);

    return refuse("--format: %s%s%s", engine_detail(), missing != NULL ? ", allowed: with " : "",
                  missing != NULL ? missing : "");
}

/* The number of edges, which was not given, is out of range. */
static int refuse_factor(const generate_options *o)
{
    const uint64_t rows = o->plan.job.model.rows;

    return refuse("--edge-factor: '%" PRIu64 "' times %" PRIu64 " source vertices: %s",
                  o->job.edges / rows, rows, engine_detail());
}

/* From the values to the job and its plan. */
static int resolve_options(generate_options *o)
{
    engine_job *job = &o->job;
    int status;

    job->threads = (int)o->threads;
    engine_id_type(o->id_type, &job->id_bytes, &job->id_sign);
    if ((status = resolve_model(o)) != EXIT_OK || (status = resolve_output(o)) != EXIT_OK) {
        return status;
    }
    client_obey_tests(job);
    if (engine_make_plan(&o->plan, job) == ENGINE_OK) {
        return EXIT_OK;
    }
    return strcmp(engine_field(), "format") == 0 ? refuse_format(o)
           : strcmp(engine_field(), "edges") == 0 && !o->given[GENERATE_EDGES]
               ? refuse_factor(o)
               : client_refuse("generate");
}

int generate_parse(int argc, char **argv, generate_options *o)
{
    int status;

    memset(o, 0, sizeof *o);
    engine_job_default(&o->job);
    o->scale = (option_pair){20, 20};
    o->weights = "none";
    o->job.model.seed2 = RMAT_GRAPH500_SEED2;
    status = options_parse(&generate_command_line, argc, argv, o, o->given, NULL);
    return status != EXIT_OK || o->help ? status : resolve_options(o);
}
