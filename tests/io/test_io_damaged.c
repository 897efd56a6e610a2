/* test_io_damaged.c - damaged and foreign files: each is refused with its own message. */
#include "tests/support/io_damage.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

static void make_plain(const char *name)
{
    make_dataset(name, H5T_STD_U32LE, 1, EDGES, H5P_DEFAULT);
}

/* A sound file but for one item, which the case makes in its own way or not at all. */
static void start_without(const char *item)
{
    start();
    if (strcmp(item, "format") != 0)
        make_text("format", "rmat-edges");
    if (strcmp(item, "format_version") != 0)
        make_u64("format_version", EDGEFILE_FORMAT_VERSION);
    if (strcmp(item, "edges") != 0)
        make_u64("edges", EDGES);
    if (strcmp(item, "fingerprint") != 0)
        make_u64("fingerprint", 42);
    if (strcmp(item, "complete") != 0)
        make_u64("complete", 1);
    if (strcmp(item, "src") != 0)
        make_plain("src");
    if (strcmp(item, "dst") != 0)
        make_plain("dst");
}

static void without(const char *item)
{
    start_without(item);
    finish();
}

static void odd_src(hid_t type, int rank, hsize_t length, hid_t creation)
{
    start_without("src");
    make_dataset("src", type, rank, length, creation);
    finish();
}

static void odd_weight(hid_t type, int rank, hsize_t length, hid_t creation)
{
    start_without("");
    make_dataset("weight", type, rank, length, creation);
    finish();
}

static void odd_u64(const char *name, uint64_t value)
{
    start_without(name);
    make_u64(name, value);
    finish();
}

static void odd_text(const char *name, const char *value)
{
    start_without(name);
    make_text(name, value);
    finish();
}

static void cut(long bytes_kept) /* negative: from the end */
{
    size_t size;
    char *bytes;

    write_graph(graph, plain_spec(EDGES, 8));
    bytes = slurp(graph, &size);
    spew(graph, bytes, bytes_kept < 0 ? size - (size_t)-bytes_kept : (size_t)bytes_kept);
    free(bytes);
}

/* Of a list whose src lies at 1 MiB and dst at 3 MiB. */
static void move_src(uint64_t address)
{
    write_graph(graph, plain_spec(200000, 8));
    move_data((uint64_t)1 << 20, address);
}

/* --- the cases --- */

static void nothing(void)
{
}
static void a_directory(void)
{
    mkdir(graph, 0755);
}
static void a_fifo(void)
{
    ck_assert_int_eq(mkfifo(graph, 0644), 0);
}
static void dangling_link(void)
{
    ck_assert_int_eq(symlink("/nonexistent", graph), 0);
}
static void empty(void)
{
    spew(graph, "", 0);
}
static void text(void)
{
    spew(graph, "0 1\n1 2\n2 0\n", 12);
}
static void noise(void)
{
    uint64_t words[4096];
    for (uint64_t i = 0; i < 4096; i++)
        words[i] = mix(i + 77);
    spew(graph, words, sizeof words);
}
static void signature_only(void)
{
    spew(graph, "\211HDF\r\n\032\n", 8);
}
static void cut_in_superblock(void)
{
    cut(30);
}
static void cut_in_header(void)
{
    cut(300);
}
static void cut_in_data(void)
{
    cut(-9000);
}
static void cut_one_byte(void)
{
    cut(-1);
}
static void longer(void)
{
    size_t size;

    write_graph(graph, plain_spec(EDGES, 8));
    free(slurp(graph, &size));
    ck_assert_int_eq(truncate(graph, (off_t)size + 1), 0);
}
static void no_src(void)
{
    without("src");
}
static void no_dst(void)
{
    without("dst");
}
static void src_is_group(void)
{
    start_without("src");
    H5Gclose(H5Gcreate2(file, "src", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    finish();
}
static void src_is_type(void)
{
    hid_t type = H5Tcopy(H5T_NATIVE_INT);
    start_without("src");
    H5Tcommit2(file, "src", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Tclose(type);
    finish();
}
static void src_is_soft_link(void)
{
    start_without("src");
    H5Lcreate_soft("/dst", file, "src", H5P_DEFAULT, H5P_DEFAULT);
    finish();
}
static void src_is_external_link(void)
{
    start_without("src");
    H5Lcreate_external("/etc/passwd", "/dst", file, "src", H5P_DEFAULT, H5P_DEFAULT);
    finish();
}
static void two_dimensions(void)
{
    odd_src(H5T_STD_U32LE, 2, EDGES, H5P_DEFAULT);
}
static void scalar(void)
{
    odd_src(H5T_STD_U32LE, 0, 1, H5P_DEFAULT);
}
static void null_space(void)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    odd_src(H5T_STD_U32LE, -1, 0, creation);
    H5Pclose(creation);
}
static void floats(void)
{
    odd_src(H5T_IEEE_F32LE, 1, EDGES, H5P_DEFAULT);
}
static void signed_ids(void)
{
    odd_src(H5T_STD_I64LE, 1, EDGES, H5P_DEFAULT);
}
static void short_signed_ids(void)
{
    odd_src(H5T_STD_I16LE, 1, EDGES, H5P_DEFAULT);
}
static void short_ids(void)
{
    odd_src(H5T_STD_U16LE, 1, EDGES, H5P_DEFAULT);
}
static void big_endian_ids(void)
{
    odd_src(H5T_STD_U32BE, 1, EDGES, H5P_DEFAULT);
}
static void string_ids(void)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    odd_src(H5T_C_S1, 1, EDGES, creation);
    H5Pclose(creation);
}
static void padded_ids(void)
{
    hid_t type = H5Tcopy(H5T_STD_U64LE);
    H5Tset_precision(type, 40);
    odd_src(type, 1, EDGES, H5P_DEFAULT);
    H5Tclose(type);
}
static void lengths_differ(void)
{
    odd_src(H5T_STD_U32LE, 1, EDGES - 1, H5P_DEFAULT);
}
static void widths_differ(void)
{
    odd_src(H5T_STD_U64LE, 1, EDGES, H5P_DEFAULT);
}
static void chunked(void)
{
    hsize_t chunk = 100;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
        H5Pset_deflate(creation, 4);
    odd_src(H5T_STD_U32LE, 1, EDGES, creation);
    H5Pclose(creation);
}
static void compact(void)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_layout(creation, H5D_COMPACT);
    odd_src(H5T_STD_U32LE, 1, EDGES, creation);
    H5Pclose(creation);
}
static void virtual_dataset(void)
{
    hsize_t n = EDGES;
    hid_t space = H5Screate_simple(1, &n, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_virtual(creation, space, "missing.h5", "src", space);
    odd_src(H5T_STD_U32LE, 1, EDGES, creation);
    H5Pclose(creation);
    H5Sclose(space);
}
static void external_storage(void)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(creation, "/etc/passwd", 0, 4 * EDGES);
    odd_src(H5T_STD_U32LE, 1, EDGES, creation);
    H5Pclose(creation);
}
static void not_allocated(void)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    odd_src(H5T_STD_U32LE, 1, EDGES, creation);
    H5Pclose(creation);
}
static void src_beyond_end(void)
{
    move_src((uint64_t)1 << 40);
}
static void src_across_end(void)
{
    move_src((uint64_t)4 << 20);
}
static void weight_is_group(void)
{
    start_without("");
    H5Gclose(H5Gcreate2(file, "weight", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    finish();
}
static void weight_is_soft_link(void)
{
    start_without("");
    H5Lcreate_soft("/dst", file, "weight", H5P_DEFAULT, H5P_DEFAULT);
    finish();
}
static void double_weights(void)
{
    odd_weight(H5T_IEEE_F64LE, 1, EDGES, H5P_DEFAULT);
}
static void big_endian_weights(void)
{
    odd_weight(H5T_IEEE_F32BE, 1, EDGES, H5P_DEFAULT);
}
static void unsigned_weights(void)
{
    odd_weight(H5T_STD_U32LE, 1, EDGES, H5P_DEFAULT);
}
static void long_weights(void)
{
    odd_weight(H5T_STD_I64LE, 1, EDGES, H5P_DEFAULT);
}
static void odd_float_weights(void)
{
    hid_t type = H5Tcopy(H5T_IEEE_F32LE);
    H5Tset_ebias(type, 126);
    odd_weight(type, 1, EDGES, H5P_DEFAULT);
    H5Tclose(type);
}
static void two_dimensional_weights(void)
{
    odd_weight(H5T_IEEE_F32LE, 2, EDGES, H5P_DEFAULT);
}
static void fewer_weights(void)
{
    odd_weight(H5T_IEEE_F32LE, 1, EDGES - 1, H5P_DEFAULT);
}
static void chunked_weights(void)
{
    hsize_t chunk = 100;
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    odd_weight(H5T_IEEE_F32LE, 1, EDGES, creation);
    H5Pclose(creation);
}
static void no_edges(void)
{
    without("edges");
}
static void edges_is_float(void)
{
    double value = EDGES;
    start_without("edges");
    make_attr("edges", H5T_NATIVE_DOUBLE, 1, &value);
    finish();
}
static void edges_is_signed(void)
{
    int64_t value = EDGES;
    start_without("edges");
    make_attr("edges", H5T_NATIVE_INT64, 1, &value);
    finish();
}
static void edges_is_array(void)
{
    uint64_t value[2] = {EDGES, EDGES};
    start_without("edges");
    make_attr("edges", H5T_NATIVE_UINT64, 2, value);
    finish();
}
static void edges_is_wrong(void)
{
    odd_u64("edges", EDGES + 1);
}
static void edges_is_huge(void)
{
    odd_u64("edges", UINT64_MAX);
}
static void no_format(void)
{
    without("format");
}
static void other_format(void)
{
    odd_text("format", "rmat-edges-ng");
}
static void shorter_format(void)
{
    odd_text("format", "rmat");
}
static void format_is_number(void)
{
    odd_u64("format", 1);
}
static void no_version(void)
{
    without("format_version");
}
static void newer_version(void)
{
    odd_u64("format_version", EDGEFILE_FORMAT_VERSION + 1);
}
static void version_zero(void)
{
    odd_u64("format_version", 0);
}
static void no_complete(void)
{
    without("complete");
}
static void complete_0(void)
{
    odd_u64("complete", 0);
}
static void complete_2(void)
{
    odd_u64("complete", 2);
}
static void no_fingerprint(void)
{
    without("fingerprint");
}
static void fingerprint_is_text(void)
{
    odd_text("fingerprint", "42");
}
static void killed_writer(void)
{
    pid_t child = fork();
    if (child == 0) {
        graphfile_spec spec = plain_spec(EDGES, 8);
        graphfile_writer *w;
        if (graphfile_create(&w, graph, &spec) == EDGEFILE_OK)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    waitpid(child, NULL, 0);
    ck_assert_int_eq(rename(graph_partial, graph), 0);
}

static const struct {
    void (*make)(void);
    int status;
    const char *text;
} cases[] = {
    {nothing, EDGEFILE_ERR_OPEN, "No such file"},
    {a_directory, EDGEFILE_ERR_FORMAT, "is a directory, expected an HDF5 file"},
    {a_fifo, EDGEFILE_ERR_FORMAT, "is a FIFO, expected an HDF5 file"},
    {dangling_link, EDGEFILE_ERR_OPEN, "No such file"},
    {empty, EDGEFILE_ERR_FORMAT, "is empty"},
    {text, EDGEFILE_ERR_FORMAT, "is not an HDF5 file"},
    {noise, EDGEFILE_ERR_FORMAT, "is not an HDF5 file"},
    {signature_only, EDGEFILE_ERR_FORMAT, "opening the file: "},
    {cut_in_superblock, EDGEFILE_ERR_FORMAT, "opening the file: "},
    {cut_in_header, EDGEFILE_ERR_FORMAT, "truncated file"},
    {cut_in_data, EDGEFILE_ERR_FORMAT, "truncated file"},
    {cut_one_byte, EDGEFILE_ERR_FORMAT, "truncated file"},
    {longer, EDGEFILE_ERR_FORMAT, " bytes, expected "},
    {no_src, EDGEFILE_ERR_FORMAT, "dataset 'src' is missing"},
    {no_dst, EDGEFILE_ERR_FORMAT, "dataset 'dst' is missing"},
    {src_is_group, EDGEFILE_ERR_FORMAT, "'src' is a group, expected a dataset"},
    {src_is_type, EDGEFILE_ERR_FORMAT, "'src' is a named type, expected a dataset"},
    {src_is_soft_link, EDGEFILE_ERR_FORMAT, "'src' is a soft or external link"},
    {src_is_external_link, EDGEFILE_ERR_FORMAT, "'src' is a soft or external link"},
    {two_dimensions, EDGEFILE_ERR_FORMAT, "dataset 'src' is 2-D, expected 1-D"},
    {scalar, EDGEFILE_ERR_FORMAT, "dataset 'src' is 0-D, expected 1-D"},
    {null_space, EDGEFILE_ERR_FORMAT, "dataset 'src' is 0-D, expected 1-D"},
    {floats, EDGEFILE_ERR_FORMAT, "holds floats of 4 bytes, expected integers of 4 or 8"},
    {signed_ids, EDGEFILE_ERR_FORMAT, "'dst' holds unsigned integers, 'src' signed ones"},
    {short_signed_ids, EDGEFILE_ERR_FORMAT, "holds signed integers of 2 bytes"},
    {short_ids, EDGEFILE_ERR_FORMAT, "holds unsigned integers of 2 bytes"},
    {big_endian_ids, EDGEFILE_ERR_FORMAT, "'src' is big-endian, expected little-endian"},
    {string_ids, EDGEFILE_ERR_FORMAT, "holds items of 1 bytes"},
    {padded_ids, EDGEFILE_ERR_FORMAT, "holds padded integers of 8 bytes"},
    {lengths_differ, EDGEFILE_ERR_FORMAT, "'src' has 999 elements, attribute 'edges' says 1000"},
    {widths_differ, EDGEFILE_ERR_FORMAT, "'dst' has elements of 4 bytes, but 'src' of 8"},
    {chunked, EDGEFILE_ERR_FORMAT, "dataset 'src' is chunked, expected contiguous"},
    {compact, EDGEFILE_ERR_FORMAT, "dataset 'src' is compact, expected contiguous"},
    {virtual_dataset, EDGEFILE_ERR_FORMAT, "dataset 'src' is virtual, expected contiguous"},
    {external_storage, EDGEFILE_ERR_FORMAT, "dataset 'src' lies in other files"},
    {not_allocated, EDGEFILE_ERR_FORMAT, "dataset 'src' has no data"},
    {src_beyond_end, EDGEFILE_ERR_FORMAT,
     "inside dataset 'src' (1600000 bytes at 1099511627776)" PAST_THE_END},
    {src_across_end, EDGEFILE_ERR_FORMAT, "the file ends at byte " PAST_THE_END},
    {weight_is_group, EDGEFILE_ERR_FORMAT, "'weight' is a group, expected a dataset"},
    {weight_is_soft_link, EDGEFILE_ERR_FORMAT, "'weight' is a soft or external link"},
    {double_weights, EDGEFILE_ERR_FORMAT,
     "'weight' holds items of 8 bytes, expected little-endian floats or"},
    {big_endian_weights, EDGEFILE_ERR_FORMAT, "'weight' holds items of 4 bytes, expected little"},
    {unsigned_weights, EDGEFILE_ERR_FORMAT,
     "'weight' holds items of 4 bytes, expected little-endian floats or"},
    {long_weights, EDGEFILE_ERR_FORMAT,
     "'weight' holds items of 8 bytes, expected little-endian floats or"},
    {odd_float_weights, EDGEFILE_ERR_FORMAT,
     "'weight' holds items of 4 bytes, expected little-endian floats or"},
    {two_dimensional_weights, EDGEFILE_ERR_FORMAT, "dataset 'weight' is 2-D, expected 1-D"},
    {fewer_weights, EDGEFILE_ERR_FORMAT, "'weight' has 999 elements, attribute 'edges' says 1000"},
    {chunked_weights, EDGEFILE_ERR_FORMAT, "dataset 'weight' is chunked, expected contiguous"},
    {no_edges, EDGEFILE_ERR_FORMAT, "attribute 'edges' is missing"},
    {edges_is_float, EDGEFILE_ERR_FORMAT, "attribute 'edges' is not an unsigned integer"},
    {edges_is_signed, EDGEFILE_ERR_FORMAT, "attribute 'edges' is not an unsigned integer"},
    {edges_is_array, EDGEFILE_ERR_FORMAT, "attribute 'edges' is not an unsigned integer"},
    {edges_is_wrong, EDGEFILE_ERR_FORMAT, "'src' has 1000 elements, attribute 'edges' says 1001"},
    {edges_is_huge, EDGEFILE_ERR_FORMAT, "attribute 'edges' says 18446744073709551615"},
    {no_format, EDGEFILE_ERR_FORMAT, "attribute 'format' is missing"},
    {other_format, EDGEFILE_ERR_FORMAT, "attribute 'format' is 'rmat-edges-"},
    {shorter_format, EDGEFILE_ERR_FORMAT, "is 'rmat', expected 'rmat-edges'"},
    {format_is_number, EDGEFILE_ERR_FORMAT, "attribute 'format' is not a string"},
    {no_version, EDGEFILE_ERR_FORMAT, "attribute 'format_version' is missing"},
    {newer_version, EDGEFILE_ERR_FORMAT, "format version 2 is not known here"},
    {version_zero, EDGEFILE_ERR_FORMAT, "format version 0 is not known here"},
    {no_complete, EDGEFILE_ERR_FORMAT, "attribute 'complete' is missing"},
    {complete_0, EDGEFILE_ERR_FORMAT, "is not complete"},
    {complete_2, EDGEFILE_ERR_FORMAT, "is not complete"},
    {no_fingerprint, EDGEFILE_ERR_FORMAT, "attribute 'fingerprint' is missing"},
    {fingerprint_is_text, EDGEFILE_ERR_FORMAT, "attribute 'fingerprint' is not an unsigned"},
    {killed_writer, EDGEFILE_ERR_FORMAT, "is not complete"},
};

START_TEST(bad_file)
{
    edgefile_reader *r = (edgefile_reader *)&r;

    cases[_i].make();
    ck_fails(edgefile_open(&r, graph), cases[_i].status, cases[_i].text);
    ck_assert_ptr_null(r);
    ck_assert_msg(strncmp(edgefile_detail(), graph, strlen(graph)) == 0,
                  "message '%s' does not begin with the path", edgefile_detail());
}
END_TEST

/* The control: what start_without() makes of nothing left out is sound, as h5py writes by default,
 * too. */
START_TEST(foreign_but_sound)
{
    oldest = _i == 0 ? H5F_LIBVER_V18 : H5F_LIBVER_EARLIEST;
    without("");
    check_graph(graph, EDGES, 4);
}
END_TEST

START_TEST(variable_length_strings)
{
    const char *value = "rmat-edges";
    char back[32];
    edgefile_reader *r;
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, H5T_VARIABLE);
    H5Tset_cset(type, H5T_CSET_UTF8);
    start_without("format");
    make_attr("format", type, 1, &value);
    finish();
    H5Tclose(type);
    ck_ok(edgefile_open(&r, graph));
    ck_ok(edgefile_get_string(r, "format", back, 5));
    ck_assert_str_eq(back, "rmat");
    edgefile_close(r);
}
END_TEST

START_TEST(partial_of_a_living_writer)
{
    graphfile_spec spec = buffered(plain_spec(EDGES, 8), _i);
    graphfile_writer *w;
    edgefile_reader *r;

    ck_ok(graphfile_create(&w, graph, &spec));
    ck_fails(edgefile_open(&r, graph_partial), EDGEFILE_ERR_FORMAT, "is not complete");
    graphfile_abort(&w);
}
END_TEST

/* As HDF5 locks a file that it has open for writing. */
START_TEST(open_for_writing_elsewhere)
{
    edgefile_reader *r;
    int fd;

    without("");
    fd = open(graph, O_RDWR);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ck_fails(edgefile_open(&r, graph), EDGEFILE_ERR_OPEN, "another program has it open");
    close(fd);
    check_graph(graph, EDGES, 4);
}
END_TEST

START_TEST(bad_arguments)
{
    edgefile_reader *r;

    ck_fails(edgefile_open(NULL, graph), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(edgefile_open(&r, NULL), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(edgefile_open(&r, ""), EDGEFILE_ERR_OPEN, "No such file");
    ck_fails(edgefile_read(NULL, 0, 0, NULL, NULL, NULL), EDGEFILE_ERR_ARG, "NULL");
    edgefile_close(NULL);
}
END_TEST

TEST_MAIN(io_damaged)
{
    TCase *tc = tcase_create("damaged");

    setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);
    tcase_add_loop_test(tc, bad_file, 0, sizeof cases / sizeof *cases);
    tcase_add_loop_test(tc, foreign_but_sound, 0, 2);
    tcase_add_test(tc, variable_length_strings);
    tcase_add_loop_test(tc, partial_of_a_living_writer, 0, 2);
    tcase_add_test(tc, open_for_writing_elsewhere);
    tcase_add_test(tc, bad_arguments);
    return run_tests("io_damaged", tc);
}
