/*
 * What the parts of a picture's script share.
 *
 * Pixels are given for a picture of 1200 x 640, of the matrix alone 720 x 640, of degrees alone
 * 720 x 480.  A picture of another size has all of them, its fonts, lines and points, in
 * proportion.
 */
#ifndef APPS_PLOT_SCRIPT_H
#define APPS_PLOT_SCRIPT_H

#include "apps/plot/plot.h"

/* Room for a number as text. */
enum { PLOT_TEXT = 64 };

/* Pixels around the matrix, between it and the name of its axis, and for its colour bar. */
enum {
    PLOT_XLABEL = 38,
    PLOT_LEFT = 84,
    PLOT_RIGHT = 18,
    PLOT_BOTTOM = 56,
    PLOT_TOP = 72,
    PLOT_BAR = 98
};

typedef struct {
    FILE *to;
    const plot_data *data;
    int width, height; /* pixels of the picture itself */
    double scale;      /* those for one pixel of the sizes above */
} plot_picture;

/* Pixels of the picture for so many of the sizes above. */
int plot_pixels(double scale, int pixels);

/* "16,777,216", or "1.1e+18". */
const char *plot_thousands(char text[PLOT_TEXT], double value);

/* A number of vertices in gnuplot's enhanced text: "2^{20}" for powers of two. */
const char *plot_vertices(char text[PLOT_TEXT], uint64_t n);

/* 1, 2 or 5 times a power of ten, at most x. */
double plot_round_step(double x);

/* The name of a diagram's axis from left to right.  gnuplot's own place for it depends on rounded
 * sizes of letters, and may be outside of a small picture. */
void plot_script_xlabel(const plot_picture *s, const char *name, int left, int right, int bottom);

/* The two diagrams.  left: of the axes; side: of the matrix; bottom: of the axes, from below.  In
 * pixels of the picture. */
void plot_script_matrix(const plot_picture *s, int left, int side);
void plot_script_degrees(const plot_picture *s, int left, int bottom);

#endif
