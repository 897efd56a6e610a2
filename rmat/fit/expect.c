/*
 * Expected degrees.
 *
 * Vertices with the same number j of zeros among their L bits are alike: each of them is the source
 * of an edge with probability x^j (1 - x)^(L - j), so that its degree is Poisson.  Of 2^L vertices
 * binomial(L, j) have j zeros; of the first n, those that a walk along the bits of n counts.
 *
 * Distinct edges: a cell whose row and column have the bits (0 0), (0 1), (1 0), (1 1) at na, nb,
 * nc and nd levels is hit with the rate R a^na b^nb c^nc d^nd, and has its edge with probability
 * 1 - exp(-rate).  A row's degree is the sum over its cells.  R is such that the edges add up.
 * Where n is not 2^L the share of columns that exist is taken to depend on their zeros alone.
 *
 * Noise moves x at each level by -g mu, g = (a - d) / (a + d), with mu in [-noise, noise).  This
 * spreads the classes: the logarithm of a vertex's probability is taken to be normal around that of
 * its class, with the variance of a sum over j of L levels drawn without replacement.
 */
#include "rmat/fit/fit.h"
#include "rmat/fit/shape_item.h"

#include <math.h>
#include <string.h>

#define FEW 64.0 /* of a mean below: Poisson, term by term; above: normal */

enum { LEVELS = RMAT_MAX_SCALE, NODES = 15, MU = 16 };
static const double node_reach = 2.8; /* standard deviations to either side */

typedef struct {
    int levels;
    double binomial[LEVELS + 1][LEVELS + 1];
    double existing[LEVELS + 1]; /* share of the binomial(L, j) vertices that are below n */
} classes;

int fit_levels(double vertices)
{
    int levels = 1;

    while (levels < LEVELS && ldexp(1, levels) < vertices) {
        levels++;
    }
    return levels;
}

static void classes_of(classes *c, double vertices)
{
    const int levels = fit_levels(vertices);
    const uint64_t n = (uint64_t)llround(vertices);
    int zeros = 0;

    memset(c->existing, 0, sizeof c->existing);
    c->levels = levels;
    for (int i = 0; i <= levels; i++) {
        c->binomial[i][0] = c->binomial[i][i] = 1;
        for (int j = 1; j < i; j++) {
            c->binomial[i][j] = c->binomial[i - 1][j - 1] + c->binomial[i - 1][j];
        }
    }
    if (n >> levels) {
        for (int j = 0; j <= levels; j++) {
            c->existing[j] = 1;
        }
        return;
    }
    /* Below n: the same bits down to one that n has and they have not; then any. */
    for (int bit = levels - 1; bit >= 0; bit--) {
        if (!(n >> bit & 1)) {
            zeros++;
            continue;
        }
        for (int j = 0; j <= bit; j++) {
            const int k = zeros + 1 + j;

            c->existing[k] += c->binomial[bit][j] / c->binomial[levels][k];
        }
    }
}

/* Powers of a probability. */
typedef struct {
    double of[LEVELS + 1];
} powers;

static powers powers_of(double p)
{
    powers q = {{1}};

    for (int i = 0; i < LEVELS; i++) {
        q.of[i + 1] = q.of[i] * fmax(p, 0);
    }
    return q;
}

/* Those of a, b, c, d, as seen from a side: of destinations b and c change places. */
typedef struct {
    powers a, b, c, d;
} matrix_powers;

static matrix_powers matrix_powers_of(const fit_params *p, int side)
{
    const powers b = powers_of(p->x - p->a), c = powers_of(p->y - p->a);
    const powers a = powers_of(p->a), d = powers_of(1 - p->x - p->y + p->a);

    return side == FIT_SOURCES ? (matrix_powers){a, b, c, d} : (matrix_powers){a, c, b, d};
}

/* The probability that a cell which is hit with this rate has its edge. */
static double hit_of(double rate)
{
    return rate < 1e-6 ? rate : -expm1(-rate);
}

/* Distinct edges of a row with j zeros: mean and variance. */
static void distinct_row(const classes *k, const matrix_powers *m, int j, double rate, double *mean,
                         double *variance)
{
    const int ones = k->levels - j;

    *mean = *variance = 0;
    for (int na = 0; na <= j; na++) {
        const double left = rate * m->a.of[na] * m->b.of[j - na], count = k->binomial[j][na];

        for (int nc = 0; nc <= ones; nc++) {
            const double hit = hit_of(left * m->c.of[nc] * m->d.of[ones - nc]);
            const double cells = count * k->binomial[ones][nc] * k->existing[na + nc];

            *mean += cells * hit;
            *variance += cells * hit * (1 - hit);
        }
    }
}

static double distinct_edges(const classes *k, const matrix_powers *m, double rate)
{
    double sum = 0, mean, variance;

    for (int j = 0; j <= k->levels; j++) {
        if (k->existing[j] > 0) {
            distinct_row(k, m, j, rate, &mean, &variance);
            sum += k->binomial[k->levels][j] * k->existing[j] * mean;
        }
    }
    return sum;
}

/* R. */
static double rate_of(const classes *k, const matrix_powers *m, const fit_graph *g)
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

double fit_log(int coarse)
{
    const double first = (double)rmat_shape_first_coarse(coarse);
    const double last = (double)rmat_shape_first_coarse(coarse + 1) - 1;

    return coarse == 0 ? -1 : log2(first * last) / 2;
}

static void add_to_bin(fit_side *s, int bin, double vertices, double edges, double sums[2])
{
    s->vertices[bin] += vertices;
    s->edges[bin] += edges;
    sums[0] += edges;
    sums[1] += edges * fit_log(shape_coarse(bin));
}

/* Vertices whose degree has this mean and variance; sums: of edges, and of their fit_log(). */
static void add_degrees(fit_side *s, double vertices, double mean, double variance, double sums[2])
{
    if (mean < FEW) {
        double chance = exp(-mean);

        for (int k = 0; k < 1000 && (k < mean || chance > 1e-12); k++) {
            add_to_bin(s, shape_fine((uint64_t)k), vertices * chance, vertices * chance * k, sums);
            chance *= mean / (k + 1);
        }
        return;
    }
    const double sigma = sqrt(fmax(variance, 1));
    int bin = shape_fine((uint64_t)fmax(0, mean - 7 * sigma));
    double below = 0, density = 0;

    for (; bin < RMAT_SHAPE_FINE && below < 1; bin++) {
        const double end = bin + 1 < RMAT_SHAPE_FINE
                               ? ((double)rmat_shape_first(bin + 1) - 0.5 - mean) / sigma
                               : 40;
        const double next = end > 7 ? 1 : erfc(-end * M_SQRT1_2) / 2;
        const double next_density = exp(-end * end / 2) / sqrt(2 * M_PI);

        add_to_bin(s, bin, vertices * (next - below),
                   vertices * (mean * (next - below) - sigma * (next_density - density)), sums);
        below = next;
        density = next_density;
    }
}

/* What a class needs. */
typedef struct {
    const classes *k;
    const matrix_powers *m;
    const fit_graph *g;
    spread noise;
    powers zero, one; /* of the probability that a bit is 0, 1 */
    double rate, kept;
} side_work;

/* The mean degree of a class whose probabilities are moved by a factor, and its variance. */
static double mean_of(const side_work *w, int j, double factor, double *variance)
{
    double mean;

    if (w->g->distinct) {
        distinct_row(w->k, w->m, j, w->rate * factor, &mean, variance);
    } else {
        mean = w->rate / w->kept * w->zero.of[j] * w->one.of[w->k->levels - j] * factor;
        *variance = mean;
    }
    return mean;
}

/* A class whose vertices' probabilities are spread by noise: nodes of the normal distribution. */
static void add_spread(const side_work *w, int j, double deviation, double shift, double vertices,
                       fit_side *s, double sums[2])
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

        add_degrees(s, vertices * exp(-t * t / 2) / total, middle * factor,
                    variance * factor + box * box / 12, sums);
    }
}

static void add_class(const side_work *w, int j, fit_side *s)
{
    const int levels = w->k->levels;
    const double vertices = w->k->binomial[levels][j] * w->k->existing[j];
    const double deviation =
        w->noise.deviation * sqrt((double)j * (levels - j) / (levels > 1 ? levels - 1 : 1));
    const double shift = j * w->noise.zero + (levels - j) * w->noise.one;
    double sums[2] = {0, 0};

    if (deviation < 1e-4) {
        double variance;
        const double mean = mean_of(w, j, exp(shift), &variance);

        add_degrees(s, vertices, mean, variance, sums);
    } else {
        add_spread(w, j, deviation, shift, vertices, s, sums);
    }
    s->log[j] = sums[0] > 0 ? sums[1] / sums[0] : 0;
}

static void expect_with(const fit_params *p, double noise, const fit_graph *g, int side,
                        fit_side *s)
{
    const double x = side == FIT_SOURCES ? p->x : p->y;
    const matrix_powers m = matrix_powers_of(p, side);
    side_work w = {.m = &m,
                   .g = g,
                   .noise = spread_of(p, noise, x),
                   .zero = powers_of(x),
                   .one = powers_of(1 - x)};
    classes k;

    classes_of(&k, p->vertices);
    w.k = &k;
    w.rate = rate_of(&k, &m, g);
    for (int j = 0; j <= k.levels; j++) {
        w.kept += k.existing[j] * k.binomial[k.levels][j] * w.zero.of[j] * w.one.of[k.levels - j];
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
    const matrix_powers m = matrix_powers_of(p, FIT_SOURCES);
    double sum = 0, of_out = 0, of_in = 0, of_both = 0, rate;
    classes k;

    classes_of(&k, p->vertices);
    rate = rate_of(&k, &m, g);
    for (int j = 0; j <= k.levels; j++) {
        const int ones = k.levels - j;
        const double rows = k.binomial[k.levels][j] * k.existing[j], x = out->log[j];

        for (int na = 0; na <= j; na++) {
            const double left = rate * m.a.of[na] * m.b.of[j - na];

            for (int nc = 0; nc <= ones; nc++) {
                const double cell = left * m.c.of[nc] * m.d.of[ones - nc];
                const double edges = rows * k.binomial[j][na] * k.binomial[ones][nc] *
                                     k.existing[na + nc] * (g->distinct ? hit_of(cell) : cell);
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
