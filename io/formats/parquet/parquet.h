/*
 * parquet.h - what the files that write Parquet share.  Private.
 *
 * A file is cut into row groups of graphfile_spec.row_group edges, and these into pages of
 * PARQUET_PAGE edges; only the last group and its last page are shorter.  In a group come the pages
 * of the first column, then those of the next.  Nothing of this depends on the pieces that the
 * writer is given, so the bytes do not either.
 */
#ifndef IO_FORMATS_PARQUET_PARQUET_H
#define IO_FORMATS_PARQUET_PARQUET_H

#include "io/formats/writer.h"

enum { PARQUET_COLUMNS = GRAPHFILE_COLUMNS };
#define PARQUET_PAGE GRAPHFILE_ROW_GROUP_UNIT

#define PARQUET_MAGIC "PAR1" /* begins and ends a file, without the NUL */

/* Edges of a row group, and how many groups the file has. */
static inline uint64_t parquet_group(const graphfile_spec *s)
{
    return s->row_group > 0 ? s->row_group : GRAPHFILE_ROW_GROUP;
}

static inline uint64_t parquet_groups_of(const graphfile_spec *s)
{
    return s->graph.edges / parquet_group(s) + (s->graph.edges % parquet_group(s) != 0);
}

/* Parquet's numbers for types, encodings and codecs. */
typedef enum { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_FLOAT = 4 } parquet_type;
typedef enum {
    PARQUET_PLAIN = 0,
    PARQUET_RLE = 3, /* of the levels of columns with missing values, which there are none of */
    PARQUET_DELTA = 5,
    PARQUET_SPLIT = 9 /* BYTE_STREAM_SPLIT: all first bytes, then all second ones, ... */
} parquet_encoding;
typedef enum { PARQUET_NO_CODEC = 0, PARQUET_ZSTD = 6 } parquet_codec;

typedef struct {
    const char *name;
    parquet_type type;
    parquet_encoding encoding;
    bool narrow; /* a page whose values are so far apart that not all readers take their differences
                    is PLAIN all the same */
    parquet_codec codec;
} parquet_column;

/* Of pages: the least and the greatest value, by their bits in the column's type; the bytes without
 * compression, headers included; and a bit for each encoding that occurs. */
typedef struct {
    uint64_t least, greatest, plain_bytes, encodings;
} parquet_range;

/* A column of a row group in the file. */
typedef struct {
    uint64_t offset, bytes;
    parquet_range range;
} parquet_chunk;

static inline size_t parquet_width(parquet_type type)
{
    return type == PARQUET_INT64 ? 8 : 4;
}

/* encode.c: a page with its header, of count values; `from` has elements of id_bytes, or of 4 bytes
 * where the column is one of weights.  Also their range. */
int parquet_encode(graphfile_buffer *to, parquet_range *range, const parquet_column *column,
                   const void *from, int from_bytes, size_t count);

/* Widens *range by another one of a column of this type. */
void parquet_add_range(parquet_range *range, const parquet_range *more, parquet_type type);

/* groups.c: the metadata of the whole file, from the chunks of its row groups, n_columns each, one
 * group after the other. */
int parquet_footer(graphfile_buffer *to, const graphfile_writer *w, const parquet_column *column,
                   int n_columns, const parquet_chunk *chunk);

/*
 * groups.c: pages on their way into the file.  A page is encoded when all of its edges have come,
 * and waits until its row group is complete and all groups before it have their places.
 */
typedef struct parquet_groups parquet_groups;
parquet_groups *parquet_groups_new(graphfile_writer *w, const parquet_column *column,
                                   int n_columns);
/* A whole page; from any thread. */
int parquet_groups_add(parquet_groups *g, uint64_t number,
                       const void *const column[PARQUET_COLUMNS]);
/* Of several processes: writes the groups that came in this round, which are complete.  Then, when
 * all rounds are over: the chunks of all of them to all; returns where the last group ends.
 * Collective. */
int parquet_groups_end_round(parquet_groups *g);
bool parquet_groups_complete(const parquet_groups *g); /* none waits for pages or a place */
uint64_t parquet_groups_gather(parquet_groups *g);
const parquet_chunk *parquet_groups_chunks(const parquet_groups *g);
void parquet_groups_free(parquet_groups *g);

#endif
