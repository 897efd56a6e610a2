/*
 * master.c - the master: the file that presents shards as one graph.
 *
 * It has the attributes of a single file, and virtual datasets that are composed of the datasets of
 * the shards.  HDF5 looks for the shards beside the master, so both may be moved together.  Where
 * HDF5 cannot open a shard it reads the fill value instead of reporting an error.  The fill value
 * has all bits set, which is not a vertex of the graph (unless it has 2^32 vertices with ids of 32
 * bits), whereas 0 would be; as a weight it is NaN or -1.
 */
#include "io/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file's name without its folder, as the source of a virtual dataset: there % must be doubled.
 */
static char *escape(const char *name)
{
    const char *slash = strrchr(name, '/'), *from = slash == NULL ? name : slash + 1;
    char *escaped = malloc(2 * strlen(from) + 1), *to = escaped;

    if (escaped == NULL) {
        return NULL;
    }
    for (; *from != '\0'; from++) {
        if (*from == '%') {
            *to++ = '%';
        }
        *to++ = *from;
    }
    *to = '\0';
    return escaped;
}

/* What a shard gives to a dataset: the first `count` of its elements, from `start` on. */
typedef struct {
    hsize_t start, count, length;
} share;

/* The pointer behind the last row of a shard is the first one of the next. */
static share share_of(const edgefile_output *w, int dataset, int shard)
{
    const edgefile_part *p = &w->parts[shard];

    if (w->schema.format == EDGEFILE_CSR && dataset == EDGEFILE_POINTERS) {
        return (share){p->first_row, p->rows + (shard == w->n_parts - 1), p->rows + 1};
    }
    if (edgefile_is_iso(&w->schema, dataset)) {
        return (share){0, shard == 0, 1};
    }
    return (share){p->start, p->edges, p->edges};
}

static int map_shard(hid_t creation, hid_t space, const char *base, const char *dataset, int shard,
                     const share *s)
{
    const hsize_t zero = 0;
    char *path = edgefile_shard_path(base, shard);
    hid_t source = H5Screate_simple(1, &s->length, NULL);
    int rc = -1;

    if (path != NULL && source >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &s->start, NULL, &s->count, NULL) >= 0 &&
        H5Sselect_hyperslab(source, H5S_SELECT_SET, &zero, NULL, &s->count, NULL) >= 0 &&
        H5Pset_virtual(creation, space, path, dataset, source) >= 0) {
        rc = 0;
    }
    H5Sclose(source);
    free(path);
    return rc;
}

/* Shards that have none are left out: HDF5 does not map empty selections. */
static int create_dataset(hid_t file, const edgefile_output *w, const char *base, int dataset)
{
    const hid_t type = edgefile_memory_type(&w->schema, dataset);
    const char *name = edgefile_dataset_name(w->schema.format, dataset);
    const uint64_t missing = UINT64_MAX;
    hsize_t length = edgefile_length(&w->schema, dataset, w->edges);
    hid_t space = H5Screate_simple(1, &length, NULL);
    hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
    hid_t id = -1;
    int rc = space < 0 || creation < 0 ? -1 : 0;

    for (int k = 0; k < w->n_parts && rc == 0; k++) {
        const share s = share_of(w, dataset, k);

        if (s.count > 0) {
            rc = map_shard(creation, space, base, name, k, &s);
        }
    }
    if (rc == 0 && H5Pset_obj_track_times(creation, 0) >= 0 && H5Sselect_all(space) >= 0 &&
        H5Pset_fill_value(creation, type, &missing) >= 0) {
        id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    }
    rc = id < 0 || H5Dclose(id) < 0 ? -1 : 0;
    H5Pclose(creation);
    H5Sclose(space);
    return rc;
}

int edgefile_master_create(const edgefile_output *w, const graphfile_spec *spec)
{
    const char *slash = strrchr(w->name, '/');
    char *base = escape(w->name),
         *folder = edgefile_shard_folder(slash == NULL ? w->name : slash + 1);
    const uint64_t shards = (uint64_t)w->n_parts;
    const edgefile_attr more[] = {{"shards", EDGEFILE_U64, 1, &shards},
                                  {"shard_folder", EDGEFILE_STRING, 1, folder}};
    hid_t access, file = -1;
    int st;

    edgefile_hdf5_begin();
    access = edgefile_hdf5_access(true, false);
    if (base == NULL || folder == NULL) {
        st = edgefile_no_memory(w->partial);
    } else if (H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V110) < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "creating the file");
    } else {
        st = edgefile_layout_start(&file, w->partial, access, spec, w->edges, more, 2);
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        if (edgefile_width(&w->schema, i) > 0 && create_dataset(file, w, base, i) < 0) {
            st = edgefile_hdf5_fail(EDGEFILE_ERR_HDF5, w->partial, "creating a dataset");
        }
    }
    st = edgefile_layout_end(file, w->partial, st);
    H5Pclose(access);
    edgefile_hdf5_end();
    free(base);
    free(folder);
    return st;
}
