/*
 * A sample of the edges of an edge source.
 *
 * If the source gives probabilities it is a sample like that of the R-MAT model (sample.c): half of
 * its cells are edges of the source, the other half are chosen evenly from all cells.  Otherwise it
 * is made of edges alone, which lie evenly in the source in short runs, for a file is read in runs;
 * each stands for as many edges, and no two edges are taken for copies of each other.
 */
#include "alias/core/philox.h"
#include "rmat/sorted/sample.h"
#include "rmat/source/source.h"
#include "rmat/try.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

enum {
    RUN = 64 /* consecutive edges */
};

#define DEFAULT_SIZE ((uint64_t)1 << 17)
#define RARE         0x1p-100 /* the probability of each edge where no probabilities are known */

/* An edge with its probability and weight: at RARE they make up all draws. */
static rmat_sampled weigh_edge(const rmat_sample *s, rmat_cell c)
{
    return (rmat_sampled){c, RARE, RARE, 1 / ((double)s->drawn * RARE)};
}

/* The same of a cell whose probability is known: the balance heuristic of sample.c. */
static rmat_sampled weigh_cell(const rmat_sample *s, const rmat_gen *gen, rmat_cell c)
{
    const rmat_source *x = &gen->source;
    const rmat_config *g = &gen->config;
    const bool pairs = g->symmetrize || g->direction != RMAT_DIRECTED, loop = c.src == c.dst;
    const double there = x->probability(x->state, c.src, c.dst);
    const double back = pairs && !loop ? x->probability(x->state, c.dst, c.src) : 0;
    const double p = fmin(there + back, 1 - 0x1p-53);
    const double even = (pairs && !loop ? 2 : 1) / ((double)x->rows * (double)x->cols);
    const double rate = loop && g->no_self_loops ? 0 : -log1p(-p);

    rmat_transform_ends(&gen->view, &c.src, &c.dst);
    return (rmat_sampled){c, p, rate, 1 / ((double)s->drawn * p + (double)s->even * even)};
}

/* Where run i of n begins: with a piece, if the source has them, since what precedes an edge of a
 * piece may have to be made as well. */
static uint64_t run_start(const rmat_source *x, uint64_t i, uint64_t n, uint64_t length)
{
    const uint64_t last = x->edges - length;
    const uint64_t at = (uint64_t)((unsigned __int128)last * i / (n > 1 ? n - 1 : 1));
    const uint64_t next = x->piece_end != NULL ? x->piece_end(x->state, at) : at;

    return next <= last ? next : at;
}

/* The edges of the source, in runs of so many. */
static int fill_drawn(rmat_sample *s, const rmat_gen *gen, uint64_t length)
{
    const rmat_source *x = &gen->source;
    const uint64_t runs = s->drawn / length;
    int failed = 0;

#pragma omp parallel for num_threads(s->threads) reduction(| : failed)
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t src[RUN], dst[RUN];
        const rmat_arrays to = {src, dst, NULL, 8};

        if (x->fill(x->state, run_start(x, i, runs, length), length, &to) != 0) {
            failed = 1;
            continue;
        }
        for (uint64_t k = 0; k < length; k++) {
            rmat_cell c = {src[k], dst[k]};

            if (x->probability != NULL) {
                s->cells[i * length + k] = weigh_cell(s, gen, c);
            } else {
                rmat_transform_ends(&gen->view, &c.src, &c.dst);
                s->cells[i * length + k] = weigh_edge(s, c);
            }
        }
    }
    return failed ? RMAT_ERR_SOURCE : RMAT_OK;
}

/* A random number below n: 64 bits of a Philox block, multiplied by n. */
static uint64_t below(uint64_t n, const philox_block *b, int i)
{
    const uint64_t bits = (uint64_t)b->v[i + 1] << 32 | b->v[i];

    return (uint64_t)((unsigned __int128)bits * n >> 64);
}

static void fill_even(rmat_sample *s, const rmat_gen *gen)
{
    const rmat_source *x = &gen->source;

    for (uint64_t i = 0; i < s->even; i++) {
        const philox_block b = philox_at(gen->config.seed, i, 0, PHILOX_SAMPLE);

        s->cells[s->drawn + i] =
            weigh_cell(s, gen, (rmat_cell){below(x->rows, &b, 0), below(x->cols, &b, 2)});
    }
}

static uint64_t support(const rmat_gen *gen)
{
    const unsigned __int128 n = gen->source.rows, all = n * gen->source.cols;
    const unsigned __int128 cells = gen->config.symmetrize ? n * (n + 1) / 2 : all;

    return cells < UINT64_MAX ? (uint64_t)cells : UINT64_MAX;
}

static int make(rmat_sample *s, const rmat_gen *gen, uint64_t size)
{
    const rmat_source *x = &gen->source;
    const bool known = x->probability != NULL;
    const uint64_t length = known || x->edges < RUN ? 1 : RUN;
    const uint64_t most = known ? size / 2 : size;
    int st;

    s->rows = x->rows;
    s->cols = x->cols;
    s->support = support(gen);
    s->symmetrize = gen->config.symmetrize;
    s->most = RMAT_MAX_EDGES >> (s->symmetrize != 0);
    s->most = x->edges < s->most ? x->edges : s->most;
    s->threads = gen->threads ? gen->threads : omp_get_max_threads();
    s->drawn = (x->edges < most ? x->edges : most) / length * length;
    s->even = known ? size - size / 2 : 0;
    s->cells = malloc((s->drawn + s->even + 1) * sizeof *s->cells);
    if (s->cells == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_TRY(fill_drawn(s, gen, length));
    fill_even(s, gen);
done:
    return st;
}

int rmat_sample_create_from(rmat_sample **out, const rmat_gen *gen, uint64_t size)
{
    rmat_sample *s;
    int st;

    if (out == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = NULL;
    if (gen == NULL || !rmat_has_source(gen) || size == 1) {
        return RMAT_ERR_ARG;
    }
    s = calloc(1, sizeof *s);
    st = s != NULL ? make(s, gen, size && size < DEFAULT_SIZE ? size : DEFAULT_SIZE)
                   : RMAT_ERR_NOMEM;
    if (st) {
        rmat_sample_destroy(s);
        return st;
    }
    *out = s;
    return RMAT_OK;
}
