/*
 * The stream `rows`: the lists of datasets/rows.txt, which a second implementation in another
 * language has made from ROWS.md alone; parts of a graph are slices of the whole, by any way that
 * leads to them; every outcome of tiny graphs is as probable as under the model, and levels, copies
 * and degrees of a larger one are; permutation, weights, errors.
 */
#include "rmat/rmat_csr.h"
#include "rmat/rmat_interval.h"
#include "rmat/rmat_rows.h"
#include "rmat/rows/rows.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"
#include "tests/support/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__ /* which takes ten times as long, and needs no sharp statistics */
enum { SAMPLES = 10 };
#else
enum { SAMPLES = 100 };
#endif

typedef struct {
    rmat_rows *rows;
    uint64_t n, edges; /* rows; edges */
    uint64_t *pointers, *dst;
} graph;

static graph make(const rmat_config *c, uint64_t edges)
{
    graph g = {.n = c->rows ? c->rows : (uint64_t)1 << c->rows_scale, .edges = edges};

    ck_assert_int_eq(rmat_rows_create(&g.rows, c, edges), RMAT_OK);
    g.pointers = malloc((g.n + 1) * sizeof *g.pointers);
    g.dst = malloc((edges + 1) * sizeof *g.dst);
    ck_assert(g.pointers != NULL && g.dst != NULL);
    return g;
}

static graph whole(const rmat_config *c, uint64_t edges)
{
    graph g = make(c, edges);

    ck_assert_int_eq(rmat_rows_csr(g.rows, 0, g.n, g.pointers, edges, g.dst, NULL, 8), RMAT_OK);
    ck_assert_uint_eq(g.pointers[0], 0);
    ck_assert_uint_eq(g.pointers[g.n], edges);
    return g;
}

static void drop(graph *g)
{
    rmat_rows_destroy(g->rows);
    free(g->pointers);
    free(g->dst);
}

/* --- The reference --- */

static uint64_t hash_of(const rmat_config *c, uint64_t edges)
{
    uint64_t *src = malloc((edges + 1) * sizeof *src), *dst = malloc((edges + 1) * sizeof *dst);
    uint64_t hash = 0;
    rmat_rows *rows;

    ck_assert(src != NULL && dst != NULL);
    ck_assert_int_eq(rmat_rows_create(&rows, c, edges), RMAT_OK);
    ck_assert_int_eq(rmat_rows_edges(rows, 0, edges, &(rmat_arrays){src, dst, NULL, 8}), RMAT_OK);
    for (uint64_t i = 0; i < edges; i++) {
        hash = ((hash ^ src[i]) * 0x9E3779B97F4A7C15 + dst[i]) * 0xD6E8FEB86659FD93;
    }
    rmat_rows_destroy(rows);
    free(src);
    free(dst);
    return hash;
}

START_TEST(reference)
{
    FILE *file = fopen(ROWS_FILE, "r");
    char line[512];
    int graphs = 0;

    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        rmat_config c;
        uint64_t edges, hash;
        int loops;

        if (*line == '#') {
            continue;
        }
        rmat_config_default(&c);
        ck_assert_int_eq(sscanf(line,
                                "%d %d %" SCNu64 " %" SCNu64 " %d %lf %lf %lf %lf %lf %" SCNu64
                                " %" SCNu64 " %" SCNx64,
                                &c.rows_scale, &c.cols_scale, &c.rows, &c.cols, &loops, &c.matrix.a,
                                &c.matrix.b, &c.matrix.c, &c.matrix.d, &c.noise, &c.seed, &edges,
                                &hash),
                         13);
        c.no_self_loops = !loops;
        c.threads = 1 + graphs % 2;
        must(hash_of(&c, edges) == hash, "%s", line);
        graphs++;
    }
    fclose(file);
    ck_assert_int_eq(graphs, 500);
}
END_TEST

/* --- Parts --- */

static void check_edges(const graph *g, const uint64_t *src, uint64_t first, uint64_t count)
{
    uint32_t *s = malloc((count + 1) * sizeof *s), *d = malloc((count + 1) * sizeof *d);

    ck_assert(s != NULL && d != NULL);
    ck_assert_int_eq(rmat_rows_edges(g->rows, first, count, &(rmat_arrays){s, d, NULL, 4}),
                     RMAT_OK);
    for (uint64_t i = 0; i < count; i++) {
        must(s[i] == src[first + i] && d[i] == g->dst[first + i], "edge %" PRIu64, first + i);
    }
    free(s);
    free(d);
}

static void check_rows(const graph *g, uint64_t begin, uint64_t end)
{
    uint64_t *pointers = malloc((end - begin + 1) * sizeof *pointers);
    const uint64_t edges = g->pointers[end] - g->pointers[begin];
    uint64_t *dst = malloc((edges + 1) * sizeof *dst);

    ck_assert(pointers != NULL && dst != NULL);
    if (edges > 0) {
        ck_assert_int_eq(rmat_rows_csr(g->rows, begin, end, pointers, edges - 1, dst, NULL, 8),
                         RMAT_ERR_FULL);
        ck_assert_mem_eq(pointers, g->pointers + begin, (end - begin + 1) * sizeof *pointers);
    }
    ck_assert_int_eq(rmat_rows_csr(g->rows, begin, end, pointers, edges, dst, NULL, 8), RMAT_OK);
    ck_assert_mem_eq(pointers, g->pointers + begin, (end - begin + 1) * sizeof *pointers);
    ck_assert(memcmp(dst, g->dst + g->pointers[begin], edges * sizeof *dst) == 0);
    free(pointers);
    free(dst);
}

static void check_vertices(const graph *g)
{
    uint64_t most = 0, *dst;

    for (uint64_t v = 0; v < g->n; v++) {
        const uint64_t degree = g->pointers[v + 1] - g->pointers[v];

        most = degree > most ? degree : most;
    }
    dst = malloc((most + 1) * sizeof *dst);
    ck_assert(dst != NULL);
    for (uint64_t v = 0; v < g->n; v++) {
        uint64_t degree, start;

        ck_assert_int_eq(rmat_rows_degrees(g->rows, 1, &v, &degree, &start), RMAT_OK);
        must(start == g->pointers[v] && degree == g->pointers[v + 1] - start, "row %" PRIu64, v);
        ck_assert_int_eq(rmat_rows_row(g->rows, v, dst, 8), RMAT_OK);
        must(memcmp(dst, g->dst + start, degree * sizeof *dst) == 0, "row %" PRIu64, v);
    }
    free(dst);
}

/* Number i of the graphs that are taken apart. */
static rmat_config config_of(int i)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = 10;
    c.cols_scale = i == 1 ? 13 : i == 2 ? 7 : 10;
    c.rows = i == 3 ? 1000 : 0;
    c.cols = i == 3 ? 700 : i == 4 ? 1023 : 0;
    c.rows = i == 4 ? 1023 : c.rows;
    c.no_self_loops = i >= 4 && c.rows_scale == c.cols_scale;
    c.noise = i == 5 ? 0.1 : 0;
    c.threads = 2;
    c.seed = (uint64_t)i + 7;
    return c;
}

enum { PARTED = 6, EDGES = 30000 };

START_TEST(parts)
{
    const rmat_config c = config_of(_i);
    graph g = whole(&c, EDGES);
    uint64_t *src = malloc(EDGES * sizeof *src);

    ck_assert(src != NULL);
    for (uint64_t v = 0; v < g.n; v++) {
        for (uint64_t i = g.pointers[v]; i < g.pointers[v + 1]; i++) {
            src[i] = v;
            must(i == g.pointers[v] || g.dst[i - 1] <= g.dst[i], "order of edge %" PRIu64, i);
            must(!c.no_self_loops || g.dst[i] != v, "loop at %" PRIu64, v);
            must(c.cols == 0 || g.dst[i] < c.cols, "edge %" PRIu64, i);
        }
    }
    for (uint64_t first = 0, count = 1; first < EDGES; first += count, count = count * 5 / 3 + 1) {
        check_edges(&g, src, first, count < EDGES - first ? count : EDGES - first);
    }
    check_edges(&g, src, 0, EDGES);
    for (uint64_t begin = 0, count = 0; begin <= g.n; begin += count, count = count * 3 / 2 + 1) {
        check_rows(&g, begin, begin + count < g.n ? begin + count : g.n);
    }
    check_vertices(&g);
    free(src);
    drop(&g);
}
END_TEST

/* Rows of a generator of the stream, in CSR form. */
static void check_csr(const rmat_gen *gen, const graph *g, uint64_t begin, uint64_t end,
                      bool unique)
{
    const rmat_csr_spec spec = {EDGES, unique, 8, 0};
    uint64_t at = 0;
    rmat_csr csr;

    ck_assert_int_eq(rmat_csr_rows(gen, begin, end, &spec, &csr), RMAT_OK);
    for (uint64_t v = begin; v < end; v++) {
        must(csr.pointers[v - begin] == at, "pointer of row %" PRIu64, v);
        for (uint64_t i = g->pointers[v]; i < g->pointers[v + 1]; i++) {
            if (!unique || i == g->pointers[v] || g->dst[i] != g->dst[i - 1]) {
                must(((uint64_t *)csr.indices)[at++] == g->dst[i], "edge %" PRIu64, i);
            }
        }
    }
    ck_assert_uint_eq(csr.pointers[end - begin], at);
    ck_assert_uint_eq(csr.edges, at);
    rmat_csr_free(&csr);
}

/* Any interval is the range of the list where it lies. */
static void check_intervals(const rmat_gen *gen, const graph *g, const uint64_t *src)
{
    rmat_interval *b;
    uint64_t bytes;

    ck_assert_int_eq(rmat_interval_bytes(gen, EDGES, &bytes), RMAT_OK);
    ck_assert_int_eq(rmat_interval_create(&b, gen, bytes), RMAT_OK);
    for (uint64_t k = 0; k < 20; k++) {
        const uint64_t from = EDGES / 41 * k, to = EDGES - EDGES / 50 * k;
        const rmat_cell first = {src[from], g->dst[from]}, end = {src[to - 1], g->dst[to - 1]};
        uint64_t low = from, high = to - 1, begin, count, got[2];

        while (low > 0 && src[low - 1] == first.src && g->dst[low - 1] == first.dst) {
            low--;
        }
        while (high > 0 && src[high - 1] == end.src && g->dst[high - 1] == end.dst) {
            high--;
        }
        ck_assert_int_eq(rmat_interval_begin(b, &first, &end, 0), RMAT_OK);
        ck_assert_int_eq(rmat_interval_range(b, EDGES, &begin, &count), RMAT_OK);
        ck_assert_uint_eq(begin, low);
        ck_assert_uint_eq(begin + count, high > low ? high : low);
        ck_assert_int_eq(rmat_interval_add(b, EDGES / 2, EDGES - EDGES / 2), RMAT_OK);
        ck_assert_int_eq(rmat_interval_add(b, 0, EDGES / 2), RMAT_OK);
        ck_assert_int_eq(rmat_interval_sort(b), RMAT_OK);
        ck_assert_uint_eq(rmat_interval_edges(b), count);
        for (uint64_t i = 0; i < count; i++) {
            ck_assert_int_eq(rmat_interval_read(b, i, 1, &(rmat_arrays){&got[0], &got[1], NULL, 8}),
                             RMAT_OK);
            must(got[0] == src[low + i] && got[1] == g->dst[low + i], "edge %" PRIu64, low + i);
        }
        ck_assert_int_eq(rmat_count_cells(gen, 0, EDGES, 2, (rmat_cell[]){first, end}, got),
                         RMAT_OK);
        ck_assert_uint_eq(got[0], count);
    }
    rmat_interval_destroy(b);
}

static void check_counts(const graph *g, int n)
{
    rmat_rows_counts found = {0}, expected = {0};

    for (int k = 0; k < n; k++) {
        const uint64_t first = EDGES / (uint64_t)n * (uint64_t)k;

        ck_assert_int_eq(rmat_rows_count(g->rows, first,
                                         k + 1 < n ? EDGES / (uint64_t)n : EDGES - first, &found),
                         RMAT_OK);
    }
    for (uint64_t v = 0; v < g->n; v++) {
        const uint64_t degree = g->pointers[v + 1] - g->pointers[v];

        if (degree > 0) {
            expected.rows++;
            expected.edges += degree;
            expected.largest = degree > expected.largest ? degree : expected.largest;
            if (degree < RMAT_ROWS_FEW) {
                expected.few[degree]++;
            } else {
                expected.many[(int)floor(log2((double)degree))]++;
            }
        }
    }
    ck_assert_mem_eq(&found, &expected, sizeof found);
}

/* The stream of a generator, and counts of rows. */
START_TEST(generators)
{
    rmat_config c = config_of(_i);
    graph g = whole(&c, EDGES);
    uint64_t *src = malloc(EDGES * sizeof *src);
    rmat_gen *gen;

    ck_assert(src != NULL);
    for (uint64_t v = 0; v < g.n; v++) {
        for (uint64_t i = g.pointers[v]; i < g.pointers[v + 1]; i++) {
            src[i] = v;
        }
    }
    c.stream = RMAT_STREAM_ROWS;
    c.edges = EDGES;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_stream_in_order(gen), 1);
    check_csr(gen, &g, 0, g.n, false);
    check_csr(gen, &g, g.n / 9, g.n / 2, false);
    check_csr(gen, &g, 0, g.n, true);
    check_csr(gen, &g, g.n / 9, g.n / 2, true);
    check_intervals(gen, &g, src);
    check_counts(&g, 1);
    check_counts(&g, 7);
    rmat_destroy(gen);
    c.permute = 1;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_stream_in_order(gen), 0);
    rmat_destroy(gen);
    c.first = 1;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_ERR_STREAM);
    free(src);
    drop(&g);
}
END_TEST

/* A vertex of a graph that no machine holds: its row is the slice of the list where it lies. */
START_TEST(far)
{
    enum { MOST = 100000 };
    static uint64_t src[MOST], dst[MOST], row[MOST];
    const uint64_t edges = UINT64_C(1) << 46, vertices[] = {0, 1, 4398046511103, 549755813888, 77};
    rmat_config c;
    rmat_rows *rows;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 42;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, edges), RMAT_OK);
    for (size_t i = 0; i < sizeof vertices / sizeof *vertices; i++) {
        uint64_t degree, start, count;

        ck_assert_int_eq(rmat_rows_degrees(rows, 1, &vertices[i], &degree, &start), RMAT_OK);
        count = degree < MOST ? degree : MOST;
        ck_assert_int_eq(rmat_rows_edges(rows, start, count, &(rmat_arrays){src, dst, NULL, 8}),
                         RMAT_OK);
        for (uint64_t k = 0; k < count; k++) {
            must(src[k] == vertices[i], "edge %" PRIu64 " of %" PRIu64, k, vertices[i]);
        }
        if (degree < MOST) {
            ck_assert_int_eq(rmat_rows_row(rows, vertices[i], row, 8), RMAT_OK);
            ck_assert_mem_eq(row, dst, degree * sizeof *row);
        }
    }
    rmat_rows_destroy(rows);
}
END_TEST

/* --- The law --- */

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
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = bits;
    c.rows = c.cols = vertices;
    c.no_self_loops = !loops;
    c.threads = 1;
    for (unsigned i = 0; i < edges; i++) {
        outcomes *= cells;
    }
    for (unsigned i = 0; i < cells; i++) {
        const bool wanted = loops || i / vertices != i % vertices;

        cell[i] = wanted ? cell_chance(&c.matrix, bits, i / vertices, i % vertices) : 0;
        sum += cell[i];
    }
    seen = calloc(outcomes, sizeof *seen);
    chance = calloc(outcomes, sizeof *chance);
    ck_assert(seen != NULL && chance != NULL);
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
    for (c.seed = 0; c.seed < graphs; c.seed++) {
        uint64_t pointers[9], dst[8];
        size_t outcome = 0;
        rmat_rows *rows;

        must(rmat_rows_create(&rows, &c, edges) == RMAT_OK &&
                 rmat_rows_csr(rows, 0, vertices, pointers, edges, dst, NULL, 8) == RMAT_OK,
             "seed %" PRIu64, c.seed);
        for (unsigned v = 0; v < vertices; v++) {
            for (uint64_t i = pointers[v]; i < pointers[v + 1]; i++) {
                outcome = outcome * cells + v * vertices + dst[i];
            }
        }
        must(outcome < outcomes, "seed %" PRIu64, c.seed);
        seen[outcome]++;
        rmat_rows_destroy(rows);
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
END_TEST

/* Levels, pairs of levels, and copies of a graph whose splits are large and small. */
START_TEST(levels)
{
    enum { SCALE = 14 };
    const uint64_t edges = 1000000;
    const double p[4] = {0.57, 0.19, 0.19, 0.05};
    uint64_t quadrants[SCALE][4] = {{0}}, pairs[SCALE][16] = {{0}}, distinct = 0;
    double expected = 0;
    rmat_config c;
    graph g;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = SCALE;
    c.threads = 2;
    g = whole(&c, edges);
    for (uint64_t v = 0; v < g.n; v++) {
        for (uint64_t i = g.pointers[v]; i < g.pointers[v + 1]; i++) {
            unsigned before = 0;

            distinct += i == g.pointers[v] || g.dst[i] != g.dst[i - 1];
            for (int l = 0; l < SCALE; l++) {
                const unsigned q =
                    2 * (v >> (SCALE - 1 - l) & 1) + (g.dst[i] >> (SCALE - 1 - l) & 1);

                quadrants[l][q]++;
                pairs[l][4 * before + q] += l > 0;
                before = q;
            }
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
    must(fabs((double)distinct - expected) < 6 * sqrt(expected), "%" PRIu64 " for %g", distinct,
         expected);
    drop(&g);
}
END_TEST

static double binomial_chance(double n, double p, double k)
{
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
               (n - k) * log1p(-p));
}

/* Splits of nodes below and above the sizes where they are made in another way, cell by cell. */
START_TEST(splits)
{
    enum { DRAWS = 2000 * SAMPLES, MOST = 4096 };
    static const uint64_t counts[] = {1, 2, 31, 32, 33, 64, 100, 127, 128, 129, 500, 4000};
    static const double chances[] = {0.05, 0.24, 0.5, 0.75};
    const uint64_t n = counts[_i];
    uint64_t *seen = calloc(n + 1, sizeof *seen);
    double *chance = calloc(n + 1, sizeof *chance);

    ck_assert(seen != NULL && chance != NULL && n < MOST);
    for (size_t c = 0; c < sizeof chances / sizeof *chances; c++) {
        memset(seen, 0, (n + 1) * sizeof *seen);
        for (uint64_t k = 0; k <= n; k++) {
            chance[k] = binomial_chance((double)n, chances[c], (double)k);
        }
        for (uint64_t start = 0; start < DRAWS; start++) {
            const uint64_t upper =
                rmat_rows_split(_i, start << 20, n, (uint32_t)c, rmat_rows_chance(chances[c]));

            must(upper <= n, "%" PRIu64 " of %" PRIu64, upper, n);
            seen[upper]++;
        }
        must(stats_fit(seen, chance, n + 1, DRAWS) > STATS_ALPHA, "%" PRIu64 " edges, chance %g", n,
             chances[c]);
    }
    free(seen);
    free(chance);
}
END_TEST

/* Rows with so many edges, of many graphs: a row whose number has i ones has each edge with the
 * probability (a + b)^(scale - i) (c + d)^i. */
START_TEST(degrees)
{
    enum { SCALE = 12, GRAPHS = 40, MOST = 200 };
    const double edges = 1 << 16;
    rmat_rows_counts found = {0};
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = SCALE;
    for (c.seed = 100; c.seed < 100 + GRAPHS; c.seed++) {
        rmat_rows *rows;

        ck_assert_int_eq(rmat_rows_create(&rows, &c, (uint64_t)edges), RMAT_OK);
        ck_assert_int_eq(rmat_rows_count(rows, 0, (uint64_t)edges, &found), RMAT_OK);
        rmat_rows_destroy(rows);
    }
    ck_assert_uint_eq(found.edges, GRAPHS * (uint64_t)edges);
    for (int k = 1; k < MOST; k++) {
        double expected = 0;

        for (int i = 0; i <= SCALE; i++) {
            const double p = pow(0.76, SCALE - i) * pow(0.24, i);

            expected += binomial_chance(edges, p, k) *
                        exp(lgamma(SCALE + 1) - lgamma(i + 1) - lgamma(SCALE - i + 1));
        }
        expected *= GRAPHS;
        must(fabs((double)found.few[k] - expected) < 5 * sqrt(expected) + 3,
             "%" PRIu64 " rows of %d edges for %g", found.few[k], k, expected);
    }
}
END_TEST

/* --- Options --- */

/* All rows of a permuted graph are those that are made alone, of either width, by the generator as
 * well; weights are those of their ends. */
static void check_permuted(graph *g, const rmat_config *config)
{
    const rmat_csr_spec spec = {EDGES, 0, 4, 1};
    uint64_t row[EDGES], src[EDGES];
    uint32_t narrow[EDGES];
    float weight[EDGES], expected;
    rmat_config c = *config;
    rmat_gen *gen;
    rmat_csr csr;

    c.stream = RMAT_STREAM_ROWS;
    c.edges = EDGES;
    for (c.threads = 1; c.threads <= 2; c.threads++) {
        ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
        ck_assert_int_eq(rmat_rows_csr(g->rows, 0, g->n, g->pointers, EDGES - 1, narrow, NULL, 4),
                         RMAT_ERR_FULL);
        ck_assert_int_eq(rmat_rows_csr(g->rows, 0, g->n, g->pointers, EDGES, g->dst, weight, 8),
                         RMAT_OK);
        ck_assert_int_eq(rmat_csr_rows(gen, 0, g->n, &spec, &csr), RMAT_OK);
        ck_assert_mem_eq(csr.pointers, g->pointers, (g->n + 1) * sizeof *csr.pointers);
        ck_assert_mem_eq(csr.weights, weight, EDGES * sizeof *weight);
        for (uint64_t v = 0; v < g->n; v++) {
            ck_assert_int_eq(rmat_rows_row(g->rows, v, row, 8), RMAT_OK);
            for (uint64_t i = g->pointers[v]; i < g->pointers[v + 1]; i++) {
                must(g->dst[i] == row[i - g->pointers[v]], "edge %" PRIu64, i);
                must(((const uint32_t *)csr.indices)[i] == g->dst[i], "edge %" PRIu64, i);
                src[i] = v;
            }
        }
        for (uint64_t i = 0; i < EDGES; i += 1000) {
            ck_assert_int_eq(rmat_weights_of(gen, 1, &src[i], &g->dst[i], 8, &expected), RMAT_OK);
            ck_assert(weight[i] == expected);
        }
        rmat_csr_free(&csr);
        rmat_destroy(gen);
    }
}

/* A permuted graph is the other one with other numbers, and weights are those of its ends. */
START_TEST(options)
{
    rmat_config c;
    graph g;
    rmat_rows *plain;
    uint64_t *src, *dst, *before, total = 0, row[EDGES];
    float *weight, again;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 9;
    c.rows = c.cols = 400;
    ck_assert_int_eq(rmat_rows_create(&plain, &c, EDGES), RMAT_OK);
    c.permute = 1;
    c.weights = RMAT_WEIGHTS_UNIFORM;
    g = make(&c, EDGES);
    src = malloc(EDGES * sizeof *src);
    dst = malloc(EDGES * sizeof *dst);
    before = malloc(EDGES * sizeof *before);
    weight = malloc(EDGES * sizeof *weight);
    ck_assert(src && dst && before && weight);
    ck_assert_int_eq(rmat_rows_edges(g.rows, 0, EDGES, &(rmat_arrays){src, dst, weight, 8}),
                     RMAT_OK);
    ck_assert_int_eq(rmat_rows_csr(g.rows, 0, 1, g.pointers, EDGES, g.dst, NULL, 8),
                     RMAT_ERR_STREAM);
    for (uint64_t v = 0; v < g.n; v++) {
        uint64_t degree, start, sum = 0, found = 0;

        ck_assert_int_eq(rmat_rows_degrees(g.rows, 1, &v, &degree, &start), RMAT_OK);
        ck_assert_int_eq(rmat_rows_row(g.rows, v, row, 8), RMAT_OK);
        for (uint64_t i = 0; i < degree; i++) {
            must(i == 0 || row[i - 1] <= row[i], "order of row %" PRIu64, v);
            must(src[start + i] == v, "row %" PRIu64, v);
            sum += row[i];
            found += dst[start + i];
        }
        ck_assert_uint_eq(sum, found);
        total += degree;
    }
    ck_assert_uint_eq(total, EDGES);
    check_permuted(&g, &c);
    ck_assert_int_eq(rmat_rows_edges(plain, 0, EDGES, &(rmat_arrays){before, dst, NULL, 8}),
                     RMAT_OK);
    c.permute = 0;
    drop(&g);
    g = make(&c, EDGES);
    ck_assert_int_eq(rmat_rows_csr(g.rows, 0, g.n, g.pointers, EDGES, g.dst, weight, 8), RMAT_OK);
    ck_assert_mem_eq(g.dst, dst, EDGES * sizeof *dst);
    ck_assert_int_eq(rmat_rows_edges(g.rows, 100, 1, &(rmat_arrays){src, dst, &again, 8}), RMAT_OK);
    ck_assert(again == weight[100]);
    rmat_rows_destroy(plain);
    drop(&g);
    free(src);
    free(dst);
    free(before);
    free(weight);
}
END_TEST

START_TEST(errors)
{
    uint64_t vertex = 1 << 20, one, pointers[2], dst;
    rmat_rows *rows = (rmat_rows *)1;
    rmat_config c;

    rmat_config_default(&c);
    ck_assert_int_eq(rmat_rows_create(NULL, &c, 1), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_rows_create(&rows, NULL, 1), RMAT_ERR_ARG);
    ck_assert(rows == NULL);
    ck_assert_int_eq(rmat_rows_create(&rows, &c, RMAT_MAX_EDGES + 1), RMAT_ERR_RANGE);
    c.symmetrize = 1;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1), RMAT_ERR_STREAM);
    c.symmetrize = 0;
    c.direction = RMAT_LOWER;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1), RMAT_ERR_STREAM);
    c.direction = RMAT_DIRECTED;
    c.first = 1;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1), RMAT_ERR_STREAM);
    c.first = 0;
    c.stream = RMAT_STREAM_GRAPH500;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1), RMAT_ERR_STREAM);
    c.stream = RMAT_STREAM_RMAT;
    c.rows_scale = 63;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1), RMAT_ERR_SCALE);
    c.rows_scale = 20;
    c.matrix = (rmat_matrix){0.5, 0, 0, 0.5};
    c.no_self_loops = 1; /* nothing is left */
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1), RMAT_ERR_REDRAW);
    ck_assert(rows == NULL);
    rmat_config_default(&c);
    c.cols_scale = 33;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 10), RMAT_OK);
    ck_assert_int_eq(rmat_rows_degrees(rows, 1, &vertex, &one, NULL), RMAT_ERR_VERTEX);
    ck_assert_int_eq(rmat_rows_row(rows, vertex, &dst, 8), RMAT_ERR_VERTEX);
    ck_assert_int_eq(rmat_rows_row(rows, 0, &dst, 4), RMAT_ERR_ID_WIDTH);
    ck_assert_int_eq(rmat_rows_csr(rows, 1, 0, pointers, 1, &dst, NULL, 8), RMAT_ERR_ROWS);
    ck_assert_int_eq(rmat_rows_csr(rows, 0, vertex + 1, pointers, 1, &dst, NULL, 8), RMAT_ERR_ROWS);
    ck_assert_int_eq(rmat_rows_csr(rows, 0, 1, pointers, 1, &dst, NULL, 4), RMAT_ERR_ID_WIDTH);
    ck_assert_int_eq(rmat_rows_csr(rows, 0, 1, pointers, 1, &dst, &dst, 8), RMAT_ERR_WEIGHTS);
    ck_assert_int_eq(rmat_rows_edges(rows, 10, 1, &(rmat_arrays){&dst, &dst, NULL, 8}),
                     RMAT_ERR_RANGE);
    rmat_rows_destroy(rows);
    rmat_rows_destroy(NULL);
}
END_TEST

TEST_CASES(rmat_rows, 120, ONCE(reference), LOOP(parts, 0, PARTED), LOOP(generators, 0, PARTED),
           ONCE(far), LOOP(outcomes, 0, 9), LOOP(splits, 0, 12), ONCE(degrees), ONCE(levels),
           ONCE(options), ONCE(errors))
