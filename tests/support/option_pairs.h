/*
 * option_pairs.h - models in which any two values of options meet at least once ("pairwise"):
 * scales, matrices and noise, vertex counts, permutation, loops, direction, reverse edges, weights.
 * Pairs that the library refuses (a rectangular graph without loops, ...) are left out.
 */
#ifndef TESTS_SUPPORT_OPTION_PAIRS_H
#define TESTS_SUPPORT_OPTION_PAIRS_H

#include "rmat/rmat.h"

enum { OPTION_PAIRS = 85 };

typedef struct {
    rmat_config config; /* backend, ISA, threads: those of rmat_config_default() */
    rmat_matrix levels[RMAT_MAX_SCALE];
    char name[128];
} option_case;

/* Always the same.  config.levels points into the case. */
void option_pairs(option_case cases[OPTION_PAIRS]);

#endif
