/*
 * A sample of cells, half of them drawn from the model and half evenly from its support.
 *
 * The sum of a function f over all cells is estimated by the sum of f(x) / (N1 p(x) + N2 u(x)) over
 * the sample, where p and u are the probabilities of x in its two halves, of N1 and N2 cells:
 * multiple importance sampling with the balance heuristic (Veach, Guibas, "Optimally combining
 * sampling techniques for Monte Carlo rendering", SIGGRAPH 1995).  If the support is small the
 * sample is all of it, and the sums are exact.
 */
#include "rmat/sorted/sample.h"
#include "alias/core/philox.h"
#include "rmat/model/support.h"
#include "rmat/try.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SIZE ((uint64_t)1 << 20)
#define MAX_SIZE     ((uint64_t)1 << 36)

/* Cells that are worth a team of threads, which for less would wait longer than it works. */
#define WORTH_THREADS ((uint64_t)1 << 17)

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
static double probability(const model *m, uint64_t src, uint64_t dst)
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
static rmat_sampled weigh(const rmat_sample *s, const model *m, uint64_t src, uint64_t dst)
{
    const double there = probability(m, src, dst);
    const double back = m->pairs && src != dst ? probability(m, dst, src) : 0;
    const double p = there + back < 1 - 0x1p-53 ? there + back : 1 - 0x1p-53;
    const double even = (there > 0 && back > 0 ? 2 : 1) / (double)m->cells;
    rmat_cell c = {src, dst};

    rmat_transform_ends(&m->gen->view, &c.src, &c.dst);
    return (rmat_sampled){c, p, -log1p(-p), 1 / ((double)s->drawn * p + (double)s->even * even)};
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
static int fill(rmat_sample *s, model *m, const rmat_config *config)
{
    uint64_t *src = malloc(2 * (s->drawn + 1) * sizeof *src), *dst = src + s->drawn;
    int st = src != NULL ? rmat_generate(m->gen, FIRST_DRAW, s->drawn, src, dst) : RMAT_ERR_NOMEM;

    /* From here on the view is only used by rmat_transform_ends(). */
    m->gen->config.permute = config->permute;
    m->gen->config.direction = config->direction;
    rmat_set_transform(m->gen);
    if (!st) {
#pragma omp parallel for num_threads(s->threads) if (s->drawn >= WORTH_THREADS)
        for (uint64_t i = 0; i < s->drawn; i++) {
            s->cells[i] = weigh(s, m, src[i], dst[i]);
        }
#pragma omp parallel for num_threads(s->threads) if (s->even >= WORTH_THREADS)
        for (uint64_t i = 0; i < s->even; i++) {
            const rmat_cell c = rmat_support_cell(
                &m->support, s->exhaustive ? i : random_below(config->seed, i, m->cells));

            s->cells[s->drawn + i] = weigh(s, m, c.src, c.dst);
        }
    }
    free(src);
    return st;
}

enum { KIND_SLOTS = 1 << 12, MOST_KINDS = KIND_SLOTS / 4 };

/* Products of the same factors in another order differ in the last bits of p. */
static uint64_t kind_of(const rmat_sampled *c)
{
    uint64_t bits;

    memcpy(&bits, &c->p, sizeof bits);
    return (bits + (1 << 7)) >> 8;
}

/* Adds up the cells of the same probability, if these are few. */
static int find_kinds(rmat_sample *s)
{
    uint64_t *keys = calloc(KIND_SLOTS, sizeof *keys);
    uint16_t places[KIND_SLOTS];

    s->kinds = malloc(MOST_KINDS * sizeof *s->kinds);
    if (keys == NULL || s->kinds == NULL) {
        free(keys);
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < s->even; i++) {
        const uint64_t key = kind_of(&s->cells[i]);
        uint64_t slot = key * UINT64_C(0x9e3779b97f4a7c15) >> 52;

        while (keys[slot] != key && keys[slot] != 0) {
            slot = (slot + 1) % KIND_SLOTS;
        }
        if (keys[slot] == key) {
            s->kinds[places[slot]].weight += s->cells[i].weight;
        } else if (s->n_kinds == MOST_KINDS) {
            s->n_kinds = 0;
            break;
        } else {
            keys[slot] = key;
            places[slot] = (uint16_t)s->n_kinds;
            s->kinds[s->n_kinds++] = s->cells[i];
        }
    }
    free(keys);
    return RMAT_OK;
}

static int make(rmat_sample *s, const rmat_config *config, uint64_t size)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config plain = *config;
    rmat_expectation expectation;
    model m = {.pairs = config->symmetrize || config->direction != RMAT_DIRECTED};
    int st;

    RMAT_TRY(rmat_levels(config, levels));
    RMAT_TRY(rmat_expect(config, &expectation));
    RMAT_TRY(rmat_support_size(config, &s->support));
    plain.backend = RMAT_BACKEND_CPU;
    plain.permute = plain.symmetrize = 0;
    plain.direction = RMAT_DIRECTED;
    RMAT_TRY(rmat_create(&m.gen, &plain));
    rmat_support_init(&m.support, config, levels, false);
    m.cells = rmat_support_cells(&m.support);
    m.kept = expectation.kept;
    set_shares(&m, levels);
    s->rows = rmat_vertices(config, RMAT_ROWS);
    s->cols = rmat_vertices(config, RMAT_COLS);
    s->symmetrize = config->symmetrize;
    s->most = RMAT_MAX_EDGES >> (config->symmetrize != 0);
    s->threads = config->threads ? config->threads : omp_get_max_threads();
    s->exhaustive = m.cells <= size;
    s->drawn = s->exhaustive ? 0 : (size + 1) / 2;
    s->even = s->exhaustive ? (uint64_t)m.cells : size - s->drawn;
    s->cells = malloc((s->drawn + s->even) * sizeof *s->cells);
    if (s->cells == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    RMAT_TRY(fill(s, &m, config));
    if (s->exhaustive) {
        RMAT_TRY(find_kinds(s));
    }
done:
    rmat_destroy(m.gen);
    return st;
}

static int create_official(rmat_sample **out, const rmat_config *config, uint64_t size)
{
    rmat_config c = *config;
    rmat_gen *gen = NULL;
    int st;

    c.backend = RMAT_BACKEND_CPU;
    RMAT_TRY(rmat_create(&gen, &c));
    RMAT_TRY(rmat_sample_create_from(out, gen, size));
done:
    rmat_destroy(gen);
    return st;
}

int rmat_sample_create(rmat_sample **out, const rmat_config *config, uint64_t size)
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
    if (config->stream != RMAT_STREAM_RMAT) {
        return create_official(out, config, size);
    }
    s = calloc(1, sizeof *s);
    st = s != NULL ? make(s, config, size ? size : DEFAULT_SIZE) : RMAT_ERR_NOMEM;
    if (st) {
        rmat_sample_destroy(s);
        return st;
    }
    *out = s;
    return RMAT_OK;
}

void rmat_sample_destroy(rmat_sample *s)
{
    if (s != NULL) {
        free(s->kinds);
        free(s->cells);
        free(s);
    }
}
