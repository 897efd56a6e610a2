/* hdf5_read.h - what the files that read HDF5 of any maker share.  Private. */
#ifndef IO_FORMATS_HDF5_READ_H
#define IO_FORMATS_HDF5_READ_H

#include "io/formats/reader.h"
#include "io/hdf5_layout.h"

/* The datasets that hold the edges: src, dst and weight of a list; of compressed sparse rows the
 * pointers, the columns and the values. */
enum { HDF5_SRC, HDF5_DST, HDF5_WEIGHT, HDF5_COLUMNS };

typedef struct {
    char name[HDF5_COLUMNS][GRAPHFILE_COLUMN_NAME]; /* of the weight "": there is none */
    bool is_csr;                                    /* compressed sparse rows, not a list */
    bool one_weight;   /* the dataset of weights has one element, which stands for all edges */
    uint64_t shape[2]; /* numbers of rows and columns; 0: the file does not say */
    uint64_t edges;    /* UINT64_MAX: likewise */
} hdf5_layout;

/* hdf5_read.c, between edgefile_hdf5_begin() and edgefile_hdf5_end(): which they are, by the
 * reader's format and the attributes of the file. */
int graphfile_hdf5_layout(const graphfile_reader *r, hid_t file, hdf5_layout *l);

/* An open file: the state of its reader. */
typedef struct {
    hdf5_layout layout;
    hid_t file, dataset[HDF5_COLUMNS]; /* -1: not open */
    bool is_signed[HDF5_COLUMNS];
    uint64_t length[HDF5_COLUMNS],
        chunk;               /* chunk: elements of one, of HDF5_DST; 0: there are none */
    double one_weight;       /* that of all edges */
    graphfile_rows pointers; /* of compressed sparse rows */
} hdf5_file;

/* hdf5_read.c, between begin and end: finds the datasets of x->file, opens and checks them, and
 * cuts the edges into pieces. */
int graphfile_hdf5_open(graphfile_reader *r, hdf5_file *x);

#endif
