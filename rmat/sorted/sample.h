/* sample.h - private to rmat/: the sample behind its handle. */
#ifndef RMAT_SORTED_SAMPLE_H
#define RMAT_SORTED_SAMPLE_H

#include "rmat/rmat_sample.h"

#include <stdbool.h>

typedef struct {
    rmat_cell cell; /* an edge; with symmetrize, one of its two directions */
    double p;       /* the probability that a draw hits it */
    double rate;    /* -log(1 - p): no draw of T hits it with probability exp(-rate * T) */
    double weight;  /* how many cells it stands for in a sum over all cells */
} rmat_sampled;

struct rmat_sample {
    uint64_t drawn, even; /* cells[0..drawn) were drawn from the model, the next even ones evenly */
    rmat_sampled *cells;
    /* The exhaustive sample of a model with the same matrix at each level has few different
     * probabilities: n_kinds cells of weights to match; 0 where there are many. */
    rmat_sampled *kinds;
    uint64_t n_kinds;
    bool exhaustive;              /* the sample is all cells of the support */
    uint64_t cols, rows, support; /* support: as of rmat_support_size() */
    uint64_t most;                /* draws that there can be */
    int symmetrize, threads;
};

typedef struct {
    double expected; /* the number of distinct edges */
    double error;    /* its standard deviation: rmat_sample_distinct() */
    double slope;    /* how much one more draw adds to it */
} rmat_distinct;

/* Estimates the number of distinct edges among so many draws. */
rmat_distinct rmat_estimate(const rmat_sample *s, double draws);

#endif
