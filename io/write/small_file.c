/* small_file.c - a file of bytes that is written in one piece, on top of plain_file.c. */
#include "io/small_file.h"
#include "io/formats/writer.h"

#include <stdlib.h>
#include <sys/stat.h>

struct edgefile_small {
    graphfile_plain plain;
};

/* The new file gets the permission bits of the one that it replaces, if there is one. */
static int keep_mode(const graphfile_plain *f)
{
    struct stat old;

    if (stat(f->name, &old) == 0 && fchmod(f->fd, old.st_mode & 0777) != 0) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: permission bits: %m", f->partial);
    }
    return EDGEFILE_OK;
}

int edgefile_small_create(edgefile_small **file, const char *name, bool replace)
{
    int status;

    *file = calloc(1, sizeof **file);
    if (*file == NULL) {
        return edgefile_fail(EDGEFILE_ERR_NOMEM, "%s: memory is exhausted", name);
    }
    status = graphfile_plain_create(&(*file)->plain, name, replace);
    if (status == EDGEFILE_OK) {
        status = keep_mode(&(*file)->plain);
    }
    if (status != EDGEFILE_OK) {
        edgefile_small_close(*file);
        *file = NULL;
    }
    return status;
}

int edgefile_small_publish(edgefile_small *file, const void *data, size_t bytes)
{
    int status = graphfile_plain_write(&file->plain, 0, data, bytes);

    return status == EDGEFILE_OK ? graphfile_plain_publish(&file->plain) : status;
}

void edgefile_small_close(edgefile_small *file)
{
    if (file != NULL) {
        graphfile_plain_close(&file->plain);
        free(file);
    }
}
