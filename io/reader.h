/* reader.h - an open HDF5 file of ours.  Private. */
#ifndef IO_READER_H
#define IO_READER_H

#include "io/hdf5_layout.h"

struct edgefile_reader {
    char *name;
    hid_t file; /* for its attributes */
    int fd;     /* the file once more, from which data is read; it holds the lock */
    uint64_t offset[EDGEFILE_N_DATASETS], bytes[EDGEFILE_N_DATASETS]; /* of the data */
    uint64_t edges;
    uint64_t fingerprint;
    int unanswered; /* status of the first attribute that could not be read, with its message: */
    char *unanswered_text;
    edgefile_schema schema;
};

/* hdf5/facts.c: opens a file for reading, with O_NONBLOCK, so that a FIFO does not wait for a
 * writer, and again after a signal, which interrupts a file system that waits for its server.  -1
 * on error.
 */
int edgefile_open_fd(const char *name);
#endif
