/*
 * read_check.c - what an open edge file must be.
 *
 * Only files whose data lies in the file itself are taken: no soft or external links, no external
 * storage, no virtual datasets (HDF5 would read a missing source as fill values), no chunks (which
 * may be missing too).  A master has virtual datasets, but nobody reads through them here, or even
 * opens them: what they are made of lies outside HDF5's checksums.
 */
#include "io/edgefile_impl.h"

#include <inttypes.h>
#include <string.h>

static int check_attrs(edgefile_reader *r)
{
    char format[sizeof EDGEFILE_FORMAT_NAME + 1];
    uint64_t version, complete;
    int st = edgefile_attr_read_string(r->file, r->name, "format", format, sizeof format);

    if (st == EDGEFILE_OK && strcmp(format, EDGEFILE_FORMAT_NAME) != 0)
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: attribute 'format' is '%s', expected '%s'",
                           r->name, format, EDGEFILE_FORMAT_NAME);
    if (st == EDGEFILE_OK)
        st = edgefile_attr_read_u64(r->file, r->name, "format_version", &version);
    if (st == EDGEFILE_OK && (version == 0 || version > EDGEFILE_FORMAT_VERSION))
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: format version %" PRIu64
                           " is not known here, the newest known is %d",
                           r->name, version, EDGEFILE_FORMAT_VERSION);
    if (st == EDGEFILE_OK)
        st = edgefile_attr_read_u64(r->file, r->name, "complete", &complete);
    if (st == EDGEFILE_OK && complete != 1)
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: is not complete: its writer is still at work or was interrupted",
                           r->name);
    if (st == EDGEFILE_OK)
        st = edgefile_attr_read_u64(r->file, r->name, "fingerprint", &r->fingerprint);
    if (st == EDGEFILE_OK)
        st = edgefile_attr_read_u64(r->file, r->name, "edges", &r->edges);
    return st;
}

/* A shard says which one it is; a master says how many it has and in which folder. */
static int check_place(edgefile_reader *r)
{
    htri_t shard = H5Aexists(r->file, "shard"), shards = H5Aexists(r->file, "shards");
    int st;

    if (shard < 0 || shards < 0)
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "shards");
    if (!shard && !shards)
        return EDGEFILE_OK;
    st = edgefile_attr_read_u64(r->file, r->name, "shards", &r->of_shards);
    if (st == EDGEFILE_OK && (r->of_shards == 0 || r->of_shards > EDGEFILE_MAX_SHARDS))
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: attribute 'shards' is %" PRIu64 ", allowed are 1 to %d", r->name,
                           r->of_shards, EDGEFILE_MAX_SHARDS);
    if (st != EDGEFILE_OK)
        return st;
    if (!shard) {
        r->shards = (int)r->of_shards;
        return edgefile_attr_read_string(r->file, r->name, "shard_folder", r->folder,
                                         sizeof r->folder);
    }
    r->is_shard = 1;
    st = edgefile_attr_read_u64(r->file, r->name, "shard", &r->shard);
    return st == EDGEFILE_OK ? edgefile_attr_read_u64(r->file, r->name, "first_edge", &r->start)
                             : st;
}

static int check_link(const edgefile_reader *r, const char *name)
{
    H5L_info_t link;
    htri_t exists = H5Lexists(r->file, name, H5P_DEFAULT);

    if (exists == 0)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is missing", r->name, name);
    if (exists < 0 || H5Lget_info(r->file, name, &link, H5P_DEFAULT) < 0)
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    if (link.type != H5L_TYPE_HARD)
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: '%s' is a soft or external link, expected a "
                             "dataset",
                             r->name, name);
    return EDGEFILE_OK;
}

static int open_dataset(edgefile_reader *r, const char *name, hid_t *dataset)
{
    int st = check_link(r, name);

    if (st != EDGEFILE_OK)
        return st;
    *dataset = H5Oopen(r->file, name, H5P_DEFAULT);
    if (*dataset < 0)
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    if (H5Iget_type(*dataset) != H5I_DATASET)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: '%s' is %s, expected a dataset", r->name,
                             name, H5Iget_type(*dataset) == H5I_GROUP ? "a group" : "a named type");
    return EDGEFILE_OK;
}

static int check_id_type(const edgefile_reader *r, const char *name, hid_t type)
{
    size_t size = H5Tget_size(type);
    H5T_class_t kind = H5Tget_class(type);
    int is_signed = kind == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
    int is_padded = kind == H5T_INTEGER && H5Tget_precision(type) != 8 * size;

    if (kind != H5T_INTEGER || is_signed || is_padded || (size != 4 && size != 8))
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds %s of %zu bytes, expected unsigned integers "
                             "of 4 or 8",
                             r->name, name,
                             kind == H5T_FLOAT     ? "floats"
                             : kind != H5T_INTEGER ? "items"
                             : is_signed           ? "signed integers"
                             : is_padded           ? "padded integers"
                                                   : "unsigned integers",
                             size);
    return EDGEFILE_OK;
}

static int check_weight_type(edgefile_reader *r, const char *name, hid_t type)
{
    if (H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0)
        r->weight = EDGEFILE_WEIGHT_F32;
    else if (H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I32BE) > 0)
        r->weight = EDGEFILE_WEIGHT_I32;
    else
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds items of %zu bytes, expected floats or signed "
                             "integers of 4",
                             r->name, name, H5Tget_size(type));
    return EDGEFILE_OK;
}

static int check_type(edgefile_reader *r, int i, hid_t type)
{
    const char *name = edgefile_dataset_name[i];
    int width = (int)H5Tget_size(type), st;

    if (i == EDGEFILE_WEIGHT)
        return check_weight_type(r, name, type);
    st = check_id_type(r, name, type);
    if (st == EDGEFILE_OK && i == EDGEFILE_SRC)
        r->id_bytes = width;
    else if (st == EDGEFILE_OK && width != r->id_bytes)
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: dataset '%s' has elements of %d bytes, '%s' of %d", r->name, name,
                           width, edgefile_dataset_name[EDGEFILE_SRC], r->id_bytes);
    return st;
}

static int check_space(const edgefile_reader *r, const char *name, hid_t space, uint64_t *length)
{
    int rank = H5Sget_simple_extent_ndims(space);
    hsize_t n;

    if (rank != 1)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %d-D, expected 1-D", r->name,
                             name, rank);
    H5Sget_simple_extent_dims(space, &n, NULL);
    *length = n;
    return EDGEFILE_OK;
}

/* No two datasets share a byte. */
static int check_overlap(const edgefile_reader *r, int i)
{
    for (int j = 0; j < i; j++)
        if (r->offset[i] < r->offset[j] + r->bytes[j] && r->offset[j] < r->offset[i] + r->bytes[i])
            return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: datasets '%s' and '%s' overlap", r->name,
                                 edgefile_dataset_name[j], edgefile_dataset_name[i]);
    return EDGEFILE_OK;
}

static int check_storage(edgefile_reader *r, int i, hid_t dataset, hid_t creation,
                         uint64_t file_bytes)
{
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};
    const char *name = edgefile_dataset_name[i];
    H5D_layout_t layout = H5Pget_layout(creation);
    haddr_t offset = H5Dget_offset(dataset);

    if (layout != H5D_CONTIGUOUS)
        return edgefile_fail(
            EDGEFILE_ERR_FORMAT, "%s: dataset '%s' is %s, expected contiguous", r->name, name,
            layout >= 0 && (size_t)layout < sizeof layouts / sizeof *layouts ? layouts[layout]
                                                                             : "of unknown layout");
    if (H5Pget_external_count(creation) != 0)
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' lies in other files, expected it inside this one",
                             r->name, name);
    if (r->bytes[i] == 0)
        return EDGEFILE_OK;
    if (offset == HADDR_UNDEF)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has no data", r->name, name);
    if (offset > file_bytes || r->bytes[i] > file_bytes - offset)
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the file ends at byte %" PRIu64 ", inside dataset '%s' (%" PRIu64
                             " bytes at %" PRIu64 ")",
                             r->name, file_bytes, name, r->bytes[i], (uint64_t)offset);
    r->offset[i] = offset;
    return check_overlap(r, i);
}

static int check_dataset(edgefile_reader *r, int i, uint64_t file_bytes)
{
    const char *name = edgefile_dataset_name[i];
    hid_t type = -1, space = -1, creation = -1;
    uint64_t length = 0;
    int st = open_dataset(r, name, &r->dataset[i]);

    if (st != EDGEFILE_OK)
        return st;
    type = H5Dget_type(r->dataset[i]);
    space = H5Dget_space(r->dataset[i]);
    creation = H5Dget_create_plist(r->dataset[i]);
    if (type < 0 || space < 0 || creation < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
        goto done;
    }
    st = check_type(r, i, type);
    if (st == EDGEFILE_OK)
        st = check_space(r, name, space, &length);
    if (st != EDGEFILE_OK)
        goto done;
    if (length != r->edges)
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: dataset '%s' has %" PRIu64 " elements, attribute 'edges' says "
                           "%" PRIu64,
                           r->name, name, length, r->edges);
    else if (__builtin_mul_overflow(length, (uint64_t)edgefile_width(i, r->id_bytes, r->weight),
                                    &r->bytes[i]))
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has an impossible length",
                           r->name, name);
    else
        st = check_storage(r, i, r->dataset[i], creation, file_bytes);
done:
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    return st;
}

int edgefile_read_check(edgefile_reader *r, uint64_t file_bytes)
{
    int st = check_attrs(r);
    htri_t has_weight;

    if (st == EDGEFILE_OK)
        st = check_place(r);
    if (st != EDGEFILE_OK)
        return st;
    has_weight = H5Lexists(r->file, edgefile_dataset_name[EDGEFILE_WEIGHT], H5P_DEFAULT);
    if (has_weight < 0)
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name,
                                  edgefile_dataset_name[EDGEFILE_WEIGHT]);
    r->has_weight = has_weight > 0;
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++)
        if (i != EDGEFILE_WEIGHT || r->has_weight)
            st = r->shards > 0 ? check_link(r, edgefile_dataset_name[i])
                               : check_dataset(r, i, file_bytes);
    return st;
}
