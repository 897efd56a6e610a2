/*
 * Which intervals are gathered through the sieve of rmat/gpu/sieve.cuh: those of plain graphs whose
 * rows few edges have.  What an edge costs that passes the sieve has been paid in vain before.
 */
#include "rmat/model/generator.h"
#include "rmat/sorted/gpu/interval.h"

enum { BITS = 2 * RMAT_GROUP_LEVELS /* that a source begins with, as two draws decide them */ };

static double most = RMAT_GPU_SIEVED_SHARE;

void rmat_gpu_set_sieve(double share)
{
    most = share;
}

/* The probability that a source begins with bits below these. */
static double below(const rmat_gen *gen, uint32_t bits)
{
    double sum = 0, same = 1; /* same: the bits so far are equal */

    if (bits >> BITS) {
        return 1;
    }
    for (int l = 0; l < BITS; l++) {
        const rmat_matrix *m = &gen->levels[l];
        const double zero = (m->a + m->b) / (m->a + m->b + m->c + m->d);

        if (bits >> (BITS - 1 - l) & 1) {
            sum += same * zero;
            same *= 1 - zero;
        } else {
            same *= zero;
        }
    }
    return sum;
}

void rmat_gpu_sieve(const rmat_gen *gen, gpu_interval_gather *to)
{
    const int scale = gen->config.rows_scale;
    uint32_t first, last;

    to->sieved = 0;
    if (rmat_has_source(gen) || gen->view.transform != 0 || gen->config.cols_scale != scale ||
        scale < BITS || to->low >> (2 * scale)) {
        return;
    }
    first = (uint32_t)(to->low >> (2 * scale - BITS));
    last = (uint32_t)((to->low + to->last) >> (2 * scale - BITS));
    to->sieved = below(gen, last + 1) - below(gen, first) <= most;
    to->sieve_low = first << (32 - BITS);
    to->sieve_last = ((last - first + 1) << (32 - BITS)) - 1;
}
