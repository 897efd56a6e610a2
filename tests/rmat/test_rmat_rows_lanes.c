/*
 * The stream `rows` in the lanes of vectors.  For every instruction set of this processor, lists
 * and CSR are the same; and the edges before a cell, which are counted one node at a time by the
 * definition in rmat/rows/tree.h, are those before it in the list.  The graphs have every shape and
 * option; their parts begin and end anywhere; edge numbers differ in their high words; ids have
 * both widths.
 */
#include "rmat/model/generator.h"
#include "rmat/rows/rows.h"
#include "tests/support/rows_graph.h"
#include "tests/support/run_suite.h"

enum { MOST = 200000, GUARD = 16 };

/* Edges [first, first + count) of the list. */
typedef struct {
    uint64_t first, count;
    uint64_t *src, *dst;
} part;

/* The edges of the list before a cell, or before the one behind it. */
static uint64_t edges_before(const rmat_rows *rows, uint64_t src, uint64_t dst)
{
    const rmat_source *s = &rows->gen->source;

    return dst < rows->view.cols ? s->before(s->state, src, dst) : s->before(s->state, src + 1, 0);
}

/* Without vectors.  Some two thousand cells are where the definition has them, and no edges between
 * them and the next ones. */
static part make_part(rmat_config c, uint64_t edges, uint64_t first, uint64_t count)
{
    part p = {first, count, must_alloc(count + 1, 8), must_alloc(count + 1, 8)};
    scoped(rmat_rows_destroy) rmat_rows *rows = NULL;

    c.isa = RMAT_ISA_GENERIC;
    ok(rmat_rows_create(&rows, &c, edges));
    ok(rmat_generate_arrays(rows->gen, first, count, &(rmat_arrays){p.src, p.dst, NULL, 8}));
    for (uint64_t i = 0, next, checked = 0; i < count; i = next) {
        const uint64_t src = p.src[i], dst = p.dst[i];

        for (next = i + 1; next < count && p.src[next] == src && p.dst[next] == dst;) {
            next++; /* copies */
        }
        if (i >= checked) {
            const uint64_t before = edges_before(rows, src, dst);
            const uint64_t until = edges_before(rows, src, dst + 1);

            must(i == 0 ? before <= first : before == first + i, "edge %lu", first + i);
            must(next == count ? until >= first + next : until == first + next,
                 "copies of edge %lu", first + i);
            checked = i + count / 2000;
        }
    }
    return p;
}

static void forget(part p)
{
    free(p.src);
    free(p.dst);
}
SCOPED(forget, part)

/* An array with guards at both ends. */
static char *guarded(uint64_t count, int id_bytes)
{
    const size_t size = (count + 2 * GUARD) * (size_t)id_bytes;
    char *ids = must_alloc(size, 1);

    memset(ids, 0x5A, size);
    return ids + GUARD * id_bytes;
}

/* Compares with the expected ids, and frees. */
static void check_guarded(char *ids, const uint64_t *expected, uint64_t count, int id_bytes,
                          const char *what)
{
    check_ids(ids, expected, count, id_bytes, what);
    for (int i = 1; i <= GUARD * id_bytes; i++) {
        must(ids[-i] == 0x5A && ids[count * (uint64_t)id_bytes + (uint64_t)i - 1] == 0x5A,
             "%s: beyond the array", what);
    }
    free(ids - GUARD * id_bytes);
}

static void check_list(const rmat_rows *rows, const part *d, uint64_t from, uint64_t count,
                       int id_bytes, const char *what)
{
    char *src = guarded(count, id_bytes), *dst = guarded(count, id_bytes);

    ok(rmat_generate_arrays(rows->gen, d->first + from, count,
                            &(rmat_arrays){src, dst, NULL, id_bytes}));
    check_guarded(src, d->src + from, count, id_bytes, what);
    check_guarded(dst, d->dst + from, count, id_bytes, what);
}

/* Rows [begin, end) of a graph all of whose edges are in the part; and their pointers alone. */
static void check_csr(const rmat_rows *rows, const part *d, uint64_t begin, uint64_t end,
                      int id_bytes, const char *what)
{
    const size_t bytes = (end - begin + 1) * sizeof(uint64_t);
    scoped(free) uint64_t *pointers = must_alloc(bytes, 1), *expected = must_alloc(bytes, 1);
    uint64_t count;
    char *dst;

    for (uint64_t r = begin, i = 0; r <= end; r++) {
        while (i < d->count && d->src[i] < r) {
            i++;
        }
        expected[r - begin] = i;
    }
    count = expected[end - begin] - expected[0];
    dst = guarded(count, id_bytes);
    ok(rmat_rows_csr(rows, begin, end, pointers, 0, NULL, NULL, 8));
    must(memcmp(pointers, expected, bytes) == 0, "%s: pointers alone", what);
    memset(pointers, 0x5A, bytes);
    ok(rmat_rows_csr(rows, begin, end, pointers, count, dst, NULL, id_bytes));
    must(memcmp(pointers, expected, bytes) == 0, "%s: pointers", what);
    check_guarded(dst, d->dst + expected[0], count, id_bytes, what);
}

static uint64_t below(uint64_t *state, uint64_t n)
{
    return next_random(state) % n;
}

/* A configuration of any kind. */
static rmat_config any_config(uint64_t *state)
{
    const int scale = 1 + (int)below(state, 40);
    rmat_config c = square_model(scale);

    c.cols_scale = below(state, 3) == 0 ? 1 + (int)below(state, 40) : scale;
    if (below(state, 4) == 0) {
        c.noise = 0.05;
    } else if (below(state, 4) == 0) {
        c.matrix = (rmat_matrix){0.25, 0.25, 0.25, 0.25};
    } else if (below(state, 6) == 0) {
        c.matrix = (rmat_matrix){0.6, 0.4, 0, 0};
    }
    if (below(state, 4) == 0 && scale > 2) {
        c.rows = ((uint64_t)1 << c.rows_scale) * 5 / 7;
    }
    if (below(state, 4) == 0 && c.cols_scale > 2) {
        c.cols = ((uint64_t)1 << c.cols_scale) * 5 / 7;
    }
    if (c.rows_scale == c.cols_scale && below(state, 4) == 0) {
        c.no_self_loops = 1;
        c.cols = c.rows;
    }
    c.seed = below(state, 1000000) << 32 | below(state, 1000000);
    return c;
}

/* Calls with every instruction set of this processor. */
static void check_all(rmat_config c, uint64_t edges, const part *d, uint64_t state)
{
    const uint64_t n = rows_of(&c);
    const bool whole = d->count == edges && c.rows_scale <= 18;

    for (c.isa = RMAT_ISA_GENERIC; c.isa <= RMAT_ISA_NEON; c.isa++) {
        scoped(rmat_rows_destroy) rmat_rows *rows = NULL;
        char what[128];
        int st;

        snprintf(what, sizeof what, "isa %d, scales %d %d, seed %lu", (int)c.isa, c.rows_scale,
                 c.cols_scale, c.seed);
        c.threads = 1 + (int)below(&state, 2);
        st = rmat_rows_create(&rows, &c, edges);
        if (st == RMAT_ERR_NO_ISA) {
            continue;
        }
        must(st == RMAT_OK, "%s: %s", what, rmat_strerror(st));
        for (int id_bytes = is_narrow(&c) ? 4 : 8; id_bytes <= 8; id_bytes += 4) {
            const uint64_t from = below(&state, d->count + 1);
            const uint64_t begin = below(&state, n), end = begin + below(&state, n - begin + 1);

            check_list(rows, d, 0, d->count, id_bytes, what);
            check_list(rows, d, from, below(&state, d->count - from + 1), id_bytes, what);
            if (whole) {
                check_csr(rows, d, 0, n, id_bytes, what);
                check_csr(rows, d, begin, end, id_bytes, what);
            }
        }
    }
}

enum { RUNS = SANITIZED ? 2 : 12, GRAPHS = 16 };

START_TEST(graphs)
{
    uint64_t state = (uint64_t)_i + 1;

    for (int i = 0; i < GRAPHS; i++) {
        const rmat_config c = any_config(&state);
        const uint64_t edges = below(&state, (uint64_t)MOST >> below(&state, 14));
        scoped(rmat_rows_destroy) rmat_rows *rows = NULL;
        const int st = rmat_rows_create(&rows, &c, edges);

        if (st != RMAT_ERR_REDRAW) { /* a model with hardly an edge that is no loop */
            scoped(forget) part d = make_part(c, edges, 0, edges);

            ok(st);
            check_all(c, edges, &d, state);
        }
    }
}

/* Parts of graphs whose edges' numbers need both words, about where the high one changes. */
START_TEST(large)
{
    static const int scales[] = {20, 24, 28, 30, 31, 34, 40};
    const uint64_t middle = (uint64_t)(1 + _i % 3) << 32, edges = (uint64_t)1 << 35;
    rmat_config c = square_model(scales[_i]);

    c.seed = (uint64_t)_i;
    scoped(forget) part d = make_part(c, edges, middle - 20000, 40000);
    check_all(c, edges, &d, 1);
}

TEST_CASES(rmat_rows_lanes, 120, LOOP(graphs, 0, RUNS), LOOP(large, 0, SANITIZED ? 3 : 7))
