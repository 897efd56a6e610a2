/*
 * Words, each with a hash value, that are first recorded and then counted, by several threads.
 *
 * A table for all of them is larger than any cache, and each word would wait for memory.  So words
 * are recorded by their hash values in some thousand parts, one after the other, and each part is
 * counted in a table that fits into a cache.
 */
#ifndef APPS_STATS_PAIR_LOG_H
#define APPS_STATS_PAIR_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* A word is a hash value, shifted, and one flag; the other bits of the hash value are its upper
 * ones, of which the part gives more than the word lacks. */
enum { PAIR_FORWARD = 1, PAIR_BACKWARD = 2, PAIR_LOOP = 4, PAIR_FLAG_BITS = 3 };

/* The entries that one thread added. */
typedef struct {
    __attribute__((aligned(64))) uint64_t distinct; /* edges */
    uint64_t loops, mutual; /* loops among them; and pairs with both directions */
} pair_tally;

typedef struct pair_log pair_log;

/* Of a log of so many words. */
uint64_t pair_log_bytes(uint64_t words, int threads);

/* NULL: memory is exhausted. */
pair_log *pair_log_create(uint64_t words, int threads);
void pair_log_free(pair_log *l); /* NULL is allowed */

/* Thread 0 to threads - 1.  False: these are more words than the log is for. */
bool pair_log_add(pair_log *l, int thread, const uint64_t *hashes, const uint64_t *words,
                  uint64_t n);

/* Counts all, once.  False: there was no memory, or a part has too many different words. */
bool pair_log_count(pair_log *l, pair_tally *tally);

#endif
