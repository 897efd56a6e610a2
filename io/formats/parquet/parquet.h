/*
 * parquet.h - declarations shared by the files that write Parquet.  Private.
 *
 * A file consists of row groups of PARQUET_GROUP edges, and a group of pages of PARQUET_PAGE edges;
 * only the last group and its last page are shorter.  A group holds the pages of the first column,
 * its column chunk, then those of the next column.  A page is a header and the values as they are
 * in memory (PLAIN).  So the number of an edge gives its place, and the number of edges gives the
 * length of everything before the metadata.
 */
#ifndef IO_FORMATS_PARQUET_PARQUET_H
#define IO_FORMATS_PARQUET_PARQUET_H

#include "io/formats/parquet/thrift.h"
#include "io/writer.h"

enum { PARQUET_COLUMNS = 3, PARQUET_HEADER = 64 /* of a page, at most */ };

#define PARQUET_PAGE  ((uint64_t)1 << 17)
#define PARQUET_GROUP ((uint64_t)1 << 20)

#define PARQUET_MAGIC "PAR1" /* begins and ends a file, without the NUL */
enum { PARQUET_MAGIC_BYTES = 4 };

/* Parquet's numbers for types and encodings. */
typedef enum { PARQUET_INT32 = 1, PARQUET_INT64 = 2, PARQUET_FLOAT = 4 } parquet_type;
enum {
    PARQUET_PLAIN = 0,
    PARQUET_RLE = 3 /* of the levels of columns with missing values, which do not occur */
};

/* The header of a page. */
typedef struct {
    char text[PARQUET_HEADER];
    size_t bytes;
} parquet_header;

typedef struct {
    const char *name;
    parquet_type type;
    size_t width;              /* bytes of a value */
    parquet_header full, last; /* of pages of PARQUET_PAGE edges, and of the shorter last page */
} parquet_column;

/* The structure of a file. */
typedef struct {
    parquet_column column[PARQUET_COLUMNS];
    int n_columns;
    uint64_t edges, groups;
} parquet_layout;

/* The least and the greatest value of a column chunk, by their bits in the column's type. */
typedef struct {
    uint64_t least, greatest;
    uint64_t known; /* flag: there is a value that is a number */
} parquet_range;

/* layout.c. group_edges: the number of edges of a row group.  chunk_bytes: the length of a column
 * chunk with this many edges.  chunk_at: the offset in the file of a column's chunk; for the column
 * after the last one, the end of the group.  header_of: the header of the page that holds an edge.
 * value_at: the offset of the edge's value.  end: the offset of the footer. */
parquet_layout parquet_layout_of(const graphfile_graph *g);
uint64_t parquet_group_edges(const parquet_layout *x, uint64_t group);
uint64_t parquet_chunk_bytes(const parquet_column *column, uint64_t edges);
uint64_t parquet_chunk_at(const parquet_layout *x, uint64_t group, int column);
const parquet_header *parquet_header_of(const parquet_layout *x, int column, uint64_t edge);
uint64_t parquet_value_at(const parquet_layout *x, int column, uint64_t edge);
uint64_t parquet_end(const parquet_layout *x);

/* footer.c: the metadata of the whole file, and the end of the file.  range: of the chunks of all
 * groups, n_columns per group; NULL: only measure the length. */
void parquet_footer(thrift_writer *t, const graphfile_spec *spec, const parquet_layout *x,
                    const parquet_range *range);

#endif
