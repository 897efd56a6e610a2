/*
 * hdf5_layout.c - what HDF5 writes of an edge file: everything but the edges.
 *
 * Both datasets are contiguous, allocated at once and never filled, so their extents stay where
 * they are from here on.  They are aligned as edgefile_range.c says.  Nothing here depends on
 * the time or the write path.
 */
#include "io/edgefile_impl.h"

/* Attributes stay in the checksummed object header, however many there are. */
#define MAX_COMPACT_ATTRS 4096

static hid_t create_file(const char *path, uint64_t data_bytes)
{
    hid_t file = -1;
    hid_t access = edgefile_hdf5_access(1);
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);

    if (access >= 0 && creation >= 0 &&
        H5Pset_alignment(access, EDGEFILE_EXTENT_MIN, edgefile_extent_align(data_bytes)) >= 0 &&
        H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_attr_phase_change(creation, MAX_COMPACT_ATTRS, 0) >= 0)
        file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    H5Pclose(creation);
    H5Pclose(access);
    return file;
}

static int create_attrs(hid_t file, const char *path, const edgefile_spec *spec)
{
    static const uint64_t version = EDGEFILE_FORMAT_VERSION, zero = 0;
    const edgefile_attr before[] = {
        {"format", EDGEFILE_STRING, 1, EDGEFILE_FORMAT_NAME},
        {"format_version", EDGEFILE_U64, 1, &version},
        {"edges", EDGEFILE_U64, 1, &spec->edges},
    };
    const edgefile_attr after[] = {
        {"fingerprint", EDGEFILE_U64, 1, &zero},
        {"complete", EDGEFILE_U64, 1, &zero},
    };
    int st = EDGEFILE_OK;

    for (size_t i = 0; i < sizeof before / sizeof *before && st == EDGEFILE_OK; i++)
        st = edgefile_attr_write(file, path, &before[i]);
    for (size_t i = 0; i < spec->n_attrs && st == EDGEFILE_OK; i++)
        st = edgefile_attr_write(file, path, &spec->attrs[i]);
    for (size_t i = 0; i < sizeof after / sizeof *after && st == EDGEFILE_OK; i++)
        st = edgefile_attr_write(file, path, &after[i]);
    return st;
}

/* -1 on error. */
static int create_dataset(hid_t file, const char *name, const edgefile_spec *spec, uint64_t *offset)
{
    hsize_t length = spec->edges;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = -1;
    int rc = -1;

    if (space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_layout(creation, H5D_CONTIGUOUS) >= 0 &&
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0)
        dataset =
            H5Dcreate2(file, name, spec->id_bytes == 4 ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64,
                       space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (dataset >= 0) {
        haddr_t address = H5Dget_offset(dataset);
        *offset = spec->edges == 0 ? 0 : address;
        if ((address != HADDR_UNDEF || spec->edges == 0) && H5Dclose(dataset) >= 0)
            rc = 0;
    }
    H5Pclose(creation);
    H5Sclose(space);
    return rc;
}

int edgefile_layout_create(edgefile_writer *w, const edgefile_spec *spec)
{
    hid_t file;
    int st;

    edgefile_hdf5_begin();
    file = create_file(w->partial, spec->edges * (uint64_t)spec->id_bytes);
    if (file < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "creating the file");
        goto done;
    }
    st = create_attrs(file, w->partial, spec);
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++)
        if (create_dataset(file, edgefile_dataset_name[i], spec, &w->offset[i]) < 0)
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "creating a dataset");
    if (H5Fclose(file) < 0 && st == EDGEFILE_OK)
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "closing the file");
done:
    edgefile_hdf5_end();
    return st;
}

static int set_u64(hid_t file, const char *name, uint64_t value)
{
    hid_t attr = H5Aopen(file, name, H5P_DEFAULT);
    int rc = -1;

    if (attr >= 0 && H5Awrite(attr, H5T_NATIVE_UINT64, &value) >= 0)
        rc = 0;
    return attr >= 0 && H5Aclose(attr) < 0 ? -1 : rc;
}

int edgefile_layout_complete(edgefile_writer *w, uint64_t fingerprint)
{
    hid_t access, file;
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(1);
    file = H5Fopen(w->partial, H5F_ACC_RDWR, access);
    if (file < 0 || set_u64(file, "fingerprint", fingerprint) < 0 ||
        set_u64(file, "complete", 1) < 0)
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "marking the file complete");
    if (file >= 0 && H5Fclose(file) < 0 && st == EDGEFILE_OK)
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "closing the file");
    H5Pclose(access);
    edgefile_hdf5_end();
    return st;
}
