/*
 * edgefile_read.c - open, check and read edge files.
 *
 * Only files whose data lies in the file itself are taken: no soft or external links, no external
 * storage, no virtual datasets (HDF5 would read a missing source as zeros), no chunks (which may be
 * missing too).  Damage that HDF5 reports while the file is opened is EDGEFILE_ERR_FORMAT.
 */
#include "io/edgefile_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the regular file; *fd stays open.  O_NONBLOCK: a FIFO must not make us wait. */
static int open_regular(const char *name, int *fd, uint64_t *bytes)
{
    struct stat st;

    *fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0 || fstat(*fd, &st) != 0)
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", name);
    if (!S_ISREG(st.st_mode))
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is %s, expected an HDF5 file", name,
                             edgefile_kind(st.st_mode));
    *bytes = (uint64_t)st.st_size;
    return EDGEFILE_OK;
}

/* HDF5 itself is let loose on checksummed metadata only: damage to others can crash it. */
static int check_superblock(const char *name, int fd, uint64_t file_bytes)
{
    static const char signature[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};
    unsigned char start[sizeof signature + 1];
    ssize_t n = pread(fd, start, sizeof start, 0);

    if (n < 0)
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    if (file_bytes == 0)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is empty, expected an HDF5 file", name);
    if ((size_t)n < sizeof start || memcmp(start, signature, sizeof signature) != 0)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: is not an HDF5 file", name);
    if (start[sizeof signature] < 2)
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: HDF5 superblock version %d, which has no checksums, expected 2 "
                             "or later (in h5py: libver='v108')",
                             name, start[sizeof signature]);
    return EDGEFILE_OK;
}

static int open_file(edgefile_reader *r, int fd)
{
    hid_t access = edgefile_hdf5_access(0);
    int st = EDGEFILE_OK;

    r->file = H5Fopen(r->name, H5F_ACC_RDONLY, access);
    if (r->file < 0) {
        st = edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, "opening the file");
        if (flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            st = edgefile_fail(EDGEFILE_ERR_OPEN, "%s: another program has it open for writing",
                               r->name);
    }
    H5Pclose(access);
    return st;
}

static int check_attrs(edgefile_reader *r)
{
    char format[sizeof EDGEFILE_FORMAT_NAME + 1];
    uint64_t version, complete, fingerprint;
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
        st = edgefile_attr_read_u64(r->file, r->name, "fingerprint", &fingerprint);
    if (st == EDGEFILE_OK)
        st = edgefile_attr_read_u64(r->file, r->name, "edges", &r->edges);
    return st;
}

static int open_dataset(edgefile_reader *r, const char *name, hid_t *dataset)
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
    *dataset = H5Oopen(r->file, name, H5P_DEFAULT);
    if (*dataset < 0)
        return edgefile_hdf5_fail(EDGEFILE_ERR_FORMAT, r->name, name);
    if (H5Iget_type(*dataset) != H5I_DATASET)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: '%s' is %s, expected a dataset", r->name,
                             name, H5Iget_type(*dataset) == H5I_GROUP ? "a group" : "a named type");
    return EDGEFILE_OK;
}

static int check_type(const edgefile_reader *r, const char *name, hid_t type, int *bytes)
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
    *bytes = (int)size;
    return EDGEFILE_OK;
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

static int check_storage(const edgefile_reader *r, const char *name, hid_t dataset, hid_t creation,
                         uint64_t data_bytes, uint64_t file_bytes)
{
    static const char *const layouts[] = {"compact", "contiguous", "chunked", "virtual"};
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
    if (data_bytes == 0)
        return EDGEFILE_OK;
    if (offset == HADDR_UNDEF)
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has no data", r->name, name);
    if (offset > file_bytes || data_bytes > file_bytes - offset)
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: the file ends at byte %" PRIu64 ", inside dataset '%s' (%" PRIu64
                             " bytes at %" PRIu64 ")",
                             r->name, file_bytes, name, data_bytes, (uint64_t)offset);
    return EDGEFILE_OK;
}

static int check_dataset(edgefile_reader *r, int i, uint64_t file_bytes)
{
    const char *name = edgefile_dataset_name[i];
    hid_t type = -1, space = -1, creation = -1;
    uint64_t length = 0, data_bytes;
    int width = 0;
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
    st = check_type(r, name, type, &width);
    if (st == EDGEFILE_OK)
        st = check_space(r, name, space, &length);
    if (st != EDGEFILE_OK)
        goto done;
    if (i == 0)
        r->id_bytes = width;
    if (width != r->id_bytes)
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: dataset '%s' has elements of %d bytes, '%s' of %d", r->name, name,
                           width, edgefile_dataset_name[0], r->id_bytes);
    else if (length != r->edges)
        st = edgefile_fail(EDGEFILE_ERR_FORMAT,
                           "%s: dataset '%s' has %" PRIu64 " elements, attribute 'edges' says "
                           "%" PRIu64,
                           r->name, name, length, r->edges);
    else if (__builtin_mul_overflow(length, (uint64_t)width, &data_bytes))
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: dataset '%s' has an impossible length",
                           r->name, name);
    else
        st = check_storage(r, name, r->dataset[i], creation, data_bytes, file_bytes);
done:
    H5Pclose(creation);
    H5Sclose(space);
    H5Tclose(type);
    return st;
}

static int check(edgefile_reader *r, int fd, uint64_t file_bytes)
{
    int st;

    edgefile_hdf5_begin();
    st = open_file(r, fd);
    if (st == EDGEFILE_OK)
        st = check_attrs(r);
    for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++)
        st = check_dataset(r, i, file_bytes);
    edgefile_hdf5_end();
    return st == EDGEFILE_ERR_ATTR || st == EDGEFILE_ERR_HDF5 ? EDGEFILE_ERR_FORMAT : st;
}

int edgefile_open(edgefile_reader **out, const char *name)
{
    edgefile_reader *r = NULL;
    uint64_t file_bytes = 0;
    int fd = -1, st;

    if (out == NULL || name == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "out or name is NULL");
    *out = NULL;
    r = calloc(1, sizeof *r);
    if (r == NULL || (r->name = strdup(name)) == NULL) {
        free(r);
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    r->file = -1;
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++)
        r->dataset[i] = -1;
    st = open_regular(name, &fd, &file_bytes);
    if (st == EDGEFILE_OK)
        st = check_superblock(name, fd, file_bytes);
    if (st == EDGEFILE_OK)
        st = check(r, fd, file_bytes);
    if (fd >= 0)
        close(fd);
    if (st != EDGEFILE_OK) {
        edgefile_close(r);
        return st;
    }
    *out = r;
    return EDGEFILE_OK;
}

void edgefile_close(edgefile_reader *r)
{
    if (r == NULL)
        return;
    edgefile_hdf5_begin();
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++)
        if (r->dataset[i] >= 0)
            H5Oclose(r->dataset[i]);
    if (r->file >= 0)
        H5Fclose(r->file);
    edgefile_hdf5_end();
    free(r->name);
    free(r);
}

uint64_t edgefile_edges(const edgefile_reader *r)
{
    return r->edges;
}

int edgefile_shards(const edgefile_reader *r)
{
    (void)r;
    return 0;
}

int edgefile_id_bytes(const edgefile_reader *r)
{
    return r->id_bytes;
}

static herr_t read_part(hid_t dataset, hid_t type, hsize_t first, hsize_t count, void *data)
{
    hid_t memory = H5Screate_simple(1, &count, NULL);
    hid_t file = H5Dget_space(dataset);
    herr_t rc = -1;

    if (memory >= 0 && file >= 0 &&
        H5Sselect_hyperslab(file, H5S_SELECT_SET, &first, NULL, &count, NULL) >= 0)
        rc = H5Dread(dataset, type, memory, file, H5P_DEFAULT, data);
    H5Sclose(file);
    H5Sclose(memory);
    return rc;
}

int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst)
{
    void *data[EDGEFILE_N_DATASETS] = {src, dst};
    uint64_t most;
    hid_t type;
    int st = EDGEFILE_OK;

    if (r == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    if (first > r->edges || count > r->edges - first)
        return edgefile_fail(EDGEFILE_ERR_RANGE,
                             "%s: %" PRIu64 " edges at %" PRIu64 ", the file has %" PRIu64, r->name,
                             count, first, r->edges);
    if (count > 0 && (src == NULL || dst == NULL))
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");

    edgefile_hdf5_begin();
    type = r->id_bytes == 4 ? H5T_NATIVE_UINT32 : H5T_NATIVE_UINT64;
    most = EDGEFILE_MAX_CALL / (uint64_t)r->id_bytes;
    for (uint64_t done = 0; done < count && st == EDGEFILE_OK; done += most)
        for (int i = 0; i < EDGEFILE_N_DATASETS && st == EDGEFILE_OK; i++) {
            uint64_t part = count - done < most ? count - done : most;
            char *to = (char *)data[i] + done * (uint64_t)r->id_bytes;
            if (read_part(r->dataset[i], type, first + done, part, to) < 0)
                st = edgefile_hdf5_fail(EDGEFILE_ERR_IO, r->name, edgefile_dataset_name[i]);
        }
    edgefile_hdf5_end();
    return st;
}
