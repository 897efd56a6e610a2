/*
 * test_graphfile_text.c - text formats against what printf makes of the same edges: any size of
 * pieces, any number of threads.
 */
#include "tests/support/io_util.h"

#include "io/formats/writer.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#define EDGES   2003
#define HIGHEST (((uint64_t)1 << 62) - 1)
#define THREADS 5

static const graphfile_format formats[] = {GRAPHFILE_EL,  GRAPHFILE_WEL, GRAPHFILE_TSV,
                                           GRAPHFILE_CSV, GRAPHFILE_MTX, GRAPHFILE_METIS};
enum { FORMATS = sizeof formats / sizeof *formats };
static const uint64_t pieces[] = {1, 7, 500, 2000, 10000};

typedef struct {
    uint64_t src[EDGES], dst[EDGES];
    uint32_t src_32[EDGES], dst_32[EDGES];
    uint32_t weight[EDGES]; /* bits */
} edges;

/* All lengths of numbers, and the ends of each length. */
static uint64_t some_id(uint64_t i, int id_bytes)
{
    uint64_t power = 1;

    for (uint64_t k = mix(i) % 19; k > 0; k--)
        power *= 10;
    power = i % 5 == 0 ? power : i % 5 == 1 ? power - 1 : mix(i + 1) % power;
    if (i % 97 == 0)
        power = HIGHEST;
    return id_bytes == 4 ? power & 0xffffffff : power < HIGHEST ? power : HIGHEST;
}

/* No float of 2^24 or more but some of which fewer digits do not lie just half way to the next. */
static uint32_t some_weight(uint64_t i, edgefile_weight kind)
{
    static const int32_t ints[] = {0, 1, -1, INT32_MAX, INT32_MIN, 10, -10, 99999999, 100000000};
    static const float floats[] = {0.0f,      -0.0f, 1.0f,      -1.0f,   1e-38f,   1e-45f,
                                   3.4e38f,   1e-4f, 9.99e-5f,  0.1f,    1e8f,     99999992.0f,
                                   16777216., 0.5f,  123456.7f, -1e-30f, 1.0f / 3, 9.9999999e7f};
    float value = floats[i % 18];
    uint32_t bits = (uint32_t)mix(i);

    if (kind == EDGEFILE_WEIGHT_I32)
        return i % 2 ? bits : (uint32_t)ints[i / 2 % 9];
    if (i % 2 == 0)
        value = (float)(mix(i) >> 40) * 0x1p-24f;
    else if (i % 3 == 0)
        value = ldexpf((float)(mix(i) >> 40), (int)(mix(i) % 50) - 50);
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static int by_order(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return x[0] != y[0] ? (x[0] > y[0] ? 1 : -1) : x[1] != y[1] ? (x[1] > y[1] ? 1 : -1) : 0;
}

/* As METIS wants it, but for the other direction: 2^20 vertices at most, ascending. */
static void make_sorted(edges *e)
{
    static uint64_t pairs[EDGES][2];

    for (uint64_t i = 0; i < EDGES; i++) {
        pairs[i][0] = mix(i / 4) % 50000 / (i % 7 == 0 ? 1 : 30) * 10 + 1;
        pairs[i][1] = i;
    }
    qsort(pairs, EDGES, sizeof pairs[0], by_order);
    for (uint64_t i = 0; i < EDGES; i++) {
        e->src[i] = pairs[i][0];
        e->dst[i] = pairs[i][1];
    }
}

static void make(edges *e, graphfile_spec *spec)
{
    const graphfile_graph *g = &spec->graph;

    for (uint64_t i = 0; i < EDGES; i++) {
        e->src[i] = some_id(2 * i, g->id_bytes);
        e->dst[i] = some_id(2 * i + 1, g->id_bytes);
        e->weight[i] = some_weight(i, g->weight);
        if (spec->format == GRAPHFILE_METIS)
            e->weight[i] = e->weight[i] >> 1 | 1;
    }
    if (spec->format == GRAPHFILE_METIS)
        make_sorted(e);
    for (uint64_t i = 0; i < EDGES; i++) {
        e->src_32[i] = (uint32_t)e->src[i];
        e->dst_32[i] = (uint32_t)e->dst[i];
    }
}

/* The fewest digits that give the same float; without an exponent where it is neither large nor
 * small. */
static void print_float(FILE *f, float x)
{
    char text[64];
    int digits = 0, places;

    do
        snprintf(text, sizeof text, "%.*e", digits++, (double)x);
    while (digits < 9 && strtof(text, NULL) != x);
    places = digits - 1 - (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (x == 0 || (fabsf(x) >= 1e-4f && fabsf(x) < 1e8f))
        fprintf(f, "%.*f", places > 0 ? places : 0, strtod(text, NULL));
    else
        fprintf(f, "%.*g", digits, (double)x);
}

static void print_weight(FILE *f, const edges *e, uint64_t i, edgefile_weight kind)
{
    float x;

    memcpy(&x, &e->weight[i], sizeof x);
    if (kind == EDGEFILE_WEIGHT_F32)
        print_float(f, x);
    else
        fprintf(f, "%" PRId32, (int32_t)e->weight[i]);
}

static void print_metis(FILE *f, const edges *e, const graphfile_graph *g)
{
    uint64_t i = 0;

    fprintf(f, "%% made\n%" PRIu64 " %d%s\n", g->rows, EDGES / 2, g->weight ? " 1" : "");
    for (uint64_t row = 0; row < g->rows; row++) {
        for (; i < EDGES && e->src[i] == row; i++) {
            fprintf(f, "%" PRIu64 " ", e->dst[i] + 1);
            if (g->weight)
                fprintf(f, "%" PRIu32 " ", e->weight[i]);
        }
        fputc('\n', f);
    }
}

static void print_lines(FILE *f, const edges *e, graphfile_format format, const graphfile_graph *g)
{
    const char blank = format == GRAPHFILE_TSV ? '\t' : format == GRAPHFILE_CSV ? ',' : ' ';
    const uint64_t base = format == GRAPHFILE_MTX;

    for (uint64_t i = 0; i < EDGES; i++) {
        fprintf(f, "%" PRIu64 "%c%" PRIu64, e->src[i] + base, blank, e->dst[i] + base);
        if (g->weight && format != GRAPHFILE_EL) {
            fputc(blank, f);
            print_weight(f, e, i, g->weight);
        }
        fputc('\n', f);
    }
}

static char *expected(const edges *e, const graphfile_spec *spec, size_t *size)
{
    static const char *const fields[] = {"pattern", "real", "integer"};
    const graphfile_graph *g = &spec->graph;
    char *text;
    FILE *f = open_memstream(&text, size);

    if (spec->format == GRAPHFILE_CSV)
        fprintf(f, "src,dst%s\n", spec->graph.weight ? ",weight" : "");
    if (spec->format == GRAPHFILE_MTX)
        fprintf(f,
                "%%%%MatrixMarket matrix coordinate %s general\n%% made\n%" PRIu64 " %" PRIu64
                " %d\n",
                fields[g->weight], g->rows, g->cols, EDGES);
    if (spec->format == GRAPHFILE_METIS)
        print_metis(f, e, g);
    else
        print_lines(f, e, spec->format, g);
    fclose(f);
    return text;
}

typedef struct {
    graphfile_writer *w;
    const edges *e;
    const graphfile_graph *g;
    uint64_t piece;
    pthread_mutex_t lock;
    uint64_t next;
    _Atomic int failures;
} job;

static graphfile_piece piece_at(const edges *e, const graphfile_graph *g, uint64_t number,
                                uint64_t first, uint64_t count)
{
    const int narrow = g->id_bytes == 4;

    return (graphfile_piece){number,
                             first,
                             count,
                             narrow ? (const void *)(e->src_32 + first) : e->src + first,
                             narrow ? (const void *)(e->dst_32 + first) : e->dst + first,
                             g->weight ? e->weight + first : NULL,
                             0};
}

static void *work(void *arg)
{
    job *j = arg;

    for (;;) {
        uint64_t number, first;
        graphfile_piece p;

        pthread_mutex_lock(&j->lock);
        number = j->next++;
        pthread_mutex_unlock(&j->lock);
        first = number * j->piece;
        if (first >= EDGES)
            return NULL;
        p = piece_at(j->e, j->g, number, first,
                     EDGES - first < j->piece ? EDGES - first : j->piece);
        if (graphfile_write(j->w, &p) != EDGEFILE_OK)
            atomic_fetch_add(&j->failures, 1);
    }
}

static void write_all(const graphfile_spec *spec, const edges *e, uint64_t piece, int threads,
                      uint64_t *bytes)
{
    job j = {.e = e, .g = &spec->graph, .piece = piece, .lock = PTHREAD_MUTEX_INITIALIZER};
    pthread_t ids[THREADS];

    ck_ok(graphfile_create(&j.w, graph, spec));
    for (int t = 0; t < threads; t++)
        ck_assert_int_eq(pthread_create(&ids[t], NULL, work, &j), 0);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    ck_assert_int_eq(j.failures, 0);
    ck_ok(commit_bytes(&j.w, bytes));
    ck_assert_ptr_null(j.w);
    ck_assert(!exists(graph_partial));
}

static char *whole_file(size_t *size)
{
    FILE *f = fopen(graph, "rb");
    struct stat st;
    char *text;

    ck_assert_ptr_nonnull(f);
    fstat(fileno(f), &st);
    *size = (size_t)st.st_size;
    text = malloc(*size + 1);
    ck_assert(fread(text, 1, *size, f) == *size);
    fclose(f);
    return text;
}

static graphfile_spec spec_of(graphfile_format format, int id_bytes, edgefile_weight weight)
{
    const uint64_t most = format == GRAPHFILE_METIS ? (uint64_t)1 << 20
                          : id_bytes == 4           ? (uint64_t)1 << 32
                                                    : HIGHEST + 1;

    return (graphfile_spec){.format = format,
                            .comment = "made",
                            .replace = 1,
                            .graph = {.rows = most,
                                      .cols = most,
                                      .edges = EDGES,
                                      .id_bytes = id_bytes,
                                      .weight = weight,
                                      .sorted = 1,
                                      .unique = 1,
                                      .pairs = 1,
                                      .no_loops = 1}};
}

START_TEST(same_as_printf)
{
    static edges e;
    const int id_bytes = _i / 3 % 2 ? 8 : 4;
    graphfile_spec spec = spec_of(formats[_i / 6], id_bytes, (edgefile_weight)(_i % 3));
    size_t size, length;
    char *want;

    if (graphfile_check(spec.format, &spec.graph) != EDGEFILE_OK)
        return;
    make(&e, &spec);
    want = expected(&e, &spec, &size);
    for (int i = _i; i < _i + 3; i++) {
        const uint64_t piece = pieces[i % 5];
        uint64_t bytes;
        char *got;

        write_all(&spec, &e, piece, i % 2 ? THREADS : 1, &bytes);
        got = whole_file(&length);
        ck_assert_uint_eq(length, size);
        ck_assert_uint_eq(bytes, size);
        ck_assert_msg(memcmp(got, want, size) == 0, "%s, pieces of %d",
                      graphfile_table[spec.format]->name, (int)piece);
        free(got);
    }
    free(want);
}
END_TEST

static void same_text(const char *want)
{
    char got[256];
    FILE *f = fopen(graph, "rb");
    size_t n;

    ck_assert_ptr_nonnull(f);
    n = fread(got, 1, sizeof got - 1, f);
    got[n] = '\0';
    fclose(f);
    ck_assert_str_eq(got, want);
}

/* A path of three vertices, both directions of its edges: numbered from 1. */
static const struct {
    graphfile_format format;
    unsigned base;
    edgefile_weight weight;
    const char *text; /* or NULL: refused */
} small[] = {
    {GRAPHFILE_EL, 1, EDGEFILE_NO_WEIGHT, "1 2\n2 1\n2 3\n3 2\n"},
    {GRAPHFILE_WEL, 1, EDGEFILE_WEIGHT_I32, "1 2 5\n2 1 5\n2 3 -6\n3 2 -6\n"},
    {GRAPHFILE_TSV, 1, EDGEFILE_NO_WEIGHT, "1\t2\n2\t1\n2\t3\n3\t2\n"},
    {GRAPHFILE_CSV, 1, EDGEFILE_NO_WEIGHT, "src,dst\n1,2\n2,1\n2,3\n3,2\n"},
    {GRAPHFILE_CSV, 2, EDGEFILE_NO_WEIGHT, NULL},
    {GRAPHFILE_MTX, 1, EDGEFILE_NO_WEIGHT, NULL},
    {GRAPHFILE_BIN32, 1, EDGEFILE_NO_WEIGHT, NULL},
};

START_TEST(small_graphs)
{
    static const uint32_t src[] = {0, 1, 1, 2}, dst[] = {1, 0, 2, 1};
    static const int32_t weights[] = {5, 5, -6, -6};
    const graphfile_piece p = {
        .count = 4, .src = src, .dst = dst, .weight = small[_i].weight ? weights : NULL};
    const graphfile_spec spec = {
        .format = small[_i].format,
        .base = small[_i].base,
        .replace = 1,
        .graph = {.rows = 3, .cols = 3, .edges = 4, .id_bytes = 4, .weight = small[_i].weight}};
    graphfile_writer *w;

    if (small[_i].text == NULL) {
        ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG,
                 "allowed: 1 with el, wel, tsv, csv");
        return;
    }
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(graphfile_write(w, &p));
    ck_ok(graphfile_commit(&w, NULL));
    same_text(small[_i].text);
}
END_TEST

/* What is left are the headers, and the lines of vertices. */
START_TEST(no_edges)
{
    for (int i = 0; i < FORMATS; i++) {
        graphfile_spec spec = spec_of(formats[i], 4, EDGEFILE_WEIGHT_I32);
        static const size_t sizes[] = {0, 0, 0, 15, 68, 16 + 1000};
        graphfile_writer *w;
        uint64_t bytes;

        spec.graph.edges = 0;
        spec.graph.rows = spec.graph.cols = 1000;
        ck_ok(graphfile_create(&w, graph, &spec));
        ck_ok(commit_bytes(&w, &bytes));
        ck_assert_msg(bytes == sizes[i], "%s: %d", spec.comment, (int)bytes);
    }
}
END_TEST

/* Edges far from each other: their lines are in the file, but never in memory. */
START_TEST(metis_with_few_edges)
{
    static const uint32_t src[] = {5, 10000000, 19999998}, dst[] = {1, 2, 3};
    const graphfile_piece whole = {0, 0, 3, src, dst, NULL, 0};
    graphfile_spec spec = spec_of(GRAPHFILE_METIS, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;
    uint64_t bytes;
    char text[8] = "";
    int fd;

    spec.graph.edges = 3;
    spec.graph.rows = spec.graph.cols = 20000000;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(graphfile_write(w, &whole));
    ck_ok(commit_bytes(&w, &bytes));
    ck_assert_uint_eq(bytes, 20000000 + strlen("% made\n20000000 1\n2 3 4 "));
    fd = open(graph, O_RDONLY);
    ck_assert_int_eq(pread(fd, text, 6, (off_t)(strlen("% made\n20000000 1\n2 ") + 9999998)), 6);
    ck_assert_str_eq(text, "\n\n3 \n\n");
    close(fd);
}
END_TEST

/* GAPBS skips 200 bytes of a comment. */
START_TEST(comments_are_short)
{
    char comment[2000], line[512];
    graphfile_spec spec = spec_of(GRAPHFILE_MTX, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;
    size_t letters = 0;
    FILE *f;

    for (size_t i = 0; i < sizeof comment - 1; i++)
        comment[i] = i < 900 && i % 11 == 10 ? ' ' : i == 20 ? '\n' : 'x';
    comment[sizeof comment - 1] = '\0';
    spec.comment = comment;
    spec.graph.edges = 0;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(graphfile_commit(&w, NULL));
    f = fopen(graph, "r");
    ck_assert_ptr_nonnull(fgets(line, sizeof line, f));
    while (fgets(line, sizeof line, f) != NULL && line[0] == '%') {
        ck_assert(strlen(line) < 200 && strncmp(line, "% ", 2) == 0);
        for (const char *c = line; *c != '\0'; c++)
            letters += *c == 'x' || *c == '?';
    }
    fclose(f);
    ck_assert_uint_eq(letters, sizeof comment - 1 - 81);
}
END_TEST

static int write_three(graphfile_format format, const uint32_t src[3], const uint32_t dst[3],
                       const int32_t *weight, uint64_t piece)
{
    graphfile_spec spec = spec_of(format, 4, weight ? EDGEFILE_WEIGHT_I32 : EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;
    int st = EDGEFILE_OK;

    spec.graph.edges = 3;
    spec.graph.rows = 100;
    spec.graph.cols = format == GRAPHFILE_METIS ? 100 : 50;
    ck_ok(graphfile_create(&w, graph, &spec));
    for (uint64_t i = 0; i < 3 && st == EDGEFILE_OK; i += piece) {
        const graphfile_piece p = {i / piece, i, piece, src + i, dst + i, weight ? weight + i : 0,
                                   0};
        st = graphfile_write(w, &p);
    }
    if (st == EDGEFILE_OK)
        return graphfile_commit(&w, NULL);
    graphfile_abort(&w);
    return st;
}

/* What the graph was said to be, and is not. */
START_TEST(wrong_edges)
{
    static const uint32_t up[] = {1, 2, 3}, down[] = {1, 3, 2}, same[] = {5, 5, 5},
                          high[] = {1, 50, 2};
    static const uint32_t far[] = {1, 2, 100};
    static const int32_t weights[] = {1, 1, 0};

    for (uint64_t piece = 1; piece <= 3; piece += 2) {
        ck_ok(write_three(GRAPHFILE_METIS, same, up, NULL, piece));
        ck_fails(write_three(GRAPHFILE_METIS, down, up, NULL, piece), EDGEFILE_ERR_FORMAT,
                 "edge 2 is not in order, metis needs a sorted graph without duplicates");
        ck_fails(write_three(GRAPHFILE_METIS, same, down, NULL, piece), EDGEFILE_ERR_FORMAT,
                 "edge 2 is not in order");
        ck_fails(write_three(GRAPHFILE_METIS, same, same, NULL, piece), EDGEFILE_ERR_FORMAT,
                 "edge 1 is not in order");
        ck_fails(write_three(GRAPHFILE_METIS, up, up, weights, piece), EDGEFILE_ERR_FORMAT,
                 "metis needs weights of at least 1, edge 2 has 0");
        ck_fails(write_three(GRAPHFILE_EL, up, high, NULL, piece), EDGEFILE_ERR_FORMAT,
                 "destination 50 of an edge, there are 50");
        ck_fails(write_three(GRAPHFILE_EL, far, up, NULL, piece), EDGEFILE_ERR_FORMAT,
                 "source 100 of an edge, there are 100");
    }
    ck_assert(!exists(graph_partial));
}
END_TEST

START_TEST(refusals)
{
    graphfile_graph g = spec_of(GRAPHFILE_METIS, 4, EDGEFILE_WEIGHT_F32).graph;

    ck_fails(graphfile_check(GRAPHFILE_METIS, &g), EDGEFILE_ERR_ARG, "metis needs integer weights");
    g.weight = EDGEFILE_NO_WEIGHT;
    ck_ok(graphfile_check(GRAPHFILE_METIS, &g));
    ck_fails(graphfile_check(GRAPHFILE_WEL, &g), EDGEFILE_ERR_ARG, "wel needs weights");
    g.cols--;
    ck_fails(graphfile_check(GRAPHFILE_METIS, &g), EDGEFILE_ERR_ARG, "metis needs ");
    g.cols++;
    g.no_loops = 0;
    ck_fails(graphfile_check(GRAPHFILE_METIS, &g), EDGEFILE_ERR_ARG,
             "known to be without self-loops");
    g.unique = 0;
    ck_fails(graphfile_check(GRAPHFILE_METIS, &g), EDGEFILE_ERR_ARG,
             "known to be without duplicate edges and without self-loops");
    g.sorted = 0;
    ck_fails(graphfile_check(GRAPHFILE_METIS, &g), EDGEFILE_ERR_ARG,
             "known to be sorted, without duplicate edges and without self-loops");
}
END_TEST

static void *write_second(void *arg)
{
    static const uint32_t ids[] = {1};
    const graphfile_piece p = {1, 1, 1, ids, ids, NULL, 0};
    static int status;

    status = graphfile_write(arg, &p);
    return &status;
}

/* A piece that waits for one that never comes. */
START_TEST(cancel)
{
    graphfile_spec spec = spec_of(GRAPHFILE_EL, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w;
    pthread_t thread;
    void *status;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert_int_eq(pthread_create(&thread, NULL, write_second, w), 0);
    graphfile_cancel(w);
    pthread_join(thread, &status);
    ck_assert_int_eq(*(int *)status, EDGEFILE_ERR_PEER);
    ck_fails(graphfile_commit(&w, NULL), EDGEFILE_ERR_RANGE, "0 of 2003 edges");
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* A partial file without a lock is a dead writer's, one with a lock is not. */
START_TEST(partial_files)
{
    graphfile_spec spec = spec_of(GRAPHFILE_EL, 4, EDGEFILE_NO_WEIGHT);
    graphfile_writer *w, *second;
    FILE *f = fopen(graph_partial, "w");
    struct stat st;

    fputs("more than what is written after it", f);
    fclose(f);
    spec.graph.edges = 0;
    spec.replace = 0;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(graphfile_create(&second, graph, &spec), EDGEFILE_ERR_OPEN,
             "is being written by another process");
    ck_ok(graphfile_commit(&w, NULL));
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_eq(st.st_size, 0);
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_EXISTS, "already exists");
    spec.replace = 1;
    ck_ok(graphfile_create(&w, graph, &spec));
    graphfile_abort(&w);
    ck_assert(exists(graph) && !exists(graph_partial));
}
END_TEST

/* What was set aside and is not needed goes at the end. */
START_TEST(reserved_bytes)
{
    graphfile_plain f;
    struct stat st;

    ck_ok(graphfile_plain_create(&f, graph, 0, NULL));
    graphfile_plain_reserve(&f, 1 << 20);
    ck_ok(graphfile_plain_write(&f, 0, graph, 10));
    ck_ok(graphfile_plain_publish(&f, NULL));
    graphfile_plain_close(&f);
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_eq(st.st_size, 10);
}
END_TEST

TEST_MAIN(graphfile_text)
{
    TCase *tc = tcase_create("graphfile_text");

    tcase_add_loop_test(tc, same_as_printf, 0, 6 * FORMATS);
    tcase_add_loop_test(tc, small_graphs, 0, sizeof small / sizeof *small);
    tcase_add_test(tc, no_edges);
    tcase_add_test(tc, metis_with_few_edges);
    tcase_add_test(tc, comments_are_short);
    tcase_add_test(tc, wrong_edges);
    tcase_add_test(tc, refusals);
    tcase_add_test(tc, cancel);
    tcase_add_test(tc, partial_files);
    tcase_add_test(tc, reserved_bytes);
    return run_tests("graphfile_text", tc);
}
