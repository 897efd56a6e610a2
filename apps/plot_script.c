/* The picture in gnuplot's language, with its numbers in it. */
#include "apps/plot.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define PALETTE                                                                                    \
    "set palette maxcolors 128 defined (0 \"#2a1a5e\", 0.25 \"#7b2382\", 0.5 \"#c83e73\", "        \
    "0.75 \"#fb8861\", 1 \"#fcfdbf\")\n"

enum { TEXT = 64, LEFT = 84, RIGHT = 18, BOTTOM = 56, TOP = 72, BAR = 98 };

typedef struct {
    FILE *to;
    const plot_data *data;
    int width, height;
} script;

/* The points and lines of a kind of degree. */
static const struct {
    const char *name, *point, *line;
} looks[PLOT_KINDS] = {
    [PLOT_OUT] = {"out-degree", "pt 7 ps 0.55 lc rgb \"#2a1a5e\"", "lw 2 lc rgb \"#e0609a\""},
    [PLOT_IN] = {"in-degree", "pt 6 ps 0.8 lw 1.2 lc rgb \"#e8743b\"",
                 "lw 2 dt (8,6) lc rgb \"#fb8861\""},
    [PLOT_TOTAL] = {"degree", "pt 7 ps 0.55 lc rgb \"#2a1a5e\"", "lw 2 lc rgb \"#e0609a\""},
};

/* 16,777,216; or 1.1e+12. */
static const char *thousands(char text[TEXT], double value)
{
    char digits[TEXT];
    int n, used = 0;

    if (!(value < 1e18)) {
        snprintf(text, TEXT, "%.3g", value);
        return text;
    }
    n = snprintf(digits, sizeof digits, "%.0f", value);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

/* A number of vertices, in enhanced text. */
static const char *vertices_text(char text[TEXT], uint64_t n)
{
    int bits = 0;

    while (bits < 63 && (uint64_t)1 << bits < n) {
        bits++;
    }
    if (n == (uint64_t)1 << bits && n > 16384) {
        snprintf(text, TEXT, "2^{%d}", bits);
        return text;
    }
    return thousands(text, (double)n);
}

/* A string of gnuplot's. */
static void quote(FILE *to, const char *text)
{
    putc('\'', to);
    for (; *text != '\0'; text++) {
        const bool control = (unsigned char)*text < 32;

        putc(control ? ' ' : *text, to);
        if (*text == '\'') {
            putc('\'', to);
        }
    }
    putc('\'', to);
}

static void title(const script *s, const char *given, int font)
{
    char rows[TEXT], cols[TEXT], edges[TEXT];
    const plot_data *d = s->data;

    fprintf(s->to, "set label 100 ");
    if (given != NULL) {
        quote(s->to, given);
    } else {
        fprintf(s->to, "\"%s", d->counted ? "" : "Expected: ");
        thousands(rows, (double)d->vertices[0]);
        thousands(cols, (double)d->vertices[1]);
        if (d->square) {
            fprintf(s->to, "%s vertices", rows);
        } else {
            fprintf(s->to, "%s sources, %s destinations", rows, cols);
        }
        fprintf(s->to, ", %s edges\"", thousands(edges, d->edges));
    }
    fprintf(s->to, " at screen 0.5,%d/%d. center front font \",%d\" %s\n", s->height - 22,
            s->height, font, given != NULL ? "noenhanced" : "");
}

/* A quarter of all is 1: 3 of them, of 2^20 vertices, are 3*2^18. */
static void tick_text(char text[TEXT], uint64_t vertices, int quarters)
{
    const double value = (double)vertices / 4 * quarters;
    int bits = 0;

    while (bits < 63 && (uint64_t)1 << bits < vertices) {
        bits++;
    }
    if (quarters == 0) {
        snprintf(text, TEXT, "0");
    } else if (vertices == (uint64_t)1 << bits && bits > 16) {
        snprintf(text, TEXT, "%s2^{%d}", quarters == 3 ? "3·" : "",
                 bits - (quarters == 4   ? 0
                         : quarters == 2 ? 1
                                         : 2));
    } else if (vertices < 100000) {
        snprintf(text, TEXT, "%.0f", value);
    } else {
        int thousands_of = 0;
        double rest = value;

        for (; rest >= 999.5; rest /= 1000) {
            thousands_of++;
        }
        snprintf(text, TEXT, "%.3g %c", rest, " kMGTPE"[thousands_of]);
    }
}

static void ticks(const script *s, char axis, int side)
{
    const uint64_t vertices = s->data->vertices[side];
    const double cell = ldexp(1, s->data->grid.shift[side]);
    char text[TEXT];

    fprintf(s->to, "set %ctics (", axis);
    for (int i = 0; i <= 4; i++) {
        tick_text(text, vertices, i);
        fprintf(s->to, "%s\"%s\" %.9g", i > 0 ? ", " : "", text, (double)vertices / 4 * i / cell);
    }
    fprintf(s->to, ")\n");
}

static void quadrants(const script *s)
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

static void colours(const script *s)
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
    fprintf(s->to, "set cbtics offset -0.5,0\n" PALETTE);
}

/* Row by row, as gnuplot reads them behind the plot command: expressions of its own would take it a
 * second.  Cells without edges have no colour. */
static void density(const script *s)
{
    const plot_data *d = s->data;
    const int cells = d->grid.cells[0] * d->grid.cells[1];

    for (int i = 0; i < cells; i++) {
        const double x = d->density[i] > 0 ? d->density[i] : NAN;

        fwrite(&x, sizeof x, 1, s->to);
    }
    fprintf(s->to, "\n");
}

static void cell_label(const script *s, int x, int y)
{
    const int *shift = s->data->grid.shift;
    char rows[TEXT], cols[TEXT];

    fprintf(s->to, "set label 6 \"%s", s->data->counted ? "edges" : "edges expected");
    if (shift[0] > 0 || shift[1] > 0) {
        fprintf(s->to, " per cell of %s x %s", vertices_text(rows, (uint64_t)1 << shift[0]),
                vertices_text(cols, (uint64_t)1 << shift[1]));
    }
    fprintf(s->to, "\" at screen %d./%d,%d./%d center rotate front\n", x, s->width, y, s->height);
}

static void adjacency(const script *s, int left, int side)
{
    const plot_data *d = s->data;
    const int bottom = s->height - TOP - side;

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
    fprintf(s->to, "set xlabel \"destination\" offset 0,0.5\nunset ylabel\n");
    fprintf(s->to, "set label 5 \"source\" at screen 16./%d,%d./%d center rotate front\n", s->width,
            bottom + side / 2, s->height);
    cell_label(s, left + side + 82, bottom + side / 2);
    colours(s);
    quadrants(s);
    fprintf(s->to,
            "set colorbox user origin %d./%d,%d./%d size 16./%d,%d./%d\n"
            "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb \"#0b0724\" fs solid "
            "noborder\n",
            left + side + 12, s->width, bottom, s->height, s->width, side, s->height);
    fprintf(s->to,
            "plot \"-\" binary array=(%d,%d) format=\"%%float64\" dx=1 dy=1 origin=(0.5,0.5) "
            "with image notitle\n",
            d->grid.cells[1], d->grid.cells[0]);
    density(s);
    fprintf(s->to, "unset object\nunset label\nunset logscale\nunset colorbox\n");
}

/* Of a bin, but bin 0: where it is drawn. */
static double middle(const plot_bins *b, int i)
{
    return sqrt((double)b->first[i] * ((double)b->first[i + 1] - 1));
}

static double wide(const plot_bins *b, int i)
{
    return (double)b->first[i + 1] - (double)b->first[i];
}

/* What the axes have to show. */
typedef struct {
    double largest, least, most; /* degree; vertices per degree */
} extent;

static void extend(extent *e, const plot_bins *b, int bin, double number)
{
    e->largest = fmax(e->largest, (double)b->first[bin + 1] - 1);
    e->least = fmin(e->least, number / wide(b, bin));
    e->most = fmax(e->most, number / wide(b, bin));
}

static extent extent_of(const plot_data *d)
{
    extent e = {1, INFINITY, 0};

    for (int k = 0; k < PLOT_KINDS; k++) {
        double beyond = 0;

        for (int i = d->bins.count - 1; i > 0 && d->kinds[k]; i--) {
            beyond += d->expectation[k][i];
            if (d->counted && d->number[k][i] > 0) {
                extend(&e, &d->bins, i, (double)d->number[k][i]);
            } else if (!d->counted && beyond > 0.5 && d->expectation[k][i] > 0.05) {
                extend(&e, &d->bins, i, d->expectation[k][i]);
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
        d->kinds[PLOT_OUT] && d->kinds[PLOT_IN] && d->expected[PLOT_OUT] && d->expected[PLOT_IN];

    for (int i = 0; i < d->bins.count && same; i++) {
        const double out = d->expectation[PLOT_OUT][i], in = d->expectation[PLOT_IN][i];

        same = fabs(out - in) <= 1e-6 * (out + in) + 1e-9;
    }
    return same;
}

/* Both directions of an edge make every total even. */
static bool impossible(const plot_data *d, int kind, int bin)
{
    return kind == PLOT_TOTAL && d->model->drawn->symmetrize && d->bins.first[bin] % 2 == 1 &&
           wide(&d->bins, bin) < 2;
}

static void degree_blocks(const script *s)
{
    const plot_data *d = s->data;

    for (int k = 0; k < PLOT_KINDS; k++) {
        if (!d->kinds[k]) {
            continue;
        }
        fprintf(s->to, "$measured%d << END\n", k);
        for (int i = 1; i < d->bins.count && d->counted; i++) {
            if (d->number[k][i] > 0) {
                fprintf(s->to, "%.9g %.9g\n", middle(&d->bins, i),
                        (double)d->number[k][i] / wide(&d->bins, i));
            }
        }
        fprintf(s->to, "END\n$expected%d << END\n", k);
        for (int i = 1; i < d->bins.count && d->expected[k]; i++) {
            if (!impossible(d, k, i)) {
                fprintf(s->to, "%.9g %.9g\n", middle(&d->bins, i),
                        fmax(1e-30, d->expectation[k][i] / wide(&d->bins, i)));
            }
        }
        fprintf(s->to, "END\n");
    }
}

static void note(const script *s, int *row, const char *what, double vertices)
{
    char number[TEXT];

    fprintf(s->to, "set label %d \"%s: %s\" at graph 0.975,graph 0.95 right offset 0,%g\n",
            *row + 1, what, thousands(number, vertices), -1.25 * *row);
    ++*row;
}

/* Degree 0 has no place on a logarithmic axis: below the key, of so many rows. */
static void isolated(const script *s, int row)
{
    const plot_data *d = s->data;
    const bool same = same_expectation(d);

    for (int k = 0; k < PLOT_KINDS; k++) {
        char text[TEXT];

        snprintf(text, sizeof text, "%s 0", same && !d->counted ? "degree" : looks[k].name);
        if (d->kinds[k] && d->counted) {
            note(s, &row, text, (double)d->number[k][0]);
        }
        if (d->kinds[k] && d->expected[k] && !(same && k == PLOT_OUT)) {
            note(s, &row, d->counted ? "expected" : text, d->expectation[k][0]);
        }
    }
}

static int curves(const script *s)
{
    const plot_data *d = s->data;
    const bool same = same_expectation(d), several = d->kinds[PLOT_OUT] && d->kinds[PLOT_IN];
    int n = 0;

    degree_blocks(s);
    for (int k = 0; k < PLOT_KINDS; k++) {
        if (d->kinds[k] && d->expected[k] && !(same && k == PLOT_IN)) {
            fprintf(s->to, "%s$expected%d with lines %s title \"", n++ ? ", " : "plot ", k,
                    looks[k].line);
            fprintf(s->to,
                    several && !same ? "%s, the model's expectation\""
                                     : "the model's expectation\"",
                    looks[k].name);
        }
    }
    for (int k = 0; k < PLOT_KINDS && d->counted; k++) {
        if (d->kinds[k]) {
            fprintf(s->to, "%s$measured%d with points %s title \"%s\"", n++ ? ", " : "plot ", k,
                    looks[k].point, looks[k].name);
        }
    }
    fprintf(s->to, "%s\n", n > 0 ? "" : "plot NaN notitle");
    return n;
}

static int count_curves(const plot_data *d)
{
    int n = 0;

    for (int k = 0; k < PLOT_KINDS; k++) {
        n += d->kinds[k] ? d->counted + d->expected[k] : 0;
    }
    return n - same_expectation(d);
}

static void degrees(const script *s, int left, int bottom)
{
    const plot_data *d = s->data;
    const extent e = extent_of(d);
    const bool several = d->kinds[PLOT_OUT] && d->kinds[PLOT_IN];
    const char *name = several ? "degree"
                               : looks[d->kinds[PLOT_OUT]  ? PLOT_OUT
                                       : d->kinds[PLOT_IN] ? PLOT_IN
                                                           : PLOT_TOTAL]
                                     .name;

    fprintf(s->to, "set lmargin at screen %d/%d.\nset rmargin at screen %d/%d.\n", left, s->width,
            s->width - RIGHT, s->width);
    fprintf(s->to, "set bmargin at screen %d/%d.\nset tmargin at screen %d/%d.\n", bottom,
            s->height, s->height - TOP, s->height);
    fprintf(s->to, "set title \"Degree distribution\"\nset xlabel \"%s\" offset 0,0.5\n", name);
    fprintf(s->to, "set ylabel \"vertices per degree\" offset 0,0\n"
                   "set xtics autofreq\nset ytics autofreq\nset logscale xy 10\n"
                   "set format xy \"10^{%%T}\"\nset grid back lt 1 lc rgb \"#e4e4e4\" lw 1\n"
                   "set key top right samplen 2 spacing 1.25\n");
    fprintf(s->to, "set xrange [0.8:%.9g]\nset yrange [1e%.0f:1e%.0f] noreverse\n", e.largest * 1.6,
            floor(log10(e.least)), ceil(log10(e.most * 1.5)));
    isolated(s, count_curves(d));
    curves(s);
}

static int picture_width(const plot_options *o)
{
    return o->width > 0 ? o->width : o->degrees && o->adjacency ? 1200 : o->degrees ? 900 : 720;
}

static int picture_height(const plot_options *o)
{
    return o->height > 0 ? o->height : o->adjacency ? 640 : 600;
}

int plot_side(const plot_options *o)
{
    const int high = picture_height(o) - TOP - BOTTOM;
    const int wide = picture_width(o) - LEFT - BAR - (o->degrees ? LEFT : 0) - RIGHT;
    const int most = o->degrees ? wide * 14 / 25 : wide;

    return high < most ? high : most;
}

void plot_script(FILE *stream, const plot_data *d, const plot_options *o)
{
    const bool both = d->degrees && d->adjacency;
    const int side = plot_side(o);
    const int font = o->svg ? 13 : 11; /* pixels in SVG, else points */
    script s = {stream, d, picture_width(o), picture_height(o)};

    fprintf(stream, "set terminal %s size %d,%d font \"DejaVu Sans,%d\" background \"white\"\n",
            o->svg ? "svg" : "pngcairo", s.width, s.height, font);
    fprintf(stream, "set encoding utf8\nset multiplot\nset tics nomirror out scale 0.6\n"
                    "set border lw 1 lc rgb \"#444444\"\nset title offset 0,-0.3\n");
    title(&s, o->title, font + 2);
    if (d->adjacency) {
        adjacency(&s, LEFT, side);
    }
    if (d->degrees) {
        degrees(&s, both ? LEFT + side + BAR + LEFT : LEFT, both ? s.height - TOP - side : BOTTOM);
    }
    fprintf(stream, "unset multiplot\n");
}

void plot_table(FILE *stream, const plot_data *d)
{
    if (d->degrees) {
        fprintf(stream, "#degree\tfirst\tlast\tvertices\texpected\n");
    }
    for (int k = 0; k < PLOT_KINDS && d->degrees; k++) {
        static const char *const names[PLOT_KINDS] = {"out", "in", "total"};

        for (int i = 0; i < d->bins.count && d->kinds[k]; i++) {
            fprintf(stream, "%s\t%" PRIu64 "\t%" PRIu64 "\t", names[k], d->bins.first[i],
                    d->bins.first[i + 1] - 1);
            if (d->counted) {
                fprintf(stream, "%" PRIu64 "\t", d->number[k][i]);
            } else {
                fprintf(stream, "-\t");
            }
            if (d->expected[k]) {
                fprintf(stream, "%.9g\n", d->expectation[k][i]);
            } else {
                fprintf(stream, "-\n");
            }
        }
    }
    if (d->adjacency) {
        fprintf(stream, "#cell\tsource\tdestination\tedges\n");
    }
    for (int i = 0; d->adjacency && i < d->grid.cells[0]; i++) {
        for (int j = 0; j < d->grid.cells[1]; j++) {
            const double x = d->density[i * d->grid.cells[1] + j];

            if (x > 0) {
                fprintf(stream, "cell\t%" PRIu64 "\t%" PRIu64 "\t%.15g\n",
                        (uint64_t)i << d->grid.shift[0], (uint64_t)j << d->grid.shift[1], x);
            }
        }
    }
}
