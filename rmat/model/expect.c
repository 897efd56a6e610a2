/*
 * expect.c - facts that depend on a model only: its support, the expected properties of its edges,
 * and the expected degrees of its vertices.  All use the automaton of expect.h.
 */
#include "rmat/model/expect.h"
#include "rmat/rmat_interval.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * The support of a model: the cells that edges can have.  cells[l][s] counts the ways to finish a
 * descent that is in state s before level l. It is the automaton of expect.h with numbers of ways
 * in place of probabilities.  The counts also number the cells: a descent to cell i takes at each
 * level the quadrant whose range of numbers contains i.
 */

/* STREAM.md, "Accuracy": an entry below it is never chosen. */
#define LEAST_ENTRY 0x1p-62

/* The quadrants of a level that can be chosen, a bit each.  A side that has no bit at this level
 * counts as 0. */
static uint8_t allowed_at(const rmat_descent *d, const rmat_matrix *m, int level)
{
    uint8_t allowed = 0;

    for (int k = 0; k < 4; k++) {
        const int src = rmat_descent_has(d, level, RMAT_ROWS) ? k / 2 : 0;
        const int dst = rmat_descent_has(d, level, RMAT_COLS) ? k % 2 : 0;

        if (rmat_entry(m, k) >= LEAST_ENTRY) {
            allowed |= (uint8_t)(1 << (2 * src + dst));
        }
    }
    return allowed;
}

void rmat_support_init(rmat_support *p, const rmat_config *config, const rmat_matrix *levels,
                       bool both)
{
    const rmat_descent d = rmat_descent_of(config);

    *p = (rmat_support){.descent = d};
    for (int s = 0; s < RMAT_STATES; s++) {
        p->cells[d.scale][s] = !(config->no_self_loops && (s & RMAT_EQUAL));
    }
    for (int l = d.scale - 1; l >= 0; l--) {
        p->allowed[l] = allowed_at(&d, &levels[l], l);
        if (both && (p->allowed[l] & 6) != 6) { /* not both b and c: neither */
            p->allowed[l] &= 9;
        }
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = p->allowed[l] >> k & 1 ? rmat_descent_next(&d, l, s, k) : -1;

                p->cells[l][s] += to >= 0 ? p->cells[l + 1][to] : 0;
            }
        }
    }
}

rmat_cell rmat_support_cell(const rmat_support *p, rmat_u128 i)
{
    rmat_cell c = {0, 0};
    int state = RMAT_ROOT;

    for (int l = 0; l < p->descent.scale; l++) {
        for (int k = 0; k < 4; k++) {
            const int to =
                p->allowed[l] >> k & 1 ? rmat_descent_next(&p->descent, l, state, k) : -1;
            const rmat_u128 cells = to >= 0 ? p->cells[l + 1][to] : 0;

            if (i < cells) {
                c = (rmat_cell){c.src << 1 | (uint64_t)(k / 2), c.dst << 1 | (uint64_t)(k % 2)};
                state = to;
                break;
            }
            i -= cells;
        }
    }
    return c;
}

uint64_t rmat_support_size_of(const rmat_config *config, const rmat_matrix *levels)
{
    rmat_support p;
    rmat_u128 n;

    rmat_support_init(&p, config, levels, false);
    n = rmat_support_cells(&p);
    if (config->symmetrize || config->direction != RMAT_DIRECTED) {
        /* Cells and their reverses together are 2 n - b, where b counts the cells whose reverse is
         * a cell as well.  Two such cells make one pair; a loop alone makes one pair. */
        rmat_config no_loops = *config;
        rmat_support other;

        no_loops.no_self_loops = 1;
        rmat_support_init(&other, &no_loops, levels, false);
        n += n - rmat_support_cells(&other); /* n, and the loops */
        rmat_support_init(&other, config, levels, true);
        n = (n + rmat_support_cells(&p) - rmat_support_cells(&other)) / 2;
    }
    return n < UINT64_MAX ? (uint64_t)n : UINT64_MAX;
}

int rmat_support_size(const rmat_config *config, uint64_t *cells)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    int st = config != NULL && cells != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG;

    if (!st) {
        *cells = rmat_support_size_of(config, levels);
    }
    return st;
}

/*
 * Expected properties of a model's edges, by the forward-backward algorithm on the automaton of
 * expect.h. reached[l][s] is the probability that a draw is in state s before level l. kept[l][s]
 * is the probability that such a draw is kept.  Their product, divided by the probability of being
 * kept, gives the fraction of each quadrant of each level among the kept edges.
 */
static void find_kept(const rmat_descent *m, const rmat_matrix *levels, int no_loops,
                      double kept[RMAT_MAX_SCALE + 1][RMAT_STATES])
{
    memset(kept, 0, (RMAT_MAX_SCALE + 1) * sizeof *kept);
    for (int s = 0; s < RMAT_STATES; s++) {
        kept[m->scale][s] = !(no_loops && (s & RMAT_EQUAL));
    }
    for (int l = m->scale - 1; l >= 0; l--) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(m, l, s, k);

                if (to >= 0) {
                    kept[l][s] += rmat_entry(&levels[l], k) * kept[l + 1][to];
                }
            }
        }
    }
}

rmat_expectation rmat_expectation_of(const rmat_config *config, const rmat_matrix *levels)
{
    const rmat_descent m = rmat_descent_of(config);
    rmat_expectation e = {0};
    double reached[RMAT_MAX_SCALE + 1][RMAT_STATES] = {{0}};
    double kept[RMAT_MAX_SCALE + 1][RMAT_STATES];

    find_kept(&m, levels, config->no_self_loops, kept);
    reached[0][RMAT_ROOT] = 1;
    for (int i = 0; i < m.scale; i++) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, i, s, k);

                if (to >= 0) {
                    reached[i + 1][to] += reached[i][s] * rmat_entry(&levels[i], k);
                }
            }
        }
    }

    e.kept = kept[0][RMAT_ROOT];
    for (int s = 0; s < RMAT_STATES && m.last[0] == m.last[1] && !config->no_self_loops; s++) {
        e.loops += s & RMAT_EQUAL ? reached[m.scale][s] / e.kept : 0;
    }
    for (int l = 0; l < m.scale; l++) {
        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, l, s, k);

                if (to >= 0) {
                    e.quadrants[l][k] +=
                        reached[l][s] * rmat_entry(&levels[l], k) * kept[l + 1][to] / e.kept;
                }
            }
        }
    }
    return e;
}

int rmat_expect(const rmat_config *config, rmat_expectation *expectation)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    int st = expectation != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG;

    if (!st) {
        *expectation = rmat_expectation_of(config, levels);
    }
    return st;
}

/*
 * The expected degrees of vertices, in two steps.
 *
 * 1. A descent level by level groups vertices with equal probabilities of being the end of a draw:
 *    each group's next bit is 0 in one half and 1 in the other.  While groups are few, a group is
 *    one prefix of vertex numbers, and the result is exact.  Beyond 2^20 groups, those of nearly
 *    the same probability are merged.
 * 2. The binomial distribution of each group's degrees is added to the bins.
 */

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

/* Computed from the most probable degree up and down. */
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

/* Adds vertices whose degree is the number of draws with probability p each. */
static void add_degrees(const expected_vertices *x, double vertices, double draws, double p)
{
    const double mean = p * draws;

    if (!(mean > 0)) {
        x->vertices[0] += vertices;
    } else if (mean >= MANY || p > 1 - 1e-9) {
        add_normal(x, vertices, mean, mean * fmax(0, 1 - p));
    } else {
        add_binomial(x, vertices, draws, p);
    }
}

/* Groups of vertices. */

#define MAX_GROUPS ((size_t)1 << 20)
#define LOG_WIDTH  1e-3 /* logarithms of probabilities closer than this count as equal */
enum { LOG_BINS = 1 << 18 };

/* Vertices with equal probabilities that a draw is an edge from one of them ([0]) or to one of them
 * ([1]).  The draw is not permuted, and its ends are below rows and cols.  In a square graph
 * sources and destinations are the same vertices.  In another graph [0] and [1] both belong to the
 * side. */
typedef struct {
    double vertices;
    double free[2], tight[2]; /* other end less than the largest vertex; equal to it */
    double loop;
} vertex_group;

typedef struct {
    const rmat_config *drawn;
    rmat_descent descent;
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_side side;
    vertex_group *group;
    size_t groups;
    double kept; /* the share of all draws that are kept: without loops if no_self_loops is set */
} expectation;

/* The probability that a draw is kept and is an edge from a vertex of the group (way 0), or to it
 * (1).
 */
static double kept_mass(const expectation *e, const vertex_group *g, int way)
{
    return g->free[way] + g->tight[way] - (e->drawn->no_self_loops ? g->loop : 0);
}

/* The probability that counts for the vertex's degree; vertices are grouped by it. */
static double group_mass(const expectation *e, const vertex_group *g)
{
    return e->drawn->symmetrize ? kept_mass(e, g, 0) + kept_mass(e, g, 1)
                                : kept_mass(e, g, (int)e->side);
}

/* Makes *to the mean of both groups, weighted by their vertices. */
static void merge_group(vertex_group *to, const vertex_group *g)
{
    const double all = to->vertices + g->vertices, share = g->vertices / all;

    for (int way = 0; way < 2; way++) {
        to->free[way] += (g->free[way] - to->free[way]) * share;
        to->tight[way] += (g->tight[way] - to->tight[way]) * share;
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

/* The bit of a side's largest vertex; -1 if the side has none at this level. */
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
        /* Draws from and to vertices of the group; for a rectangle, only those of the side. */
        const int side = e->descent.scales[0] == e->descent.scales[1] ? way : (int)e->side;
        const int last = last_bit(&e->descent, !side, level);
        const double zero = bits_share(m, side, u, 0), one = bits_share(m, side, u, 1);

        to.free[way] = from->free[way] * (zero + one) + (last == 1 ? from->tight[way] * zero : 0);
        to.tight[way] = from->tight[way] * (last < 0 ? zero + one : last ? one : zero);
    }
    to.loop = u >= 0 ? from->loop * bits_share(m, RMAT_ROWS, u, u) : 0;
    return to;
}

/* Splits each group by the next bit of its vertices.  The first group remains that of the largest
 * vertex.  If its bit is 1, the half with bit 0, whose vertices are all smaller, becomes another
 * group. */
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
    e->group[0] = (vertex_group){1, {0, 0}, {1, 1}, 1};
    e->groups = 1;
    for (int level = 0; level < e->descent.scale; level++) {
        if (e->groups > MAX_GROUPS && merge_groups(e, 1) != RMAT_OK) {
            return RMAT_ERR_NOMEM;
        }
        split_groups(e, level);
    }
    for (size_t i = 0; i < e->groups; i++) {
        e->kept += e->group[i].vertices * kept_mass(e, &e->group[i], (int)e->side);
    }
    return merge_groups(e, 0);
}

int rmat_expect_degrees(const rmat_config *drawn, double draws, rmat_side side,
                        const rmat_bins *bins, double *vertices)
{
    const expected_vertices to = {.bins = bins, .vertices = vertices};
    expectation e = {.drawn = drawn, .descent = rmat_descent_of(drawn), .side = side};
    int status = rmat_levels(drawn, e.levels);

    memset(vertices, 0, (size_t)bins->count * sizeof *vertices);
    status = status == RMAT_OK ? make_groups(&e) : status;
    for (size_t i = 0; i < e.groups && status == RMAT_OK; i++) {
        const double p = group_mass(&e, &e.group[i]) / e.kept;

        add_degrees(&to, e.group[i].vertices, draws, fmax(0, fmin(1, p)));
    }
    free(e.group);
    return status;
}
