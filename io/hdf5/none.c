/*
 * none.c - replaces the files that call HDF5 in a build without it: no HDF5 file can be created or
 * opened.  Functions that need an open file exist only for the linker and are never called.
 */
#include "io/hdf5.h"

static int none(const char *name)
{
    return edgefile_fail(EDGEFILE_ERR_NO_HDF5,
                         "%s: rmat was built without HDF5: install libhdf5-dev and build it again",
                         name);
}

int edgefile_no_exit_handler(void)
{
    return EDGEFILE_OK;
}

int edgefile_hdf5_version(char version[EDGEFILE_HDF5_VERSION])
{
    (void)version;
    return none("version");
}

/* Writing. */

int edgefile_layout_create(const char *path, const graphfile_spec *spec,
                           uint64_t offset[EDGEFILE_N_DATASETS])
{
    (void)spec, (void)offset;
    return none(path);
}

int edgefile_layout_complete(const char *path, const edgefile_late *late, size_t n_late)
{
    (void)late, (void)n_late;
    return none(path);
}

/* Reading. */

int edgefile_open(edgefile_reader **out, const char *name)
{
    *out = NULL;
    return none(name);
}

/* Functions of open files. */

void edgefile_close(edgefile_reader *r)
{
    (void)r;
}

int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight)
{
    (void)first, (void)count, (void)src, (void)dst, (void)weight;
    return none(r->name);
}

int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers)
{
    (void)first, (void)count, (void)pointers;
    return none(r->name);
}

int edgefile_get_u64(edgefile_reader *r, const char *name, uint64_t *value)
{
    (void)name, (void)value;
    return none(r->name);
}

int edgefile_get_f64(edgefile_reader *r, const char *name, double *value)
{
    (void)name, (void)value;
    return none(r->name);
}

int edgefile_get_string(edgefile_reader *r, const char *name, char *value, size_t size)
{
    (void)name, (void)value, (void)size;
    return none(r->name);
}

int edgefile_get_f64s(edgefile_reader *r, const char *name, double *values, uint64_t capacity,
                      uint64_t *count)
{
    (void)name, (void)values, (void)capacity, (void)count;
    return none(r->name);
}
