/*
 * expect.c - facts that depend on a model only: its support, the fraction of draws that are kept,
 * and the expected degrees of its vertices.  All use the automaton of expect.h.
 */
#include "rmat/model/expect.h"
#include "rmat/rmat_interval.h"
#include "rmat/try.h"

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

    RMAT_OR_RETURN(cells != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG);
    *cells = rmat_support_size_of(config, levels);
    return RMAT_OK;
}

/*
 * The fraction of draws that are kept: kept[s] is that of draws in state s of the automaton of
 * expect.h before a level, the last level first.
 */
double rmat_kept_of(const rmat_config *config, const rmat_matrix *levels)
{
    const rmat_descent m = rmat_descent_of(config);
    double kept[RMAT_STATES];

    for (int s = 0; s < RMAT_STATES; s++) {
        kept[s] = !(config->no_self_loops && (s & RMAT_EQUAL));
    }
    for (int l = m.scale - 1; l >= 0; l--) {
        double above[RMAT_STATES] = {0};

        for (int s = 0; s < RMAT_STATES; s++) {
            for (int k = 0; k < 4; k++) {
                const int to = rmat_descent_next(&m, l, s, k);

                above[s] += to >= 0 ? rmat_entry(&levels[l], k) * kept[to] : 0;
            }
        }
        memcpy(kept, above, sizeof kept);
    }
    return kept[RMAT_ROOT];
}

int rmat_expect_kept(const rmat_config *config, double *kept)
{
    rmat_matrix levels[RMAT_MAX_SCALE];

    RMAT_OR_RETURN(kept != NULL ? rmat_levels(config, levels) : RMAT_ERR_ARG);
    *kept = rmat_kept_of(config, levels);
    return RMAT_OK;
}

/*
 * The expected degrees of vertices, in two steps.
 *
 * 1. A descent level by level groups vertices with equal probabilities of being the end of a draw:
 *    each group's next bit is 0 in one half and 1 in the other.  Groups of nearly the same
 *    probability are merged.
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

#define MANY 1e4      /* from this mean degree on, distributions are normal */
enum { SPAN = 2048 }; /* degrees that a distribution below it covers, at most */

/* With a correction for continuity. */
static void add_normal(const rmat_bins *bins, double *to, double vertices, double mean,
                       double variance)
{
    const double sigma = sqrt(fmax(variance, 1e-6));
    double below = 0;

    for (int i = rmat_bin_of(bins, (uint64_t)fmax(0, mean - 9 * sigma));
         i < bins->count && below < 1; i++) {
        const double end = ((double)bins->first[i + 1] - 0.5 - mean) / sigma;
        const double next = erfc(-end * M_SQRT1_2) / 2;

        to[i] += vertices * (next - below);
        below = next;
    }
}

/* Computed relative to the probability of the lowest degree that counts. */
static void add_binomial(const rmat_bins *bins, double *to, double vertices, double trials,
                         double p)
{
    const double mean = trials * p, reach = 9 * sqrt(mean * (1 - p)) + 20,
                 low = floor(fmax(0, mean - reach));
    const int count = (int)(fmin(trials, mean + reach) - low) + 1;
    double weight[SPAN], sum = 1;
    int bin = rmat_bin_of(bins, (uint64_t)low);

    weight[0] = 1;
    for (int i = 1; i < count; i++) {
        weight[i] = weight[i - 1] * (trials - (low + i - 1)) / (low + i) * (p / (1 - p));
        sum += weight[i];
    }
    for (int i = 0; i < count; i++) {
        while (bin < bins->count && low + i >= (double)bins->first[bin + 1]) {
            bin++;
        }
        if (bin < bins->count) {
            to[bin] += vertices * (weight[i] / sum);
        }
    }
}

/* Adds vertices whose degree is the number of draws with probability p each. */
static void add_degrees(const rmat_bins *bins, double *to, double vertices, double draws, double p)
{
    const double mean = p * draws;

    if (!(mean > 0)) {
        to[0] += vertices;
    } else if (mean >= MANY || p > 1 - 1e-9) {
        add_normal(bins, to, vertices, mean, mean * fmax(0, 1 - p));
    } else {
        add_binomial(bins, to, vertices, draws, p);
    }
}

#define LOG_WIDTH 1e-3 /* logarithms of probabilities closer than this may count as equal */
enum { GROUPS = 1 << 18 };

/* Vertices with equal probabilities that a draw is an edge from one of them (RMAT_ROWS) or to it
 * (RMAT_COLS). */
typedef struct {
    double vertices, mass[2];
} vertex_group;

/* The probability that counts for the degree of a vertex. */
static double counted_mass(const rmat_config *c, rmat_side side, const double mass[2])
{
    return c->symmetrize ? mass[RMAT_ROWS] + mass[RMAT_COLS] : mass[side];
}

/* Adds the vertices of a group to the group of nearly the same mass.  The first group is that of
 * the mass 0; the last one has all masses that are too small for any graph. */
static void add_group(vertex_group *groups, double mass, const vertex_group *g)
{
    const double place = mass > 0 ? fmin(GROUPS - 1, 1 + fmax(0, -log(mass / 2)) / LOG_WIDTH) : 0;
    vertex_group *to = &groups[(size_t)place];

    to->vertices += g->vertices;
    for (int way = 0; way < 2; way++) {
        to->mass[way] += (g->mass[way] - to->mass[way]) * (g->vertices / to->vertices);
    }
}

/* The half of a group whose vertices have this bit at the level of the matrix. */
static vertex_group half_of(const vertex_group *g, const rmat_matrix *m, int bit)
{
    return (vertex_group){g->vertices,
                          {g->mass[RMAT_ROWS] * (bit ? m->c + m->d : m->a + m->b),
                           g->mass[RMAT_COLS] * (bit ? m->b + m->d : m->a + m->c)}};
}

int rmat_expect_degrees(const rmat_config *drawn, double draws, rmat_side side,
                        const rmat_bins *bins, double *vertices)
{
    const rmat_descent d = rmat_descent_of(drawn);
    vertex_group largest = {1, {1, 1}}; /* the prefix of the largest vertex */
    vertex_group half, *groups, *now, *next, *other;
    rmat_matrix levels[RMAT_MAX_SCALE];
    double kept[2] = {0, 0};

    RMAT_OR_RETURN(rmat_levels(drawn, levels));
    now = groups = calloc(2 * GROUPS, sizeof *groups);
    if (groups == NULL) {
        return RMAT_ERR_NOMEM;
    }
    next = now + GROUPS;
    for (int l = d.scale - d.scales[side]; l < d.scale; l++) {
        const int bit = (int)(d.last[side] >> (d.scale - 1 - l) & 1);

        memset(next, 0, GROUPS * sizeof *next);
        for (size_t i = 0; i < 2 * GROUPS; i++) {
            if (now[i / 2].vertices > 0) {
                half = half_of(&now[i / 2], &levels[l], i % 2);
                add_group(next, counted_mass(drawn, side, half.mass), &half);
            }
        }
        if (bit == 1) { /* the vertices with bit 0 are all smaller */
            half = half_of(&largest, &levels[l], 0);
            add_group(next, counted_mass(drawn, side, half.mass), &half);
        }
        largest = half_of(&largest, &levels[l], bit);
        other = now;
        now = next;
        next = other;
    }
    add_group(now, counted_mass(drawn, side, largest.mass), &largest);
    for (size_t i = 0; i < 2 * GROUPS; i++) {
        kept[i % 2] += now[i / 2].vertices * now[i / 2].mass[i % 2];
    }
    memset(vertices, 0, (size_t)bins->count * sizeof *vertices);
    for (size_t i = 0; i < GROUPS; i++) {
        const double p[2] = {now[i].mass[0] / kept[0], now[i].mass[1] / kept[1]};

        if (now[i].vertices > 0) {
            add_degrees(bins, vertices, now[i].vertices, draws,
                        fmin(1, counted_mass(drawn, side, p)));
        }
    }
    free(groups);
    return RMAT_OK;
}
