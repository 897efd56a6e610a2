/* The row pointers of a CSR file. */
#ifndef APPS_VERIFY_POINTERS_H
#define APPS_VERIFY_POINTERS_H

#include "apps/verify/verify.h"
#include "rmat/rmat_interval.h"

/* All zero: none were looked at. */
typedef struct {
    uint64_t looked_at, last; /* how many; the last one */
    uint64_t begin, end;    /* that of row 0, and behind the last row: where they were looked at */
    uint64_t descents, row; /* rows that begin before the one before them; the first of them */
    uint64_t wrong, first, found, expected; /* that are not those of the graph; the first of them */
} pointer_tally;

/* Pointers [first, first + count) against those of the interval, which has edges from `add` on. For
 * the rows of a file in order.  Returns 0, an
 * edgefile_status or an rmat_status. */
int verify_pointers(pointer_tally *tally, edgefile_reader *reader, const rmat_interval *interval,
                    uint64_t first, uint64_t count, uint64_t add);

/* Report `pointers`.  all: of the whole file. */
void verify_pointers_report(verify_report *report, const pointer_tally *tally, uint64_t rows,
                            uint64_t edges, bool all);

#endif
