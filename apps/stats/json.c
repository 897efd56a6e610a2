/* The same as JSON, with whole histograms. */
#include "apps/common/json.h"
#include "apps/stats/report.h"
#include <inttypes.h>
#include <math.h>

static void json_null(json_object *o, const char *key)
{
    json_key(o, key);
    fputs("null", o->stream);
}

/* null where it does not apply, or was not looked for. */
static void json_maybe(json_object *o, const char *key, bool there, uint64_t value)
{
    if (there) {
        json_u64(o, key, value);
    } else {
        json_null(o, key);
    }
}

static void print_degrees(json_object *o, degree_kind kind, const degree_distribution *d)
{
    static const char *const keys[DEGREE_KINDS] = {"out_degree", "in_degree", "total_degree"};
    static const char *const quantiles[STATS_QUANTILES] = {"median", "p90", "p99", "p99_9"};
    const degree_summary s = stats_summary(d);
    json_object part;

    json_key(o, keys[kind]);
    json_begin(&part, o->stream);
    json_u64(&part, "vertices", s.vertices);
    json_f64(&part, "mean", s.mean);
    json_u64(&part, "minimum", s.least);
    for (int q = 0; q < STATS_QUANTILES; q++) {
        json_u64(&part, quantiles[q], s.quantile[q]);
    }
    json_u64(&part, "maximum", s.most);
    json_key(&part, "top");
    fputs("[", o->stream);
    for (uint64_t i = 0; i < d->n_top; i++) {
        fprintf(o->stream, "%s[%" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", d->top[i].vertex,
                d->top[i].degree);
    }
    fputs("]", o->stream);
    json_key(&part, "histogram");
    fputs("[", o->stream);
    for (uint64_t i = 0; i < d->n_bins; i++) {
        fprintf(o->stream, "%s[%" PRIu64 ", %" PRIu64 "]", i > 0 ? ", " : "", d->bins[i].degree,
                d->bins[i].vertices);
    }
    fputs("]", o->stream);
    json_end(&part);
}

static void print_share(FILE *to, bool there, double share)
{
    if (there && !isnan(share)) {
        fprintf(to, "%.17g", share);
    } else {
        fputs("null", to);
    }
}

/* A list of four for each level, those that are wanted: found or expected. */
static void print_levels(json_object *o, const char *key, const stats_graph *g,
                         const level_expectation *expected)
{
    const level_totals *t = &g->results->levels;

    json_key(o, key);
    fputs("[", o->stream);
    for (int l = 0; l < t->levels && t->edges > 0; l++) {
        const level_shares s = levels_shares(t, l);
        const bool has[4] = {true, s.has_dst, s.has_src, s.has_src && s.has_dst};

        fputs(l > 0 ? ", [" : "[", o->stream);
        for (int k = 0; k < 4; k++) {
            fputs(k > 0 ? ", " : "", o->stream);
            print_share(o->stream, has[k], expected ? expected->quadrants[l][k] : s.share[k]);
        }
        fputs("]", o->stream);
    }
    fputs("]", o->stream);
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
    json_key(&o, "reciprocity");
    print_share(o.stream, g->pairs && square, stats_reciprocity(g));
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
