/*
 * compressed.h - HDF5 files whose columns are compressed, as edgefile.h writes and reads them.
 * Private.
 *
 * Behind HDF5's metadata come the chunks of the columns of the edges, every one at the beginning of
 * a page of the file: chunk 0 of each column, then chunk 1, and so on; in a CSR file behind them
 * the chunks of the pointers; at the end the indices.  Between a chunk's end and the next page
 * there are zeros.  So the sizes of the chunks alone say where all of them are.  What other folders
 * use is in private.h.
 */
#ifndef IO_COMPRESSED_COMPRESSED_H
#define IO_COMPRESSED_COMPRESSED_H

#include "io/compressed/codec.h"
#include "io/compressed/index.h"
#include "io/reader.h"

/* Chunks begin at multiples of this, so that O_DIRECT writes them whole. */
#define EDGEFILE_CHUNK_PAGE ((uint64_t)4096)

static inline uint64_t edgefile_chunk_page(uint64_t offset)
{
    return (offset + EDGEFILE_CHUNK_PAGE - 1) / EDGEFILE_CHUNK_PAGE * EDGEFILE_CHUNK_PAGE;
}

/* index.c: where HDF5 takes the file to end, and the roots of the indices that it made, in the
 * order of the datasets.  set_end: HDF5 is to take the file to end there. */
int edgefile_compressed_look(const char *name, int fd, uint64_t *end, uint64_t *roots, int n);
int edgefile_compressed_set_end(const char *name, int fd, uint64_t end);

#endif
