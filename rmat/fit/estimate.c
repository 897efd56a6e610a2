/*
 * Parameters by least squares.
 *
 * Degrees first: x, y, the square of the noise and, if it is free, the number of vertices are such
 * that the expected distributions come closest to those of the graph.  Each side has two: the share
 * of its vertices that have degree k or more, among those that have an edge, and the share of the
 * edges that lie at them.  The first says most of small degrees, the second of large ones.
 * Differences at the bins of k count by the bins' widths on a logarithmic scale.  Beside them
 * stands the number of vertices that have an edge.
 *
 * Then a: x and y leave open how the two ends of an edge depend on each other.  The covariance of
 * the ends' degrees, on a logarithmic scale, increases with a, between the largest and the smallest
 * overlap that x and y allow.
 *
 * Distinct edges make the degrees depend on a a little, so both steps are repeated.
 */
#include "rmat/fit/fit.h"

#include <cminpack.h>
#include <math.h>

#define WEIGHT_USED 1.0  /* of the relative error of the number of vertices that have an edge */
#define INSIDE      0.02 /* of the range of a that is left to either side */
#define EVEN        0.02 /* distance of x and y from 1/2 below which degrees do not tell a */
#define LEAST       1e-4 /* of a matrix's entry */
#define OPPOSITE                                                                                   \
    -0.25 /* correlation of a vertex's degrees below which y is below 1/2: a model has             \
             a clear one or none */
#define MOST_X      0.95 /* of x and y: beyond, a few vertices have all edges */
#define MOST_NOISE  0.75 /* of the noise at which an entry can become 0 */
#define SQUARE_UNIT 0.01 /* square of the noise for a step of 1 of its variable */
#define UNKNOWN                                                                                    \
    20.0 /* a range of covariances so small, times the root of the edges, that it                  \
            does not tell what a is: then the ends of edges are independent */

enum {
    PER_SIDE = 2 * RMAT_SHAPE_FINE + 1,
    MOST = FIT_SIDES * PER_SIDE, /* residuals */
    PARAMS = 4,
    ROUNDS = 3
};

/* A side of the graph, as shares. */
typedef struct {
    double used;
    double vertices[RMAT_SHAPE_FINE], edges[RMAT_SHAPE_FINE]; /* of degree k or more, by bin */
} tails;

typedef struct {
    tails of[FIT_SIDES];
    const fit_graph *graph;
    int sides; /* 1 where both are the same */
    int free;
    int opposite; /* y is below 1/2 */
    int no_noise; /* the square of the noise is 0, and no variable */
    double least; /* vertices */
    fit_params now;
} work;

static tails tails_of(const double *vertices, const double *edges)
{
    tails t = {0};
    double some = 0, ends = 0;

    for (int i = RMAT_SHAPE_FINE - 1; i > 0; i--) {
        t.vertices[i] = some += vertices[i];
        t.edges[i] = ends += edges[i];
    }
    t.used = some;
    for (int i = 1; i < RMAT_SHAPE_FINE; i++) {
        t.vertices[i] /= fmax(some, 1e-300);
        t.edges[i] /= fmax(ends, 1e-300);
    }
    return t;
}

static tails observed(const uint64_t *vertices, const uint64_t *edges)
{
    double some[RMAT_SHAPE_FINE], ends[RMAT_SHAPE_FINE];

    for (int i = 0; i < RMAT_SHAPE_FINE; i++) {
        some[i] = (double)vertices[i];
        ends[i] = (double)edges[i];
    }
    return tails_of(some, ends);
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* a, between what x and y allow. */
static double least_a(const fit_params *p)
{
    return fmax(0, p->x + p->y - 1);
}

static double most_a(const fit_params *p)
{
    return fmin(p->x, p->y);
}

static double square_limit(const fit_params *p)
{
    const double d = 1 - p->x - p->y + p->a;
    const double noise = MOST_NOISE * fmax(0, fmin((p->a + d) / 2, fmin(p->x - p->a, p->y - p->a)));

    return noise * noise;
}

void fit_clamp(fit_params *p, int opposite)
{
    p->x = clamp(p->x, 0.5, MOST_X);
    p->y = opposite ? clamp(p->y, 1 - MOST_X, 0.5) : clamp(p->y, 0.5, MOST_X);
    p->a = clamp(p->a, least_a(p) + LEAST, most_a(p) - LEAST);
    p->square = clamp(p->square, 0, square_limit(p));
}

/* An estimate may be as far below 0 as above. */
static double estimate_of_square(const fit_params *p, double square)
{
    const double limit = square_limit(p);

    return clamp(square, -limit, limit);
}

/* The parameters that the free variables stand for: distances of x and y from 1/2, in logits so
 * that they stay below 1; the square of the noise, as 1 for no noise, because lmdif() takes steps
 * relative to the variable; the vertices beyond those that have edges, as a logarithm. */
static fit_params params_of(const work *w, const double *v)
{
    fit_params p = w->now;
    const double share = (w->now.a - least_a(&p)) / fmax(most_a(&p) - least_a(&p), 1e-9);
    int i = 0;

    p.x = 0.5 + 0.5 * fabs(tanh(v[i++]));
    if (w->sides == 1) {
        p.y = p.x;
    } else {
        const double more = 0.5 * fabs(tanh(v[i++]));

        p.y = w->opposite ? 0.5 - more : 0.5 + more;
    }
    p.a = least_a(&p) + share * (most_a(&p) - least_a(&p));
    fit_clamp(&p, w->opposite);
    p.square = w->no_noise ? 0 : estimate_of_square(&p, SQUARE_UNIT * (v[i++] - 1));
    if (w->free) {
        p.vertices =
            fmin(w->least * exp(fmin(fabs(v[i++]), log(FIT_MOST_ISOLATED))), FIT_MOST_VERTICES);
    }
    return p;
}

static int variables_of(const work *w, double *v)
{
    const fit_params *p = &w->now;
    int n = 0;

    v[n++] = atanh(fmin(2 * fabs(p->x - 0.5), 0.9999));
    if (w->sides > 1) {
        v[n++] = atanh(fmin(2 * fabs(p->y - 0.5), 0.9999));
    }
    if (!w->no_noise) {
        v[n++] = 1 + p->square / SQUARE_UNIT;
    }
    if (w->free) {
        v[n++] = log(fmax(p->vertices / w->least, 1.01));
    }
    return n;
}

static int side_residuals(const tails *graph, const tails *model, double *r)
{
    int n = 0;

    for (int i = 1; i < RMAT_SHAPE_FINE - 1; i++) {
        const double width = log2((double)rmat_shape_first(i + 1) / (double)rmat_shape_first(i));
        const double weight = sqrt(width);

        r[n++] = weight * (model->vertices[i] - graph->vertices[i]);
        r[n++] = weight * (model->edges[i] - graph->edges[i]);
    }
    r[n++] = WEIGHT_USED * log(fmax(model->used, 1e-9) / graph->used);
    return n;
}

static int residuals(void *state, int m, int n, const double *v, double *r, int flag)
{
    const work *w = state;
    const fit_params p = params_of(w, v);
    int count = 0;

    (void)n, (void)flag;
    for (int side = 0; side < w->sides; side++) {
        fit_side s;
        tails model;

        fit_expect(&p, w->graph, side, &s);
        model = tails_of(s.vertices, s.edges);
        count += side_residuals(&w->of[side], &model, r + count);
    }
    return count == m ? 0 : -1;
}

static int residual_count(const work *w)
{
    return w->sides * (2 * (RMAT_SHAPE_FINE - 2) + 1);
}

static double residual_norm(const work *w, const double *v)
{
    double r[MOST];

    residuals((void *)w, residual_count(w), PARAMS, v, r, 0);
    return enorm(residual_count(w), r);
}

/* The best of a few places to begin at: x and y on a grid. */
static void begin_on_grid(work *w)
{
    double best = INFINITY, v[PARAMS];
    fit_params found = w->now;

    for (int i = 1; i < 10; i++) {
        for (int j = 1; j < (w->sides > 1 ? 10 : 2); j++) {
            const double x = 0.5 + 0.05 * i, more = 0.05 * j;
            double here;

            w->now.x = x;
            w->now.y = w->sides == 1 ? x : w->opposite ? 0.5 - more : 0.5 + more;
            w->now.a = (w->now.x * w->now.y + most_a(&w->now)) / 2;
            w->now.square = 0.02 * 0.02;
            variables_of(w, v);
            here = residual_norm(w, v);
            if (here < best) {
                best = here;
                found = w->now;
            }
        }
    }
    w->now = found;
}

static double least_squares(work *w)
{
    double v[PARAMS], r[MOST], fjac[MOST * PARAMS], diag[PARAMS], qtf[PARAMS], wa1[PARAMS],
        wa2[PARAMS], wa3[PARAMS], wa4[MOST];
    const int n = variables_of(w, v), m = residual_count(w);
    int ipvt[PARAMS], evaluations;

    (void)lmdif(residuals, w, m, n, v, r, 1e-10, 1e-7, 0, 200, 1e-8, diag, 1, 1, 0, &evaluations,
                fjac, m, ipvt, qtf, wa1, wa2, wa3, wa4);
    w->now = params_of(w, v);
    return enorm(m, r) / sqrt(m);
}

/* Of a graph without noise chance takes the square of the noise below 0 as often as above.  *square
 * is set to that estimate, whichever it is, but the parameters are the best ones of a model. */
static double degrees_step(work *w, double *square)
{
    double distance;

    w->no_noise = 0;
    distance = least_squares(w);
    *square = w->now.square;
    if (*square < 0) {
        w->no_noise = 1;
        distance = least_squares(w);
    }
    return distance;
}

static double expected_covariance(const work *w, const fit_side *side, double a)
{
    fit_params p = w->now;

    p.a = a;
    return fit_expect_covariance(&p, w->graph, &side[FIT_SOURCES], &side[FIT_DESTINATIONS]);
}

/* An entry of 0 would be a claim that a graph cannot support. */
static void covariance_step(work *w, double wanted)
{
    const double margin = INSIDE * (most_a(&w->now) - least_a(&w->now));
    double low = least_a(&w->now) + margin, high = most_a(&w->now) - margin, range;
    fit_side side[FIT_SIDES];

    for (int s = 0; s < FIT_SIDES; s++) {
        fit_expect(&w->now, w->graph, s, &side[s]);
    }
    w->now.open = 0;
    range = expected_covariance(w, side, high) - expected_covariance(w, side, low);
    if (range < UNKNOWN / sqrt(w->graph->edges) ||
        (fabs(w->now.x - 0.5) < EVEN && fabs(w->now.y - 0.5) < EVEN)) {
        w->now.a = w->now.x * w->now.y;
        w->now.square = 0;
        w->now.open = 1;
        return;
    }
    for (int i = 0; i < 40 && high - low > 1e-9; i++) {
        const double a = (low + high) / 2;

        if (expected_covariance(w, side, a) < wanted) {
            low = a;
        } else {
            high = a;
        }
    }
    w->now.a = (low + high) / 2;
    w->now.square = fmin(w->now.square, square_limit(&w->now));
}

typedef struct {
    double sum, x, y, xx, yy, xy;
} moments;

static moments moments_of(const uint64_t cells[RMAT_SHAPE_COARSE][RMAT_SHAPE_COARSE], int first)
{
    moments m = {0};

    for (int i = first; i < RMAT_SHAPE_COARSE - 1; i++) {
        for (int j = first; j < RMAT_SHAPE_COARSE - 1; j++) {
            const double n = (double)cells[i][j], x = fit_log(i), y = fit_log(j);

            m.sum += n;
            m.x += n * x;
            m.y += n * y;
            m.xx += n * x * x;
            m.yy += n * y * y;
            m.xy += n * x * y;
        }
    }
    return m;
}

/* The covariance that fit_expect_covariance() is to match. */
static double fit_covariance(const rmat_shape *shape)
{
    const moments m = moments_of(shape->ends, 1);

    return m.sum > 0 ? m.xy / m.sum - m.x / m.sum * (m.y / m.sum) : 0;
}

static double correlation(const moments *m)
{
    const double x = m->xx - m->x * m->x / m->sum, y = m->yy - m->y * m->y / m->sum;

    return x > 0 && y > 0 ? (m->xy - m->x * m->y / m->sum) / sqrt(x * y) : 0;
}

double fit_assortativity(const rmat_shape *shape)
{
    const moments m = moments_of(shape->ends, 1);

    return correlation(&m);
}

double fit_own_correlation(const rmat_shape *shape)
{
    const moments m = moments_of(shape->joint, 0);

    return correlation(&m);
}

double fit_estimate(const rmat_shape *shape, const fit_graph *graph, int free, fit_params *p)
{
    const double wanted = fit_covariance(shape);
    double distance = 0, square = 0;
    work w = {.of = {observed(shape->out_vertices, shape->out_edges),
                     observed(shape->in_vertices, shape->in_edges)},
              .graph = graph,
              .sides = graph->undirected ? 1 : FIT_SIDES,
              .free = free,
              .opposite = !graph->undirected && fit_own_correlation(shape) < OPPOSITE,
              .least = (double)shape->used,
              .now = *p};

    if (p->x == 0) {
        w.now.vertices = free ? 1.5 * w.least : p->vertices;
        begin_on_grid(&w);
    }
    for (int round = 0; round < ROUNDS; round++) {
        distance = degrees_step(&w, &square);
        covariance_step(&w, wanted);
    }
    *p = w.now;
    p->square = w.now.open ? 0 : square < 0 ? square : w.now.square;
    return distance;
}
