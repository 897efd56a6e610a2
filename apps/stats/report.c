/* The reports of `rmat stats`: figures that are derived from the counts, the report as text and as
 * JSON, and the table of degrees. */
#include "apps/stats/report.h"
#include "apps/common/json.h"
#include "apps/common/message.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* Means, percentiles, reciprocity, expected quadrants. */

enum { STATS_QUANTILES = 4 };

/* Over the vertices of a degree above 0. */
typedef struct {
    uint64_t vertices, least, most;
    uint64_t quantile[STATS_QUANTILES]; /* the least degree that this share does not exceed */
    double mean;
} degree_summary;

/* The shares of the quadrants that the model predicts; NAN if it predicts none. */
typedef struct {
    bool known;
    double quadrants[RMAT_MAX_SCALE][4];
} level_expectation;

static const double degree_quantile[STATS_QUANTILES] = {0.5, 0.9, 0.99, 0.999};
static const char *const degree_kind_name[DEGREE_KINDS] = {"out", "in", "total"};

static degree_summary degree_summary_of(const degree_distribution *d)
{
    degree_summary s = {0};
    double sum = 0;
    uint64_t below = 0;
    int next = 0;

    for (uint64_t i = 0; i < d->n_bins; i++) {
        if (d->bins[i].degree > 0) {
            s.least = s.vertices == 0 ? d->bins[i].degree : s.least;
            s.vertices += d->bins[i].vertices;
            s.most = d->bins[i].degree;
            sum += (double)d->bins[i].degree * (double)d->bins[i].vertices;
        }
    }
    s.mean = s.vertices > 0 ? sum / (double)s.vertices : 0;
    for (uint64_t i = 0; i < d->n_bins; i++) {
        below += d->bins[i].degree > 0 ? d->bins[i].vertices : 0;
        while (next < STATS_QUANTILES && below > 0 &&
               (double)below >= degree_quantile[next] * (double)s.vertices) {
            s.quantile[next++] = d->bins[i].degree;
        }
    }
    return s;
}

static uint64_t vertices_without_edges(const degree_distribution *d)
{
    return d->n_bins > 0 && d->bins[0].degree == 0 ? d->bins[0].vertices : 0;
}

/* Of a graph that is not square, of both sides. */
static uint64_t isolated_vertices(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;

    return c->square ? vertices_without_edges(&c->of[DEGREE_TOTAL])
                     : vertices_without_edges(&c->of[DEGREE_OUT]) +
                           vertices_without_edges(&c->of[DEGREE_IN]);
}

static uint64_t all_vertices(const degree_distribution *d)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < d->n_bins; i++) {
        n += d->bins[i].vertices;
    }
    return n;
}

static uint64_t count_vertices(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;

    return all_vertices(&c->of[DEGREE_OUT]) + (c->square ? 0 : all_vertices(&c->of[DEGREE_IN]));
}

/* The share of the distinct edges, without loops, whose reverse exists too. */
static double reciprocity(const stats_graph *g)
{
    const pair_counts *p = &g->results->pairs;

    return p->distinct > p->loops ? 2 * (double)p->mutual / (double)(p->distinct - p->loops) : 0;
}

/* Of edges after they are turned round and their reverse added. */
static void expect_both(const rmat_config *model, const double from[4], double to[4])
{
    to[0] = from[0];
    to[3] = from[3];
    if (model->direction != RMAT_DIRECTED) { /* by the first level that differs */
        to[1] = to[2] = NAN;
    } else if (model->symmetrize) {
        to[1] = to[2] = (from[1] + from[2]) / 2;
    } else {
        to[1] = from[1];
        to[2] = from[2];
    }
}

static void expect_levels(const stats_graph *g, level_expectation *e)
{
    const file_model *model = g->facts->model;
    rmat_expectation expected;

    *e = (level_expectation){.known = model != NULL && !model->order.unique &&
                                      rmat_expect(&model->drawn, &expected) == RMAT_OK};
    for (int l = 0; e->known && l < g->results->levels.levels; l++) {
        const level_shares s = levels_shares(&g->results->levels, l);
        const double *q = expected.quadrants[l];
        double *to = e->quadrants[l];

        if (!s.has_src) {
            to[0] = q[0] + q[2];
            to[1] = q[1] + q[3];
        } else if (!s.has_dst) {
            to[0] = q[0] + q[1];
            to[2] = q[2] + q[3];
        } else {
            expect_both(&model->drawn, q, to);
        }
    }
}

/* As text. */

static double percent_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void print_share_of(const char *name, uint64_t n, uint64_t of, const char *whole)
{
    printf("%-12s %" PRIu64 ", %.4g %% of %s\n", name, n, percent_of(n, of), whole);
}

static void print_vertices(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;
    const uint64_t vertices = count_vertices(g), rows = g->results->rows, cols = g->results->cols;

    if (c->square) {
        printf("%-12s %" PRIu64 "\n", "vertices", vertices);
    } else {
        printf("%-12s %" PRIu64 " rows, %" PRIu64 " columns\n", "vertices", rows, cols);
    }
    printf("%-12s %" PRIu64 "\n", "edges", g->facts->graph.edges);
    print_share_of("sources", degree_summary_of(&c->of[DEGREE_OUT]).vertices, rows,
                   c->square ? "vertices" : "rows");
    print_share_of("destinations", degree_summary_of(&c->of[DEGREE_IN]).vertices, cols,
                   c->square ? "vertices" : "columns");
    print_share_of("isolated", isolated_vertices(g), vertices, "vertices");
}

static void print_pairs(const stats_graph *g)
{
    const stats_results *r = g->results;
    const uint64_t edges = g->facts->graph.edges;

    if (r->degrees.square) {
        print_share_of("loops", r->loops, edges, "edges");
    }
    if (!g->pairs) {
        return;
    }
    print_share_of("duplicates", edges - r->pairs.distinct, edges, "edges");
    printf("%-12s %" PRIu64 "\n", "distinct", r->pairs.distinct);
    if (r->degrees.square) {
        printf("%-12s %.6g\n", "reciprocity", reciprocity(g));
    }
}

/* A row of the table of degrees: the field at `offset` of the summary of each kind of degree. */
static void print_degree_row(const char *name, const degree_summary *s, int kinds, size_t offset)
{
    printf("  %-10s", name);
    for (int k = 0; k < kinds; k++) {
        printf(" %14" PRIu64, *(const uint64_t *)(const void *)((const char *)&s[k] + offset));
    }
    printf("\n");
}

static void print_degrees(const stats_graph *g)
{
    static const char *const quantiles[STATS_QUANTILES] = {"median", "90 %", "99 %", "99.9 %"};
    const degree_counts *c = &g->results->degrees;
    const int kinds = c->square ? DEGREE_KINDS : DEGREE_TOTAL;
    degree_summary s[DEGREE_KINDS];

    printf("%-12s", "degrees");
    for (int k = 0; k < kinds; k++) {
        s[k] = degree_summary_of(&c->of[k]);
        printf(" %14s", degree_kind_name[k]);
    }
    printf("\n");
    print_degree_row("vertices", s, kinds, offsetof(degree_summary, vertices));
    printf("  %-10s", "mean");
    for (int k = 0; k < kinds; k++) {
        printf(" %14.6g", s[k].mean);
    }
    printf("\n");
    print_degree_row("minimum", s, kinds, offsetof(degree_summary, least));
    for (int q = 0; q < STATS_QUANTILES; q++) {
        print_degree_row(quantiles[q], s, kinds,
                         offsetof(degree_summary, quantile) + (size_t)q * sizeof(uint64_t));
    }
    print_degree_row("maximum", s, kinds, offsetof(degree_summary, most));
}

/* Vertex and degree, side by side for each kind. */
static void print_top(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;
    const int kinds = c->square ? DEGREE_KINDS : DEGREE_TOTAL;
    uint64_t n = 0;

    for (int k = 0; k < kinds; k++) {
        n = c->of[k].n_top > n ? c->of[k].n_top : n;
    }
    if (n == 0) {
        return;
    }
    printf("%-12s", "highest");
    for (int k = 0; k < kinds; k++) {
        printf(" %12s %10s", "vertex", degree_kind_name[k]);
    }
    printf("\n");
    for (uint64_t i = 0; i < n; i++) {
        printf("  %-10" PRIu64, i + 1);
        for (int k = 0; k < kinds; k++) {
            const degree_distribution *d = &c->of[k];

            if (i < d->n_top) {
                printf(" %12" PRIu64 " %10" PRIu64, d->top[i].vertex, d->top[i].degree);
            } else {
                printf(" %12s %10s", "-", "-");
            }
        }
        printf("\n");
    }
}

static void print_share(bool there, double share)
{
    if (there && !isnan(share)) {
        printf(" %8.5f", share);
    } else {
        printf(" %8s", "-");
    }
}

static void print_levels(const stats_graph *g)
{
    const level_totals *t = &g->results->levels;
    level_expectation expected;

    if (t->counts.edges == 0 || t->levels == 0) {
        return;
    }
    expect_levels(g, &expected);
    printf("%-12s %8s %8s %8s %8s%s\n", "levels", "a", "b", "c", "d",
           expected.known ? "  expected a      b        c        d" : "");
    for (int l = 0; l < t->levels; l++) {
        const level_shares s = levels_shares(t, l);
        const bool has[4] = {true, s.has_dst, s.has_src, s.has_src && s.has_dst};

        printf("  %-10d", l);
        for (int k = 0; k < 4; k++) {
            print_share(has[k], s.share[k]);
        }
        printf("%s", expected.known ? "  " : "");
        for (int k = 0; k < 4 && expected.known; k++) {
            print_share(has[k], expected.quadrants[l][k]);
        }
        printf("\n");
    }
}

void stats_print(const stats_graph *g)
{
    text_line(stdout, "%-12s %s (%s)", "file", g->name, graphfile_table[g->facts->format]->name);
    print_vertices(g);
    print_pairs(g);
    print_degrees(g);
    print_top(g);
    print_levels(g);
}

void stats_print_degrees(const stats_graph *g, FILE *to, char c)
{
    const degree_distribution *d = g->results->degrees.of;
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
            break;
        }
        for (int k = 0; k < DEGREE_KINDS; k++) {
            if (at[k] < d[k].n_bins && d[k].bins[at[k]].degree == next) {
                vertices[k] = d[k].bins[at[k]++].vertices;
            }
        }
        fprintf(to, "%" PRIu64 "%c%" PRIu64 "%c%" PRIu64, next, c, vertices[DEGREE_OUT], c,
                vertices[DEGREE_IN]);
        if (g->results->degrees.square) {
            fprintf(to, "%c%" PRIu64 "\n", c, vertices[DEGREE_TOTAL]);
        } else {
            fprintf(to, "%c\n", c);
        }
    }
}

/* As JSON, which includes whole histograms. */

/* null where it does not apply, or was not looked for. */
static void json_maybe(json_object *o, const char *key, bool there, uint64_t value)
{
    if (there) {
        json_u64(o, key, value);
    } else {
        json_null(o, key);
    }
}

/* With 17 digits, which give the double back; null where it does not apply. */
static void json_share(json_object *o, const char *key, bool there, double share)
{
    if (there && isfinite(share)) {
        json_key(o, key);
        fprintf(o->stream, "%.17g", share);
    } else {
        json_null(o, key);
    }
}

static void json_pair(json_object *pairs, uint64_t first, uint64_t second)
{
    json_object pair;

    json_array_begin(&pair, pairs, NULL);
    json_u64(&pair, NULL, first);
    json_u64(&pair, NULL, second);
    json_array_end(&pair);
}

static void json_degrees(json_object *o, degree_kind kind, const degree_distribution *d)
{
    static const char *const keys[DEGREE_KINDS] = {"out_degree", "in_degree", "total_degree"};
    static const char *const quantiles[STATS_QUANTILES] = {"median", "p90", "p99", "p99_9"};
    const degree_summary s = degree_summary_of(d);
    json_object part, pairs;

    json_object_begin(&part, o, keys[kind]);
    json_u64(&part, "vertices", s.vertices);
    json_f64(&part, "mean", s.mean);
    json_u64(&part, "minimum", s.least);
    for (int q = 0; q < STATS_QUANTILES; q++) {
        json_u64(&part, quantiles[q], s.quantile[q]);
    }
    json_u64(&part, "maximum", s.most);
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
    json_end(&part); /* which ends the line, so that each distribution has one of its own */
}

/* A list of four for each level: the observed shares, or the expected ones. */
static void json_levels(json_object *o, const char *key, const stats_graph *g,
                        const level_expectation *expected)
{
    const level_totals *t = &g->results->levels;
    json_object levels, shares;

    json_array_begin(&levels, o, key);
    for (int l = 0; l < t->levels && t->counts.edges > 0; l++) {
        const level_shares s = levels_shares(t, l);
        const bool has[4] = {true, s.has_dst, s.has_src, s.has_src && s.has_dst};

        json_array_begin(&shares, &levels, NULL);
        for (int k = 0; k < 4; k++) {
            json_share(&shares, NULL, has[k],
                       expected != NULL ? expected->quadrants[l][k] : s.share[k]);
        }
        json_array_end(&shares);
    }
    json_array_end(&levels);
}

void stats_print_json(const stats_graph *g)
{
    const stats_results *r = g->results;
    const degree_counts *c = &r->degrees;
    const bool square = c->square;
    level_expectation expected;
    json_object o;

    json_begin(&o, stdout);
    json_string(&o, "file", g->name);
    json_string(&o, "format", graphfile_table[g->facts->format]->name);
    json_u64(&o, "num_rows", r->rows);
    json_u64(&o, "num_cols", r->cols);
    json_u64(&o, "edges", g->facts->graph.edges);
    json_u64(&o, "sources", degree_summary_of(&c->of[DEGREE_OUT]).vertices);
    json_u64(&o, "destinations", degree_summary_of(&c->of[DEGREE_IN]).vertices);
    json_u64(&o, "isolated", isolated_vertices(g));
    json_maybe(&o, "loops", square, r->loops);
    json_maybe(&o, "duplicates", g->pairs, g->facts->graph.edges - r->pairs.distinct);
    json_maybe(&o, "distinct_edges", g->pairs, r->pairs.distinct);
    json_maybe(&o, "distinct_loops", g->pairs && square, r->pairs.loops);
    json_maybe(&o, "mutual_pairs", g->pairs && square, r->pairs.mutual);
    json_share(&o, "reciprocity", g->pairs && square, reciprocity(g));
    for (int k = 0; k < (square ? DEGREE_KINDS : DEGREE_TOTAL); k++) {
        json_degrees(&o, (degree_kind)k, &c->of[k]);
    }
    json_levels(&o, "levels", g, NULL);
    expect_levels(g, &expected);
    if (expected.known) {
        json_levels(&o, "expected_levels", g, &expected);
    } else {
        json_null(&o, "expected_levels");
    }
    json_end(&o);
}
