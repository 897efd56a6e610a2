/* reference.h - a second implementation of rmat/STREAM.md, independent of the library and slow on
 * purpose. */
#ifndef TESTS_SUPPORT_REFERENCE_H
#define TESTS_SUPPORT_REFERENCE_H

#include <stdint.h>

enum { REFERENCE_MAX_SCALE = 62 };

/* All zeros, except for the scales and matrices, make a plain graph. */
typedef struct {
    int rows_scale, cols_scale;
    uint64_t rows, cols;         /* 0: 2^scale */
    const double (*matrices)[4]; /* max(rows_scale, cols_scale) times a, b, c, d; not kept */
    double noise;
    int permute, no_self_loops, symmetrize;
    char direction; /* 'l'ower, 'u'pper or 0 */
    char weights;   /* 'u'niform, 'i'nt, 'f'loat or 0 */
    int32_t weight_min, weight_max;
    float weight_low, weight_high;
    uint64_t seed;
} reference_config;

typedef struct reference reference;

/* Aborts when memory runs out. */
reference *reference_create(const reference_config *config);
void reference_destroy(reference *r);

/* Returns the number of discarded draws. */
uint64_t reference_edge(const reference *r, uint64_t i, uint64_t *src, uint64_t *dst);

/* The weight of the edge between these vertices: the bits of the float or of the int32. */
uint32_t reference_weight(const reference *r, uint64_t src, uint64_t dst);

/* side 0: rows, 1: columns. */
uint64_t reference_permute(const reference *r, int side, uint64_t id);

/* The matrix that level l is drawn from. */
const double *reference_level(const reference *r, int l);

uint64_t reference_hash(uint64_t src, uint64_t dst);

#endif
