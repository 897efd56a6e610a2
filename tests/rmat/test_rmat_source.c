/*
 * Edge sources, on a CPU and on a GPU.
 *
 * A source that gives the drawn edges of the R-MAT model must lead to the same edges as the model
 * with all options: ends, order, weights, sorted intervals.  Properties that models do not have are
 * compared with simple loops: pieces, the source's own weights and loops, failures.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_interval.h"
#include "tests/support/interval_reference.h"
#include "tests/support/run_suite.h"

enum { EDGES = 40000, MORE = 60000 };

/* The source: the drawn edges of a model.  Estimates ask for edges in host memory. */
static struct {
    rmat_gen *host, *device;
} drawn;

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    (void)state;
    return rmat_generate_arrays(drawn.host, first, count, to);
}

static int fill_device(void *state, uint64_t first, uint64_t count, const rmat_arrays *to,
                       void *stream)
{
    (void)state;
    return rmat_generate_arrays_device(drawn.device, first, count, to, stream);
}

/* Pieces of 3000 edges; most are larger than what the library asks for otherwise. */
static uint64_t piece_end(void *state, uint64_t first)
{
    (void)state;
    return first / 3000 * 3000 + 3000 < MORE ? first / 3000 * 3000 + 3000 : MORE;
}

static rmat_config base_config(int rows_scale, int cols_scale)
{
    return model_of((rmat_config){.rows_scale = rows_scale,
                                  .cols_scale = cols_scale,
                                  .seed = 11,
                                  .threads = 3,
                                  .backend = TESTED});
}

static rmat_gen *create_from(const rmat_source *s, const rmat_config *c)
{
    rmat_gen *gen;

    ok(rmat_create_from(&gen, s, c));
    return gen;
}

static void create_drawn(const rmat_config *c)
{
    drawn.host = create_on(RMAT_BACKEND_CPU, *c);
    drawn.device = create_gen(c);
}

static void destroy_drawn(void)
{
    rmat_destroy(drawn.host);
    rmat_destroy(drawn.device);
}

static rmat_source source_of(const rmat_config *c)
{
    return (rmat_source){.rows = (uint64_t)1 << c->rows_scale,
                         .cols = (uint64_t)1 << c->cols_scale,
                         .edges = MORE,
                         .fill = fill,
                         .fill_device = fill_device};
}

/* Both generators give the same ranges, in both widths, weights included. */
static void compare_edges(const rmat_gen *a, const rmat_gen *b, bool weights, const char *name)
{
    static const uint64_t firsts[] = {0, 1, 4095, 29999};
    static const uint64_t counts[] = {1, 2, 3, 4096, 10001};
    static uint64_t one[4][10001], two[4][10001];

    for (int i = 0; i < COUNT(firsts); i++) {
        for (int k = 0; k < COUNT(counts); k++) {
            for (int width = 4; width <= 8; width += 4) {
                rmat_arrays x = {one[0], one[1], weights ? one[2] : NULL, width};
                rmat_arrays y = {two[0], two[1], weights ? two[2] : NULL, width};
                const size_t bytes = counts[k] * (size_t)width;

                if (width == 4 && rmat_scale(&a->config) > 32) {
                    continue;
                }
                must(!rmat_generate_arrays(a, firsts[i], counts[k], &x), "%s", name);
                must(!rmat_generate_arrays(b, firsts[i], counts[k], &y), "%s", name);
                must(!memcmp(one[0], two[0], bytes) && !memcmp(one[1], two[1], bytes) &&
                         (!weights || !memcmp(one[2], two[2], 4 * counts[k])),
                     "%s: edges [%lu, +%lu) of %d bytes differ", name, firsts[i], counts[k], width);
            }
        }
    }
}

/* Intervals of the source's generator hold what qsort() makes of the other one's edges. */
static void compare_intervals(const tested_interval *t)
{
    for (int unique = 0; unique < 2; unique++) {
        scoped(free) rmat_cell *cells = NULL;
        const uint64_t n = reference_interval(t->cpu, 5, EDGES, &t->begin, &t->end, unique, &cells);

        tested_check(t, &t->begin, &t->end, unique, 5, EDGES);
        tested_check(t, &cells[n / 3], &cells[n / 3 * 2], unique, 5, EDGES);
    }
}

static void compare_all(const rmat_config *options, bool pieces, const char *name)
{
    rmat_config plain = base_config(options->rows_scale, options->cols_scale);
    tested_interval t = {.name = name, .end = {rows_of(options), 0}};
    rmat_source source;

    create_drawn(&plain);
    source = source_of(&plain);
    source.piece_end = pieces ? piece_end : NULL;
    t.cpu = create_gen(options); /* of the model, on either backend */
    t.gen = create_from(&source, options);
    t.interval = interval_of(t.gen, 2 * EDGES);
    compare_edges(t.cpu, t.gen, options->weights != RMAT_NO_WEIGHTS, name);
    compare_intervals(&t);
    compare_counts(&t, 3, EDGES, 5, 0);
    must(compare_unseen(&t, EDGES / 2, EDGES, &t.begin, &t.end) > 0, "%s: none unseen", name);
    tested_destroy(t);
    destroy_drawn();
}

START_TEST(options)
{
    static const int scales[][2] = {{9, 9}, {20, 7}, {33, 33}, {5, 60}};

    for (size_t i = small_run() ? 2 : 0; i < COUNT(scales); i++) {
        const bool square = scales[i][0] == scales[i][1];
        rmat_config c = base_config(scales[i][0], scales[i][1]);

        if (!is_sortable(&c)) {
            continue;
        }
        compare_all(&c, false, "plain");
        if (small_run() > 1) {
            continue;
        }
        c.permute = 1;
        compare_all(&c, true, "permuted");
        c.weights = RMAT_WEIGHTS_INT;
        c.weight_min = -7;
        c.weight_max = 12;
        compare_all(&c, true, "int weights");
        c.symmetrize = square;
        compare_all(&c, true, "symmetric");
        c.direction = square ? RMAT_LOWER : RMAT_DIRECTED;
        c.weights = RMAT_WEIGHTS_UNIFORM;
        compare_all(&c, false, "lower");
        c.symmetrize = 0;
        c.direction = square ? RMAT_UPPER : RMAT_DIRECTED;
        compare_all(&c, true, "upper");
    }
}

/* All edges between two cells, sorted. */
static void fill_interval(rmat_interval *interval, const rmat_cell *begin, const rmat_cell *end,
                          bool unique)
{
    ok(rmat_interval_begin(interval, begin, end, unique));
    ok(rmat_interval_add(interval, 0, MORE));
    ok(rmat_interval_sort(interval));
}

/* Parts of about the same size; all edges are taken for distinct. */
START_TEST(cuts)
{
    rmat_config plain = base_config(16, 16);
    rmat_cell cells[9];
    uint64_t counts[8];
    rmat_sample *sample;
    rmat_source source;

    create_drawn(&plain);
    source = source_of(&plain);
    source.piece_end = piece_end;
    scoped(rmat_destroy) rmat_gen *made = create_from(&source, &plain);
    must(!rmat_sample_create_from(&sample, made, 1 << 14), "sample");
    must(fabs(rmat_sample_distinct(sample, MORE, NULL) - MORE) < 1, "distinct edges");
    must(!rmat_sample_cut(sample, MORE, 0, 8, cells), "cut");
    must(!rmat_count_cells(made, 0, MORE, 9, cells, counts), "count");
    for (int i = 0; i < 8; i++) {
        must(counts[i] > MORE / 16 && counts[i] < MORE / 4, "part %d has %lu edges", i, counts[i]);
    }
    rmat_sample_destroy(sample);
    destroy_drawn();
}

/* Loops are in the stream and not in intervals. */
START_TEST(loops)
{
    rmat_config plain = base_config(6, 6), c = plain;
    const rmat_cell begin = {0, 0}, end = {64, 0}, cell[2] = {{0, 0}, {0, 1}};
    uint64_t src[MORE], dst[MORE], kept = 0, n;
    rmat_source source;

    create_drawn(&plain);
    source = source_of(&plain);
    c.no_self_loops = 1;
    scoped(rmat_destroy) rmat_gen *made = create_from(&source, &c);
    must(!rmat_generate(drawn.host, 0, MORE, src, dst), "edges");
    for (uint64_t i = 0; i < MORE; i++) {
        kept += src[i] != dst[i];
    }
    scoped(rmat_interval_destroy) rmat_interval *interval = interval_of(made, 2 * MORE);
    fill_interval(interval, &begin, &end, false);
    ck_assert_uint_eq(rmat_interval_edges(interval), kept);
    must(!rmat_count_cells(made, 0, MORE, 2, (rmat_cell[]){begin, end}, &n) && n == kept,
         "%lu counted", n);
    fill_interval(interval, &cell[0], &cell[1], false); /* loops at vertex 0 */
    ck_assert_uint_eq(rmat_interval_edges(interval), 0);
    destroy_drawn();
}

/* A source with weights of its own: edge i of a list. */
typedef struct {
    uint32_t src, dst;
    int32_t weight; /* or the bits of a float */
} own_edge;
static own_edge own[MORE];
static bool floats;

static int fill_own(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const own_edge *e = &own[first + i];

        if (to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = e->src;
            ((uint32_t *)to->dst)[i] = e->dst;
        } else {
            ((uint64_t *)to->src)[i] = e->src;
            ((uint64_t *)to->dst)[i] = e->dst;
        }
        if (to->weight != NULL) {
            ((int32_t *)to->weight)[i] = e->weight;
        }
    }
    return 0;
}

static bool same_cell(const own_edge *x, const own_edge *y)
{
    return x->src == y->src && x->dst == y->dst;
}

static int compare_own(const void *a, const void *b)
{
    const own_edge *x = a, *y = b;
    float f, g;

    if (!same_cell(x, y)) {
        return x->src < y->src || (x->src == y->src && x->dst < y->dst) ? -1 : 1;
    }
    memcpy(&f, &x->weight, sizeof f);
    memcpy(&g, &y->weight, sizeof g);
    return floats ? (f > g) - (f < g) : (x->weight > y->weight) - (x->weight < y->weight);
}

static void make_own(uint32_t vertices)
{
    uint64_t state = 1;

    for (uint64_t i = 0; i < MORE; i++) {
        const uint64_t random = next_random(&state);

        own[i].src = (uint32_t)(random >> 10) % vertices;
        own[i].dst = (uint32_t)(random >> 40) % vertices;
        own[i].weight = (int32_t)(random % 2001) - 1000;
        if (floats) {
            const float f = (float)own[i].weight / 7;

            memcpy(&own[i].weight, &f, sizeof f);
        }
    }
}

/* All of it in small intervals, each of a few rows. */
static void check_own(const rmat_gen *gen, uint32_t vertices, bool unique)
{
    scoped(rmat_interval_destroy) rmat_interval *interval = interval_of(gen, 2 * MORE);
    uint64_t at = 0;

    for (uint64_t row = 0; row < vertices; row += vertices / 3) {
        const uint64_t rows = row + vertices / 3 < vertices ? row + vertices / 3 : vertices;
        const rmat_cell first = {row, row ? 3 : 0}, end = {rows, rows < vertices ? 3 : 0};
        uint64_t src[MORE], dst[MORE], pointer, before, n;
        int32_t weight[MORE];

        fill_interval(interval, &first, &end, unique);
        n = rmat_interval_edges(interval);
        must(!rmat_interval_read(interval, 0, n, &(rmat_arrays){src, dst, weight, 8}), "read");
        for (uint64_t i = 0; i < n; i++, at++) {
            while (unique && at > 0 && same_cell(&own[at], &own[at - 1])) {
                at++;
            }
            must(src[i] == own[at].src && dst[i] == own[at].dst && weight[i] == own[at].weight,
                 "edge %lu is (%lu, %lu) of weight %d", at, src[i], dst[i], weight[i]);
        }
        before = 0;
        while (before < n && src[before] < rows) {
            before++;
        }
        must(!rmat_interval_pointers(interval, rows, 1, 7, &pointer) && pointer == 7 + before,
             "pointer %lu of %lu", pointer, n);
    }
    while (unique && at < MORE && at > 0 && same_cell(&own[at], &own[at - 1])) {
        at++;
    }
    must(at == MORE, "%lu edges", at);
}

/* Any int and float weights; and ints of a range that the source names, which take fewer bits. */
START_TEST(own_weights)
{
    static const int32_t ranges[][2] = {{-100, 100}, {1, 255}, {INT32_MIN, INT32_MIN + 1}};

    for (int kind = 0; kind < 4 + 2 * 3; kind++) {
        const uint32_t vertices = kind & 2 ? 50 : 100000; /* the first with many copies */
        rmat_source source = {.rows = vertices, .cols = vertices, .edges = MORE, .fill = fill_own};
        const rmat_config c = model_of((rmat_config){SQUARE(20), .threads = 3});

        floats = kind < 4 && kind & 1;
        source.weights = floats ? RMAT_WEIGHTS_UNIFORM : RMAT_WEIGHTS_INT;
        make_own(vertices);
        if (kind >= 4) {
            const int32_t *range = ranges[kind % 3];
            const uint32_t values = (uint32_t)range[1] - (uint32_t)range[0] + 1;

            source.weight_min = range[0];
            source.weight_max = range[1];
            for (int i = 0; i < MORE; i++) {
                own[i].weight = range[0] + (int32_t)((uint32_t)own[i].weight % values);
            }
        }
        qsort(own, MORE, sizeof *own, compare_own); /* the order of the list does not matter */
        scoped(rmat_destroy) rmat_gen *gen = create_from(&source, &c);
        check_own(gen, vertices, false);
        check_own(gen, vertices, true);
    }
}

/* Copies of one edge with weights of their own are kept, not only counted.  If they do not fit, the
 * interval is a single cell, which cannot be divided. */
START_TEST(one_cell)
{
    const rmat_source source = {
        .rows = 9, .cols = 9, .edges = MORE, .fill = fill_own, .weights = RMAT_WEIGHTS_INT};
    const rmat_cell begin = {0, 0};
    rmat_cell end = {9, 0};
    rmat_interval *interval;
    rmat_config c;

    floats = false;
    make_own(1);
    rmat_config_default(&c);
    scoped(rmat_destroy) rmat_gen *gen = create_from(&source, &c);
    interval = interval_of(gen, RMAT_INTERVAL_LEAST_EDGES);
    gives(RMAT_ERR_NOMEM, rmat_interval_make(interval, &begin, &end, MORE, 0));
    rmat_interval_destroy(interval);
}

static int fill_none(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    (void)state, (void)to;
    return first + count > 20000 ? -1 : fill_own(NULL, first, count, to);
}

/* A failure ends whatever asked for the edges; ranges end with the source. */
START_TEST(failures)
{
    const rmat_cell cells[] = {{0, 0}, {100, 0}};
    rmat_cell end;
    rmat_source source = {.rows = 100, .cols = 100, .edges = MORE, .fill = fill_none};
    uint64_t src[64], dst[64], n;
    rmat_sample *sample;
    const rmat_config c = model_of((rmat_config){SQUARE(20), .threads = 3});

    floats = false;
    make_own(100);
    scoped(rmat_destroy) rmat_gen *gen = create_from(&source, &c);
    ok(rmat_generate(gen, 0, 64, src, dst));
    gives(RMAT_ERR_SOURCE, rmat_generate(gen, 30000, 64, src, dst));
    gives(RMAT_ERR_RANGE, rmat_generate(gen, MORE - 63, 64, src, dst));
    gives(RMAT_ERR_SOURCE, rmat_count_cells(gen, 0, MORE, 2, cells, &n));
    gives(RMAT_ERR_SOURCE, rmat_sample_create_from(&sample, gen, 0));
    must(sample == NULL, "a sample");
    scoped(rmat_interval_destroy) rmat_interval *interval = interval_of(gen, 16384);
    for (int unique = 0; unique < 2; unique++) {
        ok(rmat_interval_begin(interval, &cells[0], &cells[1], unique));
        gives(RMAT_ERR_SOURCE, rmat_interval_add(interval, 15000, 8000));
        end = cells[1];
        gives(RMAT_ERR_RANGE, rmat_interval_make(interval, &cells[0], &end, MORE + 1, unique));
    }
}

START_TEST(arguments)
{
    const rmat_source s = {.rows = 5, .cols = 7, .edges = 9, .fill = fill_own};
    rmat_source bad[] = {s, s, s, s, s};
    const int statuses[] = {RMAT_ERR_ARG, RMAT_ERR_VERTICES, RMAT_ERR_VERTICES, RMAT_ERR_RANGE,
                            RMAT_ERR_WEIGHTS};
    rmat_config c = square_model(20);
    rmat_sample *sample;
    rmat_gen *gen;
    uint64_t edges;

    gives(RMAT_ERR_ARG, rmat_create_from(NULL, &s, &c));
    gives(RMAT_ERR_ARG, rmat_create_from(&gen, NULL, &c));
    must(gen == NULL, "no source");
    gives(RMAT_ERR_ARG, rmat_create_from(&gen, &s, NULL));
    bad[0].fill = NULL;
    bad[1].rows = 0;
    bad[2].rows = ((uint64_t)1 << 62) + 1;
    bad[3].edges = RMAT_MAX_EDGES + 1;
    bad[4].weight_min = 1;
    for (int i = 0; i < COUNT(bad); i++) {
        gives(statuses[i], rmat_create_from(&gen, &bad[i], &c));
    }
    c.symmetrize = 1;
    gives(RMAT_ERR_SQUARE, rmat_create_from(&gen, &s, &c));
    c.symmetrize = 0;
    c.backend = RMAT_BACKEND_GPU; /* in whose memory the source has no edges */
    gives(RMAT_ERR_NO_BACKEND, rmat_create_from(&gen, &s, &c));
    must(gen == NULL, "no edges of a GPU");
    c.backend = RMAT_BACKEND_CPU;
    gen = create_gen(&c);
    gives(RMAT_ERR_ARG, rmat_sample_create_from(&sample, gen, 1));
    rmat_destroy(gen);
    gen = create_from(&s, &c);
    gives(RMAT_ERR_ARG, rmat_unique_edges(gen, 3, 1 << 20, &edges)); /* draws of a source */
    rmat_destroy(gen);
}

TEST_CASES(rmat_source, 120, ONCE(options), ONCE(cuts), ONCE(loops), ONCE(own_weights),
           ONCE(one_cell), ONCE(failures), ONCE(arguments))
