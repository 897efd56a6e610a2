/* The report of `rmat stats` as text, and the table of degrees. */
#include "apps/stats/report.h"
#include "apps/common/numbers.h"
#include "apps/common/text.h"
#include <inttypes.h>
#include <math.h>

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

static void print_count(const char *name, uint64_t n, uint64_t of, const char *whole)
{
    printf("%-12s %" PRIu64 ", %.4g %% of %s\n", name, n, percent(n, of), whole);
}

static void print_vertices(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;
    const uint64_t vertices = stats_vertices(g), rows = g->results->rows, cols = g->results->cols;

    if (c->square) {
        printf("%-12s %" PRIu64 "\n", "vertices", vertices);
    } else {
        printf("%-12s %" PRIu64 " rows, %" PRIu64 " columns\n", "vertices", rows, cols);
    }
    printf("%-12s %" PRIu64 "\n", "edges", g->facts->graph.edges);
    print_count("sources", stats_summary(&c->of[DEGREE_OUT]).vertices, rows,
                c->square ? "vertices" : "rows");
    print_count("destinations", stats_summary(&c->of[DEGREE_IN]).vertices, cols,
                c->square ? "vertices" : "columns");
    print_count("isolated", stats_isolated(g), vertices, "vertices");
}

static void print_pairs(const stats_graph *g)
{
    const stats_results *r = g->results;
    const uint64_t edges = g->facts->graph.edges;

    if (r->degrees.square) {
        print_count("loops", r->loops, edges, "edges");
    }
    if (!g->pairs) {
        return;
    }
    print_count("duplicates", edges - r->pairs.distinct, edges, "edges");
    printf("%-12s %" PRIu64 "\n", "distinct", r->pairs.distinct);
    if (r->degrees.square) {
        printf("%-12s %.6g\n", "reciprocity", stats_reciprocity(g));
    }
}

/* A row of the table of degrees: one field of the summary of each kind of degree. */
static void print_row(const char *name, const uint64_t values[DEGREE_KINDS], int kinds)
{
    printf("  %-10s", name);
    for (int k = 0; k < kinds; k++) {
        printf(" %14" PRIu64, values[k]);
    }
    printf("\n");
}

static void print_degrees(const stats_graph *g)
{
    static const char *const quantiles[STATS_QUANTILES] = {"median", "90 %", "99 %", "99.9 %"};
    const degree_counts *c = &g->results->degrees;
    const int kinds = c->square ? DEGREE_KINDS : DEGREE_TOTAL;
    degree_summary s[DEGREE_KINDS];
    uint64_t values[DEGREE_KINDS];

    printf("%-12s", "degrees");
    for (int k = 0; k < kinds; k++) {
        s[k] = stats_summary(&c->of[k]);
        printf(" %14s", stats_kind_name[k]);
    }
    printf("\n");
    for (int k = 0; k < kinds; k++) {
        values[k] = s[k].vertices;
    }
    print_row("vertices", values, kinds);
    printf("  %-10s", "mean");
    for (int k = 0; k < kinds; k++) {
        printf(" %14.6g", s[k].mean);
    }
    printf("\n");
    for (int k = 0; k < kinds; k++) {
        values[k] = s[k].least;
    }
    print_row("minimum", values, kinds);
    for (int q = 0; q < STATS_QUANTILES; q++) {
        for (int k = 0; k < kinds; k++) {
            values[k] = s[k].quantile[q];
        }
        print_row(quantiles[q], values, kinds);
    }
    for (int k = 0; k < kinds; k++) {
        values[k] = s[k].most;
    }
    print_row("maximum", values, kinds);
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
        printf(" %12s %10s", "vertex", stats_kind_name[k]);
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

    if (t->tally.edges == 0 || t->levels == 0) {
        return;
    }
    stats_expect(g, &expected);
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

void stats_print_degrees(const stats_graph *g, FILE *to)
{
    const degree_distribution *d = g->results->degrees.of;
    uint64_t at[DEGREE_KINDS] = {0};

    fprintf(to, "degree\tout\tin\ttotal\n");
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
        fprintf(to, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, next, vertices[DEGREE_OUT],
                vertices[DEGREE_IN]);
        if (g->results->degrees.square) {
            fprintf(to, "\t%" PRIu64 "\n", vertices[DEGREE_TOTAL]);
        } else {
            fprintf(to, "\t\n");
        }
    }
}
