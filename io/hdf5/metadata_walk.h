/* metadata_walk.h - the blocks that an HDF5 file of ours is made of.  Private. */
#ifndef IO_HDF5_METADATA_WALK_H
#define IO_HDF5_METADATA_WALK_H

#include <stddef.h>
#include <stdint.h>

/* A file of ours has about ten. */
#define METADATA_MAX_BLOCKS 256

#define METADATA_NOWHERE UINT64_MAX /* HDF5's undefined address */

typedef enum {
    METADATA_SUPERBLOCK,
    METADATA_HEADER,       /* of an object: OHDR */
    METADATA_CONTINUATION, /* of a header: OCHK */
    METADATA_HEAP,         /* what virtual datasets are made of: GCOL */
    METADATA_DATA          /* of a dataset; never looked into */
} metadata_kind;

typedef struct {
    metadata_kind kind;
    uint64_t start, bytes;
    int flags; /* of a header, and of its continuations */
} metadata_block;

typedef struct {
    const char *name; /* for messages */
    int fd;
    uint64_t file_bytes;
    int with_heaps; /* check them too */
    uint64_t end;   /* of the file as HDF5 made it, at most file_bytes */
    metadata_block blocks[METADATA_MAX_BLOCKS];
    size_t n;
} metadata_walk;

/*
 * Finds all blocks, from name, fd and file_bytes (the rest is 0), and checks the sum of each.
 * EDGEFILE_ERR_FORMAT: damaged; EDGEFILE_ERR_FOREIGN: structures that this library does not write.
 */
int metadata_walk_run(metadata_walk *w);

/* metadata_messages.c: the messages of a header with these flags, or of a part of it. */
int metadata_messages(metadata_walk *w, int flags, const unsigned char *data, uint64_t bytes);

/* metadata_heap.c: the whole block, from its start. */
int metadata_heap_check(const metadata_walk *w, uint64_t start, const unsigned char *data,
                        uint64_t bytes);

/* Does a block end with the checksum of what comes before? */
int metadata_sum_ok(const unsigned char *data, uint64_t bytes);
uint64_t metadata_number(const unsigned char *at, size_t bytes); /* little-endian */
/* Of another block, which is read later. */
int metadata_add(metadata_walk *w, metadata_kind kind, uint64_t start, uint64_t bytes, int flags);
int metadata_foreign(const metadata_walk *w, const char *what);
int metadata_damaged(const metadata_walk *w, const char *what, uint64_t at);

#endif
