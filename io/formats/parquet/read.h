/* read.h - Parquet files as a format that is read: for parquet.c.  Private. */
#ifndef IO_FORMATS_PARQUET_READ_H
#define IO_FORMATS_PARQUET_READ_H

#include "io/formats/reader.h"

extern const graphfile_read_ops parquet_read_ops;

#endif
