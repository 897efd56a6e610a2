/*
 * test_rmat_exhaustive.c - the real code on tiny instances, with all possible inputs: alias tables
 * of up to six items, streams of graphs with one to four bits per side, and the number of edges for
 * every number of distinct ones in matrices of up to sixteen cells.
 *
 * The permutation is a bijection of every set of vertices small enough to enumerate, and has an
 * inverse.  For few vertices it equals the reference's, and all permutations occur.
 * test_rmat_options.c compares it with the reference's for graphs of every size, either side, and
 * in their edges.
 */
#include "alias/core/table.h"
#include "rmat/rmat.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/reference.h"
#include "tests/support/run_suite.h"

/* --- Alias tables --- */

enum { MOST_ITEMS = SANITIZED ? 5 : 6, BITS = SANITIZED ? 3 : 4, DIGITS = 4 };
static const double digits[DIGITS] = {0, 1, 3, 1e9};

/* The item that the real code draws with offset f in bucket i of a table whose size is a power of
 * two. */
static uint64_t draw_at(const alias_table *t, uint64_t i, uint64_t f)
{
    uint64_t x = f << (64 - t->k);

    for (uint64_t half = t->n; half > 1; half /= 2) { /* x * n == i * 2^64 + f * 2^(64 - k) */
        x = x >> 1 | (i & 1) << 63;
        i >>= 1;
    }
    return t->row_bytes == 8 ? alias_draw8(t->rows, t->n, x) : alias_draw16(t->rows, t->n, t->k, x);
}

/* A bucket's draws change at its threshold and nowhere else. */
static void check_threshold_draws(const alias_table *t, const alias_row *rows, const char *what)
{
    const uint64_t last = (UINT64_C(1) << t->k) - 1;

    for (uint64_t i = 0; i < t->n; i++) {
        const uint64_t offsets[] = {0, rows[i].threshold - 1, rows[i].threshold, last};

        for (int o = 0; o < 4; o++) {
            if (offsets[o] <= last) {
                must(draw_at(t, i, offsets[o]) ==
                         (offsets[o] < rows[i].threshold ? i : rows[i].alias),
                     "%s: bucket %lu draws another item", what, i);
            }
        }
    }
}

/* Number `_i + 1` of items, every combination of weights, every builder, rows of both widths. */
START_TEST(alias_tables)
{
    const uint64_t n = (uint64_t)_i + 1;
    double w[MOST_ITEMS];
    uint64_t q[MOST_ITEMS], combinations = 1;
    char what[100];

    for (uint64_t i = 0; i < n; i++) {
        combinations *= DIGITS;
    }
    for (uint64_t number = 1; number < combinations; number++) {
        for (uint64_t i = 0, rest = number; i < n; i++, rest /= DIGITS) {
            w[i] = digits[rest % DIGITS];
        }
        for (int b = ALIAS_BUILDER_AUTO; b < 2 * alias_builder_count(); b++) {
            const alias_builder builder = (alias_builder)(b / 2);
            const int row_bytes = b % 2 ? 16 : 8, threads = 1 + (int)(number % 64 == 5);
            scoped(alias_destroy) alias_table *t =
                must_create(builder, row_bytes, threads, number % (n + 1), w, n);
            scoped(free) alias_row *rows = table_rows(t);

            snprintf(what, sizeof what, "%s, %lu items, weights %lu, rows of %d bytes",
                     alias_builder_name(builder), n, number, row_bytes);
            ok(alias_quantize(w, n, t->k, q, NULL));
            check_masses(rows, n, t->k, q, what);
            if ((n & (n - 1)) == 0) {
                check_threshold_draws(t, rows, what);
            }
        }
    }
}

/* --- Models --- */

enum { DIRECTIONS = RMAT_UPPER + 1, SEEDS = 2 };

/* Number i of the models of so many bits a side: all their vertex counts and options.  0: there is
 * none. */
static int model(rmat_config *c, int rows_scale, int cols_scale, int i)
{
    const int square = rows_scale == cols_scale;
    const uint64_t half = UINT64_C(1) << (rows_scale - 1);

    *c = model_of((rmat_config){
        .rows_scale = rows_scale, .cols_scale = cols_scale, .threads = 1, .permute = i % 2});
    c->rows = half + 1 + (uint64_t)(i / 2) % half;
    i /= 2 * (int)half;
    c->cols = square ? c->rows : 0;
    if (square) {
        c->no_self_loops = i % 2;
        c->symmetrize = i / 2 % 2;
        c->direction = (rmat_direction)(i / 4 % DIRECTIONS);
        i /= 4 * DIRECTIONS;
    }
    c->seed = 1 + (uint64_t)(i % SEEDS);
    return i / SEEDS == 0;
}

static void name_of(const rmat_config *c, char *name, size_t size)
{
    snprintf(name, size, "%lu rows, 2^%d columns, seed %lu%s%s%s, direction %d", c->rows,
             c->cols_scale, c->seed, c->permute ? ", permuted" : "",
             c->no_self_loops ? ", no loops" : "", c->symmetrize ? ", symmetric" : "",
             (int)c->direction);
}

/* --- Permutations --- */

static rmat_config permuted_model(int scale, uint64_t vertices, uint64_t seed)
{
    rmat_config c =
        model_of((rmat_config){SQUARE(scale), .rows = vertices, .cols = vertices, .permute = 1});

    c.seed = seed; /* 0 as well */
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

START_TEST(permutations)
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
START_TEST(permutations_of_few)
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

START_TEST(permutation_refusals)
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

/* --- The stream --- */

enum { EDGES = 41 };

/* Every range of the first edges, by every instruction set, has the reference's edges. */
static void check_stream(const rmat_config *c)
{
    scoped(reference_destroy) reference *r = reference_create(c);
    uint64_t want[2][EDGES], src[EDGES], dst[EDGES];
    uint32_t src32[EDGES], dst32[EDGES];
    rmat_config with_isa = *c;
    char name[200];

    name_of(c, name, sizeof name);
    for (uint64_t i = 0; i < EDGES; i++) {
        reference_edge(r, i, &want[0][i], &want[1][i]);
    }
    for (int isa = RMAT_ISA_GENERIC; isa <= RMAT_ISA_NEON; isa++) {
        scoped(rmat_destroy) rmat_gen *gen = NULL;

        if (!rmat_cpu_has_isa((rmat_isa)isa)) {
            continue;
        }
        with_isa.isa = (rmat_isa)isa;
        must(rmat_create(&gen, &with_isa) == RMAT_OK, "%s: no generator", name);
        for (uint64_t first = 0; first < EDGES; first += 1 + first / 3) {
            for (uint64_t count = EDGES - first; count > 0; count -= 1 + count / 5) {
                must(rmat_generate(gen, first, count, src, dst) == RMAT_OK, "%s: fails", name);
                must(memcmp(src, want[0] + first, 8 * count) == 0 &&
                         memcmp(dst, want[1] + first, 8 * count) == 0,
                     "%s, %s: edges from %lu on, %lu of them, are others", name,
                     rmat_isa_name((rmat_isa)isa), first, count);
            }
        }
        must(rmat_generate_arrays(gen, 0, EDGES, &(rmat_arrays){src32, dst32, NULL, 4}) == RMAT_OK,
             "%s: fails", name);
        for (uint64_t i = 0; i < EDGES; i++) {
            must(src32[i] == want[0][i] && dst32[i] == want[1][i],
                 "%s, %s: edge %lu of 32 bits is another", name, rmat_isa_name((rmat_isa)isa), i);
        }
    }
}

START_TEST(streams)
{
    rmat_config c;

    for (int i = 0; model(&c, 1 + _i / BITS, 1 + _i % BITS, i); i++) {
        check_stream(&c);
    }
}

/* --- Distinct edges --- */

enum { DRAWS = 1 << 16 };

START_TEST(distinct_edges)
{
    rmat_config c;
    char name[200];

    for (int i = 0; model(&c, 1 + _i / 2, 1 + _i % 2, i); i++) {
        uint64_t support, edges;
        scoped(rmat_destroy) rmat_gen *gen = create_gen(&c);
        scoped(new_cells_free) new_cells g = draw_new_cells(&c, 1, DRAWS);
        const uint64_t bytes = interval_bytes(gen, RMAT_INTERVAL_LEAST_EDGES);

        name_of(&c, name, sizeof name);
        must(rmat_support_size(&c, &support) == RMAT_OK && support == g.n,
             "%s: %lu edges are possible, not %lu", name, g.n, support);
        for (uint64_t distinct = 1; distinct <= support; distinct++) {
            const uint64_t needed = (g.unseen[distinct - 1] + 1) << c.symmetrize;

            must(rmat_unique_edges(gen, distinct, bytes, &edges) == RMAT_OK && edges == needed,
                 "%s: %lu distinct edges after %lu, not %lu", name, distinct, needed, edges);
        }
        must(rmat_unique_edges(gen, support + 1, bytes, &edges) == RMAT_ERR_DRAWS,
             "%s: more distinct edges than there are", name);
    }
}

TEST_CASES(rmat_exhaustive, 100, LOOP(alias_tables, 0, MOST_ITEMS), LOOP(streams, 0, BITS *BITS),
           LOOP(distinct_edges, 0, 4), ONCE(permutations), LOOP(permutations_of_few, 2, 17),
           ONCE(permutation_refusals))
