/* reader.h - how our HDF5 files are read, also those with compressed chunks.  Private. */
#ifndef IO_READER_H
#define IO_READER_H

#include "io/hdf5_layout.h"

/* compressed/: files whose columns are compressed (compressed/compressed.h). */

/* Can this build encode and decode chunks?  EDGEFILE_ERR_ARG: no, and the message says what it
 * lacks. */
int edgefile_codec_check(void);

/* Elements of a chunk.  Datasets with fewer have one chunk of their own length. */
#define EDGEFILE_CHUNK EDGEFILE_ROUND

/* Children of a node of an index of chunks, as in all files whose superblock says nothing else. */
enum { EDGEFILE_NODE_FANOUT = 64, EDGEFILE_NODE_BYTES = 24 + 64 * 8 + 65 * 24 };

/* Is the dataset compressed?  Not if it has no elements, or one value that stands for all. */
bool edgefile_is_compressed(const edgefile_schema *s, int dataset, uint64_t edges);

struct edgefile_inflating;
/* compressed/read.c: sets r->inflating of a file with compressed datasets. */
int edgefile_inflating_open(edgefile_reader *r, uint64_t file_bytes);
void edgefile_inflating_close(struct edgefile_inflating *x); /* NULL does nothing */
/* As edgefile_read() and edgefile_read_pointers(), for ranges that the file has. */
int edgefile_inflating_read(edgefile_reader *r, uint64_t first, uint64_t count,
                            char *const data[EDGEFILE_N_DATASETS]);
/* Ranges of the file that chunks and the nodes of their indices take: at most
 * EDGEFILE_N_DATASETS + 1, of which it returns how many there are. */
int edgefile_inflating_ranges(const edgefile_reader *r, edgefile_chunk *range);

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
    struct edgefile_inflating *inflating; /* if it is compressed: compressed/read.c; else NULL */
};

/* hdf5/facts.c: opens a file for reading, with O_NONBLOCK, so that a FIFO does not wait for a
 * writer, and again after a signal, which interrupts a file system that waits for its server.  -1
 * on error.
 */
int edgefile_open_fd(const char *name);
/* Has a dataset of that length the chunks and filters that our compressed files have? */
bool edgefile_read_is_compressed(hid_t creation, uint64_t length);
#endif
