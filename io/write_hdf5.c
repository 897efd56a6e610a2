/*
 * write_hdf5.c - edges through H5Dwrite, one thread at a time.
 */
#include "io/edgefile_impl.h"

static int open_hdf5(edgefile_writer *w)
{
    hid_t access;
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(1);
    w->h5_file = H5Fopen(w->partial, H5F_ACC_RDWR, access);
    H5Pclose(access);
    if (w->h5_file < 0)
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "opening the file");
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        w->h5_dataset[i] = H5Dopen2(w->h5_file, edgefile_dataset_name[i], H5P_DEFAULT);
        if (w->h5_dataset[i] < 0)
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "opening a dataset");
    }
    edgefile_hdf5_end();
    return st;
}

static herr_t write_part(hid_t dataset, hid_t type, hsize_t first, hsize_t count, const void *data)
{
    hid_t memory = H5Screate_simple(1, &count, NULL);
    hid_t file = H5Dget_space(dataset);
    herr_t rc = -1;

    if (memory >= 0 && file >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0)
        rc = H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, data);
    H5Sclose(file);
    H5Sclose(memory);
    return rc;
}

static int write_hdf5(edgefile_writer *w, int dataset, uint64_t first, uint64_t count,
                      const void *data)
{
    hid_t type = w->id_bytes == 4 ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64;
    uint64_t most = EDGEFILE_MAX_CALL / (uint64_t)w->id_bytes;
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    for (uint64_t done = 0; done < count && st == EDGEFILE_OK; done += most) {
        uint64_t part = count - done < most ? count - done : most;
        const char *from = (const char *)data + done * (uint64_t)w->id_bytes;
        if (write_part(w->h5_dataset[dataset], type, first + done, part, from) < 0)
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "writing edges");
    }
    edgefile_hdf5_end();
    return st;
}

static int close_hdf5(edgefile_writer *w)
{
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (w->h5_dataset[i] >= 0 && H5Dclose(w->h5_dataset[i]) < 0)
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "closing a dataset");
        w->h5_dataset[i] = -1;
    }
    if (w->h5_file >= 0 && H5Fclose(w->h5_file) < 0 && st == EDGEFILE_OK)
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "closing the file");
    w->h5_file = -1;
    edgefile_hdf5_end();
    return st;
}

const edgefile_write_ops edgefile_hdf5_ops = {open_hdf5, write_hdf5, close_hdf5};
