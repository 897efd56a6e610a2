/* What `rmat stats` counts: on a GPU the same as on the CPU, in one pass and in several, and also
 * where the GPU fails.  Of graphs without edges: cli/test_stats_gpu.py. */
#include "alias/gpu/device.h"
#include "apps/engine/engine.h"
#include "apps/engine/source/edge_source.h"
#include "apps/stats/count.h"
#include "tests/support/gpu_util.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LEAST_MEMORY = 7 << 20, LESS_EDGES = 30000 /* in small runs */ };

typedef struct {
    const char *name;
    int rows_scale, cols_scale, id_bytes;
    uint64_t vertices; /* 0: as the scales say */
    uint64_t edges;
    int permute, symmetrize;
    uint64_t memory; /* for several passes, or 0 */
} graph;

static const graph graphs[] = {
    {"one edge", 1, 1, 4, 0, 1, 0, 0, 0},
    {"usual", 15, 15, 4, 0, 800001, 0, 0, LEAST_MEMORY},
    {"permuted", 14, 14, 4, 0, 300001, 1, 0, 0},
    {"permuted, wide", 14, 14, 8, 0, 99999, 1, 0, 0},
    {"permuted, any number of vertices", 14, 14, 4, 10001, 70001, 1, 0, 0},
    {"few vertices, permuted", 3, 3, 4, 7, 1000, 1, 0, 0},
    {"many copies", 2, 2, 4, 0, 1000000, 0, 0, 0},
    {"many copies, wide", 2, 2, 8, 0, 300000, 0, 0, 0},
    {"symmetric", 14, 14, 4, 0, 1600000, 0, 1, LEAST_MEMORY},
    {"rectangular", 9, 5, 4, 0, 20000, 1, 0, 0},
    {"rectangular, wide", 5, 40, 8, 0, 20000, 1, 0, 0},
    {"sparse", 40, 40, 8, 0, 150001, 1, 0, LEAST_MEMORY + (1 << 20)},
    {"sparse, rectangular", 40, 3, 8, 0, 100000, 0, 0, LEAST_MEMORY + (1 << 20)},
    {"sparse, narrow", 28, 28, 4, 0, 100001, 0, 0, LEAST_MEMORY},
};

static char path[] = "/tmp/test_stats_gpu_XXXXXX";

static void make_file(const graph *g)
{
    engine_result result;
    engine_job job;

    engine_job_default(&job);
    job.model.rows_scale = g->rows_scale;
    job.model.cols_scale = g->cols_scale;
    job.model.rows = job.model.cols = g->vertices;
    job.model.permute = g->permute;
    job.model.symmetrize = g->symmetrize;
    job.model.backend = RMAT_BACKEND_CPU;
    job.edges = g->edges >> g->symmetrize;
    job.id_bytes = g->id_bytes;
    job.output = path;
    job.replace = true;
    ck_assert_msg(engine_run(&job, NULL, &result) == ENGINE_OK, "%s: %s", g->name, engine_detail());
}

/* Results of a graph, by so many threads in so much memory. */
static int count(const graph *g, rmat_backend backend, int threads, uint64_t memory, bool pairs,
                 stats_results *results)
{
    const stats_job job = {
        .options = {"stats", g->name, threads, memory, 10, true},
        .pairs = pairs,
        .levels = true,
        .backend = backend,
    };
    edge_source *source;
    int status;

    make_file(g);
    ck_assert_int_eq(edge_source_open(&source, path), ENGINE_OK);
    /* With the model a permutation is undone. */
    ck_assert_ptr_nonnull(edge_source_facts_of(source)->model);
    status = stats_run(source, &job, results);
    edge_source_close(source);
    return status;
}

static void check_degrees(const degree_distribution *a, const degree_distribution *b,
                          const char *name)
{
    ck_assert_msg(a->n_bins == b->n_bins && a->n_top == b->n_top, "%s", name);
    ck_assert_msg(a->n_bins == 0 || memcmp(a->bins, b->bins, a->n_bins * sizeof *a->bins) == 0,
                  "%s: bins", name);
    ck_assert_msg(a->n_top == 0 || memcmp(a->top, b->top, a->n_top * sizeof *a->top) == 0,
                  "%s: top", name);
}

static void check_same(const stats_results *a, const stats_results *b, const char *name)
{
    ck_assert_msg(a->rows == b->rows && a->cols == b->cols, "%s", name);
    ck_assert_int_eq(a->degrees.square, b->degrees.square);
    for (int i = 0; i < DEGREE_KINDS; i++) {
        check_degrees(&a->degrees.of[i], &b->degrees.of[i], name);
    }
    ck_assert_msg(a->loops == b->loops, "%s: loops", name);
    ck_assert_msg(a->pairs.distinct == b->pairs.distinct, "%s: %llu distinct edges, expected %llu",
                  name, (unsigned long long)a->pairs.distinct,
                  (unsigned long long)b->pairs.distinct);
    ck_assert_msg(a->pairs.loops == b->pairs.loops && a->pairs.mutual == b->pairs.mutual,
                  "%s: pairs", name);
    ck_assert_msg(memcmp(&a->levels.counts, &b->levels.counts, sizeof a->levels.counts) == 0,
                  "%s: levels", name);
}

/* The CPU's results, and those of a GPU in the same memory or, for 0, in all of it. */
static void check(const graph *g, int threads, uint64_t memory, bool pairs, uint64_t *passes)
{
    stats_results expected, found;

    ck_assert_int_eq(count(g, RMAT_BACKEND_CPU, 2, 0, pairs, &expected), 0);
    ck_assert_int_eq(count(g, RMAT_BACKEND_GPU, threads, memory, pairs, &found), 0);
    check_same(&found, &expected, g->name);
    *passes = found.passes;
    degree_counts_free(&expected.degrees);
    degree_counts_free(&found.degrees);
}

START_TEST(same_counts)
{
    const size_t before = free_device_memory();

    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        graph g = graphs[i];
        uint64_t passes;

        if (small_run() && g.edges > LESS_EDGES) {
            g.edges = LESS_EDGES;
        }
        check(&g, 3, 0, true, &passes);
        ck_assert_uint_eq(passes, 1);
        if (small_run()) {
            continue;
        }
        check(&g, 1, 0, false, &passes);
        if (g.memory != 0) {
            check(&g, 1, g.memory, true, &passes);
            ck_assert_msg(passes > 1, "%s: %llu passes", g.name, (unsigned long long)passes);
        }
    }
    check_no_leak(before);
}
END_TEST

/* A launch that fails: --backend gpu says so, auto counts by the CPU. */
START_TEST(failing_launches)
{
    const size_t before = free_device_memory();
    stats_results expected, found;
    graph large = graphs[1];

    for (int after = 0; after < 2; after++) { /* of degrees, of pairs */
        alias_gpu_fail_launch(after);
        ck_assert_int_eq(count(&graphs[1], RMAT_BACKEND_GPU, 1, 0, true, &found), 1);
        degree_counts_free(&found.degrees);
    }
    alias_gpu_fail_launch(-1);
    if (!small_run()) {
        large.edges = (20 << 20) + 1; /* so many that they are the GPU's */
        ck_assert_int_eq(count(&large, RMAT_BACKEND_CPU, 2, 0, true, &expected), 0);
        alias_gpu_fail_launch(0);
        ck_assert_int_eq(count(&large, RMAT_BACKEND_AUTO, 1, 0, true, &found), 0);
        alias_gpu_fail_launch(-1);
        check_same(&found, &expected, large.name);
        degree_counts_free(&expected.degrees);
        degree_counts_free(&found.degrees);
    }
    check_no_leak(before);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stats_gpu");
    TCase *tests = tcase_create("stats_gpu");
    const int fd = mkstemp(path);
    int status;

    if (fd < 0 || engine_start() != ENGINE_OK) {
        perror(path);
        return 1;
    }
    close(fd);

    tcase_add_test(tests, same_counts);
    tcase_add_test(tests, failing_launches);
    tcase_set_timeout(tests, 100);
    suite_add_tcase(suite, tests);
    status = run_gpu_suite(suite);
    engine_stop();
    unlink(path);
    return status;
}
