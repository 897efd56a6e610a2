/* metadata.h - what the footer of a Parquet file says, as far as a list of edges needs it. Private.
 */
#ifndef IO_FORMATS_PARQUET_METADATA_H
#define IO_FORMATS_PARQUET_METADATA_H

#include "io/formats/parquet/parquet.h"
#include "io/formats/reader.h"

/* A column of a row group. */
typedef struct {
    uint64_t offset, bytes, values;
    int codec;
} parquet_place;

typedef struct {
    int n_columns;                          /* 2 or 3 */
    parquet_column column[PARQUET_COLUMNS]; /* those of r->datasets; encoding: not known yet */
    uint64_t edges, groups;
    parquet_place *place; /* n_columns of each group; free() */
    uint64_t rows, cols;  /* vertices, if the file tells; else 0 */
    bool icebug;          /* a part of a graph in this format */
} parquet_metadata;

/* Reads the footer of r's file.  EDGEFILE_ERR_FORMAT: it is damaged, or no list of edges.  place is
 * set in any case. */
int parquet_metadata_read(parquet_metadata *m, const graphfile_reader *r);

/* "NAME: what", EDGEFILE_ERR_FORMAT. */
int parquet_bad(const graphfile_reader *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
