/*
 * The stream `rows`: parts of a graph, on a CPU and on a GPU, are slices of the whole, for all
 * functions that make them.  Tests that the whole is right: test_rmat_rows_list.c and, with ranges
 * of the list, test_rmat_rows_lanes.c. Tests that it follows the model: test_rmat_rows_law.c.
 */
#include "rmat/rmat_csr.h"
#include "rmat/rows/rows.h"
#include "tests/support/interval_reference.h"
#include "tests/support/rows_graph.h"
#include "tests/support/run_suite.h"

#include <unistd.h>

enum { EDGES = 30000 };

static graph whole(const rmat_config *c, uint64_t edges)
{
    const graph g = make(c, edges);

    ok(rmat_rows_csr(g.rows, 0, g.n, g.pointers, edges, g.dst, NULL, 8));
    ck_assert_uint_eq(g.pointers[0], 0);
    ck_assert_uint_eq(g.pointers[g.n], edges);
    return g;
}

/* The source of every edge. */
static uint64_t *sources_of(const graph *g)
{
    uint64_t *src = must_alloc(g->edges + 1, sizeof *src);

    for (uint64_t v = 0; v < g->n; v++) {
        for (uint64_t i = g->pointers[v]; i < g->pointers[v + 1]; i++) {
            src[i] = v;
        }
    }
    return src;
}

/* rmat_rows_csr(), or what a GPU has in its place, whose arrays come to the host. */
static int csr_of(const graph *g, uint64_t begin, uint64_t end, uint64_t *pointers, uint64_t room,
                  void *dst, int id_bytes)
{
    const size_t rows = (end - begin + 1) * sizeof *pointers, bytes = room * (size_t)id_bytes;
    uint64_t *device_pointers;
    void *device_dst;
    int st;

    if (!ON_GPU) {
        return rmat_rows_csr(g->rows, begin, end, pointers, room, dst, NULL, id_bytes);
    }
    device_pointers = on_device(NULL, rows);
    device_dst = on_device(NULL, bytes + 1);
    st = rmat_rows_make_device(g->rows, NULL, begin, end, 0, device_pointers, room, device_dst,
                               id_bytes, NULL, NULL);
    if (st == RMAT_OK) {
        copy_to_host(pointers, device_pointers, rows);
        copy_to_host(dst, device_dst, bytes);
    }
    free_device(device_pointers);
    free_device(device_dst);
    return st;
}

static void check_part(const graph *g, uint64_t begin, uint64_t end, int id_bytes)
{
    scoped(free) uint64_t *pointers = must_alloc(end - begin + 1, sizeof *pointers);
    const uint64_t edges = g->pointers[end] - g->pointers[begin];
    scoped(free) uint64_t *dst = must_alloc(edges + 1, sizeof *dst);

    if (edges > 0) {
        gives(RMAT_ERR_FULL, csr_of(g, begin, end, pointers, edges - 1, dst, id_bytes));
        if (!ON_GPU) { /* which leaves them unset */
            ck_assert_mem_eq(pointers, g->pointers + begin, (end - begin + 1) * sizeof *pointers);
        }
    }
    ok(csr_of(g, begin, end, pointers, edges, dst, id_bytes));
    must(memcmp(pointers, g->pointers + begin, (end - begin + 1) * sizeof *pointers) == 0,
         "pointers of rows %lu to %lu", begin, end);
    check_ids(dst, g->dst + g->pointers[begin], edges, id_bytes, "rows");
}

/* Each row by itself. */
static void check_vertices(const graph *g)
{
    scoped(free) uint64_t *dst = must_alloc(g->edges + 1, sizeof *dst);

    for (uint64_t v = 0; v < g->n; v++) {
        uint64_t degree, start;

        ok(rmat_rows_degrees(g->rows, 1, &v, &degree, &start));
        must(start == g->pointers[v] && degree == g->pointers[v + 1] - start, "row %lu", v);
        ok(rmat_rows_row(g->rows, v, dst, 8));
        must(memcmp(dst, g->dst + start, degree * sizeof *dst) == 0, "row %lu", v);
    }
}

/* Rows of any vertices on a GPU, some of them twice, one of them beyond the graph. */
static void check_batch(const graph *g, int id_bytes)
{
    enum { COUNT = 3000 };
    uint64_t vertices[COUNT], expected[COUNT + 1] = {0}, *offsets;
    void *gpu_vertices, *gpu_offsets, *gpu_dst;
    char *dst;

    for (uint64_t i = 0; i < COUNT; i++) {
        const uint64_t v = i % 3 == 0 ? i / 6 % g->n : i * 0x9E3779B97F4A7C15 % g->n;

        vertices[i] = i == COUNT / 2 ? g->n : v;
        expected[i + 1] = expected[i];
        expected[i + 1] += vertices[i] < g->n ? g->pointers[v + 1] - g->pointers[v] : 0;
    }
    gpu_vertices = on_device(vertices, sizeof vertices);
    gpu_offsets = on_device(NULL, sizeof expected);
    gpu_dst = on_device(NULL, expected[COUNT] * (uint64_t)id_bytes + 1);
    for (int room = expected[COUNT] > 0 ? -1 : 0; room <= 0; room++) {
        ck_assert_int_eq(rmat_rows_batch_device(g->rows, COUNT, gpu_vertices, gpu_offsets,
                                                expected[COUNT] + (uint64_t)room, gpu_dst, id_bytes,
                                                NULL),
                         room < 0 ? RMAT_ERR_FULL : RMAT_OK);
        offsets = to_host(gpu_offsets, sizeof expected);
        ck_assert_uint_eq(offsets[COUNT], expected[COUNT]);
        must(room < 0 || memcmp(offsets, expected, sizeof expected) == 0, "degrees of a batch");
        free(offsets);
    }
    dst = to_host(gpu_dst, expected[COUNT] * (uint64_t)id_bytes);
    for (int i = 0; i < COUNT; i++) {
        check_ids(dst + expected[i] * (uint64_t)id_bytes,
                  vertices[i] < g->n ? g->dst + g->pointers[vertices[i]] : NULL,
                  expected[i + 1] - expected[i], id_bytes, "a batch");
    }
    free_device(gpu_vertices);
    free_device(gpu_offsets);
    free_device(gpu_dst);
    free(dst);
}

/* Graphs that are taken apart: some on either backend, and larger ones on a GPU. */
static const struct {
    rmat_config model;
    uint64_t edges;
} graphs[] = {
    {{SQUARE(10)}, 30000},
    {{.rows_scale = 10, .cols_scale = 13}, 30000},
    {{.rows_scale = 10, .cols_scale = 7}, 30000},
    {{SQUARE(10), .rows = 1000, .cols = 700}, 30000},
    {{SQUARE(10), .rows = 1023, .cols = 1023, .no_self_loops = 1}, 30000},
    {{SQUARE(10), .no_self_loops = 1, .noise = 0.1}, 30000},
    /* rows with few wanted destinations */
    {{SQUARE(5), .rows = 17, .cols = 17, .no_self_loops = 1,
      .matrix = {0.001, 0.599, 0.399, 0.001}},
     30000},
    {{SQUARE(20)}, 1 << 24},
    {{SQUARE(19)}, 1 << 18}, /* few edges a row */
    {{SQUARE(16), .matrix = {0.25, 0.25, 0.25, 0.25}}, 1 << 20},
    {{SQUARE(14), .noise = 0.1}, 1 << 20},
    {{SQUARE(20), .noise = 0.1}, 1 << 22}, /* more tables than shared memory
                                                                      has room for */
    {{SQUARE(3)}, 1 << 20},                /* copies */
    {{.rows_scale = 1, .cols_scale = 30}, 1 << 20},
    {{.rows_scale = 20, .cols_scale = 4}, 1 << 20},
    {{.rows_scale = 18, .cols_scale = 32}, 1 << 20},
    {{.rows_scale = 12, .cols_scale = 62}, 1 << 20},
    {{SQUARE(17), .matrix = {0.9, 0, 0.1, 0}}, 1 << 20},
    {{SQUARE(18), .rows = 200000, .cols = 200000}, 1 << 20},
    {{.rows_scale = 18, .cols_scale = 10, .cols = 600}, 1 << 20},
    {{SQUARE(18), .cols = 131073}, 1 << 20},
    {{SQUARE(16), .no_self_loops = 1}, 1 << 20},
    {{SQUARE(15), .rows = 20000, .cols = 20000, .no_self_loops = 1, .noise = 0.05}, 1 << 20},
    /* 200 edges a node of a level, for which there is no room at once */
    {{SQUARE(20), .matrix = {0.25, 0.25, 0.25, 0.25}}, 200 << 17},
    {{SQUARE(20)}, 1},
    {{SQUARE(20)}, 0},
};
enum { ALL_GRAPHS = COUNT(graphs), GRAPHS = ON_GPU ? ALL_GRAPHS : 7 };

static rmat_config model_at(int i)
{
    rmat_config c = model_of(graphs[i].model);

    c.threads = 2;
    c.seed = (uint64_t)i + 7;
    return c;
}

static uint64_t edges_of(int i)
{
    return small_run() && graphs[i].edges > 30000 ? graphs[i].edges >> 8 : graphs[i].edges;
}

START_TEST(parts)
{
    const rmat_config c = model_at(_i);
    const uint64_t rows[] = {0, 1, rows_of(&c) / 2, rows_of(&c) / 5};
    scoped(drop) graph g = whole(&c, edges_of(_i));

    for (int bytes = c.cols_scale <= 32 ? 4 : 8; bytes <= 8; bytes += 4) {
        check_part(&g, 0, g.n, bytes);
        for (int k = 0; k < 4; k++) {
            check_part(&g, rows[k], rows[k], bytes);
            check_part(&g, rows[k], rows[k] < g.n / 2 ? g.n / 2 : g.n, bytes);
        }
        if (ON_GPU) {
            check_batch(&g, bytes);
        }
    }
    if (!ON_GPU) {
        for (uint64_t at = 0, n = 0; at <= g.n; at += n, n = n * 3 / 2 + 1) {
            check_part(&g, at, at + n < g.n ? at + n : g.n, 8);
        }
        check_vertices(&g);
    }
}

/* Rows of a generator of the stream, in CSR form, on a GPU in either memory.  Without copies they
 * are sorted for host memory. */
static void check_csr(const rmat_gen *gen, const rmat_config *c, const graph *g, uint64_t begin,
                      uint64_t end, bool unique, int id_bytes)
{
    const rmat_csr_spec spec = {g->edges, unique, id_bytes, 0};

    for (int on_device = 0; on_device <= ON_GPU; on_device++) {
        uint64_t at = 0;
        rmat_csr csr;

        if (!on_device && unique && !is_sortable(c)) {
            gives(RMAT_ERR_GPU_SCALE, rmat_csr_rows(gen, begin, end, &spec, &csr));
            continue;
        }
        ok((on_device ? rmat_csr_rows_device : rmat_csr_rows)(gen, begin, end, &spec, &csr));
        if (on_device) {
            move_csr_to_host(gen, &spec, &csr);
        }
        for (uint64_t v = begin; v < end; v++) {
            must(csr.pointers[v - begin] == at, "pointer of row %lu", v);
            for (uint64_t i = g->pointers[v]; i < g->pointers[v + 1]; i++) {
                if (!unique || i == g->pointers[v] || g->dst[i] != g->dst[i - 1]) {
                    check_ids((char *)csr.indices + at * (uint64_t)id_bytes, &g->dst[i], 1,
                              id_bytes, "CSR");
                    at++;
                }
            }
        }
        ck_assert_uint_eq(csr.pointers[end - begin], at);
        ck_assert_uint_eq(csr.edges, at);
        rmat_csr_free(&csr);
    }
}

/* Ranges of its edges. */
static void check_list(const rmat_gen *gen, const graph *g, const uint64_t *src, int id_bytes)
{
    const uint64_t ranges[][2] = {
        {0, g->edges}, {g->edges / 7, g->edges / 3}, {g->edges / 2, g->edges > 1}};
    scoped(free) uint64_t *s = must_alloc(g->edges + 1, 8), *d = must_alloc(g->edges + 1, 8);

    for (int k = 0; k < 3; k++) {
        ok(rmat_generate_arrays(gen, ranges[k][0], ranges[k][1],
                                &(rmat_arrays){s, d, NULL, id_bytes}));
        check_ids(s, src + ranges[k][0], ranges[k][1], id_bytes, "sources");
        check_ids(d, g->dst + ranges[k][0], ranges[k][1], id_bytes, "destinations");
    }
}

/* Any interval is the range of the list where it lies. */
static void check_intervals(const rmat_gen *gen, const graph *g, const uint64_t *src)
{
    scoped(rmat_interval_destroy) rmat_interval *b = interval_of(gen, EDGES);

    for (uint64_t k = 0; k < 20; k++) {
        const uint64_t from = EDGES / 41 * k, to = EDGES - EDGES / 50 * k;
        const rmat_cell first = {src[from], g->dst[from]}, end = {src[to - 1], g->dst[to - 1]};
        uint64_t low = from, high = to - 1, count, got[2];

        while (low > 0 && src[low - 1] == first.src && g->dst[low - 1] == first.dst) {
            low--;
        }
        while (high > 0 && src[high - 1] == end.src && g->dst[high - 1] == end.dst) {
            high--;
        }
        ok(rmat_interval_begin(b, &first, &end, 0));
        ok(rmat_count_cells(gen, 0, EDGES, 3, (rmat_cell[]){{0, 0}, first, end}, got));
        count = got[1];
        ck_assert_uint_eq(got[0], low);
        ck_assert_uint_eq(low + count, high > low ? high : low);
        ok(rmat_interval_add(b, EDGES / 2, EDGES - EDGES / 2));
        ok(rmat_interval_add(b, 0, EDGES / 2));
        ok(rmat_interval_sort(b));
        ck_assert_uint_eq(rmat_interval_edges(b), count);
        for (uint64_t i = 0; i < count; i++) {
            ok(rmat_interval_read(b, i, 1, &(rmat_arrays){&got[0], &got[1], NULL, 8}));
            must(got[0] == src[low + i] && got[1] == g->dst[low + i], "edge %lu", low + i);
        }
    }
}

/* The stream of a generator. */
START_TEST(generators)
{
    rmat_config c = model_at(_i);
    scoped(drop) graph g = whole(&c, edges_of(_i));
    scoped(free) uint64_t *src = sources_of(&g);
    rmat_gen *gen;

    c.stream = RMAT_STREAM_ROWS;
    c.edges = g.edges;
    gen = create_on(TESTED, c);
    ck_assert_int_eq(rmat_stream_in_order(gen), 1);
    for (int bytes = is_narrow(&c) ? 4 : 8; bytes <= 8; bytes += 4) {
        check_list(gen, &g, src, bytes);
        for (int unique = 0; unique < 2 && c.rows_scale < 15; unique++) {
            check_csr(gen, &c, &g, 0, g.n, unique, bytes);
            check_csr(gen, &c, &g, g.n / 9, g.n / 2, unique, bytes);
        }
    }
    if (!ON_GPU) {
        check_intervals(gen, &g, src);
    }
    rmat_destroy(gen);
    c.permute = 1;
    gen = create_on(TESTED, c);
    ck_assert_int_eq(rmat_stream_in_order(gen), 0);
    rmat_destroy(gen);
    c.first = 1;
    gives(RMAT_ERR_STREAM, rmat_create(&gen, &c));
}

/* --- A GPU --- */

/* More copies in a level than there is room for at once; and more edges than are made at a time. */
START_TEST(large)
{
    const bool copies = _i == 0;
    rmat_config c = square_model(copies ? 8 : 24);
    const uint64_t edges = !copies ? (uint64_t)1200 << 20 : small_run() ? 200 << 7 : 200 << 15;

    if (!copies && (double)sysconf(_SC_AVPHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) < 24e9) {
        printf("1.2 G edges left out: not enough memory\n");
        return;
    }
    c.matrix = copies ? (rmat_matrix){0.25, 0.25, 0.25, 0.25} : c.matrix;
    scoped(drop) graph g = whole(&c, edges);
    check_part(&g, 0, g.n, 4);
    if (copies) {
        c.stream = RMAT_STREAM_ROWS;
        c.edges = edges;
        scoped(rmat_destroy) rmat_gen *gen = create_on(TESTED, c);
        check_csr(gen, &c, &g, 0, g.n, true, 4);
    }
}

START_TEST(gpu_errors)
{
    const rmat_config c = square_model(16);
    scoped(free_device) uint64_t *pointers = on_device(NULL, ((1 << 16) + 1) * 8);
    scoped(free_device) uint32_t *dst = on_device(NULL, 4 << 20);
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;

    ok(rmat_rows_create(&rows, &c, 1 << 20));
    gives(RMAT_ERR_ROWS,
          rmat_rows_make_device(rows, NULL, 1, 0, 0, pointers, 1, dst, 4, NULL, NULL));
    gives(RMAT_ERR_ROWS,
          rmat_rows_make_device(rows, NULL, 0, (1 << 16) + 1, 0, pointers, 1, dst, 4, NULL, NULL));
    ok(rmat_rows_make_device(rows, NULL, 0, 1 << 16, 0, pointers, 1 << 20, dst, 4, NULL, NULL));
}

TEST_CASES(rmat_rows, 120, LOOP(parts, 0, GRAPHS), LOOP(generators, 0, GRAPHS),
           LOOP(large, 0,
                !ON_GPU       ? 0
                : small_run() ? 1
                              : 2),
           LOOP(gpu_errors, 0, ON_GPU))
