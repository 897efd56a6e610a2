/*
 * hdf5_datasets.c - opens the datasets of a graph in an HDF5 file of any maker, and checks that
 * what is to be read later can be read.
 */
#include "io/formats/hdf5_read.h"
#include "io/private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_CHUNK = 1 << 22, CACHE_SLOTS = 521, NAMES = 200 };

/* The names in the root group, as far as there is room. */
static void list_names(hid_t file, char text[NAMES])
{
    H5G_info_t info = {0};
    size_t used = 0;
    char name[GRAPHFILE_COLUMN_NAME];

    text[0] = '\0';
    H5Gget_info(file, &info);
    for (hsize_t i = 0; i < info.nlinks && used < NAMES; i++) {
        if (H5Lget_name_by_idx(file, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) > 0) {
            used += (size_t)snprintf(text + used, NAMES - used, "%s%s", used > 0 ? ", " : "", name);
        }
    }
}

static int no_dataset(const graphfile_reader *r, hid_t file, const char *name)
{
    char list[NAMES], names[NAMES];

    list_names(file, list);
    graphfile_printable(names, sizeof names, list, strlen(list));
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has no dataset '%s'; it has %s (see --datasets)",
                         r->name, name, *names != '\0' ? names : "nothing");
}

/* Ids are integers, weights integers or floats, of at most 8 bytes. */
static int check_type(graphfile_reader *r, hdf5_file *x, int i, hid_t dataset)
{
    const hid_t type = H5Dget_type(dataset);
    const H5T_class_t kind = H5Tget_class(type);
    const size_t bytes = H5Tget_size(type);

    x->is_signed[i] = kind == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
    H5Tclose(type);
    if (bytes > 8 || (kind != H5T_INTEGER && (kind != H5T_FLOAT || i != HDF5_WEIGHT))) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds %s of %zu bytes, expected integers%s of up to "
                             "8",
                             r->name, x->layout.name[i],
                             kind == H5T_FLOAT     ? "floats"
                             : kind == H5T_INTEGER ? "integers"
                                                   : "items",
                             bytes, i == HDF5_WEIGHT ? " or floats" : "");
    }
    if (i == HDF5_WEIGHT) {
        r->reals = kind == H5T_FLOAT;
    } else if (!x->is_signed[i] && bytes == 8 && !(i == HDF5_SRC && x->layout.is_csr)) {
        r->least_id_bytes = 8;
    }
    return EDGEFILE_OK;
}

static int elsewhere(const graphfile_reader *r, const char *name)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: dataset '%s' lies in other files, expected it inside this one",
                         r->name, name);
}

/* HDF5's own message speaks of folders. */
static int check_filters(const graphfile_reader *r, const char *name, hid_t creation)
{
    const int n = H5Pget_nfilters(creation);

    for (int i = 0; i < n; i++) {
        char filter[32] = "";
        unsigned flags, config;
        size_t values = 0;
        const H5Z_filter_t id = H5Pget_filter2(creation, (unsigned)i, &flags, &values, NULL,
                                               sizeof filter, filter, &config);

        if (id < 0 || H5Zfilter_avail(id) <= 0) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: dataset '%s' is compressed by the filter '%.31s' (%d), which "
                                 "this HDF5 library "
                                 "lacks",
                                 r->name, name, filter, (int)id);
        }
    }
    return EDGEFILE_OK;
}

/* HDF5 writes no such chunks, but reads for ever where damaged metadata declares them. */
static int check_chunk(const graphfile_reader *r, const char *name, hid_t dataset, hid_t creation,
                       hsize_t *chunk)
{
    const hid_t type = H5Dget_type(dataset);
    const hsize_t most = UINT32_MAX / (H5Tget_size(type) > 0 ? H5Tget_size(type) : 1);
    const int rank = H5Pget_chunk(creation, 1, chunk);

    H5Tclose(type);
    return rank == 1 && *chunk > 0 && *chunk <= most
               ? EDGEFILE_OK
               : edgefile_fail(
                     EDGEFILE_ERR_FORMAT,
                     "%s: the chunks of dataset '%s' are not 1-D or have more than %" PRIu64
                     " elements",
                     r->name, name, (uint64_t)most);
}

/* Data that lies in other files may be missing, and HDF5 would read zeros. */
static int check_storage(const graphfile_reader *r, hdf5_file *x, int i, hid_t dataset)
{
    const hid_t creation = H5Dget_create_plist(dataset);
    const H5D_layout_t layout = H5Pget_layout(creation);
    const bool inside = layout != H5D_VIRTUAL && H5Pget_external_count(creation) <= 0;
    const hid_t space = inside ? H5Dget_space(dataset) : -1; /* for which HDF5 may open others */
    const int rank = H5Sget_simple_extent_ndims(space);
    hsize_t length = 0, chunk = 0;
    int st = EDGEFILE_OK;

    if (!inside) {
        st = elsewhere(r, x->layout.name[i]);
    } else if (rank != 1) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %d-D, expected 1-D", r->name,
                           x->layout.name[i], rank);
    } else {
        H5Sget_simple_extent_dims(space, &length, NULL);
        if (layout == H5D_CHUNKED) {
            st = check_chunk(r, x->layout.name[i], dataset, creation, &chunk);
            st = st == EDGEFILE_OK ? check_filters(r, x->layout.name[i], creation) : st;
        }
    }
    x->length[i] = length;
    x->chunk = i == HDF5_DST ? chunk : x->chunk;
    H5Pclose(creation);
    H5Sclose(space);
    return st;
}

/* Opens it again with room for a chunk, which HDF5 wants to know beforehand. */
static hid_t open_cached(hid_t file, const char *name, hid_t dataset)
{
    bool elsewhere;
    const hid_t creation = H5Dget_create_plist(dataset), access = edgefile_hdf5_inside(&elsewhere);
    const hid_t type = H5Dget_type(dataset);
    const size_t least = 1 << 20;
    hsize_t chunk = 0;

    if (H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, 1, &chunk) == 1) {
        const size_t bytes = (size_t)chunk * H5Tget_size(type);

        H5Pset_chunk_cache(access, CACHE_SLOTS, bytes > least ? bytes : least, 1.0);
    }
    H5Tclose(type);
    H5Pclose(creation);
    H5Dclose(dataset);
    dataset = H5Dopen2(file, name, access);
    H5Pclose(access);
    return dataset;
}

static int open_dataset(graphfile_reader *r, hdf5_file *x, int i)
{
    const char *name = x->layout.name[i];
    bool is_elsewhere;
    const hid_t dataset = edgefile_hdf5_dataset(x->file, name, &is_elsewhere);

    x->dataset[i] = dataset;
    if (is_elsewhere) {
        return elsewhere(r, name);
    }
    if (dataset < 0) {
        return no_dataset(r, x->file, name);
    }
    EDGEFILE_TRY(check_type(r, x, i, dataset));
    EDGEFILE_TRY(check_storage(r, x, i, dataset));
    x->dataset[i] = open_cached(x->file, name, dataset);
    return x->dataset[i] >= 0 ? EDGEFILE_OK
                              : edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
}

static int check_length(const graphfile_reader *r, const hdf5_file *x, int i, uint64_t expected)
{
    return x->length[i] == expected
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: dataset '%s' has %" PRIu64 " elements, expected %" PRIu64,
                               r->name, x->layout.name[i], x->length[i], expected);
}

/* The weights of a graph: an element for each edge, or one for all; 1 for all is none. */
static int open_weights(graphfile_reader *r, hdf5_file *x, uint64_t edges)
{
    const char *name = x->layout.name[HDF5_WEIGHT];

    if (*name == '\0') {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(open_dataset(r, x, HDF5_WEIGHT));
    if (x->layout.is_csr && x->layout.edges != UINT64_MAX && x->length[HDF5_WEIGHT] == 1 &&
        !x->is_signed[HDF5_WEIGHT] && !r->reals) {
        x->layout.one_weight = true; /* a uint8 in a CSR file of rmat */
    }
    EDGEFILE_TRY(check_length(r, x, HDF5_WEIGHT, x->layout.one_weight ? 1 : edges));
    if (x->layout.one_weight) {
        EDGEFILE_TRY(
            graphfile_hdf5_read_range(r, x, HDF5_WEIGHT, 0, 1, H5T_NATIVE_DOUBLE, &x->one_weight));
    }
    r->weights = !x->layout.one_weight || x->one_weight != 1;
    return EDGEFILE_OK;
}

int graphfile_hdf5_open(graphfile_reader *r, hdf5_file *x)
{
    uint64_t edges;

    EDGEFILE_TRY(graphfile_hdf5_layout(r, x->file, &x->layout));
    EDGEFILE_TRY(open_dataset(r, x, HDF5_SRC));
    EDGEFILE_TRY(open_dataset(r, x, HDF5_DST));
    edges = x->length[HDF5_DST];
    if (x->layout.edges != UINT64_MAX) {
        EDGEFILE_TRY(check_length(r, x, HDF5_DST, x->layout.edges));
    }
    if (!x->layout.is_csr) {
        EDGEFILE_TRY(check_length(r, x, HDF5_SRC, edges));
    } else { /* layouts have at most 2^62 rows, so the sum is never 0 */
        EDGEFILE_TRY(check_length(r, x, HDF5_SRC, x->layout.shape[0] + 1));
    }
    EDGEFILE_TRY(open_weights(r, x, edges));
    r->whole_pieces = true;
    graphfile_cut_edges(r, edges, 8, x->chunk > 0 && x->chunk <= LARGEST_CHUNK ? x->chunk : 1);
    return EDGEFILE_OK;
}
