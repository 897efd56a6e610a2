/*
 * layout.c - creates the parts of a file that HDF5 writes: everything except the edges and the
 * pointers.
 *
 * The datasets are contiguous, allocated immediately and never filled, so their places in the file
 * are final.  They are aligned as hdf5/schema.c says.  Nothing here depends on the time or on the
 * write path.
 */
#include "io/hdf5.h"

/* Attributes up to this many bytes stay in the object header, which has a checksum. */
#define MAX_COMPACT_ATTRS 4096

static hid_t create_file(const char *path, hid_t access)
{
    hid_t file = -1;
    hid_t creation = H5Pcreate(H5P_FILE_CREATE);

    if (creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_attr_phase_change(creation, MAX_COMPACT_ATTRS, 0) >= 0) {
        file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    }
    H5Pclose(creation);
    return file;
}

static int create_attrs(hid_t file, const char *path, const graphfile_spec *spec)
{
    static const uint64_t version = EDGEFILE_FORMAT_VERSION, zero = 0;
    const bool is_csr = spec->format == GRAPHFILE_CSR;
    const edgefile_attr before[] = {
        {"format", EDGEFILE_STRING, 1, is_csr ? EDGEFILE_FORMAT_NAME_CSR : EDGEFILE_FORMAT_NAME},
        {"format_version", EDGEFILE_U64, 1, &version},
        {"edges", EDGEFILE_U64, 1, &spec->graph.edges},
        {"rows", EDGEFILE_U64, 1, &spec->graph.rows},
    };
    const size_t n_before = sizeof before / sizeof *before - (is_csr ? 0 : 1);
    const edgefile_attr after[] = {
        {"fingerprint", EDGEFILE_U64, 1, &zero},
        {"complete", EDGEFILE_U64, 1, &zero},
    };

    EDGEFILE_TRY(edgefile_attrs_write(file, path, before, n_before));
    EDGEFILE_TRY(edgefile_attrs_write(file, path, spec->attrs, spec->n_attrs));
    return edgefile_attrs_write(file, path, after, sizeof after / sizeof *after);
}

/* Closes the file and returns the earlier error, if any. */
static int end_file(hid_t file, const char *path, int st)
{
    if (file >= 0 && H5Fclose(file) < 0 && st == EDGEFILE_OK) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "closing the file");
    }
    return st;
}

/* The type of a dataset's elements, in the file and in memory. */
static hid_t element_type(const graphfile_spec *s, int dataset)
{
    if (dataset == EDGEFILE_WEIGHT) {
        return s->graph.weight == EDGEFILE_WEIGHT_F32   ? H5T_NATIVE_FLOAT
               : s->graph.weight == EDGEFILE_WEIGHT_I32 ? H5T_NATIVE_INT32
                                                        : H5T_NATIVE_UINT8;
    }
    if (edgefile_width(s, dataset) == 4) {
        return s->graph.signed_ids ? H5T_NATIVE_INT32 : H5T_NATIVE_UINT32;
    }
    return s->graph.signed_ids ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

static hid_t create_dataset(hid_t file, const char *name, hid_t type, hsize_t length)
{
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = -1;

    if (space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0 &&
        H5Pset_layout(creation, H5D_CONTIGUOUS) >= 0 &&
        H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY) >= 0 &&
        H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER) >= 0) {
        dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    H5Pclose(creation);
    H5Sclose(space);
    return dataset;
}

/* Sets *offset to the place of a dataset that it creates; 0 if it has no elements.  -1 on error. */
static int create_one(hid_t file, const graphfile_spec *s, int i, uint64_t *offset)
{
    static const uint8_t one = 1;
    const uint64_t length = edgefile_length(s, i);
    const hid_t dataset =
        create_dataset(file, edgefile_dataset_name(s, i), element_type(s, i), length);
    haddr_t address;
    bool done;

    if (dataset < 0) {
        return -1;
    }
    address = H5Dget_offset(dataset);
    *offset = length == 0 ? 0 : address;
    done = length == 0 || address != HADDR_UNDEF;
    if (edgefile_is_iso(s, i)) {
        done &= H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &one) >= 0;
    }
    return H5Dclose(dataset) < 0 || !done ? -1 : 0;
}

int edgefile_layout_create(const char *path, const graphfile_spec *spec,
                           uint64_t offset[EDGEFILE_N_DATASETS])
{
    hid_t access, file;
    int st;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(true, false);
    H5Pset_alignment(access, EDGEFILE_EXTENT_MIN, edgefile_extent_align(spec));
    file = create_file(path, access);
    st = file < 0 ? edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "creating the file")
                  : create_attrs(file, path, spec);
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        if (edgefile_width(spec, i) > 0 && create_one(file, spec, i, &offset[i]) < 0) {
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "creating a dataset");
        }
    }
    st = end_file(file, path, st);
    H5Pclose(access);
    edgefile_hdf5_end();
    return st;
}

static int set_u64(hid_t file, const char *name, uint64_t value)
{
    hid_t attr = H5Aopen(file, name, H5P_DEFAULT);
    int rc = -1;

    if (attr >= 0 && H5Awrite(attr, H5T_NATIVE_UINT64, &value) >= 0) {
        rc = 0;
    }
    return attr >= 0 && H5Aclose(attr) < 0 ? -1 : rc;
}

int edgefile_layout_complete(const char *path, const edgefile_late *late, size_t n_late)
{
    hid_t access, file;
    int st = EDGEFILE_OK, rc = 0;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(true, false);
    file = H5Fopen(path, H5F_ACC_RDWR, access);
    for (size_t i = 0; file >= 0 && i < n_late && rc == 0; i++) {
        rc = set_u64(file, late[i].name, late[i].value);
    }
    if (file < 0 || rc < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "marking the file complete");
    }
    st = end_file(file, path, st);
    H5Pclose(access);
    edgefile_hdf5_end();
    return st;
}
