/* small_file.c - a file of bytes that is written in one piece, on top of plain_file.c. */
#include "io/small_file.h"
#include "io/formats/writer.h"

#include <stdlib.h>

struct edgefile_small {
    graphfile_plain plain;
};

int edgefile_small_create(edgefile_small **file, const char *name, bool replace)
{
    int status;

    *file = calloc(1, sizeof **file);
    if (*file == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    status = graphfile_plain_create(&(*file)->plain, name, replace, false, NULL);
    if (status != EDGEFILE_OK) {
        edgefile_small_close(*file);
        *file = NULL;
    }
    return status;
}

int edgefile_small_publish(edgefile_small *file, const void *data, size_t bytes)
{
    graphfile_plain *plain = &file->plain;
    int status = graphfile_plain_write(plain, 0, data, bytes);

    return status == EDGEFILE_OK ? graphfile_plain_publish(&plain, 1) : status;
}

void edgefile_small_close(edgefile_small *file)
{
    if (file != NULL) {
        graphfile_plain_close(&file->plain);
        free(file);
    }
}
