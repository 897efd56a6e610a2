/* The shape of a graph that is counted on the GPU equals that of the CPU, and so does a fit that
 * simulates there. */
#include "rmat/rmat_fit.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_shape.h"
#include "tests/support/gpu_util.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    int scale, permute, symmetrize, no_self_loops, unique;
    uint64_t vertices, edges;
    double noise;
} models[] = {
    {1, 0, 0, 0, 0, 0, 10, 0},
    {10, 0, 0, 0, 0, 0, 0, 0},
    {14, 1, 0, 0, 0, 0, 200000, 0},
    {14, 1, 1, 1, 1, 10000, 200000, 0.1},
    {20, 0, 0, 0, 1, 0, 8000000, 0}, /* more than probes */
    {17, 1, 0, 1, 0, 70000, 3000000, 0.05},
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_config config_of(int i)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = models[i].scale;
    c.rows = c.cols = models[i].vertices;
    c.permute = models[i].permute;
    c.symmetrize = models[i].symmetrize;
    c.no_self_loops = models[i].no_self_loops;
    c.noise = models[i].noise;
    return c;
}

START_TEST(same_as_cpu)
{
    rmat_config c = config_of(_i);
    const uint64_t edges = small_run() && models[_i].edges > 20000 ? 20000 : models[_i].edges;
    rmat_shape *expected = malloc(sizeof *expected), *shape = malloc(sizeof *shape);
    size_t before;
    rmat_gen *cpu, *gpu;
    int st;

    ck_assert_int_eq(rmat_create(&cpu, &c), RMAT_OK);
    c.backend = RMAT_BACKEND_GPU;
    before = free_device_memory();
    ck_assert_int_eq(rmat_create(&gpu, &c), RMAT_OK);
    for (int probes = 0; probes < 2; probes++) {
        ck_assert_int_eq(rmat_shape_of(cpu, edges, models[_i].unique, probes, expected), RMAT_OK);
        st = rmat_shape_of(gpu, edges, models[_i].unique, probes, shape);
        must(st == RMAT_OK, "%s; %s", rmat_strerror(st), rmat_gpu_error());
        must(memcmp(shape, expected, sizeof *shape) == 0, "another shape, probes %d", probes);
    }
    rmat_destroy(cpu);
    rmat_destroy(gpu);
    check_no_leak(before);
    free(expected);
    free(shape);
}
END_TEST

/* Edges of a generator as a source. */
static int fill(void *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    return rmat_generate_arrays(gen, first, count, to);
}

START_TEST(same_graph)
{
    const uint64_t edges = small_run() ? 20000 : 200000;
    rmat_fit_graph *expected = malloc(sizeof *expected), *graph = malloc(sizeof *graph);
    rmat_config c = config_of(2);
    rmat_source source = {.rows = 1 << 14, .cols = 1 << 14, .edges = edges, .fill = fill};
    rmat_fit_input input;
    rmat_gen *gen;
    int st;

    c.direction = _i == 1 ? RMAT_LOWER : RMAT_DIRECTED;
    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    source.state = gen;
    rmat_fit_input_default(&input);
    ck_assert_int_eq(rmat_fit_examine(expected, &source, &input), RMAT_OK);
    input.backend = RMAT_BACKEND_GPU;
    st = rmat_fit_examine(graph, &source, &input);
    must(st == RMAT_OK, "%s; %s", rmat_strerror(st), rmat_gpu_error());
    ck_assert_int_eq(graph->listed, _i == 1 ? RMAT_LISTED_LOWER : RMAT_LISTED_DIRECTED);
    ck_assert_mem_eq(&graph->shape, &expected->shape, sizeof graph->shape);
    input.memory = 1000;
    ck_assert_int_eq(rmat_fit_examine(graph, &source, &input), RMAT_ERR_NOMEM);
    rmat_destroy(gen);
    free(expected);
    free(graph);
}
END_TEST

START_TEST(same_fit)
{
    rmat_config c = config_of(3);
    rmat_fit_graph *graph = malloc(sizeof *graph);
    rmat_fit_result *cpu = malloc(sizeof *cpu), *gpu = malloc(sizeof *gpu);
    rmat_fit_options options;
    rmat_gen *gen;
    int st;

    ck_assert_int_eq(rmat_create(&gen, &c), RMAT_OK);
    graph->listed = RMAT_LISTED_BOTH;
    ck_assert_int_eq(rmat_shape_of(gen, small_run() ? 20000 : 200000, 1, 1, &graph->shape),
                     RMAT_OK);
    rmat_destroy(gen);
    rmat_fit_options_default(&options);
    options.simulations = small_run() ? 2 : 8;
    ck_assert_int_eq(rmat_fit(graph, &options, cpu), RMAT_OK);
    options.backend = RMAT_BACKEND_GPU;
    st = rmat_fit(graph, &options, gpu);
    must(st == RMAT_OK, "%s; %s", rmat_strerror(st), rmat_gpu_error());
    ck_assert_double_eq(gpu->a.value, cpu->a.value);
    ck_assert_double_eq(gpu->noise.error, cpu->noise.error);
    ck_assert_mem_eq(&gpu->like, &cpu->like, sizeof gpu->like);
    free(graph);
    free(cpu);
    free(gpu);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rmat_gpu_shape");
    TCase *t = tcase_create("shape");

    tcase_set_timeout(t, 300);
    tcase_add_loop_test(t, same_as_cpu, 0, MODELS);
    tcase_add_loop_test(t, same_graph, 0, 2);
    tcase_add_test(t, same_fit);
    suite_add_tcase(s, t);
    return run_gpu_suite(s);
}
