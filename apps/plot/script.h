/* What the parts of a picture's script share. */
#ifndef APPS_PLOT_SCRIPT_H
#define APPS_PLOT_SCRIPT_H

#include "apps/plot/plot.h"

/* Room for numbers in a text; and pixels around the matrix, and for its bar of colours. */
enum {
    PLOT_TEXT = 64,
    PLOT_LEFT = 84,
    PLOT_RIGHT = 18,
    PLOT_BOTTOM = 56,
    PLOT_TOP = 72,
    PLOT_BAR = 98
};

typedef struct {
    FILE *to;
    const plot_data *data;
    int width, height; /* pixels */
} plot_picture;

/* 16,777,216; or 1.1e+18. */
const char *plot_thousands(char text[PLOT_TEXT], double value);

/* A number of vertices, in enhanced text. */
const char *plot_vertices(char text[PLOT_TEXT], uint64_t n);

/* The two pictures: their left side, and the matrix's side or the other one's lower end. */
void plot_script_matrix(const plot_picture *s, int left, int side);
void plot_script_degrees(const plot_picture *s, int left, int bottom);

#endif
