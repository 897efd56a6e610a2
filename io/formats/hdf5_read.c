/*
 * hdf5_read.c - reads graphs from HDF5 files of any maker: 1-D datasets of integers, and perhaps of
 * weights, however they are stored: in chunks, compressed, in any order of bytes.
 *
 * The data passes through the HDF5 library, a piece at a time, behind the lock that all calls of
 * HDF5 share.  Pieces are whole chunks if these are not too large, and a chunk stays in memory
 * until the next one is needed, so that a pass over the file decompresses each once.
 */
#include "io/formats/reader.h"
#include "io/hdf5_layout.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The datasets that hold the edges: src, dst and weight of a list; of compressed sparse rows the
 * pointers, the columns and the values. */
enum { HDF5_SRC, HDF5_DST, HDF5_WEIGHT, HDF5_COLUMNS };

typedef struct {
    char name[HDF5_COLUMNS][GRAPHFILE_COLUMN_NAME]; /* of the weight "": there is none */
    bool is_csr;                                    /* compressed sparse rows, not a list */
    bool one_weight;   /* the dataset of weights has one element, which stands for all edges */
    uint64_t shape[2]; /* numbers of rows and columns; 0: the file does not say */
    uint64_t edges;    /* UINT64_MAX: likewise */
} hdf5_layout;

/*
 * Which datasets of an HDF5 file hold a graph.
 *
 * The names that the caller chose; else those of rmat's own files, whoever rewrote these since
 * (h5repack, h5py); else PyTorch-BigGraph's; else what the attribute `binsparse` describes; else
 * the names src, dst and weight.
 *
 * Binsparse 0.1 describes a matrix in JSON: its format, COO or CSR, its shape, and whether one
 * value stands for all.  The keys lie inside of an object "binsparse", or beside it.
 */

enum { JSON_BYTES = 1 << 16 };

static void set_names(hdf5_layout *l, const char *src, const char *dst, const char *weight)
{
    const char *const names[] = {src, dst, weight};

    for (int i = 0; i < HDF5_COLUMNS; i++) {
        snprintf(l->name[i], sizeof l->name[i], "%s", names[i]);
    }
}

static bool has(hid_t file, const char *name)
{
    return H5Lexists(file, name, H5P_DEFAULT) > 0;
}

/* Of rmat's own files: the attributes must agree with the datasets, as in any of these. */
static int find_ours(const graphfile_reader *r, hid_t file, const char *format, hdf5_layout *l)
{
    uint64_t version, complete;

    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "format_version", &version));
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "complete", &complete));
    if (version != EDGEFILE_FORMAT_VERSION || complete != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: is not complete, or of another version of the format", r->name);
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "edges", &l->edges));
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "num_rows", &l->shape[0]));
    EDGEFILE_TRY(edgefile_attr_read_u64(file, r->name, "num_cols", &l->shape[1]));
    if (l->shape[0] > GRAPHFILE_HIGHEST + 1 || l->shape[1] > GRAPHFILE_HIGHEST + 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: num_rows is %" PRIu64 " and num_cols is %" PRIu64
                             ", expected up to 2^62",
                             r->name, l->shape[0], l->shape[1]);
    }
    if (strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0) {
        set_names(l, "pointers_to_1", "indices_1", "values");
        l->is_csr = true;
    } else {
        set_names(l, "src", "dst", has(file, "weight") ? "weight" : "");
    }
    return EDGEFILE_OK;
}

static int bad_description(const graphfile_reader *r, const char *what)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'binsparse': %s", r->name, what);
}

static bool get_text(json_object *from, const char *key, const char **text)
{
    json_object *value;

    if (!json_object_object_get_ex(from, key, &value) ||
        !json_object_is_type(value, json_type_string)) {
        return false;
    }
    *text = json_object_get_string(value);
    return true;
}

/* A number of vertices. */
static bool get_size(json_object *from, size_t i, uint64_t *size)
{
    json_object *value = json_object_array_get_idx(from, i);
    const int64_t n = json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;

    *size = (uint64_t)n;
    return n >= 0 && *size <= GRAPHFILE_HIGHEST + 1;
}

static int parse_description(const graphfile_reader *r, json_object *all, hdf5_layout *l)
{
    const char *format = "", *values = "", *structure = "general";
    json_object *keys = all, *shape, *types;

    if (json_object_object_get_ex(all, "binsparse", &keys)) {
        keys = json_object_is_type(keys, json_type_object) ? keys : all;
    } else {
        keys = all;
    }
    (void)get_text(keys, "format", &format);
    (void)get_text(keys, "structure", &structure);
    if (strcmp(format, "COO") == 0 || strcmp(format, "COOR") == 0) {
        set_names(l, "indices_0", "indices_1", "values");
    } else if (strcmp(format, "CSR") == 0) {
        set_names(l, "pointers_to_1", "indices_1", "values");
        l->is_csr = true;
    } else {
        return bad_description(r, "unknown format, expected COO, COOR or CSR");
    }
    if (strcmp(structure, "general") != 0) {
        return bad_description(r, "only part of the entries is stored, expected all of them");
    }
    if (!json_object_object_get_ex(keys, "shape", &shape) ||
        !json_object_is_type(shape, json_type_array) || json_object_array_length(shape) != 2 ||
        !get_size(shape, 0, &l->shape[0]) || !get_size(shape, 1, &l->shape[1])) {
        return bad_description(r, "no 'shape' of two numbers up to 2^62");
    }
    if (json_object_object_get_ex(keys, "data_types", &types) &&
        json_object_is_type(types, json_type_object)) {
        (void)get_text(types, "values", &values);
    }
    l->one_weight = strncmp(values, "iso[", 4) == 0;
    return EDGEFILE_OK;
}

static int find_binsparse(const graphfile_reader *r, hid_t file, hdf5_layout *l)
{
    static char text[JSON_BYTES]; /* the lock of edgefile_hdf5_begin() guards it */
    json_object *all;
    int st;

    EDGEFILE_TRY(edgefile_attr_read_string(file, r->name, "binsparse", text, sizeof text));
    all = json_tokener_parse(text);
    st = json_object_is_type(all, json_type_object)
             ? parse_description(r, all, l)
             : bad_description(r, "is not an object in JSON");
    json_object_put(all);
    return st;
}

/* Which the datasets are, by the reader's format and the attributes of the file. */
static int graphfile_hdf5_layout(const graphfile_reader *r, hid_t file, hdf5_layout *l)
{
    const bool any = r->about == graphfile_descriptors[GRAPHFILE_H5];
    char format[sizeof EDGEFILE_FORMAT_NAME + 1] = "";
    int n;

    *l = (hdf5_layout){.edges = UINT64_MAX};
    if (r->datasets != NULL) {
        n = graphfile_split_columns(l->name, r->datasets);
        l->name[HDF5_WEIGHT][0] = n == HDF5_COLUMNS ? l->name[HDF5_WEIGHT][0] : '\0';
        return EDGEFILE_OK;
    }
    if (any &&
        edgefile_attr_read_string(file, r->name, "format", format, sizeof format) == EDGEFILE_OK &&
        (strcmp(format, EDGEFILE_FORMAT_NAME) == 0 ||
         strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0)) {
        return find_ours(r, file, format, l);
    }
    if (r->about == graphfile_descriptors[GRAPHFILE_PBG] ||
        (any && has(file, "lhs") && has(file, "rhs") && !has(file, "src"))) {
        set_names(l, "lhs", "rhs", has(file, "weight") ? "weight" : "");
        return EDGEFILE_OK;
    }
    if (r->about == graphfile_descriptors[GRAPHFILE_BINSPARSE] ||
        (any && H5Aexists(file, "binsparse") > 0)) {
        return find_binsparse(r, file, l);
    }
    set_names(l, "src", "dst", has(file, "weight") ? "weight" : "");
    return EDGEFILE_OK;
}

/* An open file: the state of its reader. */
typedef struct {
    hdf5_layout layout;
    hid_t file, dataset[HDF5_COLUMNS]; /* -1: not open */
    bool is_signed[HDF5_COLUMNS];
    uint64_t length[HDF5_COLUMNS],
        chunk;               /* chunk: elements of one, of HDF5_DST; 0: there are none */
    double one_weight;       /* that of all edges */
    graphfile_rows pointers; /* of compressed sparse rows */
} hdf5_file;

/* Between edgefile_hdf5_begin() and edgefile_hdf5_end(), as all below that has a hid_t: reads
 * elements [first, first + count) of dataset i. */
static int graphfile_hdf5_read_range(const graphfile_reader *r, const hdf5_file *x, int i,
                                     uint64_t first, uint64_t count, hid_t type, void *to)
{
    const hsize_t start = first, length = count;
    const hid_t space = H5Dget_space(x->dataset[i]), memory = H5Screate_simple(1, &length, NULL);
    const bool right =
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &length, NULL) >= 0 &&
        H5Dread(x->dataset[i], type, memory, space, H5P_DEFAULT, to) >= 0;

    H5Sclose(memory);
    H5Sclose(space);
    return right ? EDGEFILE_OK
                 : edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, x->layout.name[i]);
}

/*
 * Opens the datasets of a graph in an HDF5 file of any maker, and checks that
 * what is to be read later can be read.
 */

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
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: has no dataset '%s'; it has %s (the option datasets names others)",
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

static int graphfile_hdf5_open(graphfile_reader *r, hdf5_file *x)
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

static hid_t integer_type(const hdf5_file *x, int i)
{
    return x->is_signed[i] ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

static int get_pointers(const graphfile_reader *r, uint64_t first, uint64_t count,
                        uint64_t *pointers)
{
    const hdf5_file *x = r->state;
    int st;

    edgefile_hdf5_begin();
    st = graphfile_hdf5_read_range(r, x, HDF5_SRC, first, count, integer_type(x, HDF5_SRC),
                                   pointers);
    edgefile_hdf5_end();
    return st;
}

static void see_shape(graphfile_reader *r, hdf5_file *x)
{
    const uint64_t *shape = x->layout.shape;

    for (int i = 0; i < 2; i++) {
        r->names[i] = x->layout.name[i];
        r->highest[i] =
            shape[i] > 0 && shape[i] <= GRAPHFILE_HIGHEST ? shape[i] - 1 : GRAPHFILE_HIGHEST;
    }
    if (shape[0] > 0 && shape[1] > 0) {
        r->rows = r->highest[0] + 1;
        r->cols = r->highest[1] + 1;
        r->told = true;
    }
}

static int open_hdf5(graphfile_reader *r)
{
    hdf5_file *x = calloc(1, sizeof *x);
    char path[64];
    int st;

    r->state = x;
    if (x == NULL) {
        return edgefile_no_memory(r->name);
    }
    x->file = -1;
    for (int i = 0; i < HDF5_COLUMNS; i++) {
        x->dataset[i] = -1;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", r->fd);
    edgefile_hdf5_begin();
    st = edgefile_foreign_open(&x->file, r->path != NULL ? r->path : path, r->fd, r->name);
    if (st == EDGEFILE_OK) {
        st = graphfile_hdf5_open(r, x);
    }
    edgefile_hdf5_end();
    if (st == EDGEFILE_OK) {
        see_shape(r, x);
    }
    if (st == EDGEFILE_OK && x->layout.is_csr) {
        x->pointers.get = get_pointers;
        x->pointers.rows = x->length[HDF5_SRC] - 1;
        st = graphfile_rows_open(r, &x->pointers);
    }
    return st == EDGEFILE_ERR_ATTR || st == EDGEFILE_ERR_HDF5 ? EDGEFILE_ERR_FORMAT : st;
}

static void close_hdf5(graphfile_reader *r)
{
    hdf5_file *x = r->state;

    if (x == NULL) {
        return;
    }
    edgefile_hdf5_begin();
    for (int i = 0; i < HDF5_COLUMNS; i++) {
        if (x->dataset[i] >= 0) {
            H5Dclose(x->dataset[i]);
        }
    }
    if (x->file >= 0) {
        H5Fclose(x->file);
    }
    edgefile_hdf5_end();
    free(x->pointers.row);
    free(x);
}

/* Weights become float32 or int32.  Integers were read as such, as a double does not hold all of
 * them either. */
static void convert_weights(const graphfile_reader *r, uint64_t count, graphfile_edges *e)
{
    const hdf5_file *x = r->state;
    const bool is_signed = x->is_signed[HDF5_WEIGHT];

    for (uint64_t i = 0; i < count; i++) {
        double weight = x->layout.one_weight ? x->one_weight : e->weight[i];

        if (!x->layout.one_weight && !r->reals) {
            uint64_t integer;

            memcpy(&integer, &e->weight[i], sizeof integer);
            weight = is_signed ? (double)(int64_t)integer : (double)integer;
            e->inexact += !graphfile_fits_float(is_signed && integer >> 63 ? -integer : integer);
        }
        e->weight[i] = weight;
    }
}

static int load_hdf5(const graphfile_reader *r, uint64_t piece, uint64_t first, uint64_t count,
                     graphfile_edges *e)
{
    const hdf5_file *x = r->state;
    int st = EDGEFILE_OK;

    edgefile_hdf5_begin();
    if (!x->layout.is_csr) {
        st = graphfile_hdf5_read_range(r, x, HDF5_SRC, first, count, integer_type(x, HDF5_SRC),
                                       e->src);
    }
    if (st == EDGEFILE_OK) {
        st = graphfile_hdf5_read_range(r, x, HDF5_DST, first, count, integer_type(x, HDF5_DST),
                                       e->dst);
    }
    if (st == EDGEFILE_OK && r->weights && !x->layout.one_weight) {
        st = graphfile_hdf5_read_range(r, x, HDF5_WEIGHT, first, count,
                                       r->reals ? H5T_NATIVE_DOUBLE : integer_type(x, HDF5_WEIGHT),
                                       e->weight);
    }
    edgefile_hdf5_end();
    if (st == EDGEFILE_OK && x->layout.is_csr) {
        st = graphfile_rows_fill(r, &x->pointers, piece, e->src);
    }
    if (st == EDGEFILE_OK && r->weights) {
        convert_weights(r, count, e);
    }
    return st;
}

static int parse_hdf5(graphfile_reader *r, uint64_t piece, graphfile_batch *b)
{
    const hdf5_file *x = r->state;

    return graphfile_parse_edges(r, piece, b, load_hdf5,
                                 x->is_signed[HDF5_SRC] || x->is_signed[HDF5_DST]);
}

const graphfile_read_ops graphfile_hdf5_read = {
    .open = open_hdf5, .parse = parse_hdf5, .close = close_hdf5, .own_pieces = true};
