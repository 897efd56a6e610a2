/*
 * read_check.c - checks that an open HDF5 file is an edge file.
 *
 * Only files that hold their data themselves are accepted: no soft or external links, no external
 * storage, no virtual datasets (where a source is missing, HDF5 would read fill values), and no
 * chunks (which may be missing too) but those that compressed/read.c and virtual/read.c look for
 * themselves.  A master does have virtual datasets, but nothing here reads through them or even
 * opens them, because HDF5 has no checksums over their mappings.
 */
#include "io/private.h"

#include <inttypes.h>
#include <string.h>

static int check_format(edgefile_reader *r)
{
    char format[sizeof EDGEFILE_FORMAT_NAME + 1];

    EDGEFILE_TRY(edgefile_attr_read_string(r->file, r->name, "format", format, sizeof format));
    if (strcmp(format, EDGEFILE_FORMAT_NAME_CSR) == 0) {
        r->schema.format = EDGEFILE_CSR;
    } else if (strcmp(format, EDGEFILE_FORMAT_NAME) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: attribute 'format' is '%s', expected '%s' or '%s'", r->name,
                             format, EDGEFILE_FORMAT_NAME, EDGEFILE_FORMAT_NAME_CSR);
    }
    return EDGEFILE_OK;
}

static int check_attrs(edgefile_reader *r)
{
    uint64_t version, complete;
    htri_t is_virtual;

    EDGEFILE_TRY(check_format(r));
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "format_version", &version));
    if (version == 0 || version > EDGEFILE_FORMAT_VERSION) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: format version %" PRIu64
                             " is not known here, the newest known is %d",
                             r->name, version, EDGEFILE_FORMAT_VERSION);
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "complete", &complete));
    if (complete != 1) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT,
            "%s: is not complete: it is still being written, or its writer was interrupted",
            r->name);
    }
    is_virtual = H5Aexists(r->file, "virtual");
    if (is_virtual < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "virtual");
    }
    r->is_virtual = is_virtual > 0;
    if (!r->is_virtual) { /* whose edges nobody has seen */
        EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "fingerprint", &r->fingerprint));
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "edges", &r->edges));
    if (r->schema.format == EDGEFILE_CSR) {
        EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "rows", &r->schema.rows));
    }
    return EDGEFILE_OK;
}

/* A shard may have edges and no rows. */
static int check_rows(const edgefile_reader *r)
{
    const uint64_t rows = r->schema.rows;

    if (r->schema.format == EDGEFILE_CSR && ((rows == 0 && !r->is_shard) || rows == UINT64_MAX)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'rows' is %" PRIu64, r->name,
                             rows);
    }
    return EDGEFILE_OK;
}

/* A shard has its number as an attribute; a master the number of its shards and their folder. */
static int check_place(edgefile_reader *r)
{
    htri_t shard = H5Aexists(r->file, "shard"), shards = H5Aexists(r->file, "shards");

    if (shard < 0 || shards < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "shards");
    }
    if (!shard && !shards) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "shards", &r->of_shards));
    if (r->of_shards == 0 || r->of_shards > EDGEFILE_MAX_SHARDS) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: attribute 'shards' is %" PRIu64 ", allowed are 1 to %d", r->name,
                             r->of_shards, EDGEFILE_MAX_SHARDS);
    }
    if (!shard) {
        r->shards = (int)r->of_shards;
        return edgefile_attr_read_string(r->file, r->name, "shard_folder", r->folder,
                                         sizeof r->folder);
    }
    r->is_shard = true;
    EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "shard", &r->shard));
    if (r->schema.format == EDGEFILE_CSR) {
        EDGEFILE_TRY(edgefile_attr_read_u64(r->file, r->name, "first_row", &r->first_row));
    }
    return edgefile_attr_read_u64(r->file, r->name, "first_edge", &r->start);
}

static int check_link(const edgefile_reader *r, const char *name)
{
    H5L_info_t link;
    htri_t exists = H5Lexists(r->file, name, H5P_DEFAULT);

    if (exists == 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is missing", r->name, name);
    }
    if (exists < 0 || H5Lget_info(r->file, name, &link, H5P_DEFAULT) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (link.type != H5L_TYPE_HARD) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: '%s' is a soft or external link, expected a "
                             "dataset",
                             r->name, name);
    }
    return EDGEFILE_OK;
}

static int open_dataset(edgefile_reader *r, const char *name, hid_t *dataset)
{
    EDGEFILE_TRY(check_link(r, name));
    *dataset = H5Oopen(r->file, name, H5P_DEFAULT);
    if (*dataset < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (H5Iget_type(*dataset) != H5I_DATASET) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: '%s' is %s, expected a dataset", r->name,
                             name, H5Iget_type(*dataset) == H5I_GROUP ? "a group" : "a named type");
    }
    return EDGEFILE_OK;
}

static int check_space(const edgefile_reader *r, const char *name, hid_t space, uint64_t *length)
{
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t n;

    if (rank != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %d-D, expected 1-D", r->name,
                             name, rank);
    }
    H5Sget_simple_extent_dims(space, &n, NULL);
    *length = n;
    return EDGEFILE_OK;
}

/* No two datasets share a byte. */
static int check_overlap(const edgefile_reader *r, int i)
{
    for (int j = 0; j < i; j++) {
        if (r->offset[i] < r->offset[j] + r->bytes[j] &&
            r->offset[j] < r->offset[i] + r->bytes[i]) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: datasets '%s' and '%s' overlap", r->name,
                                 edgefile_dataset_name(r->schema.format, j),
                                 edgefile_dataset_name(r->schema.format, i));
        }
    }
    return EDGEFILE_OK;
}

static H5Z_filter_t filter(hid_t creation, unsigned i)
{
    unsigned flags, config;
    size_t values = 0;

    return H5Pget_filter2(creation, i, &flags, &values, NULL, 0, NULL, &config);
}

bool edgefile_read_is_compressed(hid_t creation, uint64_t length)
{
    hsize_t chunk = 0;

    return H5Pget_layout(creation) == H5D_CHUNKED && H5Pget_chunk(creation, 1, &chunk) == 1 &&
           chunk == (length < EDGEFILE_CHUNK ? length : EDGEFILE_CHUNK) &&
           H5Pget_nfilters(creation) == 2 && filter(creation, 0) == H5Z_FILTER_SHUFFLE &&
           filter(creation, 1) == H5Z_FILTER_DEFLATE;
}

static int check_storage(edgefile_reader *r, int i, hid_t dataset, hid_t creation,
                         uint64_t file_bytes)
{
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};
    const char *name = edgefile_dataset_name(r->schema.format, i);
    H5D_layout_t layout = H5Pget_layout(creation);
    haddr_t offset = H5Dget_offset(dataset);

    if (!edgefile_is_iso(&r->schema, i) &&
        edgefile_read_is_compressed(creation, edgefile_length(&r->schema, i, r->edges))) {
        r->schema.compressed = true; /* compressed/read.c checks the rest */
        r->bytes[i] = 0;
        return EDGEFILE_OK;
    }
    if (layout != H5D_CONTIGUOUS) {
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %s, expected contiguous", r->name, name,
            layout >= 0 && (size_t)layout < sizeof layouts / sizeof *layouts ? layouts[layout]
                                                                             : "of unknown layout");
    }
    if (H5Pget_external_count(creation) != 0) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' lies in other files, expected it inside this one",
                             r->name, name);
    }
    if (r->bytes[i] == 0) {
        return EDGEFILE_OK;
    }
    if (offset == HADDR_UNDEF) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has no data", r->name, name);
    }
    if (offset > file_bytes || r->bytes[i] > file_bytes - offset) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the file ends at byte %" PRIu64 ", inside dataset '%s' (%" PRIu64
                             " bytes at %" PRIu64 ")",
                             r->name, file_bytes, name, r->bytes[i], (uint64_t)offset);
    }
    r->offset[i] = offset;
    return check_overlap(r, i);
}

/* Is a dataset stored as it is in memory?  Without data there is nothing to read. */
static bool is_plain(const edgefile_reader *r, int i, hid_t type)
{
    return r->bytes[i] == 0 ||
           (r->offset[i] != 0 && H5Tequal(type, edgefile_memory_type(&r->schema, i)) > 0);
}

/* The number of elements must agree with the attributes, and the bytes must fit into 64 bits. */
static int check_length(edgefile_reader *r, int i, uint64_t length)
{
    const edgefile_schema *s = &r->schema;
    const char *name = edgefile_dataset_name(s->format, i);
    if (edgefile_is_iso(s, i) && length != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' has %" PRIu64 " elements, expected 1", r->name, name,
                             length);
    }
    if (s->format == EDGEFILE_CSR && i == EDGEFILE_POINTERS && length != s->rows + 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' has %" PRIu64 " elements, expected one more than "
                             "attribute 'rows', which says %" PRIu64,
                             r->name, name, length, s->rows);
    }
    if (length != edgefile_length(s, i, r->edges)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' has %" PRIu64 " elements, attribute 'edges' says "
                             "%" PRIu64,
                             r->name, name, length, r->edges);
    }
    if (__builtin_mul_overflow(length, (uint64_t)edgefile_width(s, i), &r->bytes[i])) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has an impossible length",
                             r->name, name);
    }
    return EDGEFILE_OK;
}

/* The value that stands for all edges is data, so no checksum covers it. */
static int check_iso(const edgefile_reader *r, int i)
{
    const char *name = edgefile_dataset_name(r->schema.format, i);
    uint8_t value;

    if (H5Dread(r->dataset[i], H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    }
    if (value != 1) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %d, expected 1", r->name,
                             name, value);
    }
    return EDGEFILE_OK;
}

static int check_dataset(edgefile_reader *r, int i, uint64_t file_bytes)
{
    const char *name = edgefile_dataset_name(r->schema.format, i);
    hid_t type = -1, space = -1, creation = -1;
    uint64_t length = 0;
    int st;

    EDGEFILE_TRY(open_dataset(r, name, &r->dataset[i]));
    type = H5Dget_type(r->dataset[i]);
    space = H5Dget_space(r->dataset[i]);
    creation = H5Dget_create_plist(r->dataset[i]);
    if (type < 0 || space < 0 || creation < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
        goto done;
    }
    st = edgefile_read_type(r, i, type);
    if (st == EDGEFILE_OK) {
        st = check_space(r, name, space, &length);
    }
    if (st == EDGEFILE_OK) {
        st = check_length(r, i, length);
    }
    if (st == EDGEFILE_OK) {
        st = r->is_virtual ? edgefile_virtual_dataset(r, i, creation)
                           : check_storage(r, i, r->dataset[i], creation, file_bytes);
    }
    if (st == EDGEFILE_OK && edgefile_is_iso(&r->schema, i)) {
        st = check_iso(r, i);
    }
    r->plain = r->plain && st == EDGEFILE_OK && is_plain(r, i, type);
done:
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    return st;
}

int edgefile_read_check(edgefile_reader *r, uint64_t file_bytes)
{
    int st = check_attrs(r);
    const char *weight = edgefile_dataset_name(r->schema.format, EDGEFILE_WEIGHT);
    htri_t has_weight;

    if (st == EDGEFILE_OK) {
        st = check_place(r);
    }
    if (st == EDGEFILE_OK) {
        st = check_rows(r);
    }
    if (st != EDGEFILE_OK) {
        return st;
    }
    has_weight = H5Lexists(r->file, weight, H5P_DEFAULT);
    if (has_weight < 0) {
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, weight);
    }
    r->has_weight = has_weight > 0;
    r->plain = r->shards == 0 && !r->is_virtual;
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
        if (i != EDGEFILE_WEIGHT || r->has_weight || r->schema.format == EDGEFILE_CSR) {
            st = r->shards > 0 ? check_link(r, edgefile_dataset_name(r->schema.format, i))
                               : check_dataset(r, i, file_bytes);
        }
    }
    r->plain = r->plain && !r->schema.compressed;
    if (st == EDGEFILE_OK && r->is_virtual) {
        st = edgefile_virtual_open(r);
    }
    return st;
}
