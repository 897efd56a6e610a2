/* Figures that are derived from the counts: means, percentiles, reciprocity, expected quadrants. */
#include "apps/stats/report.h"
#include <math.h>

const double stats_quantile[STATS_QUANTILES] = {0.5, 0.9, 0.99, 0.999};
const char *const stats_kind_name[DEGREE_KINDS] = {"out", "in", "total"};

degree_summary stats_summary(const degree_distribution *d)
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
               (double)below >= stats_quantile[next] * (double)s.vertices) {
            s.quantile[next++] = d->bins[i].degree;
        }
    }
    return s;
}

static uint64_t without_edges(const degree_distribution *d)
{
    return d->n_bins > 0 && d->bins[0].degree == 0 ? d->bins[0].vertices : 0;
}

uint64_t stats_isolated(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;

    return c->square ? without_edges(&c->of[DEGREE_TOTAL])
                     : without_edges(&c->of[DEGREE_OUT]) + without_edges(&c->of[DEGREE_IN]);
}

static uint64_t all_vertices(const degree_distribution *d)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < d->n_bins; i++) {
        n += d->bins[i].vertices;
    }
    return n;
}

uint64_t stats_vertices(const stats_graph *g)
{
    const degree_counts *c = &g->results->degrees;

    return all_vertices(&c->of[DEGREE_OUT]) + (c->square ? 0 : all_vertices(&c->of[DEGREE_IN]));
}

double stats_reciprocity(const stats_graph *g)
{
    const pair_tally *p = &g->results->pairs;

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

void stats_expect(const stats_graph *g, level_expectation *e)
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
