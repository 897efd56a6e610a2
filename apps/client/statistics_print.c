/* Statistics of edges as lines. */
#include "apps/client/statistics.h"
#include <inttypes.h>

static void print_ranges(FILE *f, const statistics *s)
{
    fprintf(f, "drawn        %" PRIu64 " edges", s->edges);
    for (int i = 0; i < s->ranges && i < 8; i++) {
        fprintf(f, "%s %" PRIu64 " to %" PRIu64, i == 0 ? ": numbers" : ",", s->range[i].first,
                s->range[i].first + s->range[i].count - 1);
    }
    fprintf(f, "%s\n", s->ranges > 8 ? ", ..." : "");
}

static void print_test(FILE *f, chi_result r)
{
    if (r.cells > 0) {
        fprintf(f, " %12.5g %3d  %8.3g", r.x, r.cells - 1, r.chance);
    } else {
        fprintf(f, " %12s %3s  %8s", "-", "-", "-");
    }
}

static void print_levels(FILE *f, const statistics *s)
{
    fprintf(f, "%-12s %9s %9s %9s %9s", "levels", "a", "b", "c", "d");
    fprintf(f, "%s\n", s->expects ? "  chi-squared  df    chance   with the next one" : "");
    for (int l = 0; l < s->levels; l++) {
        fprintf(f, "  %-10d", l);
        for (int q = 0; q < 4; q++) {
            fprintf(f, " %9.7f", (double)s->quadrants[l][q] / (double)s->edges);
        }
        if (s->expects) {
            print_test(f, statistics_level(s, l));
            if (l + 1 < s->levels) {
                print_test(f, statistics_pair(s, l));
            }
        }
        putc('\n', f);
    }
}

/* Where small cells were put together: the degrees of freedom alone would not say why they are
 * fewer, and a level without a test would not say why it has none. */
static void print_merged(FILE *f, const statistics *s)
{
    int levels = 0, pairs = 0;

    for (int l = 0; l < s->levels; l++) {
        levels += statistics_level(s, l).merged > 0;
        pairs += statistics_pair(s, l).merged > 0;
    }
    if (levels + pairs > 0) {
        fprintf(f,
                "%-12s in %d of %d levels and %d of %d pairs of neighbouring levels, cells with "
                "fewer than %.0f expected edges are merged before the test\n",
                "merged", levels, s->levels, pairs, s->levels - 1, CHI_LEAST_EXPECTED);
    }
}

/* The smallest chance of all tests, and of how many: with n tests of a right generator it is below
 * x / n about as often as one of them is below x. */
static void print_worst(FILE *f, const statistics *s)
{
    double worst = 2;
    int tests = 0;

    for (int i = 0; i <= 2 * s->levels; i++) {
        const chi_result r = i == 2 * s->levels ? statistics_loops(s)
                             : i % 2 == 0       ? statistics_level(s, i / 2)
                                                : statistics_pair(s, i / 2);

        tests += r.cells > 0;
        worst = r.cells > 0 && r.chance < worst ? r.chance : worst;
    }
    if (tests > 0) {
        fprintf(f, "%-12s %d, smallest chance %.3g: %s\n", "tests", tests, worst,
                worst < 1e-6 / tests ? "the edges DO NOT FIT the model"
                                     : "the edges fit the model");
    }
}

void statistics_print(FILE *f, const statistics *s)
{
    const chi_result loops = statistics_loops(s);

    print_ranges(f, s);
    if (s->edges > 0) {
        fprintf(f, "%-12s %" PRIu64 " draws were rejected and repeated, %.3g per edge\n", "redraws",
                s->redraws, (double)s->redraws / (double)s->edges);
    }
    if (s->graph_edges != s->edges) {
        fprintf(f, "%-12s %" PRIu64 " edges\n", "graph", s->graph_edges);
    }
    if (s->square) {
        fprintf(f, "%-12s %" PRIu64, "loops", s->loops);
        if (loops.cells > 0) {
            fprintf(f, ", chi-squared %.4g, chance %.3g", loops.x, loops.chance);
        } else if (loops.merged > 0) {
            fprintf(f, ", not tested: fewer than %.0f are expected", CHI_LEAST_EXPECTED);
        }
        putc('\n', f);
    }
    fprintf(f, "%-12s 0x%016" PRIx64 "\n", "fingerprint", s->fingerprint);
    for (int i = 0; i < s->vertices; i++) {
        fprintf(f, "%-12s vertex %" PRIu64 ": out %" PRIu64 ", in %" PRIu64 "\n",
                i == 0 ? "degrees" : "", s->vertex[i], s->out[i], s->in[i]);
    }
    if (s->edges > 0) {
        print_levels(f, s);
        print_merged(f, s);
        print_worst(f, s);
    }
}
