/* The density of the adjacency matrix as a script for gnuplot. */
#include "apps/plot/script.h"
#include <math.h>
#include <stdio.h>

#define PALETTE                                                                                    \
    "set palette maxcolors 128 defined (0 \"#2a1a5e\", 0.25 \"#7b2382\", 0.5 \"#c83e73\", "        \
    "0.75 \"#fb8861\", 1 \"#fcfdbf\")\n"

/* A quarter of all is 1: 3 of them, of 2^20 vertices, are 3*2^18. */
static void tick_text(char text[PLOT_TEXT], uint64_t vertices, int quarters)
{
    const double value = (double)vertices / 4 * quarters;
    int bits = 0;

    while (bits < 63 && (uint64_t)1 << bits < vertices) {
        bits++;
    }
    if (quarters == 0) {
        snprintf(text, PLOT_TEXT, "0");
    } else if (vertices == (uint64_t)1 << bits && bits > 16) {
        snprintf(text, PLOT_TEXT, "%s2^{%d}", quarters == 3 ? "3·" : "",
                 bits - (quarters == 4   ? 0
                         : quarters == 2 ? 1
                                         : 2));
    } else if (vertices < 100000) {
        snprintf(text, PLOT_TEXT, vertices < 16 ? "%g" : "%.0f", value);
    } else {
        int thousands_of = 0;
        double rest = value;

        for (; rest >= 999.5; rest /= 1000) {
            thousands_of++;
        }
        snprintf(text, PLOT_TEXT, "%.3g %c", rest, " kMGTPE"[thousands_of]);
    }
}

static void ticks(const plot_picture *s, char axis, int side)
{
    const uint64_t vertices = s->data->vertices[side];
    const double cell = ldexp(1, s->data->grid.shift[side]);
    char text[PLOT_TEXT];

    fprintf(s->to, "set %ctics (", axis);
    for (int i = 0; i <= 4; i++) {
        tick_text(text, vertices, i);
        fprintf(s->to, "%s\"%s\" %.9g", i > 0 ? ", " : "", text, (double)vertices / 4 * i / cell);
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

/* 1, 2 or 5 times a power of ten, at most x. */
static double round_step(double x)
{
    const double power = pow(10, floor(log10(x))), digit = x / power;

    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/* Ticks for a range that has fewer than two powers of ten: multiples of a round number, which are
 * whole numbers where edges were counted. */
static void fine_ticks(const plot_picture *s, double least, double most)
{
    const double step = fmax(round_step((most - least) / 3), s->data->counted ? 1 : 0);
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
