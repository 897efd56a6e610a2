/*
 * HDF5 of other makers.  Made-up bytes rarely are an HDF5 file, and finding faults in HDF5 is not
 * the purpose: the input says what kind of datasets a file has, and HDF5 makes it.
 *
 * A byte for the size of a piece, one for the format, one for attributes, then four for each of
 * three datasets: type, storage, length, start; the rest is the text of the attribute `binsparse`.
 */
#include "tests/fuzz/fuzz_reader.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 3, SET = 4, SETS = 3, MOST = 64 };

static hid_t type_of(unsigned which)
{
    switch (which % 12) {
    case 0:
        return H5T_STD_U32LE;
    case 1:
        return H5T_STD_I64LE;
    case 2:
        return H5T_STD_I32BE;
    case 3:
        return H5T_STD_U8LE;
    case 4:
        return H5T_STD_U64BE;
    case 5:
        return H5T_STD_I16LE;
    case 6:
        return H5T_IEEE_F32LE;
    case 7:
        return H5T_IEEE_F64BE;
    case 8:
        return H5T_C_S1;
    case 9:
        return H5T_STD_REF_OBJ;
    default:
        return H5T_STD_U64LE;
    }
}

/* Contiguous, compact, or in chunks, perhaps compressed. */
static hid_t storage_of(unsigned which)
{
    const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk = 1 + which / 4;

    if (which % 4 == 1) {
        H5Pset_layout(creation, H5D_COMPACT);
    } else if (which % 4 > 1) {
        H5Pset_chunk(creation, 1, &chunk);
        if (which % 4 == 3) {
            H5Pset_shuffle(creation);
            H5Pset_deflate(creation, 1);
        }
    }
    return creation;
}

/* start, start + step, ...: pointers and ids, in order or not. */
static void put_dataset(hid_t file, const char *name, const uint8_t *about)
{
    const hsize_t length[2] = {about[2] % MOST, 1};
    const int rank = about[2] / MOST == 3 ? 2 : 1;
    const hid_t space = H5Screate_simple(rank, length, NULL);
    const hid_t creation = storage_of(rank == 1 ? about[1] : 0), type = type_of(about[0]);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    int64_t values[MOST];

    for (int i = 0; i < MOST; i++) {
        values[i] = (int8_t)about[3] / 16 + i * ((about[3] % 16) - 4);
    }
    if (dataset >= 0 && (H5Tget_class(type) == H5T_INTEGER || H5Tget_class(type) == H5T_FLOAT)) {
        H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    if (dataset >= 0) {
        H5Dclose(dataset);
    }
    H5Pclose(creation);
    H5Sclose(space);
}

static void put_text(hid_t file, const char *name, const void *text, size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    char *copy = calloc(size + 1, 1);
    hid_t attribute;

    memcpy(copy, text, size);
    H5Tset_size(type, size + 1);
    attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute >= 0) {
        H5Awrite(attribute, type, copy);
        H5Aclose(attribute);
    }
    free(copy);
    H5Sclose(space);
    H5Tclose(type);
}

static void put_number(hid_t file, const char *name, uint64_t value)
{
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(file, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(attribute, H5T_NATIVE_UINT64, &value);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_attributes(hid_t file, const uint8_t *data, size_t size)
{
    const unsigned which = data[2];

    if (which & 1) {
        put_text(file, "format", which & 2 ? "rmat-csr" : "rmat-edges", which & 2 ? 8 : 10);
        put_number(file, "format_version", 1);
        put_number(file, "complete", !(which & 4));
        put_number(file, "edges", data[HEAD + SET + 2] % MOST);
        put_number(file, "num_rows", which & 2 ? data[HEAD + 2] % MOST - 1U : which / 8);
        put_number(file, "num_cols", which / 8);
    }
    if (size > HEAD + SETS * SET) {
        put_text(file, "binsparse", data + HEAD + SETS * SET, size - HEAD - SETS * SET);
    }
}

static void make(const char *path, const uint8_t *data, size_t size)
{
    static const char *const names[][SETS] = {{"src", "dst", "weight"},
                                              {"lhs", "rhs", "weight"},
                                              {"indices_0", "indices_1", "values"},
                                              {"pointers_to_1", "indices_1", "values"}};
    const char *const *name = names[data[1] / 4 % 4];
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file;

    if (data[1] & 64) {
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
    }
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    for (int i = 0; i < (data[1] & 128 ? 2 : SETS); i++) {
        put_dataset(file, name[i], data + HEAD + (size_t)i * SET);
    }
    put_attributes(file, data, size);
    H5Fclose(file);
    H5Pclose(access);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const graphfile_format formats[] = {GRAPHFILE_H5, GRAPHFILE_PBG, GRAPHFILE_BINSPARSE,
                                               GRAPHFILE_H5};
    char path[64];
    uint8_t *bytes;
    struct stat st;
    int fd;

    if (size < HEAD + SETS * SET) {
        return 0;
    }
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    snprintf(path, sizeof path, "/dev/shm/rmat-fuzz-%d.h5", (int)getpid());
    make(path, data, size);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        abort();
    }
    bytes = malloc((size_t)st.st_size);
    if (read(fd, bytes, (size_t)st.st_size) != st.st_size) {
        abort();
    }
    fuzz_reader(bytes, (size_t)st.st_size, formats[data[1] % 4], 1 + data[0], NULL);
    free(bytes);
    close(fd);
    unlink(path);
    return 0;
}
