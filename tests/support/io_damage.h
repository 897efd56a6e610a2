/* io_damage.h - files as other programs or accidents make them, part by part. */
#ifndef TESTS_SUPPORT_IO_DAMAGE_H
#define TESTS_SUPPORT_IO_DAMAGE_H

#include "tests/support/io_util.h"

#include <hdf5.h>

#define EDGES 1000

/* What HDF5 1.14 says, before we can, of data that would reach past the end of the file. */
#define PAST_THE_END "|invalid dataset size, likely file corruption"

uint32_t H5_checksum_metadata(const void *data, size_t length, uint32_t start); /* in HDF5 */

static hid_t file; /* the one that a case is making */
static H5F_libver_t oldest = H5F_LIBVER_V18;

static inline void make_attr(const char *name, hid_t type, uint64_t count, const void *value)
{
    hsize_t n = count;
    hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &n, NULL);
    hid_t attr = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    ck_assert_int_ge(H5Awrite(attr, type, value), 0);
    H5Aclose(attr);
    H5Sclose(space);
}

static inline void make_u64(const char *name, uint64_t value)
{
    make_attr(name, H5T_NATIVE_UINT64, 1, &value);
}

static inline void make_text(const char *name, const char *value)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, strlen(value) + 1);
    make_attr(name, type, 1, value);
    H5Tclose(type);
}

/* Early allocated unless creation says otherwise; filled with made-up edges where types allow. */
static inline void make_dataset(const char *name, hid_t type, int rank, hsize_t length,
                                hid_t creation)
{
    hsize_t dims[2] = {length, 2};
    hid_t space = rank < 0    ? H5Screate(H5S_NULL)
                  : rank == 0 ? H5Screate(H5S_SCALAR)
                              : H5Screate_simple(rank, dims, NULL);
    hid_t early = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset;
    static uint64_t values[2 * EDGES];

    H5Pset_alloc_time(early, H5D_ALLOC_TIME_EARLY);
    dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT,
                         creation == H5P_DEFAULT ? early : creation, H5P_DEFAULT);
    ck_assert_int_ge(dataset, 0);
    for (uint64_t i = 0; i < EDGES; i++)
        values[i] = mix(2 * i + (name[0] == 'd')) & UINT32_MAX;
    if (creation == H5P_DEFAULT && rank == 1 && length <= EDGES)
        ck_assert_int_ge(
            H5Dwrite(dataset, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    H5Dclose(dataset);
    H5Pclose(early);
    H5Sclose(space);
}

static inline void start(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_libver_bounds(access, oldest, H5F_LIBVER_LATEST);
    file = H5Fcreate(graph, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    ck_assert_int_ge(file, 0);
    H5Pclose(access);
}

static inline void finish(void)
{
    ck_assert_int_ge(H5Fclose(file), 0);
}

/* Moves the data at `old` of the first dataset to `address`, in its object header, and sets the
 * header's checksum right. */
static inline void move_data(uint64_t old, uint64_t address)
{
    size_t size;
    char *bytes, *header, *at, *end;
    uint32_t sum;

    bytes = slurp(graph, &size);
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

#endif
