/* test_io_gaps.c - edgefile_check_gaps(): what our files hold beside edges is checked to the last
 * byte.  Small files are flipped byte by byte in test_io_flips.c. */
#include "tests/support/io_csr.h"

#include <hdf5.h>

uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start); /* in HDF5 */

static int check(const char *name)
{
    edgefile_reader *r;
    int st = edgefile_open(&r, name);

    if (st == EDGEFILE_OK) {
        st = edgefile_check_gaps(r);
        edgefile_close(r);
    }
    return st;
}

static void flip(const char *path, uint64_t at, int bit)
{
    int fd = open(path, O_RDWR);
    unsigned char byte;

    ck_assert_int_eq(pread(fd, &byte, 1, (off_t)at), 1);
    byte ^= (unsigned char)(1 << bit);
    ck_assert_int_eq(pwrite(fd, &byte, 1, (off_t)at), 1);
    close(fd);
}

/* Where the datasets lie, as HDF5 tells.  The one byte that is the value of all edges counts as
 * metadata: opening checks it. */
typedef struct {
    uint64_t start[3], end[3];
} extents;

static extents find_extents(const char *path)
{
    static const char *const names[][3] = {{"src", "dst", "weight"},
                                           {"pointers_to_1", "indices_1", "values"}};
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    int is_csr = H5Lexists(file, names[1][0], H5P_DEFAULT) > 0;
    extents e = {0};

    for (int i = 0; i < 3; i++)
        if (H5Lexists(file, names[is_csr][i], H5P_DEFAULT) > 0) {
            hid_t dataset = H5Dopen2(file, names[is_csr][i], H5P_DEFAULT);
            haddr_t at = H5Dget_offset(dataset);
            if (at != HADDR_UNDEF) {
                e.start[i] = at;
                e.end[i] = at + H5Dget_storage_size(dataset);
                if (e.end[i] == at + 1)
                    e.end[i] = at;
            }
            H5Dclose(dataset);
        }
    H5Fclose(file);
    return e;
}

/* A flip at `at` of the graph is noticed unless it is in data. */
static void check_flip(const extents *e, uint64_t at)
{
    int in_data = 0, st;

    for (int i = 0; i < 3; i++)
        in_data |= at >= e->start[i] && at < e->end[i];
    flip(graph, at, (int)(at % 8));
    st = check(graph);
    ck_assert_msg((st == EDGEFILE_OK) == in_data, "byte %llu: %d, %s", (unsigned long long)at, st,
                  edgefile_detail());
    ck_assert_msg(in_data || strstr(edgefile_detail(), graph) != NULL, "%s", edgefile_detail());
    flip(graph, at, (int)(at % 8));
}

/* Around both ends of all extents, the first 100 bytes, and 60 more. */
static void check_flips(void)
{
    extents e = find_extents(graph);
    struct stat st;
    uint64_t size;

    ck_assert_int_eq(stat(graph, &st), 0);
    size = (uint64_t)st.st_size;
    ck_ok(check(graph));
    for (int i = 0; i < 3; i++)
        for (uint64_t k = 0; e.end[i] > 0 && k < 8; k++) {
            if (e.start[i] - 4 + k < size)
                check_flip(&e, e.start[i] - 4 + k);
            if (e.end[i] - 4 + k < size)
                check_flip(&e, e.end[i] - 4 + k);
        }
    for (uint64_t at = 0; at < 100 && at < size; at++)
        check_flip(&e, at);
    for (uint64_t i = 0; i < 60; i++)
        check_flip(&e, mix(i + 5) % size);
    ck_ok(check(graph));
}

START_TEST(flips)
{
    static const uint64_t sizes[] = {0, 1, 300, 1025, 131072, 200003, 300000};
    static const double many[400];
    const edgefile_attr attr = {"many", EDGEFILE_F64, 400, many};
    graphfile_spec spec =
        weighted(plain_spec(sizes[_i], _i % 2 ? 8 : 4), (edgefile_weight)((_i + 1) % 3));

    spec.attrs = &attr; /* the header of the root group then pushes the others away */
    spec.n_attrs = (size_t)(_i % 2);
    write_graph(graph, spec);
    check_flips();
}
END_TEST

START_TEST(flips_of_csr)
{
    static const uint64_t sizes[][2] = {{10, 0}, {1, 1}, {100, 300}, {150000, 3}, {3, 300000}};
    graphfile_spec spec =
        weighted(csr_spec(sizes[_i][0], sizes[_i][1], _i % 2 ? 8 : 4), (edgefile_weight)(_i % 3));

    write_csr(graph, &spec);
    check_flips();
}
END_TEST

/* First longer than HDF5 knows; then HDF5 knows, and something is behind the last block. */
START_TEST(longer_file)
{
    char *bytes, text[64];
    size_t size;
    uint64_t end;
    uint32_t sum;

    write_graph(graph, plain_spec(1000, 8));
    free(slurp(graph, &size));
    ck_assert_int_eq(truncate(graph, (off_t)size + 100), 0);
    snprintf(text, sizeof text, "has %zu bytes, expected %zu", size + 100, size);
    ck_fails(check(graph), EDGEFILE_ERR_FORMAT, text);
    bytes = slurp(graph, &size);
    end = size;
    memcpy(bytes + 28, &end, sizeof end);
    sum = H5_checksum_metadata(bytes, 44, 0);
    memcpy(bytes + 44, &sum, sizeof sum);
    spew(graph, bytes, size);
    ck_ok(check(graph));
    bytes[size - 1] = 4;
    spew(graph, bytes, size);
    snprintf(text, sizeof text, "byte %zu is 4, expected 0", size - 1);
    ck_fails(check(graph), EDGEFILE_ERR_FORMAT, text);
    free(bytes);
}
END_TEST

/* --- what others may add: it is sound, and mostly foreign --- */

static void add_attribute(hid_t file, hid_t type, const void *value)
{
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(file, "note", type, space, H5P_DEFAULT, H5P_DEFAULT);

    ck_assert_int_ge(H5Awrite(attr, type, value), 0);
    H5Aclose(attr);
    H5Sclose(space);
}
static void add_number(hid_t file)
{
    double value = 1;
    add_attribute(file, H5T_NATIVE_DOUBLE, &value);
}
static void add_string(hid_t file)
{
    const char *value = "seen";
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    add_attribute(file, type, &value);
    H5Tclose(type);
}
static void add_long(hid_t file)
{
    static char value[70000];
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, sizeof value);
    add_attribute(file, type, value);
    H5Tclose(type);
}
static void add_dataset(hid_t file, const char *name, hid_t creation)
{
    hsize_t length = 100;
    hid_t space = H5Screate_simple(1, &length, NULL);
    static const int values[100] = {1, 2, 3};
    hid_t dataset =
        H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(dataset);
    H5Sclose(space);
}
static void add_contiguous(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    add_dataset(file, "group/more", H5P_DEFAULT);
    H5Lcreate_hard(file, "group/more", file, "again", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_soft("/src", file, "soft", H5P_DEFAULT, H5P_DEFAULT);
}
static void add_chunked(hid_t file)
{
    hsize_t chunk = 10;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    add_dataset(file, "more", creation);
    H5Pclose(creation);
}
static void add_many(hid_t file)
{
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "more%d", i);
        add_dataset(file, name, H5P_DEFAULT);
    }
}

static const struct {
    void (*add)(hid_t file);
    int status;
    const char *text;
} additions[] = {
    {add_number, EDGEFILE_OK, ""},
    {add_contiguous, EDGEFILE_OK, ""},
    {add_string, EDGEFILE_ERR_FOREIGN, "an attribute of variable length"},
    {add_long, EDGEFILE_ERR_FOREIGN, "too many or too long attributes"},
    {add_chunked, EDGEFILE_ERR_FOREIGN, "a dataset of another layout"},
    {add_many, EDGEFILE_ERR_FOREIGN, "too many links"},
};

START_TEST(others)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;

    write_graph(graph, weighted(plain_spec(300000, 8), EDGEFILE_WEIGHT_I32));
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    file = H5Fopen(graph, H5F_ACC_RDWR, access);
    additions[_i].add(file);
    ck_assert_int_ge(H5Fclose(file), 0);
    H5Pclose(access);
    if (additions[_i].status == EDGEFILE_OK)
        ck_ok(check(graph));
    else
        ck_fails(check(graph), additions[_i].status, additions[_i].text);
}
END_TEST

START_TEST(bad_argument)
{
    ck_fails(edgefile_check_gaps(NULL), EDGEFILE_ERR_ARG, "NULL");
}
END_TEST

TEST_MAIN(io_gaps)
{
    TCase *tc = tcase_create("gaps");

    H5dont_atexit(); /* it complains at length of files that it could not open */
    tcase_add_loop_test(tc, flips, 0, 7);
    tcase_add_loop_test(tc, flips_of_csr, 0, 5);
    tcase_add_test(tc, longer_file);
    tcase_add_loop_test(tc, others, 0, sizeof additions / sizeof *additions);
    tcase_add_test(tc, bad_argument);
    return run_tests("io_gaps", tc);
}
