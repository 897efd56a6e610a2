/*
 * dist_table.h - which rank does which items: rank 0's book of work given out, without MPI.
 *
 * Not thread-safe.  `now` is any clock's seconds, never going back.
 */
#ifndef MPI_DIST_TABLE_H
#define MPI_DIST_TABLE_H

#include <stdint.h>

typedef struct dist_table dist_table;

dist_table *dist_table_create(int ranks); /* NULL: no memory */
void dist_table_destroy(dist_table *table);

/* As dist_work_begin() says; forgets what was before. */
void dist_table_begin(dist_table *table, const uint64_t *starts, uint64_t unit, int help);

/* The next span for a rank.  1: *first and *count; 0: nothing is left for it; -1: nothing now that
 * it would be done with before its owner, ask again. */
int dist_table_take(dist_table *table, int rank, double now, uint64_t *first, uint64_t *count);

/* The rank has done so many items in all. */
void dist_table_report(dist_table *table, int rank, uint64_t done, double now);

uint64_t dist_table_done(const dist_table *table); /* by all ranks */

#endif
