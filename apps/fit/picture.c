/*
 * The picture of a fit, by gnuplot: for each kind of degree the share of vertices of degree k or
 * more, of the graph and of both models, and below it by which factor the models are off.
 */
#include "apps/common/message.h"
#include "apps/fit/fit.h"
#include "apps/plot/plot.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRAPHS = 3, OUT = 0, IN = 1 };
static const char *const names[GRAPHS] = {"graph", "R-MAT", "Chung-Lu"};
static const char *const looks[GRAPHS] = {"points pt 7 ps 0.6 lc rgb \"#2a1a5e\"",
                                          "lines lw 2 lc rgb \"#e0609a\"",
                                          "lines lw 2 dt (8,6) lc rgb \"#e8743b\""};

/* The shares of vertices of each bin's first degree or more, among those that have an edge. */
static void shares(const uint64_t *vertices, double *share)
{
    double sum = 0;

    for (int i = RMAT_SHAPE_FINE - 1; i > 0; i--) {
        share[i] = sum += (double)vertices[i];
    }
    for (int i = 1; i < RMAT_SHAPE_FINE; i++) {
        share[i] /= fmax(sum, 1);
    }
}

static const rmat_shape *shape_of(const fit_report *r, int which)
{
    return which == 0 ? &r->graph.shape : which == 1 ? &r->fit.like : &r->chung_lu;
}

/* Named blocks: degree, share, and the share over that of the graph. */
static double print_data(FILE *to, const fit_report *r, int side)
{
    double graph[RMAT_SHAPE_FINE], share[RMAT_SHAPE_FINE], least = 1;

    shares(side == OUT ? r->graph.shape.out_vertices : r->graph.shape.in_vertices, graph);
    for (int k = 0; k < GRAPHS; k++) {
        const rmat_shape *s = shape_of(r, k);

        shares(side == OUT ? s->out_vertices : s->in_vertices, share);
        fprintf(to, "$d%d%d << END\n", side, k);
        for (int i = 1; i < RMAT_SHAPE_FINE && s->edges > 0; i++) {
            if (share[i] > 0) {
                fprintf(to, "%" PRIu64 " %.6g %s%.6g\n", rmat_shape_first(i), share[i],
                        graph[i] > 0 ? "" : "NaN ", graph[i] > 0 ? share[i] / graph[i] : 0);
                least = fmin(least, share[i]);
            }
        }
        fprintf(to, "END\n");
    }
    return least;
}

static void print_curves(FILE *to, const fit_report *r, int side, int column, int first)
{
    for (int k = first; k < GRAPHS; k++) {
        if (shape_of(r, k)->edges > 0) {
            fprintf(to, "%s$d%d%d using 1:%d with %s title \"%s\"", k > first ? ", " : "plot ",
                    side, k, column, looks[k], names[k]);
        }
    }
    fprintf(to, "\n");
}

static void print_side(FILE *to, const fit_report *r, int side, const char *name, double left,
                       double right)
{
    const double least = print_data(to, r, side);

    fprintf(to,
            "set lmargin at screen %.3f\nset rmargin at screen %.3f\n"
            "set tmargin at screen 0.93\nset bmargin at screen 0.36\n"
            "set logscale xy 10\nset format xy \"10^{%%T}\"\nset xlabel \"\"\n"
            "set ylabel \"share of vertices of this degree or more\" offset 1,0\n"
            "set title \"%s\"\nset xrange [0.8:*] writeback\nset yrange [%.3g:1.5]\n"
            "set key top right\n",
            left, right, name, least / 1.5);
    print_curves(to, r, side, 2, 0);
    fprintf(to, "set tmargin at screen 0.30\nset bmargin at screen 0.09\nset title \"\"\n"
                "set xlabel \"degree\"\nset ylabel \"model / graph\" offset 1,0\n"
                "set xrange restore\nset yrange [0.1:10]\nset nokey\n");
    print_curves(to, r, side, 3, 1);
    fprintf(to, "set xrange [*:*]\n");
}

static void print_script(FILE *to, const fit_report *r, const char *terminal)
{
    const bool directed = r->graph.listed == RMAT_LISTED_DIRECTED;

    fprintf(to,
            "set terminal %s\nset encoding utf8\nset multiplot\nset tics nomirror out scale 0.6\n"
            "set border lw 1 lc rgb \"#444444\"\nset grid back lt 1 lc rgb \"#e4e4e4\" lw 1\n",
            terminal);
    if (directed) {
        print_side(to, r, OUT, "out-degrees", 0.08, 0.48);
        print_side(to, r, IN, "in-degrees", 0.58, 0.98);
    } else {
        print_side(to, r, OUT, "degrees", 0.08, 0.98);
    }
    fprintf(to, "unset multiplot\n");
}

static const struct {
    const char *suffix, *terminal;
} kinds[] = {
    {".png", "pngcairo size 1200,720 font \"DejaVu Sans,11\" background \"white\""},
    {".svg", "svg size 1200,720 font \"DejaVu Sans,13\" background \"white\""},
    {".pdf", "pdfcairo size 16.6in,10in font \"DejaVu Sans,11\" linewidth 2 background \"white\""}};

int fit_picture_open(fit_picture *p, const char *name, bool force, const char *input)
{
    const size_t length = name != NULL ? strlen(name) : 0;
    int status;

    *p = (fit_picture){.terminal = NULL};
    if (name == NULL) {
        return EXIT_OK;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (length > 4 && strcmp(name + length - 4, kinds[i].suffix) == 0) {
            p->terminal = kinds[i].terminal;
        }
    }
    if (p->terminal == NULL) {
        return usage_error(
            "fit",
            "--plot: '%s' is not the name of a picture, allowed: a name that ends with "
            ".png, .svg or .pdf",
            name);
    }
    message_command("fit");
    status = plot_gnuplot_find();
    return status == EXIT_OK ? whole_file_open(&p->file, "fit", "plot", name, force, input)
                             : status;
}

static int draw_fit(const fit_picture *p, const fit_report *report)
{
    FILE *script = tmpfile();
    int status;

    if (script == NULL) {
        return runtime_error("fit", "a temporary file cannot be written");
    }
    print_script(script, report, p->terminal);
    status = plot_gnuplot_run(script, p->file.stream);
    fclose(script);
    return status;
}

int fit_picture_close(fit_picture *p, const fit_report *report, int status)
{
    if (p->terminal == NULL) {
        return status;
    }
    if (status == EXIT_OK) {
        status = draw_fit(p, report);
    }
    return whole_file_close(&p->file, status);
}
