/* The reports of `rmat stats`: figures computed from the counts, the report as text and as JSON,
 * and the table of degrees. */
#include "apps/stats/report.h"
#include "apps/common/message.h"
#include <inttypes.h>

/* Of the vertices whose degree is above 0. */
enum { VERTICES, MINIMUM, MEDIAN, P90, P99, P99_9, MAXIMUM, FIGURES };
typedef struct {
    uint64_t of[FIGURES];
    double mean;
} summary;

/* The fraction of the vertices whose degree does not exceed a percentile's; else 0. */
static const struct {
    const char *label, *key;
    double share;
} figures[FIGURES] = {
    [VERTICES] = {"vertices", "vertices", 0},
    [MINIMUM] = {"minimum", "minimum", 0},
    [MEDIAN] = {"median", "median", 0.5},
    [P90] = {"90 %", "p90", 0.9},
    [P99] = {"99 %", "p99", 0.99},
    [P99_9] = {"99.9 %", "p99_9", 0.999},
    [MAXIMUM] = {"maximum", "maximum", 0},
};

static const char *const kind_names[DEGREE_KINDS] = {"out", "in", "total"};
static const char *const kind_keys[DEGREE_KINDS] = {"out_degree", "in_degree", "total_degree"};

static uint64_t vertices_without_edges(const degree_distribution *d)
{
    return d->n_bins > 0 && d->bins[0].degree == 0 ? d->bins[0].vertices : 0;
}

static summary summary_of(const degree_distribution *d)
{
    const uint64_t first = vertices_without_edges(d) > 0; /* bin */
    summary s = {{0}, 0};
    uint64_t below = 0;
    int next = MEDIAN;
    double sum = 0;

    for (uint64_t i = first; i < d->n_bins; i++) {
        s.of[VERTICES] += d->bins[i].vertices;
        sum += (double)d->bins[i].degree * (double)d->bins[i].vertices;
    }
    if (s.of[VERTICES] == 0) {
        return s;
    }
    s.mean = sum / (double)s.of[VERTICES];
    s.of[MINIMUM] = d->bins[first].degree;
    s.of[MAXIMUM] = d->bins[d->n_bins - 1].degree;
    for (uint64_t i = first; i < d->n_bins; i++) {
        below += d->bins[i].vertices;
        while (next < MAXIMUM && (double)below >= figures[next].share * (double)s.of[VERTICES]) {
            s.of[next++] = d->bins[i].degree;
        }
    }
    return s;
}

static int kinds_of(const stats_report *r)
{
    return r->degrees.square ? DEGREE_KINDS : DEGREE_TOTAL;
}

/* The number of vertices; on both sides if the graph is not square. */
static uint64_t all_vertices(const stats_report *r)
{
    return r->facts->graph.rows + (r->degrees.square ? 0 : r->facts->graph.cols);
}

static uint64_t isolated_vertices(const stats_report *r)
{
    const degree_distribution *of = r->degrees.of;

    return r->degrees.square
               ? vertices_without_edges(&of[DEGREE_TOTAL])
               : vertices_without_edges(&of[DEGREE_OUT]) + vertices_without_edges(&of[DEGREE_IN]);
}

/* The fraction of the distinct edges, without loops, whose reverse also exists. */
static double reciprocity(const edge_counts *e)
{
    const uint64_t proper = e->distinct - e->distinct_loops;

    return proper > 0 ? 2 * (double)e->mutual / (double)proper : 0;
}

/* As text. */

static void print_share(const char *name, uint64_t n, uint64_t of, const char *whole)
{
    printf("%-12s %" PRIu64 ", %.4g %% of %s\n", name, n, of > 0 ? 100 * (double)n / (double)of : 0,
           whole);
}

static void print_counts(const stats_report *r, const summary s[DEGREE_KINDS])
{
    const graphfile_graph *g = &r->facts->graph;
    const bool square = r->degrees.square;

    if (square) {
        printf("%-12s %" PRIu64 "\n", "vertices", g->rows);
    } else {
        printf("%-12s %" PRIu64 " rows, %" PRIu64 " columns\n", "vertices", g->rows, g->cols);
    }
    printf("%-12s %" PRIu64 "\n", "edges", g->edges);
    print_share("sources", s[DEGREE_OUT].of[VERTICES], g->rows, square ? "vertices" : "rows");
    print_share("destinations", s[DEGREE_IN].of[VERTICES], g->cols,
                square ? "vertices" : "columns");
    print_share("isolated", isolated_vertices(r), all_vertices(r), "vertices");
    if (square) {
        print_share("loops", r->edges.loops, g->edges, "edges");
    }
    if (r->pairs) {
        print_share("duplicates", g->edges - r->edges.distinct, g->edges, "edges");
        printf("%-12s %" PRIu64 "\n", "distinct", r->edges.distinct);
    }
    if (r->pairs && square) {
        printf("%-12s %.6g\n", "reciprocity", reciprocity(&r->edges));
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
            printf(" %14" PRIu64, s[k].of[f]);
        }
        if (f == VERTICES) {
            printf("\n  %-10s", "mean");
            for (int k = 0; k < kinds; k++) {
                printf(" %14.6g", s[k].mean);
            }
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

void stats_print(const stats_report *r)
{
    summary s[DEGREE_KINDS];

    for (int k = 0; k < DEGREE_KINDS; k++) {
        s[k] = summary_of(&r->degrees.of[k]);
    }
    text_line(stdout, "%-12s %s (%s)", "file", r->name, graphfile_table[r->facts->format]->name);
    print_counts(r, s);
    print_summaries(s, kinds_of(r));
    print_top(r);
}

void stats_print_degrees(const stats_report *r, FILE *to, char c)
{
    const degree_distribution *d = r->degrees.of;
    uint64_t at[DEGREE_KINDS] = {0};

    fprintf(to, "degree%cout%cin%ctotal\n", c, c, c);
    for (;;) {
        uint64_t next = UINT64_MAX, vertices[DEGREE_KINDS] = {0};

        for (int k = 0; k < DEGREE_KINDS; k++) {
            if (at[k] < d[k].n_bins && d[k].bins[at[k]].degree < next) {
                next = d[k].bins[at[k]].degree;
            }
        }
        if (next == UINT64_MAX) {
            return;
        }
        for (int k = 0; k < DEGREE_KINDS; k++) {
            if (at[k] < d[k].n_bins && d[k].bins[at[k]].degree == next) {
                vertices[k] = d[k].bins[at[k]++].vertices;
            }
        }
        fprintf(to, "%" PRIu64 "%c%" PRIu64 "%c%" PRIu64 "%c", next, c, vertices[DEGREE_OUT], c,
                vertices[DEGREE_IN], c);
        if (r->degrees.square) {
            fprintf(to, "%" PRIu64, vertices[DEGREE_TOTAL]);
        }
        fprintf(to, "\n");
    }
}

/* As JSON, including whole histograms. */

/* null if the value does not apply or was not computed. */
static void json_maybe(json_object *o, const char *key, bool there, uint64_t value)
{
    if (there) {
        json_u64(o, key, value);
    } else {
        json_null(o, key);
    }
}

static void json_pair(json_object *pairs, uint64_t first, uint64_t second)
{
    const uint64_t pair[] = {first, second};

    json_u64_list(pairs, NULL, pair, 2);
}

static void json_degrees(json_object *o, const char *key, const degree_distribution *d)
{
    const summary s = summary_of(d);
    json_object part, pairs;

    json_object_begin(&part, o, key);
    for (int f = 0; f < FIGURES; f++) {
        json_u64(&part, figures[f].key, s.of[f]);
        if (f == VERTICES) {
            json_f64(&part, "mean", s.mean);
        }
    }
    json_array_begin(&pairs, &part, "top");
    for (uint64_t i = 0; i < d->n_top; i++) {
        json_pair(&pairs, d->top[i].vertex, d->top[i].degree);
    }
    json_array_end(&pairs);
    json_array_begin(&pairs, &part, "histogram");
    for (uint64_t i = 0; i < d->n_bins; i++) {
        json_pair(&pairs, d->bins[i].degree, d->bins[i].vertices);
    }
    json_array_end(&pairs);
    json_end(&part); /* which ends the line, so that each distribution has its own line */
}

void stats_print_json(const stats_report *r)
{
    const graphfile_graph *g = &r->facts->graph;
    const edge_counts *e = &r->edges;
    const bool square = r->degrees.square, both = r->pairs && square;
    json_object o;

    json_begin(&o, stdout);
    json_string(&o, "file", r->name);
    json_string(&o, "format", graphfile_table[r->facts->format]->name);
    json_u64(&o, "num_rows", g->rows);
    json_u64(&o, "num_cols", g->cols);
    json_u64(&o, "edges", g->edges);
    json_u64(&o, "sources", summary_of(&r->degrees.of[DEGREE_OUT]).of[VERTICES]);
    json_u64(&o, "destinations", summary_of(&r->degrees.of[DEGREE_IN]).of[VERTICES]);
    json_u64(&o, "isolated", isolated_vertices(r));
    json_maybe(&o, "loops", square, r->edges.loops);
    json_maybe(&o, "duplicates", r->pairs, g->edges - e->distinct);
    json_maybe(&o, "distinct_edges", r->pairs, e->distinct);
    json_maybe(&o, "distinct_loops", both, e->distinct_loops);
    json_maybe(&o, "mutual_pairs", both, e->mutual);
    if (both) {
        json_f64(&o, "reciprocity", reciprocity(e));
    } else {
        json_null(&o, "reciprocity");
    }
    for (int k = 0; k < kinds_of(r); k++) {
        json_degrees(&o, kind_keys[k], &r->degrees.of[k]);
    }
    json_end(&o);
}
