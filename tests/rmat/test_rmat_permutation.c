/*
 * The permutation, exactly: it is a bijection of every set of vertices small enough to enumerate,
 * and has an inverse; the permuted graph is the image of the plain one, edge by edge, with the same
 * degrees.
 */
#include "alias/core/philox.h"
#include "tests/support/alias_util.h"
#include "tests/support/models.h"
#include "tests/support/run_suite.h"

#include <stdlib.h>
#include <string.h>

static int scale_of(uint64_t vertices)
{
    int scale = 1;

    while (UINT64_C(1) << scale < vertices) {
        scale++;
    }
    return scale;
}

static rmat_gen *create(int scale, uint64_t vertices, uint64_t seed)
{
    rmat_config c = square_model(scale);

    c.rows = c.cols = vertices;
    c.permute = 1;
    c.seed = seed;
    return create_gen(&c);
}

/* Each image once, and each image leads back. */
static void go_through(uint64_t n, uint64_t seed)
{
    scoped(rmat_destroy) rmat_gen *gen = create(scale_of(n), n, seed);
    scoped(free) uint64_t *ids = must_alloc(n, 8);
    scoped(free) unsigned char *taken = must_alloc(n, 1);

    for (uint64_t x = 0; x < n; x++) {
        ids[x] = x;
    }
    ok(rmat_permute(gen, RMAT_ROWS, n, ids));
    for (uint64_t x = 0; x < n; x++) {
        must(ids[x] < n && !taken[ids[x]], "%lu vertices: %lu goes to %lu, which is taken", n, x,
             ids[x]);
        taken[ids[x]] = 1;
    }
    ok(rmat_unpermute(gen, RMAT_ROWS, n, ids));
    for (uint64_t x = 0; x < n; x++) {
        must(ids[x] == x, "%lu vertices: %lu comes back as %lu", n, x, ids[x]);
    }
}

START_TEST(bijection)
{
    static const uint64_t others[] = {1025,   2049,   4097,    9999,    16385,  32767,  32769,
                                      40000,  65535,  65537,   99991,   131073, 262145, 524288,
                                      524289, 777777, 1048573, 1048576, 1048577};

    for (uint64_t n = 1; n <= 600; n++) {
        go_through(n, n * n);
    }
    for (int scale = 1; scale <= 16; scale++) {
        for (uint64_t seed = 0; seed < 5; seed++) {
            go_through(UINT64_C(1) << scale, seed);
        }
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        go_through(others[i], i);
    }
}
END_TEST

/* Too many to go through: random ones lead there and back, and two never meet. */
START_TEST(inverse_of_large)
{
    enum { N = 20000 };
    static const struct {
        int scale;
        uint64_t vertices;
    } large[] = {{31, 0},
                 {32, 0},
                 {33, 0},
                 {36, (UINT64_C(1) << 35) + 1},
                 {47, 0},
                 {61, 0},
                 {62, 0},
                 {62, (UINT64_C(1) << 61) + 1},
                 {62, UINT64_C(3333333333333333333)}};
    const uint64_t n = large[_i].vertices ? large[_i].vertices : UINT64_C(1) << large[_i].scale;
    scoped(rmat_destroy) rmat_gen *gen = create(large[_i].scale, large[_i].vertices, 99);
    scoped(free) uint64_t *ids = must_alloc(N, 8), *images = must_alloc(N, 8);
    uint64_t moved = 0;

    for (uint64_t k = 0; k < N; k++) {
        philox_block b = philox_at(4, k, 0, 77);

        ids[k] = (k < N / 4 ? k : (uint64_t)b.v[1] << 32 | b.v[0]) % n;
        if (k == N - 1) {
            ids[k] = n - 1;
        }
        images[k] = ids[k];
    }
    ok(rmat_permute(gen, RMAT_ROWS, N, images));
    for (uint64_t k = 0; k < N; k++) {
        must(images[k] < n, "%lu is no vertex", images[k]);
        moved += images[k] != ids[k];
    }
    ck_assert_uint_gt(moved, N - 3);
    ok(rmat_unpermute(gen, RMAT_ROWS, N, images));
    ck_assert_mem_eq(images, ids, N * sizeof *ids);
    /* and the other way round */
    ok(rmat_unpermute(gen, RMAT_ROWS, N, images));
    ok(rmat_permute(gen, RMAT_ROWS, N, images));
    ck_assert_mem_eq(images, ids, N * sizeof *ids);
}
END_TEST

START_TEST(refusals)
{
    scoped(rmat_destroy) rmat_gen *gen = create(10, 1000, 1);
    scoped(rmat_destroy) rmat_gen *plain = NULL;
    uint64_t ids[3] = {5, 1000, 6};
    rmat_config c;

    gives(RMAT_ERR_VERTEX, rmat_permute(gen, RMAT_ROWS, 3, ids));
    gives(RMAT_ERR_VERTEX, rmat_unpermute(gen, RMAT_COLS, 3, ids));
    ck_assert(ids[0] == 5 && ids[1] == 1000 && ids[2] == 6);
    gives(RMAT_ERR_ARG, rmat_permute(gen, (rmat_side)2, 1, ids));
    gives(RMAT_ERR_ARG, rmat_permute(NULL, RMAT_ROWS, 1, ids));
    gives(RMAT_ERR_ARG, rmat_unpermute(gen, RMAT_ROWS, 1, NULL));
    ok(rmat_permute(gen, RMAT_ROWS, 0, NULL));

    rmat_config_default(&c);
    ok(rmat_create(&plain, &c));
    ok(rmat_permute(plain, RMAT_ROWS, 3, ids));
    ck_assert(ids[0] == 5 && ids[1] == 1000 && ids[2] == 6);
}
END_TEST

static int by_value(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static uint32_t *sorted_degrees(const uint64_t *ids, uint64_t edges, uint64_t vertices)
{
    uint32_t *degree = must_alloc(vertices, sizeof *degree);

    for (uint64_t e = 0; e < edges; e++) {
        must(ids[e] < vertices, "edge %lu: no such vertex", e);
        degree[ids[e]]++;
    }
    qsort(degree, vertices, sizeof *degree, by_value);
    return degree;
}

/* The same seed with and without the permutation. */
START_TEST(image_of_the_plain_graph)
{
    enum { EDGES = 1 << 17 };
    static const rmat_config graphs[] = {
        {.rows_scale = 13, .cols_scale = 13},
        {.rows_scale = 13, .cols_scale = 13, .rows = 5000, .cols = 5000, .no_self_loops = 1},
        {.rows_scale = 14, .cols_scale = 9},
        {.rows_scale = 9, .cols_scale = 14, .rows = 400, .cols = 9001},
        {.rows_scale = 13,
         .cols_scale = 13,
         .rows = 4097,
         .cols = 4097,
         .no_self_loops = 1,
         .direction = RMAT_LOWER},
        {.rows_scale = 12, .cols_scale = 12, .direction = RMAT_UPPER},
    };
    rmat_config c = model_of(graphs[_i]);
    const uint64_t vertices[2] = {rows_of(&c), cols_of(&c)};
    uint64_t *ids[2][2];
    rmat_gen *gen[2];

    c.seed = 1000 + (uint64_t)_i;
    for (int permute = 0; permute < 2; permute++) {
        c.permute = permute;
        c.direction = permute ? graphs[_i].direction : RMAT_DIRECTED;
        gen[permute] = create_gen(&c);
        ids[permute][0] = must_alloc(EDGES, 8);
        ids[permute][1] = must_alloc(EDGES, 8);
        ok(rmat_generate(gen[permute], 0, EDGES, ids[permute][0], ids[permute][1]));
    }
    for (int side = 0; side < 2 && graphs[_i].direction == RMAT_DIRECTED; side++) {
        uint32_t *plain = sorted_degrees(ids[0][side], EDGES, vertices[side]);
        uint32_t *permuted = sorted_degrees(ids[1][side], EDGES, vertices[side]);

        ck_assert_mem_eq(plain, permuted, vertices[side] * sizeof *plain);
        free(plain);
        free(permuted);
    }
    ok(rmat_permute(gen[1], RMAT_ROWS, EDGES, ids[0][0]));
    ok(rmat_permute(gen[1], RMAT_COLS, EDGES, ids[0][1]));
    for (int e = 0; e < EDGES; e++) {
        uint64_t s = ids[0][0][e], d = ids[0][1][e];
        int flip = (graphs[_i].direction == RMAT_LOWER && s < d) ||
                   (graphs[_i].direction == RMAT_UPPER && s > d);

        must(ids[1][0][e] == (flip ? d : s) && ids[1][1][e] == (flip ? s : d),
             "edge %d is not the image", e);
    }
    for (int k = 0; k < 4; k++) {
        free(ids[k / 2][k % 2]);
    }
    rmat_destroy(gen[0]);
    rmat_destroy(gen[1]);
}
END_TEST

/* Rows and columns apart, unless they are the same vertices. */
START_TEST(sides)
{
    rmat_config c;
    rmat_gen *gen;
    uint64_t ids[2][64];
    int same[2];

    for (int square = 0; square < 2; square++) {
        rmat_config_default(&c);
        c.permute = 1;
        c.rows = 1000000;
        c.cols = square ? 1000000 : 999999;
        ok(rmat_create(&gen, &c));
        for (uint64_t k = 0; k < 64; k++) {
            ids[0][k] = ids[1][k] = k;
        }
        ok(rmat_permute(gen, RMAT_ROWS, 64, ids[0]));
        ok(rmat_permute(gen, RMAT_COLS, 64, ids[1]));
        same[square] = 0;
        for (int k = 0; k < 64; k++) {
            same[square] += ids[0][k] == ids[1][k];
        }
        rmat_destroy(gen);
    }
    ck_assert_int_eq(same[1], 64);
    ck_assert_int_le(same[0], 2);
}
END_TEST

TEST_CASES(rmat_permutation, 60, ONCE(bijection), LOOP(inverse_of_large, 0, 9), ONCE(refusals),
           LOOP(image_of_the_plain_graph, 0, 6), ONCE(sides))
