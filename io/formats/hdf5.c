/*
 * hdf5.c - HDF5 files of other programs.  As for our own files, HDF5 lays out the file, and the
 * data is then written to its places without HDF5.
 */
#include "io/formats/writer.h"
#include "io/hdf5_layout.h"

#include <sys/stat.h>
#include <unistd.h>

static hid_t type_of(graphfile_type type)
{
    switch (type) {
    case GRAPHFILE_U8:
        return H5T_NATIVE_UINT8;
    case GRAPHFILE_U32:
        return H5T_NATIVE_UINT32;
    case GRAPHFILE_U64:
        return H5T_NATIVE_UINT64;
    case GRAPHFILE_I64:
        return H5T_NATIVE_INT64;
    case GRAPHFILE_I32:
        return H5T_NATIVE_INT32;
    default:
        return H5T_NATIVE_FLOAT;
    }
}

/* Bytes of an element. */
static uint64_t width_of(graphfile_type type)
{
    return type == GRAPHFILE_U8 ? 1 : type == GRAPHFILE_U64 || type == GRAPHFILE_I64 ? 8 : 4;
}

/* A contiguous dataset whose space would be allocated by the first write, which never comes: HDF5
 * reads zeros. */
static int create_zeros(hid_t file, const graphfile_dataset *d)
{
    const hsize_t length = d->length;
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t dataset = -1;

    if (space >= 0 && creation >= 0 && H5Pset_obj_track_times(creation, 0) >= 0) {
        dataset =
            H5Dcreate2(file, d->name, type_of(d->type), space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    H5Pclose(creation);
    H5Sclose(space);
    return dataset < 0 || H5Dclose(dataset) < 0 ? -1 : 0;
}

static int create_datasets(hid_t file, const char *path, graphfile_dataset *sets, int n)
{
    int rc = 0;

    for (int i = 0; i < n && rc == 0; i++) {
        rc = sets[i].zeros ? create_zeros(file, &sets[i])
                           : edgefile_layout_dataset(file, sets[i].name, type_of(sets[i].type),
                                                     sets[i].length, &sets[i].offset);
    }
    return rc == 0 ? EDGEFILE_OK
                   : edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "creating a dataset");
}

/* Takes over the length that HDF5 gave the file. */
static int see_length(graphfile_plain *file)
{
    struct stat st;

    if (fstat(file->fd, &st) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", file->partial);
    }
    atomic_store(&file->end, (uint64_t)st.st_size);
    return EDGEFILE_OK;
}

/* May the file be that long?  HDF5 would find out only when it closes the file, and fail badly. */
static int try_length(const graphfile_plain *file, const graphfile_dataset *sets, int n)
{
    uint64_t bytes = EDGEFILE_EXTENT_MIN;

    for (int i = 0; i < n; i++) {
        bytes += EDGEFILE_EXTENT_MIN + sets[i].length * width_of(sets[i].type);
    }
    if (ftruncate(file->fd, (off_t)bytes) != 0 || ftruncate(file->fd, 0) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", file->partial);
    }
    return EDGEFILE_OK;
}

static int lay_out(const char *path, const edgefile_attr *attr, graphfile_dataset *sets, int n_sets)
{
    hid_t access, file;
    int st;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(true, false);
    H5Pset_alignment(access, EDGEFILE_EXTENT_MIN, EDGEFILE_EXTENT_MIN);
    file = edgefile_layout_file(path, access);
    st = file < 0 ? edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, path, "creating the file")
                  : edgefile_attr_write(file, path, attr);
    if (st == EDGEFILE_OK) {
        st = create_datasets(file, path, sets, n_sets);
    }
    st = edgefile_layout_end(file, path, st);
    H5Pclose(access);
    edgefile_hdf5_end();
    return st;
}

static int create(graphfile_plain *file, const edgefile_attr *attr, graphfile_dataset *sets,
                  int n_sets)
{
    EDGEFILE_TRY(try_length(file, sets, n_sets));
    EDGEFILE_TRY(lay_out(file->partial, attr, sets, n_sets));
    return see_length(file);
}

int graphfile_hdf5_create(graphfile_writer *w, const edgefile_attr *attr, graphfile_dataset *sets,
                          int n_sets)
{
    const edgefile_group *group = w->spec.group;
    int st = sets == NULL ? edgefile_no_memory(w->file.name) : EDGEFILE_OK;

    EDGEFILE_TRY(edgefile_group_agree(group, st));
    st = graphfile_is_first(w) ? create(&w->file, attr, sets, n_sets) : EDGEFILE_OK;
    EDGEFILE_TRY(edgefile_group_agree(group, st));
    for (int i = 0; i < n_sets; i++) {
        edgefile_group_broadcast(group, &sets[i].offset, sizeof sets[i].offset);
    }
    return EDGEFILE_OK;
}
