/* The distribution of degrees as a script for gnuplot. */
#include "apps/plot/script.h"
#include <math.h>
#include <stdio.h>

/* The points and lines of a kind of degree.  size: of points, for a picture of the sizes in
 * script.h. */
static const struct {
    const char *name, *point, *line;
    double size;
} looks[RMAT_KINDS] = {
    [RMAT_OUT] = {"out-degree", "pt 7 lc rgb \"#2a1a5e\"", "lw 2 lc rgb \"#e0609a\"", 0.55},
    [RMAT_IN] = {"in-degree", "pt 6 lw 1.2 lc rgb \"#e8743b\"", "lw 2 dt (8,6) lc rgb \"#fb8861\"",
                 0.8},
    [RMAT_TOTAL] = {"degree", "pt 7 lc rgb \"#2a1a5e\"", "lw 2 lc rgb \"#e0609a\"", 0.55},
};

/* The degree at which a bin other than bin 0 is drawn. */
static double middle(const plot_data *d, int i)
{
    const uint64_t *first = d->bins.first;

    return sqrt((double)first[i] * ((double)first[i + 1] - d->step));
}

/* The number of degrees in a bin that the graph can have. */
static double wide(const plot_data *d, int i)
{
    const uint64_t *first = d->bins.first;

    return ((double)first[i + 1] - (double)first[i]) / d->step;
}

/* Where a bin is drawn: at its middle the number of vertices per degree, or at its first degree
 * the share of vertices of that degree or more. */
static double place_x(const plot_data *d, int bin)
{
    return d->ccdf ? (double)d->bins.first[bin] : middle(d, bin);
}

static double found_y(const plot_data *d, int kind, int bin)
{
    return d->ccdf ? d->share[kind][bin] : (double)d->number[kind][bin] / wide(d, bin);
}

static double expected_y(const plot_data *d, int kind, int bin)
{
    return d->ccdf ? d->expected_share[kind][bin] : d->expectation[kind][bin] / wide(d, bin);
}

/* What the axes have to show. */
typedef struct {
    double largest, least, most; /* degree; vertices per degree, or share of vertices */
} extent;

static void extend(extent *e, const rmat_bins *b, int bin, double y)
{
    e->largest = fmax(e->largest, (double)b->first[bin + 1] - 1);
    e->least = fmin(e->least, y);
    e->most = fmax(e->most, y);
}

static extent extent_of(const plot_data *d)
{
    extent e = {1, INFINITY, 0};

    for (int k = 0; k < RMAT_KINDS; k++) {
        double beyond = 0;

        for (int i = d->bins.count - 1; i > 0 && d->kinds[k]; i--) {
            beyond += d->expectation[k][i];
            if (d->counted && d->number[k][i] > 0) {
                extend(&e, &d->bins, i, found_y(d, k, i));
            } else if (!d->counted && beyond > 0.5 && d->expectation[k][i] > 0.05) {
                extend(&e, &d->bins, i, expected_y(d, k, i));
            }
        }
    }
    if (!(e.most > 0)) {
        e.least = e.most = 1;
    }
    return e;
}

/* Are in-degrees expected to be like out-degrees? */
static bool same_expectation(const plot_data *d)
{
    bool same =
        d->kinds[RMAT_OUT] && d->kinds[RMAT_IN] && d->expected[RMAT_OUT] && d->expected[RMAT_IN];

    for (int i = 0; i < d->bins.count && same; i++) {
        const double out = d->expectation[RMAT_OUT][i], in = d->expectation[RMAT_IN][i];

        same = fabs(out - in) <= 1e-6 * (out + in) + 1e-9;
    }
    return same;
}

static void degree_blocks(const plot_picture *s)
{
    const plot_data *d = s->data;

    for (int k = 0; k < RMAT_KINDS; k++) {
        if (!d->kinds[k]) {
            continue;
        }
        fprintf(s->to, "$measured%d << END\n", k);
        for (int i = 1; i < d->bins.count && d->counted; i++) {
            if (d->number[k][i] > 0) {
                fprintf(s->to, "%.9g %.9g\n", place_x(d, i), found_y(d, k, i));
            }
        }
        fprintf(s->to, "END\n$expected%d << END\n", k);
        for (int i = 1; i < d->bins.count && d->expected[k]; i++) {
            fprintf(s->to, "%.9g %.9g\n", place_x(d, i), fmax(1e-30, expected_y(d, k, i)));
        }
        fprintf(s->to, "END\n");
    }
}

static void note(const plot_picture *s, int *row, const char *what, double vertices)
{
    char number[PLOT_TEXT];

    fprintf(s->to, "set label %d \"%s: %s\" at graph 0.975,graph 0.95 right offset 0,%g\n",
            *row + 1, what, plot_thousands(number, vertices), -1.25 * *row);
    ++*row;
}

/* Degree 0 has no place on a logarithmic axis: below the key, of so many rows. */
static void isolated(const plot_picture *s, int row)
{
    const plot_data *d = s->data;
    const bool same = same_expectation(d);

    for (int k = 0; k < RMAT_KINDS; k++) {
        char text[PLOT_TEXT];

        snprintf(text, sizeof text, "%s 0", same && !d->counted ? "degree" : looks[k].name);
        if (d->kinds[k] && d->counted) {
            note(s, &row, text, (double)d->number[k][0]);
        }
        if (d->kinds[k] && d->expected[k] && !(same && k == RMAT_OUT)) {
            note(s, &row, d->counted ? "expected" : text, d->expectation[k][0]);
        }
    }
}

static int curves(const plot_picture *s)
{
    const plot_data *d = s->data;
    const bool same = same_expectation(d), several = d->kinds[RMAT_OUT] && d->kinds[RMAT_IN];
    int n = 0;

    degree_blocks(s);
    for (int k = 0; k < RMAT_KINDS; k++) {
        if (d->kinds[k] && d->expected[k] && !(same && k == RMAT_IN)) {
            fprintf(s->to, "%s$expected%d with lines %s title \"", n++ ? ", " : "plot ", k,
                    looks[k].line);
            fprintf(s->to,
                    several && !same ? "%s, the model's expectation\""
                                     : "the model's expectation\"",
                    looks[k].name);
        }
    }
    for (int k = 0; k < RMAT_KINDS && d->counted; k++) {
        if (d->kinds[k]) {
            fprintf(s->to, "%s$measured%d with points ps %.4g %s title \"%s\"",
                    n++ ? ", " : "plot ", k, looks[k].size * s->scale, looks[k].point,
                    looks[k].name);
        }
    }
    fprintf(s->to, "%s\n", n > 0 ? "" : "plot NaN notitle");
    return n;
}

static int count_curves(const plot_data *d)
{
    int n = 0;

    for (int k = 0; k < RMAT_KINDS; k++) {
        n += d->kinds[k] ? d->counted + d->expected[k] : 0;
    }
    return n - same_expectation(d);
}

/* Where an axis has hardly more than one power of ten: at 2, 3 and 5 times these, too. */
static void ticks(const plot_picture *s, char axis, double least, double most)
{
    static const int digits[] = {1, 2, 3, 5};
    const char *between = "";

    if (most / least > 150) {
        return;
    }
    fprintf(s->to, "set %ctics (", axis);
    for (double power = floor(log10(least)); pow(10, power) <= most; power++) {
        for (int i = 0; i < 4; i++) {
            const double value = digits[i] * pow(10, power);

            if (value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9)) {
                fprintf(s->to, "%s\"%.6g\" %.9g", between, value, value);
                between = ", ";
            }
        }
    }
    fprintf(s->to, ")\n");
}

void plot_script_degrees(const plot_picture *s, int left, int bottom)
{
    const plot_data *d = s->data;
    const extent e = extent_of(d);
    const double low = floor(log10(e.least)), high = d->ccdf ? 0 : ceil(log10(e.most * 1.5));
    const bool several = d->kinds[RMAT_OUT] && d->kinds[RMAT_IN];
    const char *name = several ? "degree"
                               : looks[d->kinds[RMAT_OUT]  ? RMAT_OUT
                                       : d->kinds[RMAT_IN] ? RMAT_IN
                                                           : RMAT_TOTAL]
                                     .name;

    fprintf(s->to, "set lmargin at screen %d/%d.\nset rmargin at screen %d/%d.\n", left, s->width,
            s->width - plot_pixels(s->scale, PLOT_RIGHT), s->width);
    fprintf(s->to, "set bmargin at screen %d/%d.\nset tmargin at screen %d/%d.\n", bottom,
            s->height, s->height - plot_pixels(s->scale, PLOT_TOP), s->height);
    plot_script_xlabel(s, name, left, s->width - plot_pixels(s->scale, PLOT_RIGHT), bottom);
    fprintf(s->to, "set title \"%s\"\n",
            d->ccdf ? "Complementary cumulative degrees" : "Degree distribution");
    fprintf(s->to, "set ylabel \"%s\" offset 0,0\n",
            d->ccdf ? "share of vertices of this degree or more" : "vertices per degree");
    fprintf(s->to, "set xtics autofreq\nset ytics autofreq\nset logscale xy 10\n"
                   "set format xy \"10^{%%T}\"\nset grid back lt 1 lc rgb \"#e4e4e4\" lw 1\n"
                   "set key top right samplen 2 spacing 1.25\n");
    ticks(s, 'x', 0.8, e.largest * 1.6);
    ticks(s, 'y', pow(10, low), pow(10, high));
    fprintf(s->to, "set xrange [0.8:%.9g]\nset yrange [1e%.0f:1e%.0f] noreverse\n", e.largest * 1.6,
            low, high);
    isolated(s, count_curves(d));
    curves(s);
}
