/*
 * edgefile.c - the writer's public functions, statuses and messages.
 *
 * Writing has three phases, so that every path gives the same bytes:
 *   create  HDF5 makes the file with its attributes and allocates both datasets without writing to
 *           them (hdf5_layout.c), and is closed again; the file system reserves the extent
 *   write   the data goes into the two extents, through HDF5 (write_hdf5.c) or past it
 *           (write_positional.c)
 *   commit  sync the data, let HDF5 set `fingerprint` and `complete`, sync, rename, sync the folder
 * The order of the syncs keeps a crash from leaving a file that says complete but is not.
 */
#include "io/edgefile_impl.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const edgefile_dataset_name[EDGEFILE_N_DATASETS] = {"src", "dst"};

static _Thread_local char last_detail[1024];

int edgefile_fail(int status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(last_detail, sizeof last_detail, format, args);
    va_end(args);
    for (char *c = last_detail; *c != '\0'; c++)
        if ((unsigned char)*c < ' ') /* one line: HDF5's messages and file names may hold more */
            *c = ' ';
    return status;
}

int edgefile_errno_status(int otherwise)
{
    switch (errno) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return EDGEFILE_ERR_SPACE;
    case ENOMEM:
        return EDGEFILE_ERR_NOMEM;
    default:
        return otherwise;
    }
}

const char *edgefile_kind(unsigned mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISSOCK(mode) ? "a socket"
           : S_ISLNK(mode)  ? "a symbolic link"
           : S_ISREG(mode)  ? "a regular file"
                            : "a device";
}

const char *edgefile_detail(void)
{
    return last_detail;
}

const char *edgefile_strerror(int status)
{
    switch (status) {
    case EDGEFILE_OK:
        return "success";
    case EDGEFILE_ERR_ARG:
        return "an argument is NULL or out of range";
    case EDGEFILE_ERR_EXISTS:
        return "the file exists";
    case EDGEFILE_ERR_SPACE:
        return "the file system has too little room";
    case EDGEFILE_ERR_OPEN:
        return "the file cannot be opened or created";
    case EDGEFILE_ERR_IO:
        return "a read, write, sync or rename failed";
    case EDGEFILE_ERR_HDF5:
        return "the HDF5 library reported a failure";
    case EDGEFILE_ERR_FORMAT:
        return "not a complete, undamaged edge file";
    case EDGEFILE_ERR_NOMEM:
        return "memory is exhausted";
    case EDGEFILE_ERR_RANGE:
        return "edges are missing or beyond the end of the file";
    case EDGEFILE_ERR_ATTR:
        return "no such attribute, or of another type";
    case EDGEFILE_ERR_PEER:
        return "another process failed";
    default:
        return "unknown status";
    }
}

/* Partial pages must not be written past the page cache: see write_positional.c. */
size_t edgefile_alignment(void)
{
    long page = sysconf(_SC_PAGESIZE);
    return page > 4096 ? (size_t)page : 4096;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

uint64_t edgefile_bytes(const edgefile_spec *spec)
{
    uint64_t bytes = 4096; /* HDF5's own, the fixed attributes included */
    uint64_t data = times(spec->edges, (uint64_t)spec->id_bytes);

    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];
        bytes = add(bytes, 64 + strlen(attr->name));
        bytes = add(bytes, attr->type == EDGEFILE_STRING ? strlen(attr->value)
                                                         : times(attr->count, sizeof(uint64_t)));
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        uint64_t align = edgefile_extent_align(data);
        if (data >= EDGEFILE_EXTENT_MIN) /* a dataset's header may lie before its data */
            bytes = add(bytes, align) & ~(align - 1);
        bytes = add(bytes, data);
    }
    return bytes;
}

static int check_attrs(const edgefile_spec *spec)
{
    static const char *const ours[] = {"format", "format_version", "edges", "fingerprint",
                                       "complete"};

    if (spec->n_attrs > 0 && spec->attrs == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "attrs is NULL, n_attrs is %zu", spec->n_attrs);
    for (size_t i = 0; i < spec->n_attrs; i++) {
        const edgefile_attr *attr = &spec->attrs[i];
        if (attr->name == NULL || attr->name[0] == '\0' || attr->value == NULL)
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute %zu lacks a name or a value", i);
        if (attr->type != EDGEFILE_U64 && attr->type != EDGEFILE_F64 &&
            attr->type != EDGEFILE_STRING)
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' has the unknown type %d",
                                 attr->name, (int)attr->type);
        if (attr->count == 0 || attr->count > SIZE_MAX / sizeof(uint64_t) ||
            (attr->type == EDGEFILE_STRING && attr->count != 1))
            return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' has a count of %llu", attr->name,
                                 (unsigned long long)attr->count);
        for (size_t j = 0; j < sizeof ours / sizeof *ours; j++)
            if (strcmp(attr->name, ours[j]) == 0)
                return edgefile_fail(EDGEFILE_ERR_ARG,
                                     "attribute '%s' is written by edgefile itself", attr->name);
        for (size_t j = 0; j < i; j++)
            if (strcmp(attr->name, spec->attrs[j].name) == 0)
                return edgefile_fail(EDGEFILE_ERR_ARG, "attribute '%s' is given twice", attr->name);
    }
    return EDGEFILE_OK;
}

static int check_spec(const char *name, const edgefile_spec *spec)
{
    if (name == NULL || spec == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "name or spec is NULL");
    if (name[0] == '\0')
        return edgefile_fail(EDGEFILE_ERR_ARG, "the file name is empty");
    if (spec->id_bytes != 4 && spec->id_bytes != 8)
        return edgefile_fail(EDGEFILE_ERR_ARG, "id_bytes is %d, allowed are 4 and 8",
                             spec->id_bytes);
    if (spec->path != EDGEFILE_PATH_AUTO && spec->path != EDGEFILE_PATH_DIRECT &&
        spec->path != EDGEFILE_PATH_POSITIONAL && spec->path != EDGEFILE_PATH_HDF5)
        return edgefile_fail(EDGEFILE_ERR_ARG, "unknown write path %d", (int)spec->path);
    return check_attrs(spec);
}

static void destroy(edgefile_writer *w, int remove_it)
{
    if (w->ops != NULL)
        w->ops->close(w);
    edgefile_partial_close(w, remove_it);
    free(w->name);
    free(w->partial);
    free(w);
}

int edgefile_create(edgefile_writer **out, const char *name, const edgefile_spec *spec)
{
    edgefile_writer *w = NULL;
    int st;

    if (out == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "out is NULL");
    *out = NULL;
    st = check_spec(name, spec);
    if (st != EDGEFILE_OK)
        return st;
    w = calloc(1, sizeof *w);
    if (w == NULL)
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    w->fd = w->direct_fd = -1;
    w->h5_file = -1;
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++)
        w->h5_dataset[i] = -1;
    w->edges = spec->edges;
    w->id_bytes = spec->id_bytes;
    w->replace = spec->replace;
    w->path = spec->path;

    st = edgefile_partial_open(w, name, edgefile_bytes(spec));
    if (st == EDGEFILE_OK)
        st = edgefile_layout_create(w, spec);
    if (st == EDGEFILE_OK)
        st = edgefile_partial_reserve(w);
    if (st == EDGEFILE_OK) {
        w->ops = w->path == EDGEFILE_PATH_HDF5 ? &edgefile_hdf5_ops : &edgefile_positional_ops;
        st = w->ops->open(w);
    }
    if (st != EDGEFILE_OK) {
        destroy(w, 1);
        return st;
    }
    *out = w;
    return EDGEFILE_OK;
}

int edgefile_write(edgefile_writer *w, uint64_t first, uint64_t count, const void *src,
                   const void *dst, uint64_t fingerprint)
{
    const void *data[EDGEFILE_N_DATASETS] = {src, dst};

    if (w == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    if (first > w->edges || count > w->edges - first)
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges at %llu, the file has %llu",
                             w->partial, (unsigned long long)count, (unsigned long long)first,
                             (unsigned long long)w->edges);
    if (count == 0)
        return EDGEFILE_OK;
    if (src == NULL || dst == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        int st = w->ops->write(w, i, first, count, data[i]);
        if (st != EDGEFILE_OK)
            return st;
    }
    atomic_fetch_add(&w->written, count);
    atomic_fetch_add(&w->fingerprint, fingerprint);
    return EDGEFILE_OK;
}

static int commit(edgefile_writer *w, uint64_t fingerprint)
{
    uint64_t written = atomic_load(&w->written);
    int st;

    if (written != w->edges)
        return edgefile_fail(EDGEFILE_ERR_RANGE, "%s: %llu edges were written, expected %llu",
                             w->partial, (unsigned long long)written, (unsigned long long)w->edges);
    st = w->ops->close(w);
    if (st != EDGEFILE_OK)
        return st;
    if (fdatasync(w->fd) != 0)
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", w->partial);
    st = edgefile_layout_complete(w, fingerprint);
    if (st != EDGEFILE_OK)
        return st;
    if (fsync(w->fd) != 0)
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: sync: %m", w->partial);
    return edgefile_partial_publish(w);
}

int edgefile_drain(edgefile_writer *w, int failed)
{
    (void)failed;
    return w == NULL ? edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL") : EDGEFILE_OK;
}

int edgefile_commit(edgefile_writer **w, uint64_t *fingerprint)
{
    uint64_t sum;
    int st;

    if (w == NULL || *w == NULL)
        return edgefile_fail(EDGEFILE_ERR_ARG, "the writer is NULL");
    sum = atomic_load(&(*w)->fingerprint);
    if (fingerprint != NULL)
        *fingerprint = sum;
    st = commit(*w, sum);
    destroy(*w, st != EDGEFILE_OK);
    *w = NULL;
    return st;
}

void edgefile_abort(edgefile_writer **w)
{
    if (w == NULL || *w == NULL)
        return;
    destroy(*w, 1);
    *w = NULL;
}

edgefile_path edgefile_used_path(const edgefile_writer *w)
{
    return w->path;
}

edgefile_layout edgefile_used_layout(const edgefile_writer *w)
{
    (void)w;
    return EDGEFILE_LAYOUT_SINGLE;
}
