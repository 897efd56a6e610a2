/*
 * Graph500's stream against the reference generator (graph500/graph500, commit f89d643, generator/,
 * built with -DSSSP): ranges of its output at six scales, as fingerprints of the edges, hashes of
 * the weights' bits, and the first edge.  On a CPU and on a GPU: all instruction
 * sets; ranges cut anywhere; the steps of the options on top.
 */
#include "rmat/model/mrg.h"
#include "rmat/model/official.h"
#include "tests/support/backend.h"
#include "tests/support/run_suite.h"
#include "tests/support/stream_source.h"

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

enum { N = sizeof reference / sizeof *reference, MOST = ON_GPU ? 3 << 20 : 100000 };

static uint64_t src[MOST], dst[MOST], x[MOST], y[MOST];
static uint32_t weight[MOST], w[MOST]; /* bits of floats */

static rmat_graph500 *create(int scale, rmat_isa isa)
{
    rmat_graph500 *g;
    const int st = rmat_graph500_create(&g, scale, RMAT_GRAPH500_SEED1, RMAT_GRAPH500_SEED2, isa);

    must(st == RMAT_OK, "rmat_graph500_create(): %s", rmat_strerror(st));
    return g;
}

static void make(const rmat_graph500 *g, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_source s = rmat_graph500_source(g, RMAT_MAX_EDGES, 1);

    make_of(&s, first, count, to);
}

START_TEST(as_the_reference)
{
    const rmat_isa isa = (rmat_isa)_i;

    for (int k = 0; k < N && rmat_cpu_has_isa(isa); k++) {
        rmat_graph500 *g = create(reference[k].scale, isa);
        const uint64_t n = reference[k].count;

        make(g, reference[k].first, n, &(rmat_arrays){src, dst, weight, 8});
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

/* What is expected: one edge at a time on a CPU, the source's edges on a GPU. */
static void expect(const rmat_graph500 *g, uint64_t first)
{
    const mrg_view *v = &g->view;

    if (ON_GPU) {
        const rmat_source s = rmat_graph500_source(g, RMAT_MAX_EDGES, 1);

        must(!s.fill(s.state, first, MOST, &(rmat_arrays){src, dst, weight, 8}), "fill");
        return;
    }
    for (uint64_t i = 0; i < MOST; i++) {
        uint32_t z[5];
        float f;

        mrg_state(v, first + i, 1, z);
        mrg_edge(v, z, &src[i], &dst[i]);
        f = mrg_weight(mrg_next(z));
        memcpy(&weight[i], &f, sizeof f);
    }
}

static void compare(const rmat_graph500 *g, int scale, uint64_t first, uint64_t at, uint64_t count,
                    int id_bytes, int weights)
{
    make(g, first + at, count, &(rmat_arrays){x, y, weights ? w : NULL, id_bytes});
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t s = id_bytes == 4 ? ((uint32_t *)x)[i] : x[i];
        const uint64_t d = id_bytes == 4 ? ((uint32_t *)y)[i] : y[i];

        must(s == src[at + i] && d == dst[at + i] && (!weights || w[i] == weight[at + i]),
             "scale %d, edges [%lu, +%lu), %d bytes: edge %lu", scale, at, count, id_bytes, i);
    }
}

/* At scales of every number of levels that a GPU's kernel treats by itself, long enough for a dozen
 * rejected numbers at scale 62; and every cut of a range. */
START_TEST(one_by_one)
{
    static const int scales[] = {1, 2, 31, 32, 33, 62, /* and on a GPU */
                                 3, 4, 5,  6,  20, 26, 30, 36, 42, 60};
    const rmat_isa isa = (rmat_isa)_i;
    const uint64_t far = RMAT_MAX_EDGES / 3 + 100;

    for (int k = 0; k < (ON_GPU ? 16 : 6) && rmat_cpu_has_isa(isa); k++) {
        const int scale = scales[k];
        rmat_graph500 *g = create(scale, isa);

        for (int start = 1 - ON_GPU; start < 2; start++) {
            const uint64_t first = start ? far : 0;

            expect(g, first);
            for (int bytes = scale <= 32 ? 4 : 8; bytes <= 8; bytes += 4) {
                compare(g, scale, first, 0, MOST, bytes, 1);
                for (uint64_t at = 0; at < 2000; at += 1 + at % 300) {
                    compare(g, scale, first, at, 1 + at * 7 % 900, bytes, at % 2);
                }
            }
        }
        rmat_graph500_destroy(g);
    }
}
END_TEST

START_TEST(as_a_source)
{
    rmat_graph500 *g = create(20, RMAT_ISA_AUTO);
    const rmat_source s = rmat_graph500_source(g, 1 << 20, 1);

    check_both_directions(&s, 1000, 500);
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

TEST_CASES(rmat_graph500, 60, LOOP(as_the_reference, RMAT_ISA_AUTO, ON_GPU ? 1 : RMAT_ISA_NEON + 1),
           LOOP(one_by_one, RMAT_ISA_AUTO, ON_GPU ? 1 : RMAT_ISA_NEON + 1), ONCE(as_a_source),
           ONCE(arguments))
