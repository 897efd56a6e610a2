/*
 * Expected degrees of a model over all seeds, smooth in its parameters, by rmat/expect.h.
 *
 * Vertices with the same number j of zeros among their L bits are alike: each of them is the source
 * of an edge with probability x^j (1 - x)^(L - j).  Their degree is Poisson; that of distinct edges
 * is a sum over cells, at a rate R for which the edges add up.  Where the number of vertices is not
 * 2^L, the share of columns that exist is taken to depend on their zeros alone.
 *
 * Noise moves x at each level by -g mu, g = (a - d) / (a + d), with mu in [-noise, noise).  This
 * spreads the classes: the logarithm of a vertex's probability is taken to be normal around that of
 * its class, with the variance of a sum over j of L levels drawn without replacement.
 */
#include "rmat/expect.h"
#include "rmat/fit/fit.h"
#include "rmat/fit/shape_item.h"

#include <math.h>
#include <string.h>

#define FEW 64.0 /* of a mean below: Poisson; from there on: normal */

enum { LEVELS = RMAT_MAX_SCALE, NODES = 15, MU = 16 };
static const double node_reach = 2.8; /* standard deviations to either side */

int fit_levels(double vertices)
{
    int levels = 1;

    while (levels < LEVELS && ldexp(1, levels) < vertices) {
        levels++;
    }
    return levels;
}

static void classes_of(rmat_classes *c, double vertices)
{
    rmat_classes_make(c, fit_levels(vertices), (uint64_t)llround(vertices));
}

/* As seen from a side. */
static rmat_powers side_powers(const fit_params *p, int side)
{
    const double b = p->x - p->a, c = p->y - p->a, d = 1 - p->x - p->y + p->a;
    const rmat_matrix m = {p->a, side == FIT_SOURCES ? b : c, side == FIT_SOURCES ? c : b, d};

    return rmat_powers_of(&m);
}

static double distinct_edges(const rmat_classes *k, const rmat_powers *m, double rate)
{
    double sum = 0;

    for (int j = 0; j <= k->levels; j++) {
        if (k->existing[j] > 0) {
            sum +=
                k->binomial[k->levels][j] * k->existing[j] * rmat_row_of(k, m, j, rate, false).mean;
        }
    }
    return sum;
}

/* R. */
static double rate_of(const rmat_classes *k, const rmat_powers *m, const fit_graph *g)
{
    double rate = g->edges;

    for (int i = 0; g->distinct && i < 40; i++) {
        const double factor = g->edges / distinct_edges(k, m, rate);

        rate *= factor;
        if (fabs(factor - 1) < 1e-7 || !(rate < 1e300)) {
            break;
        }
    }
    return rate;
}

/* The spread of the logarithm of probabilities by noise: its mean for a level whose bit is 0 or 1,
 * and the standard deviation of the difference. */
typedef struct {
    double zero, one, deviation;
} spread;

static spread spread_of(const fit_params *p, double noise, double x)
{
    const double d = 1 - p->x - p->y + p->a, g = (p->a - d) / fmax(p->a + d, 1e-9);
    double sum = 0, squares = 0;
    spread s = {0, 0, 0};

    for (int i = 0; i < MU; i++) {
        const double move = -g * noise * ((2 * i + 1) / (double)MU - 1);
        const double zero = log1p(fmax(move / x, -0.999));
        const double one = log1p(fmax(-move / (1 - x), -0.999));

        s.zero += zero / MU;
        s.one += one / MU;
        sum += (zero - one) / MU;
        squares += (zero - one) * (zero - one) / MU;
    }
    s.deviation = sqrt(fmax(0, squares - sum * sum));
    return s;
}

/* The probability of a vertex with j zeros. */
static double class_share(const rmat_classes *k, double x, int j)
{
    return pow(x, j) * pow(1 - x, k->levels - j);
}

double fit_log(int coarse)
{
    const double first = (double)rmat_shape_first_coarse(coarse);
    const double last = (double)rmat_shape_first_coarse(coarse + 1) - 1;

    return coarse == 0 ? -1 : log2(first * last) / 2;
}

/* What a class needs. */
typedef struct {
    const rmat_classes *k;
    const rmat_powers *m;
    const fit_graph *g;
    spread noise;
    double x, rate, kept; /* x: of the side */
    rmat_bins bins;
    double log[RMAT_SHAPE_FINE]; /* fit_log() of the bin */
} side_work;

/* The mean degree of a class whose probabilities are moved by a factor, and its variance. */
static double mean_of(const side_work *w, int j, double factor, double *variance)
{
    if (w->g->distinct) {
        const rmat_row row = rmat_row_of(w->k, w->m, j, w->rate * factor, false);

        *variance = row.variance;
        return row.mean;
    }
    *variance = w->rate / w->kept * class_share(w->k, w->x, j) * factor;
    return *variance;
}

/* Distinct edges of few are nearly Poisson. */
static void add_vertices(const rmat_expected *to, double vertices, double mean, double variance)
{
    rmat_add_degrees(to, vertices, mean, mean < to->many ? mean : fmax(variance, 1));
}

/* A class whose vertices' probabilities are spread by noise: nodes of the normal distribution. */
static void add_spread(const side_work *w, int j, double deviation, double shift, double vertices,
                       const rmat_expected *to)
{
    const double reach = node_reach * deviation, step = 2 * node_reach / NODES;
    double variance, other, total = 0;
    const double middle = mean_of(w, j, exp(shift), &variance);
    const double low = log(mean_of(w, j, exp(shift - reach), &other) / middle);
    const double high = log(mean_of(w, j, exp(shift + reach), &other) / middle);

    for (int i = 0; i < NODES; i++) {
        const double t = (i + 0.5) * step - node_reach;

        total += exp(-t * t / 2);
    }
    for (int i = 0; i < NODES; i++) {
        const double t = (i + 0.5) * step - node_reach, u = t / node_reach;
        const double factor = exp(u * (high - low) / 2 + u * u * (high + low) / 2);
        const double box = middle * factor * deviation * step; /* that the node stands for */

        add_vertices(to, vertices * exp(-t * t / 2) / total, middle * factor,
                     variance * factor + box * box / 12);
    }
}

static void add_class(const side_work *w, int j, fit_side *s)
{
    const int levels = w->k->levels;
    const double vertices = w->k->binomial[levels][j] * w->k->existing[j];
    const double deviation =
        w->noise.deviation * sqrt((double)j * (levels - j) / (levels > 1 ? levels - 1 : 1));
    const double shift = j * w->noise.zero + (levels - j) * w->noise.one;
    double of_class[2][RMAT_SHAPE_FINE] = {{0}}, edges = 0, logs = 0;
    const rmat_expected to = {&w->bins, FEW, of_class[0], of_class[1]};

    if (deviation < 1e-4) {
        double variance;
        const double mean = mean_of(w, j, exp(shift), &variance);

        add_vertices(&to, vertices, mean, variance);
    } else {
        add_spread(w, j, deviation, shift, vertices, &to);
    }
    for (int i = 0; i < RMAT_SHAPE_FINE; i++) {
        s->vertices[i] += to.vertices[i];
        s->edges[i] += to.edges[i];
        edges += to.edges[i];
        logs += to.edges[i] * w->log[i];
    }
    s->log[j] = edges > 0 ? logs / edges : 0;
}

static void expect_with(const fit_params *p, double noise, const fit_graph *g, int side,
                        fit_side *s)
{
    const double x = side == FIT_SOURCES ? p->x : p->y;
    const rmat_powers m = side_powers(p, side);
    side_work w = {.m = &m, .g = g, .noise = spread_of(p, noise, x), .x = x};
    rmat_classes k;

    for (int i = 0; i < RMAT_SHAPE_FINE; i++) {
        w.bins.first[i] = rmat_shape_first(i);
        w.log[i] = fit_log(shape_coarse(i));
    }
    w.bins.count = RMAT_SHAPE_FINE;
    w.bins.first[RMAT_SHAPE_FINE] = UINT64_MAX;
    classes_of(&k, p->vertices);
    w.k = &k;
    w.rate = rate_of(&k, &m, g);
    for (int j = 0; j <= k.levels; j++) {
        w.kept += k.existing[j] * k.binomial[k.levels][j] * class_share(&k, x, j);
    }
    memset(s, 0, sizeof *s);
    for (int j = 0; j <= k.levels; j++) {
        if (k.existing[j] > 0) {
            add_class(&w, j, s);
        }
    }
}

double fit_noise(const fit_params *p)
{
    return sqrt(fmax(0, p->square));
}

/* Expectations are smooth functions of the square of the noise, as its first effect is to spread
 * the classes. */
void fit_expect(const fit_params *p, const fit_graph *g, int side, fit_side *s)
{
    fit_side mirrored;

    expect_with(p, fit_noise(p), g, side, s);
    if (p->square >= 0) {
        return;
    }
    expect_with(p, sqrt(-p->square), g, side, &mirrored);
    for (int i = 0; i < RMAT_SHAPE_FINE; i++) {
        s->vertices[i] = 2 * s->vertices[i] - mirrored.vertices[i];
        s->edges[i] = 2 * s->edges[i] - mirrored.edges[i];
    }
    for (int j = 0; j <= RMAT_MAX_SCALE; j++) {
        s->log[j] = 2 * s->log[j] - mirrored.log[j];
    }
}

double fit_expect_covariance(const fit_params *p, const fit_graph *g, const fit_side *out,
                             const fit_side *in)
{
    const rmat_powers m = side_powers(p, FIT_SOURCES);
    double sum = 0, of_out = 0, of_in = 0, of_both = 0, rate;
    rmat_classes k;

    classes_of(&k, p->vertices);
    rate = rate_of(&k, &m, g);
    for (int j = 0; j <= k.levels; j++) {
        const int ones = k.levels - j;
        const double rows = k.binomial[k.levels][j] * k.existing[j], x = out->log[j];

        for (int na = 0; na <= j; na++) {
            const double left = rate * m.a[na] * m.b[j - na];

            for (int nc = 0; nc <= ones; nc++) {
                const double cell = left * m.c[nc] * m.d[ones - nc];
                const double edges = rows * k.binomial[j][na] * k.binomial[ones][nc] *
                                     k.existing[na + nc] * (g->distinct ? rmat_hit(cell) : cell);
                const double y = in->log[na + nc];

                sum += edges;
                of_out += edges * x;
                of_in += edges * y;
                of_both += edges * x * y;
            }
        }
    }
    return of_both / sum - of_out / sum * (of_in / sum);
}
