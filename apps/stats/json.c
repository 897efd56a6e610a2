/* The report of `rmat stats` as JSON, which includes whole histograms. */
#include "apps/common/json.h"
#include "apps/stats/report.h"
#include <math.h>

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

static void print_pair(json_object *pairs, uint64_t first, uint64_t second)
{
    json_object pair;

    json_array_begin(&pair, pairs, NULL);
    json_u64(&pair, NULL, first);
    json_u64(&pair, NULL, second);
    json_array_end(&pair);
}

static void print_degrees(json_object *o, degree_kind kind, const degree_distribution *d)
{
    static const char *const keys[DEGREE_KINDS] = {"out_degree", "in_degree", "total_degree"};
    static const char *const quantiles[STATS_QUANTILES] = {"median", "p90", "p99", "p99_9"};
    const degree_summary s = stats_summary(d);
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
        print_pair(&pairs, d->top[i].vertex, d->top[i].degree);
    }
    json_array_end(&pairs);
    json_array_begin(&pairs, &part, "histogram");
    for (uint64_t i = 0; i < d->n_bins; i++) {
        print_pair(&pairs, d->bins[i].degree, d->bins[i].vertices);
    }
    json_array_end(&pairs);
    json_end(&part); /* which ends the line, so that each distribution has one of its own */
}

/* A list of four for each level: the observed shares, or the expected ones. */
static void print_levels(json_object *o, const char *key, const stats_graph *g,
                         const level_expectation *expected)
{
    const level_totals *t = &g->results->levels;
    json_object levels, shares;

    json_array_begin(&levels, o, key);
    for (int l = 0; l < t->levels && t->tally.edges > 0; l++) {
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
    json_u64(&o, "sources", stats_summary(&c->of[DEGREE_OUT]).vertices);
    json_u64(&o, "destinations", stats_summary(&c->of[DEGREE_IN]).vertices);
    json_u64(&o, "isolated", stats_isolated(g));
    json_maybe(&o, "loops", square, r->loops);
    json_maybe(&o, "duplicates", g->pairs, g->facts->graph.edges - r->pairs.distinct);
    json_maybe(&o, "distinct_edges", g->pairs, r->pairs.distinct);
    json_maybe(&o, "distinct_loops", g->pairs && square, r->pairs.loops);
    json_maybe(&o, "mutual_pairs", g->pairs && square, r->pairs.mutual);
    json_share(&o, "reciprocity", g->pairs && square, stats_reciprocity(g));
    for (int k = 0; k < (square ? DEGREE_KINDS : DEGREE_TOTAL); k++) {
        print_degrees(&o, (degree_kind)k, &c->of[k]);
    }
    print_levels(&o, "levels", g, NULL);
    stats_expect(g, &expected);
    if (expected.known) {
        print_levels(&o, "expected_levels", g, &expected);
    } else {
        json_null(&o, "expected_levels");
    }
    json_end(&o);
}
