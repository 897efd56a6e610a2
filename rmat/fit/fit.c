/*
 * The fit, by simulation.
 *
 * 1. The estimate from expected degrees (estimate.c), which is a little off: expectations are
 *    approximate, most of all where edges are distinct or the vertices not a power of two.
 *
 * 2. A graph is made with the estimate as its parameters, of the same size and treated alike, and
 *    estimated in the same way.  By how much that misses the parameters it was made with, the
 *    estimate is corrected; and so on until it stays (indirect inference: Gourieroux, Monfort,
 *    Renault, Journal of Applied Econometrics 8, 1993).
 *
 * 3. More graphs, with other seeds: the mean of their estimates makes the last correction, their
 *    spread is the standard error (parametric bootstrap).
 */
#include "rmat/fit/fit.h"
#include "rmat/rmat_fit.h"
#include "rmat/try.h"

#include <math.h>
#include <string.h>

#define ENOUGH     2e-4 /* a correction that another one need not follow */
#define LEAST_KEPT 0.05 /* of the draws */

/* Of numbers of vertices: a distance as good as another one, for a better number; and the largest
 * that chance makes, times the root of the number. */
#define AS_GOOD 1.2
#define CLOSE   0.1

enum { POWERS = 4, FEW = 6, MANY = 32, CORRECTIONS = 6 };

/* Parameters as a vector, in which they are corrected and have variances. */
enum { A, B, C, D, SQUARE, LOG_VERTICES, VALUES };

typedef struct {
    double of[VALUES];
} vector;

typedef struct {
    fit_simulation simulation;
    int free;          /* vertices */
    int opposite;      /* as of fit_clamp() */
    int open;          /* as in fit_params, of the graph */
    int done, planned; /* simulations */
    int stopped;
    rmat_shape shape; /* of the last one */
} fitting;

void rmat_fit_options_default(rmat_fit_options *options)
{
    memset(options, 0, sizeof *options);
    options->device = -1;
    options->seed = 1;
}

static vector vector_of(const fit_params *p)
{
    return (vector){
        {p->a, p->x - p->a, p->y - p->a, 1 - p->x - p->y + p->a, p->square, log(p->vertices)}};
}

/* Where vertices are no power of two and the matrix is strongly off its diagonal, nearly all draws
 * may be lost: then ends of edges are taken to depend less on each other. */
static void make_drawable(const fitting *f, fit_params *p)
{
    rmat_expectation e;

    for (int i = 0; i < 20; i++) {
        const rmat_config c = fit_config(&f->simulation, p, 0);

        if (rmat_expect(&c, &e) == RMAT_OK && e.kept > LEAST_KEPT) {
            return;
        }
        p->a = (p->a + p->x * p->y) / 2;
    }
}

/* The nearest parameters that there are. */
static fit_params params_of(const fitting *f, const vector *v)
{
    const double sum = v->of[A] + v->of[B] + v->of[C] + v->of[D];
    fit_params p = {.a = v->of[A] / sum,
                    .x = (v->of[A] + v->of[B]) / sum,
                    .y = (v->of[A] + v->of[C]) / sum,
                    .square = v->of[SQUARE]};

    p.vertices = f->free ? fmin(fmax(exp(v->of[LOG_VERTICES]), 2), FIT_MOST_VERTICES)
                         : (double)f->simulation.graph->shape.vertices;
    fit_clamp(&p, f->opposite);
    make_drawable(f, &p);
    return p;
}

static int report_progress(fitting *f)
{
    const rmat_fit_options *o = f->simulation.options;

    if (f->stopped) {
        return 1;
    }
    f->done++;
    if (o->tick != NULL && o->tick(o->state, fmin(1, f->done / (double)f->planned)) != 0) {
        f->stopped = 1;
    }
    return f->stopped;
}

/* By how much noise moved the average of the levels' matrices, and what is then its amplitude. */
static vector moved_by_noise(const rmat_config *config)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    const int n = config->rows_scale;
    vector v = {{0}};
    double square = 0;

    if (config->noise == 0 || rmat_levels(config, levels) != RMAT_OK) {
        return v;
    }
    for (int l = 0; l < n; l++) {
        v.of[A] += (levels[l].a - config->matrix.a) / n;
        v.of[B] += (levels[l].b - config->matrix.b) / n;
        v.of[C] += (levels[l].c - config->matrix.c) / n;
        v.of[D] += (levels[l].d - config->matrix.d) / n;
    }
    for (int l = 0; l < n; l++) {
        const double mu = levels[l].b - config->matrix.b - v.of[B];

        square += mu * mu / n;
    }
    v.of[SQUARE] = 3 * square - config->noise * config->noise;
    return v;
}

/* What the estimate of a simulated graph is, as if its levels' average were p. */
static int estimate_simulated(fitting *f, const fit_params *p, uint64_t number, vector *estimate)
{
    rmat_config config = fit_config(&f->simulation, p, number);
    fit_graph kind = f->simulation.kind;
    fit_params found = *p;
    vector moved;

    if (number > 0) { /* noise as the graph's own may be */
        fit_choose_any_seed(&config, f->simulation.options->seed + number * FIT_SEEDS);
    }
    moved = moved_by_noise(&config);
    RMAT_OR_RETURN(fit_simulate(&f->simulation, &config, 0, &f->shape));
    kind.edges = (double)f->shape.edges;
    fit_estimate(&f->shape, &kind, f->free, &found);
    *estimate = vector_of(&found);
    for (int k = 0; k < VALUES; k++) {
        estimate->of[k] -= moved.of[k];
    }
    return RMAT_OK;
}

/* Moves *p so that its simulation's estimate comes to that of the graph. */
static int correct_params(fitting *f, const vector *wanted, fit_params *p)
{
    for (int i = 0; i < CORRECTIONS && !report_progress(f); i++) {
        vector now = vector_of(p), estimate;
        double most = 0;

        RMAT_OR_RETURN(estimate_simulated(f, p, 0, &estimate));
        for (int k = 0; k < VALUES; k++) {
            const double miss = wanted->of[k] - estimate.of[k];

            now.of[k] += miss;
            most = k < SQUARE ? fmax(most, fabs(miss)) : most;
        }
        *p = params_of(f, &now);
        if (most < ENOUGH) {
            break;
        }
    }
    return RMAT_OK;
}

static int simulations_for(const rmat_fit_options *o, uint64_t edges)
{
    return o->simulations > 0 ? o->simulations
           : edges < 10000000 ? MANY
           : edges < 40000000 ? MANY / 2
                              : FEW;
}

/* Students t: 97.5 % quantiles. */
static double t_quantile(int freedom)
{
    /* Cornish and Fisher's expansion around the normal quantile. */
    const double z = 1.959963984540054, n = freedom;

    return z + (z * z * z + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
           (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

typedef struct {
    vector mean, error;
    int n;
} spread;

static int measure_spread(fitting *f, const fit_params *p, int simulations, spread *s)
{
    vector sum = {{0}}, squares = {{0}}, first = {{0}};

    s->n = 0;
    for (int i = 0; i < simulations && !report_progress(f); i++) {
        vector v;

        RMAT_OR_RETURN(estimate_simulated(f, p, (uint64_t)i + 1, &v));
        first = i == 0 ? v : first;
        for (int k = 0; k < VALUES; k++) {
            const double more = v.of[k] - first.of[k]; /* small, so that squares are exact enough */

            sum.of[k] += more;
            squares.of[k] += more * more;
        }
        s->n++;
    }
    for (int k = 0; k < VALUES; k++) {
        const double n = s->n, mean = sum.of[k] / n;

        s->mean.of[k] = first.of[k] + mean;
        s->error.of[k] =
            s->n > 1 ? sqrt(fmax(0, squares.of[k] / n - mean * mean) * n / (n - 1) * (1 + 1 / n))
                     : NAN;
    }
    return RMAT_OK;
}

/* Digits that the command line of a model has: what is said is what is made. */
static double rounded(double value)
{
    return round(value * 1e6) / 1e6;
}

/* The model of the result, with the edges listed as they are in the graph. */
static rmat_config model_of(const fitting *f, const fit_params *p)
{
    const rmat_listed listed = f->simulation.graph->listed;
    rmat_config c = fit_config(&f->simulation, p, 0);

    c.matrix = (rmat_matrix){rounded(c.matrix.a), rounded(c.matrix.b), rounded(c.matrix.c), 0};
    c.matrix.d = fmax(0, rounded(1 - c.matrix.a - c.matrix.b - c.matrix.c));
    c.noise = floor(fmin(c.noise, rmat_noise_limit(&c)) * 1e6) / 1e6;
    fit_choose_seed(&c, f->simulation.options->seed);
    c.symmetrize = listed == RMAT_LISTED_BOTH;
    c.direction = listed == RMAT_LISTED_LOWER   ? RMAT_LOWER
                  : listed == RMAT_LISTED_UPPER ? RMAT_UPPER
                                                : RMAT_DIRECTED;
    return c;
}

static rmat_fitted fitted(const fitting *f, double value, double error, double t)
{
    const double off = f->open ? NAN : t * error;

    return (rmat_fitted){value, f->open ? NAN : error, isnan(off) ? NAN : fmax(0, value - off),
                         value + off};
}

/*
 * Estimates of the square of the noise are about normal, to both sides of 0, with a standard error
 * that hardly depends on the noise where that is small.  Those of the noise itself are not: without
 * noise half of them are 0 and the others far from it, and at the root of a square that chance
 * alone has made they seem precise.  The interval is therefore that of the square.
 */
static rmat_fitted fitted_noise(const fitting *f, const fit_params *p, double square, double error,
                                double t)
{
    rmat_fitted noise = {fit_noise(p), NAN, NAN, NAN};

    if (!f->open && isfinite(t)) {
        noise.low = fmin(noise.value, sqrt(fmax(0, square - t * error)));
        noise.high = fmax(noise.value, sqrt(fmax(0, square + t * error)));
        noise.error = (noise.high - noise.low) / (2 * t);
    }
    return noise;
}

/* What is within its error of a simpler value takes it: no noise, a power of two vertices. */
static fit_params simplest(const fitting *f, const fit_params *p, double square, const spread *s,
                           double t)
{
    const double power = exp2(round(log2(p->vertices)));
    fit_params q = *p;

    if (square < t * s->error.of[SQUARE]) {
        q.square = 0;
    }
    if (f->free && fabs(log(p->vertices / power)) < t * s->error.of[LOG_VERTICES]) {
        q.vertices = power;
    }
    return q;
}

/* square: of the noise, as it was estimated, which may be below 0. */
static void report_result(const fitting *f, const fit_params *p, double square, const spread *s,
                          rmat_fit_result *r)
{
    const vector v = vector_of(p);
    const double t = s->n > 1 ? t_quantile(s->n - 1) : NAN;
    const fit_params simple = simplest(f, p, square, s, t);

    r->model = model_of(f, &simple);
    r->edges = fit_base_edges(&f->simulation);
    r->unique = f->simulation.kind.distinct && fit_has_so_many(&r->model, r->edges);
    r->a = fitted(f, v.of[A], s->error.of[A], t);
    r->b = fitted(f, v.of[B], s->error.of[B], t);
    r->c = fitted(f, v.of[C], s->error.of[C], t);
    r->d = fitted(f, v.of[D], s->error.of[D], t);
    r->noise = fitted_noise(f, p, square, s->error.of[SQUARE], t);
    r->vertices =
        fitted(f, simple.vertices, f->free ? p->vertices * s->error.of[LOG_VERTICES] : 0, t);
    r->vertices_free = f->free;
    r->simulations = s->n;
    r->stopped = f->stopped;
    r->t_quantile = t;
}

/* The estimate for a given number of vertices, from parameters to begin at, replaces *best if it is
 * better. */
static void try_vertices(const fitting *f, double vertices, fit_params from, int free,
                         fit_params *best, double *distance)
{
    double here;

    from.vertices = vertices;
    here = fit_estimate(&f->simulation.graph->shape, &f->simulation.kind, free, &from);
    if (here < *distance) {
        *distance = here;
        *best = from;
    }
}

/*
 * How many vertices.  Isolated ones count, of which a graph may have more than it says, where only
 * those with edges were numbered.  The graph's own number is taken if hardly any other comes
 * closer; else a power of two, of which edges are drawn fastest, if it is about as good as the
 * best.
 */
static fit_params first_estimate(fitting *f)
{
    const rmat_shape *shape = &f->simulation.graph->shape;
    const double used = (double)shape->used, own = (double)shape->vertices;
    double own_distance = INFINITY, power_distance = INFINITY, distance = INFINITY;
    fit_params of_own = {0}, of_power = {0}, best = {0};

    try_vertices(f, own, of_own, 0, &of_own, &own_distance);
    if (f->simulation.options->vertices_fixed || own_distance < CLOSE / sqrt(used)) {
        return of_own;
    }
    for (int i = fit_levels(used), end = i + POWERS; i < end && i <= 32; i++) {
        try_vertices(f, ldexp(1, i), of_own, 0, &of_power, &power_distance);
    }
    best = own_distance < power_distance ? of_own : of_power;
    try_vertices(f, best.vertices, best, 1, &best, &distance);
    if (own_distance < AS_GOOD * fmin(distance, power_distance)) {
        return of_own;
    }
    f->free = 1;
    return power_distance < AS_GOOD * distance ? of_power : best;
}

int rmat_fit(const rmat_fit_graph *graph, const rmat_fit_options *options, rmat_fit_result *result)
{
    fitting f = {.simulation = {.graph = graph, .options = options}};
    const rmat_shape *shape;
    int simulations;
    spread s = {.n = 0};
    fit_params p;
    rmat_config like;
    vector wanted, value;
    double square = 0;

    if (graph == NULL || options == NULL || result == NULL) {
        return RMAT_ERR_ARG;
    }
    shape = &graph->shape;
    if (shape->edges == 0 || shape->vertices < 2) {
        return shape->edges == 0 ? RMAT_ERR_EDGES : RMAT_ERR_VERTICES;
    }
    f.simulation.kind = (fit_graph){.edges = (double)shape->edges,
                                    .undirected = graph->listed != RMAT_LISTED_DIRECTED,
                                    .distinct = shape->copies == 0};
    f.simulation.no_loops = shape->loops == 0;
    simulations = simulations_for(options, shape->edges);
    f.planned = 2 + simulations + 1;
    p = first_estimate(&f);
    wanted = vector_of(&p);
    f.opposite = p.y < 0.5;
    f.open = p.open;
    p.square = fmax(0, p.square);
    make_drawable(&f, &p);
    RMAT_OR_RETURN(correct_params(&f, &wanted, &p));
    RMAT_OR_RETURN(measure_spread(&f, &p, simulations, &s));
    if (s.n > 0) {
        value = vector_of(&p);
        for (int k = 0; k < VALUES; k++) {
            value.of[k] += wanted.of[k] - s.mean.of[k];
        }
        p = params_of(&f, &value);
        square = value.of[SQUARE];
    }
    report_result(&f, &p, square, &s, result);
    like = result->model;
    like.symmetrize = f.simulation.kind.undirected;
    like.direction = RMAT_DIRECTED;
    return fit_simulate(&f.simulation, &like, 1, &result->like);
}

/* The fitted model at another size. */
int rmat_fit_multiply(const rmat_fit_result *result, uint64_t multiply, int densify,
                      rmat_config *model, uint64_t *edges)
{
    const rmat_config *from = &result->model;
    const uint64_t vertices = from->rows > 0 ? from->rows : (uint64_t)1 << from->rows_scale;
    const double growth = log2((double)multiply) / from->rows_scale;
    const double many =
        (double)result->edges * (densify ? pow((double)result->edges, growth) : (double)multiply);

    if (multiply < 1 || multiply > ((uint64_t)1 << RMAT_MAX_SCALE) / vertices) {
        return RMAT_ERR_VERTICES;
    }
    if (!(many <= (double)(RMAT_MAX_EDGES / 2))) {
        return RMAT_ERR_RANGE;
    }
    *model = *from;
    fit_set_vertices(model, vertices * multiply);
    fit_choose_seed(model, from->seed);
    *edges = densify ? (uint64_t)llround(many) : result->edges * multiply;
    return RMAT_OK;
}
