/*
 * rmat_sample_distinct(): the expected number of distinct cells among T draws, which is the sum of
 * q = 1 - (1 - p)^T over all cells, estimated from the sample.
 *
 * The sum of p over all cells is known to be 1, so the amount by which the sample misses it
 * corrects the estimate of q (p is a control variate).  If hardly any draw hits the cell of
 * another, q is nearly T p, and hardly any error is left.
 */
#include "rmat/sorted/sample.h"

#include <math.h>
#include <stddef.h>

enum {
    PIECES = 64
}; /* of a sum, whatever the number of threads, so that sums do not depend on it */
enum { WORTH_THREADS = 1 << 15 }; /* cells from which on threads pay */

typedef struct {
    double q, p, qq, qp, pp; /* sums of weighted values, their squares and products */
    double noise, slope;     /* sums of weighted q (1 - q) and dq / dT */
} sums;

static sums sum_piece(const rmat_sampled *cells, uint64_t n, double draws)
{
    sums s = {0};

    for (uint64_t i = 0; i < n; i++) {
        const double taken = -expm1(-draws * cells[i].rate);
        const double q = taken * cells[i].weight;
        const double p = cells[i].p * cells[i].weight;

        s.q += q;
        s.p += p;
        s.qq += q * q;
        s.qp += q * p;
        s.pp += p * p;
        s.noise += q * (1 - taken);
        s.slope += cells[i].rate * (1 - taken) * cells[i].weight;
    }
    return s;
}

static void add(sums *to, const sums *s)
{
    to->q += s->q;
    to->p += s->p;
    to->qq += s->qq;
    to->qp += s->qp;
    to->pp += s->pp;
    to->noise += s->noise;
    to->slope += s->slope;
}

static sums sum(const rmat_sample *s, const rmat_sampled *cells, uint64_t n, double draws)
{
    sums pieces[PIECES], total = {0};

#pragma omp parallel for num_threads(s->threads) if (n >= WORTH_THREADS)
    for (uint64_t k = 0; k < PIECES; k++) {
        const uint64_t from = n / PIECES * k, end = k + 1 < PIECES ? n / PIECES * (k + 1) : n;

        pieces[k] = sum_piece(cells + from, end - from, draws);
    }
    for (int k = 0; k < PIECES; k++) {
        add(&total, &pieces[k]);
    }
    return total;
}

/* The covariance of two sums over a sample of n values: n times that of the values. */
static double covariance(double xy, double x, double y, uint64_t n)
{
    return n ? xy - x * y / (double)n : 0;
}

rmat_distinct rmat_estimate(const rmat_sample *s, double draws)
{
    const sums a = sum(s, s->cells, s->drawn, draws);
    const sums b = s->n_kinds != 0 ? sum(s, s->kinds, s->n_kinds, draws)
                                   : sum(s, s->cells + s->drawn, s->even, draws);
    sums all = a;
    rmat_distinct d;
    double qq = 0, stream;

    add(&all, &b);
    d.expected = all.q;
    if (!s->exhaustive) {
        const double pp =
            covariance(a.pp, a.p, a.p, s->drawn) + covariance(b.pp, b.p, b.p, s->even);
        const double qp =
            covariance(a.qp, a.q, a.p, s->drawn) + covariance(b.qp, b.q, b.p, s->even);

        qq = covariance(a.qq, a.q, a.q, s->drawn) + covariance(b.qq, b.q, b.q, s->even);
        if (pp > 1e-18) { /* more than rounding errors */
            d.expected -= qp / pp * (all.p - 1);
            qq -= qp / pp * qp;
        }
    }
    /* The variance of the stream is less than that of a Poisson number of draws: T is fixed. */
    d.slope = all.slope / all.p;
    stream = all.noise / all.p - draws * d.slope * d.slope;
    d.error = sqrt(fmax(qq, 0) + fmax(stream, 0)) + 1e-11 * d.expected;
    return d;
}

double rmat_sample_distinct(const rmat_sample *s, double draws, double *error)
{
    const rmat_distinct d = rmat_estimate(s, draws > 0 ? draws : 0);

    if (error != NULL) {
        *error = d.error;
    }
    return d.expected;
}
