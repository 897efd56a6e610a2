/*
 * Weights: from a file, or of a power law.
 *
 * With a power law the number of vertices of degree d falls as d^-EXPONENT between MIN and MAX: the
 * degrees are quantiles of the Pareto distribution cut off at both ends.  With g = EXPONENT - 1 and
 * s = (i + 1/2) / N, the share of vertices that shall have more than vertex i has,
 *
 *   w_i = (MAX^-g + s (MIN^-g - MAX^-g))^(-1/g) = MIN (r + s (1 - r))^(-1/g),  r = (MIN/MAX)^g.
 *
 * This is Chung and Lu's w_i = c (i + i_0)^(-1/g).  Vertex 0 has the largest weight.  The largest
 * of N such degrees without an upper end is about MIN N^(1/g): that is the default of MAX, but at
 * most N - 1.
 *
 * Weights decide the edges, so they must have the same bits everywhere: logarithm and exponential
 * are those of alias/core/binomial.h, because a C library's may differ from machine to machine.
 */
#include "alias/core/binomial.h"
#include "apps/chung_lu/chung_lu.h"
#include "apps/chung_lu/degrees.h"
#include "apps/common/huge_alloc.h"
#include "apps/common/message.h"
#include <errno.h>
#include <inttypes.h>

enum { BLOCK = 4096 }; /* weights added up at a time: sums depend on it, and on no threads */

/* exp(x) for -80 < x <= 0, and for x that rounding puts barely above 0. */
static double exponential(double x)
{
    double root = alias_exp(x / 4);

    return (root * root) * (root * root);
}

typedef struct {
    double n, g, r;
    double max, log_ratio; /* log(MAX / MIN), at most log(1e18) = 41.4 */
} law;

static law law_of(const chung_lu_options *o)
{
    law l = {.n = (double)o->vertices, .g = o->exponent - 1, .max = o->max_degree};

    l.log_ratio = alias_log(o->max_degree / o->min_degree);
    l.r = l.g * l.log_ratio < 79 ? exponential(-l.g * l.log_ratio) : 0;
    return l;
}

static double default_max(const chung_lu_options *o)
{
    double n = (double)o->vertices, rise = alias_log(n) / (o->exponent - 1);
    double max = rise < 40 ? o->min_degree / exponential(-rise) : DEGREES_MAX_VALUE;

    max = max > n - 1 ? n - 1 : max;
    max = max > DEGREES_MAX_VALUE ? DEGREES_MAX_VALUE : max;
    return max < o->min_degree ? o->min_degree : max;
}

static double weight_of(const law *l, uint64_t i)
{
    double s = ((double)i + 0.5) / l->n;

    return l->max * exponential(-alias_log(l->r + s * (1 - l->r)) / l->g - l->log_ratio);
}

static double sum_values(const double *values, uint64_t n)
{
    double sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return sum;
}

/* Sets the weights by the law, unless that is NULL, and returns their sum; only the sum if weights
 * is NULL.  Returns a number below 0 if memory is exhausted. */
static double fill_weights(const law *l, double *weights, uint64_t n, int threads)
{
    uint64_t blocks = n / BLOCK + (n % BLOCK != 0);
    double *sums = malloc((size_t)blocks * sizeof *sums), sum;

    if (sums == NULL) {
        return -1;
    }
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint64_t b = 0; b < blocks; b++) {
        uint64_t first = b * BLOCK, count = n - first < BLOCK ? n - first : BLOCK;
        double here[BLOCK], *out = weights != NULL ? weights + first : here;

        for (uint64_t i = 0; l != NULL && i < count; i++) {
            out[i] = weight_of(l, first + i);
        }
        sums[b] = sum_values(out, count);
    }
    sum = sum_values(sums, blocks);
    free(sums);
    return sum;
}

static int read_degrees(chung_lu_options *o, double **weights)
{
    FILE *file = fopen(o->degrees, "r");
    degrees_error e = {0};
    degrees_status status;
    int why;

    if (file == NULL) {
        return usage_error("", "--degrees: '%s': %s, allowed: a file that can be read", o->degrees,
                           strerror(errno));
    }
    status = degrees_read(file, weights, &o->vertices, &e);
    why = errno;
    fclose(file);
    switch (status) {
    case DEGREES_IO:
        return why == EISDIR
                   ? usage_error("", "--degrees: '%s': %s, allowed: a file that can be read",
                                 o->degrees, strerror(why))
                   : runtime_error("", "--degrees: '%s': %s", o->degrees, strerror(why));
    case DEGREES_NOMEM:
        return runtime_error("", "--degrees: '%s': memory is exhausted", o->degrees);
    case DEGREES_MALFORMED:
        return e.line > 0 ? usage_error("", "--degrees: %s, line %" PRIu64 ": '%s' %s, allowed: %s",
                                        o->degrees, e.line, e.word, e.what, DEGREES_ALLOWED)
                          : usage_error("", "--degrees: '%s' %s, allowed: %s", o->degrees, e.what,
                                        DEGREES_ALLOWED);
    case DEGREES_OK:
        break;
    }
    return EXIT_OK;
}

int chung_lu_weights(chung_lu_options *o, double **weights, double *sum)
{
    law l;

    *weights = NULL;
    if (o->degrees != NULL) {
        int status = read_degrees(o, weights);

        if (status != EXIT_OK) {
            return status;
        }
    } else {
        if (o->max_degree == 0) {
            o->max_degree = default_max(o);
        }
        l = law_of(o);
        if (!o->dry_run) {
            *weights = o->vertices > SIZE_MAX / sizeof(double)
                           ? NULL
                           : huge_alloc((size_t)o->vertices * sizeof(double));
            if (*weights == NULL) {
                return runtime_error("", "memory is exhausted: %" PRIu64 " vertices", o->vertices);
            }
        }
    }
    if (o->dry_run && (o->edges_given || o->average_degree > 0)) {
        *sum = 0; /* nobody asks, and it takes time */
        return EXIT_OK;
    }
    *sum = fill_weights(o->degrees != NULL ? NULL : &l, *weights, o->vertices, o->job.threads);
    if (*sum < 0) {
        free(*weights);
        *weights = NULL;
        return runtime_error("", "memory is exhausted: %" PRIu64 " vertices", o->vertices);
    }
    return EXIT_OK;
}
