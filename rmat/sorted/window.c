/*
 * The search for the number of draws among which a given number of edges are distinct
 * (rmat_sample.h).  The first window is where the sample expects the answer, as wide as eight
 * standard deviations of the estimate.  The next ones start from counts of the graph itself, which
 * tell more than the sample: only the difference that is left is estimated.
 */
#include "rmat/sorted/sample.h"

#include <math.h>
#include <stddef.h>

#define SIGMAS    8.0
#define LEAST     128.0 /* draws by which a window is wider on either side */
#define MAX_TRIES 8
#define FEW_DRAWS 0x1p32 /* allowed whatever the number of edges */

/* If nearly all cells of the support are taken, expectations say little about the last ones: then a
 * window ends where so many cells are expected to be missing. */
#define MISSING 0x1p-10

/* By then the last edge has come with about the probability 1/2. */
#define HALF_MISSING 0.5

/* The largest number of draws that the search allows. */
static double most_draws(const rmat_sample *s, uint64_t edges)
{
    return fmin((double)s->most, fmax(FEW_DRAWS, RMAT_MAX_DRAWS * (double)edges));
}

/* The number of distinct edges, lowered to what can be expected; the support is known to about 10
 * digits. */
static double reachable(const rmat_sample *s, double distinct)
{
    const double support = (double)s->support;

    return fmin(distinct, support - fmax(MISSING, 1e-9 * support));
}

/*
 * The number of draws, above `low` and at most `high`, after which so many distinct edges are
 * expected; high if it takes more.  Newton's method from below: the expectation is concave, so its
 * steps fall short and never go too far.  If most cells are taken, it is applied to the logarithm
 * of the number of missing cells, which is nearly linear.
 */
static double draws_for(const rmat_sample *s, double distinct, double low, double high)
{
    const double support = (double)s->support;
    double at;

    distinct = reachable(s, distinct);
    at = fmin(fmax(low, distinct), high);
    for (int i = 0; i < 200 && low < high; i++) {
        const rmat_distinct d = rmat_estimate(s, at);
        double next;

        if (d.expected < distinct) {
            low = at;
        } else {
            high = at;
        }
        next = at + (distinct > support / 2 && d.expected < support
                         ? (support - d.expected) *
                               log((support - d.expected) / (support - distinct)) / d.slope
                         : (distinct - d.expected) / d.slope);
        if (fabs(next - at) <= fmax(0.5, 1e-9 * at)) {
            return fmin(next, high);
        }
        at = next > low && next < high ? next : next >= high ? high : low + (high - low) / 2;
    }
    return high;
}

static uint64_t round_down(double draws)
{
    return draws > LEAST ? (uint64_t)(draws - LEAST) : 0;
}

static uint64_t round_up(double draws, double most)
{
    return (uint64_t)fmin(ceil(draws + LEAST), most);
}

int rmat_window_first(const rmat_sample *s, uint64_t edges, rmat_window *w)
{
    double most, at, spread, least;

    if (s == NULL || w == NULL || edges < 1) {
        return RMAT_ERR_ARG;
    }
    *w = (rmat_window){.edges = edges, .tries = 1};
    most = most_draws(s, edges);
    if (edges > s->support || rmat_estimate(s, most).expected < reachable(s, (double)edges)) {
        return RMAT_ERR_DRAWS;
    }
    at = draws_for(s, (double)edges, 0, most);
    spread = SIGMAS * rmat_estimate(s, at).error;
    /* A small number of missing cells is a Poisson number, with a long tail. */
    least = (double)edges - spread - SIGMAS * SIGMAS;
    w->low = least > 0 ? round_down(draws_for(s, least, 0, at)) : 0;
    w->high = round_up(draws_for(s, (double)edges + spread, at, most), most);
    w->expected = (uint64_t)draws_for(s, (double)edges - HALF_MISSING, 0, at);
    return RMAT_OK;
}

/* How far the expected number of draws for so many more distinct edges may be from the truth, in
 * edges; it doubles with each try. */
static double uncertainty(const rmat_window *w, double more)
{
    return (SIGMAS * sqrt(more) + more / 64) * (double)(1u << (w->tries - 2));
}

int rmat_window_next(const rmat_sample *s, uint64_t distinct_low, uint64_t distinct_high,
                     rmat_window *w)
{
    double most;

    if (s == NULL || w == NULL || w->low > w->high || distinct_low > distinct_high ||
        (distinct_low < w->edges && distinct_high >= w->edges)) {
        return RMAT_ERR_ARG;
    }
    most = most_draws(s, w->edges);
    if (w->tries++ == MAX_TRIES) {
        return RMAT_ERR_DRAWS;
    }
    if (distinct_high < w->edges) {
        const double more = (double)(w->edges - distinct_high), from = (double)w->high;
        const double base = rmat_estimate(s, from).expected, far = uncertainty(w, more);

        if (from >= most) {
            return RMAT_ERR_DRAWS;
        }
        w->low = round_down(draws_for(s, base + more - far, from, most));
        w->low = w->low > w->high ? w->low : w->high;
        /* Among the last cells each try doubles the draws, which squares the fraction that is
         * missing. */
        w->high = round_up(fmax(draws_for(s, base + more + far, from, most),
                                base + more > reachable(s, base + more) ? 2 * from : 0),
                           most);
    } else {
        const double less = (double)(distinct_low - w->edges), to = (double)w->low;
        const double base = rmat_estimate(s, to).expected, far = uncertainty(w, less + 1);
        const uint64_t high = w->low;

        w->low = base - less - far > 0 ? round_down(draws_for(s, base - less - far, 0, to)) : 0;
        w->high = round_up(draws_for(s, base - less + far, 0, to), (double)high);
    }
    return RMAT_OK;
}
