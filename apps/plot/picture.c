/*
 * The picture: a script for gnuplot, which contains the numbers, and gnuplot as a child process.
 * Sizes are in pixels.  The picture has 1200 x 640 pixels, with one diagram 720 x 640.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/engine/job.h"
#include "apps/plot/plot.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 84, RIGHT = 18, TOP = 72, BOTTOM = 56, BAR = 98 }; /* BAR: beside the matrix */
enum { HEIGHT = TOP + PLOT_SIDE + BOTTOM };

static double width_of(const plot_data *d)
{
    return d->o.what == PLOT_BOTH ? 1200 : 720;
}

/* Begins a diagram between these pixels. */
static void print_axes(FILE *to, const plot_data *d, double left, double right)
{
    const double width = width_of(d), height = HEIGHT;

    fprintf(to,
            "reset\nset tics nomirror out scale 0.6\nset border lw 1 lc rgb '#444444'\n"
            "set lmargin at screen %.9g\nset rmargin at screen %.9g\n"
            "set bmargin at screen %.9g\nset tmargin at screen %.9g\n"
            "set colorbox user origin screen %.9g, graph 0 size screen %.9g, graph 1\n",
            left / width, right / width, BOTTOM / height, 1 - TOP / height, (right + 12) / width,
            16 / width);
}

/* The vertices of a side, with ticks at quarters of a large power of two: "256ki". */
static void print_vertices(FILE *to, char axis, uint64_t vertices)
{
    if (vertices >= 4096 && (vertices & (vertices - 1)) == 0) {
        fprintf(to, "set %ctics %.17g\nset format %c '%%.0b%%B'\n", axis, (double)vertices / 4,
                axis);
    }
}

/* Cells without edges have no color, so that the background shows. */
static void print_matrix(FILE *to, const plot_data *d)
{
    const double size[2] = {ldexp(1, d->shift[0]), ldexp(1, d->shift[1])};
    const int cells = d->cells[0] * d->cells[1];
    double least = INFINITY, most = 0;

    for (int i = 0; i < cells; i++) {
        least = d->density[i] > 0 ? fmin(least, (double)d->density[i]) : least;
        most = fmax(most, (double)d->density[i]);
    }
    print_vertices(to, 'x', d->vertices[1]);
    print_vertices(to, 'y', d->vertices[0]);
    fprintf(to,
            "set title 'Adjacency matrix%s'\nset xlabel 'destination'\nset ylabel 'source'\n"
            "set xrange [0:%.17g]\nset yrange [%.17g:0]\n"
            "set logscale cb 10\nset cbrange [%.9g:%.9g]\nset format cb '10^{%%T}'\n"
            "set cblabel 'edges per cell of 2^{%d} x 2^{%d} vertices' offset 1.5,0\n"
            "set palette maxcolors 128 defined (0 '#46359c', 0.25 '#7b2382', 0.5 '#c83e73', "
            "0.75 '#fb8861', 1 '#fcfdbf')\n"
            "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#0b0724' fs solid "
            "noborder\n"
            "plot '-' binary array=(%d,%d) format='%%float64' dx=%.17g dy=%.17g "
            "origin=(%.17g,%.17g) with image notitle\n",
            d->unpermuted ? ", vertices in the order of the model" : "", (double)d->vertices[1],
            (double)d->vertices[0], least, fmax(most, 10 * least), d->shift[0], d->shift[1],
            d->cells[1], d->cells[0], size[1], size[0], size[1] / 2, size[0] / 2);
    for (int i = 0; i < cells; i++) {
        const double edges = d->density[i] > 0 ? (double)d->density[i] : NAN;

        fwrite(&edges, sizeof edges, 1, to);
    }
    putc('\n', to);
}

/* Vertices per degree, at the middle of each bin: lines for expected numbers, points for counted
 * ones.  Degree 0 has no place on a logarithmic axis and stands in the key. */
static void print_degrees(FILE *to, const plot_data *d)
{
    static const char *const series[4][2] = {
        {"expected out-degree", "lines lw 2 lc rgb '#e0609a'"},
        {"expected in-degree", "lines lw 2 dt (8,6) lc rgb '#fb8861'"},
        {"out-degree", "points pt 7 ps 0.55 lc rgb '#2a1a5e'"},
        {"in-degree", "points pt 6 ps 0.8 lw 1.2 lc rgb '#e8743b'"}};
    double largest = 10, least = INFINITY, most = 0;
    const char *command = "plot";

    for (int n = 0; n < 4; n++) {
        const double *vertices = n < 2 ? d->expected[n] : d->found[n - 2];

        fprintf(to, "$series%d << END\n", n);
        for (int i = 1; i < d->bins.count && d->degrees[n % 2]; i++) {
            const double first = (double)d->bins.first[i], end = (double)d->bins.first[i + 1];
            const double y = vertices[i] / (end - first);

            fprintf(to, "%.9g %.9g\n", sqrt(first * (end - 1)), fmax(y, 1e-30));
            if (n >= 2 && y > 0) {
                largest = fmax(largest, end - 1);
                least = fmin(least, y);
                most = fmax(most, y);
            }
        }
        fprintf(to, "END\n");
    }
    fprintf(to,
            "set title 'Degree distribution'\nset xlabel 'degree'\n"
            "set ylabel 'vertices per degree'\nset logscale xy 10\nset format xy '10^{%%T}'\n"
            "set grid back lt 1 lc rgb '#e4e4e4' lw 1\nset key top right samplen 2 spacing 1.25\n"
            "set xrange [0.8:%.9g]\nset yrange [1e%.0f:1e%.0f]\n",
            largest * 1.6, floor(log10(least / 1.5)), ceil(log10(most * 1.5)));
    for (int n = d->expects ? 0 : 2; n < 4; n++) {
        if (d->degrees[n % 2]) {
            fprintf(to, "%s $series%d with %s title '%s (0 at %.0f vertices)'", command, n,
                    series[n][1], series[n][0], n < 2 ? d->expected[n][0] : d->found[n - 2][0]);
            command = ",";
        }
    }
    putc('\n', to);
}

/* A long title is drawn in smaller letters; a letter's width is about 0.62 of its height. */
static void print_title(FILE *to, const plot_data *d, double font)
{
    const double width = 17.3 * 0.62 * (double)strlen(d->title);

    fprintf(to, "set multiplot title '");
    for (const char *at = d->title; *at != '\0'; at++) {
        fprintf(to, *at == '\'' ? "''" : "%c", text_control_length(at) > 0 ? ' ' : *at);
    }
    fprintf(to, "' noenhanced font ',%.3g'\n", font * fmin(1, 0.97 * width_of(d) / width));
}

/* Font sizes are pixels in SVG, points elsewhere.  In PDF, sizes are inches of 72 pixels, and lines
 * are half as wide. */
static void print_script(FILE *to, const plot_data *d)
{
    static const char *const terminals[] = {
        [PLOT_PNG] = "pngcairo size %g,%g font 'DejaVu Sans,11'",
        [PLOT_SVG] = "svg size %g,%g font 'DejaVu Sans,13'",
        [PLOT_PDF] = "pdfcairo size %g/72.,%g/72. font 'DejaVu Sans,11' linewidth 2"};
    double left = LEFT;

    fprintf(to, "set encoding utf8\nset terminal ");
    fprintf(to, terminals[d->format], width_of(d), (double)HEIGHT);
    fprintf(to, " background 'white'\n");
    print_title(to, d, d->format == PLOT_SVG ? 15 : 13);
    if (d->o.what != PLOT_DEGREES) {
        print_axes(to, d, left, left + PLOT_SIDE);
        print_matrix(to, d);
        left += PLOT_SIDE + BAR + LEFT;
    }
    if (d->o.what != PLOT_ADJACENCY) {
        print_axes(to, d, left, width_of(d) - RIGHT);
        print_degrees(to, d);
    }
    fprintf(to, "unset multiplot\n");
}

/* gnuplot's error is its last line that is not empty. */
static int report_failure(FILE *said)
{
    char line[1024], last[sizeof line] = "it gave no reason";

    rewind(said);
    while (fgets(line, sizeof line, said) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0') {
            strcpy(last, line + strspn(line, " \t"));
        }
    }
    return runtime_error("plot", "gnuplot made no picture: %s", last);
}

/* Runs gnuplot on a script (without .gnuplot), and copies its drawing. */
static int run_gnuplot(const plot_data *d, FILE *script, FILE *said, FILE *picture)
{
    char text[4096];
    FILE *drawn;
    size_t n, all = 0;
    int status, failed;

    snprintf(text, sizeof text, "exec gnuplot -d </dev/fd/%d 2>/dev/fd/%d", fileno(script),
             fileno(said));
    drawn = popen(text, "r");
    if (drawn == NULL) {
        return runtime_error("plot", "gnuplot cannot be started: %s", strerror(errno));
    }
    while ((n = fread(text, 1, sizeof text, drawn)) > 0) {
        fwrite(text, 1, n, picture);
        all += n;
    }
    failed = ferror(drawn);
    status = pclose(drawn);
    if (interrupt_signal() != 0) {
        return client_fail("plot", engine_stop_with(interrupt_signal()), d->o.output);
    }
    return status == 0 && all > 0 && !failed ? EXIT_OK : report_failure(said);
}

int plot_find_gnuplot(void)
{
    return system("command -v gnuplot >/dev/null") == 0
               ? EXIT_OK
               : runtime_error("plot", "needs gnuplot: apt-get install gnuplot-nox");
}

int plot_draw(const plot_data *d, FILE *picture)
{
    FILE *script = tmpfile(), *said = tmpfile();
    int status = EXIT_OK;

    if (script != NULL) {
        print_script(script, d);
    }
    if (script == NULL || said == NULL || fflush(script) != 0 || ferror(script)) {
        status = runtime_error("plot", "a temporary file cannot be written: %s", strerror(errno));
    } else {
        status = run_gnuplot(d, script, said, picture);
    }
    if (script != NULL) {
        fclose(script);
    }
    if (said != NULL) {
        fclose(said);
    }
    return status;
}
