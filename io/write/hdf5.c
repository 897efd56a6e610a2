/* hdf5.c - the write path through H5Dwrite(), one thread at a time. */
#include "io/output.h"

int edgefile_hdf5_open(const edgefile_output *w, edgefile_part *p, hid_t access)
{
    p->h5_file = H5Fopen(p->path, H5F_ACC_RDWR, access);
    if (p->h5_file < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "opening the file");
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (edgefile_width(&w->schema, i) == 0) {
            continue;
        }
        p->h5_dataset[i] =
            H5Dopen2(p->h5_file, edgefile_dataset_name(w->schema.format, i), H5P_DEFAULT);
        if (p->h5_dataset[i] < 0) {
            return edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "opening a dataset");
        }
    }
    return EDGEFILE_OK;
}

static herr_t put_elements(hid_t dataset, hid_t type, hsize_t first, hsize_t count, hid_t transfer,
                           const void *data)
{
    hid_t memory = H5Screate_simple(1, &count, NULL);
    hid_t file = H5Dget_space(dataset);
    herr_t rc = -1;

    if (memory >= 0 && file >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0) {
        rc = H5Dwrite(dataset, type, memory, file, transfer, data);
    }
    H5Sclose(file);
    H5Sclose(memory);
    return rc;
}

int edgefile_hdf5_close(edgefile_part *p)
{
    int st = EDGEFILE_OK;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (p->h5_dataset[i] >= 0 && H5Dclose(p->h5_dataset[i]) < 0) {
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "closing a dataset");
        }
        p->h5_dataset[i] = -1;
    }
    if (p->h5_file >= 0 && H5Fclose(p->h5_file) < 0 && st == EDGEFILE_OK) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "closing the file");
    }
    p->h5_file = -1;
    return st;
}

static int open_hdf5(edgefile_output *w, edgefile_part *p)
{
    hid_t access;
    int st;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(true, false);
    st = edgefile_hdf5_open(w, p, access);
    H5Pclose(access);
    edgefile_hdf5_end();
    return st;
}

int edgefile_hdf5_write(edgefile_output *w, edgefile_part *p, uint64_t first, uint64_t count,
                        const void *const data[EDGEFILE_N_DATASETS], hid_t transfer)
{
    const uint64_t most = EDGEFILE_MAX_CALL / sizeof(uint64_t);
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        hid_t type = edgefile_memory_type(&w->schema, i);
        uint64_t width = (uint64_t)edgefile_width(&w->schema, i);
        for (uint64_t done = 0; data[i] != NULL && done < count && st == EDGEFILE_OK;
             done += most) {
            uint64_t part = count - done < most ? count - done : most;
            if (put_elements(p->h5_dataset[i], type, first + done, part, transfer,
                             (const char *)data[i] + done * width) < 0) {
                st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, p->path, "writing edges");
            }
        }
    }
    edgefile_hdf5_end();
    return st;
}

static int write_hdf5(edgefile_output *w, edgefile_part *p, uint64_t first, uint64_t count,
                      const void *const data[EDGEFILE_N_DATASETS])
{
    return edgefile_hdf5_write(w, p, first, count, data, H5P_DEFAULT);
}

static int close_hdf5(edgefile_output *w, edgefile_part *p)
{
    int st;

    (void)w;
    edgefile_hdf5_begin();
    st = edgefile_hdf5_close(p);
    edgefile_hdf5_end();
    return st;
}

const edgefile_write_ops edgefile_hdf5_ops = {
    .open = open_hdf5, .write = write_hdf5, .close = close_hdf5};
