/* How much two shapes differ, and what else can be said of one. */
#include "rmat/fit/estimate.h"
#include "rmat/rmat_fit.h"

#include <math.h>

static double ks(const uint64_t *a, const uint64_t *b)
{
    double all_a = 0, all_b = 0, some_a = 0, some_b = 0, most = 0;

    for (int i = 1; i < RMAT_SHAPE_FINE; i++) {
        all_a += (double)a[i];
        all_b += (double)b[i];
    }
    for (int i = 1; i < RMAT_SHAPE_FINE && all_a > 0 && all_b > 0; i++) {
        some_a += (double)a[i];
        some_b += (double)b[i];
        most = fmax(most, fabs(some_a / all_a - some_b / all_b));
    }
    return most;
}

static double ks_joint(const rmat_shape *a, const rmat_shape *b)
{
    double column[RMAT_SHAPE_COARSE] = {0}; /* sums over rows so far of differences */
    double most = 0;

    for (int i = 0; i < RMAT_SHAPE_COARSE; i++) {
        double sum = 0;

        for (int j = i == 0; j < RMAT_SHAPE_COARSE; j++) {
            column[j] += (double)a->joint[i][j] / fmax((double)a->used, 1) -
                         (double)b->joint[i][j] / fmax((double)b->used, 1);
        }
        for (int j = 0; j < RMAT_SHAPE_COARSE; j++) {
            sum += column[j];
            most = fmax(most, fabs(sum));
        }
    }
    return most;
}

void rmat_fit_distance_of(const rmat_shape *a, const rmat_shape *b, rmat_fit_distance *distance)
{
    distance->out = ks(a->out_vertices, b->out_vertices);
    distance->in = ks(a->in_vertices, b->in_vertices);
    distance->joint = ks_joint(a, b);
}

static double share(uint64_t part, uint64_t all)
{
    return all > 0 ? (double)part / (double)all : 0;
}

void rmat_fit_traits_of(const rmat_shape *s, rmat_fit_traits *traits)
{
    *traits = (rmat_fit_traits){.isolated = share(s->vertices - s->used, s->vertices),
                                .loops = share(s->loops, s->edges),
                                .copies = share(s->copies, s->edges),
                                .reciprocity = share(s->mutual, s->probed),
                                .assortativity = fit_assortativity(s),
                                .own = fit_own_correlation(s),
                                .closure = share(s->closed, s->walks)};
}
