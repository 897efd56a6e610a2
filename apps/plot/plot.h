/* Declarations shared by the files of `rmat plot`. */
#ifndef APPS_PLOT_PLOT_H
#define APPS_PLOT_PLOT_H

#include "apps/engine/source/edge_source.h"
#include "rmat/model/expect.h"
#include <stdio.h>

enum { PLOT_SIDE = 512 }; /* of the matrix in the picture, pixels */

enum { PLOT_DEGREES, PLOT_ADJACENCY, PLOT_BOTH };
enum { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_FORMATS };

typedef struct {
    uint64_t threads, memory;
    int what, degree, order; /* the last two -1: not given */
    const char *title, *output, *table;
    bool force, quiet, help;
} plot_options;

/* The first of two members or cases is for sources: out-degrees and rows of the adjacency matrix.
 * The second is for destinations. */
typedef struct {
    plot_options o;
    const char *file; /* of the graph */
    int threads, format;
    bool degrees[2]; /* the degrees to draw */
    char title[1024];
    uint64_t vertices[2], edges;
    const rmat_config *model; /* of the graph, or NULL */
    bool expects;             /* the expected degrees of the model can be computed */
    bool unpermuted;          /* vertices of the matrix have the numbers of the model */

    /* The adjacency matrix in cells of 2^shift[0] sources and 2^shift[1] destinations. */
    int cells[2], shift[2];
    uint64_t *density; /* edges in each cell, row by row */

    /* Numbers of vertices by bins of their degree. */
    rmat_bins bins;
    double expected[2][RMAT_BINS], found[2][RMAT_BINS];
} plot_data;

/* Each returns an exit code; if it is not EXIT_OK, after a line on stderr. */
int plot_count_cells(plot_data *data, edge_source *source);
int plot_count_degrees(plot_data *data, edge_source *source);
int plot_find_gnuplot(void);
int plot_draw(const plot_data *data, FILE *picture); /* the caller checks the stream for errors */

#endif
