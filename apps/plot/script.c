/* The picture as a script for gnuplot, which contains the numbers. */
#include "apps/plot/script.h"
#include "apps/common/text.h"
#include <math.h>
#include <stdio.h>

const char *plot_thousands(char text[PLOT_TEXT], double value)
{
    char digits[PLOT_TEXT];
    int n, used = 0;

    if (!(value < 1e18)) {
        snprintf(text, PLOT_TEXT, "%.3g", value);
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

const char *plot_vertices(char text[PLOT_TEXT], uint64_t n)
{
    int bits = 0;

    while (bits < 63 && (uint64_t)1 << bits < n) {
        bits++;
    }
    if (n == (uint64_t)1 << bits && n > 16384) {
        snprintf(text, PLOT_TEXT, "2^{%d}", bits);
        return text;
    }
    return plot_thousands(text, (double)n);
}

double plot_round_step(double x)
{
    const double power = pow(10, floor(log10(x))), digit = x / power;

    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/* Print a string literal of gnuplot. */
static void quote(FILE *to, const char *text)
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

/* Pixels of an inch in PDF, where they are points. */
#define PDF_PIXELS 72.

/* The number of letters of UTF-8. */
static int letters(const char *text)
{
    int n = 0;

    for (; *text != '\0'; text++) {
        n += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return n;
}

/* Letters of the title are about this much wider than high.  A title that is too long for the
 * picture is drawn in smaller letters. */
#define LETTER_WIDTH 0.62

static void title(const plot_picture *s, const char *text, double font, double pixels)
{
    const double room = 0.97 * s->width / s->scale;
    const double needed = LETTER_WIDTH * pixels * (double)letters(text);

    fprintf(s->to, "set label 100 ");
    quote(s->to, text);
    fprintf(s->to, " at screen 0.5,%d/%d. center front font \",%.3g\" noenhanced\n",
            s->height - plot_pixels(s->scale, 22), s->height, font * fmin(1, room / needed));
}

static int default_width(const plot_options *o)
{
    return o->degrees && o->adjacency ? 1200 : o->degrees ? 900 : 720;
}

static int default_height(const plot_options *o)
{
    return o->adjacency ? 640 : 600;
}

static int picture_width(const plot_options *o)
{
    return o->width > 0 ? o->width : default_width(o);
}

static int picture_height(const plot_options *o)
{
    return o->height > 0 ? o->height : default_height(o);
}

/* A diagram of degrees alone has larger letters than beside the matrix: those of 720 x 480. */
static double scale_of(const plot_options *o)
{
    const double alone = o->adjacency ? 1 : 0.8;
    const double wide = picture_width(o) / (alone * default_width(o));
    const double high = picture_height(o) / (alone * default_height(o));

    return fmin(wide, high);
}

int plot_pixels(double scale, int pixels)
{
    return (int)lround(scale * pixels);
}

void plot_script_xlabel(const plot_picture *s, const char *name, int left, int right, int bottom)
{
    fprintf(s->to, "set label 99 \"%s\" at screen %d./%d,%d./%d center front\n", name,
            (left + right) / 2, s->width, bottom - plot_pixels(s->scale, PLOT_XLABEL), s->height);
}

int plot_side(const plot_options *o)
{
    const double scale = scale_of(o);
    const int beside = PLOT_LEFT + PLOT_BAR + (o->degrees ? PLOT_LEFT : 0) + PLOT_RIGHT;
    const int high = picture_height(o) - plot_pixels(scale, PLOT_TOP + PLOT_BOTTOM);
    const int wide = picture_width(o) - plot_pixels(scale, beside);
    const int most = o->degrees ? wide * 14 / 25 : wide;

    return high < most ? high : most;
}

static void terminal(const plot_picture *s, plot_picture_format picture, double font)
{
    static const char *const names[] = {
        [PLOT_PNG] = "pngcairo", [PLOT_SVG] = "svg", [PLOT_PDF] = "pdfcairo"};
    const double line = picture == PLOT_PDF ? 2 : 1; /* in PDF lines are half as wide */

    fprintf(s->to, "set terminal %s ", names[picture]);
    if (picture == PLOT_PDF) {
        fprintf(s->to, "size %.6gin,%.6gin ", s->width / PDF_PIXELS, s->height / PDF_PIXELS);
    } else {
        fprintf(s->to, "size %d,%d ", s->width, s->height);
    }
    fprintf(s->to, "font \"DejaVu Sans,%.4g\" fontscale %.4g linewidth %.4g background \"white\"\n",
            font, s->scale, line * s->scale);
}

void plot_script(FILE *stream, const plot_data *d, const plot_options *o)
{
    const bool both = d->degrees && d->adjacency;
    const int side = plot_side(o);
    const bool points = o->picture != PLOT_SVG; /* the unit of its fonts; else pixels */
    const double font = points ? 11 : 13;
    const plot_picture s = {stream, d, picture_width(o), picture_height(o), scale_of(o)};
    const int left = plot_pixels(s.scale, PLOT_LEFT);

    terminal(&s, o->picture, font);
    fprintf(stream, "set encoding utf8\nset multiplot\nset tics nomirror out scale 0.6\n"
                    "set border lw 1 lc rgb \"#444444\"\nset title offset 0,-0.3\n");
    title(&s, d->title, font + 2, points ? 17.3 : 15);
    if (d->adjacency) {
        plot_script_matrix(&s, left, side);
    }
    if (d->degrees) {
        plot_script_degrees(&s,
                            both ? left + side + plot_pixels(s.scale, PLOT_BAR + PLOT_LEFT) : left,
                            both ? s.height - plot_pixels(s.scale, PLOT_TOP) - side
                                 : plot_pixels(s.scale, PLOT_BOTTOM));
    }
    fprintf(stream, "unset multiplot\n");
}
