/* read.c - reads edges and pointers. */
#include "io/files.h"
#include "io/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static herr_t read_part(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void *data)
{
    hid_t memory = H5Screate_simple(1, &count, NULL);
    hid_t file = H5Dget_space(dataset);
    herr_t rc = -1;

    if (memory >= 0 && file >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0) {
        rc = H5Dread(dataset, type, memory, file, H5P_DEFAULT, data);
    }
    H5Sclose(file);
    H5Sclose(memory);
    return rc;
}

/* Without HDF5, which only one thread may call at a time. */
static int read_plain(const edgefile_reader *r, uint64_t first, uint64_t count,
                      char *const data[EDGEFILE_N_DATASETS])
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t width = (uint64_t)edgefile_width(&r->schema, i);

        if (data[i] != NULL && edgefile_get(r->fd, r->offset[i] + first * width, count * width,
                                            data[i]) < count * width) {
            const char *why = errno != 0 ? strerror(errno) : "the file has become shorter";

            return edgefile_fail(EDGEFILE_ERR_IO, "%s: %s: %s", r->name,
                                 edgefile_dataset_name(r->schema.format, i), why);
        }
    }
    return EDGEFILE_OK;
}

/* Reads into those arrays of data that are not NULL. */
static int read_columns(edgefile_reader *r, uint64_t first, uint64_t count,
                        char *const data[EDGEFILE_N_DATASETS])
{
    const uint64_t most = EDGEFILE_MAX_CALL / sizeof(uint64_t);
    int st = EDGEFILE_OK;

    if (r->plain) {
        return read_plain(r, first, count, data);
    }
    edgefile_hdf5_begin();
    for (uint64_t done = 0; done < count && st == EDGEFILE_OK; done += most) {
        for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
            uint64_t part = count - done < most ? count - done : most;
            uint64_t width = (uint64_t)edgefile_width(&r->schema, i);
            hid_t type = edgefile_memory_type(&r->schema, i);
            if (data[i] != NULL &&
                read_part(r->dataset[i], type, first + done, part, data[i] + done * width) < 0) {
                st = edgefile_hdf5_fail(EDGEFILE_ERR_IO, r->name,
                                        edgefile_dataset_name(r->schema.format, i));
            }
        }
    }
    edgefile_hdf5_end();
    return st;
}

static int check_range(const edgefile_reader *r, const char *what, uint64_t first, uint64_t count,
                       uint64_t length)
{
    if (first > length || count > length - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE,
                             "%s: %" PRIu64 " %s at %" PRIu64 ", the file has %" PRIu64, r->name,
                             count, what, first, length);
    }
    return EDGEFILE_OK;
}

int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight)
{
    char *const data[EDGEFILE_N_DATASETS] = {src, dst, weight};

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    EDGEFILE_TRY(check_range(r, "edges", first, count, r->edges));
    if (src != NULL && r->schema.format == EDGEFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL", r->name);
    }
    if (count > 0 && ((src == NULL && r->schema.format == EDGEFILE_EDGES) || dst == NULL)) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if (weight != NULL && r->schema.weight == EDGEFILE_NO_WEIGHT) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: has no weights", r->name);
    }
    return read_columns(r, first, count, data);
}

int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers)
{
    char *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] = (char *)pointers};

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    if (r->schema.format != EDGEFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers", r->name);
    }
    EDGEFILE_TRY(check_range(r, "pointers", first, count, r->schema.rows + 1));
    if (count > 0 && pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    return read_columns(r, first, count, data);
}
