/* The density of the adjacency matrix as a script for gnuplot. */
#include "apps/plot/script.h"
#include <math.h>
#include <stdio.h>

#define PALETTE                                                                                    \
    "set palette maxcolors 128 defined (0 \"#46359c\", 0.25 \"#7b2382\", 0.5 \"#c83e73\", "        \
    "0.75 \"#fb8861\", 1 \"#fcfdbf\")\n"

/* The largest power of two that is at most n. */
static int bits_of(uint64_t n)
{
    return 63 - __builtin_clzll(n);
}

/* Of 2^bits vertices: so many quarters, 3 of 2^20 are 3*2^18. */
static void binary_text(char text[PLOT_TEXT], int bits, int quarters)
{
    static const int less[] = {0, 2, 1, 2, 0};

    if (quarters == 0 || bits <= 16) {
        snprintf(text, PLOT_TEXT, "%g", ldexp(quarters, bits - 2));
    } else {
        snprintf(text, PLOT_TEXT, "%s2^{%d}", quarters == 3 ? "3·" : "", bits - less[quarters]);
    }
}

/* "750", "250 k" */
static void decimal_text(char text[PLOT_TEXT], double value, double most)
{
    int thousands_of = 0;

    if (most < 100000) {
        snprintf(text, PLOT_TEXT, "%.0f", value);
        return;
    }
    for (; value >= 999.5; value /= 1000) {
        thousands_of++;
    }
    snprintf(text, PLOT_TEXT, thousands_of > 0 ? "%.4g %c" : "%.4g", value,
             " kMGTPE"[thousands_of]);
}

/* 1, 2, 2.5 or 5 times a power of ten, such that at most five of them are n. */
static double decimal_step(double n)
{
    const double power = pow(10, floor(log10(n / 5))), digit = n / 5 / power;
    const double step = power * (digit <= 1     ? 1
                                 : digit <= 2   ? 2
                                 : digit <= 2.5 ? 2.5
                                 : digit <= 5   ? 5
                                                : 10);

    return step == 2.5 ? 5 : fmax(1, step); /* whole */
}

/* At quarters of a power of two, else at round decimal numbers. */
static void ticks(const plot_picture *s, char axis, int side)
{
    const uint64_t vertices = s->data->vertices[side];
    const bool binary = vertices >= 4 && (vertices & (vertices - 1)) == 0;
    const double cell = ldexp(1, s->data->grid.shift[side]);
    const double step = binary ? (double)vertices / 4 : decimal_step((double)vertices);
    char text[PLOT_TEXT];

    fprintf(s->to, "set %ctics (", axis);
    for (int i = 0; i * step <= (double)vertices; i++) {
        if (binary) {
            binary_text(text, bits_of(vertices), i);
        } else {
            decimal_text(text, i * step, (double)vertices);
        }
        fprintf(s->to, "%s\"%s\" %.9g", i > 0 ? ", " : "", text, i * step / cell);
    }
    fprintf(s->to, ")\n");
}

static void quadrants(const plot_picture *s)
{
    const rmat_config *c = s->data->model != NULL ? s->data->model->drawn : NULL;
    const int *cells = s->data->grid.cells;

    if (c == NULL || c->levels != NULL || c->noise > 0 || c->symmetrize || c->rows != c->cols ||
        c->direction != RMAT_DIRECTED || (c->permute && !s->data->unpermuted) ||
        s->data->vertices[0] != (uint64_t)1 << c->rows_scale ||
        s->data->vertices[1] != (uint64_t)1 << c->cols_scale) {
        return;
    }
    for (int q = 0; q < 4; q++) {
        const double p[4] = {c->matrix.a, c->matrix.b, c->matrix.c, c->matrix.d};

        fprintf(
            s->to,
            "set label %d \"%c = %.6g\" at %g,%g right offset -0.6,0.7 front tc rgb \"white\"\n",
            q + 1, 'a' + q, p[q], cells[1] * (q % 2 + 1) / 2., cells[0] * (q / 2 + 1) / 2.);
    }
}

/* Ticks for a range that has fewer than two powers of ten: multiples of a round number, which are
 * whole numbers where edges were counted. */
static void fine_ticks(const plot_picture *s, double least, double most)
{
    const double step = fmax(plot_round_step((most - least) / 3), s->data->counted ? 1 : 0);
    const double first = ceil(least / step - 1e-9), last = floor(most / step + 1e-9);
    const bool plain = most < 1e4 && least >= 1e-3;

    fprintf(s->to, "set cbtics (");
    for (double i = first; i <= last; i++) {
        const double value = i * step, tens = plain ? 0 : floor(log10(value) + 1e-9);
        const double digits = floor(log10(value) + 1e-9) - floor(log10(step) + 1e-9) + 1;

        fprintf(s->to, "%s\"%.*g", i > first ? ", " : "", (int)fmax(digits, plain ? 4 : 1),
                value / pow(10, tens));
        if (!plain) {
            fprintf(s->to, "·10^{%.0f}", tens);
        }
        fprintf(s->to, "\" %.9g", value);
    }
    fprintf(s->to, ")\n");
}

static void colours(const plot_picture *s)
{
    const plot_data *d = s->data;
    const int cells = d->grid.cells[0] * d->grid.cells[1];
    double least = INFINITY, most = 0;

    for (int i = 0; i < cells; i++) {
        least = d->density[i] > 0 ? fmin(least, d->density[i]) : least;
        most = fmax(most, d->density[i]);
    }
    least = fmax(least, most * 1e-12);
    if (!(most > least)) {
        least = most > 0 ? most / 2 : 0.5;
        most = most > 0 ? most * 2 : 2;
    }
    fprintf(s->to, "set logscale cb 10\nset cbrange [%.9g:%.9g]\nset format cb \"%s\"\n", least,
            most, most <= 1000 && least >= 0.1 ? "%g" : "10^{%T}");
    fprintf(s->to, "set cbtics offset -0.5,0 autofreq\n" PALETTE);
    if (floor(log10(most)) - ceil(log10(least)) < 1) {
        fine_ticks(s, least, most);
    }
}

/* Row by row, as gnuplot reads them behind the plot command: expressions of its own would take it a
 * second.  Cells without edges have no colour. */
static void density(const plot_picture *s)
{
    const plot_data *d = s->data;
    const int cells = d->grid.cells[0] * d->grid.cells[1];

    for (int i = 0; i < cells; i++) {
        const double x = d->density[i] > 0 ? d->density[i] : NAN;

        fwrite(&x, sizeof x, 1, s->to);
    }
    fprintf(s->to, "\n");
}

static void cell_label(const plot_picture *s, int x, int y)
{
    const int *shift = s->data->grid.shift;
    char rows[PLOT_TEXT], cols[PLOT_TEXT];

    fprintf(s->to, "set label 6 \"%s", s->data->counted ? "edges" : "edges expected");
    if (shift[0] > 0 || shift[1] > 0) {
        fprintf(s->to, " per cell of %s x %s", plot_vertices(rows, (uint64_t)1 << shift[0]),
                plot_vertices(cols, (uint64_t)1 << shift[1]));
    }
    fprintf(s->to, "\" at screen %d./%d,%d./%d center rotate front\n", x, s->width, y, s->height);
}

void plot_script_matrix(const plot_picture *s, int left, int side)
{
    const plot_data *d = s->data;
    const int bottom = s->height - plot_pixels(s->scale, PLOT_TOP) - side;

    fprintf(s->to, "set lmargin at screen %d/%d.\nset rmargin at screen %d/%d.\n", left, s->width,
            left + side, s->width);
    fprintf(s->to, "set bmargin at screen %d/%d.\nset tmargin at screen %d/%d.\n", bottom,
            s->height, bottom + side, s->height);
    fprintf(s->to, "set title \"Adjacency matrix%s\"\n",
            d->unpermuted      ? ", vertices in the model's order"
            : d->counted       ? ""
            : d->model->unique ? ", copies of edges counted"
                               : "");
    fprintf(s->to, "set xrange [0:%d]\nset yrange [%d:0]\n", d->grid.cells[1], d->grid.cells[0]);
    ticks(s, 'x', 1);
    ticks(s, 'y', 0);
    plot_script_xlabel(s, "destination", left, left + side, bottom);
    fprintf(s->to, "set label 5 \"source\" at screen %d./%d,%d./%d center rotate front\n",
            plot_pixels(s->scale, 16), s->width, bottom + side / 2, s->height);
    cell_label(s, left + side + plot_pixels(s->scale, 82), bottom + side / 2);
    colours(s);
    quadrants(s);
    fprintf(s->to,
            "set colorbox user origin %d./%d,%d./%d size %d./%d,%d./%d\n"
            "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb \"#0b0724\" fs solid "
            "noborder\n",
            left + side + plot_pixels(s->scale, 12), s->width, bottom, s->height,
            plot_pixels(s->scale, 16), s->width, side, s->height);
    fprintf(s->to,
            "plot \"-\" binary array=(%d,%d) format=\"%%float64\" dx=1 dy=1 origin=(0.5,0.5) "
            "with image notitle\n",
            d->grid.cells[1], d->grid.cells[0]);
    density(s);
    fprintf(s->to, "unset object\nunset label\nunset logscale\nunset colorbox\n");
}
