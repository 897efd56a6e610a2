/* test_io_csr_damaged.c - damaged and foreign CSR files: each is refused with its own message. */
#include "tests/support/io_csr.h"
#include "tests/support/io_damage.h"

#define ROWS 10

/* What a case does with one dataset or attribute of an otherwise sound file. */
typedef enum { EARLY, LATE, CHUNKED, COMPACT, EXTERNAL, SOFT_LINK, GROUP, MISSING } how;
typedef enum { U8, U16, U32, U64, U64_BE, I8, I32, I64, F32, F64 } kind;

static hid_t type_of(kind k)
{
    const hid_t types[] = {H5T_STD_U8LE,   H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE,
                           H5T_STD_U64BE,  H5T_STD_I8LE,  H5T_STD_I32LE, H5T_STD_I64LE,
                           H5T_IEEE_F32LE, H5T_IEEE_F64LE};
    return types[k];
}

static void make_item(const char *name, how way, kind k, int rank, hsize_t length)
{
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk = 1;

    if (way == EARLY)
        make_dataset(name, type_of(k), rank, length, H5P_DEFAULT);
    else if (way == SOFT_LINK)
        H5Lcreate_soft("/elsewhere", file, name, H5P_DEFAULT, H5P_DEFAULT);
    else if (way == GROUP)
        H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else if (way != MISSING) {
        if (way == CHUNKED)
            H5Pset_chunk(creation, 1, &chunk);
        else if (way == COMPACT)
            H5Pset_layout(creation, H5D_COMPACT);
        else if (way == EXTERNAL)
            H5Pset_external(creation, "/etc/passwd", 0, length * H5Tget_size(type_of(k)));
        make_dataset(name, type_of(k), rank, length, creation);
    }
    H5Pclose(creation);
}

static void make_value(int value)
{
    hid_t dataset;

    make_item("values", EARLY, U8, 1, 1);
    dataset = H5Dopen2(file, "values", H5P_DEFAULT);
    ck_assert_int_ge(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
    H5Dclose(dataset);
}

/* All parts of a file but one, which the case makes in its own way or not at all. */
static void start_without(const char *item)
{
    static const struct {
        const char *name;
        uint64_t value;
    } numbers[] = {{"format_version", 1},
                   {"edges", EDGES},
                   {"rows", ROWS},
                   {"fingerprint", 42},
                   {"complete", 1}};

    start();
    if (strcmp(item, "format") != 0)
        make_text("format", "rmat-csr");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(item, numbers[i].name) != 0)
            make_u64(numbers[i].name, numbers[i].value);
    if (strcmp(item, "pointers_to_1") != 0)
        make_item("pointers_to_1", EARLY, U64, 1, ROWS + 1);
    if (strcmp(item, "indices_1") != 0)
        make_item("indices_1", EARLY, U32, 1, EDGES);
    if (strcmp(item, "values") != 0)
        make_value(1);
}

static void refuses(const char *message)
{
    edgefile_reader *r = (edgefile_reader *)&r;

    ck_fails(edgefile_open(&r, graph), EDGEFILE_ERR_FORMAT, message);
    ck_assert_ptr_null(r);
}

static const struct {
    const char *name;
    how way;
    kind k;
    int rank;
    hsize_t length;
    const char *message;
} datasets[] = {
    {"pointers_to_1", MISSING, U64, 1, ROWS + 1, "dataset 'pointers_to_1' is missing"},
    {"pointers_to_1", GROUP, U64, 1, ROWS + 1, "'pointers_to_1' is a group, expected a dataset"},
    {"pointers_to_1", SOFT_LINK, U64, 1, ROWS + 1, "'pointers_to_1' is a soft or external link"},
    {"pointers_to_1", EARLY, U32, 1, ROWS + 1,
     "unsigned integers of 4 bytes, expected integers of 8"},
    {"pointers_to_1", EARLY, U64_BE, 1, ROWS + 1, "'pointers_to_1' is big-endian"},
    {"pointers_to_1", EARLY, I64, 1, ROWS + 1,
     "'indices_1' holds unsigned integers, 'pointers_to_1' signed ones"},
    {"pointers_to_1", EARLY, F64, 1, ROWS + 1, "'pointers_to_1' holds floats of 8 bytes"},
    {"pointers_to_1", EARLY, U64, 2, ROWS + 1, "'pointers_to_1' is 2-D, expected 1-D"},
    {"pointers_to_1", EARLY, U64, 0, 1, "'pointers_to_1' is 0-D, expected 1-D"},
    {"pointers_to_1", EARLY, U64, -1, 1, "'pointers_to_1' is 0-D, expected 1-D"},
    {"pointers_to_1", EARLY, U64, 1, 0, "has 0 elements, expected one more than"},
    {"pointers_to_1", EARLY, U64, 1, ROWS,
     "has 10 elements, expected one more than attribute "
     "'rows', which says 10"},
    {"pointers_to_1", EARLY, U64, 1, ROWS + 2, "has 12 elements, expected one more than"},
    {"pointers_to_1", LATE, U64, 1, ROWS + 1, "dataset 'pointers_to_1' has no data"},
    {"pointers_to_1", CHUNKED, U64, 1, ROWS + 1, "'pointers_to_1' is chunked"},
    {"pointers_to_1", COMPACT, U64, 1, ROWS + 1, "'pointers_to_1' is compact"},
    {"pointers_to_1", EXTERNAL, U64, 1, ROWS + 1, "'pointers_to_1' lies in other files"},
    {"indices_1", MISSING, U32, 1, EDGES, "dataset 'indices_1' is missing"},
    {"indices_1", EARLY, U16, 1, EDGES, "'indices_1' holds unsigned integers of 2 bytes"},
    {"indices_1", EARLY, I32, 1, EDGES,
     "'indices_1' holds signed integers, 'pointers_to_1' unsigned ones"},
    {"indices_1", EARLY, U32, 2, EDGES, "'indices_1' is 2-D"},
    {"indices_1", EARLY, U32, 1, EDGES - 1, "has 999 elements, attribute 'edges' says 1000"},
    {"indices_1", CHUNKED, U64, 1, EDGES, "'indices_1' is chunked"},
    {"indices_1", EXTERNAL, U64, 1, EDGES, "'indices_1' lies in other files"},
    {"values", MISSING, U8, 1, 1, "dataset 'values' is missing"},
    {"values", SOFT_LINK, U8, 1, 1, "'values' is a soft or external link"},
    {"values", EARLY, U8, 1, 0, "dataset 'values' has 0 elements, expected 1"},
    {"values", EARLY, U8, 1, EDGES, "dataset 'values' has 1000 elements, expected 1"},
    {"values", EARLY, U8, 0, 1, "'values' is 0-D, expected 1-D"},
    {"values", EARLY, I8, 1, 1,
     "'values' holds items of 1 bytes, expected little-endian "
     "floats or signed integers of 4, or an unsigned one of 1"},
    {"values", EARLY, U16, 1, 1, "'values' holds items of 2 bytes"},
    {"values", EARLY, U32, 1, EDGES, "'values' holds items of 4 bytes"},
    {"values", EARLY, F64, 1, EDGES, "'values' holds items of 8 bytes"},
    {"values", EARLY, F32, 1, 1, "'values' has 1 elements, attribute 'edges' says 1000"},
    {"values", EARLY, I32, 1, EDGES + 1, "'values' has 1001 elements, attribute 'edges' says 1000"},
    {"values", CHUNKED, U8, 1, 1, "'values' is chunked"},
    {"values", COMPACT, U8, 1, 1, "'values' is compact"},
    {"values", LATE, U8, 1, 1, "'values' has no data"},
    {"values", LATE, F32, 1, EDGES, "'values' has no data"},
};

START_TEST(bad_dataset)
{
    start_without(datasets[_i].name);
    make_item(datasets[_i].name, datasets[_i].way, datasets[_i].k, datasets[_i].rank,
              datasets[_i].length);
    finish();
    refuses(datasets[_i].message);
}
END_TEST

/* way MISSING: no such attribute. */
static const struct {
    const char *name;
    how way;
    uint64_t value;
    const char *message;
} numbers[] = {
    {"rows", MISSING, 0, "attribute 'rows' is missing"},
    {"rows", EARLY, 0, "attribute 'rows' is 0"},
    {"rows", EARLY, UINT64_MAX, "attribute 'rows' is 18446744073709551615"},
    {"rows", EARLY, UINT64_MAX - 1, "which says 18446744073709551614"},
    {"rows", EARLY, ROWS - 1, "which says 9"},
    {"edges", MISSING, 0, "attribute 'edges' is missing"},
    {"edges", EARLY, 0, "'indices_1' has 1000 elements, attribute 'edges' says 0"},
    {"edges", EARLY, UINT64_MAX, "attribute 'edges' says 18446744073709551615"},
    {"complete", EARLY, 0, "is not complete"},
};

START_TEST(bad_number)
{
    start_without(numbers[_i].name);
    if (numbers[_i].way != MISSING)
        make_u64(numbers[_i].name, numbers[_i].value);
    finish();
    refuses(numbers[_i].message);
}
END_TEST

START_TEST(rows_is_float)
{
    double rows = ROWS;

    start_without("rows");
    make_attr("rows", H5T_NATIVE_DOUBLE, 1, &rows);
    finish();
    refuses("attribute 'rows' is not an unsigned integer");
}
END_TEST

/* No checksum is over it. */
START_TEST(value_is_2)
{
    start_without("values");
    make_value(2);
    finish();
    refuses("dataset 'values' is 2, expected 1");
}
END_TEST

/* The format decides which datasets are looked for. */
START_TEST(other_format)
{
    static const char *const cases[][2] = {{"rmat-edges", "dataset 'src' is missing"},
                                           {"rmat-csr2", "is 'rmat-csr2', expected 'rmat-edges'"},
                                           {"rmat-cs", "is 'rmat-cs', expected"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start_without("format");
        make_text("format", cases[i][0]);
        finish();
        refuses(cases[i][1]);
    }
}
END_TEST

/* pointers_to_1 lies at 1 MiB, indices_1 at 3 MiB, and the file ends after 4.5 MiB. */
static const struct {
    uint64_t address;
    const char *message;
} moves[] = {
    {(uint64_t)4 << 20, "the file ends at byte " PAST_THE_END},
    {(uint64_t)1 << 40,
     "inside dataset 'pointers_to_1' (1600008 bytes at 1099511627776)" PAST_THE_END},
};

START_TEST(moved)
{
    graphfile_spec spec = csr_spec(200000, 200000, 8);

    write_csr(graph, &spec);
    move_data((uint64_t)1 << 20, moves[_i].address);
    refuses(moves[_i].message);
}
END_TEST

/* The control: a file with all parts is sound, whatever its pointers say. */
START_TEST(foreign_but_sound)
{
    edgefile_reader *r;
    uint64_t pointers[ROWS + 1];
    uint32_t dst[EDGES];

    start_without("");
    finish();
    ck_ok(edgefile_open(&r, graph));
    ck_assert_int_eq(edgefile_weight_of(r), EDGEFILE_NO_WEIGHT);
    ck_assert_int_eq(edgefile_id_bytes(r), 4);
    ck_ok(edgefile_read_pointers(r, 0, ROWS + 1, pointers));
    ck_ok(edgefile_read(r, 0, EDGES, NULL, dst, NULL));
    for (uint64_t i = 0; i < EDGES; i++) {
        ck_assert(i > ROWS || pointers[i] == (uint32_t)mix(2 * i));
        ck_assert_uint_eq(dst[i], (uint32_t)mix(2 * i));
    }
    edgefile_close(r);
}
END_TEST

START_TEST(weights)
{
    edgefile_reader *r;
    float weight;

    start_without("values");
    make_item("values", EARLY, _i == 0 ? F32 : I32, 1, EDGES);
    finish();
    ck_ok(edgefile_open(&r, graph));
    ck_assert_int_eq(edgefile_weight_of(r), _i == 0 ? EDGEFILE_WEIGHT_F32 : EDGEFILE_WEIGHT_I32);
    ck_ok(edgefile_read(r, 0, 0, NULL, NULL, &weight));
    edgefile_close(r);
}
END_TEST

TEST_MAIN(io_csr_damaged)
{
    TCase *tc = tcase_create("csr_damaged");

    tcase_add_loop_test(tc, bad_dataset, 0, sizeof datasets / sizeof *datasets);
    tcase_add_loop_test(tc, bad_number, 0, sizeof numbers / sizeof *numbers);
    tcase_add_test(tc, rows_is_float);
    tcase_add_test(tc, value_is_2);
    tcase_add_test(tc, other_format);
    tcase_add_loop_test(tc, moved, 0, sizeof moves / sizeof *moves);
    tcase_add_test(tc, foreign_but_sound);
    tcase_add_loop_test(tc, weights, 0, 2);
    return run_tests("io_csr_damaged", tc);
}
