/*
 * The permutation, exactly.  It is a bijection of every set of vertices small enough to enumerate,
 * and has an inverse.  For few vertices it equals the reference's, and all permutations occur.
 * test_rmat_options.c compares it with the reference's for graphs of every size, either side, and
 * in their edges.
 */
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

TEST_CASES(rmat_permutation, 60, ONCE(bijection), LOOP(few_vertices, 2, 17), ONCE(refusals))
