/* reference.h - a second implementation of rmat/STREAM.md, slow on purpose and independent of the
 * library, with which it shares only the struct that describes a model. */
#ifndef TESTS_SUPPORT_REFERENCE_H
#define TESTS_SUPPORT_REFERENCE_H

#include "rmat/rmat.h"
#include "tests/support/bench.h"

typedef struct reference reference;

/* Aborts when memory runs out. */
reference *reference_create(const rmat_config *config);
void reference_destroy(reference *r);
SCOPED(reference_destroy, reference *)

void reference_edge(const reference *r, uint64_t i, uint64_t *src, uint64_t *dst);

/* The weight of the edge between these vertices: the bits of the float or of the int32. */
uint32_t reference_weight(const reference *r, uint64_t src, uint64_t dst);

uint64_t reference_permute(const reference *r, rmat_side side, uint64_t id);

/* The matrix that level l is drawn from. */
rmat_matrix reference_level(const reference *r, int l);

uint64_t reference_hash(uint64_t src, uint64_t dst);

/* Expects the reference's edges [first, first + count). */
void expect_reference(bench *b, const reference *r, uint64_t first, uint64_t count);

#endif
