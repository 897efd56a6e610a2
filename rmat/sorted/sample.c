/*
 * sample.c - a sample of cells, drawn from the model or from an edge source, and estimates from it:
 * the number of distinct edges, cuts of the sorted order into equal parts, and windows of draws
 * that reach a number of distinct edges.
 */
#include "alias/core/philox.h"
#include "rmat/model/expect.h"
#include "rmat/model/generator.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    rmat_cell cell; /* an edge; with symmetrize, one of its two directions */
    double p;       /* the probability that a draw hits it */
    double rate;    /* -log(1 - p): no draw of T hits it with probability exp(-rate * T) */
    double weight;  /* how many cells it stands for in a sum over all cells */
} sampled_cell;

enum { KIND_SLOTS = 1 << 12, MOST_KINDS = KIND_SLOTS / 4 };

struct rmat_sample {
    uint64_t drawn, even; /* cells[0..drawn) were drawn from the model, the next even ones evenly */
    sampled_cell *cells;
    bool exhaustive; /* the sample is all cells of the support */
    /* The exhaustive sample of a model with the same matrix at each level has few different
     * probabilities: n_kinds cells of weights to match; 0 where there are many. */
    sampled_cell kinds[MOST_KINDS];
    uint64_t n_kinds;
    uint64_t cols, rows, support; /* support: as of rmat_support_size() */
    uint64_t most;                /* draws that there can be */
    int symmetrize, threads;
};

/*
 * rmat_sample_distinct(): the expected number of distinct cells among T draws, which is the sum of
 * q = 1 - (1 - p)^T over all cells, estimated from the sample.
 *
 * The sum of p over all cells is known to be 1, so the amount by which the sample misses it
 * corrects the estimate of q (p is a control variate).  If hardly any draw hits the cell of
 * another, q is nearly T p, and hardly any error is left.
 */
typedef struct {
    double expected; /* the number of distinct edges */
    double error;    /* its standard deviation: rmat_sample_distinct() */
    double slope;    /* how much one more draw adds to it */
} distinct_edges;

/* Sums of weighted values, their squares and products; of weighted q (1 - q) and dq / dT. */
typedef struct {
    double q, p, qq, qp, pp, noise, slope;
} sums;

enum {
    PIECES = 64,             /* of a sum, which so does not depend on the number of threads */
    WORTH_THREADS = 1 << 15, /* cells from which on threads pay */
};

static void add_sums(sums *to, const sums *s)
{
    to->q += s->q;
    to->p += s->p;
    to->qq += s->qq;
    to->qp += s->qp;
    to->pp += s->pp;
    to->noise += s->noise;
    to->slope += s->slope;
}

static sums sum_piece(const sampled_cell *cells, uint64_t n, double draws)
{
    sums s = {0};

    for (uint64_t i = 0; i < n; i++) {
        const double w = cells[i].weight, taken = -expm1(-draws * cells[i].rate);
        const double q = taken * w, p = cells[i].p * w, left = 1 - taken;

        add_sums(&s, &(sums){q, p, q * q, q * p, p * p, q * left, cells[i].rate * left * w});
    }
    return s;
}

static sums sum_of_cells(const sampled_cell *cells, uint64_t n, double draws, int threads)
{
    sums pieces[PIECES], total = {0};

#pragma omp parallel for num_threads(threads) if (n >= WORTH_THREADS)
    for (uint64_t k = 0; k < PIECES; k++) {
        const uint64_t from = n / PIECES * k, end = k + 1 < PIECES ? n / PIECES * (k + 1) : n;

        pieces[k] = sum_piece(cells + from, end - from, draws);
    }
    for (int k = 0; k < PIECES; k++) {
        add_sums(&total, &pieces[k]);
    }
    return total;
}

/* The covariance of two sums over a sample of n values: n times that of the values. */
static double covariance(double xy, double x, double y, uint64_t n)
{
    return n ? xy - x * y / (double)n : 0;
}

static distinct_edges estimate(const rmat_sample *s, double draws)
{
    const sampled_cell *even = s->n_kinds != 0 ? s->kinds : s->cells + s->drawn;
    const uint64_t n_even = s->n_kinds != 0 ? s->n_kinds : s->even;
    const sums a = sum_of_cells(s->cells, s->drawn, draws, s->threads);
    const sums b = sum_of_cells(even, n_even, draws, s->threads);
    sums all = a;
    distinct_edges d;
    double qq = 0, stream;

    add_sums(&all, &b);
    d.expected = all.q;
    if (!s->exhaustive) {
        const double pp =
            covariance(a.pp, a.p, a.p, s->drawn) + covariance(b.pp, b.p, b.p, s->even);
        const double qp =
            covariance(a.qp, a.q, a.p, s->drawn) + covariance(b.qp, b.q, b.p, s->even);

        qq = covariance(a.qq, a.q, a.q, s->drawn) + covariance(b.qq, b.q, b.q, s->even);
        if (pp > 1e-18) { /* more than rounding errors */
            d.expected -= qp / pp * (all.p - 1);
            qq -= qp / pp * qp;
        }
    }
    /* The variance of the stream is less than that of a Poisson number of draws: T is fixed. */
    d.slope = all.slope / all.p;
    stream = all.noise / all.p - draws * d.slope * d.slope;
    d.error = sqrt(fmax(qq, 0) + fmax(stream, 0)) + 1e-11 * d.expected;
    return d;
}

double rmat_sample_distinct(const rmat_sample *s, double draws, double *error)
{
    const distinct_edges d = estimate(s, draws > 0 ? draws : 0);

    if (error != NULL) {
        *error = d.error;
    }
    return d.expected;
}

/*
 * rmat_sample_cut(): parts of equal size, as quantiles of the weighted sample in the sorted order.
 */
typedef struct {
    rmat_cell cell;
    double edges; /* the expected number that it stands for */
} weighted;

static int compare_cells(const void *a, const void *b)
{
    const weighted *x = a, *y = b;

    return rmat_cell_below(&y->cell, &x->cell) - rmat_cell_below(&x->cell, &y->cell);
}

/* Lists the sample's edges in order, each cell once.  Returns how many. */
static uint64_t list_edges(const rmat_sample *s, double draws, int unique, weighted *list)
{
    uint64_t n = 0, cells = 0;

    for (uint64_t i = 0; i < s->drawn + s->even; i++) {
        const sampled_cell *x = &s->cells[i];
        const double edges = unique ? -expm1(-draws * x->rate) : draws * x->p;

        list[n++] = (weighted){x->cell, edges * x->weight};
        if (s->symmetrize && !(unique && x->cell.src == x->cell.dst)) {
            list[n++] = (weighted){{x->cell.dst, x->cell.src}, edges * x->weight};
        }
    }
    qsort(list, n, sizeof *list, compare_cells);
    for (uint64_t i = 0; i < n; i++) {
        if (cells && !compare_cells(&list[cells - 1], &list[i])) {
            list[cells - 1].edges += list[i].edges;
        } else {
            list[cells++] = list[i];
        }
    }
    return cells;
}

/* The next cell in the order. */
static rmat_cell next_cell(const rmat_sample *s, const rmat_cell *c)
{
    return c->dst + 1 < s->cols ? (rmat_cell){c->src, c->dst + 1} : (rmat_cell){c->src + 1, 0};
}

/* Sets cells[1..parts).  Each part takes an equal share of the edges that are left to it and the
 * parts after it, so a heavy cell does not leave the last ones short. */
static void cut_edges(const rmat_sample *s, const weighted *list, uint64_t n, uint64_t parts,
                      rmat_cell *cells)
{
    double left = 0, part = 0;
    uint64_t k = 1; /* the next cut to be made */

    for (uint64_t i = 0; i < n; i++) {
        left += list[i].edges;
    }
    for (uint64_t i = 0; i < n && k < parts; i++) {
        const double share = left / (double)(parts - k + 1), edges = list[i].edges;

        if (edges > share) {
            if (rmat_cell_below(&cells[k - 1], &list[i].cell)) {
                cells[k++] = list[i].cell;
                left -= part;
            }
            if (k < parts) {
                cells[k++] = next_cell(s, &list[i].cell);
                left -= edges;
            }
            part = 0;
        } else if (part + edges / 2 > share) { /* the part is nearer to its share without it */
            cells[k++] = list[i].cell;
            left -= part;
            part = edges;
        } else {
            part += edges;
        }
    }
    while (k < parts) {
        cells[k++] = (rmat_cell){s->rows, 0};
    }
}

int rmat_sample_cut(const rmat_sample *s, double draws, int unique, uint64_t n, rmat_cell *cells)
{
    weighted *list;

    if (s == NULL || !(draws > 0) || n < 1 || cells == NULL) {
        return RMAT_ERR_ARG;
    }
    cells[0] = (rmat_cell){0, 0};
    cells[n] = (rmat_cell){s->rows, 0};
    if (n == 1) {
        return RMAT_OK;
    }
    list = malloc(2 * (s->drawn + s->even) * sizeof *list);
    if (list == NULL) {
        return RMAT_ERR_NOMEM;
    }
    cut_edges(s, list, list_edges(s, draws, unique, list), n, cells);
    free(list);
    return RMAT_OK;
}

/*
 * Windows.  The first is where the sample expects the answer, as wide as eight
 * standard deviations of the estimate.  The next windows start from counts of the graph itself,
 * which are better than the sample.  Only the remaining difference is estimated.
 */

#define SIGMAS    8.0
#define LEAST     128.0 /* draws by which a window is wider on either side */
#define MAX_TRIES 8
#define FEW_DRAWS 0x1p32 /* allowed whatever the number of edges */

/* If nearly all cells of the support are taken, expectations say little about the last cells.  A
 * window then ends where this number of cells is expected to be missing. */
#define MISSING 0x1p-10

/* The largest number of draws that the search allows. */
static double most_draws(const rmat_sample *s, uint64_t edges)
{
    return fmin((double)s->most, fmax(FEW_DRAWS, RMAT_MAX_DRAWS * (double)edges));
}

/* The number of distinct edges, lowered to what can be expected; the support is known to about 10
 * digits. */
static double is_reachable(const rmat_sample *s, double distinct)
{
    const double support = (double)s->support;

    return fmin(distinct, support - fmax(MISSING, 1e-9 * support));
}

/*
 * The number of draws, above `low` and at most `high`, after which `distinct` distinct edges are
 * expected; high if more draws are needed.  Newton's method from below: the expectation is concave,
 * so the steps fall short and never go too far.  If most cells are taken, it is applied to the
 * logarithm of the number of missing cells, which is nearly linear.
 */
static double draws_for(const rmat_sample *s, double distinct, double low, double high)
{
    const double support = (double)s->support;
    double at;

    distinct = is_reachable(s, distinct);
    at = fmin(fmax(low, distinct), high);
    for (int i = 0; i < 200 && low < high; i++) {
        const distinct_edges d = estimate(s, at);
        double next;

        if (d.expected < distinct) {
            low = at;
        } else {
            high = at;
        }
        next = at + (distinct > support / 2 && d.expected < support
                         ? (support - d.expected) *
                               log((support - d.expected) / (support - distinct)) / d.slope
                         : (distinct - d.expected) / d.slope);
        if (fabs(next - at) <= fmax(0.5, 1e-9 * at)) {
            return fmin(next, high);
        }
        at = next > low && next < high ? next : next >= high ? high : low + (high - low) / 2;
    }
    return high;
}

static uint64_t round_down(double draws)
{
    return draws > LEAST ? (uint64_t)(draws - LEAST) : 0;
}

static uint64_t round_up(double draws, double most)
{
    return (uint64_t)fmin(ceil(draws + LEAST), most);
}

int rmat_window_first(const rmat_sample *s, uint64_t edges, rmat_window *w)
{
    double most, at, spread, least;

    if (s == NULL || w == NULL || edges < 1) {
        return RMAT_ERR_ARG;
    }
    *w = (rmat_window){.edges = edges, .tries = 1};
    most = most_draws(s, edges);
    if (edges > s->support || estimate(s, most).expected < is_reachable(s, (double)edges)) {
        return RMAT_ERR_DRAWS;
    }
    at = draws_for(s, (double)edges, 0, most);
    spread = SIGMAS * estimate(s, at).error;
    /* A small number of missing cells is a Poisson number, with a long tail. */
    least = fmax((double)edges - spread - SIGMAS * SIGMAS, 0);
    w->low = round_down(draws_for(s, least, 0, at));
    w->high = round_up(draws_for(s, (double)edges + spread, at, most), most);
    return RMAT_OK;
}

/* The uncertainty, in edges, of the expected number of draws for `more` more distinct edges.  It
 * doubles with each try. */
static double uncertainty(const rmat_window *w, double more)
{
    return (SIGMAS * sqrt(more) + more / 64) * (double)(1u << (w->tries - 2));
}

int rmat_window_next(const rmat_sample *s, uint64_t distinct_low, uint64_t distinct_high,
                     rmat_window *w)
{
    const double most = most_draws(s, w->edges);

    if (w->tries++ == MAX_TRIES) {
        return RMAT_ERR_DRAWS;
    }
    if (distinct_high < w->edges) {
        const double more = (double)(w->edges - distinct_high), from = (double)w->high;
        const double base = estimate(s, from).expected, far = uncertainty(w, more);

        if (from >= most) {
            return RMAT_ERR_DRAWS;
        }
        w->low = round_down(draws_for(s, base + more - far, from, most));
        w->low = w->low > w->high ? w->low : w->high;
        /* Among the last cells each try doubles the draws, which squares the fraction that is
         * missing. */
        w->high = round_up(fmax(draws_for(s, base + more + far, from, most),
                                base + more > is_reachable(s, base + more) ? 2 * from : 0),
                           most);
    } else {
        const double less = (double)(distinct_low - w->edges), to = (double)w->low;
        const double base = estimate(s, to).expected, far = uncertainty(w, less + 1);
        const uint64_t high = w->low;

        w->low = round_down(draws_for(s, fmax(base - less - far, 0), 0, to));
        w->high = round_up(draws_for(s, base - less + far, 0, to), (double)high);
    }
    return RMAT_OK;
}

/*
 * A sample of the edges of an edge source.
 *
 * Its edges lie evenly in the source in short runs, for a file is read in runs; each stands for as
 * many edges, and no two edges are taken for copies of each other.
 */
enum { SOURCE_SIZE = 1 << 17, RUN = 64 /* consecutive edges */ };

/* Where run i of n begins: with a piece, if the source has them, since what precedes an edge of a
 * piece may have to be made as well. */
static uint64_t run_start(const rmat_source *x, uint64_t i, uint64_t n, uint64_t length)
{
    const uint64_t last = x->edges - length;
    const uint64_t at = (uint64_t)((unsigned __int128)last * i / (n > 1 ? n - 1 : 1));
    const uint64_t next = x->piece_end != NULL ? x->piece_end(x->state, at) : at;

    return next <= last ? next : at;
}

static int make_source_sample(rmat_sample *s, const rmat_gen *gen, uint64_t size)
{
    const rmat_source *x = &gen->source;
    const uint64_t length = x->edges < RUN ? 1 : RUN;
    const unsigned __int128 n = x->rows, all = n * x->cols;
    const unsigned __int128 support = s->symmetrize ? n * (n + 1) / 2 : all;
    const double rare = 0x1p-100; /* the probability of each edge */
    int failed = 0;

    s->rows = x->rows;
    s->cols = x->cols;
    s->support = support < UINT64_MAX ? (uint64_t)support : UINT64_MAX;
    s->most = x->edges < s->most ? x->edges : s->most;
    s->drawn = (x->edges < size ? x->edges : size) / length * length;
    s->cells = malloc((s->drawn + 1) * sizeof *s->cells);
    if (s->cells == NULL) {
        return RMAT_ERR_NOMEM;
    }
#pragma omp parallel for num_threads(s->threads) reduction(| : failed)
    for (uint64_t i = 0; i < s->drawn; i += length) {
        uint64_t src[RUN], dst[RUN];
        const rmat_arrays to = {src, dst, NULL, 8};
        const uint64_t start = run_start(x, i / length, s->drawn / length, length);
        const int st = x->fill(x->state, start, length, &to);

        for (uint64_t k = 0; k < length && st == 0; k++) {
            rmat_cell c = {src[k], dst[k]};

            rmat_transform_ends(&gen->view, &c.src, &c.dst);
            /* All edges together make up all draws. */
            s->cells[i + k] = (sampled_cell){c, rare, rare, 1 / ((double)s->drawn * rare)};
        }
        failed |= st != 0;
    }
    return failed ? RMAT_ERR_SOURCE : RMAT_OK;
}

/*
 * A sample of cells, half of them drawn from the model and half evenly from its support.
 *
 * The sum of a function f over all cells is estimated by the sum of f(x) / (N1 p(x) + N2 u(x)) over
 * the sample, where p and u are the probabilities of x in its two halves, of N1 and N2 cells:
 * multiple importance sampling with the balance heuristic (Veach, Guibas, "Optimally combining
 * sampling techniques for Monte Carlo rendering", SIGGRAPH 1995).  If the support is small the
 * sample is all of it, and the sums are exact.
 */

#define DEFAULT_SIZE ((uint64_t)1 << 20)
#define MAX_SIZE     ((uint64_t)1 << 36)

/* The sample's draws have indices that no graph reaches, so it is independent of the graph. */
#define FIRST_DRAW (RMAT_MAX_EDGES / 2)

typedef struct {
    rmat_support support;
    rmat_u128 cells;                  /* the number of cells of drawn ends */
    double shares[RMAT_MAX_SCALE][4]; /* probabilities of a level's quadrants; a side without a bit
                                         has 0 */
    double kept;
    bool pairs; /* (u, v) and (v, u) are the same edge */
    rmat_gen *gen;
} model;

static void set_shares(model *m, const rmat_matrix *levels)
{
    const rmat_descent *d = &m->support.descent;

    for (int l = 0; l < d->scale; l++) {
        for (int k = 0; k < 4; k++) {
            const int src = rmat_descent_has(d, l, RMAT_ROWS) ? k / 2 : 0;
            const int dst = rmat_descent_has(d, l, RMAT_COLS) ? k % 2 : 0;

            m->shares[l][2 * src + dst] += rmat_entry(&levels[l], k);
        }
    }
}

/* The probability that a kept draw hits this cell. */
static double probability_of(const model *m, uint64_t src, uint64_t dst)
{
    const int scale = m->support.descent.scale;
    double p = 1 / m->kept;

    for (int l = 0; l < scale; l++) {
        const int shift = scale - 1 - l;

        p *= m->shares[l][(src >> shift & 1) << 1 | (dst >> shift & 1)];
    }
    return p;
}

/* The sampled cell that these drawn ends lead to, with its probability and weight. */
static sampled_cell weigh_cells(const rmat_sample *s, const model *m, uint64_t src, uint64_t dst)
{
    const double there = probability_of(m, src, dst);
    const double back = m->pairs && src != dst ? probability_of(m, dst, src) : 0;
    const double p = there + back < 1 - 0x1p-53 ? there + back : 1 - 0x1p-53;
    const double even = (there > 0 && back > 0 ? 2 : 1) / (double)m->cells;
    rmat_cell c = {src, dst};

    rmat_transform_ends(&m->gen->view, &c.src, &c.dst);
    return (sampled_cell){c, p, -log1p(-p), 1 / ((double)s->drawn * p + (double)s->even * even)};
}

/* The i-th of a sequence of random numbers below n: Philox blocks, cut to the bits of n - 1, the
 * first one below n. */
static rmat_u128 random_below(uint64_t seed, uint64_t i, rmat_u128 n)
{
    rmat_u128 mask = n - 1, x;

    for (int shift = 1; shift < 128; shift *= 2) {
        mask |= mask >> shift;
    }
    for (uint32_t attempt = 0;; attempt++) {
        const philox_block b = philox_at(seed, i, attempt, PHILOX_SAMPLE);

        x = ((rmat_u128)b.v[3] << 96 | (rmat_u128)b.v[2] << 64 | (rmat_u128)b.v[1] << 32 | b.v[0]) &
            mask;
        if (x < n) {
            return x;
        }
    }
}

/* Draws the cells, all of whose counts are set. */
static int fill_part(rmat_sample *s, model *m, const rmat_config *config)
{
    uint64_t *src = malloc(2 * (s->drawn + 1) * sizeof *src), *dst = src + s->drawn;
    int st = src != NULL ? rmat_generate(m->gen, FIRST_DRAW, s->drawn, src, dst) : RMAT_ERR_NOMEM;

    /* From here on the view is only used by rmat_transform_ends(). */
    m->gen->config.permute = config->permute;
    m->gen->config.direction = config->direction;
    rmat_set_transform(m->gen);
    if (!st) {
#pragma omp parallel for num_threads(s->threads) if (s->drawn >= 4 * WORTH_THREADS)
        for (uint64_t i = 0; i < s->drawn; i++) {
            s->cells[i] = weigh_cells(s, m, src[i], dst[i]);
        }
#pragma omp parallel for num_threads(s->threads) if (s->even >= 4 * WORTH_THREADS)
        for (uint64_t i = 0; i < s->even; i++) {
            const rmat_cell c = rmat_support_cell(
                &m->support, s->exhaustive ? i : random_below(config->seed, i, m->cells));

            s->cells[s->drawn + i] = weigh_cells(s, m, c.src, c.dst);
        }
    }
    free(src);
    return st;
}

/* Adds up the cells of the same probability, if these are few. */
static void find_kinds(rmat_sample *s)
{
    uint64_t keys[KIND_SLOTS] = {0};
    uint16_t places[KIND_SLOTS];

    for (uint64_t i = 0; i < s->even; i++) {
        uint64_t key, slot;

        /* Products of the same factors in another order differ in the last bits of p. */
        memcpy(&key, &s->cells[i].p, sizeof key);
        key = ((key + (1 << 7)) >> 8) + 1; /* 0: the slot is empty */
        slot = key * UINT64_C(0x9e3779b97f4a7c15) >> 52;
        while (keys[slot] != key && keys[slot] != 0) {
            slot = (slot + 1) % KIND_SLOTS;
        }
        if (keys[slot] == key) {
            s->kinds[places[slot]].weight += s->cells[i].weight;
        } else if (s->n_kinds == MOST_KINDS) {
            s->n_kinds = 0;
            return;
        } else {
            keys[slot] = key;
            places[slot] = (uint16_t)s->n_kinds;
            s->kinds[s->n_kinds++] = s->cells[i];
        }
    }
}

static int make_sample(rmat_sample *s, const rmat_config *config, uint64_t size)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config plain = rmat_as_drawn(config);
    model m = {.pairs = config->symmetrize || config->direction != RMAT_DIRECTED};
    int st;

    RMAT_TRY(rmat_levels(config, levels));
    s->support = rmat_support_size_of(config, levels);
    plain.backend = RMAT_BACKEND_CPU;
    RMAT_TRY(rmat_create(&m.gen, &plain));
    rmat_support_init(&m.support, config, levels, false);
    m.cells = rmat_support_cells(&m.support);
    m.kept = m.gen->kept;
    set_shares(&m, levels);
    s->rows = rmat_vertices(config, RMAT_ROWS);
    s->cols = rmat_vertices(config, RMAT_COLS);
    s->exhaustive = m.cells <= size;
    s->drawn = s->exhaustive ? 0 : (size + 1) / 2;
    s->even = s->exhaustive ? (uint64_t)m.cells : size - s->drawn;
    s->cells = malloc((s->drawn + s->even) * sizeof *s->cells);
    RMAT_TRY(s->cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_TRY(fill_part(s, &m, config));
    if (s->exhaustive) {
        find_kinds(s);
    }
done:
    rmat_destroy(m.gen);
    return st;
}

/* Of a model, or of a generator's source. */
static int create_sample(rmat_sample **out, const rmat_config *config, const rmat_gen *gen,
                         uint64_t size)
{
    rmat_sample *s;
    int st;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (config == NULL || size == 1 || size > MAX_SIZE) {
        return RMAT_ERR_ARG;
    }
    s = calloc(1, sizeof *s);
    if (s == NULL) {
        return RMAT_ERR_NOMEM;
    }
    s->symmetrize = config->symmetrize;
    s->most = RMAT_MAX_EDGES >> (config->symmetrize != 0);
    s->threads = config->threads ? config->threads : omp_get_max_threads();
    st = gen != NULL ? make_source_sample(s, gen, size && size < SOURCE_SIZE ? size : SOURCE_SIZE)
                     : make_sample(s, config, size ? size : DEFAULT_SIZE);
    if (st != RMAT_OK) {
        rmat_sample_destroy(s);
        s = NULL;
    }
    *out = s;
    return st;
}

int rmat_sample_create(rmat_sample **out, const rmat_config *config, uint64_t size)
{
    rmat_config c;

    if (config == NULL || rmat_is_official(config->stream)) {
        return create_sample(out, NULL, NULL, size);
    }
    c = *config;
    c.stream = RMAT_STREAM_RMAT; /* of edges by rows as well: they have the same law */
    return create_sample(out, &c, NULL, size);
}

int rmat_sample_create_from(rmat_sample **out, const rmat_gen *gen, uint64_t size)
{
    rmat_config config;

    if (gen == NULL || rmat_has_source(gen)) {
        return create_sample(out, gen != NULL ? &gen->config : NULL, gen, size);
    }
    config = gen->config;
    config.levels = gen->levels;
    config.noise = 0;
    return rmat_sample_create(out, &config, size);
}

void rmat_sample_destroy(rmat_sample *s)
{
    if (s != NULL) {
        free(s->cells);
        free(s);
    }
}
