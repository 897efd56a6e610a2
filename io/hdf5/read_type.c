/* read_type.c - checks the types of the elements of datasets. */
#include "io/private.h"

/* Integers of `least` or of 8 bytes are allowed. */
static int check_id_type(const edgefile_reader *r, const char *name, hid_t type, size_t least)
{
    size_t size = H5Tget_size(type);
    H5T_class_t kind = H5Tget_class(type);
    const bool is_signed = kind == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
    const bool is_padded = kind == H5T_INTEGER && H5Tget_precision(type) != 8 * size;

    if (kind != H5T_INTEGER || is_padded || (size != least && size != 8)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds %s of %zu bytes, expected integers of %s",
                             r->name, name,
                             kind == H5T_FLOAT     ? "floats"
                             : kind != H5T_INTEGER ? "items"
                             : is_padded           ? "padded integers"
                             : is_signed           ? "signed integers"
                                                   : "unsigned integers",
                             size, least == 4 ? "4 or 8" : "8");
    }
    return EDGEFILE_OK;
}

static int check_weight_type(edgefile_reader *r, const char *name, hid_t type)
{
    if (H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0) {
        r->schema.weight = EDGEFILE_WEIGHT_F32;
    } else if (H5Tequal(type, H5T_STD_I32LE) > 0 || H5Tequal(type, H5T_STD_I32BE) > 0) {
        r->schema.weight = EDGEFILE_WEIGHT_I32;
    } else if (r->schema.format == EDGEFILE_CSR &&
               (H5Tequal(type, H5T_STD_U8LE) > 0 || H5Tequal(type, H5T_STD_U8BE) > 0)) {
        r->schema.weight = EDGEFILE_NO_WEIGHT;
    } else {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: dataset '%s' holds items of %zu bytes, expected floats or signed "
                             "integers of 4%s",
                             r->name, name, H5Tget_size(type),
                             r->schema.format == EDGEFILE_CSR ? ", or an unsigned one of 1" : "");
    }
    return EDGEFILE_OK;
}

/* Dataset 0, src or the pointers, decides whether integers are signed. */
static int check_sign(edgefile_reader *r, int i, hid_t type)
{
    const edgefile_format format = r->schema.format;
    const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;

    if (i == 0) {
        r->schema.signed_ids = is_signed;
    }
    return is_signed == r->schema.signed_ids
               ? EDGEFILE_OK
               : edgefile_fail(EDGEFILE_ERR_FORMAT,
                               "%s: dataset '%s' holds %s integers, '%s' %s ones", r->name,
                               edgefile_dataset_name(format, i), is_signed ? "signed" : "unsigned",
                               edgefile_dataset_name(format, 0), is_signed ? "unsigned" : "signed");
}

int edgefile_read_type(edgefile_reader *r, int i, hid_t type)
{
    const edgefile_format format = r->schema.format;
    const char *name = edgefile_dataset_name(format, i);
    int width = (int)H5Tget_size(type), st;

    if (i == EDGEFILE_WEIGHT) {
        return check_weight_type(r, name, type);
    }
    st = check_id_type(r, name, type, format == EDGEFILE_CSR && i == EDGEFILE_POINTERS ? 8 : 4);
    if (st == EDGEFILE_OK) {
        st = check_sign(r, i, type);
    }
    if (format == EDGEFILE_CSR && i == EDGEFILE_POINTERS) {
        return st;
    }
    if (st == EDGEFILE_OK && (i == EDGEFILE_SRC || format == EDGEFILE_CSR)) {
        r->schema.id_bytes = width;
    } else if (st == EDGEFILE_OK && width != r->schema.id_bytes) {
        st = edgefile_fail(
            EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has elements of %d bytes, but '%s' of %d",
            r->name, name, width, edgefile_dataset_name(format, EDGEFILE_SRC), r->schema.id_bytes);
    }
    return st;
}
