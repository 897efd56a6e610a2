/*
 * Graph500's stream against the reference generator (graph500/graph500, commit f89d643, generator/,
 * built with -DSSSP): ranges of its output at six scales, as fingerprints of the edges, hashes of
 * the weights' bits, and the first edge.  All instruction sets; ranges cut anywhere; the steps of
 * the options on top.
 */
#include "rmat/model/mrg.h"
#include "rmat/model/official.h"
#include "tests/support/must.h"
#include "tests/support/run_suite.h"
#include "tests/support/weight_hash.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int scale;
    uint64_t first, count, fingerprint, weights, src, dst;
} reference[] = {
    {10, 0, 16384, 0x61c105b8ab99b790, 0x72af448d398d71d3, 299, 797},
    {20, 1000, 100000, 0x85c7f71aa09c61da, 0xea8898b450b75e3c, 702916, 407211},
    {26, 123456789, 10000, 0x0827901083482ba5, 0x33d8426dee042144, 55976335, 33504929},
    {30, 5000000001, 10000, 0x483379c0b3843445, 0x483566eeb8b2e16d, 949769536, 173397595},
    {36, 700000000123, 10000, 0x9abeb62c6284dc8a, 0xf5736df12fde41cc, 51675995097, 39877321679},
    {42, 50000000000077, 10000, 0x3f7282ee981395b0, 0x44b3f9546827fcc3, 2845443106783,
     1786349910311},
};

enum { N = sizeof reference / sizeof *reference, MOST = 100000 };

static uint64_t src[MOST], dst[MOST];
static uint32_t weight[MOST]; /* bits of floats */

static rmat_graph500 *create(int scale, rmat_isa isa)
{
    rmat_graph500 *g;
    const int st = rmat_graph500_create(&g, scale, RMAT_GRAPH500_SEED1, RMAT_GRAPH500_SEED2, isa);

    must(st == RMAT_OK, "rmat_graph500_create(): %s", rmat_strerror(st));
    return g;
}

START_TEST(as_the_reference)
{
    const rmat_isa isa = (rmat_isa)_i;

    if (!rmat_cpu_has_isa(isa)) {
        return;
    }
    for (int k = 0; k < N; k++) {
        rmat_graph500 *g = create(reference[k].scale, isa);
        const rmat_source s = rmat_graph500_source(g, RMAT_MAX_EDGES, 1);
        const uint64_t n = reference[k].count;

        must(!s.fill(s.state, reference[k].first, n, &(rmat_arrays){src, dst, weight, 8}), "fill");
        must(src[0] == reference[k].src && dst[0] == reference[k].dst, "scale %d: first edge",
             reference[k].scale);
        must(rmat_fingerprint(src, dst, n, 8) == reference[k].fingerprint, "scale %d: edges",
             reference[k].scale);
        must(weight_hash(weight, n) == reference[k].weights, "scale %d: weights",
             reference[k].scale);
        rmat_graph500_destroy(g);
    }
}
END_TEST

/* The vector kernels against one edge at a time, long enough for a dozen rejected numbers at scale
 * 62; and every cut of a range. */
START_TEST(one_by_one)
{
    static const int scales[] = {1, 2, 31, 32, 33, 62};
    const rmat_isa isa = (rmat_isa)_i;

    if (!rmat_cpu_has_isa(isa)) {
        return;
    }
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        rmat_graph500 *g = create(scales[k], isa);
        const rmat_source s = rmat_graph500_source(g, RMAT_MAX_EDGES, 1);
        const uint64_t first = RMAT_MAX_EDGES / 3 + 100, n = MOST;
        const mrg_view *v = &g->view;

        must(!s.fill(s.state, first, n, &(rmat_arrays){src, dst, weight, 8}), "fill");
        for (uint64_t i = 0; i < n; i++) {
            uint64_t a, b;
            uint32_t z[5];
            float w;

            mrg_state(v, first + i, 1, z);
            mrg_edge(v, z, &a, &b);
            w = mrg_weight(mrg_next(z));
            must(a == src[i] && b == dst[i] && !memcmp(&w, &weight[i], sizeof w),
                 "scale %d, edge %lu", scales[k], i);
        }
        for (uint64_t at = 0; at < 2000; at += 1 + at % 300) {
            const uint64_t some = 1 + at * 7 % 900;
            uint64_t x[900], y[900];

            must(!s.fill(s.state, first + at, some, &(rmat_arrays){x, y, NULL, 8}), "part");
            must(!memcmp(x, src + at, some * sizeof *x) && !memcmp(y, dst + at, some * sizeof *y),
                 "scale %d: edges [%lu, +%lu)", scales[k], at, some);
        }
        rmat_graph500_destroy(g);
    }
}
END_TEST

/* As a generator: 32-bit ids, and both directions with the weights of the stream. */
START_TEST(as_a_source)
{
    rmat_graph500 *g = create(20, RMAT_ISA_AUTO);
    const rmat_source s = rmat_graph500_source(g, 1 << 20, 1);
    uint32_t narrow[2][1000], weights[1000];
    rmat_config config;
    rmat_gen *gen;

    rmat_config_default(&config);
    config.symmetrize = 1;
    must(!rmat_create_from(&gen, &s, &config), "rmat_create_from()");
    must(!rmat_generate_arrays(gen, 2000, 1000, &(rmat_arrays){narrow[0], narrow[1], weights, 4}),
         "generate");
    must(!s.fill(s.state, 1000, 500, &(rmat_arrays){src, dst, weight, 8}), "fill");
    for (int i = 0; i < 1000; i++) {
        must(narrow[0][i] == (i % 2 ? dst : src)[i / 2] &&
                 narrow[1][i] == (i % 2 ? src : dst)[i / 2] && weights[i] == weight[i / 2],
             "edge %d", i);
    }
    rmat_destroy(gen);
    rmat_graph500_destroy(g);
}
END_TEST

START_TEST(arguments)
{
    rmat_graph500 *g;

    must(rmat_graph500_create(NULL, 20, 2, 3, RMAT_ISA_AUTO) == RMAT_ERR_ARG, "out");
    must(rmat_graph500_create(&g, 0, 2, 3, RMAT_ISA_AUTO) == RMAT_ERR_SCALE && g == NULL, "0");
    must(rmat_graph500_create(&g, 63, 2, 3, RMAT_ISA_AUTO) == RMAT_ERR_SCALE && g == NULL, "63");
    must(rmat_graph500_create(&g, 20, 2, 3, (rmat_isa)9) == RMAT_ERR_NO_ISA && g == NULL, "isa");
    rmat_graph500_destroy(NULL);
}
END_TEST

TEST_CASES(rmat_graph500, 60, LOOP(as_the_reference, RMAT_ISA_AUTO, RMAT_ISA_NEON + 1),
           LOOP(one_by_one, RMAT_ISA_AUTO, RMAT_ISA_NEON + 1), ONCE(as_a_source), ONCE(arguments))
