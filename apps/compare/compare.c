/*
 * rmat compare: do two graphs have the same edges, and how many are in one of them only?
 *
 * Graphs are multisets of edges: what counts is how often an edge is in each, not in which order
 * the edges are listed.  Both are sorted interval by interval, as `rmat generate --sorted` sorts
 * (rmat_interval.h), and two intervals of the same cells are walked through side by side.  Where
 * memory does not hold all edges of both, intervals are cut in two until they fit, and each is made
 * in a pass over the files.  An edge that brings a weight is another one than the edge with another
 * weight.
 */
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/common/devices.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "apps/engine/meter.h"
#include "apps/engine/sorted/fill.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_stream.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DIFFERENT = EXIT_RUNTIME }; /* as `rmat verify` calls a file wrong */

typedef struct {
    reading_values reading;
    int from_b;
    uint64_t shown, memory, threads;
    bool undirected, dedup, no_weights, json, quiet, help;
} compare_values;

enum {
    FROM_B,
    READING_OPTIONS,
    UNDIRECTED,
    DEDUP,
    NO_WEIGHTS,
    EDGES,
    JSON,
    MEMORY,
    THREADS,
    QUIET,
    HELP,
    N_OPTIONS
};

#define AT(field) offsetof(compare_values, field)
#define GRAPHS    "Graphs"
#define RUNNING   "Running"

/* clang-format off */
static const option table[N_OPTIONS] = {
    [FROM_B] = {.name = "from-b", .kind = OPTION_CHOICE, .argument = "NAME", .offset = AT(from_b),
        .choices = graphfile_names, .fallback = "as --from", .group = GRAPHS,
        .help = "format of B"},
    READING_ROWS(compare_values, reading, GRAPHS, "A and B"),
    [UNDIRECTED] = OPTION_ROW_FLAG(compare_values, undirected, GRAPHS, "undirected", 0,
        "take an edge and its reverse for the same edge"),
    [DEDUP] = OPTION_ROW_FLAG(compare_values, dedup, GRAPHS, "dedup", 0,
        "count an edge once however often a graph has it, with the least weight of its copies"),
    [NO_WEIGHTS] = OPTION_ROW_FLAG(compare_values, no_weights, GRAPHS, "no-weights", 0,
        "compare the ends of edges, but not their weights"),
    [EDGES] = {.name = "edges", .kind = OPTION_COUNT, .argument = "N", .offset = AT(shown),
        .max = 1000000, .fallback = "5", .group = GRAPHS,
        .help = "print the first N edges that are only in A, and the first N only in B, in sorted order"},
    [JSON] = OPTION_ROW_JSON(compare_values, json, GRAPHS, "print one JSON object"),
    [MEMORY] = OPTION_ROW_MEMORY(compare_values, memory, RUNNING, "half of what is available",
        "memory for sorting and reading; with less memory, the files are read more often"),
    [THREADS] = OPTION_ROW_THREADS(compare_values, threads, RUNNING, "number of threads"),
    [QUIET] = OPTION_ROW_QUIET(compare_values, quiet, RUNNING, "print no progress, and no report except that of --json"),
    [HELP] = OPTION_ROW_LONG_HELP(compare_values, help, RUNNING),
};
/* clang-format on */

const command_line compare_command_line = {
    .command = "compare",
    .synopsis = "compare A B [OPTION]...",
    .summary = "Say whether two graphs, in whatever formats and orders, have the same edges, and "
               "how many edges are only in one of them.",
    .operand = "A B",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "undirected dedup no-weights edges json memory quiet help",
    .examples = "rmat compare g.h5 g.mtx\n"
                "rmat compare g.h5 list.tsv --undirected --dedup\n"
                "rmat compare -q g.h5 list.tsv && echo same",
    .notes =
        "A and B are any graphs that 'rmat convert' reads: files, folders, or patterns of names. "
        "One of them may be '-', standard input, with --from.\n"
        "\n"
        "The order of edges does not count, but how often each occurs does: an edge that A has "
        "three times and B once is in both once, and twice only in A. Weights count if both "
        "graphs have some. The number of vertices is printed, but does not count, since many "
        "formats do not state it.\n"
        "\n"
        "Exit status: 0 the edges are the same, 1 they differ, 2 wrong usage, 3 the graphs were "
        "not compared: one is missing or cannot be read, or memory failed; 128 + N stopped by "
        "signal N.",
};

typedef struct {
    uint64_t src, dst;
    double weight;
} difference;

/* A's and B's. */
typedef struct {
    const char *name;
    edge_source *source;
    edge_stream *stream;
    engine_source edges; /* those of the stream, but that both graphs have the same vertices */
    rmat_gen *gen;
    rmat_interval *interval;
    uint64_t bytes;    /* of its memory */
    uint64_t only;     /* edges that the other graph lacks */
    difference *shown; /* the first of them */

    /* The walk through the interval: edges from `at` on and before `end`, of which `held` from
     * `first` on are in the arrays. */
    uint64_t at, end, first, held;
    uint64_t *src, *dst;
    void *weight; /* or NULL */
} side;

enum { HELD = 1 << 16 }; /* edges of an interval that are walked through at a time */

typedef struct {
    const compare_values *o;
    int threads;
    bool weighted;
    side sides[2];
    uint64_t both;
    sorted_cuts cuts;
    uint64_t read; /* edges, in all passes */
    engine_meter meter;
    int reason; /* why the watch wants to stop, or 0 */
} comparison;

/* Weights of two types are compared as numbers of this one, which has room for both. */
static double weight_of(const side *s, uint64_t i)
{
    if (s->weight == NULL) {
        return 0;
    }
    return s->edges.edges.weights == RMAT_WEIGHTS_INT ? (double)((const int32_t *)s->weight)[i]
                                                      : (double)((const float *)s->weight)[i];
}

/* As a number that has the order in which intervals have floats: with NaN and -0 in it. */
static uint64_t weight_rank(const side *s, uint64_t i)
{
    const double weight = weight_of(s, i);
    uint64_t bits;

    memcpy(&bits, &weight, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static int order_edges(const side *a, uint64_t i, const side *b, uint64_t j)
{
    const uint64_t x[] = {a->src[i], a->dst[i], weight_rank(a, i)};
    const uint64_t y[] = {b->src[j], b->dst[j], weight_rank(b, j)};
    const int k = x[0] != y[0] ? 0 : x[1] != y[1] ? 1 : 2;

    return (x[k] > y[k]) - (x[k] < y[k]);
}

static int tick(void *state, uint64_t made)
{
    comparison *c = state;
    const double all = c->meter.work;

    c->read += made;
    c->reason = engine_meter_tick(&c->meter, (double)c->read < all ? (double)c->read : all, 0);
    return c->reason;
}

/* rmat_config.stop. */
static int stop(void *state)
{
    return tick(state, 0);
}

/* The edge at s->at into the arrays, if there is one and it is not there yet.  Returns an
 * rmat_status, or SORTED_STOPPED. */
static int hold(comparison *c, side *s)
{
    const rmat_arrays to = {s->src, s->dst, s->weight, 8};

    if (s->at == s->end || s->at - s->first < s->held) {
        return RMAT_OK;
    }
    s->first = s->at;
    s->held = s->end - s->at < HELD ? s->end - s->at : HELD;
    return tick(c, 0) != 0 ? SORTED_STOPPED
                           : rmat_interval_read(s->interval, s->first, s->held, &to);
}

static void note_difference(side *s, uint64_t shown)
{
    const uint64_t i = s->at - s->first;

    if (s->only < shown) {
        s->shown[s->only] = (difference){s->src[i], s->dst[i], weight_of(s, i)};
    }
    s->only++;
    s->at++;
}

/* Two sorted intervals of the same cells. */
static int walk_through(comparison *c)
{
    side *a = &c->sides[0], *b = &c->sides[1];

    while (a->at < a->end || b->at < b->end) {
        int order, status = hold(c, a);

        status = status == RMAT_OK ? hold(c, b) : status;
        if (status != RMAT_OK) {
            return status;
        }
        order = a->at == a->end   ? 1
                : b->at == b->end ? -1
                                  : order_edges(a, a->at - a->first, b, b->at - b->first);
        if (order == 0) {
            c->both++;
            a->at++;
            b->at++;
        } else {
            note_difference(order < 0 ? a : b, c->o->shown);
        }
    }
    return RMAT_OK;
}

/* What a function of rmat/ returned, as an engine_status. */
static int status_of(const comparison *c, const side *s, int status)
{
    const char *text = status == RMAT_ERR_SOURCE ? s->edges.error(s->edges.edges.state) : "";

    if (status == SORTED_STOPPED || status == RMAT_ERR_STOPPED) {
        return engine_stop_with(c->reason);
    }
    return status == RMAT_OK
               ? ENGINE_OK
               : engine_fail("%s", *text != '\0'              ? text
                                   : status == RMAT_ERR_NOMEM ? "memory is exhausted"
                                                              : rmat_strerror(status));
}

/* Interval i of both graphs.  It may become shorter while B's is made; A's then has edges that
 * belong to the next one, which are made again. */
static int compare_interval(comparison *c, uint64_t i)
{
    int status = RMAT_OK;

    for (int k = 0; k < 2; k++) {
        side *s = &c->sides[k];

        status = sorted_fill(s->interval, &c->cuts, i, s->edges.edges.edges, c->o->dedup, tick, c);
        if (status != RMAT_OK) {
            return status_of(c, s, status);
        }
    }
    for (int k = 0; k < 2 && status == RMAT_OK; k++) {
        side *s = &c->sides[k];

        s->at = s->first = s->held = 0;
        status = rmat_interval_before(s->interval, 1, &c->cuts.cells[i + 1], &s->end);
    }
    status = status == RMAT_OK ? walk_through(c) : status;
    return status_of(c, &c->sides[0], status);
}

/* Divides memory between both, for one pass or for as few as it takes. */
static int share_memory(comparison *c)
{
    const uint64_t memory = c->o->memory != 0 ? c->o->memory : sorted_default_memory();
    const uint64_t edges = c->sides[0].edges.edges.edges + c->sides[1].edges.edges.edges;
    uint64_t reading = 0, least = 0, wanted = 0, room;

    for (int k = 0; k < 2; k++) {
        side *s = &c->sides[k];
        const edge_source_facts *f = edge_source_facts_of(s->source);
        const uint64_t n = s->edges.edges.edges > RMAT_INTERVAL_LEAST_EDGES
                               ? s->edges.edges.edges
                               : RMAT_INTERVAL_LEAST_EDGES;
        uint64_t few;
        int status = rmat_interval_bytes(s->gen, RMAT_INTERVAL_LEAST_EDGES, &few);

        status = status == RMAT_OK ? rmat_interval_bytes(s->gen, n, &s->bytes) : status;
        if (status != RMAT_OK) {
            return status_of(c, s, status);
        }
        least = few > least ? few : least;
        wanted = s->bytes < UINT64_MAX - wanted ? wanted + s->bytes : UINT64_MAX;
        reading += (uint64_t)c->threads * (f->most + 1) *
                       (2 * (uint64_t)f->graph.id_bytes + (f->graph.weight ? 4 : 0)) +
                   (uint64_t)HELD * 20;
    }
    if (memory < reading + 2 * least) {
        return engine_refuse("memory",
                             "'%" PRIu64 "' is too little for %d threads, allowed: %" PRIu64
                             " bytes or more",
                             memory, c->threads, reading + 2 * least);
    }
    room = memory - reading;
    c->meter.work = (double)edges * ((double)(wanted / room) + 1);
    for (int k = 0; k < 2 && wanted > room; k++) {
        const double share = (double)c->sides[k].edges.edges.edges / (double)edges;

        c->sides[k].bytes = least + (uint64_t)((double)(room - 2 * least) * share);
    }
    return ENGINE_OK;
}

/* A generator of the edges of each, as the options say, with one set of vertices for both. */
static int create_generators(comparison *c)
{
    rmat_config config;
    uint64_t vertices = 1;
    int status = ENGINE_OK;

    rmat_config_default(&config);
    config.backend = RMAT_BACKEND_CPU;
    config.threads = c->threads;
    config.stop = stop;
    config.stop_state = c;
    config.direction = c->o->undirected ? RMAT_LOWER : RMAT_DIRECTED;
    for (int k = 0; k < 2 && status == ENGINE_OK; k++) {
        side *s = &c->sides[k];

        status = edge_stream_open(&s->stream, s->source);
        if (status == ENGINE_OK) {
            s->edges = edge_stream_source(s->stream);
            s->edges.edges.weights = c->weighted ? s->edges.edges.weights : RMAT_NO_WEIGHTS;
            vertices = s->edges.edges.rows > vertices ? s->edges.edges.rows : vertices;
            vertices = s->edges.edges.cols > vertices ? s->edges.edges.cols : vertices;
        }
    }
    for (int k = 0; k < 2 && status == ENGINE_OK; k++) {
        side *s = &c->sides[k];

        s->edges.edges.rows = s->edges.edges.cols = vertices;
        status = status_of(c, s, rmat_create_from(&s->gen, &s->edges.edges, &config));
    }
    return status;
}

static int allocate(comparison *c)
{
    const rmat_cell end = {c->sides[0].edges.edges.rows, 0};
    bool good = true;

    c->cuts = (sorted_cuts){.cells = calloc(2, sizeof *c->cuts.cells), .n = 1};
    for (int k = 0; k < 2; k++) {
        side *s = &c->sides[k];

        s->src = malloc(HELD * sizeof *s->src);
        s->dst = malloc(HELD * sizeof *s->dst);
        s->weight = c->weighted ? malloc(HELD * sizeof(float)) : NULL;
        s->shown = malloc((c->o->shown + 1) * sizeof *s->shown);
        good = good && s->src != NULL && s->dst != NULL && s->shown != NULL &&
               (s->weight != NULL || !c->weighted) &&
               rmat_interval_create(&s->interval, s->gen, s->bytes) == RMAT_OK;
    }
    if (!good || c->cuts.cells == NULL) {
        return engine_fail("memory is exhausted");
    }
    c->cuts.cells[1] = end;
    return ENGINE_OK;
}

/* Are there weights to compare?  Where one graph alone has some, no edge would be the same. */
static int check_weights(comparison *c)
{
    const edgefile_weight a = edge_source_facts_of(c->sides[0].source)->graph.weight,
                          b = edge_source_facts_of(c->sides[1].source)->graph.weight;

    c->weighted = a != EDGEFILE_NO_WEIGHT && !c->o->no_weights;
    if ((a == EDGEFILE_NO_WEIGHT) != (b == EDGEFILE_NO_WEIGHT) && !c->o->no_weights) {
        return engine_refuse("", "'%s' has weights and '%s' has none, allowed: with --no-weights",
                             c->sides[a == EDGEFILE_NO_WEIGHT].name,
                             c->sides[a != EDGEFILE_NO_WEIGHT].name);
    }
    return ENGINE_OK;
}

static int compare_graphs(comparison *c)
{
    int status = check_weights(c);

    status = status == ENGINE_OK ? create_generators(c) : status;
    status = status == ENGINE_OK ? share_memory(c) : status;
    status = status == ENGINE_OK ? allocate(c) : status;
    for (uint64_t i = 0; i < c->cuts.n && status == ENGINE_OK; i++) { /* more, where one is cut */
        status = compare_interval(c, i);
    }
    return status;
}

/* The report. */

static void print_comparison(const comparison *c, bool same)
{
    for (int k = 0; k < 2; k++) {
        const edge_source_facts *f = edge_source_facts_of(c->sides[k].source);

        text_line(stdout, "%-12c %s (%s): %" PRIu64 " x %" PRIu64 " vertices, %" PRIu64 " edges",
                  "AB"[k], c -> sides[k].name, graphfile_names[f->format], f->graph.rows,
                  f->graph.cols, f->graph.edges);
    }
    printf("%-12s %" PRIu64 "\n", "in both", c->both);
    for (int k = 0; k < 2; k++) {
        const side *s = &c->sides[k];

        printf("only in %c    %" PRIu64 "\n", "AB"[k], s -> only);
        for (uint64_t i = 0; i < s->only && i < c->o->shown; i++) {
            const difference *d = &s->shown[i];

            printf("  %c %" PRIu64 " %" PRIu64, "<>"[k], d -> src, d -> dst);
            if (c->weighted) {
                printf(" %.9g", d->weight);
            }
            printf("\n");
        }
    }
    printf("the edges are %s\n", same ? "the same" : "different");
}

/* One graph, and what only it has. */
static void json_side(json_object *o, const comparison *c, const side *s, const char *key)
{
    const edge_source_facts *f = edge_source_facts_of(s->source);
    json_object graph, list, edge;

    json_object_begin(&graph, o, key);
    json_string(&graph, "file", s->name);
    json_string(&graph, "format", graphfile_names[f->format]);
    json_u64(&graph, "num_rows", f->graph.rows);
    json_u64(&graph, "num_cols", f->graph.cols);
    json_u64(&graph, "edges", f->graph.edges);
    json_u64(&graph, "only_here", s->only);
    json_array_begin(&list, &graph, "first_only_here");
    for (uint64_t i = 0; i < s->only && i < c->o->shown; i++) {
        json_array_begin(&edge, &list, NULL);
        json_u64(&edge, NULL, s->shown[i].src);
        json_u64(&edge, NULL, s->shown[i].dst);
        if (c->weighted) {
            json_f64(&edge, NULL, s->shown[i].weight);
        }
        json_array_end(&edge);
    }
    json_array_end(&list);
    json_object_end(&graph);
}

static void print_json(const comparison *c, bool same)
{
    json_object o;

    json_begin(&o, stdout);
    json_bool(&o, "same", same);
    json_bool(&o, "weights", c->weighted);
    json_u64(&o, "in_both", c->both);
    json_u64(&o, "passes", c->cuts.n);
    json_side(&o, c, &c->sides[0], "a");
    json_side(&o, c, &c->sides[1], "b");
    json_end(&o);
}

static void close_comparison(comparison *c)
{
    for (int k = 0; k < 2; k++) {
        side *s = &c->sides[k];

        rmat_interval_destroy(s->interval);
        rmat_destroy(s->gen);
        edge_stream_close(s->stream);
        edge_source_close(s->source);
        free(s->src);
        free(s->dst);
        free(s->weight);
        free(s->shown);
    }
    free(c->cuts.cells);
}

/* What the options say of a file, if they can be meant for it; else they are meant for the other
 * one. */
static reading_values reading_of(const reading_values *given, const char *name, int format)
{
    const int found = format >= 0 ? format : edge_source_format_of(name);
    const unsigned traits = found >= 0 ? graphfile_table[found]->traits : 0;
    reading_values r = *given;

    r.from = format;
    if (edge_source_is_parts(name)) {
        return r;
    }
    r.base = traits & GRAPHFILE_HAS_BASE ? r.base : 0;
    r.weights = traits & GRAPHFILE_BARE_WEIGHTS ? r.weights : -1;
    if (!(found == GRAPHFILE_H5 ? edgefile_is_foreign(name) != 0
                                : (traits & GRAPHFILE_HAS_COLUMNS) != 0)) {
        r.datasets = NULL;
    }
    return r;
}

static int compare_files(const char *const names[2], const compare_values *o, const int formats[2])
{
    comparison c = {.o = o, .threads = o->threads != 0 ? (int)o->threads : cpu_usable()};
    reading_values r[2] = {reading_of(&o->reading, names[0], formats[0]),
                           reading_of(&o->reading, names[1], formats[1])};
    client watcher;
    int status = ENGINE_OK;

    client_begin(&watcher, "compare", NULL, o->quiet);
    for (int k = 0; k < 2 && status == ENGINE_OK; k++) {
        const reading_values *other = &r[1 - k];

        /* What is meant for neither is refused as for one file alone. */
        r[k].base = other->base > 0 ? r[k].base : o->reading.base;
        r[k].weights = other->weights >= 0 ? r[k].weights : o->reading.weights;
        r[k].datasets = other->datasets != NULL ? r[k].datasets : o->reading.datasets;
        const edge_source_options options = {READING(r[k]), .threads = c.threads,
                                             .watch = &watcher.watch};

        c.sides[k].name = names[k];
        status = edge_source_open(&c.sides[k].source, names[k], &options);
        client_clear(&watcher);
    }
    if (status == ENGINE_OK) {
        c.meter = engine_meter_of(&watcher.watch, "comparing", 0, 0);
        status = compare_graphs(&c);
    }
    client_clear(&watcher);
    status = client_end(&watcher, status, NULL, 0, 0);
    if (status == EXIT_OK) {
        const bool same = c.sides[0].only + c.sides[1].only == 0;

        if (o->json) {
            print_json(&c, same);
        } else if (!o->quiet) {
            print_comparison(&c, same);
        }
        status = finish_stdout("compare") != EXIT_OK ? EXIT_UNCHECKED
                 : same                              ? EXIT_OK
                                                     : EXIT_DIFFERENT;
    } else if (status == EXIT_RUNTIME) {
        status = EXIT_UNCHECKED;
    }
    close_comparison(&c);
    return status;
}

int compare_main(int argc, char **argv)
{
    compare_values values = {.shown = 5, .reading = READING_DEFAULT};
    bool given[OPTIONS_MAX] = {false};
    const char *names[2] = {NULL, NULL};
    int formats[2], status;
    const bool goes_on = one_process_parse(&compare_command_line, "compares", argc, argv, &values,
                                           given, names, &status);

    formats[0] = values.reading.from;
    formats[1] = given[FROM_B] ? values.from_b : formats[0];
    if (!goes_on) {
        status = status == EXIT_RUNTIME ? EXIT_UNCHECKED : status;
    } else if (names[1] == NULL) {
        status = usage_error("compare", "%s missing, allowed: A B", names[0] == NULL ? "A" : "B");
    } else if (strcmp(names[0], "-") == 0 && strcmp(names[1], "-") == 0) {
        status = usage_error("compare", "A and B are '-', allowed: standard input for one of them");
    } else {
        for (int k = 0; k < 2 && status == EXIT_OK; k++) {
            reading_values r = values.reading;

            r.from = formats[k];
            status = from_option_check("compare", names[k], &r);
        }
        status = status == EXIT_OK ? compare_files(names, &values, formats) : status;
    }
    dist_stop();
    return status;
}
