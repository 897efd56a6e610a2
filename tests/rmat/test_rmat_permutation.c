/*
 * The permutation, exactly.  It is a bijection of every set of vertices small enough to enumerate,
 * and has an inverse.  For few vertices it equals the reference's, and all permutations occur.  The
 * permuted graph is the image of the plain one, edge by edge, with the same degrees.
 */
#include "alias/core/philox.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

static rmat_config permuted_model(int scale, uint64_t vertices, uint64_t seed)
{
    rmat_config c = square_model(scale);

    c.rows = c.cols = vertices;
    c.permute = 1;
    c.seed = seed;
    return c;
}

/* Each image once, and each image leads back; of up to 16 vertices each is the reference's. Returns
 * a number of the permutation of up to 4 vertices. */
static uint64_t go_through(uint64_t n, uint64_t seed)
{
    const rmat_config c = permuted_model(n > 2 ? 64 - __builtin_clzl(n - 1) : 1, n, seed);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
    scoped(reference_destroy) reference *r = n <= 16 ? reference_create(&c) : NULL;
    scoped(free) uint64_t *ids = must_alloc(n, 8);
    scoped(free) unsigned char *taken = must_alloc(n, 1);
    uint64_t number = 0;

    for (uint64_t x = 0; x < n; x++) {
        ids[x] = x;
    }
    ok(rmat_permute(gen, RMAT_ROWS, n, ids));
    for (uint64_t x = 0; x < n; x++) {
        must(ids[x] < n && !taken[ids[x]], "%lu vertices: %lu goes to %lu, which is taken", n, x,
             ids[x]);
        must(n > 16 || ids[x] == reference_permute(r, RMAT_ROWS, x),
             "%lu vertices, seed %lu: not the reference's", n, seed);
        taken[ids[x]] = 1;
        number = number * 4 + ids[x];
    }
    ok(rmat_unpermute(gen, RMAT_ROWS, n, ids));
    for (uint64_t x = 0; x < n; x++) {
        must(ids[x] == x, "%lu vertices: %lu comes back as %lu", n, x, ids[x]);
    }
    return number;
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
    for (int i = 0; i < COUNT(others); i++) {
        go_through(others[i], i);
    }
}

/* Many seeds of few vertices: of up to 4 of them every permutation occurs. */
START_TEST(few_vertices)
{
    const uint64_t n = (uint64_t)_i;
    uint64_t seen[256] = {0}, factorial = 1, different = 0;

    for (uint64_t seed = 0; seed < (n <= 4 ? 128 : 8); seed++) {
        const uint64_t number = go_through(n, seed);

        different += n <= 4 && seen[number]++ == 0;
    }
    for (uint64_t x = 2; x <= n; x++) {
        factorial *= x;
    }
    ck_assert(n > 4 || different == factorial);
}

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
    const rmat_config c = permuted_model(large[_i].scale, large[_i].vertices, 99);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
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

START_TEST(refusals)
{
    const rmat_config c = permuted_model(10, 1000, 1), unpermuted = square_model(20);
    scoped(rmat_destroy) rmat_gen *gen = create_gen(&c), *plain = create_gen(&unpermuted);
    uint64_t ids[3] = {5, 1000, 6};

    gives(RMAT_ERR_VERTEX, rmat_permute(gen, RMAT_ROWS, 3, ids));
    gives(RMAT_ERR_VERTEX, rmat_unpermute(gen, RMAT_COLS, 3, ids));
    gives(RMAT_ERR_ARG, rmat_permute(gen, (rmat_side)2, 1, ids));
    gives(RMAT_ERR_ARG, rmat_permute(NULL, RMAT_ROWS, 1, ids));
    gives(RMAT_ERR_ARG, rmat_unpermute(gen, RMAT_ROWS, 1, NULL));
    ok(rmat_permute(gen, RMAT_ROWS, 0, NULL));
    ck_assert(ids[0] == 5 && ids[1] == 1000 && ids[2] == 6);
    ok(rmat_permute(plain, RMAT_ROWS, 3, ids));
    ck_assert(ids[0] == 5 && ids[1] == 1000 && ids[2] == 6);
}

/* The same seed with and without the permutation: so the degrees are the same as well. */
START_TEST(image_of_the_plain_graph)
{
    enum { EDGES = 1 << 17 };
    static const struct {
        int rows_scale, cols_scale;
        uint64_t rows, cols;
        bool no_self_loops;
        rmat_direction direction;
    } graphs[] = {{13, 13, 0, 0, false, RMAT_DIRECTED},   {13, 13, 5000, 5000, true, RMAT_DIRECTED},
                  {14, 9, 0, 0, false, RMAT_DIRECTED},    {9, 14, 400, 9001, false, RMAT_DIRECTED},
                  {13, 13, 4097, 4097, true, RMAT_LOWER}, {12, 12, 0, 0, false, RMAT_UPPER}};
    const rmat_direction direction = graphs[_i].direction;
    rmat_config c = model_of((rmat_config){.rows_scale = graphs[_i].rows_scale,
                                           .cols_scale = graphs[_i].cols_scale,
                                           .rows = graphs[_i].rows,
                                           .cols = graphs[_i].cols,
                                           .no_self_loops = graphs[_i].no_self_loops,
                                           .seed = 1000 + (uint64_t)_i});
    scoped(free) uint64_t *src = must_alloc(EDGES, 8), *dst = must_alloc(EDGES, 8),
                          *permuted_src = must_alloc(EDGES, 8),
                          *permuted_dst = must_alloc(EDGES, 8);
    scoped(rmat_destroy) rmat_gen *plain = create_gen(&c), *permuted = NULL;

    c.permute = 1;
    c.direction = direction;
    permuted = create_gen(&c);
    ok(rmat_generate(plain, 0, EDGES, src, dst));
    ok(rmat_generate(permuted, 0, EDGES, permuted_src, permuted_dst));
    ok(rmat_permute(permuted, RMAT_ROWS, EDGES, src));
    ok(rmat_permute(permuted, RMAT_COLS, EDGES, dst));
    for (int e = 0; e < EDGES; e++) {
        const bool flip = (direction == RMAT_LOWER && src[e] < dst[e]) ||
                          (direction == RMAT_UPPER && src[e] > dst[e]);

        must(permuted_src[e] == (flip ? dst : src)[e] && permuted_dst[e] == (flip ? src : dst)[e],
             "edge %d is not the image", e);
    }
}

/* Rows and columns apart, unless they are the same vertices. */
START_TEST(sides)
{
    for (int square = 0; square < 2; square++) {
        rmat_config c = permuted_model(20, 1000000, 1);
        uint64_t ids[2][64];
        int same = 0;

        c.cols -= !square;
        scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
        for (uint64_t k = 0; k < 64; k++) {
            ids[0][k] = ids[1][k] = k;
        }
        ok(rmat_permute(gen, RMAT_ROWS, 64, ids[0]));
        ok(rmat_permute(gen, RMAT_COLS, 64, ids[1]));
        for (int k = 0; k < 64; k++) {
            same += ids[0][k] == ids[1][k];
        }
        ck_assert(square ? same == 64 : same <= 2);
    }
}

TEST_CASES(rmat_permutation, 60, ONCE(bijection), LOOP(few_vertices, 2, 17),
           LOOP(inverse_of_large, 0, 9), ONCE(refusals), LOOP(image_of_the_plain_graph, 0, 6),
           ONCE(sides))
