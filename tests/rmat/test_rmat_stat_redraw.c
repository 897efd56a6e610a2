/*
 * Edges that are drawn again follow the model under the condition that they are kept: chi-squared
 * tests of all cells of small graphs, also after permutation, direction and reversal.  Self-loops:
 * as many as expected, or none.  Fixed seeds; a chi-squared test
 * rejects one correct generator in 10^6 (STATS_ALPHA), a bound of five standard deviations one in
 * 10^6.
 */
#include "tests/support/run_suite.h"
#include "tests/support/stats_rmat.h"

#define SIGMAS      5.0
#define FIVE_SIGMAS 2.9e-7 /* one tail of the normal distribution */

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
    uint64_t base = CHUNK * chunks;
    rmat_config c = models[_i];
    double p;

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
}

/* Edges [0, n) in chunks on all threads; returns the loops. */
static uint64_t count_loops(const rmat_gen *gen, uint64_t n)
{
    enum { CHUNK = 1 << 16 };
    uint64_t loops = 0;
    int failures = 0;

#pragma omp parallel reduction(+ : loops, failures)
    {
        uint64_t *src = malloc(CHUNK * sizeof *src), *dst = malloc(CHUNK * sizeof *dst);

        failures = !src || !dst;
#pragma omp for schedule(dynamic, 16)
        for (uint64_t first = 0; first < n; first += CHUNK) {
            uint64_t count = n - first < CHUNK ? n - first : CHUNK;

            if (failures || rmat_generate(gen, first, count, src, dst)) {
                failures++;
                continue;
            }
            for (uint64_t e = 0; e < count; e++) {
                loops += src[e] == dst[e];
            }
        }
        free(src);
        free(dst);
    }
    ck_assert_int_eq(failures, 0);
    return loops;
}

/* A billion of the first with RMAT_TEST_LARGE; among 10 M of the second 30,000 are drawn more than
 * twice. */
START_TEST(no_loop_in_many_edges)
{
    static const struct {
        int scale;
        uint64_t vertices, edges;
    } graphs[] = {{20, 0, 10000000}, {6, 0, 10000000}, {31, 1500000000, 10000000}};
    const uint64_t n = stat_size(graphs[_i].edges, _i == 0 ? 100 : 3);
    rmat_config c = square_model(graphs[_i].scale);

    c.rows = c.cols = graphs[_i].vertices;
    c.no_self_loops = 1;
    c.threads = 1;
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    ck_assert_uint_eq(count_loops(gen, n), 0);
}

/* m (a + d)^L; with noise the product over the drawn matrices. */
START_TEST(expected_loops)
{
    static const struct {
        int scale;
        double noise;
    } graphs[] = {{1, 0},  {6, 0},   {10, 0},   {16, 0},    {20, 0},    {25, 0},
                  {30, 0}, {6, 0.1}, {16, 0.1}, {20, 0.05}, {20, 0.19}, {25, 0.1}};
    const uint64_t n = stat_size(UINT64_C(1) << (graphs[_i].noise == 0 ? 23 : 21), 16);
    const int scale = graphs[_i].scale;
    stat_model m;
    scoped(rmat_destroy) rmat_gen *gen =
        stat_create_noisy(&m, scale, scale, graphs[_i].noise, 30 + (uint64_t)_i);
    const uint64_t loops = count_loops(gen, n);
    double p = 1;

    for (int l = 0; l < scale; l++) {
        p *= m.level[l].a + m.level[l].d;
    }
    ck_assert(graphs[_i].noise > 0 || fabs(p / pow(0.57 + 0.05, scale) - 1) < 1e-12);
    if ((double)n * p > 1000) {
        ck_assert_msg(stats_binomial_sigmas(loops, n, p) < SIGMAS, "scale %d, noise %g: %lu loops",
                      scale, graphs[_i].noise, loops);
    } else {
        ck_assert_msg(stats_poisson_tail(loops, (double)n * p) > FIVE_SIGMAS,
                      "scale %d, noise %g: %lu loops for %.2f", scale, graphs[_i].noise, loops,
                      (double)n * p);
    }
}

TEST_CASES(rmat_stat_redraw, 200, LOOP(small_graphs, 0, MODELS), LOOP(no_loop_in_many_edges, 0, 3),
           LOOP(expected_loops, 0, 12))
