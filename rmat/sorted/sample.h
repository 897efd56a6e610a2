/* Private to rmat/: the sample behind its handle. */
#ifndef RMAT_SORTED_SAMPLE_H
#define RMAT_SORTED_SAMPLE_H

#include "rmat/rmat_sample.h"

typedef struct {
    rmat_cell cell; /* of an edge; with symmetrize of one of its two directions */
    double p;       /* of a draw */
    double rate;    /* -log(1 - p) */
    double weight;  /* of how many cells it is an example */
} rmat_sampled;

struct rmat_sample {
    uint64_t drawn, even; /* cells[0..drawn) are of the model, then come the even ones */
    rmat_sampled *cells;
    int exhaustive; /* these are all cells there are */
    uint64_t cols, rows, support;
    int symmetrize, threads;
};

typedef struct {
    double expected, error, slope; /* slope: what one more draw adds */
} rmat_distinct;

rmat_distinct rmat_estimate(const rmat_sample *s, double draws);

#endif
