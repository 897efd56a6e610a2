/*
 * test_graphfile_binary.c - binary formats, byte for byte against a layout made here, for any size
 * of pieces and any number of threads; Graph500's two files, which are both there or none.
 */
#include "tests/support/io_util.h"

#include "io/graphfile.h"

#include <pthread.h>
#include <stdatomic.h>

#define EDGES   5003
#define ROWS    ((uint64_t)900)
#define COLS    ((uint64_t)1000)
#define THREADS 5

static const graphfile_format formats[] = {GRAPHFILE_BIN32,    GRAPHFILE_BIN64, GRAPHFILE_GRAPH500,
                                           GRAPHFILE_NPY,      GRAPHFILE_SG,    GRAPHFILE_WSG,
                                           GRAPHFILE_ADJACENCY};
enum { FORMATS = sizeof formats / sizeof *formats };
static const uint64_t pieces[] = {EDGES, 1, 7, 1000, 1100, 2100, 4096};
enum { PIECES = sizeof pieces / sizeof *pieces };

typedef struct {
    uint64_t src[EDGES], dst[EDGES];
    uint32_t src_32[EDGES], dst_32[EDGES];
    uint32_t weight[EDGES]; /* bits */
} edges;

static int by_order(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return x[0] != y[0] ? (x[0] > y[0] ? 1 : -1) : x[1] != y[1] ? (x[1] > y[1] ? 1 : -1) : 0;
}

/* Sorted and distinct; neither the first nor the last rows have any. */
static void make(edges *e, edgefile_weight weight)
{
    static uint64_t pairs[EDGES][2];

    for (uint64_t i = 0; i < EDGES; i++) {
        pairs[i][0] = 3 + i / COLS + i % 50 * 17;
        pairs[i][1] = i % COLS;
    }
    qsort(pairs, EDGES, sizeof pairs[0], by_order);
    for (uint64_t i = 0; i < EDGES; i++) {
        e->src[i] = e->src_32[i] = (uint32_t)pairs[i][0];
        e->dst[i] = e->dst_32[i] = (uint32_t)pairs[i][1];
        e->weight[i] = made_weight(i, weight);
        if (weight == EDGEFILE_WEIGHT_I32)
            e->weight[i] &= 0xffff;
    }
}

/* --- the layout --- */

typedef struct {
    char *at;
    size_t bytes;
} text;

static void add(text *t, const void *data, size_t bytes)
{
    memcpy(t->at + t->bytes, data, bytes);
    t->bytes += bytes;
}

static void add_number(text *t, uint64_t value, size_t bytes)
{
    add(t, &value, bytes);
}

/* Edges by src, or with `in` by dst and then as they come. */
static void add_side(text *t, const edges *e, int in, int weights, uint64_t vertices)
{
    const uint64_t *key = in ? e->dst : e->src, *other = in ? e->src : e->dst;

    for (uint64_t v = 0, n = 0; v <= vertices; v++) {
        add_number(t, n, 8);
        for (uint64_t i = 0; i < EDGES; i++)
            n += key[i] == v;
    }
    for (uint64_t v = 0; v < vertices; v++)
        for (uint64_t i = 0; i < EDGES; i++)
            if (key[i] == v) {
                add_number(t, other[i], 4);
                if (weights)
                    add(t, &e->weight[i], 4);
            }
}

static void add_npy(text *t, const edges *e, const graphfile_graph *g)
{
    static const char start[] = "\x93NUMPY\x01\x00\xf6\x0f{'descr': '<";
    char rest[128];

    add(t, start, sizeof start - 1);
    snprintf(rest, sizeof rest, "%c%d', 'fortran_order': False, 'shape': (2, %d), }",
             g->signed_ids ? 'i' : 'u', g->id_bytes, EDGES);
    add(t, rest, strlen(rest));
    while (t->bytes < 4095)
        add(t, " ", 1);
    add(t, "\n", 1);
    for (int i = 0; i < 2 * EDGES; i++)
        add_number(t, i < EDGES ? e->src[i] : e->dst[i - EDGES], (size_t)g->id_bytes);
}

/* The number of the edge with which each row begins, as 4 digits. */
static void add_pointers(text *t, const edges *e)
{
    for (uint64_t v = 0; v < COLS; v++) {
        int n = 0;

        for (uint64_t i = 0; i < EDGES; i++)
            n += e->src[i] < v;
        t->bytes += (size_t)sprintf(t->at + t->bytes, "%4d\n", n);
    }
}

static void add_adjacency(text *t, const edges *e, const graphfile_graph *g)
{
    t->bytes =
        (size_t)sprintf(t->at, "%sAdjacencyGraph\n1000\n5003\n", g->weight ? "Weighted" : "");
    add_pointers(t, e);
    for (int i = 0; i < EDGES; i++)
        t->bytes += (size_t)sprintf(t->at + t->bytes, "%4d\n", (int)e->dst[i]);
    for (int i = 0; i < EDGES && g->weight; i++)
        t->bytes += (size_t)sprintf(t->at + t->bytes, "%11d\n", (int)e->weight[i]);
}

static text expected(const edges *e, const graphfile_spec *spec)
{
    text t = {calloc(1, 1 << 20), 0};
    const int width = spec->format == GRAPHFILE_BIN32 ? 4 : 8;
    const int directed = !(spec->graph.pairs && spec->graph.no_loops);
    const int weights = spec->format == GRAPHFILE_WSG;

    switch (spec->format) {
    case GRAPHFILE_BIN32:
    case GRAPHFILE_BIN64:
        for (int i = 0; i < EDGES; i++) {
            add_number(&t, e->src[i], (size_t)width);
            add_number(&t, e->dst[i], (size_t)width);
        }
        break;
    case GRAPHFILE_GRAPH500:
        for (int i = 0; i < EDGES; i++) {
            add_number(&t, e->src[i], 4);
            add_number(&t, e->dst[i], 4);
            add_number(&t, e->src[i] >> 32 | e->dst[i] >> 32 << 16, 4);
        }
        break;
    case GRAPHFILE_NPY:
        add_npy(&t, e, &spec->graph);
        break;
    case GRAPHFILE_SG:
    case GRAPHFILE_WSG:
        add_number(&t, (uint64_t)directed, 1);
        add_number(&t, EDGES, 8);
        add_number(&t, COLS, 8);
        add_side(&t, e, 0, weights, COLS);
        if (directed)
            add_side(&t, e, 1, weights, COLS);
        break;
    case GRAPHFILE_ADJACENCY:
        add_adjacency(&t, e, &spec->graph);
        break;
    default:
        break;
    }
    return t;
}

/* --- the files --- */

typedef struct {
    graphfile_writer *w;
    const edges *e;
    const graphfile_graph *g;
    uint64_t piece;
    pthread_mutex_t lock;
    uint64_t next;
    _Atomic int failures;
} job;

static void *work(void *arg)
{
    job *j = arg;
    const int narrow = j->g->id_bytes == 4;

    for (;;) {
        graphfile_piece p = {0};

        pthread_mutex_lock(&j->lock);
        p.number = j->next++;
        pthread_mutex_unlock(&j->lock);
        p.first = p.number * j->piece;
        if (p.first >= EDGES)
            return NULL;
        p.count = EDGES - p.first < j->piece ? EDGES - p.first : j->piece;
        p.src = narrow ? (const void *)(j->e->src_32 + p.first) : j->e->src + p.first;
        p.dst = narrow ? (const void *)(j->e->dst_32 + p.first) : j->e->dst + p.first;
        p.weight = j->g->weight ? j->e->weight + p.first : NULL;
        if (graphfile_write(j->w, &p) != EDGEFILE_OK)
            atomic_fetch_add(&j->failures, 1);
    }
}

static void write_edges(graphfile_writer *w, const graphfile_spec *spec, const edges *e,
                        uint64_t piece, int threads)
{
    job j = {.w = w, .e = e, .g = &spec->graph, .piece = piece, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t ids[THREADS];

    for (int t = 0; t < threads; t++)
        ck_assert_int_eq(pthread_create(&ids[t], NULL, work, &j), 0);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    ck_assert_int_eq(j.failures, 0);
}

/* The transposed, in blocks from the end on; of the layout above. */
static void write_in(graphfile_writer *w, const text *want)
{
    const uint64_t width = graphfile_in_bytes(w), step = 600;
    const char *neighbours, *pointers;

    if (width == 0)
        return;
    neighbours = want->at + want->bytes - width * EDGES;
    pointers = neighbours - 8 * (COLS + 1);
    for (uint64_t i = (COLS + step) / step; i-- > 0;) {
        static uint64_t block[600];
        uint64_t n = COLS + 1 - i * step < step ? COLS + 1 - i * step : step;
        memcpy(block, pointers + 8 * i * step, 8 * n);
        ck_ok(graphfile_write_in_pointers(w, i * step, n, block));
    }
    for (uint64_t i = (EDGES - 1) / step + 1; i-- > 0;)
        ck_ok(graphfile_write_in_neighbours(w, i * step,
                                            EDGES - i * step < step ? EDGES - i * step : step,
                                            neighbours + width * i * step));
}

static text whole_file(const char *name)
{
    FILE *f = fopen(name, "rb");
    text t = {malloc(8 << 20), 0};

    ck_assert_msg(f != NULL, "%s", name);
    t.bytes = fread(t.at, 1, 8 << 20, f);
    fclose(f);
    return t;
}

static void check_same(const char *name, const void *want, size_t bytes, uint64_t piece)
{
    text got = whole_file(name);

    ck_assert_uint_eq(got.bytes, bytes);
    ck_assert_msg(memcmp(got.at, want, bytes) == 0, "%s, pieces of %d", name, (int)piece);
    free(got.at);
}

static graphfile_spec spec_of(graphfile_format format, int id_bytes, edgefile_weight weight)
{
    return (graphfile_spec){.format = format,
                            .replace = 1,
                            .graph = {.rows = ROWS,
                                      .cols = COLS,
                                      .edges = EDGES,
                                      .id_bytes = id_bytes,
                                      .weight = weight,
                                      .sorted = 1,
                                      .unique = 1}};
}

static const char *weights_name(void)
{
    static char name[128];

    snprintf(name, sizeof name, "%s.weights", graph);
    return name;
}

/* Of Graph500: floats, of integers too. */
static void check_weights(const edges *e, edgefile_weight weight, uint64_t piece)
{
    static float floats[EDGES];

    if (weight == EDGEFILE_NO_WEIGHT) {
        ck_assert(!exists(weights_name()));
        return;
    }
    for (int i = 0; i < EDGES; i++)
        floats[i] = (float)(int32_t)e->weight[i];
    check_same(weights_name(), weight == EDGEFILE_WEIGHT_F32 ? (const void *)e->weight : floats,
               sizeof floats, piece);
}

START_TEST(same_as_the_layout)
{
    static edges e;
    graphfile_spec spec = spec_of(formats[_i / 6], _i / 3 % 2 ? 8 : 4, (edgefile_weight)(_i % 3));
    text want;

    if (graphfile_check(spec.format, &spec.graph) != EDGEFILE_OK)
        return;
    spec.graph.pairs = spec.graph.no_loops = _i / 3 % 2; /* undirected, though not true */
    spec.graph.signed_ids = _i % 3 == 1;
    make(&e, spec.graph.weight);
    want = expected(&e, &spec);
    for (int i = _i; i < _i + 3; i++) {
        const uint64_t piece = pieces[i % PIECES];
        graphfile_writer *w;
        uint64_t bytes;

        ck_ok(graphfile_create(&w, graph, &spec));
        write_edges(w, &spec, &e, piece, i % 2 ? THREADS : 1);
        write_in(w, &want);
        ck_ok(commit_bytes(&w, &bytes));
        ck_assert_ptr_null(w);
        ck_assert(!exists(graph_partial));
        ck_assert_uint_eq(bytes, want.bytes);
        check_same(graph, want.at, want.bytes, piece);
        if (spec.format == GRAPHFILE_GRAPH500)
            check_weights(&e, spec.graph.weight, piece);
    }
    free(want.at);
}
END_TEST

/* ParHIP's offsets are those of bytes, and its numbers have 64 bits. */
START_TEST(parhip)
{
    static const uint32_t src[] = {0, 1, 1, 3}, dst[] = {1, 0, 3, 1};
    static const uint64_t want[] = {3, 4, 4, 64, 72, 88, 88, 96, 1, 0, 3, 1};
    const graphfile_piece p = {.count = 4, .src = src, .dst = dst};
    graphfile_spec spec = spec_of(GRAPHFILE_PARHIP, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;

    spec.graph.rows = spec.graph.cols = spec.graph.edges = 4;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG,
             "parhip needs a graph that is known to be without self-loops and undirected");
    spec.graph.pairs = spec.graph.no_loops = 1;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(graphfile_write(w, &p));
    ck_ok(graphfile_commit(&w, NULL));
    check_same(graph, want, sizeof want, 4);
}
END_TEST

START_TEST(no_edges)
{
    static const size_t sizes[] = {0, 0, 0, 4096, 17 + 2 * 8008, 17 + 2 * 8008, 30 + 2 * COLS};

    for (int i = 0; i < FORMATS; i++) {
        graphfile_spec spec = spec_of(formats[i], 4, EDGEFILE_WEIGHT_I32);
        graphfile_writer *w;
        const uint64_t zeros[COLS + 1] = {0};
        uint64_t bytes;

        spec.graph.edges = 0;
        ck_ok(graphfile_create(&w, graph, &spec));
        if (graphfile_in_bytes(w) > 0)
            ck_ok(graphfile_write_in_pointers(w, 0, COLS + 1, zeros));
        ck_ok(commit_bytes(&w, &bytes));
        ck_assert_msg(bytes == sizes[i], "%s: %d", graphfile_table[formats[i]]->name, (int)bytes);
    }
}
END_TEST

/* Edges or in-neighbours are missing: no file. */
START_TEST(not_all_is_written)
{
    static edges e;

    make(&e, EDGEFILE_WEIGHT_I32);
    for (int i = 0; i < 3 * FORMATS; i++) {
        graphfile_spec spec = spec_of(formats[i / 3], 4, EDGEFILE_WEIGHT_I32);
        const int serialized = spec.format == GRAPHFILE_SG || spec.format == GRAPHFILE_WSG;
        const uint64_t zeros[COLS + 1] = {0};
        graphfile_writer *w;

        if (i % 3 && !serialized)
            continue;
        ck_ok(graphfile_create(&w, graph, &spec));
        if (i % 3)
            write_edges(w, &spec, &e, 1000, 1);
        if (i % 3 == 2)
            ck_ok(graphfile_write_in_pointers(w, 0, COLS + 1, zeros));
        ck_fails(graphfile_commit(&w, NULL), EDGEFILE_ERR_RANGE, "written");
        ck_assert(!exists(graph) && !exists(graph_partial) && !exists(weights_name()));
    }
}
END_TEST

static void touch(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0600);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "mine", 4), 4);
    close(fd);
}

/* NAME.weights is as much in the way as NAME: also where there are no weights, for they would be
 * taken for those of the graph. */
START_TEST(weights_in_the_way)
{
    graphfile_spec spec = spec_of(GRAPHFILE_GRAPH500, 4, (edgefile_weight)_i);
    static edges e;
    graphfile_writer *w;

    make(&e, spec.graph.weight);
    spec.replace = 0;
    touch(weights_name());
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, weights_name());
    ck_assert_ptr_null(w);
    check_same(weights_name(), "mine", 4, 0);
    ck_assert(!exists(graph_partial));
    spec.replace = 1;
    ck_ok(graphfile_create(&w, graph, &spec));
    graphfile_abort(&w);
    check_same(weights_name(), "mine", 4, 0);
    ck_ok(graphfile_create(&w, graph, &spec));
    write_edges(w, &spec, &e, 1000, 1);
    check_same(weights_name(), "mine", 4, 0);
    ck_ok(graphfile_commit(&w, NULL));
    check_weights(&e, spec.graph.weight, 1000);
}
END_TEST

/* The weights are in place, and then the edges cannot be. */
START_TEST(both_files_or_none)
{
    graphfile_spec spec = spec_of(GRAPHFILE_GRAPH500, 4, EDGEFILE_WEIGHT_F32);
    static edges e;
    graphfile_writer *w;

    make(&e, spec.graph.weight);
    ck_ok(graphfile_create(&w, graph, &spec));
    write_edges(w, &spec, &e, 1000, 1);
    ck_assert_int_eq(mkdir(graph, 0700), 0);
    ck_assert_int_ne(graphfile_commit(&w, NULL), EDGEFILE_OK);
    ck_assert(!exists(weights_name()) && !exists(graph_partial));
    rmdir(graph);

    ck_ok(graphfile_create(&w, graph, &spec));
    write_edges(w, &spec, &e, 1000, 1);
    ck_assert_int_eq(mkdir(weights_name(), 0700), 0);
    ck_assert_int_ne(graphfile_commit(&w, NULL), EDGEFILE_OK);
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* What cannot be said in the format is no weight and no vertex of another value. */
START_TEST(refusals)
{
    graphfile_spec spec = spec_of(GRAPHFILE_GRAPH500, 8, EDGEFILE_WEIGHT_I32);
    const uint64_t id = 5;
    const int32_t weight = (1 << 24) + 1;
    const graphfile_piece p = {0, 0, 1, &id, &id, &weight, 0};
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(graphfile_write(w, &p), EDGEFILE_ERR_FORMAT, "edge 0 has weight 16777217");
    graphfile_abort(&w);
    ck_fails(graphfile_create(&w, "-", &spec), EDGEFILE_ERR_ARG, "standard output");
    spec.graph.rows = ((uint64_t)1 << 47) + 1;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "140737488355328 vertices");
    spec.format = GRAPHFILE_WSG;
    spec.graph.rows = ((uint64_t)1 << 31) - 1;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "2147483646 vertices");
    ck_assert(!exists(graph) && !exists(graph_partial) && !exists(weights_name()));
}
END_TEST

TEST_MAIN(graphfile_binary)
{
    Suite *suite = suite_create("graphfile_binary");
    TCase *tc = tcase_create("binary");

    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, scratch_make, scratch_remove);
    tcase_add_loop_test(tc, same_as_the_layout, 0, 6 * FORMATS);
    tcase_add_test(tc, parhip);
    tcase_add_test(tc, no_edges);
    tcase_add_test(tc, not_all_is_written);
    tcase_add_loop_test(tc, weights_in_the_way, 0, 3);
    tcase_add_test(tc, both_files_or_none);
    tcase_add_test(tc, refusals);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
