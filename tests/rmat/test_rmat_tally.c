/* Tallies against edges that are made and counted one by one, for every kind of model, and against
 * what the model predicts. */
#include "rmat/rmat_tally.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef BACKEND
#define BACKEND     RMAT_BACKEND_CPU
#define GPU_SUITE   run_suite
#define small_run() 0
#endif

typedef struct {
    uint64_t *src, *dst;
} edges;

static rmat_gen *create(const rmat_config *config, rmat_backend backend)
{
    rmat_config c = *config;
    rmat_gen *gen;
    int status;

    c.backend = backend;
    c.threads = 3;
    status = rmat_create(&gen, &c);
    must(status == RMAT_OK, "%s", rmat_strerror(status));
    return gen;
}

static edges make(const rmat_config *config, uint64_t first, uint64_t count)
{
    rmat_gen *gen = create(config, RMAT_BACKEND_CPU);
    edges e = {malloc((count + 1) * 8), malloc((count + 1) * 8)};

    must(e.src != NULL && e.dst != NULL, "memory");
    must(rmat_generate(gen, first, count, e.src, e.dst) == RMAT_OK, "edges");
    rmat_destroy(gen);
    return e;
}

static void release(edges e)
{
    free(e.src);
    free(e.dst);
}

/* As rmat_tally.h defines it. */
static rmat_tally count_all(const edges *e, uint64_t count, const rmat_tally_request *request)
{
    rmat_tally t = {0};

    for (uint64_t i = 0; i < count; i++) {
        for (int k = 0; k < 64 && (request->levels || request->neighbours); k++) {
            const uint64_t u = e->src[i] >> k, v = e->dst[i] >> k;
            const int has = (int)((u & 1) | (v & 1) << 1 | (u >> 1 & 1) << 2 | (v >> 1 & 1) << 3);

            for (int m = 1; m < (request->neighbours ? 16 : 4); m++) {
                t.bits[m][k] += m % 4 != 0 && (has & m) == m;
            }
        }
        for (int j = 0; j < request->vertices && request->graph; j++) {
            t.out[j] += e->src[i] == request->vertex[j];
            t.in[j] += e->dst[i] == request->vertex[j];
        }
        t.loops += request->graph && e->src[i] == e->dst[i];
    }
    t.edges = request->levels || request->neighbours ? count : 0;
    t.graph_edges = request->graph ? count : 0;
    t.fingerprint = request->graph ? rmat_fingerprint(e->src, e->dst, count, 8) : 0;
    return t;
}

static const struct {
    const char *name;
    rmat_config config;
} models[] = {
    {"scale 1", {.rows_scale = 1, .cols_scale = 1}},
    {"scale 5", {.rows_scale = 5, .cols_scale = 5}},
    {"scale 20", {.rows_scale = 20, .cols_scale = 20, .permute = 1}},
    {"scale 32", {.rows_scale = 32, .cols_scale = 32, .symmetrize = 1}},
    {"scale 33", {.rows_scale = 33, .cols_scale = 33, .direction = RMAT_LOWER}},
    {"scale 62", {.rows_scale = 62, .cols_scale = 62, .permute = 1, .symmetrize = 1}},
    {"wide", {.rows_scale = 30, .cols_scale = 41, .first = 12345}},
    {"redraws", {.rows_scale = 7, .cols_scale = 7, .rows = 65, .cols = 65, .no_self_loops = 1}},
    {"graph500", {.stream = RMAT_STREAM_GRAPH500, .rows_scale = 34, .cols_scale = 34, .seed = 2}},
    {"gapbs", {.stream = RMAT_STREAM_GAPBS, .rows_scale = 12, .cols_scale = 12, .symmetrize = 1}},
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_config config_of(int model)
{
    rmat_config c = models[model].config;

    c.matrix = (rmat_matrix){0.57, 0.19, 0.19, 0.05};
    c.seed += 5;
    c.seed2 = 3;
    c.device = -1;
    return c;
}

static const rmat_tally_request requests[] = {
    {.levels = 1},
    {.neighbours = 1},
    {.graph = 1},
    {.levels = 1, .neighbours = 1, .graph = 1, .vertices = 3, .vertex = {0, 3, 17}},
    {.graph = 1, .vertices = 16, .vertex = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}},
    {.vertices = 1},
};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

static void check_tally(const rmat_tally *a, const rmat_tally *b, const char *name, uint64_t count)
{
    const uint64_t *x = (const uint64_t *)a, *y = (const uint64_t *)b;

    for (size_t i = 0; i < sizeof *a / 8; i++) {
        ck_assert_msg(x[i] == y[i], "%s, %llu edges: word %zu is %llu, not %llu", name,
                      (unsigned long long)count, i, (unsigned long long)x[i],
                      (unsigned long long)y[i]);
    }
}

START_TEST(stream)
{
    const uint64_t most = small_run() ? 2000 : 40000;
    const uint64_t counts[] = {0, 1, 2, 15, 16, 17, 31, 33, 511, most - 1, most};
    const rmat_config c = config_of(_i);
    const uint64_t first = 3;
    edges e = make(&c, first, most);
    rmat_gen *gen = create(&c, BACKEND);

    for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
        for (int r = 0; r < REQUESTS; r++) {
            rmat_tally expected = count_all(&e, counts[n], &requests[r]), got = {.loops = 7};

            expected.loops += 7;
            ck_assert_int_eq(rmat_tally_stream(gen, first, counts[n], &requests[r], &got), RMAT_OK);
            check_tally(&got, &expected, models[_i].name, counts[n]);
        }
    }
    rmat_destroy(gen);
    release(e);
}
END_TEST

/* Parts add up to the whole, which fills the counters' higher digits. */
START_TEST(parts)
{
    const uint64_t all = small_run() ? 5000 : 3000000, cut = all / 3;
    const rmat_tally_request *r = &requests[3];
    const rmat_config c = config_of(2);
    rmat_gen *gen = create(&c, BACKEND);
    rmat_tally whole = {0}, low = {0}, high = {0};

    ck_assert_int_eq(rmat_tally_stream(gen, 0, all, r, &whole), RMAT_OK);
    ck_assert_int_eq(rmat_tally_stream(gen, 0, cut, r, &low), RMAT_OK);
    ck_assert_int_eq(rmat_tally_stream(gen, cut, all - cut, r, &high), RMAT_OK);
    rmat_tally_add(&low, &high);
    check_tally(&whole, &low, "parts", all);
    rmat_destroy(gen);
}
END_TEST

/* Each pair of quadrants of neighbouring levels, counted one by one. */
START_TEST(levels_and_neighbours)
{
    enum { EDGES = 20000 };
    const rmat_config c = config_of(6);
    edges e = make(&c, 0, EDGES);
    rmat_gen *gen = create(&c, BACKEND);
    rmat_tally t = {0};

    ck_assert_int_eq(rmat_tally_stream(gen, 0, EDGES, &requests[1], &t), RMAT_OK);
    for (int k = 0; k < 63; k++) {
        uint64_t quadrants[4], pairs[16], expected[4] = {0}, both[16] = {0};

        for (int i = 0; i < EDGES; i++) {
            const uint64_t u = e.src[i] >> k, v = e.dst[i] >> k;

            expected[(u & 1) << 1 | (v & 1)]++;
            both[(u & 2) << 2 | (v & 2) << 1 | (u & 1) << 1 | (v & 1)]++;
        }
        rmat_tally_quadrants(&t, k, quadrants, pairs);
        ck_assert(memcmp(quadrants, expected, sizeof expected) == 0);
        ck_assert(memcmp(pairs, both, sizeof both) == 0);
    }
    rmat_destroy(gen);
    release(e);
}
END_TEST

/* Arrays of both widths, piece by piece, of odd lengths and anywhere in memory. */
START_TEST(arrays)
{
    enum { EDGES = 5000 };
    const rmat_config c = config_of(1);
    edges e = make(&c, 0, EDGES);
    static uint32_t src[EDGES + 1], dst[EDGES + 1];
    rmat_tally expected, wide = {0}, narrow = {0};
    rmat_counter *w = rmat_counter_create(1), *n = rmat_counter_create(1);

    for (uint64_t i = 0; i < EDGES; i++) {
        e.src[i] |= i % 7 == 0 ? UINT64_C(1) << 31 : 0; /* beside the next id */
        e.dst[i] |= i % 5 == 0 ? UINT64_C(1) << 31 : 0;
        src[i + 1] = (uint32_t)e.src[i];
        dst[i + 1] = (uint32_t)e.dst[i];
    }
    for (uint64_t at = 0, size = 1; at < EDGES; at += size, size = size * 3 % 61 + 1) {
        size = size < EDGES - at ? size : EDGES - at;
        rmat_counter_add(w, size, e.src + at, e.dst + at, 8);
        rmat_counter_add(n, size, src + 1 + at, dst + 1 + at, 4);
    }
    rmat_counter_total(w, &wide);
    rmat_counter_total(n, &narrow);
    expected = count_all(&e, EDGES, &requests[1]);
    check_tally(&wide, &expected, "wide", EDGES);
    check_tally(&narrow, &expected, "narrow", EDGES);
    rmat_counter_destroy(w);
    rmat_counter_destroy(n);
    rmat_counter_destroy(NULL);
    release(e);
}
END_TEST

START_TEST(errors)
{
    const rmat_config c = config_of(1);
    rmat_gen *gen = create(&c, BACKEND);
    rmat_tally_request r = {.levels = 1, .vertices = 17};
    rmat_tally t = {0};

    ck_assert_int_eq(rmat_tally_stream(gen, 0, 1, &r, &t), RMAT_ERR_ARG);
    r.vertices = -1;
    ck_assert_int_eq(rmat_tally_stream(gen, 0, 1, &r, &t), RMAT_ERR_ARG);
    r.vertices = 0;
    ck_assert_int_eq(rmat_tally_stream(NULL, 0, 1, &r, &t), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_tally_stream(gen, 0, 1, NULL, &t), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_tally_stream(gen, 0, 1, &r, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_tally_stream(gen, 0, RMAT_MAX_EDGES + 1, &r, &t), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_tally_stream(gen, RMAT_MAX_EDGES, 1, &r, &t), RMAT_ERR_RANGE);
    ck_assert_int_eq(rmat_tally_stream(gen, RMAT_MAX_EDGES - 5, 5, &r, &t), RMAT_OK);
    rmat_destroy(gen);
}
END_TEST

TEST_MAIN(rmat_tally)
{
    Suite *suite = suite_create("rmat_tally");
    TCase *tests = tcase_create("rmat_tally");

    tcase_set_timeout(tests, 100);
    tcase_add_loop_test(tests, stream, 0, MODELS);
    tcase_add_test(tests, parts);
    tcase_add_test(tests, levels_and_neighbours);
    tcase_add_test(tests, arrays);
    tcase_add_test(tests, errors);
    suite_add_tcase(suite, tests);
    return GPU_SUITE(suite);
}
