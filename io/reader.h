/* reader.h - how our HDF5 files are read: from one file, or from shards.  Private. */
#ifndef IO_READER_H
#define IO_READER_H

#include "io/hdf5_layout.h"

struct edgefile_reader {
    char *name;
    hid_t file, dataset[EDGEFILE_N_DATASETS]; /* -1: none */
    bool plain; /* all data lies in the file as it is in memory, so that it is read through: */
    int fd;     /* the file once more, which holds its lock */
    uint64_t offset[EDGEFILE_N_DATASETS], bytes[EDGEFILE_N_DATASETS]; /* of the data */
    uint64_t edges;
    uint64_t fingerprint;
    int unanswered; /* status of the first attribute that could not be read, with its message: */
    char *unanswered_text;
    edgefile_schema schema;
    /* If this is a shard: its first edge, its number, and the number of shards. */
    bool is_shard;
    uint64_t start, shard, of_shards;
    uint64_t first_row; /* of CSR; schema.rows are its own */
    /* If this is a master. */
    int shards;       /* 0: it is none */
    bool has_weight;  /* the master has the dataset `weight` */
    char folder[300]; /* the attribute shard_folder */
    char *base;       /* BASE.shards is the path of the folder */
    struct edgefile_shard {
        uint64_t start, first_row, fingerprint;
    } * list; /* shards + 1 elements */
    struct edgefile_open_shard {
        edgefile_reader *reader;
        int shard;
    } edges_from, pointers_from; /* read last */
};

/* hdf5/facts.c: opens a file for reading, with O_NONBLOCK, so that a FIFO does not wait for a
 * writer, and again after a signal, which interrupts a file system that waits for its server.  -1
 * on error.
 */
int edgefile_open_fd(const char *name);
/* hdf5/open.c: opens a single file; of a master, without its shards. */
int edgefile_open_one(edgefile_reader **out, const char *name);
/* shards/read.c */
int edgefile_read_shards_open(edgefile_reader *r);
/* Opens the shard that holds the edge, or the pointer.  *shard belongs to r and is valid until the
 * next call; *start: its first. */
int edgefile_read_shard(edgefile_reader *r, uint64_t edge, edgefile_reader **shard,
                        uint64_t *start);
int edgefile_read_shard_of_pointer(edgefile_reader *r, uint64_t pointer, edgefile_reader **shard,
                                   uint64_t *start);

#endif
