/* superblock.c - what the beginning of a compressed file says of the rest. */
#include "io/compressed/compressed.h"
#include "io/hdf5/metadata_walk.h"

#include <stdlib.h>
#include <unistd.h>

enum { SUPERBLOCK = 48, END = 28, SUM = 44 };

bool edgefile_is_compressed(const edgefile_schema *s, int dataset, uint64_t edges)
{
    return s->compressed && edgefile_width(s, dataset) > 0 && !edgefile_is_iso(s, dataset) &&
           edgefile_length(s, dataset, edges) > 0;
}

int edgefile_compressed_look(const char *name, int fd, uint64_t *end, uint64_t *roots, int n)
{
    metadata_walk *w;
    int st = EDGEFILE_OK, found = 0;

    EDGEFILE_TRY(edgefile_metadata_walk(&w, name, fd, false));
    for (size_t i = 0; i < w->n; i++) {
        if (w->blocks[i].kind == METADATA_TREE) {
            if (found < n) {
                roots[found] = w->blocks[i].start;
            }
            found++;
        }
    }
    if (found != n) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %d compressed datasets, expected %d", name,
                           found, n);
    }
    *end = w->end;
    free(w);
    return st;
}

int edgefile_compressed_set_end(const char *name, int fd, uint64_t end)
{
    unsigned char block[SUPERBLOCK];
    uint32_t sum;

    if (edgefile_get(fd, 0, sizeof block, block) < sizeof block) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    for (int i = 0; i < 8; i++) {
        block[END + i] = (unsigned char)(end >> 8 * i);
    }
    sum = edgefile_metadata_checksum(block, SUM);
    for (int i = 0; i < 4; i++) {
        block[SUM + i] = (unsigned char)(sum >> 8 * i);
    }
    if (edgefile_put(fd, -1, 0, sizeof block, (char *)block) < sizeof block ||
        ftruncate(fd, (off_t)end) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", name);
    }
    return EDGEFILE_OK;
}
