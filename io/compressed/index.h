/*
 * index.h - where the chunks of a compressed dataset are: a B-tree of HDF5's version 1 ("HDF5 File
 * Format Specification", III.A.1), the index that all versions of HDF5 read.
 *
 * Chunks are numbered along the dataset.  Every node but the last of its level is full, so their
 * number tells the whole tree.  The root is where HDF5 put it when the dataset was created; the
 * other nodes lie one behind the other, the leaves first.
 */
#ifndef IO_COMPRESSED_INDEX_H
#define IO_COMPRESSED_INDEX_H

#include "io/reader.h"

typedef struct {
    uint64_t root;   /* where the root is; 0: the dataset is not compressed */
    uint64_t nodes;  /* where the other nodes begin */
    uint64_t length; /* of the dataset */
    uint64_t n;      /* chunks */
    int width;       /* bytes of an element */
    edgefile_chunk *chunk;
} edgefile_index;

/* For a dataset of `length` elements, not 0.  All chunks are 0 at first.  EDGEFILE_ERR_NOMEM. */
int edgefile_index_init(edgefile_index *x, uint64_t length, int width, const char *name);
void edgefile_index_free(edgefile_index *x);

/* Elements of every chunk, in which the last one's end may lie beyond the dataset's. */
uint64_t edgefile_index_chunk(const edgefile_index *x);

/* Bytes of the nodes but the root. */
uint64_t edgefile_index_bytes(const edgefile_index *x);

/* Writes all nodes.  EDGEFILE_ERR_IO, EDGEFILE_ERR_SPACE: with a message that begins with name. */
int edgefile_index_write(const edgefile_index *x, int fd, const char *name);

/* Fills x->nodes and x->chunk from the file, where x->root is known.  EDGEFILE_ERR_FORMAT: a byte
 * of a node differs from what edgefile_index_write() would have made of the chunks. */
int edgefile_index_read(edgefile_index *x, int fd, const char *name, const char *dataset);

#endif
