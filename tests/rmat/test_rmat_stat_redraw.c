/*
 * Edges that are drawn again follow the model under the condition that they are kept: chi-squared
 * tests of all cells of small graphs, also after permutation, direction and reversal; and the
 * number of redraws.  Fixed seeds; a chi-squared test rejects one correct generator in 10^6
 * (STATS_ALPHA), a bound of five standard deviations one in 10^6.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define SIGMAS 5.0

/* Redraws until n edges are kept: negative binomial. */
static double redraw_sigmas(uint64_t redraws, uint64_t n, double kept)
{
    double mean = (double)n * (1 - kept) / kept;

    return fabs((double)redraws - mean) / sqrt(mean / kept);
}

static const rmat_config models[] = {
    {SQUARE(6), .no_self_loops = 1},
    {SQUARE(6), .rows = 50, .cols = 50},
    {SQUARE(6), .rows = 50, .cols = 50, .no_self_loops = 1, .permute = 1},
    {SQUARE(6), .rows = 33, .cols = 33, .no_self_loops = 1, .permute = 1, .symmetrize = 1,
     .direction = RMAT_LOWER, .noise = 0.1},
    {SQUARE(6), .direction = RMAT_UPPER},
    {SQUARE(6), .rows = 63, .cols = 63, .no_self_loops = 1, .permute = 1, .direction = RMAT_LOWER},
    {SQUARE(6), .rows = 47, .cols = 33, .permute = 1},
    {.rows_scale = 7, .cols_scale = 4, .rows = 100, .cols = 9, .permute = 1, .noise = 0.05},
    {.rows_scale = 3, .cols_scale = 8, .rows = 7, .cols = 130},
    {SQUARE(6), .no_self_loops = 1, .permute = 1, .symmetrize = 1},
    {SQUARE(1), .no_self_loops = 1},
    {SQUARE(2), .rows = 3, .cols = 3, .no_self_loops = 1},
};
enum { MODELS = COUNT(models) };

static uint64_t image(const rmat_gen *gen, rmat_side side, uint64_t id)
{
    ok(rmat_permute(gen, side, 1, &id));
    return id;
}

/* The shares of the file's edges: those of the drawn ones, permuted, turned, and reversed. */
static void shares(const rmat_config *c, const rmat_gen *gen, const small_model *drawn,
                   double *share)
{
    const uint64_t rows = rows_of(c), cols = cols_of(c);

    memset(share, 0, sizeof drawn->share);
    for (uint64_t u = 0; u < rows; u++) {
        for (uint64_t v = 0; v < cols; v++) {
            uint64_t s = image(gen, RMAT_ROWS, u), d = image(gen, RMAT_COLS, v);
            double p = drawn->share[u << c->cols_scale | v];
            int flip =
                (c->direction == RMAT_LOWER && s < d) || (c->direction == RMAT_UPPER && s > d);

            if (flip) {
                share[d << c->cols_scale | s] += c->symmetrize ? p / 2 : p;
            } else {
                share[s << c->cols_scale | d] += c->symmetrize ? p / 2 : p;
            }
            if (c->symmetrize) {
                share[flip ? s << c->cols_scale | d : d << c->cols_scale | s] += p / 2;
            }
        }
    }
}

START_TEST(small_graphs)
{
    enum { CHUNK = 1 << 18 };
    const uint64_t chunks = stat_size(4, 4);
    static small_model drawn;
    static double share[sizeof drawn.share / sizeof drawn.share[0]];
    static uint64_t seen[COUNT(share)];
    rmat_matrix levels[RMAT_MAX_SCALE], used[RMAT_MAX_SCALE];
    scoped(free) uint64_t *src = must_alloc(CHUNK, 8), *dst = must_alloc(CHUNK, 8);
    uint64_t redraws, base = CHUNK * chunks;
    rmat_config c = models[_i];
    double p, sigmas;

    for (int l = 0; l < RMAT_MAX_SCALE; l++) {
        levels[l] = l % 2 ? (rmat_matrix){0.40, 0.17, 0.30, 0.13}
                          : (rmat_matrix){0.50 - 0.02 * l, 0.23, 0.15, 0.12 + 0.02 * l};
    }
    c.levels = levels;
    c.seed = 400 + (uint64_t)_i;
    ok(rmat_levels(&c, used));
    cells_enumerate(&c, used, &drawn);
    c.device = -1;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    shares(&c, gen, &drawn, share);
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        ok(rmat_generate(gen, chunk * CHUNK, CHUNK, src, dst));
        for (int e = 0; e < CHUNK; e++) {
            must(src[e] >> c.rows_scale == 0 && dst[e] >> c.cols_scale == 0, "no such vertex");
            seen[src[e] << c.cols_scale | dst[e]]++;
        }
    }
    if (c.symmetrize) { /* half of the edges say nothing new: count each pair once */
        base /= 2;
        for (uint64_t s = 0; s < UINT64_C(1) << c.rows_scale; s++) {
            for (uint64_t d = 0; d < s; d++) {
                uint64_t one = s << c.cols_scale | d, other = d << c.cols_scale | s;

                ck_assert_uint_eq(seen[one], seen[other]);
                seen[other] = 0;
                share[one] *= 2;
                share[other] = 0;
            }
            seen[s << c.cols_scale | s] /= 2;
        }
    }
    p = stats_fit(seen, share, (size_t)1 << (c.rows_scale + c.cols_scale), base);
    ck_assert_msg(p > STATS_ALPHA, "model %d: p = %g", _i, p);

    ok(rmat_redraws(gen, &redraws));
    if (drawn.kept > 1 - 1e-9) {
        ck_assert_uint_eq(redraws, 0);
    } else {
        sigmas = redraw_sigmas(redraws, base, drawn.kept);
        ck_assert_msg(sigmas < SIGMAS, "model %d: %lu redraws, %.1f sigmas off", _i, redraws,
                      sigmas);
    }
}

TEST_CASES(rmat_stat_redraw, 200, LOOP(small_graphs, 0, MODELS))
