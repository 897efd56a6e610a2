/*
 * rmat stats: statistics of the edges and degrees of a graph.  This file has the command, the
 * counts by sorting, and the reports.
 */
#include "apps/stats/stats.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "mpi/dist.h"
#include <inttypes.h>

enum { MAX_TOP = 10000 };

typedef struct {
    uint64_t top, memory, threads;
    bool fast, json, quiet, help;
} stats_values;

enum { FAST, TOP, JSON, MEMORY, THREADS, QUIET, HELP, N_OPTIONS };

#define AT(field) offsetof(stats_values, field)
#define GRAPH     "Graph"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [FAST] = {.name = "fast", .kind = OPTION_FLAG, .offset = AT(fast), .group = GRAPH,
        .help = "omit duplicates and reciprocity, which take most of the time and memory"},
    [TOP] = {.name = "top", .kind = OPTION_COUNT, .argument = "K", .offset = AT(top),
        .min = 0, .max = MAX_TOP, .fallback = "10", .group = GRAPH,
        .help = "list the K vertices of the highest degrees"},
    [JSON] = OPTION_ROW_JSON(stats_values, json, GRAPH,
        "print one JSON object, which includes the number of vertices of each degree"),
    [MEMORY] = OPTION_ROW_MEMORY(stats_values, memory, RUNNING, "half of the available memory",
        "memory for counters and sorting; with less memory, FILE is read more often"),
    [THREADS] = OPTION_ROW_THREADS(stats_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(stats_values, quiet, RUNNING, "print no progress"),
    [HELP] = OPTION_ROW_LONG_HELP(stats_values, help, RUNNING),
};
/* clang-format on */

const command_line stats_command_line = {
    .command = "stats",
    .synopsis = "stats FILE... [OPTION]...",
    .summary = "Print statistics of a graph: isolated vertices, self loops, duplicate edges, "
               "degrees, and reciprocity. Several files are several graphs, each with a report of "
               "its own.",
    .operand = "FILE",
    .many = true,
    .options = table,
    .n_options = N_OPTIONS,
    .common = "fast top json quiet help",
    .examples = "rmat stats g.h5\n"
                "rmat stats g.h5 --fast --top 3\n"
                "rmat stats g.h5 --json",
    .notes =
        "sources, destinations: vertices with an outgoing or an incoming edge.\n"
        "isolated: vertices without any edge.\n"
        "duplicates: copies of an edge beyond the first; distinct: edges without these copies.\n"
        "degrees: duplicates count, and a loop counts as outgoing and as incoming; total is the "
        "sum\n"
        "of both.  Mean, minimum and percentiles are over the vertices of a degree above 0.\n"
        "reciprocity: share of the distinct edges, without loops, whose reverse exists too; 1 for\n"
        "undirected graphs that are stored in both directions.\n"
        "In a graph with different numbers of rows and columns, sources and destinations are\n"
        "different vertices: it has no loops, no total degree and no reciprocity.\n"
        "The report does not depend on --memory and --threads.",
};

/* Distinct edges are those without copies.  In a graph that is not square, there are no mutual
 * pairs: pairs of different vertices with edges in both directions. */
typedef struct {
    const char *name;
    const edge_source_facts *facts;
    degree_counts degrees;
    bool pairs; /* distinct and mutual edges were counted */
    uint64_t distinct, mutual;
} stats_report;

/* --- Counts --- */

/*
 * The engine sorts the edges of the file and drops copies, interval by interval if memory does not
 * hold all of them, and returns the number left.  turned: every edge points from the larger vertex
 * to the smaller one, so that an edge and its reverse count as one.
 */
static int sort_edges(edge_source *s, const degree_options *o, client *c, rmat_direction turned,
                      uint64_t *edges)
{
    const pipeline_span none[1] = {{PIPELINE_EDGES, 0, 0}};
    const pipeline_sink sink = {.spans = none, .n_spans = 0};
    engine_source source = edge_source_for_engine(s);
    engine_result result;
    engine_job job;
    int status;

    client_clear(c);
    engine_job_default(&job);
    source.edges.weights = RMAT_NO_WEIGHTS;
    source.command = source.csr_option = ""; /* no file records them */
    job.source = &source;
    job.model.backend = RMAT_BACKEND_CPU;
    job.model.direction = turned;
    job.edges = source.edges.edges;
    job.dedup = true;
    job.threads = o->threads;
    job.watch = c->watch;
    status = degree_room(s, o, 0, &job.memory);
    status = status == ENGINE_OK ? engine_run(&job, &sink, &result) : status;
    *edges = status == ENGINE_OK ? result.edges : 0;
    return status;
}

/* Two distinct edges become one exactly if both directions exist, so the difference of the numbers
 * of distinct edges and of turned ones is that of mutual pairs.  Returns an engine_status. */
static int count(edge_source *source, const degree_options *options, client *c, stats_report *r)
{
    int status = degree_count(source, options, &c->watch, &r->degrees);

    if (status == ENGINE_OK && r->pairs) {
        status = sort_edges(source, options, c, RMAT_DIRECTED, &r->distinct);
    }
    if (status == ENGINE_OK && r->pairs && r->degrees.square) {
        status = sort_edges(source, options, c, RMAT_LOWER, &r->mutual);
        r->mutual = r->distinct - r->mutual;
    }
    return status;
}

/* --- Figures --- */

/* Of the vertices whose degree is above 0.  A double holds them exactly, as no file has 2^53 edges.
 */
enum { VERTICES, MEAN, MINIMUM, MEDIAN, P90, P99, P99_9, MAXIMUM, FIGURES };
typedef struct {
    double of[FIGURES];
    uint64_t others; /* vertices of degree 0 */
} summary;

/* The fraction of the vertices whose degree does not exceed a percentile's; else 0. */
static const struct {
    const char *label, *key;
    double share;
} figures[FIGURES] = {
    [VERTICES] = {"vertices", "vertices", 0},
    [MEAN] = {"mean", "mean", 0},
    [MINIMUM] = {"minimum", "minimum", 0},
    [MEDIAN] = {"median", "median", 0.5},
    [P90] = {"90 %", "p90", 0.9},
    [P99] = {"99 %", "p99", 0.99},
    [P99_9] = {"99.9 %", "p99_9", 0.999},
    [MAXIMUM] = {"maximum", "maximum", 0},
};

static const char *const kind_names[DEGREE_KINDS] = {"out", "in", "total"};
static const char *const kind_keys[DEGREE_KINDS] = {"out_degree", "in_degree", "total_degree"};

static summary summary_of(const degree_distribution *d)
{
    const bool others = d->n_bins > 0 && d->bins[0].degree == 0;
    const degree_bin *first = d->bins + others, *end = d->bins + d->n_bins;
    summary s = {.others = others ? d->bins[0].vertices : 0};
    double below = 0, sum = 0;
    int next = MEDIAN;

    for (const degree_bin *b = first; b < end; b++) {
        s.of[VERTICES] += (double)b->vertices;
        sum += (double)b->degree * (double)b->vertices;
    }
    if (first < end) {
        s.of[MEAN] = sum / s.of[VERTICES];
        s.of[MINIMUM] = (double)first->degree;
        s.of[MAXIMUM] = (double)end[-1].degree;
    }
    for (const degree_bin *b = first; b < end; b++) {
        below += (double)b->vertices;
        while (next < MAXIMUM && below >= figures[next].share * s.of[VERTICES]) {
            s.of[next++] = (double)b->degree;
        }
    }
    return s;
}

static int kinds_of(const stats_report *r)
{
    return r->degrees.square ? DEGREE_KINDS : DEGREE_TOTAL;
}

/* The fraction of the distinct edges, without loops, whose reverse also exists. */
static double reciprocity(const stats_report *r)
{
    const uint64_t proper = r->distinct - r->degrees.distinct_loops;

    return proper > 0 ? 2 * (double)r->mutual / (double)proper : 0;
}

/* --- The reports: as text, or as JSON, which includes whole histograms --- */

/* A member of o or, if that is NULL and there is a label, a line: n, and its share of all of the
 * `whole` if that is not NULL.  there: the value applies and was computed. */
static void show(json_object *o, const char *key, const char *label, bool there, uint64_t n,
                 uint64_t all, const char *whole)
{
    if (o != NULL && there) {
        json_u64(o, key, n);
    } else if (o != NULL) {
        json_null(o, key);
    } else if (there && label != NULL) {
        printf("%-12s %" PRIu64, label, n);
        if (whole != NULL) {
            printf(", %.4g %% of %s", all > 0 ? 100 * (double)n / (double)all : 0, whole);
        }
        printf("\n");
    }
}

static void show_counts(json_object *o, const stats_report *r, const summary s[DEGREE_KINDS])
{
    const graphfile_graph *g = &r->facts->graph;
    const bool square = r->degrees.square, both = r->pairs && square;
    const uint64_t isolated =
        square ? s[DEGREE_TOTAL].others : s[DEGREE_OUT].others + s[DEGREE_IN].others;

    show(o, "num_rows", square ? "vertices" : "rows", true, g->rows, 0, NULL);
    show(o, "num_cols", square ? NULL : "columns", true, g->cols, 0, NULL);
    show(o, "edges", "edges", true, g->edges, 0, NULL);
    show(o, "sources", "sources", true, (uint64_t)s[DEGREE_OUT].of[VERTICES], g->rows,
         square ? "vertices" : "rows");
    show(o, "destinations", "destinations", true, (uint64_t)s[DEGREE_IN].of[VERTICES], g->cols,
         square ? "vertices" : "columns");
    show(o, "isolated", "isolated", true, isolated, g->rows + (square ? 0 : g->cols), "vertices");
    show(o, "loops", "loops", square, r->degrees.loops, g->edges, "edges");
    show(o, "duplicates", "duplicates", r->pairs, g->edges - r->distinct, g->edges, "edges");
    show(o, "distinct_edges", "distinct", r->pairs, r->distinct, 0, NULL);
    show(o, "distinct_loops", NULL, both, r->degrees.distinct_loops, 0, NULL);
    show(o, "mutual_pairs", NULL, both, r->mutual, 0, NULL);
    if (o != NULL && both) {
        json_f64(o, "reciprocity", reciprocity(r));
    } else if (o != NULL) {
        json_null(o, "reciprocity");
    } else if (both) {
        printf("%-12s %.6g\n", "reciprocity", reciprocity(r));
    }
}

static void print_summaries(const summary s[DEGREE_KINDS], int kinds)
{
    printf("%-12s", "degrees");
    for (int k = 0; k < kinds; k++) {
        printf(" %14s", kind_names[k]);
    }
    for (int f = 0; f < FIGURES; f++) {
        printf("\n  %-10s", figures[f].label);
        for (int k = 0; k < kinds; k++) {
            printf(f == MEAN ? " %14.6g" : " %14.0f", s[k].of[f]);
        }
    }
    printf("\n");
}

/* Vertex and degree, side by side for each kind. */
static void print_top(const stats_report *r)
{
    const degree_distribution *of = r->degrees.of;
    const int kinds = kinds_of(r);
    uint64_t n = 0;

    for (int k = 0; k < kinds; k++) {
        n = of[k].n_top > n ? of[k].n_top : n;
    }
    if (n == 0) {
        return;
    }
    printf("%-12s", "highest");
    for (int k = 0; k < kinds; k++) {
        printf(" %12s %10s", "vertex", kind_names[k]);
    }
    for (uint64_t i = 0; i < n; i++) {
        printf("\n  %-10" PRIu64, i + 1);
        for (int k = 0; k < kinds; k++) {
            if (i < of[k].n_top) {
                printf(" %12" PRIu64 " %10" PRIu64, of[k].top[i].vertex, of[k].top[i].degree);
            } else {
                printf(" %12s %10s", "-", "-");
            }
        }
    }
    printf("\n");
}

static void json_degrees(json_object *o, const char *key, const degree_distribution *d,
                         const summary *s)
{
    json_object part, pairs;

    json_object_begin(&part, o, key);
    for (int f = 0; f < FIGURES; f++) {
        if (f == MEAN) {
            json_f64(&part, figures[f].key, s->of[f]);
        } else {
            json_u64(&part, figures[f].key, (uint64_t)s->of[f]);
        }
    }
    json_array_begin(&pairs, &part, "top");
    for (uint64_t i = 0; i < d->n_top; i++) {
        json_u64_list(&pairs, NULL, (uint64_t[]){d->top[i].vertex, d->top[i].degree}, 2);
    }
    json_array_end(&pairs);
    json_array_begin(&pairs, &part, "histogram");
    for (uint64_t i = 0; i < d->n_bins; i++) {
        json_u64_list(&pairs, NULL, (uint64_t[]){d->bins[i].degree, d->bins[i].vertices}, 2);
    }
    json_array_end(&pairs);
    json_end(&part); /* which ends the line, so that each distribution has its own line */
}

static void print_report(const stats_report *r, bool json)
{
    const char *format = graphfile_table[r->facts->format]->name;
    const int kinds = kinds_of(r);
    summary s[DEGREE_KINDS];
    json_object o;

    for (int k = 0; k < DEGREE_KINDS; k++) {
        s[k] = summary_of(&r->degrees.of[k]);
    }
    if (!json) {
        text_line(stdout, "%-12s %s (%s)", "file", r->name, format);
        show_counts(NULL, r, s);
        print_summaries(s, kinds);
        print_top(r);
        return;
    }
    json_begin(&o, stdout);
    json_string(&o, "file", r->name);
    json_string(&o, "format", format);
    show_counts(&o, r, s);
    for (int k = 0; k < kinds; k++) {
        json_degrees(&o, kind_keys[k], &r->degrees.of[k], &s[k]);
    }
    json_end(&o);
}

/* --- One file, for each_file(); values: stats_values --- */

static int count_file(const char *name, const void *values)
{
    const stats_values *o = values;
    const degree_options options = {name, cpu_threads(o->threads), o->memory, o->top};
    stats_report r = {.name = name, .pairs = !o->fast};
    client watcher;
    edge_source *source;
    int status;

    client_begin(&watcher, "stats", NULL, o->quiet);
    status = edge_source_open(&source, name);
    if (status == ENGINE_OK) {
        r.facts = edge_source_facts_of(source);
        status = count(source, &options, &watcher, &r);
    }
    status = client_end(&watcher, status, NULL);
    if (status == EXIT_OK) {
        print_report(&r, o->json);
    }
    degree_counts_free(&r.degrees);
    edge_source_close(source);
    return status;
}

int stats_main(int argc, char **argv)
{
    stats_values values = {.top = 10};
    bool given[OPTIONS_MAX];
    const char **files = (const char **)argv; /* parsing moves the file names to its front */
    int status;

    if (one_process_parse(&stats_command_line, argc, argv, &values, given, files, &status)) {
        status = files[0] == NULL
                     ? usage_error("stats", "FILE missing, allowed: the path of a graph")
                     : each_file(files, values.json, false, count_file, &values);
    }
    dist_stop();
    return status;
}
