/*
 * The GPU's own steps: edges that may tie, which a second kernel settles, forced and left out;
 * lists of edges set aside that overflow or hold all edges; many edges in full blocks; chunks on
 * their way to host memory; and fingerprints of edges in device memory.
 */
#include "rmat/gpu/backend.h"
#include "rmat/model/generator.h"
#include "tests/support/bench.h"
#include "tests/support/option_pairs.h"
#include "tests/support/run_suite.h"

/* The usual matrix, or one for each level. */
static bench bench_of(int scale, bool by_level, uint64_t most)
{
    rmat_matrix levels[RMAT_MAX_SCALE];
    rmat_config c = square_model(scale);

    slope(levels);
    c.levels = by_level ? levels : NULL;
    c.seed = UINT64_C(0xFEDCBA9876543210);
    return bench_create(&c, by_level ? "by level" : "one matrix", most);
}

/* All options, with lists that have room for one to all edges, and all, some or none of the edges
 * treated as ties: the same edges. */
START_TEST(forced_ties)
{
    static option_case cases[OPTION_PAIRS];
    static const uint32_t rooms[] = {1, 100, 2000, 1000000};
    static const uint32_t limits[] = {UINT32_MAX, 1u << 30, 0};
    const uint64_t count = small_run() ? 3001 : 20011;
    const int step = small_run() > 1 ? OPTION_PAIRS : small_run() ? 16 : 4;

    option_pairs(cases);
    for (int i = 0; i < OPTION_PAIRS; i += step) {
        scoped(bench_destroy) bench b = bench_create(&cases[i].config, cases[i].name, count);

        bench_expect(&b, 12345, count);
        for (int k = 0; k < 12; k++) {
            rmat_gpu_set_ties(b.gen, rooms[k / 3], limits[k % 3]);
            check_all_ways(&b, 12345, count);
        }
    }
}

/* The same where every block has many turns. */
START_TEST(many_forced_ties)
{
    static const struct {
        uint32_t room, limit;
    } ways[] = {{100, UINT32_MAX}, {100, 1u << 30}, {100000, UINT32_MAX}, {0, 0}};
    placing p = {.first = 1, .count = 5000011, .id_bytes = 8};
    scoped(bench_destroy) bench b = bench_of(_i ? 29 : 20, _i, p.count);

    bench_expect(&b, p.first, p.count);
    for (int w = 0; w < 4; w++) {
        rmat_gpu_set_ties(b.gen, ways[w].room, ways[w].limit);
        for (p.dst_at = 0; p.dst_at < 2; p.dst_at++) {
            check_same(&b, &p);
        }
    }
}

/* No edge treated as a tie: those that do tie come out wrong, so that they are what settling
 * settles. */
START_TEST(ties_matter)
{
    const placing p = {.count = 200003, .id_bytes = 8};
    scoped(bench_destroy) bench b = bench_of(30, false, p.count);
    uint64_t wrong, which;

    bench_expect(&b, 0, p.count);
    rmat_gpu_set_ties(b.gen, 0, 1);
    wrong = differences(&b, &p, &which);
    /* 5 * 2^-13 * count = 122 ties; some of the 122 decide for the right side by luck */
    ck_assert_uint_ge(wrong, 5);
    ck_assert_uint_le(wrong, 250);
    rmat_gpu_set_ties(b.gen, 0, 0);
    check_same(&b, &p);
}

/* The CPU's, in pieces. */
static uint64_t expected_fingerprint(bench *b, uint64_t first, uint64_t count, uint64_t piece)
{
    uint64_t sum = 0;

    for (uint64_t at = 0; at < count; at += piece) {
        bench_expect(b, first + at, piece);
        sum += rmat_fingerprint(b->src, b->dst, piece, 8);
    }
    return sum;
}

/* 2^33 edges, with many ties: the fingerprints of the first and the last. */
START_TEST(ties_of_many_edges)
{
    static const int scales[] = {30, 20, 36};
    const uint64_t chunk = UINT64_C(1) << (small_run() ? 17 : 28), chunks = small_run() ? 4 : 32;
    const uint64_t first = (UINT64_C(1) << 34) - chunk / 2, piece = chunk / 64;
    scoped(bench_destroy) bench b = bench_of(scales[_i], false, piece);
    scoped(free_device) uint64_t *src = on_device(NULL, 8 * chunk),
                                 *dst = on_device(NULL, 8 * chunk);
    uint64_t got = 0;
    scoped(free_device) uint64_t *sum = on_device(&got, 8);

    for (uint64_t c = 0; c < chunks; c++) {
        ok(rmat_generate_arrays_device(b.gen, first + c * chunk, chunk,
                                       &(rmat_arrays){src, dst, NULL, 8}, NULL));
        if (c == 0 || c == chunks - 1) {
            ok(rmat_fingerprint_device(src, dst, chunk, 8, sum, NULL));
        }
    }
    must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(got,
                      expected_fingerprint(&b, first, chunk, piece) +
                          expected_fingerprint(&b, first + (chunks - 1) * chunk, chunk, piece));
}

/* Ties of the lowest distance, where the kernel could draw edges again but the model never does.
 * Each row that is its own alias has such a word among 2^32: all rows are, where the quadrants are
 * equally likely, so that of these edges 256 have one. */
START_TEST(ties_without_redraws)
{
    const uint64_t count = UINT64_C(1) << 27, piece = count / 16;
    rmat_config c = square_model(10);
    uint64_t got = 0;

    c.permute = 1;
    c.matrix = (rmat_matrix){0.25, 0.25, 0.25, 0.25};
    scoped(bench_destroy) bench b = bench_create(&c, "small and permuted", piece);
    scoped(free_device) uint32_t *src = on_device(NULL, 4 * count),
                                 *dst = on_device(NULL, 4 * count);
    scoped(free_device) uint64_t *sum = on_device(&got, 8);

    ok(rmat_generate_arrays_device(b.gen, 0, count, &(rmat_arrays){src, dst, NULL, 4}, NULL));
    ok(rmat_fingerprint_device(src, dst, count, 4, sum, NULL));
    must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
    ck_assert_uint_eq(got, expected_fingerprint(&b, 0, count, piece));
}

/* Nearly all draws are thrown away. */
static rmat_config rare_model(int scale, uint64_t vertices)
{
    return model_of((rmat_config){SQUARE(scale), .rows = vertices, .cols = vertices,
                                  .matrix = {0.01, 0.02, 0.03, 0.94}, .permute = 1,
                                  .weights = RMAT_WEIGHTS_UNIFORM});
}

/* Many redraws, in full blocks, and in two pieces: none crosses a multiple of 2^32 edges. */
START_TEST(many_redraws)
{
    rmat_config c = rare_model(_i ? 27 : 20, _i ? (1 << 26) + 9 : (1 << 19) + 1);
    const uint64_t count = small_run() ? 100003 : 20000003;
    const uint64_t first = (UINT64_C(1) << 32) - count / 3;

    c.no_self_loops = c.symmetrize = 1 - _i;
    scoped(bench_destroy) bench b = bench_create(&c, "many", count);
    bench_expect(&b, first, count);
    check_same(&b, &(placing){.first = first, .count = count, .id_bytes = 8, .weights = _i});
}

/* Into host memory, more than three chunks, and less than one. */
START_TEST(host_memory)
{
    const rmat_config models[] = {square_model(30),
                                  model_of((rmat_config){.rows_scale = 17, .cols_scale = 9}),
                                  square_model(42), rare_model(20, 600000), rare_model(20, 600000)};
    const uint64_t first = (UINT64_C(1) << 33) - 3000000, most = small_run() ? 10001 : 7000001;
    scoped(free) uint64_t *ids = must_alloc(4 * most, 8);
    scoped(free) uint32_t *weights = must_alloc(2 * most, 4);
    rmat_config c = models[_i];

    c.symmetrize = _i == 4;
    if (_i >= 3) {
        c.matrix = (rmat_matrix){0.57, 0.19, 0.19, 0.05};
    }
    scoped(rmat_destroy) rmat_gen *cpu = create_on(RMAT_BACKEND_CPU, c),
                                  *gpu = create_on(RMAT_BACKEND_GPU, c);
    for (int bytes = is_narrow(&c) ? 4 : 8; bytes <= 8; bytes += 4) {
        for (uint64_t count = most; count > 1; count /= 1000) {
            for (uint64_t k = 0; k < 2; k++) {
                const rmat_arrays to = {ids + 2 * k * most, ids + (2 * k + 1) * most,
                                        c.weights ? weights + k * most : NULL, bytes};

                ok(rmat_generate_arrays(k ? gpu : cpu, first, count, &to));
            }
            ck_assert(memcmp(ids, ids + 2 * most, (size_t)bytes * count) == 0);
            ck_assert(memcmp(ids + most, ids + 3 * most, (size_t)bytes * count) == 0);
            ck_assert(memcmp(weights, weights + most, 4 * count) == 0);
        }
    }
}

/* The fingerprint of edges in device memory equals that of the CPU, and is added to the value that
 * is there. */
START_TEST(fingerprints)
{
    const uint64_t most = small_run() ? 5000 : 3000001;
    const uint64_t counts[] = {0, 1, 2, 31, 32, 33, 1000, most};
    scoped(bench_destroy) bench b = bench_of(32, false, 1);
    scoped(free) uint64_t *src = must_alloc(most, 8), *dst = must_alloc(most, 8);
    scoped(free) uint32_t *src32 = must_alloc(most, 4), *dst32 = must_alloc(most, 4);

    ok(rmat_generate(b.cpu, 9, most, src, dst));
    ok(rmat_generate_arrays(b.cpu, 9, most, &(rmat_arrays){src32, dst32, NULL, 4}));
    scoped(free_device) uint64_t *wide_src = on_device(src, 8 * most),
                                 *wide_dst = on_device(dst, 8 * most), *sum = on_device(NULL, 8);
    scoped(free_device) uint32_t *low_src = on_device(src32, 4 * most),
                                 *low_dst = on_device(dst32, 4 * most);
    for (int c = 0; c < 8; c++) {
        const uint64_t start = 1000, n = counts[c], skip = n == most ? 1 : 0;
        const uint64_t once = rmat_fingerprint(src + skip, dst + skip, n - skip, 8);
        uint64_t got;

        must_cuda(cudaMemcpy(sum, &start, 8, cudaMemcpyHostToDevice));
        ok(rmat_fingerprint_device(wide_src + skip, wide_dst + skip, n - skip, 8, sum, NULL));
        ok(rmat_fingerprint_device(low_src + skip, low_dst + skip, n - skip, 4, sum, NULL));
        must_cuda(cudaMemcpy(&got, sum, 8, cudaMemcpyDeviceToHost));
        ck_assert_uint_eq(got, start + 2 * once);
    }
    gives(RMAT_ERR_ARG, rmat_fingerprint_device(wide_src, wide_dst, 1, 5, sum, NULL));
    gives(RMAT_ERR_ARG, rmat_fingerprint_device(wide_src, wide_dst, 1, 8, NULL, NULL));
    gives(RMAT_ERR_ARG, rmat_fingerprint_device(NULL, wide_dst, 1, 8, sum, NULL));
}

TEST_CASES(rmat_gpu_edges, 0, ONCE(forced_ties), LOOP(many_forced_ties, 0, 2 - small_run()),
           LOOP(ties_matter, 0, small_run() < 2),
           LOOP(ties_of_many_edges, 0, small_run() > 1 ? 1 : 3),
           LOOP(ties_without_redraws, 0, !small_run()),
           LOOP(many_redraws, 0, small_run() > 1 ? 0 : 2),
           LOOP(host_memory, 0, small_run() > 1 ? 1 : 5), ONCE(fingerprints))
