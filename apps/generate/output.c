/* Which file comes of the options of `rmat generate`: its format, what it needs, and the options
 * that it leaves no place for; GAPBS's own graphs. */
#include "apps/client/client.h"
#include "apps/client/edge_options.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/meter.h"
#include "apps/engine/status.h"
#include "apps/generate/generate.h"
#include "apps/generate/model.h"
#include "rmat/rmat_gapbs.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/*
 * GAPBS's graphs as GAPBS's own programs have them: `rmat generate --stream gapbs` into sg or wsg.
 *
 * Its builder adds the reverse of each edge, drops loops and copies, and takes the largest vertex
 * that occurs for the last one.  The first three are options of the job; the last one is found by
 * making the edges once more beforehand, until the last vertex of the scale turns up.
 */

#define PIECE ((uint64_t)1 << 22) /* edges between two looks at signals */

static bool is_gapbs_file(const generate_options *o)
{
    return o->job.model.stream == RMAT_STREAM_GAPBS &&
           (o->job.format == GRAPHFILE_SG || o->job.format == GRAPHFILE_WSG);
}

/* An official GAPBS graph in its own format, without an option that says otherwise, becomes what
 * GAPBS makes of it. */
static void turn_into_gapbs(const bool *given, generate_options *o)
{
    static const int others[] = {GENERATE_PERMUTE,    GENERATE_NO_SELF_LOOPS,
                                 GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE,
                                 GENERATE_DEDUP,      GENERATE_SIMPLE,
                                 GENERATE_SORTED,     GENERATE_FIRST,
                                 GENERATE_COUNT,      -1};
    rmat_config *m = &o->job.model;

    if (!is_gapbs_file(o) || generate_any(given, others) >= 0) {
        return;
    }
    o->as_gapbs = true;
    m->symmetrize = m->no_self_loops = 1;
    o->job.dedup = true;
    if (o->job.format == GRAPHFILE_WSG && !given[GENERATE_WEIGHTS]) {
        m->weights = RMAT_WEIGHTS_INT;
        m->weight_min = 1;
        m->weight_max = 255;
    }
}

/* The number of vertices of the graph. */
static int count_gapbs_vertices(const engine_job *job, const rmat_gapbs *g, int threads,
                                uint64_t *vertices)
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
        n = job->edges - first < PIECE ? job->edges - first : PIECE;
        status = rmat_gapbs_vertices(g, first, n, threads, &some);
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
    const rmat_config *m = &job->model;
    uint64_t vertices;
    int status;

    if (!o->as_gapbs) {
        return ENGINE_OK;
    }
    status = rmat_gapbs_create(&o->gapbs, m->rows_scale, (uint32_t)m->seed, m->isa);
    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    status = count_gapbs_vertices(job, o->gapbs, o->plan.job.threads, &vertices);
    if (status != ENGINE_OK) {
        return status;
    }
    o->source = (engine_source){
        .edges = rmat_gapbs_source(o->gapbs, job->edges, rmat_has_own_weights(m)),
        .command = "rmat generate --stream gapbs", /* of the sorted file, which is removed */
        .csr_option = " --format csr"};
    o->source.edges.rows = o->source.edges.cols = vertices;
    foreign_attrs_fill(&o->attrs, &(graphfile_graph){.rows = vertices, .cols = vertices});
    o->source.attrs = o->attrs.list;
    o->source.n_attrs = o->attrs.n;
    job->source = &o->source;
    return engine_make_plan(&o->plan, job);
}

void generate_gapbs_close(generate_options *o)
{
    rmat_gapbs_destroy(o->gapbs);
}

/* --format. */

static unsigned format_traits(const generate_options *o)
{
    return graphfile_table[o->job.format]->traits;
}

static const char *format_name(const generate_options *o)
{
    return graphfile_names[o->job.format];
}

/* "a", "a and b", "a, b and c". */
static void join_words(char *text, size_t size, const char *const *words, int n)
{
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        text_append(text, size, "%s%s", i == 0 ? "" : i == n - 1 ? " and " : ", ", words[i]);
    }
}

static int error_formats(const char *name, const char *value, const generate_options *o,
                         unsigned traits)
{
    const char *names[GRAPHFILE_N_FORMATS];
    char list[256];
    int n = 0;

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        if (graphfile_table[i]->traits & traits) {
            names[n++] = graphfile_names[i];
        }
    }
    join_words(list, sizeof list, names, n);
    return usage_error("generate", "--%s: '%s' given with --format %s, allowed: with %s", name,
                       value, format_name(o), list);
}

/* Options without which the model is none for this format. */
static int check_needs(const generate_values *raw, const generate_options *o)
{
    const unsigned traits = format_traits(o);
    const char *missing[4];
    char list[128];
    int n = 0;

    if (traits & GRAPHFILE_NEEDS_SIMPLE && !o->job.model.symmetrize) {
        missing[n++] = "--symmetrize";
    }
    if (traits & GRAPHFILE_NEEDS_SIMPLE && !o->job.model.no_self_loops) {
        missing[n++] = "--no-self-loops";
    }
    if (traits & GRAPHFILE_NEEDS_SIMPLE && !raw->unique && !o->job.dedup) {
        missing[n++] = "--unique";
    }
    if (traits & GRAPHFILE_NEEDS_WEIGHTS && o->job.model.weights == RMAT_NO_WEIGHTS) {
        missing[n++] = traits & GRAPHFILE_INT_WEIGHTS ? "--weights int:MIN:MAX" : "--weights";
    }
    if (n == 0) {
        return EXIT_OK;
    }
    join_words(list, sizeof list, missing, n);
    return usage_error("generate",
                       "--format: '%s' given without " MESSAGE_OPTIONS("%s, allowed: with %s%s"),
                       format_name(o), list,
                       n == 1   ? "it"
                       : n == 2 ? "both"
                                : "all of them",
                       n > 1 && !raw->unique ? ", or with --simple" : "");
}

static int resolve_output(const generate_values *raw, generate_options *o)
{
    if (raw->output == NULL) {
        graphfile_default_name(o->job.format, o->default_output, sizeof o->default_output);
        o->job.output = o->default_output;
    } else if (strcmp(raw->output, "-") == 0 && !(format_traits(o) & GRAPHFILE_PIPE)) {
        return error_formats("output", "-", o, GRAPHFILE_PIPE);
    }
    return client_check_terminal("generate", "--output", o->job.output, o->job.format,
                                 raw->force || raw->dry_run);
}

int generate_resolve_output(const generate_values *raw, const bool *given, generate_options *out)
{
    int status, by_name = -1;

    if (!given[GENERATE_FORMAT] && raw->output != NULL && strcmp(raw->output, "-") != 0 &&
        graphfile_format_of_name(raw->output, &by_name) != EDGEFILE_OK) {
        return usage_error("generate", "--output: %s; --format takes any name", edgefile_detail());
    }
    out->job.format = given[GENERATE_FORMAT] || by_name < 0 ? (graphfile_format)raw->format
                                                            : (graphfile_format)by_name;
    out->job.base = (unsigned)raw->base;
    out->job.sorted = raw->sorted;
    out->job.unique = raw->unique;
    out->job.dedup = raw->dedup || raw->simple;
    if (raw->unique && out->job.dedup) {
        return generate_error_pair(GENERATE_UNIQUE, raw->dedup ? GENERATE_DEDUP : GENERATE_SIMPLE);
    }
    turn_into_gapbs(given, out);
    status = resolve_output(raw, out);
    if (status != EXIT_OK || format_traits(out) & GRAPHFILE_EDGEFILE) {
        return status;
    }
    status = check_needs(raw, out);
    return status != EXIT_OK ? status
                             : edge_options_fit_weights("generate", "format", raw->weights,
                                                        &out->job.model, out->job.format);
}
