/* The picture as a script for gnuplot, which contains the numbers. */
#include "apps/plot/script.h"
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

/* Print a string literal of gnuplot. */
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

static void title(const plot_picture *s, const char *given, int font)
{
    char rows[PLOT_TEXT], cols[PLOT_TEXT], edges[PLOT_TEXT];
    const plot_data *d = s->data;

    fprintf(s->to, "set label 100 ");
    if (given != NULL) {
        quote(s->to, given);
    } else {
        fprintf(s->to, "\"%s", d->counted ? "" : "Expected: ");
        plot_thousands(rows, (double)d->vertices[0]);
        plot_thousands(cols, (double)d->vertices[1]);
        if (d->square) {
            fprintf(s->to, "%s vertices", rows);
        } else {
            fprintf(s->to, "%s sources, %s destinations", rows, cols);
        }
        fprintf(s->to, ", %s edges\"", plot_thousands(edges, d->edges));
    }
    fprintf(s->to, " at screen 0.5,%d/%d. center front font \",%d\" %s\n",
            s->height - plot_pixels(s->scale, 22), s->height, font,
            given != NULL ? "noenhanced" : "");
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

/* Small pictures keep the size of their text, so that it can be read. */
static double scale_of(const plot_options *o)
{
    const double wide = (double)picture_width(o) / default_width(o);
    const double high = (double)picture_height(o) / default_height(o);

    return fmax(1, fmin(wide, high));
}

int plot_pixels(double scale, int pixels)
{
    return (int)lround(scale * pixels);
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

void plot_script(FILE *stream, const plot_data *d, const plot_options *o)
{
    const bool both = d->degrees && d->adjacency;
    const int side = plot_side(o);
    const int font = o->svg ? 13 : 11; /* pixels in SVG, else points */
    const plot_picture s = {stream, d, picture_width(o), picture_height(o), scale_of(o)};
    const int left = plot_pixels(s.scale, PLOT_LEFT);

    fprintf(stream,
            "set terminal %s size %d,%d font \"DejaVu Sans,%d\" fontscale %.4g linewidth %.4g "
            "background \"white\"\n",
            o->svg ? "svg" : "pngcairo", s.width, s.height, font, s.scale, s.scale);
    fprintf(stream, "set encoding utf8\nset multiplot\nset tics nomirror out scale 0.6\n"
                    "set border lw 1 lc rgb \"#444444\"\nset title offset 0,-0.3\n");
    title(&s, o->title, font + 2);
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
