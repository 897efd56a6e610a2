/*
 * test_graphfile_names.c - the table of formats, and what file names say about the format.
 */
#include "tests/support/io_util.h"

#include "io/graphfile.h"

START_TEST(table_of_formats)
{
    char text[512], all[512] = "";

    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        strcat(all, i > 0 ? ", " : "");
        strcat(all, graphfile_names[i]);
    }
    graphfile_list(0, text, sizeof text);
    ck_assert_str_eq(text, all);
    ck_assert_ptr_eq(strstr(text, "h5, csr, el, wel, tsv, csv, mtx, metis, bin32, "), text);
    graphfile_list(GRAPHFILE_NEEDS_POINTERS, text, sizeof text);
    ck_assert_str_eq(text, "sg, wsg");
    graphfile_list(GRAPHFILE_NEEDS_POINTERS, text, 7);
    ck_assert_str_eq(text, "sg, ws");
    for (int i = 0; i < GRAPHFILE_N_FORMATS; i++) {
        ck_assert_str_eq(graphfile_names[i], graphfile_table[i]->name);
        ck_assert_ptr_nonnull(graphfile_table[i]->suffix);
        ck_assert_msg(*graphfile_table[i]->help != '\0', "%s", graphfile_names[i]);
    }
    ck_assert_ptr_null(graphfile_names[GRAPHFILE_N_FORMATS]);
}
END_TEST

START_TEST(default_names)
{
    static const struct {
        graphfile_format format;
        const char *name;
    } cases[] = {
        {GRAPHFILE_H5, "graph.h5"}, {GRAPHFILE_CSR, "graph.h5"}, {GRAPHFILE_METIS, "graph.graph"}};
    char name[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        graphfile_default_name(cases[i].format, name, sizeof name);
        ck_assert_str_eq(name, cases[i].name);
        if (cases[i].format != GRAPHFILE_CSR) { /* which has no suffix of its own */
            ck_assert_int_eq(graphfile_format_of(name), (int)cases[i].format);
        }
    }
}
END_TEST

static const struct {
    const char *name;
    int format;
} right[] = {{"x.h5", GRAPHFILE_H5},
             {"x.mtx", GRAPHFILE_MTX},
             {"some.csv/x.el", GRAPHFILE_EL},
             {"x.csv.el", GRAPHFILE_EL},
             {"x.txt", GRAPHFILE_TSV},
             {"x.graph", GRAPHFILE_METIS},
             {"-", -1},
             {"graph", -1},
             {"some.csv/graph", -1},
             {".el", -1},
             {"graph.", -1},
             {"", -1}};

START_TEST(right_names)
{
    int format = 99;

    ck_ok(graphfile_format_of_name(right[_i].name, &format));
    ck_assert_msg(format == right[_i].format, "%s: %d", right[_i].name, format);
    ck_assert_int_eq(graphfile_format_of(right[_i].name), format);
}
END_TEST

static const struct {
    const char *name, *message;
} wrong[] = {
    {"x.ssv", "x.ssv: '.ssv' is not the suffix of a known format, the nearest is '.tsv' (tsv); "
              "allowed: .h5, .el, .wel, "},
    {"A.EL",
     "A.EL: '.EL' is not the suffix of a known format, the nearest is '.el' (el); allowed: "},
    {"x.EL.zst",
     "'.EL.zst' is not the suffix of a known format, the nearest is '.el' (el); allowed: "},
    {"x.hdf5", "'.hdf5' is not the suffix of a known format, the nearest is '.h5' (h5); allowed: "},
    {"x.edgelist",
     "'.edgelist' is not the suffix of a known format, the nearest is '.el' (el); allowed: "},
    {"x.H5", "'.H5' is not the suffix of a known format, the nearest is '.h5' (h5); allowed: "},
    {"x.ghraph", "nearest is '.graph' (metis); allowed: "},
    {"x.metis",
     "'.metis' is not the suffix of a known format, the nearest is '.graph' (metis); allowed: "},
    {"x.csr", "'.csr' is not the suffix of a known format, the nearest is the format csr, which "
              "has no suffix; allowed: "},
    {"x.orc", "x.orc: '.orc' is not the suffix of a known format; allowed: "},
    {"x.tar.gz", "x.tar.gz: '.gz' is not the suffix of a known format; allowed: "},
    {"a.b/x.tar", "a.b/x.tar: '.tar' is not the suffix of a known format; allowed: "},
    {"x.a-very-long-suffix-that-no-format-has",
     "has' is not the suffix of a known format; allowed: "},
};

START_TEST(wrong_names)
{
    int format = 99;

    ck_fails(graphfile_format_of_name(wrong[_i].name, &format), EDGEFILE_ERR_ARG,
             wrong[_i].message);
    ck_assert_int_eq(format, -1);
    ck_assert_int_eq(graphfile_format_of(wrong[_i].name), -1);
    ck_assert_ptr_nonnull(strstr(edgefile_detail(), ".sg, .wsg"));
}
END_TEST

#define COUNT(cases) (int)(sizeof(cases) / sizeof(cases)[0])

TEST_MAIN(graphfile_names)
{
    TCase *tc = tcase_create("graphfile_names");

    tcase_add_test(tc, table_of_formats);
    tcase_add_test(tc, default_names);
    tcase_add_loop_test(tc, right_names, 0, COUNT(right));
    tcase_add_loop_test(tc, wrong_names, 0, COUNT(wrong));
    return run_tests("graphfile_names", tc);
}
