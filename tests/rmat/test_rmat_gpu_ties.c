/* The edges that may tie, which the second kernel settles: forced, left out, and counted. */
#include "rmat/model/generator.h"
#include "tests/support/rmat_gpu_util.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t ties_so_far(const bench *b)
{
    uint64_t tied;

    ck_assert_int_eq(rmat_gpu_tied(b->gpu, &tied), RMAT_OK);
    return tied;
}

/* Every edge treated as a tie, with lists that have room for one to all of them: the same edges. */
START_TEST(forced_ties)
{
    static const char *const names[] = {"30", "7", "20", "36", "42", "62, by level"};
    static const uint32_t rooms[] = {1, 100, 2000, 1000000};
    const uint64_t count = small_run() ? 5003 : 60013;
    bench b = bench_create(graph_named(names[_i]), count);

    bench_expect(&b, 12345, count);
    for (int r = small_run() ? 2 : 0; r < 4; r++) {
        uint64_t before = ties_so_far(&b);

        rmat_gpu_set_ties(b.gpu, rooms[r], UINT32_MAX);
        check_all_ways(&b, 12345, count);
        ck_assert_uint_ge(ties_so_far(&b) - before, 5 * (count - 200));
        rmat_gpu_set_ties(b.gpu, rooms[r], 1u << 30); /* some of them */
        check_all_ways(&b, 12345, count);
    }
    bench_destroy(b);
}
END_TEST

/* The same where every block has many turns. */
START_TEST(many_forced_ties)
{
    static const struct {
        uint32_t room, limit;
    } ways[] = {{100, UINT32_MAX}, {100, 1u << 30}, {100000, UINT32_MAX}, {0, 0}};
    placing p = {.first = 1, .count = 5000011, .id_bytes = 8};
    bench b = bench_create(graph_named(_i ? "29, by level" : "20"), p.count);

    bench_expect(&b, p.first, p.count);
    for (int w = 0; w < 4; w++) {
        rmat_gpu_set_ties(b.gpu, ways[w].room, ways[w].limit);
        for (p.dst_at = 0; p.dst_at < 2; p.dst_at++) {
            check_same(&b, &p);
        }
    }
    bench_destroy(b);
}
END_TEST

/* No edge treated as a tie: those that do tie come out wrong, so that they are what settling
 * settles. */
START_TEST(ties_matter)
{
    const placing p = {.count = 200003, .id_bytes = 8};
    bench b = bench_create(graph_named("30"), p.count);
    uint64_t wrong, which;

    bench_expect(&b, 0, p.count);
    rmat_gpu_set_ties(b.gpu, 0, 1);
    wrong = differences(&b, &p, &which);
    /* 5 * 2^-13 * count = 122 ties; some of the 122 decide for the right side by luck */
    ck_assert_uint_ge(wrong, 5);
    ck_assert_uint_le(wrong, 250);
    rmat_gpu_set_ties(b.gpu, 0, 0);
    check_same(&b, &p);
    bench_destroy(b);
}
END_TEST

/* The CPU's, in pieces. */
static uint64_t expected_fingerprint(const bench *b, uint64_t first, uint64_t count, uint64_t piece)
{
    uint64_t sum = 0;

    for (uint64_t at = 0; at < count; at += piece) {
        bench_expect(b, first + at, piece);
        sum += rmat_fingerprint(b->src, b->dst, piece, 8);
    }
    return sum;
}

/*
 * How likely an edge is to be set aside: one of its words is less than a tie's reach away from its
 * row.  Words of row j are all those that are j modulo 4096.
 */
static double chance_of_tie(const rmat_view *v)
{
    const uint32_t reach = 1u << (32 - rmat_fraction_bits(v->groups));
    double none = 1;

    for (int g = 0; g < v->groups; g++) {
        uint64_t words = 0;

        for (uint32_t j = 0; j < RMAT_GROUP_PATHS; j++) {
            const uint32_t least = (j - v->fast[g][j] + reach) % RMAT_GROUP_PATHS;

            words += (2 * reach - 1 - least) / RMAT_GROUP_PATHS + 1;
        }
        none *= 1 - (double)words / 4294967296.0;
    }
    return 1 - none;
}

/* 2^33 edges: as many ties as there should be, and the fingerprints of the first and the last. */
START_TEST(ties_of_many_edges)
{
    static const char *const names[] = {"30", "20", "36"};
    const uint64_t chunk = UINT64_C(1) << (small_run() ? 17 : 28), chunks = small_run() ? 4 : 32;
    const uint64_t first = (UINT64_C(1) << 34) - chunk / 2, piece = chunk / 64;
    bench b = bench_create(graph_named(names[_i]), piece);
    const double n = (double)(chunk * chunks), p = chance_of_tie(&b.cpu->view);
    const double sigma = sqrt(n * p * (1 - p));
    uint64_t *src = on_device(NULL, 8 * chunk), *dst = on_device(NULL, 8 * chunk), *sum, tied;
    uint64_t got = 0;

    sum = on_device(&got, 8);
    for (uint64_t c = 0; c < chunks; c++) {
        ck_assert_int_eq(rmat_generate_device(b.gpu, first + c * chunk, chunk, src, dst, NULL),
                         RMAT_OK);
        if (c == 0 || c == chunks - 1) {
            ck_assert_int_eq(rmat_fingerprint_device(src, dst, chunk, 8, sum, NULL), RMAT_OK);
        }
    }
    must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(got,
                      expected_fingerprint(&b, first, chunk, piece) +
                          expected_fingerprint(&b, first + (chunks - 1) * chunk, chunk, piece));
    tied = ties_so_far(&b);
    printf("scale %s: %" PRIu64 " ties among %.0f edges, expected %.0f, standard deviation %.0f\n",
           b.graph->name, tied, n, n * p, sigma);
    ck_assert_msg(fabs((double)tied - n * p) <= 5 * sigma + 1, "%" PRIu64 " ties, expected %.0f",
                  tied, n * p);
    must_cuda(cudaFree(src));
    must_cuda(cudaFree(dst));
    must_cuda(cudaFree(sum));
    bench_destroy(b);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("rmat_gpu_ties");
    TCase *tc = tcase_create("rmat_gpu_ties");
    const int all = small_run() < 2;

    tcase_add_loop_test(tc, forced_ties, 0, all ? 6 : 1);
    if (all) {
        tcase_add_loop_test(tc, many_forced_ties, 0, small_run() ? 1 : 2);
        tcase_add_test(tc, ties_matter);
    }
    tcase_add_loop_test(tc, ties_of_many_edges, 0, all ? 3 : 1);
    suite_add_tcase(suite, tc);
    return run_gpu_suite(suite);
}
