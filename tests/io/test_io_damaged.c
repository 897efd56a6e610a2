/*
 * test_io_damaged.c - damaged and foreign files, lists and CSR: each is refused with its own
 * message.  A file is a table of its datasets and attributes; a case changes or omits one of them.
 */
#include "tests/support/io_util.h"

#include <hdf5.h>
#include <sys/file.h>

enum { EDGES = 1000, ROWS = 10 };

/* What HDF5 1.14 says, before we can, of data that would reach past the end of the file. */
#define PAST_THE_END "|invalid dataset size, likely file corruption"

uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start); /* in HDF5 */

/* What an item is: nothing; a dataset whose space is allocated EARLY, ...; or something else. */
enum { MISSING, EARLY, LATE, CHUNKED, COMPACT, VIRTUAL, EXTERNAL };
enum { GROUP = EXTERNAL + 1, TYPE, SOFT_LINK, EXTERNAL_LINK, ATTRIBUTE };

typedef struct {
    const char *name;
    int way;
    /* as NumPy writes it; "<p8": padded, "<o4": floats with another bias; "<u1=2": the first one is
     * 2; "=...": a text */
    const char *type;
    int rank;   /* -1: the null dataspace */
    uint64_t n; /* the length of a dataset, the value of an attribute */
    const char *message;
} item;

static hid_t file; /* the one that a case is making */

static hid_t type_of(const char *name)
{
    const int is_text = name[0] == '=' || name[1] == 'S',
              is_float = name[1] == 'f' || name[1] == 'o';
    const size_t bytes = name[0] == '=' ? strlen(name) : (size_t)(name[2] - '0');
    hid_t type = H5Tcopy(is_text                  ? H5T_C_S1
                         : is_float && bytes == 8 ? H5T_IEEE_F64LE
                         : is_float               ? H5T_IEEE_F32LE
                         : name[1] == 'i'         ? H5T_STD_I64LE
                                                  : H5T_STD_U64LE);

    ck_assert_int_ge(H5Tset_size(type, bytes), 0);
    if (name[0] == '>')
        H5Tset_order(type, H5T_ORDER_BE);
    if (name[1] == 'p' && !is_text)
        H5Tset_precision(type, 40);
    if (name[1] == 'o' && !is_text)
        H5Tset_ebias(type, 126);
    return type;
}

static void make_attr(const char *name, hid_t type, hsize_t n, const void *value)
{
    hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
    hid_t attr = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    ck_assert_int_ge(H5Awrite(attr, type, value), 0);
    H5Aclose(attr);
    H5Sclose(space);
}

static void make_attribute(const item *it)
{
    const uint64_t numbers[2] = {it->n, it->n};
    const double number = (double)it->n;
    hid_t type = type_of(it->type);

    if (it->type[0] == '=')
        make_attr(it->name, type, 1, it->type + 1);
    else
        make_attr(it->name, type, it->rank == 0 ? 1 : 2,
                  it->type[1] == 'f' ? (const void *)&number : numbers);
    H5Tclose(type);
}

static void make_dataset(const item *it)
{
    static uint64_t values[EDGES];
    const hsize_t dims[2] = {it->n, 2}, chunk = it->n < 100 ? 1 : 100;
    hid_t type = type_of(it->type), creation = H5Pcreate(H5P_DATASET_CREATE), dataset;
    hid_t space = it->rank < 0    ? H5Screate(H5S_NULL)
                  : it->rank == 0 ? H5Screate(H5S_SCALAR)
                                  : H5Screate_simple(it->rank, dims, NULL);

    if (it->way == EARLY)
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY);
    else if (it->way == CHUNKED) {
        H5Pset_chunk(creation, 1, &chunk);
        if (H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
            H5Pset_deflate(creation, 4);
    } else if (it->way == COMPACT)
        H5Pset_layout(creation, H5D_COMPACT);
    else if (it->way == VIRTUAL)
        H5Pset_virtual(creation, space, "missing.h5", "src", space);
    else if (it->way == EXTERNAL)
        H5Pset_external(creation, "/etc/passwd", 0, it->n * H5Tget_size(type));
    dataset = H5Dcreate2(file, it->name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    for (uint64_t i = 0; i < EDGES; i++) /* src and pointers, or dst and indices */
        values[i] = mix(2 * i + (it->name[0] == 'd' || it->name[0] == 'i')) & UINT32_MAX;
    if (it->type[3] == '=')
        values[0] = (uint64_t)(it->type[4] - '0');
    if (it->way == EARLY && it->rank == 1 && it->n <= EDGES)
        ck_assert_int_ge(
            H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(dataset);
    H5Pclose(creation);
    H5Tclose(type);
    H5Sclose(space);
}

static void make_item(const item *it)
{
    hid_t type;

    if (it->way >= EARLY && it->way <= EXTERNAL)
        make_dataset(it);
    else if (it->way == GROUP)
        H5Gclose(H5Gcreate2(file, it->name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    else if (it->way == SOFT_LINK)
        H5Lcreate_soft("/dst", file, it->name, H5P_DEFAULT, H5P_DEFAULT);
    else if (it->way == EXTERNAL_LINK)
        H5Lcreate_external("/etc/passwd", "/dst", file, it->name, H5P_DEFAULT, H5P_DEFAULT);
    else if (it->way == ATTRIBUTE)
        make_attribute(it);
    else if (it->way == TYPE) {
        type = H5Tcopy(H5T_NATIVE_INT);
        H5Tcommit2(file, it->name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        H5Tclose(type);
    }
}

/* --- sound files but for one item --- */

static const item sound[2][10] = {
    {{"format", ATTRIBUTE, .type = "=rmat-edges"},
     {"format_version", ATTRIBUTE, "<u8", .n = EDGEFILE_FORMAT_VERSION},
     {"edges", ATTRIBUTE, "<u8", .n = EDGES},
     {"fingerprint", ATTRIBUTE, "<u8", .n = 42},
     {"complete", ATTRIBUTE, "<u8", .n = 1},
     {"src", EARLY, "<u4", 1, .n = EDGES},
     {"dst", EARLY, "<u4", 1, .n = EDGES}},
    {{"format", ATTRIBUTE, .type = "=rmat-csr"},
     {"format_version", ATTRIBUTE, "<u8", .n = EDGEFILE_FORMAT_VERSION},
     {"edges", ATTRIBUTE, "<u8", .n = EDGES},
     {"rows", ATTRIBUTE, "<u8", .n = ROWS},
     {"fingerprint", ATTRIBUTE, "<u8", .n = 42},
     {"complete", ATTRIBUTE, "<u8", .n = 1},
     {"pointers_to_1", EARLY, "<u8", 1, .n = ROWS + 1},
     {"indices_1", EARLY, "<u4", 1, .n = EDGES},
     {"values", EARLY, "<u1=1", 1, .n = 1}}};

/* A sound file, but for the item of this name in place of its own. */
static void start(int is_csr, const char *name, H5F_libver_t oldest)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST);
    file = H5Fcreate(graph, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ck_assert_int_ge(file, 0);
    H5Pclose(access);
    for (const item *it = sound[is_csr]; it->name != NULL; it++)
        if (strcmp(it->name, name) != 0)
            make_item(it);
}

static void make_file(int is_csr, const item *odd)
{
    start(is_csr, odd->name, H5F_LIBVER_V18);
    make_item(odd);
    ck_assert_int_ge(H5Fclose(file), 0);
}

static void refuses(int status, const char *message)
{
    edgefile_reader *r = (edgefile_reader *)&r;

    ck_fails(edgefile_open(&r, graph), status, message);
    ck_assert_ptr_null(r);
    ck_assert_msg(strncmp(edgefile_detail(), graph, strlen(graph)) == 0,
                  "message '%s' does not begin with the path", edgefile_detail());
}

#define ODD_WEIGHT(bytes)                                                                          \
    "'weight' holds items of " #bytes " bytes, expected little-endian floats or"

static const item lists[] = {
    {"src", MISSING, .message = "dataset 'src' is missing"},
    {"dst", MISSING, .message = "dataset 'dst' is missing"},
    {"src", GROUP, .message = "'src' is a group, expected a dataset"},
    {"src", TYPE, .message = "'src' is a named type, expected a dataset"},
    {"src", SOFT_LINK, .message = "'src' is a soft or external link"},
    {"src", EXTERNAL_LINK, .message = "'src' is a soft or external link"},
    {"src", EARLY, "<u4", 2, EDGES, "dataset 'src' is 2-D, expected 1-D"},
    {"src", EARLY, "<u4", 0, 1, "dataset 'src' is 0-D, expected 1-D"},
    {"src", LATE, "<u4", -1, 0, "dataset 'src' is 0-D, expected 1-D"},
    {"src", EARLY, "<f4", 1, EDGES,
     "holds items of 4 bytes, expected little-endian integers of 4 or 8"},
    {"src", EARLY, "<i8", 1, EDGES, "'dst' holds unsigned integers, 'src' signed ones"},
    {"src", EARLY, "<i2", 1, EDGES, "holds items of 2 bytes"},
    {"src", EARLY, ">u4", 1, EDGES, "holds items of 4 bytes, expected little-endian"},
    {"src", LATE, "|S1", 1, EDGES, "holds items of 1 bytes"},
    {"src", EARLY, "<p8", 1, EDGES, "holds items of 8 bytes, expected little-endian"},
    {"src", EARLY, "<u4", 1, EDGES - 1,
     "'src' has 999 elements, by attribute 'edges' there are 1000"},
    {"src", EARLY, "<u8", 1, EDGES, "'dst' has elements of 4 bytes, but 'src' of 8"},
    {"src", CHUNKED, "<u4", 1, EDGES, "dataset 'src' is not contiguous"},
    {"src", COMPACT, "<u4", 1, EDGES, "dataset 'src' is not contiguous"},
    {"src", VIRTUAL, "<u4", 1, EDGES, "dataset 'src' is not contiguous"},
    {"src", EXTERNAL, "<u4", 1, EDGES, "dataset 'src' lies in other files"},
    {"src", LATE, "<u4", 1, EDGES, "dataset 'src' has no data"},
    {"weight", GROUP, .message = "'weight' is a group, expected a dataset"},
    {"weight", EARLY, "<f8", 1, EDGES, ODD_WEIGHT(8)},
    {"weight", EARLY, ">f4", 1, EDGES, ODD_WEIGHT(4)},
    {"weight", EARLY, "<u4", 1, EDGES, ODD_WEIGHT(4)},
    {"weight", EARLY, "<i8", 1, EDGES, ODD_WEIGHT(8)},
    {"weight", EARLY, "<o4", 1, EDGES, ODD_WEIGHT(4)},
    {"weight", EARLY, "<f4", 1, EDGES - 1,
     "'weight' has 999 elements, by attribute 'edges' there are 1000"},
    {"weight", CHUNKED, "<f4", 1, EDGES, "dataset 'weight' is not contiguous"},
    {"edges", MISSING, .message = "attribute 'edges' is missing"},
    {"edges", ATTRIBUTE, "<f8", 0, EDGES, "attribute 'edges' is not an unsigned integer"},
    {"edges", ATTRIBUTE, "<i8", 0, EDGES, "attribute 'edges' is not an unsigned integer"},
    {"edges", ATTRIBUTE, "<u8", 1, EDGES, "attribute 'edges' is not an unsigned integer"},
    {"edges", ATTRIBUTE, "<u8", 0, EDGES + 1,
     "'src' has 1000 elements, by attribute 'edges' there are 1001"},
    {"edges", ATTRIBUTE, "<u8", 0, UINT64_MAX,
     "by attribute 'edges' there are 18446744073709551615"},
    {"format", MISSING, .message = "attribute 'format' is missing"},
    {"format", ATTRIBUTE, "=rmat-edges-ng", 0, 0, "attribute 'format' is 'rmat-edges-"},
    {"format", ATTRIBUTE, "=rmat", 0, 0, "is 'rmat', expected 'rmat-edges'"},
    {"format", ATTRIBUTE, "<u8", 0, 1, "attribute 'format' is not a string"},
    {"format_version", MISSING, .message = "attribute 'format_version' is missing"},
    {"format_version", ATTRIBUTE, "<u8", 0, 2, "format version 2 is not known here"},
    {"format_version", ATTRIBUTE, "<u8", 0, 0, "format version 0 is not known here"},
    {"complete", MISSING, .message = "attribute 'complete' is missing"},
    {"complete", ATTRIBUTE, "<u8", 0, 0, "is not complete"},
    {"complete", ATTRIBUTE, "<u8", 0, 2, "is not complete"},
    {"fingerprint", MISSING, .message = "attribute 'fingerprint' is missing"},
    {"fingerprint", ATTRIBUTE, "=42", 0, 0, "attribute 'fingerprint' is not an unsigned"},
};

/* All datasets pass through the same checks, so one of those of `src` is enough for each. */
static const item csrs[] = {
    {"pointers_to_1", MISSING, .message = "dataset 'pointers_to_1' is missing"},
    {"pointers_to_1", EARLY, "<u4", 1, ROWS + 1,
     "holds items of 4 bytes, expected little-endian integers of 8"},
    {"pointers_to_1", EARLY, "<i8", 1, ROWS + 1,
     "'indices_1' holds unsigned integers, 'pointers_to_1' signed ones"},
    {"pointers_to_1", EARLY, "<f8", 1, ROWS + 1, "'pointers_to_1' holds items of 8 bytes"},
    {"pointers_to_1", EARLY, "<u8", 1, 0, "has 0 elements, by attribute 'rows' there are 11"},
    {"pointers_to_1", EARLY, "<u8", 1, ROWS, "has 10 elements, by attribute 'rows' there are 11"},
    {"pointers_to_1", EARLY, "<u8", 1, ROWS + 2,
     "has 12 elements, by attribute 'rows' there are 11"},
    {"pointers_to_1", CHUNKED, "<u8", 1, ROWS + 1, "'pointers_to_1' is not contiguous"},
    {"indices_1", MISSING, .message = "dataset 'indices_1' is missing"},
    {"indices_1", EARLY, "<u2", 1, EDGES, "'indices_1' holds items of 2 bytes"},
    {"indices_1", EARLY, "<i4", 1, EDGES,
     "'indices_1' holds signed integers, 'pointers_to_1' unsigned ones"},
    {"indices_1", EARLY, "<u4", 1, EDGES - 1,
     "has 999 elements, by attribute 'edges' there are 1000"},
    {"indices_1", CHUNKED, "<u8", 1, EDGES, "'indices_1' is not contiguous"},
    {"values", MISSING, .message = "dataset 'values' is missing"},
    /* no checksum is over this one */
    {"values", EARLY, "<u1=2", 1, 1, "dataset 'values' is 2, expected 1"},
    {"values", EARLY, "<u1", 1, 0,
     "dataset 'values' has 0 elements, by attribute 'edges' there are 1"},
    {"values", EARLY, "<u1", 1, EDGES,
     "dataset 'values' has 1000 elements, by attribute 'edges' there are 1"},
    {"values", EARLY, "<i1", 1, 1,
     "'values' holds items of 1 bytes, expected little-endian floats or signed integers of 4, or "
     "an unsigned one of 1"},
    {"values", EARLY, "<u4", 1, EDGES, "'values' holds items of 4 bytes"},
    {"values", EARLY, "<f8", 1, EDGES, "'values' holds items of 8 bytes"},
    {"values", EARLY, "<f4", 1, 1, "'values' has 1 elements, by attribute 'edges' there are 1000"},
    {"values", EARLY, "<i4", 1, EDGES + 1,
     "'values' has 1001 elements, by attribute 'edges' there are 1000"},
    {"values", CHUNKED, "<u1", 1, 1, "'values' is not contiguous"},
    {"values", LATE, "<u1=1", -1, 0, "'values' is 0-D, expected 1-D"},
    {"rows", MISSING, .message = "attribute 'rows' is missing"},
    {"rows", ATTRIBUTE, "<f8", 0, ROWS, "attribute 'rows' is not an unsigned integer"},
    {"rows", ATTRIBUTE, "<u8", 0, 0, "attribute 'rows' is 0"},
    {"rows", ATTRIBUTE, "<u8", 0, UINT64_MAX, "attribute 'rows' is 18446744073709551615"},
    {"rows", ATTRIBUTE, "<u8", 0, UINT64_MAX - 1,
     "by attribute 'rows' there are 18446744073709551615"},
    {"rows", ATTRIBUTE, "<u8", 0, ROWS - 1, "by attribute 'rows' there are 10"},
    {"edges", ATTRIBUTE, "<u8", 0, 0,
     "'indices_1' has 1000 elements, by attribute 'edges' there are 0"},
    /* the format decides which datasets are looked for */
    {"format", ATTRIBUTE, "=rmat-edges", 0, 0, "dataset 'src' is missing"},
    {"format", ATTRIBUTE, "=rmat-csr2", 0, 0, "is 'rmat-csr2', expected 'rmat-edges'"},
    {"format", ATTRIBUTE, "=rmat-cs", 0, 0, "is 'rmat-cs', expected"},
};

enum { LISTS = sizeof lists / sizeof *lists, CSRS = sizeof csrs / sizeof *csrs };

START_TEST(bad_item)
{
    const item *odd = _i < LISTS ? &lists[_i] : &csrs[_i - LISTS];

    make_file(_i >= LISTS, odd);
    refuses(EDGEFILE_ERR_FORMAT, odd->message);
}

/* --- what is no file of ours, or only a part of one --- */

/* Nothing, a directory, a FIFO, a link that leads nowhere. */
static void no_file(long which)
{
    ck_assert_int_eq(which == 1   ? mkdir(graph, 0755)
                     : which == 2 ? mkfifo(graph, 0644)
                     : which == 3 ? symlink("/nonexistent", graph)
                                  : 0,
                     0);
}

/* Nothing, text, noise, HDF5's signature. */
static void content(long which)
{
    static const char *const texts[] = {"", "0 1\n1 2\n2 0\n", NULL, "\211HDF\r\n\032\n"};
    uint64_t noise[4096];

    for (uint64_t i = 0; i < 4096; i++)
        noise[i] = mix(i + 77);
    spew(graph, which == 2 ? (const char *)noise : texts[which],
         which == 2 ? sizeof noise : strlen(texts[which]));
}

/* The first bytes of a file of ours; 0 or less: all but as many; 1: all and one more. */
static void cut(long bytes)
{
    struct stat st;

    write_graph(graph, plain_spec(EDGES, 8));
    ck_assert_int_eq(stat(graph, &st), 0);
    ck_assert_int_eq(truncate(graph, bytes > 1 ? bytes : st.st_size + bytes), 0);
}

static const struct {
    void (*make)(long);
    long n;
    int status;
    const char *message;
} files[] = {
    {no_file, 0, EDGEFILE_ERR_OPEN, "No such file"},
    {no_file, 1, EDGEFILE_ERR_FORMAT, "is a directory, expected an HDF5 file"},
    {no_file, 2, EDGEFILE_ERR_FORMAT, "is a FIFO, expected an HDF5 file"},
    {no_file, 3, EDGEFILE_ERR_OPEN, "No such file"},
    {content, 0, EDGEFILE_ERR_FORMAT, "is empty"},
    {content, 1, EDGEFILE_ERR_FORMAT, "is not an HDF5 file"},
    {content, 2, EDGEFILE_ERR_FORMAT, "is not an HDF5 file"},
    {content, 3, EDGEFILE_ERR_FORMAT, "opening the file: "},
    {cut, 30, EDGEFILE_ERR_FORMAT, "opening the file: "},
    {cut, 300, EDGEFILE_ERR_FORMAT, "truncated file"},
    {cut, -9000, EDGEFILE_ERR_FORMAT, "truncated file"},
    {cut, -1, EDGEFILE_ERR_FORMAT, "truncated file"},
    {cut, 1, EDGEFILE_ERR_FORMAT, " bytes, expected "},
};

START_TEST(bad_file)
{
    files[_i].make(files[_i].n);
    refuses(files[_i].status, files[_i].message);
}

/* Moves the data of the first dataset, which lies at 1 MiB, to `address`, in its object header, and
 * sets the header's checksum right. */
static void move_data(uint64_t address)
{
    const uint64_t old = (uint64_t)1 << 20;
    size_t size;
    char *bytes = slurp(graph, &size), *header, *at, *end;
    uint32_t sum;

    header = memmem(bytes + 100, 4096, "OHDR", 4); /* the first is the root group's */
    ck_assert_ptr_nonnull(header);
    at = memmem(header, 400, &old, sizeof old);
    ck_assert_ptr_nonnull(at);
    for (end = at + 8; end < header + 600; end++) {
        sum = H5_checksum_metadata(header, (size_t)(end - header), 0);
        if (memcmp(end, &sum, sizeof sum) == 0)
            break;
    }
    ck_assert_msg(end < header + 600, "no checksum found");
    memcpy(at, &address, sizeof address);
    sum = H5_checksum_metadata(header, (size_t)(end - header), 0);
    memcpy(end, &sum, sizeof sum);
    spew(graph, bytes, size);
    free(bytes);
}

/* Beyond the end of the file, and across it: the other arrays begin at 3 MiB. */
static const struct {
    int is_csr;
    uint64_t address;
    const char *message;
} moves[] = {
    {0, (uint64_t)1 << 40, "inside dataset 'src' (1600000 bytes at 1099511627776)" PAST_THE_END},
    {0, (uint64_t)4 << 20, "the file ends at byte " PAST_THE_END},
    {1, (uint64_t)1 << 40,
     "inside dataset 'pointers_to_1' (1600008 bytes at 1099511627776)" PAST_THE_END},
    {1, (uint64_t)4 << 20, "the file ends at byte " PAST_THE_END},
};

START_TEST(moved)
{
    write_graph(graph, moves[_i].is_csr ? csr_spec(200000, 200000, 8) : plain_spec(200000, 8));
    move_data(moves[_i].address);
    refuses(EDGEFILE_ERR_FORMAT, moves[_i].message);
}

/* --- sound --- */

/* The control: the files in which bad_item() changes one item, as h5py writes by default, too. */
START_TEST(foreign_but_sound)
{
    const graphfile_spec spec = _i / 2 ? csr_spec(ROWS, EDGES, 4) : plain_spec(EDGES, 4);
    edgefile_reader *r;
    uint64_t pointers[ROWS + 1];
    uint32_t dst[EDGES];

    start(_i / 2, "", _i % 2 ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18);
    ck_assert_int_ge(H5Fclose(file), 0);
    if (_i / 2 == 0) {
        check_graph(graph, spec);
        return;
    }
    ck_ok(edgefile_open(&r, graph)); /* pointers may be any numbers */
    ck_assert_int_eq(edgefile_weight_of(r), EDGEFILE_NO_WEIGHT);
    ck_assert_int_eq(edgefile_id_bytes(r), 4);
    ck_ok(edgefile_read_pointers(r, 0, ROWS + 1, pointers));
    ck_ok(edgefile_read(r, 0, EDGES, NULL, dst, NULL));
    ck_assert_uint_eq(differences(&spec, 0, EDGES, NULL, dst, NULL), 0);
    for (uint64_t i = 0; i <= ROWS; i++)
        ck_assert_uint_eq(pointers[i], (uint32_t)mix(2 * i));
    edgefile_close(r);
}

/* --- open elsewhere --- */

/* As HDF5 locks a file that it has open for writing. */
START_TEST(open_for_writing_elsewhere)
{
    edgefile_reader *r;
    int fd;

    setenv("HDF5_USE_FILE_LOCKING", "TRUE", 1);
    write_graph(graph, plain_spec(EDGES, 4));
    fd = open(graph, O_RDWR);
    ck_assert_int_eq(flock(fd, LOCK_EX), 0);
    ck_fails(edgefile_open(&r, graph), EDGEFILE_ERR_OPEN, "opening the file: unable to lock file");
    close(fd);
    check_graph(graph, plain_spec(EDGES, 4));
}

START_TEST(bad_arguments)
{
    edgefile_reader *r;

    ck_fails(edgefile_open(NULL, graph), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(edgefile_open(&r, NULL), EDGEFILE_ERR_ARG, "NULL");
    ck_fails(edgefile_open(&r, ""), EDGEFILE_ERR_OPEN, "No such file");
    ck_fails(edgefile_read(NULL, 0, 0, NULL, NULL, NULL), EDGEFILE_ERR_ARG, "NULL");
    edgefile_close(NULL);
}

FOLDER_CASES(io_damaged, LOOP(bad_item, 0, LISTS + CSRS), LOOP(bad_file, 0, COUNT(files)),
             LOOP(moved, 0, COUNT(moves)), LOOP(foreign_but_sound, 0, 4),
             ONCE(open_for_writing_elsewhere), ONCE(bad_arguments))
