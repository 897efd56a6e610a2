/*
 * What the parts of a picture's script share.
 *
 * Pixels are given for the default size of a picture; a larger picture has all of them, its fonts,
 * lines and points, in proportion.
 */
#ifndef APPS_PLOT_SCRIPT_H
#define APPS_PLOT_SCRIPT_H

#include "apps/plot/plot.h"

/* Room for a number as text. */
enum { PLOT_TEXT = 64 };

/* Pixels around the matrix, and for its colour bar. */
enum { PLOT_LEFT = 84, PLOT_RIGHT = 18, PLOT_BOTTOM = 56, PLOT_TOP = 72, PLOT_BAR = 98 };

typedef struct {
    FILE *to;
    const plot_data *data;
    int width, height; /* pixels of the picture itself */
    double scale;      /* those for one pixel of the default size, at least 1 */
} plot_picture;

/* Pixels of the picture for so many of the default size. */
int plot_pixels(double scale, int pixels);

/* "16,777,216", or "1.1e+18". */
const char *plot_thousands(char text[PLOT_TEXT], double value);

/* A number of vertices in gnuplot's enhanced text: "2^{20}" for powers of two. */
const char *plot_vertices(char text[PLOT_TEXT], uint64_t n);

/* The two diagrams.  left: of the axes; side: of the matrix; bottom: of the axes, from below.  In
 * pixels of the picture. */
void plot_script_matrix(const plot_picture *s, int left, int side);
void plot_script_degrees(const plot_picture *s, int left, int bottom);

#endif
