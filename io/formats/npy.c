/* io/formats/npy.c - NumPy's format 1.0: shape (2, edges), all src and then all dst. */
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Of a page, so that the arrays begin at one, and O_DIRECT writes them as they are. */
enum { HEADER = 4096, PREFIX = 10 };

static int open_npy(graphfile_writer *w)
{
    char header[HEADER + 1];
    int n = snprintf(header + PREFIX, sizeof header - PREFIX,
                     "{'descr': '<u%d', 'fortran_order': False, 'shape': (2, %" PRIu64 "), }",
                     w->spec.graph.id_bytes, w->spec.graph.edges);

    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = (char)((HEADER - PREFIX) % 256);
    header[9] = (HEADER - PREFIX) / 256;
    memset(header + PREFIX + n, ' ', (size_t)(HEADER - PREFIX - n));
    header[HEADER - 1] = '\n';
    graphfile_plain_reserve(&w->file,
                            HEADER + 2 * (uint64_t)w->spec.graph.id_bytes * w->spec.graph.edges);
    return graphfile_plain_write(&w->file, 0, header, HEADER);
}

static int write_npy(graphfile_writer *w, const graphfile_piece *p)
{
    const int width = w->spec.graph.id_bytes;
    const uint64_t at = HEADER + p->first * (uint64_t)width;
    int st = graphfile_write_column(w, at, p->src, p->count, width);

    if (st == EDGEFILE_OK) {
        st = graphfile_write_column(w, at + w->spec.graph.edges * (uint64_t)width, p->dst, p->count,
                                    width);
    }
    return st;
}

const graphfile_ops graphfile_npy_ops = {.open = open_npy, .write = write_npy, .edge_bytes = 8};
