/* Weight families, and the checks that every table must pass. */
#ifndef TESTS_SUPPORT_ALIAS_UTIL_H
#define TESTS_SUPPORT_ALIAS_UTIL_H

#include "alias/alias.h"
#include "tests/support/must.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAMILIES = 18 };
const char *family_name(int family);

/* Weights of a family for n items, on the heap.  At least one is positive. */
double *family_weights(int family, uint64_t n);

/* Uniform 64 bits, and a double in (0, 1), from a seed that advances. */
uint64_t next_random(uint64_t *state);
double next_unit(uint64_t *state);

SCOPED(alias_destroy, alias_table *)

void *must_alloc(uint64_t count, size_t size);

/* The default configuration, with these values. */
alias_config table_config(alias_backend backend, alias_builder builder, int row_bytes);

/* The status of a call that makes a table in place of SOME_TABLE, or else sets it to NULL. */
#define SOME_TABLE ((alias_table *)"anything but NULL")
static inline int status_of(int status, alias_table *const *table)
{
    ck_assert((status == ALIAS_OK) == (*table != NULL));
    return status;
}

/* The status of alias_create(); no table is left. */
int create_status(const alias_config *config, const double *w, uint64_t n, uint64_t *bad);

/* Makes a table on the CPU. */
alias_table *must_create(alias_builder builder, int row_bytes, int threads, uint64_t splits,
                         const double *weights, uint64_t n);

/* All rows. */
alias_row *table_rows(const alias_table *table);

/* Fails the test unless the rows are canonical and give every item exactly q[i]. */
void check_masses(const alias_row *rows, uint64_t n, int k, const uint64_t *q, const char *what);

/* Fails the test unless the tables are equal row for row. */
void check_equal(const alias_row *a, const alias_row *b, uint64_t n, const char *what);

/* Fails the test unless draws [first, first + n), or those of a sectioned batch, are these, as
 * numbers of 32 and of 64 bits, and nothing after them is touched. */
void check_draws(const alias_table *table, bool sections, uint64_t seed, uint64_t first, uint64_t n,
                 const uint64_t *expected);

#endif
