/* metadata_walk.h - the blocks that one of our HDF5 files is made of.  Private. */
#ifndef IO_HDF5_METADATA_WALK_H
#define IO_HDF5_METADATA_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Our files have about ten. */
#define METADATA_MAX_BLOCKS 256

#define METADATA_NOWHERE UINT64_MAX /* HDF5's undefined address */

typedef enum {
    METADATA_SUPERBLOCK,
    METADATA_HEADER,       /* of an object: OHDR */
    METADATA_CONTINUATION, /* of a header: OCHK */
    METADATA_TREE,         /* the root of an index of chunks; not read */
    METADATA_DATA          /* of a dataset; not read */
} metadata_kind;

typedef struct {
    metadata_kind kind;
    uint64_t start, bytes;
    int flags;   /* of a header, also for its continuations */
    int dataset; /* which of EDGEFILE_N_DATASETS it belongs to, by the name of the link; or 0 */
} metadata_block;

typedef struct {
    const char *name; /* for messages */
    int fd;
    uint64_t file_bytes;
    uint64_t end; /* of the file, according to the superblock; at most file_bytes */
    metadata_block blocks[METADATA_MAX_BLOCKS];
    size_t n;
    int dataset; /* of the block that is being read, and of a link */
} metadata_walk;

/*
 * Finds all blocks of an open file and checks their checksums.  *walk is to be freed, and NULL on
 * error.  EDGEFILE_ERR_FORMAT: the file is damaged, or has structures that this library does not
 * write.
 */
int edgefile_metadata_walk(metadata_walk **walk, const char *name, int fd, bool with_heaps);

/* Do the bytes end with the checksum of those before it? */
bool edgefile_metadata_sum_ok(const unsigned char *data, uint64_t bytes);
uint64_t edgefile_metadata_number(const unsigned char *at, size_t bytes); /* little-endian */

#endif
