/*
 * test_graphfile_refusals.c - all formats except h5 and csr: graphs that they cannot hold, edges
 * that contradict the graph, writers that fail, and the files left then; and the format of a file
 * name.
 */
#include "tests/support/io_util.h"

#include "io/writer.h"

#define UNSORTED "known to be sorted, without duplicate edges and without self-loops"
#define GRAPH(rows_, cols_, weight_, sorted_, unique_, pairs_, no_loops_)                          \
    {                                                                                              \
        .rows = rows_, .cols = cols_, .edges = 3, .id_bytes = 4, .weight = weight_,                \
        .sorted = sorted_, .unique = unique_, .pairs = pairs_, .no_loops = no_loops_               \
    }
#define SIMPLE(rows, cols, weight) GRAPH(rows, cols, weight, 1, 1, 1, 1)
#define NARROW(rows_, is_signed)                                                                   \
    {                                                                                              \
        .rows = rows_, .cols = 5, .id_bytes = 4, .signed_ids = is_signed                           \
    }

#define NONE EDGEFILE_NO_WEIGHT
#define INTS EDGEFILE_WEIGHT_I32

/* --- graphs that formats cannot hold --- */

static const struct {
    graphfile_format format;
    graphfile_graph graph;
    const char *message; /* NULL: it can */
} graphs[] = {
    {GRAPHFILE_METIS, SIMPLE(9, 9, NONE), NULL},
    {GRAPHFILE_METIS, SIMPLE(9, 9, EDGEFILE_WEIGHT_F32), "metis needs integer weights"},
    {GRAPHFILE_METIS, SIMPLE(9, 8, NONE), "metis needs equal numbers of source and"},
    {GRAPHFILE_METIS, GRAPH(9, 9, NONE, 1, 1, 1, 0), "known to be without self-loops"},
    {GRAPHFILE_METIS, GRAPH(9, 9, NONE, 1, 0, 1, 0),
     "without duplicate edges and without self-loops"},
    {GRAPHFILE_METIS, GRAPH(9, 9, NONE, 0, 0, 1, 0), UNSORTED},
    {GRAPHFILE_PARHIP, GRAPH(9, 9, NONE, 1, 1, 0, 0),
     "parhip needs a graph that is known to be without self-loops and undirected"},
    {GRAPHFILE_WEL, SIMPLE(9, 9, NONE), "wel needs weights"},
    {GRAPHFILE_GRAPH500, SIMPLE((uint64_t)1 << 47, 9, NONE), NULL},
    {GRAPHFILE_GRAPH500, SIMPLE(((uint64_t)1 << 47) + 1, 9, NONE), "140737488355328 vertices"},
    {GRAPHFILE_WSG, SIMPLE(((uint64_t)1 << 31) - 2, 9, INTS), NULL},
    {GRAPHFILE_WSG, SIMPLE(9, ((uint64_t)1 << 31) - 1, INTS), "2147483646 vertices"},
    /* signed ids of 4 bytes name 2^31 vertices, in the formats that leave a choice */
    {GRAPHFILE_NPY, NARROW(((uint64_t)1 << 31), 1), NULL},
    {GRAPHFILE_NPY, NARROW(((uint64_t)1 << 31) + 1, 1), "npy needs ids of 8 bytes"},
    {GRAPHFILE_NPY, NARROW(((uint64_t)1 << 31) + 1, 0), NULL},
    {GRAPHFILE_PARQUET, NARROW(((uint64_t)1 << 31) + 1, 1), NULL},
    {GRAPHFILE_EL, NARROW(((uint64_t)1 << 31) + 1, 1), NULL},
};

START_TEST(unfit_graphs)
{
    const graphfile_spec spec = {.format = graphs[_i].format, .graph = graphs[_i].graph};
    graphfile_writer *w;

    if (graphs[_i].message == NULL) {
        ck_ok(graphfile_check(spec.format, &spec.graph));
        return;
    }
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, graphs[_i].message);
    ck_assert_ptr_null(w);
    check_nothing_left();
}

/* --- edges --- */

#define DISORDER "edge 2 is not in order, metis needs a sorted graph without duplicates"

/* Three edges of 100 source vertices and as many destinations, or 50 of el. */
static const struct {
    graphfile_format format;
    uint32_t src[3], dst[3];
    edgefile_weight weight;
    int32_t weights[3];
    const char *message; /* or NULL */
} three[] = {
    {GRAPHFILE_METIS, {5, 5, 5}, {1, 2, 3}, NONE, {0}, NULL},
    {GRAPHFILE_METIS, {1, 3, 2}, {1, 2, 3}, NONE, {0}, DISORDER},
    {GRAPHFILE_METIS, {5, 5, 5}, {1, 3, 2}, NONE, {0}, DISORDER},
    {GRAPHFILE_METIS, {5, 5, 5}, {5, 5, 5}, NONE, {0}, "edge 1 is not in order"},
    {GRAPHFILE_METIS, {1, 2, 3}, {1, 2, 3}, INTS, {1, 1, 0}, "at least 1, edge 2 has 0"},
    {GRAPHFILE_GRAPH500, {1, 2, 3}, {1, 2, 3}, INTS, {1 << 24, 16777217}, "1 has weight 16777217"},
    {GRAPHFILE_EL, {1, 2, 3}, {1, 50, 2}, NONE, {0}, "destination 50 of an edge, there are 50"},
    {GRAPHFILE_EL, {1, 2, 100}, {1, 2, 3}, NONE, {0}, "source 100 of an edge, there are 100"},
};

/* In pieces of that many edges. */
static int write_three(graphfile_writer *w, int i, uint64_t piece)
{
    int st = EDGEFILE_OK;

    for (uint64_t at = 0; at < 3 && st == EDGEFILE_OK; at += piece) {
        const int32_t *weight = three[i].weight ? three[i].weights + at : NULL;
        const graphfile_piece p = {at / piece,        at,     piece, three[i].src + at,
                                   three[i].dst + at, weight, 0};
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
    const uint64_t cols = three[_i].format == GRAPHFILE_EL ? 50 : 100;
    const graphfile_spec spec = {
        .format = three[_i].format, .replace = 1, .graph = SIMPLE(100, cols, three[_i].weight)};
    graphfile_writer *w;

    for (uint64_t piece = 1; piece <= 3; piece += 2) {
        ck_ok(graphfile_create(&w, graph, &spec));
        if (three[_i].message == NULL) {
            ck_ok(write_three(w, _i, piece));
            continue;
        }
        ck_fails(write_three(w, _i, piece), EDGEFILE_ERR_FORMAT, three[_i].message);
        check_nothing_left();
    }
}

/* --- writers that do not end well --- */

static const uint32_t ends[] = {1, 2, 3};
static const int32_t weights[] = {1, 1, 1};

static graphfile_spec spec_of(graphfile_format format, edgefile_weight weight)
{
    const int pairs = graphfile_table[format]->traits & GRAPHFILE_NEEDS_SIMPLE;

    return (graphfile_spec){.format = format, .graph = GRAPH(9, 9, weight, 1, 1, pairs, 1)};
}

/* Edges, in-pointers or in-neighbors are missing: no file. */
START_TEST(not_all_is_written)
{
    const uint64_t zeros[10] = {0};
    const graphfile_spec spec = spec_of((graphfile_format)(GRAPHFILE_EL + _i / 3), INTS);
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    if (_i % 3 > 0)
        ck_ok(put_edges(w, 0, 3, ends, ends, weights, 0));
    if (_i % 3 > 1 && graphfile_in_bytes(w) > 0)
        ck_ok(graphfile_write_part(w, GRAPHFILE_IN_POINTERS, 0, 10, zeros));
    if (_i % 3 > 0 && graphfile_in_bytes(w) == 0)
        graphfile_abort(&w);
    else
        ck_fails(graphfile_commit(&w, NULL), EDGEFILE_ERR_RANGE, "written");
    check_nothing_left();
}

static void *write_second(void *arg)
{
    const graphfile_piece p = {1, 1, 1, ends, ends, NULL, 0};

    ck_assert_int_eq(graphfile_write(arg, &p), EDGEFILE_ERR_PEER);
    return NULL;
}

/* A piece that waits for one that never comes. */
START_TEST(cancel)
{
    const graphfile_spec spec = spec_of(GRAPHFILE_EL, NONE);
    graphfile_writer *w;
    pthread_t thread;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_assert_int_eq(pthread_create(&thread, NULL, write_second, w), 0);
    graphfile_cancel(w);
    pthread_join(thread, NULL);
    ck_fails(graphfile_commit(&w, NULL), EDGEFILE_ERR_RANGE, "0 edges were written, expected 3");
    check_nothing_left();
}

/* One of Graph500's two files cannot get its name: then neither has it. */
START_TEST(both_files_or_none)
{
    const graphfile_spec spec = spec_of(GRAPHFILE_GRAPH500, INTS);
    char names[2][128], partial[160];
    graphfile_writer *w;

    strcpy(names[0], graph);
    snprintf(names[1], sizeof names[1], "%s.weights", graph);
    ck_fails(graphfile_create(&w, "-", &spec), EDGEFILE_ERR_ARG, "standard output");
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, 3, ends, ends, weights, 0));
    ck_assert_int_eq(mkdir(names[_i], 0700), 0);
    ck_assert_int_ne(graphfile_commit(&w, NULL), EDGEFILE_OK);
    snprintf(partial, sizeof partial, "%s.partial", names[1]);
    ck_assert(!exists(names[!_i]) && !exists(graph_partial) && !exists(partial));
}

/* A partial file without a lock is a dead writer's, and what it holds goes; so does at the end what
 * was set aside and is not needed. */
START_TEST(bytes_of_others)
{
    static const char junk[1000];
    io_file f;
    struct stat st;

    for (int i = 0; i < 2; i++) {
        spew(graph_partial, junk, sizeof junk);
        ck_ok(io_file_create(&f, graph, i, false, NULL));
        if (i > 0)
            ck_ok(io_file_reserve(&f, 1 << 20));
        ck_ok(io_file_write(&f, 0, graph, 10));
        ck_ok(io_file_publish(&f, NULL));
        io_file_close(&f);
        ck_assert_int_eq(stat(graph, &st), 0);
        ck_assert_int_eq(st.st_size, 10);
    }
}

/* --- names --- */

START_TEST(table_of_formats)
{
    char text[512], all[512] = "", name[64];

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        strcat(all, i > 0 ? ", " : "");
        strcat(all, graphfile_names[i]);
        ck_assert_str_eq(graphfile_names[i], graphfile_table[i]->name);
        ck_assert_msg(*graphfile_table[i]->help != '\0', "%s", graphfile_names[i]);
        graphfile_default_name((graphfile_format)i, name, sizeof name);
        ck_assert_int_eq(graphfile_format_of(name), i == GRAPHFILE_CSR ? GRAPHFILE_H5 : i);
    }
    ck_assert_str_eq(name, "graph.wsg");
    ck_assert_ptr_null(graphfile_names[GRAPHFILE_N_FORMATS]);
    graphfile_list(0, text, sizeof text);
    ck_assert_str_eq(text, all);
    graphfile_list(GRAPHFILE_NEEDS_POINTERS, text, sizeof text);
    ck_assert_str_eq(text, "sg, wsg");
    graphfile_list(GRAPHFILE_NEEDS_POINTERS, text, 7);
    ck_assert_str_eq(text, "sg, ws");
}

#define UNFIT " is not the suffix of a known format"

/* What cli/test_bad_input.py does not say of names. */
static const struct {
    const char *name;
    int format;
    const char *message; /* or NULL */
} names[] = {
    {"some.csv/x.el", GRAPHFILE_EL, NULL},
    {"x.csv.el", GRAPHFILE_EL, NULL},
    {"x.txt", GRAPHFILE_TSV, NULL},
    {"-", -1, NULL},
    {"some.csv/graph", -1, NULL},
    {".el", -1, NULL},
    {"graph.", -1, NULL},
    {"", -1, NULL},
    {"x.EL", -1, "x.EL: '.EL'" UNFIT "; allowed: .h5, .el, .wel, .tsv, .txt, .csv, "},
    {"x.tar.gz", -1, "x.tar.gz: '.gz'" UNFIT "; allowed: "},
    {"a.b/x.tar", -1, "a.b/x.tar: '.tar'" UNFIT "; allowed: "},
    {"x.a-very-long-suffix-that-no-format-has", -1, "has'" UNFIT "; allowed: "},
};

START_TEST(names_of_files)
{
    int format = 99;

    if (names[_i].message == NULL)
        ck_ok(graphfile_format_of_name(names[_i].name, &format));
    else
        ck_fails(graphfile_format_of_name(names[_i].name, &format), EDGEFILE_ERR_ARG,
                 names[_i].message);
    ck_assert_msg(format == names[_i].format, "%s: %d", names[_i].name, format);
    ck_assert_int_eq(graphfile_format_of(names[_i].name), format);
}

FOLDER_CASES(graphfile_refusals, LOOP(unfit_graphs, 0, COUNT(graphs)),
             LOOP(wrong_edges, 0, COUNT(three)),
             LOOP(not_all_is_written, 0, 3 * (GRAPHFILE_N_FORMATS - GRAPHFILE_EL)), ONCE(cancel),
             LOOP(both_files_or_none, 0, 2), ONCE(bytes_of_others), ONCE(table_of_formats),
             LOOP(names_of_files, 0, COUNT(names)))
