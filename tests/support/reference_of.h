/* reference_of.h - the reference for a model of the library, and the edges expected from it. */
#ifndef TESTS_SUPPORT_REFERENCE_OF_H
#define TESTS_SUPPORT_REFERENCE_OF_H

#include "rmat/rmat.h"
#include "tests/support/bench.h"
#include "tests/support/reference.h"

#include <string.h>

SCOPED(reference_destroy, reference *)

static inline reference *reference_of(const rmat_config *c)
{
    double m[RMAT_MAX_SCALE][4];

    for (int l = 0; l < RMAT_MAX_SCALE && (l < c->rows_scale || l < c->cols_scale); l++) {
        const rmat_matrix *x = c->levels ? &c->levels[l] : &c->matrix;

        memcpy(m[l], (double[]){x->a, x->b, x->c, x->d}, sizeof m[l]);
    }
    return reference_create(&(reference_config){
        .rows_scale = c->rows_scale,
        .cols_scale = c->cols_scale,
        .rows = c->rows,
        .cols = c->cols,
        .matrices = (const double(*)[4])m,
        .noise = c->noise,
        .permute = c->permute,
        .no_self_loops = c->no_self_loops,
        .symmetrize = c->symmetrize,
        .direction = "\0lu"[c->direction],
        .weights = "\0uif"[c->weights],
        .weight_min = c->weight_min,
        .weight_max = c->weight_max,
        .weight_low = c->weight_low,
        .weight_high = c->weight_high,
        .seed = c->seed,
    });
}

/* Expects the reference's edges [first, first + count). */
static inline void expect_reference(bench *b, const reference *r, uint64_t first, uint64_t count)
{
    b->redraws = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t redraws = reference_edge(r, first + i, &b->src[i], &b->dst[i]);

        b->redraws += b->config.symmetrize && (first + i) % 2 ? 0 : redraws;
        b->weight[i] = b->config.weights ? reference_weight(r, b->src[i], b->dst[i]) : 0;
    }
}

#endif
