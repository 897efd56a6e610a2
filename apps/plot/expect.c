/*
 * The expected distribution of degrees.
 *
 * The degree of a vertex is binomial: each draw is an edge of the vertex with the vertex's
 * probability.  This is exact for out-degrees and for in-degrees of up to 2^20 vertices, and within
 * 1e-3 of the degree for more (apps/plot/groups.h).  Approximations are
 *   - both ends together, where a loop counts twice: its variance is a little larger;
 *   - permuted and then turned edges: a vertex's rank among all is taken for that among its
 *     neighbours, some of which are hubs;
 *   - not permuted but turned edges beyond 2^20 vertices, where b is not c;
 *   - graphs without duplicates: apps/plot/distinct.h gives mean and variance, and the distribution
 * is taken for the binomial one that has both. Held against graphs of scale 18, chi-squared is 0.4
 * to 1.2 for each bin, 0.8 to 1.5 without duplicates; 2 to 3 for edges that are distinct, turned
 * and not permuted.
 */
#include "apps/common/message.h"
#include "apps/plot/distinct.h"
#include "apps/plot/groups.h"
#include "apps/plot/plot.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MANY 1e4 /* of a mean from here on: normal */

enum { RANKS = 256, REACH = 2048 };

typedef struct {
    const plot_model *model;
    plot_kind kind;
    const plot_bins *bins;
    double *expectation;
    bool doubled;                  /* degrees are even: of both ends of a symmetric graph */
    plot_distinct from, to, pairs; /* of graphs without duplicates */
} expecting;

/* The share of a normal distribution below x. */
static double normal(double x)
{
    return erfc(-x * M_SQRT1_2) / 2;
}

/* Bin i ends before this degree. */
static double bin_end(const expecting *x, int i)
{
    const double end = (double)x->bins->first[i + 1];

    return x->doubled ? ceil(end / 2) : end;
}

static int bin_of(const expecting *x, double degree)
{
    return plot_bin_of(x->bins, (uint64_t)(x->doubled ? 2 * degree : degree));
}

/* Continuity corrected. */
static void add_normal(expecting *x, double vertices, double mean, double variance)
{
    const double sigma = sqrt(fmax(variance, 1e-6));
    double below = 0;

    for (int i = bin_of(x, fmax(0, mean - 9 * sigma)); i < x->bins->count && below < 1; i++) {
        const double end = normal((bin_end(x, i) - 0.5 - mean) / sigma);

        x->expectation[i] += vertices * (end - below);
        below = end;
    }
}

/* trials need not be a whole number.  From the most probable degree up and down. */
static void add_binomial(expecting *x, double vertices, double trials, double p)
{
    const double mode = floor(fmin(trials, (trials + 1) * p)), odds = p / (1 - p);
    const int down = (int)fmin(mode, REACH);
    double weight[2 * REACH + 1], sum, w = 1;
    int low = REACH, high = REACH, bin;

    weight[REACH] = sum = 1;
    for (int i = 1; i <= REACH && w > 1e-20; i++) {
        w *= fmax(0, trials - (mode + i - 1)) / (mode + i) * odds;
        weight[high = REACH + i] = w;
        sum += w;
    }
    w = 1;
    for (int i = 1; i <= down && w > 1e-20; i++) {
        w *= (mode - i + 1) / (trials - (mode - i)) / odds;
        weight[low = REACH - i] = w;
        sum += w;
    }
    bin = bin_of(x, mode + (low - REACH));
    for (int i = low; i <= high; i++) {
        const double degree = mode + (i - REACH);

        while (bin < x->bins->count && degree >= bin_end(x, bin)) {
            bin++;
        }
        if (bin < x->bins->count) {
            x->expectation[bin] += vertices * weight[i] / sum;
        }
    }
}

static void add_degrees(expecting *x, double vertices, double mean, double variance)
{
    const double trials = mean * mean / fmax(mean - variance, mean * 1e-18);
    const double p = mean / trials;

    if (!(mean > 0)) {
        x->expectation[0] += vertices;
    } else if (mean > MANY || p > 1 - 1e-9) {
        add_normal(x, vertices, mean, variance);
    } else {
        add_binomial(x, vertices, trials, p);
    }
}

/* Probabilities of a kept draw to be an edge of one vertex. */
typedef struct {
    double from, to, loop; /* of the draw itself; a loop is in both */
    double below, above;   /* other end less than the vertex, greater; of either direction */
} chances;

static chances chances_of(const plot_group *g, const plot_groups *all, const rmat_config *c)
{
    const double loop = g->loop, wanted = c->no_self_loops ? 0 : loop;
    const double from = g->free[0] + g->tight[0] - loop, to = g->free[1] + g->tight[1] - loop;
    const double below = g->below[0] + g->below[1];

    if (c->rows_scale != c->cols_scale) {
        return (chances){.from = (from + loop) / all->kept, .to = (to + loop) / all->kept};
    }
    return (chances){(from + wanted) / all->kept, (to + wanted) / all->kept, wanted / all->kept,
                     below / all->kept, fmax(0, from + to - below) / all->kept};
}

/* Draws on the vertex that count for the degree, and those that count twice; distinct: their
 * curve. */
static void add_chance(expecting *x, double vertices, double p, const plot_distinct *distinct)
{
    const double mean = p * x->model->draws;

    if (x->model->unique && mean > 0) {
        const plot_distinct_point d = plot_distinct_at(distinct, mean);

        add_degrees(x, vertices, mean * d.share, mean * d.share * d.spread);
    } else {
        add_degrees(x, vertices, mean, mean * fmax(0, 1 - p));
    }
}

/* The edges of a pair of vertices count once: at the one that becomes the source, or the other.
 * share: which part of the edges between the vertex and all others are its own. */
static void add_turned(expecting *x, double vertices, const chances *e, double own)
{
    const double both = e->from + e->to - e->loop, p = own + e->loop;
    const double mean = p * x->model->draws;

    if (x->model->unique && mean > 0) {
        const plot_distinct_point d = plot_distinct_at(&x->pairs, both * x->model->draws);

        add_degrees(x, vertices, mean * d.share, mean * d.share * (1 - p / both * (1 - d.spread)));
    } else {
        add_degrees(x, vertices, mean, mean * fmax(0, 1 - p));
    }
}

static void add_group(expecting *x, double vertices, const chances *e)
{
    const rmat_config *c = x->model->drawn;
    const bool sources = x->kind == PLOT_OUT;

    if (x->kind == PLOT_TOTAL || c->symmetrize) {
        const double p = fmin(1, e->from + e->to);

        if (x->model->unique && !c->symmetrize && c->direction == RMAT_DIRECTED && p > 0) {
            const double from = e->from * x->model->draws, to = e->to * x->model->draws;
            const plot_distinct_point f = plot_distinct_at(&x->from, from),
                                      t = plot_distinct_at(&x->to, to);

            add_degrees(x, vertices, from * f.share + to * t.share,
                        from * f.share * f.spread + to * t.share * t.spread);
        } else {
            add_chance(x, vertices, p, &x->pairs);
        }
    } else if (c->direction == RMAT_DIRECTED) {
        add_chance(x, vertices, sources ? e->from : e->to, sources ? &x->from : &x->to);
    } else if (c->permute) {
        for (int i = 0; i < RANKS; i++) {
            add_turned(x, vertices / RANKS, e, (i + 0.5) / RANKS * (e->below + e->above));
        }
    } else {
        add_turned(x, vertices, e, (c->direction == RMAT_LOWER) == sources ? e->below : e->above);
    }
}

/* What the degree follows from, of groups whose upper bits alone are known. */
static double mass_from(const plot_group *g)
{
    return g->free[0] + g->tight[0];
}

static double mass_to(const plot_group *g)
{
    return g->free[1] + g->tight[1];
}

static double mass_both(const plot_group *g)
{
    return mass_from(g) + mass_to(g);
}

static double mass_below(const plot_group *g)
{
    return g->below[0] + g->below[1];
}

static double mass_above(const plot_group *g)
{
    return fmax(0, mass_both(g) - mass_below(g));
}

static plot_group_mass mass_of(plot_kind kind, const rmat_config *c)
{
    const bool sources = kind == PLOT_OUT;

    if (kind == PLOT_TOTAL || c->symmetrize || (c->direction != RMAT_DIRECTED && c->permute)) {
        return mass_both;
    }
    if (c->direction == RMAT_DIRECTED) {
        return sources ? mass_from : mass_to;
    }
    return (c->direction == RMAT_LOWER) == sources ? mass_below : mass_above;
}

typedef struct {
    double vertices;
    chances sum;
} chance_bin;

static void add_to_bin(chance_bin *b, double vertices, const chances *e)
{
    b->vertices += vertices;
    b->sum.from += vertices * e->from;
    b->sum.to += vertices * e->to;
    b->sum.loop += vertices * e->loop;
    b->sum.below += vertices * e->below;
    b->sum.above += vertices * e->above;
}

static void add_bin(expecting *x, const chance_bin *b)
{
    const double n = b->vertices;
    const chances mean = {b->sum.from / n, b->sum.to / n, b->sum.loop / n, b->sum.below / n,
                          b->sum.above / n};

    add_group(x, n, &mean);
}

static int add_groups(expecting *x, const plot_groups *groups, plot_group_mass mass)
{
    chance_bin *bins = calloc(PLOT_LOG_BINS, sizeof *bins);
    double least = INFINITY, most = 0;
    plot_log_scale scale;

    if (bins == NULL) {
        return -1;
    }
    for (size_t i = 0; i < groups->count; i++) {
        const double m = mass(&groups->group[i]);

        least = m > 0 ? fmin(least, m) : least;
        most = fmax(most, m);
    }
    scale = plot_log_scale_of(least, most);
    for (size_t i = 0; i < groups->count; i++) {
        const plot_group *g = &groups->group[i];
        const chances e = chances_of(g, groups, x->model->drawn);

        add_to_bin(&bins[plot_log_bin(&scale, mass(g))], g->vertices, &e);
    }
    for (size_t i = 0; i < PLOT_LOG_BINS; i++) {
        if (bins[i].vertices > 0) {
            add_bin(x, &bins[i]);
        }
    }
    free(bins);
    return 0;
}

int plot_expect_degrees(const plot_model *model, plot_kind kind, const plot_bins *bins,
                        double expectation[PLOT_BINS])
{
    const rmat_config *c = model->drawn;
    expecting x = {.model = model,
                   .kind = kind,
                   .bins = bins,
                   .expectation = expectation,
                   .doubled = kind == PLOT_TOTAL && c->symmetrize};
    const plot_group_mass mass = mass_of(kind, c);
    plot_groups groups;
    int status;

    memset(expectation, 0, PLOT_BINS * sizeof *expectation);
    if (model->unique) {
        plot_distinct_make(&x.from, c, RMAT_ROWS, 0, model->draws);
        plot_distinct_make(&x.to, c, RMAT_COLS, 0, model->draws);
        plot_distinct_make(&x.pairs, c, RMAT_ROWS, 1, model->draws);
    }
    status = plot_groups_make(&groups, c, kind == PLOT_IN ? RMAT_COLS : RMAT_ROWS, mass);
    if (status == 0) {
        status = add_groups(&x, &groups, mass);
    }
    free(groups.group);
    return status == 0 ? EXIT_OK : runtime_error("plot", "memory is exhausted");
}
