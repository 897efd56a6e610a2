/* output.c - the output file of `rmat generate`: its format, the format's requirements, the options
 * that the format excludes, and GAPBS's own graphs. */
#include "apps/client/client.h"
#include "apps/engine/status.h"
#include "apps/generate/generate.h"
#include <stdio.h>
#include <string.h>

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

    if (generate_any(o, others) >= 0) {
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
        const int reason = engine_meter_tick(&meter, (double)first, 0);
        uint64_t some;
        int status;

        if (reason != 0) {
            return engine_stop_with(reason);
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

/* "a", "a and b", "a, b and c". */
static void join_words(char *text, size_t size, const char *const *words, int n)
{
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        text_append(text, size, "%s%s", i == 0 ? "" : i == n - 1 ? " and " : ", ", words[i]);
    }
}

/* Options without which the model is none for this format. */
static int check_needs(const generate_options *o, unsigned traits)
{
    const bool simple = traits & GRAPHFILE_NEEDS_SIMPLE;
    const char *missing[4];
    char list[128];
    int n = 0;

    if (simple && !o->job.model.symmetrize) {
        missing[n++] = "--symmetrize";
    }
    if (simple && !o->job.model.no_self_loops) {
        missing[n++] = "--no-self-loops";
    }
    if (simple && !o->job.unique && !o->job.dedup) {
        missing[n++] = "--unique";
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && o->job.model.weights == RMAT_NO_WEIGHTS) {
        missing[n++] = traits & GRAPHFILE_INT_WEIGHTS ? "--weights int:MIN:MAX" : "--weights";
    }
    if (n == 0) {
        return EXIT_OK;
    }
    join_words(list, sizeof list, missing, n);
    return refuse("--format: '%s' given without " MESSAGE_OPTIONS("%s, allowed: with %s%s"),
                  graphfile_names[o->job.format], list,
                  n == 1   ? "it"
                  : n == 2 ? "both"
                           : "all of them",
                  n > 1 && !o->job.unique ? ", or with --simple" : "");
}

static int refuse_stdout(graphfile_format format)
{
    const char *names[GRAPHFILE_N_FORMATS];
    char list[256];
    int n = 0;

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        if (graphfile_table[i]->traits & GRAPHFILE_PIPE) {
            names[n++] = graphfile_names[i];
        }
    }
    join_words(list, sizeof list, names, n);
    return refuse("--output: '-' given with --format %s, allowed: with %s", graphfile_names[format],
                  list);
}

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

int generate_resolve_output(generate_options *o)
{
    engine_job *job = &o->job;
    int status = resolve_name(o);
    unsigned traits;

    if (status != EXIT_OK) {
        return status;
    }
    traits = graphfile_table[job->format]->traits;
    job->base = (unsigned)o->base;
    job->dedup = job->dedup || o->simple;
    if (job->unique && job->dedup) {
        return generate_error_pair(GENERATE_UNIQUE,
                                   o->given[GENERATE_DEDUP] ? GENERATE_DEDUP : GENERATE_SIMPLE);
    }
    if (job->model.stream == RMAT_STREAM_GAPBS &&
        (job->format == GRAPHFILE_SG || job->format == GRAPHFILE_WSG)) {
        turn_into_gapbs(o);
    }
    if (strcmp(job->output, "-") == 0 && !(traits & GRAPHFILE_PIPE)) {
        return refuse_stdout(job->format);
    }
    status = client_check_terminal("generate", "--output", job->output, job->format,
                                   job->replace || o->dry_run);
    if (status != EXIT_OK || traits & GRAPHFILE_EDGEFILE) {
        return status;
    }
    status = check_needs(o, traits);
    return status != EXIT_OK ? status
                             : edge_options_fit_weights("generate", "format", o->weights,
                                                        &job->model, job->format);
}
