/* read.c - reads edges and pointers, which lie in the file as they are in memory: without HDF5,
 * which only one thread may call at a time. */
#include "io/files.h"
#include "io/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Reads into those arrays of data that are not NULL. */
static int read_columns(const edgefile_reader *r, uint64_t first, uint64_t count,
                        char *const data[EDGEFILE_N_DATASETS])
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t width = (uint64_t)edgefile_width(&r->schema, i);

        if (data[i] != NULL && edgefile_get(r->fd, r->offset[i] + first * width, count * width,
                                            data[i]) < count * width) {
            const char *why = errno != 0 ? strerror(errno) : "the file has become shorter";

            return edgefile_fail(EDGEFILE_ERR_IO, "%s: %s: %s", r->name,
                                 edgefile_dataset_name(r->schema.format, i), why);
        }
    }
    return EDGEFILE_OK;
}

static int check_range(const edgefile_reader *r, const char *what, uint64_t first, uint64_t count,
                       uint64_t length)
{
    if (first > length || count > length - first) {
        return edgefile_fail(EDGEFILE_ERR_RANGE,
                             "%s: %" PRIu64 " %s at %" PRIu64 ", the file has %" PRIu64, r->name,
                             count, what, first, length);
    }
    return EDGEFILE_OK;
}

int edgefile_read(edgefile_reader *r, uint64_t first, uint64_t count, void *src, void *dst,
                  void *weight)
{
    char *const data[EDGEFILE_N_DATASETS] = {src, dst, weight};

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    EDGEFILE_TRY(check_range(r, "edges", first, count, r->edges));
    if (src != NULL && r->schema.format == EDGEFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is CSR, but src is not NULL", r->name);
    }
    if (count > 0 && ((src == NULL && r->schema.format == EDGEFILE_EDGES) || dst == NULL)) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "src or dst is NULL");
    }
    if (weight != NULL && r->schema.weight == EDGEFILE_NO_WEIGHT) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: has no weights", r->name);
    }
    return read_columns(r, first, count, data);
}

int edgefile_read_pointers(edgefile_reader *r, uint64_t first, uint64_t count, uint64_t *pointers)
{
    char *const data[EDGEFILE_N_DATASETS] = {[EDGEFILE_POINTERS] = (char *)pointers};

    if (r == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "the reader is NULL");
    }
    if (r->schema.format != EDGEFILE_CSR) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "%s: is not CSR: it has no pointers", r->name);
    }
    EDGEFILE_TRY(check_range(r, "pointers", first, count, r->schema.rows + 1));
    if (count > 0 && pointers == NULL) {
        return edgefile_fail(EDGEFILE_ERR_ARG, "pointers is NULL");
    }
    return read_columns(r, first, count, data);
}
