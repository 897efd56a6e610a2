/* CSR of the stream `rows` that a GPU makes equals that of the CPU: all models, both widths, parts
 * of the rows, graphs of few and of many edges, rows of any vertices; and so do ranges of the list,
 * counts of rows, and what generators make of both; errors. */
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_rows.h"
#include "tests/support/gpu_util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int rows_scale, cols_scale;
    uint64_t rows, cols, edges;
    int no_self_loops;
    double noise;
    rmat_matrix matrix;
} models[] = {
    {20, 20, 0, 0, 1 << 24, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {19, 19, 0, 0, 1 << 18, 0, 0, {0.57, 0.19, 0.19, 0.05}}, /* few edges a row */
    {16, 16, 0, 0, 1 << 20, 0, 0, {0.25, 0.25, 0.25, 0.25}},
    {14, 14, 0, 0, 1 << 20, 0, 0.1, {0.57, 0.19, 0.19, 0.05}},
    {20, 20, 0, 0, 1 << 22, 0, 0.1, {0.57, 0.19, 0.19, 0.05}}, /* more tables than in shared memory
                                                                */
    {3, 3, 0, 0, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},     /* copies */
    {1, 30, 0, 0, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {20, 4, 0, 0, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {18, 32, 0, 0, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {12, 62, 0, 0, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {17, 17, 0, 0, 1 << 20, 0, 0, {0.9, 0, 0.1, 0}},
    {18, 18, 200000, 200000, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {18, 10, 0, 600, 1 << 20, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {16, 16, 0, 0, 1 << 20, 1, 0, {0.57, 0.19, 0.19, 0.05}},
    {15, 15, 20000, 20000, 1 << 20, 1, 0.05, {0.57, 0.19, 0.19, 0.05}},
    /* 200 edges a node of a level, for which there is no room at once */
    {20, 20, 0, 0, 200 << 17, 0, 0, {0.25, 0.25, 0.25, 0.25}},
    {20, 20, 0, 0, 1, 0, 0, {0.57, 0.19, 0.19, 0.05}},
    {20, 20, 0, 0, 0, 0, 0, {0.57, 0.19, 0.19, 0.05}},
};
enum { MODELS = sizeof models / sizeof models[0] };

static rmat_config config_of(int i)
{
    rmat_config c;

    rmat_config_default(&c);
    c.rows_scale = models[i].rows_scale;
    c.cols_scale = models[i].cols_scale;
    c.rows = models[i].rows;
    c.cols = models[i].cols;
    c.no_self_loops = models[i].no_self_loops;
    c.noise = models[i].noise;
    c.matrix = models[i].matrix;
    c.seed = 5 + (uint64_t)i;
    return c;
}

static void check_part(const rmat_rows *rows, uint64_t begin, uint64_t end, int id_bytes)
{
    const uint64_t n = end - begin + 1;
    uint64_t *pointers = malloc(n * 8), *got = malloc(n * 8), *gpu_pointers, edges;
    char *dst, *found;
    void *gpu_dst;

    ck_assert(pointers != NULL && got != NULL);
    ck_assert_int_eq(rmat_rows_csr(rows, begin, end, pointers, 0, NULL, NULL, id_bytes), RMAT_OK);
    edges = pointers[n - 1] - pointers[0];
    dst = malloc(edges * (uint64_t)id_bytes + 1);
    found = malloc(edges * (uint64_t)id_bytes + 1);
    ck_assert(dst != NULL && found != NULL);
    ck_assert_int_eq(rmat_rows_csr(rows, begin, end, pointers, edges, dst, NULL, id_bytes),
                     RMAT_OK);
    gpu_pointers = on_device(NULL, n * 8);
    gpu_dst = on_device(NULL, edges * (uint64_t)id_bytes + 1);
    must_cuda(cudaMemset(gpu_pointers, 0xff, n * 8));
    if (edges > 0) {
        ck_assert_int_eq(rmat_rows_csr_device(rows, begin, end, gpu_pointers, edges - 1, gpu_dst,
                                              id_bytes, NULL),
                         RMAT_ERR_FULL);
    }
    ck_assert_int_eq(
        rmat_rows_csr_device(rows, begin, end, gpu_pointers, edges, gpu_dst, id_bytes, NULL),
        RMAT_OK);
    must_cuda(cudaMemcpy(got, gpu_pointers, n * 8, cudaMemcpyDeviceToHost));
    must_cuda(cudaMemcpy(found, gpu_dst, edges * (uint64_t)id_bytes, cudaMemcpyDeviceToHost));
    must(memcmp(got, pointers, n * 8) == 0, "pointers of rows %" PRIu64 " to %" PRIu64, begin, end);
    must(memcmp(found, dst, edges * (uint64_t)id_bytes) == 0,
         "edges of rows %" PRIu64 " to %" PRIu64 ", %d bytes", begin, end, id_bytes);
    must_cuda(cudaFree(gpu_pointers));
    must_cuda(cudaFree(gpu_dst));
    free(pointers);
    free(got);
    free(dst);
    free(found);
}

/* Rows of any vertices, some of them twice, one of them beyond the graph. */
static void check_batch(const rmat_rows *rows, uint64_t n, int id_bytes)
{
    enum { COUNT = 3000 };
    uint64_t vertices[COUNT], offsets[COUNT + 1], degrees[COUNT], edges = 0;
    uint64_t *gpu_vertices, *gpu_offsets;
    char *dst, *found;
    void *gpu_dst;

    for (uint64_t i = 0; i < COUNT; i++) {
        vertices[i] = i % 3 == 0 ? i / 6 % n : i * 0x9E3779B97F4A7C15 % n;
    }
    ck_assert_int_eq(rmat_rows_degrees(rows, COUNT, vertices, degrees, NULL), RMAT_OK);
    vertices[COUNT / 2] = n;
    degrees[COUNT / 2] = 0;
    for (int i = 0; i < COUNT; i++) {
        edges += degrees[i];
    }
    dst = malloc(edges * (uint64_t)id_bytes + 1);
    found = malloc(edges * (uint64_t)id_bytes + 1);
    ck_assert(dst != NULL && found != NULL);
    gpu_vertices = on_device(vertices, sizeof vertices);
    gpu_offsets = on_device(NULL, sizeof offsets);
    gpu_dst = on_device(NULL, edges * (uint64_t)id_bytes + 1);
    for (int room = edges > 0 ? -1 : 0; room <= 0; room++) {
        ck_assert_int_eq(rmat_rows_batch_device(rows, COUNT, gpu_vertices, gpu_offsets,
                                                edges + (uint64_t)room, gpu_dst, id_bytes, NULL),
                         room < 0 ? RMAT_ERR_FULL : RMAT_OK);
        must_cuda(cudaMemcpy(offsets, gpu_offsets, sizeof offsets, cudaMemcpyDeviceToHost));
        must(offsets[COUNT] == edges, "%" PRIu64 " edges of a batch", offsets[COUNT]);
    }
    must_cuda(cudaMemcpy(found, gpu_dst, edges * (uint64_t)id_bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < COUNT; i++) {
        must(offsets[i + 1] - offsets[i] == degrees[i], "degree of vertex %" PRIu64, vertices[i]);
        if (vertices[i] < n) {
            ck_assert_int_eq(
                rmat_rows_row(rows, vertices[i], dst + offsets[i] * (uint64_t)id_bytes, id_bytes),
                RMAT_OK);
        }
    }
    must(memcmp(found, dst, edges * (uint64_t)id_bytes) == 0, "rows of a batch");
    must_cuda(cudaFree(gpu_vertices));
    must_cuda(cudaFree(gpu_offsets));
    must_cuda(cudaFree(gpu_dst));
    free(dst);
    free(found);
}

START_TEST(same)
{
    const rmat_config c = config_of(_i);
    const uint64_t n = c.rows ? c.rows : (uint64_t)1 << c.rows_scale;
    const uint64_t edges = small_run() ? models[_i].edges >> 8 : models[_i].edges;
    rmat_rows *rows;

    ck_assert_int_eq(rmat_rows_create(&rows, &c, edges), RMAT_OK);
    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        if (id_bytes == 8 || c.cols_scale <= 32) {
            check_part(rows, 0, n, id_bytes);
            check_batch(rows, n, id_bytes);
        }
    }
    check_part(rows, n / 3, n, c.cols_scale <= 32 ? 4 : 8);
    check_part(rows, 0, 1, 8);
    check_part(rows, n / 2, n / 2, 8);
    check_part(rows, n / 5, n / 2, 8);
    rmat_rows_destroy(rows);
}
END_TEST

/* Edges [first, first + count) by generators of either backend, as the host gets them. */
static void check_range(rmat_gen *const gens[2], uint64_t first, uint64_t count, int id_bytes)
{
    const uint64_t bytes = count * (uint64_t)id_bytes;
    char *ends[2];

    for (int i = 0; i < 2; i++) {
        ends[i] = malloc(2 * bytes + 1);
        ck_assert(ends[i] != NULL);
        ck_assert_int_eq(
            rmat_generate_arrays(gens[i], first, count,
                                 &(rmat_arrays){ends[i], ends[i] + bytes, NULL, id_bytes}),
            RMAT_OK);
    }
    must(memcmp(ends[0], ends[1], 2 * bytes) == 0,
         "edges %" PRIu64 " and %" PRIu64 " more, %d bytes", first, count, id_bytes);
    free(ends[0]);
    free(ends[1]);
}

static void check_counts(const rmat_config *c, uint64_t edges)
{
    rmat_rows_counts host, gpu;
    rmat_rows *rows;

    ck_assert_int_eq(rmat_rows_create(&rows, c, edges), RMAT_OK);
    for (int part = 0; part < 4; part++) {
        const uint64_t first = edges / 3 * (uint64_t)(part % 3); /* the last one: all */
        const uint64_t count = part < 2 ? edges / 3 : edges - first;

        memset(&host, 0, sizeof host);
        memset(&gpu, 0, sizeof gpu);
        ck_assert_int_eq(rmat_rows_count(rows, first, count, &host), RMAT_OK);
        ck_assert_int_eq(rmat_rows_count_device(rows, first, count, &gpu), RMAT_OK);
        must(memcmp(&host, &gpu, sizeof host) == 0, "counts of part %d", part);
    }
    rmat_rows_destroy(rows);
}

START_TEST(lists)
{
    const uint64_t edges = small_run() ? models[_i].edges >> 8 : models[_i].edges / 4;
    rmat_config c = config_of(_i);
    rmat_gen *gens[2];

    c.stream = RMAT_STREAM_ROWS;
    c.edges = edges;
    c.backend = RMAT_BACKEND_CPU;
    ck_assert_int_eq(rmat_create(&gens[0], &c), RMAT_OK);
    c.backend = RMAT_BACKEND_GPU;
    ck_assert_int_eq(rmat_create(&gens[1], &c), RMAT_OK);
    for (int id_bytes = 4; id_bytes <= 8; id_bytes += 4) {
        if (id_bytes == 8 || (c.rows_scale <= 32 && c.cols_scale <= 32)) {
            check_range(gens, 0, edges, id_bytes);
            check_range(gens, edges / 7, edges / 3, id_bytes);
            check_range(gens, edges / 2, edges > 1, id_bytes);
        }
    }
    check_counts(&c, edges);
    rmat_destroy(gens[0]);
    rmat_destroy(gens[1]);
}
END_TEST

/* Rows in CSR form, straight from the tree and, of distinct edges, on a CPU through an interval;
 * with few and with many copies, for which there is no room at once. */
START_TEST(csr)
{
    rmat_config c;
    rmat_gen *gens[2];

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = _i == 0 ? 14 : 8;
    c.stream = RMAT_STREAM_ROWS;
    c.edges = _i == 0 ? 1 << 18 : small_run() ? 200 << 7 : 200 << 15;
    if (_i == 1) {
        c.matrix = (rmat_matrix){0.25, 0.25, 0.25, 0.25};
    }
    for (int i = 0; i < 2; i++) {
        c.backend = i == 0 ? RMAT_BACKEND_CPU : RMAT_BACKEND_GPU;
        ck_assert_int_eq(rmat_create(&gens[i], &c), RMAT_OK);
    }
    for (int k = 0; k < 6; k++) {
        const rmat_csr_spec spec = {c.edges, k % 2, k < 4 ? 4 : 8, 0};
        const uint64_t rows = (uint64_t)1 << c.rows_scale;
        const uint64_t begin = k < 2 ? 0 : 5, end = k < 2 ? rows : rows / 5 * 3;
        rmat_csr host, gpu;
        uint64_t *pointers;
        char *indices;

        ck_assert_int_eq(rmat_csr_rows(gens[0], begin, end, &spec, &host), RMAT_OK);
        ck_assert_int_eq(rmat_csr_rows_device(gens[1], begin, end, &spec, &gpu), RMAT_OK);
        ck_assert_uint_eq(host.edges, gpu.edges);
        pointers = malloc((host.rows + 1) * 8);
        indices = malloc(host.edges * (uint64_t)spec.id_bytes + 1);
        ck_assert(pointers != NULL && indices != NULL);
        must_cuda(cudaMemcpy(pointers, gpu.pointers, (host.rows + 1) * 8, cudaMemcpyDeviceToHost));
        must_cuda(cudaMemcpy(indices, gpu.indices, host.edges * (uint64_t)spec.id_bytes,
                             cudaMemcpyDeviceToHost));
        must(memcmp(pointers, host.pointers, (host.rows + 1) * 8) == 0, "pointers of case %d", k);
        must(memcmp(indices, host.indices, host.edges * (uint64_t)spec.id_bytes) == 0,
             "indices of case %d", k);
        free(pointers);
        free(indices);
        rmat_csr_free(&host);
        rmat_csr_free_device(gens[1], &gpu);
    }
    rmat_destroy(gens[0]);
    rmat_destroy(gens[1]);
}
END_TEST

/* More edges than are made at a time. */
START_TEST(waves)
{
    rmat_config c;
    rmat_rows *rows;

    if (small_run()) {
        return;
    }
    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 24;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, (uint64_t)1200 << 20), RMAT_OK);
    check_part(rows, 0, 1 << 24, 4);
    rmat_rows_destroy(rows);
}
END_TEST

typedef struct {
    const rmat_rows *rows;
    uint64_t *pointers;
    uint32_t *dst;
} attempt;

static int try_once(void *data)
{
    const attempt *a = data;

    return rmat_rows_csr_device(a->rows, 0, 1 << 16, a->pointers, 1 << 20, a->dst, 4, NULL);
}

START_TEST(failures)
{
    rmat_config c;
    attempt a;
    rmat_rows *rows;

    rmat_config_default(&c);
    c.rows_scale = c.cols_scale = 16;
    ck_assert_int_eq(rmat_rows_create(&rows, &c, 1 << 20), RMAT_OK);
    a = (attempt){rows, on_device(NULL, ((1 << 16) + 1) * 8), on_device(NULL, 4 << 20)};
    ck_assert_int_eq(rmat_rows_csr_device(rows, 1, 0, a.pointers, 1, a.dst, 4, NULL),
                     RMAT_ERR_ROWS);
    ck_assert_int_eq(rmat_rows_csr_device(rows, 0, (1 << 16) + 1, a.pointers, 1, a.dst, 4, NULL),
                     RMAT_ERR_ROWS);
    ck_assert_int_eq(try_once(&a), RMAT_OK);
    must_cuda(cudaFree(a.pointers));
    must_cuda(cudaFree(a.dst));
    rmat_rows_destroy(rows);
}
END_TEST

TEST_CASES(rmat_gpu_rows, 300, LOOP(same, 0, MODELS), LOOP(lists, 0, MODELS), LOOP(csr, 0, 2),
           ONCE(waves), ONCE(failures))
