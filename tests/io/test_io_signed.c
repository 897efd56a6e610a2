/* test_io_signed.c - ids as signed integers: HDF5 sees the type that was asked for, the data has
 * the bytes of unsigned ones, and files are read as they are. */
#include "io/graphfile.h"
#include "tests/support/io_csr.h"

#include <hdf5.h>

enum { EDGES = 300001, ROWS = 70001 };

static graphfile_spec with_signs(graphfile_spec spec)
{
    spec.graph.signed_ids = 1;
    return spec;
}

/* The type of a dataset, as a program sees it that knows HDF5 and not us. */
static void check_type(const char *path, const char *name, hid_t expected)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), type = H5Dget_type(dataset);

    ck_assert_msg(H5Tequal(type, expected) > 0, "%s: %s", path, name);
    H5Tclose(type);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void check_signed(const char *path, int is_signed)
{
    edgefile_reader *r;

    ck_ok(edgefile_open(&r, path));
    ck_assert_int_eq(edgefile_signed_ids(r), is_signed);
    edgefile_close(r);
}

static void check_list_types(const char *path, int id_bytes)
{
    check_type(path, "src", id_bytes == 4 ? H5T_STD_I32LE : H5T_STD_I64LE);
    check_type(path, "dst", id_bytes == 4 ? H5T_STD_I32LE : H5T_STD_I64LE);
    check_signed(path, 1);
}

/* Nothing but a few bytes of metadata tells the files apart. */
static void check_same_data(const char *a, const char *b)
{
    size_t a_size, b_size, other = 0;
    char *a_bytes = slurp(a, &a_size), *b_bytes = slurp(b, &b_size);

    ck_assert_uint_eq(a_size, b_size);
    for (size_t i = 0; i < a_size; i++)
        other += a_bytes[i] != b_bytes[i];
    ck_assert_uint_gt(other, 0);
    ck_assert_uint_lt(other, 40);
    free(a_bytes);
    free(b_bytes);
}

/* The made-up ids have all bits, so those that HDF5 takes for negative ones come back, too. */
START_TEST(lists)
{
    const int id_bytes = _i % 2 ? 8 : 4;
    const graphfile_spec plain =
        weighted(buffered(plain_spec(EDGES, id_bytes), _i / 2), EDGEFILE_WEIGHT_I32);
    char other[128];

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_graph(graph, with_signs(plain));
    check_weighted(graph, EDGES, id_bytes, EDGEFILE_WEIGHT_I32);
    check_list_types(graph, id_bytes);
    write_graph(other, plain);
    check_signed(other, 0);
    check_same_data(graph, other);
}
END_TEST

START_TEST(csr)
{
    const int id_bytes = _i % 2 ? 8 : 4;
    const graphfile_spec plain = buffered(csr_spec(ROWS, EDGES, id_bytes), _i / 2),
                         spec = with_signs(plain);
    char other[128];

    snprintf(other, sizeof other, "%s/other.h5", scratch);
    write_csr(graph, &spec);
    check_csr(graph, &spec);
    check_type(graph, "pointers_to_1", H5T_STD_I64LE);
    check_type(graph, "indices_1", id_bytes == 4 ? H5T_STD_I32LE : H5T_STD_I64LE);
    check_signed(graph, 1);
    write_csr(other, &plain);
    check_signed(other, 0);
    check_same_data(graph, other);
}
END_TEST

/* With 4 bytes they name 2^31 vertices, in the formats that leave a choice. */
START_TEST(narrow)
{
    graphfile_graph g = {.rows = (uint64_t)1 << 31, .cols = 5, .id_bytes = 4, .signed_ids = 1};

    ck_ok(graphfile_check(GRAPHFILE_NPY, &g));
    g.rows++;
    ck_fails(graphfile_check(GRAPHFILE_NPY, &g), EDGEFILE_ERR_ARG, "npy needs ids of 8 bytes");
    ck_ok(graphfile_check(GRAPHFILE_PARQUET, &g));
    ck_ok(graphfile_check(GRAPHFILE_EL, &g));
    g.signed_ids = 0;
    ck_ok(graphfile_check(GRAPHFILE_NPY, &g));
}
END_TEST

TEST_MAIN(io_signed)
{
    TCase *tc = tcase_create("signed");

    tcase_add_loop_test(tc, lists, 0, 4);
    tcase_add_loop_test(tc, csr, 0, 4);
    tcase_add_test(tc, narrow);
    return run_tests("io_signed", tc);
}
