/* The number of distinct edges among the draws that fall on a vertex. */
#include "apps/plot/distinct.h"
#include <math.h>

static double log_choose(int n, int k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

static double power(double x, int n)
{
    return n > 0 ? pow(x, n) : 1;
}

static rmat_matrix mean_matrix(const rmat_config *c, int scale)
{
    rmat_matrix levels[RMAT_MAX_SCALE], m = {0};

    rmat_levels(c, levels);
    for (int l = 0; l < scale; l++) {
        m.a += levels[l].a / scale;
        m.b += levels[l].b / scale;
        m.c += levels[l].c / scale;
        m.d += levels[l].d / scale;
    }
    return m;
}

/* m: of the vertex's bit and its neighbour's. */
static plot_distinct_point point(const rmat_matrix *m, int scale, int ones, int pairs, double draws)
{
    double expected = 0, distinct = 0, variance = 0;

    for (int i = 0; i <= ones; i++) {
        for (int h = 0; h <= scale - ones; h++) {
            const double neighbours = exp(log_choose(ones, i) + log_choose(scale - ones, h));
            const double same = power(m->a, scale - ones - h) * power(m->d, i);
            const double from = same * power(m->b, h) * power(m->c, ones - i);
            const double to = same * power(m->c, h) * power(m->b, ones - i);
            const int loop = i == ones && h == 0;
            const double x = draws * (pairs && !loop ? from + to : from);
            const double q = -expm1(-x);

            expected += neighbours * x;
            distinct += neighbours * q;
            variance += neighbours * q * (1 - q);
        }
    }
    return expected > 0 && distinct > 0
               ? (plot_distinct_point){log(expected), distinct / expected, variance / distinct}
               : (plot_distinct_point){-INFINITY, 1, 1};
}

void plot_distinct_make(plot_distinct *d, const rmat_config *c, rmat_side side, int pairs,
                        double draws)
{
    const int scale = c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
    rmat_matrix m = mean_matrix(c, scale);

    if (side == RMAT_COLS) {
        const double b = m.b;

        m.b = m.c;
        m.c = b;
    }
    d->count = 0;
    for (int ones = 0; ones <= scale; ones++) {
        /* By draws, upwards. */
        const int j = m.a + m.b > m.c + m.d ? scale - ones : ones;
        const plot_distinct_point p = point(&m, scale, j, pairs, draws);

        if (p.log_draws > -INFINITY &&
            (d->count == 0 || p.log_draws > d->point[d->count - 1].log_draws + 1e-6)) {
            d->point[d->count++] = p;
        }
    }
}

plot_distinct_point plot_distinct_at(const plot_distinct *d, double draws)
{
    const double x = log(draws);
    plot_distinct_point p = {x, 1, 1};
    int i = 0;

    if (d->count == 0) {
        return p;
    }
    while (i < d->count && d->point[i].log_draws < x) {
        i++;
    }
    if (i == 0 || i == d->count) {
        return d->point[i == 0 ? 0 : d->count - 1];
    } else {
        const plot_distinct_point *a = &d->point[i - 1], *b = &d->point[i];
        const double t = (x - a->log_draws) / (b->log_draws - a->log_draws);

        return (plot_distinct_point){x, a->share + t * (b->share - a->share),
                                     a->spread + t * (b->spread - a->spread)};
    }
}
