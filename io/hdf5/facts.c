/* facts.c - what an open file of ours is, without another question to HDF5. */
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>

int edgefile_open_fd(const char *name)
{
    int fd;

    do {
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

edgefile_format edgefile_format_of(const edgefile_reader *r)
{
    return r->schema.format;
}

uint64_t edgefile_rows(const edgefile_reader *r)
{
    return r->schema.rows;
}

uint64_t edgefile_edges(const edgefile_reader *r)
{
    return r->edges;
}

int edgefile_id_bytes(const edgefile_reader *r)
{
    return r->schema.id_bytes;
}

int edgefile_signed_ids(const edgefile_reader *r)
{
    return r->schema.signed_ids;
}

edgefile_weight edgefile_weight_of(const edgefile_reader *r)
{
    return r->schema.weight;
}

int edgefile_unanswered(const edgefile_reader *r)
{
    return r->unanswered == EDGEFILE_OK
               ? EDGEFILE_OK
               : edgefile_fail(r->unanswered, "%s",
                               r->unanswered_text != NULL ? r->unanswered_text
                                                          : edgefile_strerror(r->unanswered));
}
