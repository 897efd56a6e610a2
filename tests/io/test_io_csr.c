/* test_io_csr.c - CSR files: what is written is read back, and the bytes do not depend on the way.
 */
#include "tests/support/io_csr.h"

#include <hdf5.h>

static const struct {
    uint64_t rows, edges;
} sizes[] = {{1, 0},      {1, 1},      {7, 1},           {1, 300001},     {200000, 0},
             {513, 1025}, {3, 262144}, {131071, 131072}, {200000, 400001}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Both widths of each size, and over all sizes every kind of weight with each. */
static graphfile_spec spec_of(int i)
{
    return weighted(buffered(csr_spec(sizes[i / 2].rows, sizes[i / 2].edges, i % 2 ? 8 : 4), 1),
                    (edgefile_weight)((i / 2 + i % 2) % 3));
}

/* In pieces of random length, in random order, from memory at random distance from a page, often as
 * far from it as the place in the file, so that O_DIRECT takes part. */
static void write_in_pieces(const char *name, const graphfile_spec *spec, unsigned seed)
{
    uint64_t length[2] = {spec->graph.edges, spec->graph.rows + 1};
    struct piece {
        uint64_t first, count;
        int is_pointers;
    } *pieces = calloc(2 * 300, sizeof *pieces);
    graphfile_writer *w;
    size_t n = 0;

    srand(seed);
    for (int d = 0; d < 2; d++)
        for (uint64_t first = 0; first < length[d]; n++) {
            uint64_t count = 1 + (uint64_t)rand() % (length[d] / 100 + 100);
            if (count > length[d] - first || n % 300 == 299)
                count = length[d] - first;
            pieces[n] = (struct piece){first, count, d};
            first += count;
        }
    ck_ok(graphfile_create(&w, name, spec));
    while (n > 0) {
        size_t k = (size_t)rand() % n, width = (size_t)spec->graph.id_bytes;
        uint64_t first = pieces[k].first, count = pieces[k].count;
        size_t skew = (size_t)(rand() % 600) * 8;
        if (pieces[k].is_pointers)
            ck_ok(write_made_pointers(w, spec, first, count, rand() % 2 ? first * 8 % 4096 : skew));
        else
            ck_ok(write_made_indices(w, spec, first, count,
                                     rand() % 2 ? first * width % 4096 : skew,
                                     rand() % 2 ? first * 4 % 4096 : skew));
        pieces[k] = pieces[--n];
    }
    ck_ok(commit_graph(&w, NULL));
    free(pieces);
}

START_TEST(both_ways_give_the_same_file)
{
    char other[128];
    graphfile_spec spec = spec_of(_i);

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_csr(graph, &spec);
    check_csr(graph, &spec);
    ck_assert(!exists(graph_partial));
    spec.replace = 1;
    for (int p = 0; p < 2; p++) {
        spec.buffered = p;
        write_in_pieces(other, &spec, (unsigned)(10 * _i + p));
        check_same_bytes(graph, other);
    }
}
END_TEST

START_TEST(estimated_size)
{
    graphfile_spec spec = spec_of(_i);
    int64_t estimate = (int64_t)graphfile_bytes(&spec);
    uint64_t measured;
    int exact;
    struct stat st;

    write_csr(graph, &spec);
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_ge(estimate, st.st_size - 4096);
    ck_assert_int_le(estimate,
                     st.st_size + ((spec.graph.weight ? 2 : 1) << 20) + 1); /* one for all */
    measured = graphfile_most_bytes(&spec, &exact);
    ck_assert_int_eq(exact, 1);
    ck_assert_uint_eq(measured, (uint64_t)st.st_size);
}
END_TEST

/* Without weights, as HDF5 sees it. */
START_TEST(one_value_for_all)
{
    uint8_t value = 0;
    hid_t file, dataset, type, space;
    graphfile_spec spec = buffered(csr_spec(10, _i == 0 ? 0 : 300, 8), _i);

    write_csr(graph, &spec);
    file = H5Fopen(graph, H5F_ACC_RDONLY, H5P_DEFAULT);
    dataset = H5Dopen2(file, "values", H5P_DEFAULT);
    type = H5Dget_type(dataset);
    space = H5Dget_space(dataset);
    ck_assert_int_gt(H5Tequal(type, H5T_STD_U8LE), 0);
    ck_assert_int_eq(H5Sget_simple_extent_npoints(space), 1);
    ck_assert_int_ge(H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
    ck_assert_uint_eq(value, 1);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
}
END_TEST

START_TEST(parts_are_read)
{
    graphfile_spec spec = weighted(csr_spec(5000, 100000, 4), (edgefile_weight)_i);
    edgefile_reader *r;
    uint64_t pointers[100];
    uint32_t dst[100], weights[100];

    write_csr(graph, &spec);
    ck_ok(edgefile_open(&r, graph));
    for (uint64_t first = 0; first < 100000 - 100; first += 997) {
        uint64_t row = first % 4900;
        int wanted = _i > 0 && first % 5 > 0;
        ck_ok(edgefile_read(r, first, 100, NULL, dst, wanted ? weights : NULL));
        ck_ok(edgefile_read_pointers(r, row, 100, pointers));
        for (uint64_t i = 0; i < 100; i++) {
            ck_assert_uint_eq(dst[i], (uint32_t)mix(2 * (first + i) + 1));
            ck_assert(!wanted || weights[i] == made_weight(first + i, spec.graph.weight));
            ck_assert_uint_eq(pointers[i], made_pointer(&spec, row + i));
        }
    }
    ck_ok(edgefile_read(r, 100000, 0, NULL, NULL, NULL));
    ck_ok(edgefile_read_pointers(r, 5001, 0, NULL));
    ck_fails(edgefile_read(r, 0, 1, pointers, dst, NULL), EDGEFILE_ERR_ARG, "src is not NULL");
    ck_fails(edgefile_read(r, 0, 1, NULL, NULL, NULL), EDGEFILE_ERR_ARG, "dst is NULL");
    ck_fails(edgefile_read(r, 99999, 2, NULL, dst, NULL), EDGEFILE_ERR_RANGE, "2 edges at 99999");
    ck_fails(edgefile_read_pointers(r, 5001, 1, pointers), EDGEFILE_ERR_RANGE,
             "1 pointers at 5001, the file has 5001");
    ck_fails(edgefile_read_pointers(r, 1, UINT64_MAX, pointers), EDGEFILE_ERR_RANGE,
             "the file has 5001");
    ck_fails(edgefile_read_pointers(r, 0, 1, NULL), EDGEFILE_ERR_ARG, "pointers is NULL");
    ck_fails(edgefile_read_pointers(NULL, 0, 1, pointers), EDGEFILE_ERR_ARG, "NULL");
    if (_i == 0)
        ck_fails(edgefile_read(r, 0, 1, NULL, dst, weights), EDGEFILE_ERR_ARG, "has no weights");
    edgefile_close(r);
}
END_TEST

START_TEST(lists_have_no_pointers)
{
    graphfile_spec spec = plain_spec(10, 8);
    graphfile_writer *w;
    edgefile_reader *r;
    uint64_t pointer;

    write_graph(graph, spec);
    ck_ok(edgefile_open(&r, graph));
    ck_assert_int_eq(edgefile_format_of(r), EDGEFILE_EDGES);
    ck_assert_uint_eq(edgefile_rows(r), 0);
    ck_fails(edgefile_read_pointers(r, 0, 1, &pointer), EDGEFILE_ERR_ARG, "is not CSR");
    edgefile_close(r);
    spec.replace = 1;
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(graphfile_write_pointers(w, 0, 1, &pointer), EDGEFILE_ERR_ARG, "is not CSR");
    graphfile_abort(&w);
}
END_TEST

START_TEST(bad_specs)
{
    graphfile_spec good = csr_spec(10, 10, 8), spec = good;
    const uint64_t one = 1;
    const edgefile_attr rows = {"rows", EDGEFILE_U64, 1, &one};
    graphfile_writer *w;

    spec.format = (graphfile_format)99;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "unknown format 99");
    spec = good;
    spec.graph.rows = 0;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "rows is 0, allowed are 1 to");
    spec.graph.rows = UINT64_MAX;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG,
             "at most 4611686018427387904 vertices");
    spec.graph.rows = (uint64_t)1 << 62;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_SPACE, "18446744073709551615 bytes");
    spec = good;
    spec.attrs = &rows;
    spec.n_attrs = 1;
    ck_fails(graphfile_create(&w, graph, &spec), EDGEFILE_ERR_ARG, "'rows' is written by edgefile");
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

START_TEST(bad_writes)
{
    graphfile_spec spec = weighted(buffered(csr_spec(10, 10, 8), _i), EDGEFILE_WEIGHT_F32);
    uint64_t ids[20] = {0};
    float weights[20] = {0};
    graphfile_writer *w;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(put_edges(w, 0, 1, ids, ids, weights, 0), EDGEFILE_ERR_ARG, "src is not NULL");
    ck_fails(put_edges(w, 0, 1, NULL, NULL, weights, 0), EDGEFILE_ERR_ARG, "dst is NULL");
    ck_fails(put_edges(w, 0, 1, NULL, ids, NULL, 0), EDGEFILE_ERR_ARG, "weight is NULL");
    ck_fails(put_edges(w, 1, 10, NULL, ids, weights, 0), EDGEFILE_ERR_RANGE, "10 edges at 1");
    ck_fails(graphfile_write_pointers(NULL, 0, 1, ids), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_write_pointers(w, 0, 1, NULL), EDGEFILE_ERR_ARG, "pointers is NULL");
    ck_fails(graphfile_write_pointers(w, 0, 12, ids), EDGEFILE_ERR_RANGE,
             "12 pointers at 0, the file has 11");
    ck_fails(graphfile_write_pointers(w, UINT64_MAX, 2, ids), EDGEFILE_ERR_RANGE,
             "the file has 11");
    ck_ok(put_edges(w, 10, 0, NULL, NULL, NULL, 0));
    ck_ok(graphfile_write_pointers(w, 11, 0, NULL));
    ck_ok(put_edges(w, 0, 10, NULL, ids, weights, 42));
    ck_ok(graphfile_write_pointers(w, 1, 10, ids));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "10 pointers were written, expected 11");
    ck_ok(graphfile_create(&w, graph, &spec));
    ck_ok(put_edges(w, 0, 9, NULL, ids, weights, 42));
    ck_ok(graphfile_write_pointers(w, 0, 11, ids));
    ck_fails(commit_graph(&w, NULL), EDGEFILE_ERR_RANGE, "9 edges were written, expected 10");
    ck_assert(!exists(graph) && !exists(graph_partial));
}
END_TEST

/* A number set late gives the bytes that it would have given from the start. */
START_TEST(late_numbers)
{
    static const char *const unsettable[] = {"none", "x", "text", "many", "edges", "rows", ""};
    static const uint64_t first[] = {1, 2, 3};
    static const double x = 1;
    uint64_t late = 0;
    edgefile_attr attrs[] = {{"text", EDGEFILE_STRING, 1, "{\"binsparse\": {}}"},
                             {"x", EDGEFILE_F64, 1, &x},
                             {"late", EDGEFILE_U64, 1, &late},
                             {"many", EDGEFILE_U64, 3, first},
                             {"other", EDGEFILE_U64, 1, first}};
    graphfile_spec spec = buffered(csr_spec(10, 20, 8), _i);
    graphfile_writer *w;
    char other[128];

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    spec.attrs = attrs;
    spec.n_attrs = 5;
    ck_ok(graphfile_create(&w, other, &spec));
    for (size_t i = 0; i < sizeof unsettable / sizeof *unsettable; i++)
        ck_fails(graphfile_set_u64(w, unsettable[i], 5), EDGEFILE_ERR_ATTR, "no attribute '");
    ck_fails(graphfile_set_u64(w, NULL, 5), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(graphfile_set_u64(NULL, "late", 5), EDGEFILE_ERR_ARG, "NULL");
    ck_ok(graphfile_set_u64(w, "late", 5));
    ck_ok(graphfile_set_u64(w, "late", UINT64_MAX - 1)); /* the last call counts */
    ck_ok(write_made_indices(w, &spec, 0, 20, 0, 0));
    ck_ok(write_made_pointers(w, &spec, 0, 11, 0));
    ck_ok(commit_graph(&w, NULL));
    late = UINT64_MAX - 1;
    write_csr(graph, &spec);
    check_same_bytes(graph, other);
}
END_TEST

TEST_MAIN(io_csr)
{
    TCase *tc = tcase_create("csr");

    tcase_add_loop_test(tc, both_ways_give_the_same_file, 0, 2 * SIZES);
    tcase_add_loop_test(tc, estimated_size, 0, 2 * SIZES);
    tcase_add_loop_test(tc, one_value_for_all, 0, 2);
    tcase_add_loop_test(tc, parts_are_read, 0, 3);
    tcase_add_test(tc, lists_have_no_pointers);
    tcase_add_test(tc, bad_specs);
    tcase_add_loop_test(tc, bad_writes, 0, 2);
    tcase_add_loop_test(tc, late_numbers, 0, 2);
    return run_tests("io_csr", tc);
}
