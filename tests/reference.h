/* A second implementation of rmat/STREAM.md, independent of the library and slow on purpose. */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <stdint.h>

typedef struct reference reference;

/* matrices: max(rows_scale, cols_scale) times a, b, c, d.  Aborts when memory runs out. */
reference *reference_create(int rows_scale, int cols_scale, const double (*matrices)[4],
                            uint64_t seed);
void reference_destroy(reference *r);
void reference_edge(const reference *r, uint64_t i, uint64_t *src, uint64_t *dst);
uint64_t reference_hash(uint64_t src, uint64_t dst);

/* For the tests of tables and ties. */
uint64_t reference_threshold(const reference *r, int group, int path); /* of 2^50 */
int reference_alias(const reference *r, int group, int path);

#endif
