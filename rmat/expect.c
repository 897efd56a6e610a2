/*
 * expect.c - the expected degrees of vertices.
 *
 * Degrees, in three steps:
 *
 * 1. Vertices are put into groups of equal probabilities of being the end of a draw, by a descent
 *    level by level: each group's next bit is 0 in one half and 1 in the other.  While groups are
 *    few, each is one vertex's upper bits, and nothing is lost; beyond 2^20 of them, groups of
 *    nearly the same probability become one.
 * 2. A group's probability and the number of draws give mean and variance of its vertices' degrees.
 *    Of distinct edges, a curve over the number of draws on a vertex says how many are distinct.
 * 3. The distribution that has this mean and variance is added to the bins.
 *
 * Distinct edges: a cell whose row and column have the bits (0 0), (0 1), (1 0), (1 1) at na, nb,
 * nc and nd levels is drawn at the rate R a^na b^nb c^nc d^nd, and has an edge with probability
 * 1 - exp(-rate).  A row's degree is the sum over its cells, of which many are alike.
 */
#include "rmat/expect.h"
#include "rmat/model/descent.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int rmat_bin_of(const rmat_bins *bins, uint64_t degree)
{
    int low = 0, end = bins->count;

    while (end - low > 1) {
        const int middle = (low + end) / 2;

        if (degree < bins->first[middle]) {
            end = middle;
        } else {
            low = middle;
        }
    }
    return low;
}

/* Distributions of degrees, added to bins. */

enum { REACH = 2048 }; /* degrees on either side of the most probable one */
#define MANY 1e4       /* from this mean degree on, distributions are normal */

/* Expected numbers of vertices by bins of their degree: bins->count of them. */
typedef struct {
    const rmat_bins *bins;
    double *vertices;
} expected_vertices;

/* With a correction for continuity. */
static void add_normal(const expected_vertices *x, double vertices, double mean, double variance)
{
    const double sigma = sqrt(fmax(variance, 1e-6));
    double below = 0;

    for (int i = rmat_bin_of(x->bins, (uint64_t)fmax(0, mean - 9 * sigma));
         i < x->bins->count && below < 1; i++) {
        const double end = ((double)x->bins->first[i + 1] - 0.5 - mean) / sigma;
        const double next = erfc(-end * M_SQRT1_2) / 2;

        x->vertices[i] += vertices * (next - below);
        below = next;
    }
}

/* Computed from the most probable degree up and down.  trials need not be a whole number. */
static void add_binomial(const expected_vertices *x, double vertices, double trials, double p)
{
    const double mode = floor(fmin(trials, (trials + 1) * p)), odds = p / (1 - p),
                 against = 1 / odds;
    const int down = (int)fmin(mode, REACH);
    double weight[2 * REACH + 1], sum, unit, w = 1;
    int low = REACH, high = REACH, bin;

    weight[REACH] = sum = 1;
    for (int i = 1; i <= REACH && w > 1e-20; i++) {
        w *= fmax(0, trials - (mode + i - 1)) / (mode + i) * odds;
        weight[high = REACH + i] = w;
        sum += w;
    }
    w = 1;
    for (int i = 1; i <= down && w > 1e-20; i++) {
        w *= (mode - i + 1) / (trials - (mode - i)) * against;
        weight[low = REACH - i] = w;
        sum += w;
    }
    unit = vertices / sum;
    bin = rmat_bin_of(x->bins, (uint64_t)(mode + (low - REACH)));
    for (int i = low; i <= high; i++) {
        const double degree = mode + (i - REACH);

        while (bin < x->bins->count && degree >= (double)x->bins->first[bin + 1]) {
            bin++;
        }
        if (bin < x->bins->count) {
            x->vertices[bin] += weight[i] * unit;
        }
    }
}

/* Adds vertices whose degrees have this mean and variance.  The distribution is binomial, or
 * Poisson if the variance is not less than the mean; from a mean of MANY on it is normal. */
static void add_degrees(const expected_vertices *x, double vertices, double mean, double variance)
{
    const double trials = mean * mean / fmax(mean - variance, mean * 1e-18);
    const double p = mean / trials;

    if (!(mean > 0)) {
        x->vertices[0] += vertices;
    } else if (mean >= MANY || p > 1 - 1e-9) {
        add_normal(x, vertices, mean, variance);
    } else {
        add_binomial(x, vertices, trials, p);
    }
}

/* Classes of vertices, and their distinct edges. */

void rmat_classes_make(rmat_classes *c, int levels, uint64_t n)
{
    int zeros = 0;

    c->levels = levels;
    for (int i = 0; i <= levels; i++) {
        c->binomial[i][0] = c->binomial[i][i] = 1;
        for (int j = 1; j < i; j++) {
            c->binomial[i][j] = c->binomial[i - 1][j - 1] + c->binomial[i - 1][j];
        }
    }
    for (int j = 0; j <= levels; j++) {
        c->existing[j] = n >> levels ? 1 : 0;
    }
    /* A number below n has the same upper bits as n, then a 0 where n has a 1, then any bits. */
    for (int bit = levels - 1; bit >= 0 && !(n >> levels); bit--) {
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

rmat_powers rmat_powers_of(const rmat_matrix *m)
{
    rmat_powers p = {{1}, {1}, {1}, {1}};

    for (int i = 0; i < RMAT_MAX_SCALE; i++) {
        p.a[i + 1] = p.a[i] * fmax(m->a, 0);
        p.b[i + 1] = p.b[i] * fmax(m->b, 0);
        p.c[i + 1] = p.c[i] * fmax(m->c, 0);
        p.d[i + 1] = p.d[i] * fmax(m->d, 0);
    }
    return p;
}

/* The probability that a cell which is drawn at this rate has an edge. */
static double hit_probability(double rate)
{
    return rate < 1e-6 ? rate * (1 - rate / 2) : -expm1(-rate);
}

rmat_row rmat_row_of(const rmat_classes *k, const rmat_powers *p, int j, double rate, bool pairs)
{
    const int ones = k->levels - j;
    rmat_row row = {0, 0, 0};

    for (int na = 0; na <= j; na++) {
        const double left = rate * p->a[na] * p->b[j - na], count = k->binomial[j][na];
        const double right = pairs ? rate * p->a[na] * p->c[j - na] : 0;

        for (int nc = 0; nc <= ones; nc++) {
            const double from = left * p->c[nc] * p->d[ones - nc];
            const bool loop = na == j && nc == 0;
            const double draws = from + (loop ? 0 : right * p->b[nc] * p->d[ones - nc]);
            const double cells = count * k->binomial[ones][nc] * k->existing[na + nc];
            const double hit = hit_probability(draws);

            row.draws += cells * draws;
            row.mean += cells * hit;
            row.variance += cells * hit * (1 - hit);
        }
    }
    return row;
}

/* How many of the draws on a vertex are distinct, as a function of the logarithm of their expected
 * number, with a point for each class.  share: the share of the draws that is distinct; spread: the
 * variance of the number of distinct edges, divided by its mean. */
typedef struct {
    double log_draws, share, spread;
} curve_point;

typedef struct {
    int count;
    curve_point point[RMAT_MAX_SCALE + 1];
} distinct_curve;

static rmat_matrix mean_matrix(const rmat_matrix *levels, int scale)
{
    rmat_matrix m = {0};

    for (int l = 0; l < scale; l++) {
        m.a += levels[l].a / scale;
        m.b += levels[l].b / scale;
        m.c += levels[l].c / scale;
        m.d += levels[l].d / scale;
    }
    return m;
}

/* m: the matrix as seen from the vertex, whose bit chooses the row. */
static void make_curve(distinct_curve *curve, const rmat_classes *k, rmat_matrix m, bool pairs,
                       double draws)
{
    const rmat_powers powers = rmat_powers_of(&m);

    curve->count = 0;
    for (int i = 0; i <= k->levels; i++) {
        /* In ascending order of draws. */
        const int zeros = m.a + m.b > m.c + m.d ? i : k->levels - i;
        const rmat_row row = rmat_row_of(k, &powers, zeros, draws, pairs);
        const curve_point p = {log(row.draws), row.mean / row.draws, row.variance / row.mean};

        if (row.draws > 0 && row.mean > 0 &&
            (curve->count == 0 || p.log_draws > curve->point[curve->count - 1].log_draws + 1e-6)) {
            curve->point[curve->count++] = p;
        }
    }
}

/* Interpolates between the points, linearly in the logarithm of the draws. */
static curve_point curve_at(const distinct_curve *curve, double draws)
{
    const double x = log(draws);
    const curve_point *b = curve->point, *end = b + curve->count;

    if (curve->count == 0) {
        return (curve_point){x, 1, 1};
    }
    while (b < end && b->log_draws < x) {
        b++;
    }
    if (b == curve->point || b == end) {
        return b == end ? b[-1] : b[0];
    } else {
        const curve_point *a = b - 1;
        const double t = (x - a->log_draws) / (b->log_draws - a->log_draws);

        return (curve_point){x, a->share + t * (b->share - a->share),
                             a->spread + t * (b->spread - a->spread)};
    }
}

/* Groups of vertices. */

#define MAX_GROUPS ((size_t)1 << 20)
#define LOG_WIDTH  1e-3 /* logarithms of probabilities that are taken for equal */
enum { LOG_BINS = 1 << 18 };

/* Vertices with the same probabilities that a draw is an edge of one of them: [0] from it, [1] to
 * it.  The draw is not yet permuted or turned, its ends are below rows and cols.  Of a square graph
 * sources and destinations are the same vertices; of another one [0] and [1] are both the side's.
 */
typedef struct {
    double vertices;
    double free[2], tight[2]; /* other end less than the largest vertex; equal to it */
    double below[2];          /* of these: other end less than the vertex itself */
    double loop;
} vertex_group;

typedef struct {
    const rmat_expect_model *model;
    rmat_degree_kind kind;
    expected_vertices to;
    distinct_curve from_vertex, to_vertex, pairs; /* of distinct edges */
    rmat_descent descent;
    rmat_matrix levels[RMAT_MAX_SCALE];
    int side;
    vertex_group *group;
    size_t groups;
    double kept; /* the share of all draws that are kept: no loops if there are to be none */
} expectation;

/* The probability by which vertices are grouped: what the degree follows from. */
static double group_mass(const expectation *e, const vertex_group *g)
{
    const rmat_config *c = e->model->drawn;
    const bool sources = e->kind == RMAT_OUT;
    const double from = g->free[0] + g->tight[0], to = g->free[1] + g->tight[1];
    const double below = g->below[0] + g->below[1];

    if (e->kind == RMAT_TOTAL || c->symmetrize || (c->direction != RMAT_DIRECTED && c->permute)) {
        return from + to;
    }
    if (c->direction == RMAT_DIRECTED) {
        return sources ? from : to;
    }
    return (c->direction == RMAT_LOWER) == sources ? below : fmax(0, from + to - below);
}

/* Makes *to the mean of both groups, weighted by their vertices. */
static void merge_group(vertex_group *to, const vertex_group *g)
{
    const double all = to->vertices + g->vertices, share = g->vertices / all;

    for (int way = 0; way < 2; way++) {
        to->free[way] += (g->free[way] - to->free[way]) * share;
        to->tight[way] += (g->tight[way] - to->tight[way]) * share;
        to->below[way] += (g->below[way] - to->below[way]) * share;
    }
    to->loop += (g->loop - to->loop) * share;
    to->vertices = all;
}

/* Puts groups of nearly the same mass together, from group `first` on: by a logarithmic scale of
 * LOG_BINS bins, each at least LOG_WIDTH wide; bin 0 is for the mass 0. */
static int merge_groups(expectation *e, size_t first)
{
    vertex_group *bins = calloc(LOG_BINS, sizeof *bins);
    double least = INFINITY, most = 0, low, width;
    size_t count = first;

    if (bins == NULL) {
        return RMAT_ERR_NOMEM;
    }
    for (size_t i = first; i < e->groups; i++) {
        const double mass = group_mass(e, &e->group[i]);

        least = mass > 0 ? fmin(least, mass) : least;
        most = fmax(most, mass);
    }
    low = log(least);
    width = fmax(LOG_WIDTH, (log(most) - low) / (LOG_BINS - 3));
    for (size_t i = first; i < e->groups; i++) {
        const double mass = group_mass(e, &e->group[i]);

        merge_group(&bins[mass > 0 ? 1 + (size_t)fmax(0, (log(mass) - low) / width) : 0],
                    &e->group[i]);
    }
    for (size_t i = 0; i < LOG_BINS; i++) {
        if (bins[i].vertices > 0) {
            e->group[count++] = bins[i];
        }
    }
    e->groups = count;
    free(bins);
    return RMAT_OK;
}

/* The probability of bit u of a side's vertex, or of both if u is -1, and bit v of the other end.
 */
static double bits_share(const rmat_matrix *m, int side, int u, int v)
{
    if (u < 0) {
        return bits_share(m, side, 0, v) + bits_share(m, side, 1, v);
    }
    return rmat_entry(m, side == RMAT_ROWS ? 2 * u + v : 2 * v + u);
}

/* The bit of a side's largest vertex, -1 where the side has none at this level. */
static int last_bit(const rmat_descent *d, int side, int level)
{
    return rmat_descent_has(d, level, side) ? (int)(d->last[side] >> (d->scale - 1 - level) & 1)
                                            : -1;
}

/* The part of a group whose vertices have bit u at this level; all of it if u is -1, because the
 * side has no bit there. */
static vertex_group half_group(const expectation *e, const vertex_group *from, int level, int u)
{
    const rmat_matrix *m = &e->levels[level];
    vertex_group to = {.vertices = from->vertices};

    for (int way = 0; way < 2; way++) {
        /* Draws from vertices of the group, and draws to them; of a rectangle, the side's only. */
        const int side = e->descent.scales[0] == e->descent.scales[1] ? way : e->side;
        const int last = last_bit(&e->descent, !side, level);
        const double zero = bits_share(m, side, u, 0), one = bits_share(m, side, u, 1);

        to.free[way] = from->free[way] * (zero + one) + (last == 1 ? from->tight[way] * zero : 0);
        to.tight[way] = from->tight[way] * (last < 0 ? zero + one : last ? one : zero);
        to.below[way] = from->below[way] * (zero + one) + (u == 1 ? from->loop * zero : 0);
    }
    to.loop = u >= 0 ? from->loop * bits_share(m, RMAT_ROWS, u, u) : 0;
    return to;
}

/* Splits each group by the next bit of its vertices.  The first group is that of the largest vertex
 * and remains so: where its bit is 1, the half with bit 0 becomes a group of its own, all of whose
 * vertices are smaller. */
static void split_groups(expectation *e, int level)
{
    const int last = last_bit(&e->descent, e->side, level);
    vertex_group *g = e->group;
    const vertex_group first = g[0];
    size_t count = e->groups;

    if (last < 0) {
        for (size_t i = 0; i < e->groups; i++) {
            g[i] = half_group(e, &g[i], level, -1);
        }
        return;
    }
    for (size_t i = 1; i < e->groups; i++) {
        const vertex_group from = g[i];

        g[i] = half_group(e, &from, level, 0);
        g[count++] = half_group(e, &from, level, 1);
    }
    if (last == 1) {
        g[count++] = half_group(e, &first, level, 0);
    }
    g[0] = half_group(e, &first, level, last);
    e->groups = count;
}

static int make_groups(expectation *e)
{
    e->group = malloc(2 * (MAX_GROUPS + LOG_BINS) * sizeof *e->group);
    if (e->group == NULL) {
        return RMAT_ERR_NOMEM;
    }
    e->group[0] = (vertex_group){1, {0, 0}, {1, 1}, {0, 0}, 1};
    e->groups = 1;
    for (int level = 0; level < e->descent.scale; level++) {
        if (e->groups > MAX_GROUPS && merge_groups(e, 1) != RMAT_OK) {
            return RMAT_ERR_NOMEM;
        }
        split_groups(e, level);
    }
    for (size_t i = 0; i < e->groups; i++) {
        const vertex_group *g = &e->group[i];
        const double loop = e->model->drawn->no_self_loops ? g->loop : 0;

        e->kept += g->vertices * (g->free[e->side] + g->tight[e->side] - loop);
    }
    return merge_groups(e, 0);
}

/* The degrees of a group. */

enum { RANKS = 256 };

/* Adds vertices whose degree is the number of draws that have probability p each, or the number of
 * distinct edges among these. */
static void add_chance(const expectation *e, double vertices, double p, const distinct_curve *curve)
{
    const double mean = p * e->model->draws;

    if (e->model->unique && mean > 0) {
        const curve_point d = curve_at(curve, mean);

        add_degrees(&e->to, vertices, mean * d.share, mean * d.share * d.spread);
    } else {
        add_degrees(&e->to, vertices, mean, mean * fmax(0, 1 - p));
    }
}

/* Adds vertices of a graph whose edges are turned: an edge counts at one of its ends only.  both:
 * the probability of a draw that has the vertex as either end; own: of a draw that counts here. */
static void add_turned(const expectation *e, double vertices, double both, double own)
{
    const double mean = own * e->model->draws;

    if (e->model->unique && mean > 0) {
        const curve_point d = curve_at(&e->pairs, both * e->model->draws);

        add_degrees(&e->to, vertices, mean * d.share,
                    mean * d.share * (1 - own / both * (1 - d.spread)));
    } else {
        add_degrees(&e->to, vertices, mean, mean * fmax(0, 1 - own));
    }
}

static void add_group(const expectation *e, const vertex_group *g)
{
    const rmat_config *c = e->model->drawn;
    const bool square = c->rows_scale == c->cols_scale, sources = e->kind == RMAT_OUT;
    /* Probabilities of a kept draw from the vertex, to it, and of its loop, which is in both;
     * below, above: of a draw in either direction whose other end is less than the vertex, or
     * greater. */
    const double lost = c->no_self_loops && square ? g->loop : 0, kept = e->kept;
    const double loop = square && !c->no_self_loops ? g->loop / kept : 0;
    const double from = (g->free[0] + g->tight[0] - lost) / kept;
    const double to = (g->free[1] + g->tight[1] - lost) / kept;
    const double below = (g->below[0] + g->below[1]) / kept;
    const double above = fmax(0, from + to - 2 * loop - below);

    if (e->kind == RMAT_TOTAL || c->symmetrize) {
        const double p = fmin(1, from + to);

        if (e->model->unique && !c->symmetrize && c->direction == RMAT_DIRECTED && p > 0) {
            const double f = from * e->model->draws, t = to * e->model->draws;
            const curve_point of = curve_at(&e->from_vertex, f), ot = curve_at(&e->to_vertex, t);

            add_degrees(&e->to, g->vertices, f * of.share + t * ot.share,
                        f * of.share * of.spread + t * ot.share * ot.spread);
        } else {
            add_chance(e, g->vertices, p, &e->pairs);
        }
    } else if (c->direction == RMAT_DIRECTED) {
        add_chance(e, g->vertices, sources ? from : to, sources ? &e->from_vertex : &e->to_vertex);
    } else if (c->permute) {
        for (int i = 0; i < RANKS; i++) {
            add_turned(e, g->vertices / RANKS, from + to - loop,
                       (i + 0.5) / RANKS * (below + above) + loop);
        }
    } else {
        add_turned(e, g->vertices, from + to - loop,
                   ((c->direction == RMAT_LOWER) == sources ? below : above) + loop);
    }
}

static void make_curves(expectation *e)
{
    rmat_classes classes;
    const rmat_matrix m = mean_matrix(e->levels, e->descent.scale);

    rmat_classes_make(&classes, e->descent.scale, (uint64_t)1 << e->descent.scale);
    make_curve(&e->from_vertex, &classes, m, false, e->model->draws);
    make_curve(&e->to_vertex, &classes, (rmat_matrix){m.a, m.c, m.b, m.d}, false, e->model->draws);
    make_curve(&e->pairs, &classes, m, true, e->model->draws);
}

int rmat_expect_degrees(const rmat_expect_model *model, rmat_degree_kind kind,
                        const rmat_bins *bins, double *vertices)
{
    const rmat_config *c = model->drawn;
    rmat_bins halved = *bins;
    expectation e = {.model = model,
                     .kind = kind,
                     .to = {.bins = &halved, .vertices = vertices},
                     .descent = rmat_descent_of(c),
                     .side = kind == RMAT_IN ? RMAT_COLS : RMAT_ROWS};
    int status = rmat_levels(c, e.levels);

    /* Both degrees of a vertex are equal: their sum is computed as one of them. */
    for (int i = 0; i <= bins->count && kind == RMAT_TOTAL && c->symmetrize; i++) {
        halved.first[i] = bins->first[i] / 2 + bins->first[i] % 2;
    }
    memset(vertices, 0, (size_t)bins->count * sizeof *vertices);
    if (status == RMAT_OK && model->unique) {
        make_curves(&e);
    }
    status = status == RMAT_OK ? make_groups(&e) : status;
    for (size_t i = 0; i < e.groups && status == RMAT_OK; i++) {
        add_group(&e, &e.group[i]);
    }
    free(e.group);
    return status;
}
