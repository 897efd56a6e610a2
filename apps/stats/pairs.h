/*
 * Distinct edges, and those whose reverse exists too: a hash table of the pairs of vertices that
 * have an edge, in which several threads record the directions.
 *
 * An entry holds the hash value of the pair.  The hash function is a bijection, so the count is
 * exact.  One pass over the edges fills in the entries for its share of the hash values.  An entry
 * takes 8 bytes for 32-bit ids, else 16.
 *
 * Where one pass is enough, and each edge may be a pair of its own, a log of the edges takes no
 * more memory than the table, and less time.
 */
#ifndef APPS_STATS_PAIRS_H
#define APPS_STATS_PAIRS_H

#include "apps/engine/source/edge_source.h"
#include "apps/stats/tables.h"

/* A graph of so many edges.  both: each is known to have its reverse. */
void pairs_plan(pair_table *t, uint64_t rows, uint64_t cols, uint64_t edges, int id_bytes,
                bool both, int threads);

/* Bytes for one pass over all. */
double pairs_wanted(const pair_table *t);

/* The fewest passes in so much memory, and no fewer than the number given; which one. */
void pairs_cut(pair_table *t, uint64_t memory, uint64_t passes, uint64_t pass);

/* False: memory is exhausted.  pairs_free() in either case. */
bool pairs_create(pair_table *t);
void pairs_free(pair_table *t);

/* Any thread, with counts of its own.  False: the table is full. */
bool pairs_add(pair_table *t, const edge_block *edges, int thread, pair_counts *counts);

/* After the pass: counts what is recorded only.  False: a table is full. */
bool pairs_finish(pair_table *t, pair_counts *counts);

#endif
