/* The sources of the edges of a CSR file, from its row pointers. */
#ifndef APPS_VERIFY_ROWS_H
#define APPS_VERIFY_ROWS_H

#include "io/edgefile.h"

enum { VERIFY_POINTERS = 8192 }; /* read at a time */

/* The rest is zero at first. */
typedef struct {
    uint64_t rows;         /* of the file */
    uint64_t row, at;      /* of the edge that is likely to be asked for next */
    uint64_t first, count; /* some of the pointers: */
    uint64_t window[VERIFY_POINTERS];
} verify_rows;

/* Write the sources of the edges [first, first + count) to src.  If the pointers are wrong, so are
 * the sources, but each is a row of the graph.  Returns an edgefile_status. */
int verify_rows_expand(verify_rows *rows, edgefile_reader *reader, uint64_t first, uint64_t count,
                       void *src, int id_bytes);

#endif
