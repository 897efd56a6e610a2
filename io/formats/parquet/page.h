/* page.h - where the pages of a column are, and what is in them.  Private. */
#ifndef IO_FORMATS_PARQUET_PAGE_H
#define IO_FORMATS_PARQUET_PAGE_H

#include "io/formats/parquet/metadata.h"

typedef struct {
    uint64_t offset, bytes; /* in the file, behind the header */
    uint64_t plain;         /* bytes that they are without compression */
    uint64_t levels;        /* of version 2: bytes at the beginning that are never compressed */
    bool version2, is_dictionary;
    int codec;
    uint64_t first, count; /* edges; of a dictionary, values */
    int64_t encoding;
    uint64_t dictionary; /* 1 more than the number of that which its values are indices of; 0: of
                            none */
} parquet_page;

/* Values of a dictionary, for the pages that refer to it. */
typedef struct {
    uint64_t number; /* as parquet_page.dictionary; 0: none is loaded */
    int64_t *value;  /* free() */
    uint64_t count;
} parquet_dictionary;

/* Does Parquet encode values as indices into a dictionary by this encoding? */
static inline bool parquet_is_indexed(int64_t encoding)
{
    return encoding == PARQUET_PLAIN_DICTIONARY || encoding == PARQUET_RLE_DICTIONARY;
}

/* Loads the dictionary, unless it is there already. */
int parquet_load_dictionary(const graphfile_reader *r, const parquet_column *column,
                            const parquet_page *page, uint64_t number, parquet_dictionary *d);

/* The page's values, p->count of them: integers as they are, floats by their bits. */
int parquet_decode(const graphfile_reader *r, const parquet_column *column, const parquet_page *p,
                   const parquet_dictionary *d, int64_t *to);

#endif
