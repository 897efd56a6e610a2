/* graphfile_column.c - vertices one after the other in a file, each of 4 or 8 bytes. */
#include "io/graphfile_impl.h"

enum { BLOCK = 8192 };

int graphfile_narrow(uint32_t *to, size_t stride, const uint64_t *from, size_t count)
{
    uint64_t all = 0;

    for (size_t i = 0; i < count; i++) {
        to[i * stride] = (uint32_t)from[i];
        all |= from[i];
    }
    return all >> 32 == 0 ? EDGEFILE_OK
                          : edgefile_fail(EDGEFILE_ERR_FORMAT, "a vertex needs more than 32 bits");
}

void graphfile_widen(uint64_t *to, size_t stride, const uint32_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i * stride] = from[i];
}

int graphfile_write_column(graphfile_writer *w, uint64_t offset, const void *ids, uint64_t count,
                           int width)
{
    const int is = w->spec.graph.id_bytes;
    int st = EDGEFILE_OK;

    if (is == width)
        return graphfile_plain_write(&w->file, offset, ids, count * (uint64_t)width);
    for (uint64_t i = 0; i < count && st == EDGEFILE_OK; i += BLOCK) {
        uint64_t block[BLOCK]; /* stays in the cache */
        size_t n = count - i < BLOCK ? count - i : BLOCK;

        if (is == 8)
            st = graphfile_narrow((uint32_t *)block, 1, (const uint64_t *)ids + i, n);
        else
            graphfile_widen(block, 1, (const uint32_t *)ids + i, n);
        if (st == EDGEFILE_OK)
            st = graphfile_plain_write(&w->file, offset + i * (uint64_t)width, block,
                                       n * (size_t)width);
    }
    return st;
}
