/*
 * The GPU makes the CPU's edges for every model: any two values of options together
 * (option_pairs.h), in every width and layout, with weights and without, aligned and not, from even
 * edges and odd ones; with lists of edges set aside that overflow or hold all edges; with nearly
 * all draws thrown away; with as many redraws as on the CPU; into host memory as well.
 */
#include "rmat/model/generator.h"
#include "tests/support/option_pairs.h"
#include "tests/support/rmat_gpu_util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static option_case cases[OPTION_PAIRS_MAX];
static int n_cases;

static uint64_t redraws_of(const rmat_gen *gen)
{
    uint64_t redraws = 0;

    must(rmat_redraws(gen, &redraws) == RMAT_OK, "redraws: %s", rmat_gpu_error());
    return redraws;
}

/* All edges of the range in all ways, and each time the same redraws as on the CPU. */
static void check_range(const bench *b, uint64_t first, uint64_t count)
{
    static const int places[][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {0, 1, 0}, {0, 0, 1}};
    const uint64_t before = redraws_of(b->cpu);
    uint64_t expected;

    bench_expect(b, first, count);
    expected = redraws_of(b->cpu) - before;
    for (int bytes = narrow(b->graph) ? 4 : 8; bytes <= 8; bytes += 4) {
        for (int way = 0; way < 12; way++) {
            const int *at = places[way % 5], pairs = way >= 10;
            const placing p = {
                first, count, bytes, pairs, pairs ? way % 2 : at[0], at[1], way >= 5 && way < 10,
                at[2]};
            const uint64_t so_far = redraws_of(b->gpu);

            if (p.weights && b->cpu->config.weights == RMAT_NO_WEIGHTS) {
                continue;
            }
            check_same(b, &p);
            must(redraws_of(b->gpu) - so_far == expected,
                 "%s, edges from %#" PRIx64 ": %" PRIu64 " redraws, not %" PRIu64, b->graph->name,
                 first, redraws_of(b->gpu) - so_far, expected);
        }
    }
}

static void check_model(const rmat_config *c, const char *name)
{
    const graph g = {.name = name, .rows_scale = c->rows_scale, .cols_scale = c->cols_scale};
    const uint64_t most = small_run() == 2 ? 517 : small_run() ? 3001 : 40013;
    const uint64_t ranges[][2] = {{0, most},
                                  {(UINT64_C(1) << 32) - 401, 2003},
                                  {(UINT64_C(1) << 33) - 500, 1501}, /* base edge 2^32 */
                                  {(UINT64_C(1) << 45) + 77, 130},
                                  {77, 1},
                                  {78, 1},
                                  {RMAT_MAX_EDGES - 2257, 2257}};
    bench b = bench_create_model(&g, c, most);

    for (int r = 0; r < (small_run() == 2 ? 1 : small_run() ? 3 : 7); r++) {
        check_range(&b, ranges[r][0], ranges[r][1]);
    }
    bench_destroy(b);
}

START_TEST(pairs)
{
    for (int i = 0; i < n_cases; i += small_run() == 2 ? 30 : small_run() ? 5 : 1) {
        check_model(&cases[i].config, cases[i].name);
    }
}
END_TEST

/* The same for lists with room for one to all edges, and all, some or none of them set aside. */
START_TEST(forced_lists)
{
    static const uint32_t rooms[] = {1, 100, 1000000};
    static const uint32_t limits[] = {UINT32_MAX, 1u << 30, 0};
    const uint64_t count = small_run() ? 3001 : 20011;

    for (int i = 0; i < n_cases; i += small_run() ? 16 : 4) {
        const rmat_config *c = &cases[i].config;
        const graph g = {
            .name = cases[i].name, .rows_scale = c->rows_scale, .cols_scale = c->cols_scale};
        bench b = bench_create_model(&g, c, count);

        for (int r = 0; r < 3; r++) {
            for (int l = 0; l < 3; l++) {
                rmat_gpu_set_ties(b.gpu, rooms[r], limits[l]);
                check_range(&b, 12345, count);
            }
        }
        bench_destroy(b);
    }
}
END_TEST

static const struct {
    rmat_matrix matrix;
    int scale;
    uint64_t vertices;
    int no_self_loops;
} rare[] = {
    {{0.98, 0.004, 0.004, 0.012}, 1, 0, 1},
    {{0.57, 0.19, 0.19, 0.05}, 2, 3, 1},
    {{0.02, 0.1, 0.1, 0.78}, 3, 5, 1},
    {{0.01, 0.02, 0.03, 0.94}, 20, (1 << 19) + 1, 0},
    {{0.02, 0.02, 0.03, 0.93}, 27, (1 << 26) + 9, 1},
    {{0.02, 0.02, 0.03, 0.93}, 36, (UINT64_C(1) << 35) + 12345, 1},
    {{0.005, 0.005, 0.005, 0.985}, 62, (UINT64_C(1) << 61) + 1, 0},
    {{0.57, 0.19, 0.19, 0.05}, 1, 1, 0},
};
enum { RARE = sizeof rare / sizeof rare[0] };

static rmat_config rare_model(int i)
{
    rmat_config c;

    rmat_config_default(&c);
    c.matrix = rare[i].matrix;
    c.rows_scale = c.cols_scale = rare[i].scale;
    c.rows = c.cols = rare[i].vertices;
    c.no_self_loops = rare[i].no_self_loops;
    c.permute = 1;
    c.symmetrize = i % 2;
    c.weights = RMAT_WEIGHTS_UNIFORM;
    return c;
}

START_TEST(nearly_all_thrown_away)
{
    const rmat_config c = rare_model(_i);

    check_model(&c, "rare");
}
END_TEST

/* Many redraws, in full blocks, and in two pieces: none crosses a multiple of 2^32 edges. */
START_TEST(many_redraws)
{
    const rmat_config c = rare_model(3 + _i);
    const uint64_t count = small_run() ? 100003 : 20000003;
    const graph g = {.name = "many", .rows_scale = c.rows_scale, .cols_scale = c.cols_scale};
    const uint64_t first = (UINT64_C(1) << 32) - count / 3;
    const placing p = {.first = first, .count = count, .id_bytes = 8, .weights = _i};
    bench b = bench_create_model(&g, &c, count);

    bench_expect(&b, p.first, p.count);
    check_same(&b, &p);
    ck_assert_uint_eq(redraws_of(b.gpu), redraws_of(b.cpu));
    bench_destroy(b);
}
END_TEST

/* Chunk by chunk, with weights. */
START_TEST(host_memory)
{
    const uint64_t first = (UINT64_C(1) << 33) - 1000001, most = small_run() ? 10001 : 5000001;
    uint64_t *ids = must_alloc(4 * most, 8);
    uint32_t *weights = must_alloc(2 * most, 4);
    rmat_config c = rare_model(3);
    rmat_gen *gen[2];

    c.matrix = (rmat_matrix){0.57, 0.19, 0.19, 0.05};
    c.symmetrize = _i;
    for (int k = 0; k < 2; k++) {
        c.backend = k ? RMAT_BACKEND_GPU : RMAT_BACKEND_CPU;
        ck_assert_int_eq(rmat_create(&gen[k], &c), RMAT_OK);
    }
    for (int bytes = 4; bytes <= 8; bytes += 4) {
        for (uint64_t count = most; count > 1; count /= 1000) {
            for (uint64_t k = 0; k < 2; k++) {
                const rmat_arrays to = {ids + 2 * k * most, ids + (2 * k + 1) * most,
                                        weights + k * most, bytes};

                ck_assert_int_eq(rmat_generate_arrays(gen[k], first, count, &to), RMAT_OK);
            }
            ck_assert(memcmp(ids, ids + 2 * most, (size_t)bytes * count) == 0);
            ck_assert(memcmp(ids + most, ids + 3 * most, (size_t)bytes * count) == 0);
            ck_assert(memcmp(weights, weights + most, 4 * count) == 0);
        }
    }
    ck_assert_uint_eq(redraws_of(gen[0]), redraws_of(gen[1]));
    ck_assert_uint_gt(redraws_of(gen[0]), 0);
    rmat_destroy(gen[0]);
    rmat_destroy(gen[1]);
    free(ids);
    free(weights);
}
END_TEST

START_TEST(refusals)
{
    uint64_t *ids = on_device(NULL, 256), redraws = 1;
    rmat_arrays to = {ids, ids + 4, ids + 8, 8};
    rmat_config c;
    rmat_gen *gen, *cpu;

    rmat_config_default(&c);
    c.weights = RMAT_WEIGHTS_UNIFORM;
    ck_assert_int_eq(rmat_create(&cpu, &c), RMAT_OK);
    ck_assert_int_eq(rmat_generate_arrays_device(cpu, 0, 2, &to, NULL), RMAT_ERR_ARG);
    c.weights = RMAT_NO_WEIGHTS;
    c.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_generate_arrays_device(gen, 0, 2, &to, NULL), RMAT_ERR_WEIGHTS);
    ck_assert_int_eq(rmat_redraws(gen, &redraws), RMAT_OK);
    ck_assert_uint_eq(redraws, 0);
    rmat_destroy(gen);
    c.weights = RMAT_WEIGHTS_UNIFORM;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    ck_assert_int_eq(rmat_generate_arrays_device(gen, 0, 2, NULL, NULL), RMAT_ERR_ARG);
    ck_assert_int_eq(rmat_generate_arrays_device(NULL, 0, 2, &to, NULL), RMAT_ERR_ARG);
    to.weight = (char *)to.weight + 2;
    ck_assert_int_eq(rmat_generate_arrays_device(gen, 0, 2, &to, NULL), RMAT_ERR_ARG);
    to.weight = NULL;
    ck_assert_int_eq(rmat_generate_arrays_device(gen, 0, 2, &to, NULL), RMAT_OK);
    to.id_bytes = 5;
    ck_assert_int_eq(rmat_generate_arrays_device(gen, 0, 2, &to, NULL), RMAT_ERR_ARG);
    must_cuda(cudaDeviceSynchronize());
    rmat_destroy(gen);
    rmat_destroy(cpu);
    must_cuda(cudaFree(ids));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_options");
    TCase *tc = tcase_create("rmat_gpu_options");
    const int all = small_run() < 2;

    n_cases = option_pairs(cases);
    tcase_add_test(tc, pairs);
    tcase_add_test(tc, refusals);
    if (all) {
        tcase_add_loop_test(tc, nearly_all_thrown_away, 0, RARE);
        tcase_add_test(tc, forced_lists);
        tcase_add_loop_test(tc, many_redraws, 0, 2);
        tcase_add_loop_test(tc, host_memory, 0, 2);
    }
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
