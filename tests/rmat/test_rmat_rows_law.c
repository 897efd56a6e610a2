/*
 * The stream `rows` follows the model: every outcome of tiny graphs has the model's probability,
 * and so have levels, pairs of levels, copies and splits of larger ones.  Fixed seeds; a
 * chi-squared test rejects one correct stream in 10^6 (STATS_ALPHA).
 */
#include "rmat/rows/rows.h"
#include "tests/support/rows_graph.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

enum { SAMPLES = SANITIZED ? 10 : 100 }; /* a sanitizer needs no sharp statistics */

/* The probability of a cell of so many bits a side. */
static double cell_chance(const rmat_matrix *m, int bits, unsigned src, unsigned dst)
{
    const double entry[4] = {m->a, m->b, m->c, m->d};
    double p = 1;

    for (int l = 0; l < bits; l++) {
        p *= entry[2 * (src >> l & 1) + (dst >> l & 1)];
    }
    return p;
}

/* Every multiset of so many edges: number them by their cells in the order of the list. */
static void check_outcomes(int bits, unsigned vertices, bool loops, unsigned edges, unsigned graphs)
{
    const unsigned cells = vertices * vertices;
    size_t outcomes = 1;
    uint64_t *seen;
    double *chance, cell[64], sum = 0;
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;
    rmat_config c = model_of((rmat_config){SQUARE(bits), .rows = vertices, .cols = vertices,
                                           .no_self_loops = !loops, .threads = 1});

    for (unsigned i = 0; i < edges; i++) {
        outcomes *= cells;
    }
    for (unsigned i = 0; i < cells; i++) {
        const bool wanted = loops || i / vertices != i % vertices;

        cell[i] = wanted ? cell_chance(&c.matrix, bits, i / vertices, i % vertices) : 0;
        sum += cell[i];
    }
    seen = must_alloc(outcomes, sizeof *seen);
    chance = must_alloc(outcomes, sizeof *chance);
    for (size_t o = 0; o < outcomes; o++) { /* a sequence of draws, to its sorted outcome */
        unsigned list[8];
        double p = 1;
        size_t sorted = 0;

        for (unsigned i = 0, rest = (unsigned)o; i < edges; i++, rest /= cells) {
            unsigned at = i;

            list[i] = rest % cells;
            p *= cell[list[i]] / sum;
            for (; at > 0 && list[at - 1] > rest % cells; at--) {
                list[at] = list[at - 1];
            }
            list[at] = rest % cells;
        }
        for (unsigned i = 0; i < edges; i++) {
            sorted = sorted * cells + list[i];
        }
        chance[sorted] += p;
    }
    ok(rmat_rows_create(&rows, &c, edges));
    for (uint64_t seed = 0; seed < graphs; seed++) {
        uint64_t pointers[9], dst[8];
        size_t outcome = 0;

        rows->view.seed = seed; /* tables, which take longest, do not depend on it */
        ok(rmat_rows_csr(rows, 0, vertices, pointers, edges, dst, NULL, 8));
        for (unsigned v = 0; v < vertices; v++) {
            for (uint64_t i = pointers[v]; i < pointers[v + 1]; i++) {
                outcome = outcome * cells + v * vertices + dst[i];
            }
        }
        must(outcome < outcomes, "seed %lu", seed);
        seen[outcome]++;
    }
    must(stats_fit(seen, chance, outcomes, graphs) > STATS_ALPHA, "%d bits, %u vertices, %u edges",
         bits, vertices, edges);
    free(seen);
    free(chance);
}

START_TEST(outcomes)
{
    static const struct {
        int bits;
        unsigned vertices, edges;
        bool loops;
    } graphs[] = {{2, 4, 2, true}, {2, 4, 3, true},  {2, 4, 3, false},
                  {2, 3, 3, true}, {3, 8, 2, true},  {2, 3, 4, false},
                  {3, 5, 2, true}, {3, 7, 2, false}, {1, 2, 4, true}};

    check_outcomes(graphs[_i].bits, graphs[_i].vertices, graphs[_i].loops, graphs[_i].edges,
                   40 * SAMPLES);
}

/* Levels, pairs of levels, and copies of a graph whose splits are large and small. */
START_TEST(levels)
{
    enum { SCALE = 14 };
    const uint64_t edges = 1000000;
    const double p[4] = {0.57, 0.19, 0.19, 0.05};
    uint64_t quadrants[SCALE][4] = {{0}}, pairs[SCALE][16] = {{0}}, distinct = 0;
    double expected = 0;
    const rmat_config c = square_model(SCALE);
    scoped(free) uint64_t *src = must_alloc(edges, 8), *dst = must_alloc(edges, 8);
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;

    ok(rmat_rows_create(&rows, &c, edges));
    ok(rmat_generate_arrays(rows->gen, 0, edges, &(rmat_arrays){src, dst, NULL, 8}));
    for (uint64_t i = 0; i < edges; i++) {
        unsigned before = 0;

        distinct += i == 0 || src[i] != src[i - 1] || dst[i] != dst[i - 1];
        for (int l = 0; l < SCALE; l++) {
            const int shift = SCALE - 1 - l;
            const unsigned q = 2 * (src[i] >> shift & 1) + (dst[i] >> shift & 1);

            quadrants[l][q]++;
            pairs[l][4 * before + q] += l > 0;
            before = q;
        }
    }
    for (int l = 0; l < SCALE; l++) {
        double both[16];

        for (int q = 0; q < 16; q++) {
            both[q] = p[q / 4] * p[q % 4];
        }
        must(stats_fit(quadrants[l], p, 4, edges) > STATS_ALPHA / SCALE, "level %d", l);
        must(l == 0 || stats_fit(pairs[l], both, 16, edges) > STATS_ALPHA / SCALE, "level %d", l);
    }
    /* Cells with the same number of each quadrant are alike. */
    for (int na = 0; na <= SCALE; na++) {
        for (int nd = 0; nd <= SCALE - na; nd++) {
            const int nbc = SCALE - na - nd;
            const double chance = pow(p[0], na) * pow(p[3], nd) * pow(p[1], nbc);
            const double cells =
                exp(lgamma(SCALE + 1) - lgamma(na + 1) - lgamma(nd + 1) - lgamma(nbc + 1)) *
                pow(2, nbc);

            expected += cells * -expm1((double)edges * log1p(-chance));
        }
    }
    must(fabs((double)distinct - expected) < 6 * sqrt(expected), "%lu for %g", distinct, expected);
}

static double binomial_chance(double n, double p, double k)
{
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* Splits of nodes below and above the sizes where they are made in another way, cell by cell. */
START_TEST(splits)
{
    enum { DRAWS = 2000 * SAMPLES };
    static const uint64_t counts[] = {1, 2, 31, 32, 33, 64, 100, 127, 128, 129, 500, 4000};
    static const double chances[] = {0.05, 0.24, 0.5, 0.75};
    const uint64_t n = counts[_i];
    scoped(free) uint64_t *seen = must_alloc(n + 1, sizeof *seen);
    scoped(free) double *chance = must_alloc(n + 1, sizeof *chance);

    for (int c = 0; c < COUNT(chances); c++) {
        memset(seen, 0, (n + 1) * sizeof *seen);
        for (uint64_t k = 0; k <= n; k++) {
            chance[k] = binomial_chance((double)n, chances[c], (double)k);
        }
        for (uint64_t start = 0; start < DRAWS; start++) {
            const uint64_t upper =
                rmat_rows_split(_i, start << 20, n, (uint32_t)c, rmat_rows_chance(chances[c]));

            must(upper <= n, "%lu of %lu", upper, n);
            seen[upper]++;
        }
        must(stats_fit(seen, chance, n + 1, DRAWS) > STATS_ALPHA, "%lu edges, chance %g", n,
             chances[c]);
    }
}

TEST_CASES(rmat_rows_law, 120, LOOP(outcomes, 0, 9), LOOP(splits, 0, 12), ONCE(levels))
