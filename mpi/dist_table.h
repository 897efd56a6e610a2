/*
 * dist_table.h - assigns items to ranks: rank 0's table of distributed work, without MPI.
 *
 * Not thread-safe.  `now` is any clock's time in seconds, and never decreases.
 */
#ifndef MPI_DIST_TABLE_H
#define MPI_DIST_TABLE_H

#include <stdint.h>

typedef struct dist_table dist_table;

dist_table *dist_table_create(int ranks); /* NULL: memory is exhausted */
void dist_table_destroy(dist_table *table);

/* Does the work of dist_work_begin(); removes the previous work. */
void dist_table_begin(dist_table *table, const uint64_t *starts, uint64_t unit, int help);

/* Takes the next span for a rank. 1: *first and *count; 0: nothing is left for it; -1: try again
 * later, because the owners would now be done earlier than this rank. */
int dist_table_take(dist_table *table, int rank, double now, uint64_t *first, uint64_t *count);

/* Reports the total number of items that the rank has done. */
void dist_table_report(dist_table *table, int rank, uint64_t done, double now);

uint64_t dist_table_done(const dist_table *table); /* by all ranks */

#endif
