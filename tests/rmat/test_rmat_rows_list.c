/*
 * The stream `rows` on a CPU: the lists of datasets/rows.txt, made from ROWS.md alone by a second
 * implementation in another language; vertices of a graph that no machine holds; permutation,
 * weights, errors.
 */
#include "rmat/rmat_csr.h"
#include "rmat/rows/rows.h"
#include "tests/support/rows_graph.h"
#include "tests/support/run_suite.h"

enum { EDGES = 30000 };

static uint64_t hash_of(const rmat_config *c, uint64_t edges)
{
    scoped(free) uint64_t *src = must_alloc(edges + 1, 8), *dst = must_alloc(edges + 1, 8);
    uint64_t hash = 0;
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;

    ok(rmat_rows_create(&rows, c, edges));
    ok(rmat_generate_arrays(rows->gen, 0, edges, &(rmat_arrays){src, dst, NULL, 8}));
    for (uint64_t i = 0; i < edges; i++) {
        hash = ((hash ^ src[i]) * 0x9E3779B97F4A7C15 + dst[i]) * 0xD6E8FEB86659FD93;
    }
    return hash;
}

START_TEST(reference)
{
    FILE *file = fopen(ROWS_FILE, "r");
    char line[512];
    int graphs = 0;

    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        rmat_config c;
        uint64_t edges, hash;
        int loops;

        if (*line == '#') {
            continue;
        }
        rmat_config_default(&c);
        must(sscanf(line, "%d %d %lu %lu %d %lf %lf %lf %lf %lf %lu %lu %lx", &c.rows_scale,
                    &c.cols_scale, &c.rows, &c.cols, &loops, &c.matrix.a, &c.matrix.b, &c.matrix.c,
                    &c.matrix.d, &c.noise, &c.seed, &edges, &hash) == 13,
             "%s", line);
        c.no_self_loops = !loops;
        c.threads = 1 + graphs % 2;
        must(hash_of(&c, edges) == hash, "%s", line);
        graphs++;
    }
    fclose(file);
    ck_assert_int_eq(graphs, 507);
}

/* A vertex of a graph that no machine holds: its row is the slice of the list where it lies. */
START_TEST(far)
{
    enum { MOST = 100000 };
    static uint64_t src[MOST], dst[MOST], row[MOST];
    const uint64_t edges = UINT64_C(1) << 46, vertices[] = {0, 1, 4398046511103, 549755813888, 77};
    const rmat_config c = square_model(42);
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;

    ok(rmat_rows_create(&rows, &c, edges));
    for (int i = 0; i < COUNT(vertices); i++) {
        uint64_t degree, start, count;

        ok(rmat_rows_degrees(rows, 1, &vertices[i], &degree, &start));
        count = degree < MOST ? degree : MOST;
        ok(rmat_generate_arrays(rows->gen, start, count, &(rmat_arrays){src, dst, NULL, 8}));
        for (uint64_t k = 0; k < count; k++) {
            must(src[k] == vertices[i], "edge %lu of %lu", k, vertices[i]);
        }
        if (degree < MOST) {
            ok(rmat_rows_row(rows, vertices[i], row, 8));
            ck_assert_mem_eq(row, dst, degree * sizeof *row);
        }
    }
}

/* A permuted graph is the other one with other numbers, and weights are those of its ends. */
START_TEST(options)
{
    rmat_config c = square_model(9);
    uint64_t total = 0, row[EDGES];
    scoped(free) uint64_t *src = must_alloc(EDGES, 8), *dst = must_alloc(EDGES, 8);
    scoped(free) float *weight = must_alloc(EDGES, sizeof *weight);
    float again;

    c.rows = c.cols = 400;
    c.weights = RMAT_WEIGHTS_UNIFORM;
    scoped(drop) graph plain = make(&c, EDGES);
    c.permute = 1;
    scoped(drop) graph g = make(&c, EDGES);
    ok(rmat_generate_arrays(g.rows->gen, 0, EDGES, &(rmat_arrays){src, dst, weight, 8}));
    gives(RMAT_ERR_STREAM, rmat_rows_csr(g.rows, 0, g.n, g.pointers, EDGES, g.dst, NULL, 8));
    for (uint64_t v = 0; v < g.n; v++) {
        uint64_t degree, start, sum = 0, found = 0;

        ok(rmat_rows_degrees(g.rows, 1, &v, &degree, &start));
        ok(rmat_rows_row(g.rows, v, row, 8));
        for (uint64_t i = 0; i < degree; i++) {
            must(i == 0 || row[i - 1] <= row[i], "order of row %lu", v);
            must(src[start + i] == v, "row %lu", v);
            sum += row[i];
            found += dst[start + i];
        }
        ck_assert_uint_eq(sum, found);
        total += degree;
    }
    ck_assert_uint_eq(total, EDGES);
    ok(rmat_generate_arrays(plain.rows->gen, 0, EDGES, &(rmat_arrays){src, dst, NULL, 8}));
    ok(rmat_rows_csr(plain.rows, 0, plain.n, plain.pointers, EDGES, plain.dst, weight, 8));
    ck_assert_mem_eq(plain.dst, dst, EDGES * sizeof *dst);
    ok(rmat_generate_arrays(plain.rows->gen, 100, 1, &(rmat_arrays){src, dst, &again, 8}));
    ck_assert(again == weight[100]);
}

START_TEST(wrong_models)
{
    const rmat_config usual = square_model(20);
    rmat_config c[] = {usual, usual, usual, usual, usual, usual};
    const int statuses[] = {RMAT_ERR_STREAM, RMAT_ERR_STREAM, RMAT_ERR_STREAM,
                            RMAT_ERR_STREAM, RMAT_ERR_SCALE,  RMAT_ERR_REDRAW};
    rmat_rows *rows = (rmat_rows *)1;

    c[0].symmetrize = 1;
    c[1].direction = RMAT_LOWER;
    c[2].first = 1;
    c[3].stream = RMAT_STREAM_GRAPH500;
    c[4].rows_scale = 63;
    c[5].matrix = (rmat_matrix){0.5, 0, 0, 0.5};
    c[5].no_self_loops = 1; /* nothing is left */
    gives(RMAT_ERR_ARG, rmat_rows_create(NULL, &usual, 1));
    gives(RMAT_ERR_ARG, rmat_rows_create(&rows, NULL, 1));
    ck_assert(rows == NULL);
    gives(RMAT_ERR_RANGE, rmat_rows_create(&rows, &usual, RMAT_MAX_EDGES + 1));
    for (int i = 0; i < COUNT(c); i++) {
        gives(statuses[i], rmat_rows_create(&rows, &c[i], 1));
        ck_assert(rows == NULL);
    }
}

START_TEST(arguments)
{
    const uint64_t vertex = 1 << 20;
    uint64_t one, pointers[2], dst;
    rmat_config c = square_model(20);
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;

    c.cols_scale = 33;
    ok(rmat_rows_create(&rows, &c, 10));
    gives(RMAT_ERR_VERTEX, rmat_rows_degrees(rows, 1, &vertex, &one, NULL));
    gives(RMAT_ERR_VERTEX, rmat_rows_row(rows, vertex, &dst, 8));
    gives(RMAT_ERR_ID_WIDTH, rmat_rows_row(rows, 0, &dst, 4));
    gives(RMAT_ERR_ROWS, rmat_rows_csr(rows, 1, 0, pointers, 1, &dst, NULL, 8));
    gives(RMAT_ERR_ROWS, rmat_rows_csr(rows, 0, vertex + 1, pointers, 1, &dst, NULL, 8));
    gives(RMAT_ERR_ID_WIDTH, rmat_rows_csr(rows, 0, 1, pointers, 1, &dst, NULL, 4));
    gives(RMAT_ERR_WEIGHTS, rmat_rows_csr(rows, 0, 1, pointers, 1, &dst, &dst, 8));
    gives(RMAT_ERR_RANGE,
          rmat_generate_arrays(rows->gen, 10, 1, &(rmat_arrays){&dst, &dst, NULL, 8}));
    rmat_rows_destroy(NULL);
}

TEST_CASES(rmat_rows_list, 120, ONCE(reference), ONCE(far), ONCE(options), ONCE(wrong_models),
           ONCE(arguments))
