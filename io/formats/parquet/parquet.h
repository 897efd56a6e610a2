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

#include "io/formats/reader.h"
#include "io/formats/writer.h"

enum { PARQUET_COLUMNS = GRAPHFILE_COLUMNS };
#define PARQUET_PAGE GRAPHFILE_ROW_GROUP_UNIT

#define PARQUET_MAGIC "PAR1" /* begins and ends a file, without the NUL */

/* The first column of edges that is in the file: icebug has row pointers in place of sources. */
static inline int parquet_first(const graphfile_spec *s)
{
    return s->format == GRAPHFILE_ICEBUG ? 1 : 0;
}

/* Edges of a row group, and how many groups the file has.  In icebug, whose readers look for the
 * edges of single vertices, groups are as small as they can be. */
static inline uint64_t parquet_group(const graphfile_spec *s)
{
    const uint64_t usual = s->row_group > 0 ? s->row_group : GRAPHFILE_ROW_GROUP;

    return s->format == GRAPHFILE_ICEBUG ? GRAPHFILE_ROW_GROUP_UNIT : usual;
}

static inline uint64_t parquet_groups_of(const graphfile_spec *s)
{
    return s->graph.edges / parquet_group(s) + (s->graph.edges % parquet_group(s) != 0);
}

/* Parquet's numbers for types and encodings. */
typedef enum {
    PARQUET_INT32 = 1,
    PARQUET_INT64 = 2,
    PARQUET_FLOAT = 4,
    PARQUET_DOUBLE = 5 /* is read, but not written; so are the encodings and codecs below */
} parquet_type;
typedef enum {
    PARQUET_PLAIN = 0,
    PARQUET_PLAIN_DICTIONARY = 2, /* the same as RLE_DICTIONARY, of older files */
    PARQUET_RLE = 3,
    PARQUET_DELTA = 5,
    PARQUET_RLE_DICTIONARY = 8, /* indices into values that come first */
    PARQUET_SPLIT = 9           /* BYTE_STREAM_SPLIT: all first bytes, then all second ones, ... */
} parquet_encoding;
typedef enum {
    PARQUET_NO_CODEC = 0,
    PARQUET_SNAPPY = 1,
    PARQUET_GZIP = 2,
    PARQUET_ZSTD = 6
} parquet_codec;

typedef struct {
    char name[GRAPHFILE_COLUMN_NAME];
    parquet_type type;
    parquet_encoding encoding;
    bool narrow; /* a page whose values are so far apart that not all readers take their differences
                    is PLAIN all the same */
    parquet_codec codec;
    bool unranged;              /* the footer does not tell the least and the greatest value */
    bool optional, is_unsigned; /* of a file that is read: values may be missing; of integers */
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

/* What the columns of a graph are, but for their names, those that are not in the file too; how
 * many. */
int parquet_columns(parquet_column column[PARQUET_COLUMNS], const graphfile_spec *spec);

static inline size_t parquet_width(parquet_type type)
{
    return type == PARQUET_INT64 || type == PARQUET_DOUBLE ? 8 : 4;
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

/* read.c: Parquet files as a format that is read. */
extern const graphfile_read_ops parquet_read_ops;

/* parquet.c: how edges are written, for formats that have them in Parquet: see writer.h and
 * format.h. */
int parquet_open(graphfile_writer *w);
int parquet_write(graphfile_writer *w, const graphfile_piece *p);
int parquet_end_round(graphfile_writer *w);
int parquet_finish(graphfile_writer *w);
void parquet_close(graphfile_writer *w);
uint64_t parquet_most(const graphfile_spec *s);

/* parquet.c: a table in a file beside the edges: see io/small_file.h. */
int parquet_table_create(struct edgefile_table **table, graphfile_plain *file,
                         graphfile_format format, int n, const char *const *names, uint64_t rows);

#endif
