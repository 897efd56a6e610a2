/*
 * The picture as a script for gnuplot, which contains the numbers.
 *
 * The script is text with a few numbers in it, which gnuplot computes places from: W and H are the
 * pixels of the picture, L, R, B and T those of a diagram's left, right, bottom and top axis. px(n)
 * are the pixels that stand for n of the usual picture, which has 1200 x 640, of the matrix alone
 * 720 x 640, of degrees alone 720 x 480.  A picture of another size has all of them, its fonts,
 * lines and points, in proportion.
 */
#include "apps/common/message.h"
#include "apps/plot/plot.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_ROOM = 64 }; /* for a number as text */

/* Pixels around the matrix, and for its colour bar. */
enum { LEFT = 84, RIGHT = 18, BOTTOM = 56, TOP = 72, BAR = 98 };

typedef struct {
    FILE *to;
    const plot_data *data;
    int width, height; /* pixels of the picture itself */
    double scale;      /* those for one of the usual picture */
} picture;

/* "16,777,216", or "1.1e+18". */
static const char *thousands(char text[NUMBER_ROOM], double value)
{
    char digits[NUMBER_ROOM];
    int n, used = 0;

    if (!(value < 1e18)) {
        snprintf(text, NUMBER_ROOM, "%.3g", value);
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

static bool is_power_of_two(uint64_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

/* The title: which graph the picture shows. */

#define ADD_TITLE(d, ...) text_append((d)->title, PLOT_TITLE, __VA_ARGS__)

/* "16 Mi" for 2^24; "16,777,215". */
static const char *binary_count(char text[NUMBER_ROOM], double value)
{
    for (int power = 6; power > 0; power--) {
        const double units = ldexp(value, -10 * power);

        if (units >= 1 && units < 1024 && units == floor(units)) {
            snprintf(text, NUMBER_ROOM, "%.0f %ci", units, " KMGTPE"[power]);
            return text;
        }
    }
    return thousands(text, value);
}

/* The scale, where that is all: where both sides have 2^scale vertices. */
static void add_sizes(plot_data *d, bool has_scale)
{
    const uint64_t rows = d->vertices[0];
    char text[2][NUMBER_ROOM];

    if (has_scale && d->square && is_power_of_two(rows)) {
        ADD_TITLE(d, ", scale %d", __builtin_ctzll(rows));
    } else if (d->square) {
        ADD_TITLE(d, ", %s vertices", thousands(text[0], (double)rows));
    } else {
        ADD_TITLE(d, ", %s sources, %s destinations", thousands(text[0], (double)rows),
                  thousands(text[1], (double)d->vertices[1]));
    }
    ADD_TITLE(d, ", %s edges", binary_count(text[0], d->edges));
}

/* given: the model as `rmat generate` was told. */
static void add_model(plot_data *d, const rmat_config *given)
{
    static const char *const names[RMAT_STREAMS] = {
        [RMAT_STREAM_RMAT] = "R-MAT",
        [RMAT_STREAM_GRAPH500] = "Graph500",
        [RMAT_STREAM_GAPBS] = "GAPBS",
        [RMAT_STREAM_ROWS] = "R-MAT by rows",
    };
    const rmat_matrix *m = &given->matrix;

    ADD_TITLE(d, "%s", names[given->stream]);
    add_sizes(d, true);
    if (given->levels != NULL) {
        ADD_TITLE(d, ", a matrix for each level");
    } else {
        ADD_TITLE(d, ", a, b, c, d = %.6g, %.6g, %.6g, %.6g", m->a, m->b, m->c, m->d);
    }
    if (given->noise > 0) {
        ADD_TITLE(d, ", noise %.6g", given->noise);
    }
    ADD_TITLE(d, ", seed %" PRIu64, given->seed);
    if (given->stream == RMAT_STREAM_GRAPH500) {
        ADD_TITLE(d, ", second seed %" PRIu64, given->seed2);
    }
}

/* A graph of another generator, or of none: what the file says. */
static void add_file(plot_data *d, edgefile_reader *reader)
{
    char model[NUMBER_ROOM];
    uint64_t seed;

    if (reader == NULL ||
        edgefile_get_string(reader, "model", model, sizeof model) != EDGEFILE_OK) {
        add_sizes(d, false);
        return;
    }
    ADD_TITLE(d, ": %s", model);
    add_sizes(d, false);
    if (edgefile_get_u64(reader, "seed", &seed) == EDGEFILE_OK) {
        ADD_TITLE(d, ", seed %" PRIu64, seed);
    }
}

void plot_title(plot_data *d, edge_source *source, const plot_options *o)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    const char *slash = strrchr(o->file, '/');

    d->title[0] = '\0';
    if (o->title != NULL) {
        ADD_TITLE(d, "%s", o->title);
    } else {
        ADD_TITLE(d, "%s", slash != NULL ? slash + 1 : o->file);
        if (f->model != NULL) {
            ADD_TITLE(d, ": ");
            add_model(d, &f->model->given);
        } else {
            add_file(d, f->reader);
        }
    }
}

/* Print a string literal of gnuplot. */
static void print_quoted(FILE *to, const char *text)
{
    putc('\'', to);
    while (*text != '\0') {
        const int control = text_control_length(text);

        putc(control > 0 ? ' ' : *text, to);
        if (*text == '\'') {
            putc('\'', to);
        }
        text += control > 0 ? control : 1;
    }
    putc('\'', to);
}

/* Letters of the title are about this much wider than high.  A title that is too long for the
 * picture is drawn in smaller letters. */
#define LETTER_WIDTH 0.62

static void print_title(const picture *s, const char *text, double font, double pixels)
{
    const double room = 0.97 * s->width / s->scale;
    int letters = 0; /* of UTF-8 */

    for (const char *at = text; *at != '\0'; at++) {
        letters += ((unsigned char)*at & 0xc0) != 0x80;
    }
    fprintf(s->to, "set label 100 ");
    print_quoted(s->to, text);
    fprintf(s->to, " at screen 0.5,(H-px(22))/H center front font \",%.3g\" noenhanced\n",
            font * fmin(1, room / (LETTER_WIDTH * pixels * letters)));
}

/* Sizes. */

static int default_width(const plot_options *o)
{
    return o->degrees && o->adjacency ? 1200 : o->degrees ? 900 : 720;
}

static picture picture_of(const plot_options *o)
{
    const int height = o->adjacency ? 640 : 600;
    /* A diagram of degrees alone has larger letters than beside the matrix: those of 720 x 480. */
    const double alone = o->adjacency ? 1 : 0.8;
    picture s = {.width = o->width > 0 ? o->width : default_width(o),
                 .height = o->height > 0 ? o->height : height};

    s.scale = fmin(s.width / (alone * default_width(o)), s.height / (alone * height));
    return s;
}

static int pixels(const picture *s, int usual)
{
    return (int)lround(s->scale * usual);
}

int plot_side(const plot_options *o)
{
    const picture s = picture_of(o);
    const int beside = LEFT + BAR + (o->degrees ? LEFT : 0) + RIGHT;
    const int high = s.height - pixels(&s, TOP + BOTTOM), wide = s.width - pixels(&s, beside);
    const int most = o->degrees ? wide * 14 / 25 : wide;

    return high < most ? high : most;
}

/* The axes of a diagram, its title and the name of the one from left to right.  gnuplot's own place
 * for that name depends on rounded sizes of letters, and may be outside of a small picture. */
static void print_axes(const picture *s, int left, int right, int bottom, int top, const char *name)
{
    fprintf(s->to,
            "L = %d\nR = %d\nB = %d\nT = %d\n"
            "set lmargin at screen L/W\nset rmargin at screen R/W\n"
            "set bmargin at screen B/H\nset tmargin at screen T/H\n"
            "set label 99 \"%s\" at screen (L+R)/2/W,(B-px(38))/H center front\n",
            left, right, bottom, top, name);
}

/* A list of ticks: begun by the first of them. */
typedef struct {
    FILE *to;
    int n;
} tick_list;

static tick_list begin_ticks(const picture *s, const char *axis)
{
    fprintf(s->to, "set %stics (", axis);
    return (tick_list){s->to, 0};
}

static void print_tick(tick_list *list, const char *text, double place)
{
    fprintf(list->to, "%s\"%s\" %.9g", list->n++ > 0 ? ", " : "", text, place);
}

static void end_ticks(const tick_list *list)
{
    fprintf(list->to, ")\n");
}

/* The adjacency matrix. */

/* Of 2^bits vertices: so many quarters, 3 of 2^20 are 3*2^18. */
static void quarters_text(char text[NUMBER_ROOM], int bits, int quarters)
{
    static const int less[] = {0, 2, 1, 2, 0};

    if (quarters == 0 || bits <= 16) {
        snprintf(text, NUMBER_ROOM, "%g", ldexp(quarters, bits - 2));
    } else {
        snprintf(text, NUMBER_ROOM, "%s2^{%d}", quarters == 3 ? "3·" : "", bits - less[quarters]);
    }
}

/* "750", "250 k" */
static void decimal_text(char text[NUMBER_ROOM], double value, double most)
{
    int thousands_of = 0;

    if (most < 100000) {
        snprintf(text, NUMBER_ROOM, "%.0f", value);
        return;
    }
    for (; value >= 999.5; value /= 1000) {
        thousands_of++;
    }
    snprintf(text, NUMBER_ROOM, thousands_of > 0 ? "%.4g %c" : "%.4g", value,
             " kMGTPE"[thousands_of]);
}

/* 1, 2 or 5 times a power of ten, at least 1, such that about five of them are n. */
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
static void print_vertex_ticks(const picture *s, const char *axis, int side)
{
    const uint64_t vertices = s->data->vertices[side];
    const bool binary = vertices >= 4 && is_power_of_two(vertices);
    const double cell = ldexp(1, s->data->grid.shift[side]);
    const double step = binary ? (double)vertices / 4 : decimal_step((double)vertices);
    tick_list list = begin_ticks(s, axis);
    char text[NUMBER_ROOM];

    for (int i = 0; i * step <= (double)vertices; i++) {
        if (binary) {
            quarters_text(text, __builtin_ctzll(vertices), i);
        } else {
            decimal_text(text, i * step, (double)vertices);
        }
        print_tick(&list, text, i * step / cell);
    }
    end_ticks(&list);
}

/* The probabilities of the quadrants, where the picture shows them. */
static void print_quadrants(const picture *s)
{
    const rmat_config *c = s->data->model != NULL ? s->data->model->drawn : NULL;
    const int *cells = s->data->grid.cells;
    rmat_config shown = {0};

    if (c != NULL) {
        shown = *c;
        shown.permute = c->permute && !s->data->unpermuted;
    }
    if (c == NULL || c->levels != NULL || c->noise > 0 || c->rows != c->cols ||
        !rmat_is_as_drawn(&shown) || s->data->vertices[0] != (uint64_t)1 << c->rows_scale ||
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

/* Ticks for a range that has fewer than two powers of ten: multiples of 1, 2 or 5 times a power of
 * ten, which are whole numbers where edges were counted. */
static void print_fine_ticks(const picture *s, double least, double most)
{
    const double third = (most - least) / 3, power = pow(10, floor(log10(third)));
    const double round = power * (third / power >= 5 ? 5 : third / power >= 2 ? 2 : 1);
    const double step = fmax(round, 1);
    const double first = ceil(least / step - 1e-9), last = floor(most / step + 1e-9);
    const bool plain = most < 1e4 && least >= 1e-3;
    tick_list list = begin_ticks(s, "cb");

    for (double i = first; i <= last; i++) {
        const double value = i * step, tens = plain ? 0 : floor(log10(value) + 1e-9);
        const double digits = floor(log10(value) + 1e-9) - floor(log10(step) + 1e-9) + 1;
        char text[NUMBER_ROOM];
        const int n = snprintf(text, sizeof text, "%.*g", (int)fmax(digits, plain ? 4 : 1),
                               value / pow(10, tens));

        if (!plain) {
            snprintf(text + n, sizeof text - (size_t)n, "·10^{%.0f}", tens);
        }
        print_tick(&list, text, value);
    }
    end_ticks(&list);
}

static void print_colours(const picture *s)
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
    fprintf(s->to,
            "set logscale cb 10\nset cbrange [%.9g:%.9g]\nset format cb \"%s\"\n"
            "set cbtics offset -0.5,0 autofreq\n"
            "set palette maxcolors 128 defined (0 \"#46359c\", 0.25 \"#7b2382\", 0.5 \"#c83e73\", "
            "0.75 \"#fb8861\", 1 \"#fcfdbf\")\n",
            least, most, most <= 1000 && least >= 0.1 ? "%g" : "10^{%T}");
    if (floor(log10(most)) - ceil(log10(least)) < 1) {
        print_fine_ticks(s, least, most);
    }
}

/* A number of vertices in gnuplot's enhanced text: "2^{20}" for large powers of two. */
static const char *vertices_text(char text[NUMBER_ROOM], uint64_t n)
{
    if (is_power_of_two(n) && n > 16384) {
        snprintf(text, NUMBER_ROOM, "2^{%d}", __builtin_ctzll(n));
        return text;
    }
    return thousands(text, (double)n);
}

static void print_cell_label(const picture *s)
{
    const int *shift = s->data->grid.shift;
    char rows[NUMBER_ROOM], cols[NUMBER_ROOM];

    fprintf(s->to, "set label 6 \"edges");
    if (shift[0] > 0 || shift[1] > 0) {
        fprintf(s->to, " per cell of %s x %s", vertices_text(rows, (uint64_t)1 << shift[0]),
                vertices_text(cols, (uint64_t)1 << shift[1]));
    }
    fprintf(s->to, "\" at screen (R+px(82))/W,(B+(T-B)/2)/H center rotate front\n");
}

static void print_matrix(const picture *s, int left, int side)
{
    const plot_data *d = s->data;
    const int *cells = d->grid.cells, top = s->height - pixels(s, TOP);

    print_axes(s, left, left + side, top - side, top, "destination");
    fprintf(s->to,
            "set title \"Adjacency matrix%s\"\nset xrange [0:%d]\nset yrange [%d:0]\n"
            "set label 5 \"source\" at screen px(16)/W,(B+(T-B)/2)/H center rotate front\n",
            d->unpermuted ? ", vertices in the model's order" : "", cells[1], cells[0]);
    print_vertex_ticks(s, "x", 1);
    print_vertex_ticks(s, "y", 0);
    print_cell_label(s);
    print_colours(s);
    print_quadrants(s);
    fprintf(s->to,
            "set colorbox user origin (R+px(12))/W,B/H size px(16)/W,(T-B)/H\n"
            "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb \"#0b0724\" fs solid "
            "noborder\n"
            "plot \"-\" binary array=(%d,%d) format=\"%%float64\" dx=1 dy=1 origin=(0.5,0.5) "
            "with image notitle\n",
            cells[1], cells[0]);
    /* Row by row, as gnuplot reads them behind the plot command: expressions of its own would take
     * it a second.  Cells without edges have no colour. */
    for (int i = 0; i < cells[0] * cells[1]; i++) {
        const double x = d->density[i] > 0 ? d->density[i] : NAN;

        fwrite(&x, sizeof x, 1, s->to);
    }
    fprintf(s->to, "\nunset object\nunset label\nunset logscale\nunset colorbox\n");
}

/* The distribution of degrees. */

/* The points and lines of a kind of degree.  size: of points, for the usual picture. */
static const struct {
    const char *name, *point, *line;
    double size;
} looks[RMAT_KINDS] = {
    [RMAT_OUT] = {"out-degree", "pt 7 lc rgb \"#2a1a5e\"", "lw 2 lc rgb \"#e0609a\"", 0.55},
    [RMAT_IN] = {"in-degree", "pt 6 lw 1.2 lc rgb \"#e8743b\"", "lw 2 dt (8,6) lc rgb \"#fb8861\"",
                 0.8},
    [RMAT_TOTAL] = {"degree", "pt 7 lc rgb \"#2a1a5e\"", "lw 2 lc rgb \"#e0609a\"", 0.55},
};

/* Where a bin other than bin 0 is drawn: at its middle the number of vertices per degree that the
 * graph can have, or at its first degree the share of vertices of that degree or more. */
static double place_x(const plot_data *d, int bin)
{
    const double first = (double)d->bins.first[bin], end = (double)d->bins.first[bin + 1];

    return d->ccdf ? first : sqrt(first * (end - d->step));
}

static double place_y(const plot_data *d, double share, double vertices, int bin)
{
    const double first = (double)d->bins.first[bin], end = (double)d->bins.first[bin + 1];

    return d->ccdf ? share : vertices / ((end - first) / d->step);
}

static double found_y(const plot_data *d, int kind, int bin)
{
    return place_y(d, d->share[kind][bin], (double)d->number[kind][bin], bin);
}

static double expected_y(const plot_data *d, int kind, int bin)
{
    return place_y(d, d->expected_share[kind][bin], d->expectation[kind][bin], bin);
}

/* What the axes have to show. */
typedef struct {
    double largest, least, most; /* degree; vertices per degree, or share of vertices */
} extent;

static extent extent_of(const plot_data *d)
{
    extent e = {1, INFINITY, 0};

    for (int k = 0; k < RMAT_KINDS; k++) {
        for (int i = d->bins.count - 1; i > 0 && d->kinds[k]; i--) {
            const double y = found_y(d, k, i);

            if (d->number[k][i] > 0) {
                e.largest = fmax(e.largest, (double)d->bins.first[i + 1] - 1);
                e.least = fmin(e.least, y);
                e.most = fmax(e.most, y);
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

static void print_note(const picture *s, int *row, const char *what, double vertices)
{
    char number[NUMBER_ROOM];

    fprintf(s->to, "set label %d \"%s: %s\" at graph 0.975,graph 0.95 right offset 0,%g\n",
            *row + 1, what, thousands(number, vertices), -1.25 * *row);
    ++*row;
}

/* Degree 0 has no place on a logarithmic axis: below the key, of so many rows. */
static void print_isolated(const picture *s, int row)
{
    const plot_data *d = s->data;
    const bool same = same_expectation(d);

    for (int k = 0; k < RMAT_KINDS; k++) {
        char text[NUMBER_ROOM];

        snprintf(text, sizeof text, "%s 0", looks[k].name);
        if (d->kinds[k]) {
            print_note(s, &row, text, (double)d->number[k][0]);
        }
        if (d->kinds[k] && d->expected[k] && !(same && k == RMAT_OUT)) {
            print_note(s, &row, "expected", d->expectation[k][0]);
        }
    }
}

static void print_degree_blocks(const picture *s)
{
    const plot_data *d = s->data;

    for (int k = 0; k < RMAT_KINDS; k++) {
        if (!d->kinds[k]) {
            continue;
        }
        fprintf(s->to, "$measured%d << END\n", k);
        for (int i = 1; i < d->bins.count; i++) {
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

/* Expectations first, so that points lie upon them. */
static void print_curves(const picture *s)
{
    const plot_data *d = s->data;
    const bool same = same_expectation(d), several = d->kinds[RMAT_OUT] && d->kinds[RMAT_IN];
    int n = 0;

    for (int k = 0; k < RMAT_KINDS; k++) {
        if (d->kinds[k] && d->expected[k] && !(same && k == RMAT_IN)) {
            fprintf(s->to, "%s$expected%d with lines %s title \"%s%sthe model's expectation\"",
                    n++ ? ", " : "plot ", k, looks[k].line, several && !same ? looks[k].name : "",
                    several && !same ? ", " : "");
        }
    }
    for (int k = 0; k < RMAT_KINDS; k++) {
        if (d->kinds[k]) {
            fprintf(s->to, "%s$measured%d with points ps %.4g %s title \"%s\"",
                    n++ ? ", " : "plot ", k, looks[k].size * s->scale, looks[k].point,
                    looks[k].name);
        }
    }
    fprintf(s->to, "%s\n", n > 0 ? "" : "plot NaN notitle");
}

static int count_curves(const plot_data *d)
{
    int n = 0;

    for (int k = 0; k < RMAT_KINDS; k++) {
        n += d->kinds[k] ? 1 + d->expected[k] : 0;
    }
    return n - same_expectation(d);
}

/* Where an axis has hardly more than one power of ten: at 2, 3 and 5 times these, too. */
static void print_degree_ticks(const picture *s, const char *axis, double least, double most)
{
    static const int digits[] = {1, 2, 3, 5};
    tick_list list;

    if (most / least > 150) {
        return;
    }
    list = begin_ticks(s, axis);
    for (double power = floor(log10(least)); pow(10, power) <= most; power++) {
        for (int i = 0; i < 4; i++) {
            const double value = digits[i] * pow(10, power);
            char text[NUMBER_ROOM];

            if (value >= least * (1 - 1e-9) && value <= most * (1 + 1e-9)) {
                snprintf(text, sizeof text, "%.6g", value);
                print_tick(&list, text, value);
            }
        }
    }
    end_ticks(&list);
}

static void print_degrees(const picture *s, int left, int bottom)
{
    const plot_data *d = s->data;
    const extent e = extent_of(d);
    const double low = floor(log10(e.least)), high = d->ccdf ? 0 : ceil(log10(e.most * 1.5));
    const char *name = d->kinds[RMAT_OUT] && d->kinds[RMAT_IN] ? "degree"
                       : d->kinds[RMAT_OUT]                    ? looks[RMAT_OUT].name
                       : d->kinds[RMAT_IN]                     ? looks[RMAT_IN].name
                                                               : looks[RMAT_TOTAL].name;

    print_axes(s, left, s->width - pixels(s, RIGHT), bottom, s->height - pixels(s, TOP), name);
    fprintf(s->to,
            "set title \"%s\"\nset ylabel \"%s\" offset 0,0\n"
            "set xtics autofreq\nset ytics autofreq\nset logscale xy 10\n"
            "set format xy \"10^{%%T}\"\nset grid back lt 1 lc rgb \"#e4e4e4\" lw 1\n"
            "set key top right samplen 2 spacing 1.25\n"
            "set xrange [0.8:%.9g]\nset yrange [1e%.0f:1e%.0f] noreverse\n",
            d->ccdf ? "Complementary cumulative degrees" : "Degree distribution",
            d->ccdf ? "share of vertices of this degree or more" : "vertices per degree",
            e.largest * 1.6, low, high);
    print_degree_ticks(s, "x", 0.8, e.largest * 1.6);
    print_degree_ticks(s, "y", pow(10, low), pow(10, high));
    print_isolated(s, count_curves(d));
    print_degree_blocks(s);
    print_curves(s);
}

/* The terminal, and what both diagrams have in common.  In PDF sizes are in inches of 72 pixels,
 * and lines half as wide. */
static void print_beginning(const picture *s, plot_picture_format format, double font)
{
    static const char *const terminals[] = {[PLOT_PNG] = "pngcairo size %.0f,%.0f ",
                                            [PLOT_SVG] = "svg size %.0f,%.0f ",
                                            [PLOT_PDF] = "pdfcairo size %.6gin,%.6gin "};
    const double inch = format == PLOT_PDF ? 72 : 1;

    fprintf(s->to, "set terminal ");
    fprintf(s->to, terminals[format], s->width / inch, s->height / inch);
    fprintf(s->to,
            "font \"DejaVu Sans,%.4g\" fontscale %.4g linewidth %.4g background \"white\"\n"
            "set encoding utf8\nset multiplot\nset tics nomirror out scale 0.6\n"
            "set border lw 1 lc rgb \"#444444\"\nset title offset 0,-0.3\n"
            "W = %d.\nH = %d.\npx(n) = floor(%.17g * n + 0.5)\n",
            font, s->scale, (format == PLOT_PDF ? 2 : 1) * s->scale, s->width, s->height, s->scale);
}

void plot_script(FILE *stream, const plot_data *d, const plot_options *o)
{
    const int side = plot_side(o);
    const bool points = o->picture != PLOT_SVG; /* the unit of its fonts; else pixels */
    const double font = points ? 11 : 13;
    picture s = picture_of(o);
    int left = pixels(&s, LEFT), bottom = pixels(&s, BOTTOM);

    s.to = stream;
    s.data = d;
    print_beginning(&s, o->picture, font);
    print_title(&s, d->title, font + 2, points ? 17.3 : 15);
    if (d->adjacency) {
        print_matrix(&s, left, side);
        left += side + pixels(&s, BAR + LEFT);
        bottom = s.height - pixels(&s, TOP) - side;
    }
    if (d->degrees) {
        print_degrees(&s, left, bottom);
    }
    fprintf(stream, "unset multiplot\n");
}
