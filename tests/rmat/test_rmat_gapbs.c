/*
 * GAPBS's edges against the reference (sbeamer/gapbs, commit b5e3e19, built with GCC 12): ranges of
 * the list as fingerprints of the edges, hashes of the weights, and the first and the last edge.
 * On a CPU and on a GPU: all instruction sets; ranges cut anywhere; the numbers of vertices; a
 * rejected weight; both directions; errors.
 */
#include "rmat/model/mt19937.h"
#include "rmat/rmat_gapbs.h"
#include "tests/support/backend.h"
#include "tests/support/run_suite.h"
#include "tests/support/stream_source.h"

#include <string.h>

static const struct {
    int scale;
    uint64_t first, count, fingerprint, weights;
    uint32_t src, dst, weight, last_src, last_dst, last_weight;
} reference[] = {
    {5, 0, 512, 0x4be4345d903b267b, 0xa267da656ca06df4, 16, 25, 235, 28, 3, 130},
    {10, 0, 16384, 0xe4055724036daf68, 0x7b022b96625ff4f3, 53, 536, 235, 224, 618, 222},
    {14, 0, 262144, 0xc81c702129e7ca55, 0xfcd2e176fe0f5130, 11694, 9631, 235, 5451, 9143, 24},
    {14, 123457, 100001, 0x6dfe96fd5d4df6ed, 0x7c0b289876c84bb7, 1808, 5526, 202, 9526, 2897, 155},
    {16, 200000, 700001, 0xb796ce00bc30fa1e, 0x0e2a65e9192a2ab4, 30959, 56089, 5, 59556, 57173,
     173},
    {18, 262100, 100, 0x08439acaa01f88c2, 0x7eaacc387357a969, 218415, 25837, 84, 161144, 32459, 20},
    {18, 1000003, 600000, 0xabba3cd0feda899d, 0x854a77f93f5d0344, 261551, 236973, 14, 169465,
     149170, 50},
    {20, 0, 100000, 0xfb7c19fd54081090, 0x9a4fb9fea6228075, 598870, 237606, 235, 260886, 831812,
     21},
    {20, 777777, 900000, 0xb678dad322611ffe, 0x5f322b9afca95cd0, 839489, 113628, 49, 239313, 598128,
     192},
    {20, 16000000, 777216, 0xb1dd9870c8bbe558, 0x7ff5f76e9bc46c45, 455800, 501348, 232, 1020922,
     606824, 177},
};

enum { N = sizeof reference / sizeof *reference, MOST = 900000 };

static uint32_t src[MOST], dst[MOST], weight[MOST];
static uint64_t wide_src[MOST], wide_dst[MOST];

static rmat_gapbs *create(int scale, rmat_isa isa)
{
    rmat_gapbs *g;
    const int st = rmat_gapbs_create(&g, scale, RMAT_GAPBS_SEED, isa);

    must(st == RMAT_OK, "rmat_gapbs_create(): %s", rmat_strerror(st));
    return g;
}

static void make(const rmat_gapbs *g, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_source s = rmat_gapbs_source(g, RMAT_MAX_EDGES, 1);

    make_of(&s, first, count, to);
}

START_TEST(as_the_reference)
{
    const rmat_isa isa = (rmat_isa)_i;

    for (int k = 0; k < N && rmat_cpu_has_isa(isa); k++) {
        rmat_gapbs *g = create(reference[k].scale, isa);
        const uint64_t first = reference[k].first, n = reference[k].count;

        make(g, first, n, &(rmat_arrays){src, dst, weight, 4});
        must(src[0] == reference[k].src && dst[0] == reference[k].dst &&
                 weight[0] == reference[k].weight,
             "reference %d, first edge: %u %u %u", k, src[0], dst[0], weight[0]);
        must(src[n - 1] == reference[k].last_src && dst[n - 1] == reference[k].last_dst &&
                 weight[n - 1] == reference[k].last_weight,
             "reference %d, last edge: %u %u %u", k, src[n - 1], dst[n - 1], weight[n - 1]);
        must(rmat_fingerprint(src, dst, n, 4) == reference[k].fingerprint, "%d: edges", k);
        must(weight_hash(weight, n) == reference[k].weights, "%d: weights", k);
        make(g, first, n, &(rmat_arrays){wide_src, wide_dst, NULL, 8});
        for (uint64_t i = 0; i < n; i++) {
            must(wide_src[i] == src[i] && wide_dst[i] == dst[i], "%d, edge %lu: 8 bytes", k, i);
        }
        rmat_gapbs_destroy(g);
    }
}
END_TEST

/* Every scale, from the source, over the end of a block; and every cut of a range. */
START_TEST(cuts)
{
    const size_t before = free_device_memory();

    for (int scale = 1; scale <= 20; scale += small_run() ? 9 : 1) {
        rmat_gapbs *g = create(scale, RMAT_ISA_AUTO);
        const rmat_source s = rmat_gapbs_source(g, RMAT_MAX_EDGES, 1);
        const uint64_t first = 5 * GAPBS_BLOCK - 3000;
        const uint64_t many = ON_GPU && !small_run() ? 600000 : 5000;

        must(!s.fill(s.state, first, many, &(rmat_arrays){src, dst, weight, 4}), "fill");
        must(s.piece_end(s.state, first) == 5 * GAPBS_BLOCK &&
                 s.piece_end(s.state, 5 * GAPBS_BLOCK) == 6 * GAPBS_BLOCK,
             "pieces");
        for (uint64_t at = (uint64_t)scale; at < 4000; at += 211 + at % 300) {
            const uint64_t some = at == (uint64_t)scale ? many - at : 1 + at * 7 % 900;
            uint32_t *x = (uint32_t *)wide_src, *y = (uint32_t *)wide_dst;
            uint32_t *w = x + MOST;

            make(g, first + at, some, &(rmat_arrays){x, y, w, 4});
            must(!memcmp(x, src + at, some * sizeof *x) && !memcmp(y, dst + at, some * sizeof *y) &&
                     !memcmp(w, weight + at, some * sizeof *w),
                 "scale %d: edges [%lu, +%lu)", scale, at, some);
        }
        rmat_gapbs_destroy(g);
    }
    check_no_leak(before);
}
END_TEST

/* In blocks 16571 and 17131 a number is rejected: number 198025, which moves the weights from edge
 * 198025 on, and number 73043. */
START_TEST(rejected_weights)
{
    rmat_gapbs *g = create(1, RMAT_ISA_AUTO);

    make(g, 16571 * GAPBS_BLOCK + 198000, 100, &(rmat_arrays){src, dst, weight, 4});
    must(weight_hash(weight, 100) == 0xe917044ad69b9878, "a rejected number among them");
    make(g, 16571 * GAPBS_BLOCK + 198050, 50, &(rmat_arrays){src, dst, weight + 100, 4});
    must(!memcmp(weight + 50, weight + 100, 50 * sizeof *weight), "a rejected number before them");
    make(g, 17131 * GAPBS_BLOCK + 73043, 100, &(rmat_arrays){src, dst, weight, 4});
    must(weight_hash(weight, 100) == 0x86736297ccbfe20c, "the first number is rejected");
    rmat_gapbs_destroy(g);
}
END_TEST

/* The sizes of the converter's graphs. */
START_TEST(vertices)
{
    static const struct {
        int scale;
        uint64_t edges, vertices;
    } graphs[] = {{5, 512, 32},
                  {10, 16384, 1024},
                  {14, 262144, 16381},
                  {18, 4194304, 262143},
                  {20, 16777216, 1048576}};

    for (size_t k = 0; k < sizeof graphs / sizeof *graphs; k++) {
        rmat_gapbs *g = create(graphs[k].scale, RMAT_ISA_AUTO);
        uint64_t n = 0;

        for (int threads = 0; threads <= 3; threads++) {
            must(!rmat_gapbs_vertices(g, 0, graphs[k].edges, threads, &n), "rmat_gapbs_vertices()");
            must(n == graphs[k].vertices, "scale %d: %lu", graphs[k].scale, n);
        }
        must(!rmat_gapbs_vertices(g, 0, 0, 0, &n) && n == 1, "none");
        must(rmat_gapbs_vertices(g, 1, RMAT_MAX_EDGES, 0, &n) == RMAT_ERR_RANGE, "range");
        must(rmat_gapbs_vertices(NULL, 0, 1, 0, &n) == RMAT_ERR_ARG, "no list");
        must(rmat_gapbs_vertices(g, 0, 1, 0, NULL) == RMAT_ERR_ARG, "no result");
        must(rmat_gapbs_vertices(g, 0, 1, -1, &n) == RMAT_ERR_ARG, "threads");
        rmat_gapbs_destroy(g);
    }
}
END_TEST

START_TEST(as_a_source)
{
    rmat_gapbs *g = create(14, RMAT_ISA_AUTO);
    const rmat_source s = rmat_gapbs_source(g, 1 << 18, 1);

    check_both_directions(&s, 100, 150000);
    rmat_gapbs_destroy(g);
}
END_TEST

START_TEST(arguments)
{
    rmat_gapbs *g;

    must(rmat_gapbs_create(NULL, 20, 1, RMAT_ISA_AUTO) == RMAT_ERR_ARG, "out");
    must(rmat_gapbs_create(&g, 0, 1, RMAT_ISA_AUTO) == RMAT_ERR_SCALE && g == NULL, "0");
    must(rmat_gapbs_create(&g, 31, 1, RMAT_ISA_AUTO) == RMAT_ERR_SCALE && g == NULL, "31");
    must(rmat_gapbs_create(&g, 20, 1, (rmat_isa)9) == RMAT_ERR_NO_ISA && g == NULL, "isa");
    rmat_gapbs_destroy(NULL);
}
END_TEST

TEST_CASES(rmat_gapbs, 60, LOOP(as_the_reference, RMAT_ISA_AUTO, ON_GPU ? 1 : RMAT_ISA_NEON + 1),
           ONCE(cuts), ONCE(rejected_weights), LOOP(vertices, 0, !ON_GPU), ONCE(as_a_source),
           ONCE(arguments))
