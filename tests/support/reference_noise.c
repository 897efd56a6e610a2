/* The reference's matrix of level l, from the given one (STREAM.md, "Noise"). */
#include "tests/support/reference_impl.h"

#include <math.h>

void reference_noise(const double given[4], double noise, uint64_t seed, int l, double drawn[4])
{
    reference_block b = reference_philox(seed, (uint64_t)l, 0, 2);
    uint64_t v = b.v[0] + TWO_TO_32 * b.v[1];
    double u = ldexp((double)(v / 2048), -53);
    double mu = noise * (2 * u - 1);
    double diagonal = given[0] + given[3];
    double t = diagonal == 0 ? 0 : 2 * mu / diagonal;

    drawn[0] = given[0] - given[0] * t;
    drawn[1] = given[1] + mu;
    drawn[2] = given[2] + mu;
    drawn[3] = given[3] - given[3] * t;
}
