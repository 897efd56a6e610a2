/* options.c - from the options of `rmat generate` to a job and its plan: the model, with numbers of
 * vertices and edges and matrices, also from a file, and the steps after the draw; then GAPBS's own
 * graphs, and the output file, its format, and what that requires and excludes. */
#include "apps/client/client.h"
#include "apps/generate/generate.h"
#include "datasets/presets.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints one line on stderr.  Returns EXIT_USAGE. */
#define refuse(...) usage_error("generate", __VA_ARGS__)

/* The first of these options that is given, or NULL. */
static const char *given(const generate_options *o, const char *names)
{
    return options_given(&generate_command_line, o->given, names);
}

/* A number is above the most that another option leaves. */
static int beyond(const char *name, uint64_t value, const char *with, uint64_t most,
                  const char *what)
{
    return refuse("--%s: '%" PRIu64 "' is out of range%s, allowed: 0 to %" PRIu64 "%s", name, value,
                  with, most, what);
}

/* Options that exclude each other, and those that some streams do not have: an official one has one
 * model, and the edges of the stream by rows depend on one another. */
static int check_together(const generate_options *o)
{
#define STREAM(name) (1u << RMAT_STREAM_##name)
    static const struct {
        const char *one, *others;
    } pairs[] = {{"vertices", "scale"},
                 {"edges", "edge-factor"},
                 {"level-matrices", "preset a b c d"},
                 {"a b c d", "preset"},
                 {"unique", "dedup simple"}};
    static const struct {
        unsigned streams;
        const char *options, *allowed;
    } rules[] = {{~STREAM(RMAT), "unique", "--dedup"},
                 {STREAM(GRAPH500) | STREAM(GAPBS), "vertices preset a b c d level-matrices noise",
                  "with --stream rmat"},
                 {STREAM(ROWS), "first count", "with --stream rmat"},
                 {~STREAM(GRAPH500), "seed2", "with --stream graph500"}};
    const rmat_stream stream = o->job.model.stream;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *one = given(o, pairs[i].one), *other = given(o, pairs[i].others);

        if (one != NULL && other != NULL) {
            return refuse("--%s: given together with --%s, allowed: one of them", one, other);
        }
    }
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const char *name = given(o, rules[i].options);

        if (name != NULL && rules[i].streams & 1u << stream) {
            return refuse("--%s: given with --stream %s, allowed: %s", name,
                          rmat_stream_name(stream), rules[i].allowed);
        }
    }
    return EXIT_OK;
}

/* Sizes: what scales, counts and presets come to. */

#define PRESET(name, a, b, c, d, factor, scale) {{a, b, c, d}, factor, scale},

static const struct {
    rmat_matrix matrix;
    uint64_t edge_factor, scale;
} presets[] = {RMAT_PRESETS(PRESET)};

/* How many vertices there are. */
static void resolve_sizes(generate_options *o)
{
    const uint64_t own = presets[o->preset].scale;
    const option_pair scale = given(o, "scale") || own == 0 ? o->scale : (option_pair){own, own};
    rmat_config *m = &o->job.model;

    m->rows = given(o, "vertices") ? o->vertices.first : (uint64_t)1 << scale.first;
    m->cols = given(o, "vertices") ? o->vertices.second : (uint64_t)1 << scale.second;
    m->rows_scale = rmat_scale_of(m->rows);
    m->cols_scale = rmat_scale_of(m->cols);
}

/* Once the model is complete: how many edges. */
static int resolve_edges(generate_options *o)
{
    const bool chosen = given(o, "edges"), own = !given(o, "edge-factor");
    const uint64_t factor = own ? presets[o->preset].edge_factor : o->edge_factor;
    const uint64_t rows = o->job.model.rows, first = o->job.model.first;
    const uint64_t most = RMAT_MAX_EDGES >> o->job.model.symmetrize;
    const uint64_t all = chosen ? o->job.edges : factor * rows;
    char range[64] = "";

    if (chosen && all > most) {
        return beyond("edges", all, " with --symmetrize", most, " (2^61)");
    }
    if (!chosen && factor > most / rows) {
        if (most / rows > 0) {
            snprintf(range, sizeof range, "up to %" PRIu64 ", or ", most / rows);
        }
        return refuse("--edge-factor: '%" PRIu64 "'%s is out of range with %" PRIu64
                      " source vertices%s, allowed: %s--edges",
                      factor, own ? ", its default," : "", rows,
                      o->job.model.symmetrize ? " and --symmetrize" : "", range);
    }
    if (first > all) {
        return beyond("first", first, "", all, ", the number of edges of the list");
    }
    if (given(o, "count") && o->count > all - first) {
        return beyond("count", o->count, "", all - first,
                      ", the edges of the list from --first on");
    }
    o->job.edges = given(o, "count") ? o->count : all - first;
    return EXIT_OK;
}

/* The file of --level-matrices: a b c d on a line, the most significant level first. */

enum { LINE_TEXT = 1024 };

#define BLANKS " \t\r\n"

/* Four decimal probabilities, and nothing else.  strtod() would also take hexadecimal digits and
 * other blanks; scanf() also takes an exponent without digits. */
static bool parse_matrix(const char *text, rmat_matrix *m)
{
    double *const to[] = {&m->a, &m->b, &m->c, &m->d};
    bool right = text[strspn(text, "0123456789.eE+-" BLANKS)] == '\0';

    for (int i = 0; i < 4 && right; i++) {
        char *end;

        *to[i] = strtod(text, &end);
        right = end > text && (*end == '\0' || strchr(BLANKS, *end) != NULL) && *to[i] >= 0 &&
                *to[i] <= 1;
        text = end;
    }
    return right && text[strspn(text, BLANKS)] == '\0' &&
           fabs(m->a + m->b + m->c + m->d - 1) <= 1e-9;
}

int generate_read_levels(const char *path, int count, rmat_matrix *levels)
{
    FILE *file = fopen(path, "r");
    int n = 0, line = 0, error;
    bool right = true;
    char text[LINE_TEXT];

    while (file != NULL && right && fgets(text, sizeof text, file) != NULL) {
        const bool whole = strchr(text, '\n') != NULL || feof(file);
        rmat_matrix ignored;

        line++;
        text[strcspn(text, "#\n")] = '\0';
        if (!whole || text[strspn(text, BLANKS)] != '\0') {
            right = whole && parse_matrix(text, n < count ? &levels[n] : &ignored);
            n++;
        }
    }
    error = file == NULL || ferror(file) ? errno : 0;
    if (file != NULL) {
        fclose(file);
    }
    if (error != 0) {
        return refuse("--level-matrices: '%s': %s, allowed: a file that can be read", path,
                      strerror(error));
    }
    if (!right) {
        return refuse("--level-matrices: %s, line %d: '%.64s' is no matrix, allowed: four "
                      "probabilities that add up to 1 within 1e-9, in a line of at most %d "
                      "characters",
                      path, line, text, LINE_TEXT - 2);
    }
    return n == count ? EXIT_OK
                      : refuse("--level-matrices: '%s' has %d matri%s, allowed: %d, one for each "
                               "level",
                               path, n, n == 1 ? "x" : "ces", count);
}

/* The model. */

static int resolve_probabilities(const generate_options *o, rmat_matrix *matrix)
{
    static const char *const needed[] = {"a", "b", "c"};
    const bool all = given(o, "d");
    double sum;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!given(o, needed[i])) {
            return refuse("--%s: missing, allowed: --a, --b and --c together, or none "
                          "of --a --b --c --d",
                          needed[i]);
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
    rmat_config *m = &o->job.model;
    int status = EXIT_OK;

    if (given(o, "level-matrices")) {
        status = generate_read_levels(o->level_matrices,
                                      m->rows_scale > m->cols_scale ? m->rows_scale : m->cols_scale,
                                      o->levels);
        m->levels = o->levels;
    } else if (given(o, "a b c d")) {
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

/* What becomes of the drawn edges.  All but --permute needs a square graph. */
static int resolve_transform(generate_options *o)
{
    /* The presets whose benchmarks permute the vertices: the first two. */
    const bool implied = given(o, "preset") && o->preset <= 1;
    const char *name = given(o, "no-self-loops undirected symmetrize simple");
    rmat_config *m = &o->job.model;

    m->permute = o->permute || implied;
    m->no_self_loops = o->no_self_loops || o->simple;
    m->symmetrize = o->symmetrize || o->simple;
    m->direction =
        given(o, "undirected") ? (rmat_direction)(RMAT_LOWER + o->undirected) : RMAT_DIRECTED;
    if (name != NULL && m->rows != m->cols) {
        return refuse("--%s: given with %" PRIu64 " source and %" PRIu64
                      " destination vertices, allowed: with equal numbers of both",
                      name, m->rows, m->cols);
    }
    return EXIT_OK;
}

/* The seed and the limits of an official stream. */
static int resolve_stream(generate_options *o)
{
    rmat_config *m = &o->job.model;
    const bool official = rmat_is_official(m->stream), gapbs = m->stream == RMAT_STREAM_GAPBS;
    const char *name = rmat_stream_name(m->stream);

    if (official && !given(o, "seed")) {
        m->seed = gapbs ? RMAT_GAPBS_SEED : RMAT_GRAPH500_SEED1;
    }
    if (gapbs && m->seed > UINT32_MAX) {
        return beyond("seed", m->seed, " with --stream gapbs", UINT32_MAX, "");
    }
    if (official && o->scale.first != o->scale.second) {
        return refuse("--scale: '%" PRIu64 "x%" PRIu64
                      "' given with --stream %s, allowed: one number, for both sides",
                      o->scale.first, o->scale.second, name);
    }
    if (gapbs && o->scale.first > RMAT_GAPBS_MAX_SCALE) {
        return refuse("--scale: '%" PRIu64 "' is out of range with --stream %s, allowed: 1 to %d",
                      o->scale.first, name, RMAT_GAPBS_MAX_SCALE);
    }
    return EXIT_OK;
}

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
    rmat_config *m = &o->job.model;

    o->as_gapbs =
        m->stream == RMAT_STREAM_GAPBS &&
        (o->job.format == GRAPHFILE_SG || o->job.format == GRAPHFILE_WSG) &&
        !given(o, "permute no-self-loops undirected symmetrize dedup simple sorted first count");
    if (!o->as_gapbs) {
        return;
    }
    m->symmetrize = m->no_self_loops = 1;
    o->job.dedup = true;
    if (o->job.format == GRAPHFILE_WSG && !given(o, "weights")) {
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
    for (uint64_t first = 0; first < job->edges && *vertices < all; first += SIGNAL_PIECE) {
        const uint64_t left = job->edges - first;
        uint64_t some;
        int status = engine_meter_tick(&meter, (double)first, 0);

        if (status != ENGINE_OK) {
            return status;
        }
        status = rmat_gapbs_vertices(gen, first, left < SIGNAL_PIECE ? left : SIGNAL_PIECE, &some);
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

/* The output file. */

/* The name says the format, or the format a name. */
static int resolve_name(generate_options *o)
{
    engine_job *job = &o->job;
    const bool named = given(o, "output");
    int by_name = -1;

    if (!given(o, "format") && named && strcmp(job->output, "-") != 0) {
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

/* The weights, and whether the format can hold them. */
static int resolve_weights(generate_options *o)
{
    rmat_config *m = &o->job.model;
    const char *format = graphfile_names[o->job.format];
    const unsigned traits = graphfile_table[o->job.format]->traits;
    const bool parsed = model_parse_weights(o->weights, m);
    const int32_t least = traits & GRAPHFILE_WEIGHTS_FROM_1   ? 1
                          : traits & GRAPHFILE_WEIGHTS_FROM_0 ? 0
                                                              : INT32_MIN;
    char list[256];

    if (!parsed || (m->weights == RMAT_WEIGHTS_FLOAT && m->weight_low > m->weight_high) ||
        (m->weights == RMAT_WEIGHTS_INT && m->weight_min > m->weight_max)) {
        return refuse("--weights: '%s' %s, allowed: %s", o->weights,
                      parsed ? "has a minimum above its maximum" : "is unknown",
                      GENERATE_WEIGHTS_ALLOWED);
    }
    if (m->weights != RMAT_NO_WEIGHTS && !(traits & GRAPHFILE_HAS_WEIGHTS)) {
        graphfile_list(GRAPHFILE_HAS_WEIGHTS, list, sizeof list);
        return refuse("--weights: '%s' given with --format %s, allowed: with %s", o->weights,
                      format, list);
    }
    if (m->weights == RMAT_WEIGHTS_INT && m->weight_min < least) {
        return refuse("--weights: '%s' given with --format %s, allowed: int:MIN:MAX with MIN of "
                      "at least %d",
                      o->weights, format, least);
    }
    return EXIT_OK;
}

/* The options that --simple and GAPBS's own graphs imply, and whether the output can hold the
 * format. */
static int resolve_output(generate_options *o)
{
    engine_job *job = &o->job;
    char list[256];

    job->dedup = job->dedup || o->simple;
    turn_into_gapbs(o);
    if (strcmp(job->output, "-") == 0 && !(graphfile_table[job->format]->traits & GRAPHFILE_PIPE)) {
        graphfile_list(GRAPHFILE_PIPE, list, sizeof list);
        return refuse("--output: '-' given with --format %s, allowed: with %s",
                      graphfile_names[job->format], list);
    }
    return client_check_terminal("generate", "--output", job->output, job->format,
                                 job->replace || o->dry_run);
}

/* Says why the engine refused the job, in the words of the options: it knows neither the option
 * with which the format could hold the graph, nor whether --edge-factor made the number of edges.
 */
static int refuse_plan(const generate_options *o)
{
    const uint64_t rows = o->plan.job.model.rows;

    if (strcmp(engine_field(), "format") == 0) {
        const char *missing = client_missing_option(o->job.format, &o->plan.graph);

        return refuse("--format: %s%s%s", engine_detail(),
                      missing != NULL ? ", allowed: with " : "", missing != NULL ? missing : "");
    }
    if (strcmp(engine_field(), "edges") == 0 && !given(o, "edges")) {
        return refuse("--edge-factor: '%" PRIu64 "' times %" PRIu64 " source vertices: %s",
                      o->job.edges / rows, rows, engine_detail());
    }
    return client_refuse("generate");
}

/* Sets members of the job that only tests choose, from environment variables (tests/README.md). */
static void obey_tests(engine_job *job)
{
    const char *chunk = getenv("RMAT_TEST_CHUNK");

    if (chunk != NULL && parse_count(chunk, '\0', NULL, &job->chunk) != NUMBER_OK) {
        job->chunk = 0;
    }
    job->buffered = getenv("RMAT_TEST_POSITIONAL") != NULL;
}

int generate_parse(int argc, char **argv, generate_options *o)
{
    engine_job *job = &o->job;
    int status;

    memset(o, 0, sizeof *o);
    engine_job_default(job);
    o->scale = (option_pair){20, 20};
    o->weights = "none";
    job->model.seed2 = RMAT_GRAPH500_SEED2;
    status = options_parse(&generate_command_line, argc, argv, o, o->given, NULL);
    if (status != EXIT_OK || o->help) {
        return status;
    }
    job->threads = (int)o->threads;
    engine_id_type(o->id_type, &job->id_bytes, &job->id_sign);
    resolve_sizes(o);
    if ((status = check_together(o)) != EXIT_OK || (status = resolve_stream(o)) != EXIT_OK ||
        (status = resolve_matrices(o)) != EXIT_OK || (status = resolve_transform(o)) != EXIT_OK ||
        (status = resolve_edges(o)) != EXIT_OK || (status = resolve_name(o)) != EXIT_OK ||
        (status = resolve_weights(o)) != EXIT_OK || (status = resolve_output(o)) != EXIT_OK) {
        return status;
    }
    obey_tests(job);
    return engine_make_plan(&o->plan, job) == ENGINE_OK ? EXIT_OK : refuse_plan(o);
}
