/* What the files of `rmat plot` share. */
#ifndef APPS_PLOT_PLOT_H
#define APPS_PLOT_PLOT_H

#include "apps/engine/source/edge_source.h"
#include "apps/plot/options.h"

enum { PLOT_BINS = 704, PLOT_CELLS = 512, PLOT_TITLE = 1024 };

/* Degrees in logarithmic bins, 36 to a power of ten: bin i has the degrees from first[i] to
 * first[i + 1] - 1.  Bin 0 is degree 0; small degrees have a bin each.  Where every degree is a
 * multiple of `step`, so are the limits of the bins, or a bin's number of possible degrees would
 * jump from one bin to the next. */
typedef struct {
    int count, step;
    uint64_t first[PLOT_BINS + 1];
} plot_bins;

/* For degrees up to `largest`; step: 1, or 2 for degrees that are all even. */
void plot_bins_fill(plot_bins *bins, uint64_t largest, int step);
int plot_bin_of(const plot_bins *bins, uint64_t degree);

/* The adjacency matrix in cells of 2^shift[0] sources and 2^shift[1] destinations, up to
 * PLOT_CELLS a side. */
typedef struct {
    int cells[2], shift[2];
} plot_grid;

/* The finest grid with at most `most` cells a side. */
void plot_grid_fill(plot_grid *grid, uint64_t rows, uint64_t cols, int most);

/* The model whose expectation is drawn. */
typedef struct {
    const rmat_config *drawn;
    double draws; /* reverse edges not counted */
    bool unique;  /* of the draws, all distinct ones */
} plot_model;

/* The data of the picture. */
typedef struct {
    uint64_t vertices[2]; /* sources, destinations */
    double edges;
    bool square, counted;      /* counted: a graph, else a model alone */
    plot_model made_by;        /* where model is not NULL */
    const plot_model *model;   /* that, or NULL */
    bool unpermuted;           /* vertices of the matrix have the numbers of the model */
    char title[PLOT_TITLE];    /* what the graph is */
    bool degrees, adjacency;   /* which pictures */
    bool ccdf;                 /* degrees as shares, below */
    bool kinds[PLOT_KINDS];    /* of degrees */
    bool expected[PLOT_KINDS]; /* is there an expectation? */
    plot_bins bins;
    uint64_t number[PLOT_KINDS][PLOT_BINS]; /* of vertices in each bin */
    uint64_t largest[PLOT_KINDS];           /* degree */
    double expectation[PLOT_KINDS][PLOT_BINS];
    /* Where ccdf is set: the shares of vertices of a bin's first degree or more. */
    double share[PLOT_KINDS][PLOT_BINS], expected_share[PLOT_KINDS][PLOT_BINS];
    plot_grid grid;
    double *density; /* of all cells, a row for each of the sources; edges */
} plot_data;

/* Each returns an exit code, after a line on stderr where it is not EXIT_OK. */

/* Count a graph's degrees and density. */
int plot_count(plot_data *data, edge_source *source, const plot_options *options);

/* The number of vertices that the model predicts in each bin. */
int plot_expect_degrees(const plot_model *model, plot_kind kind, const plot_bins *bins,
                        double expectation[PLOT_BINS]);

/* The number of edges that the model predicts in each cell, duplicates included. */
int plot_expect_density(const plot_model *model, const plot_grid *grid, bool unpermuted,
                        double *density);

/* Fill the shares from the numbers of vertices. */
void plot_shares(plot_data *data);

/* Describe the graph of a file, or of the parameters where source is NULL, in data->title. */
void plot_title(plot_data *data, edge_source *source, const plot_options *options);

/* The side of the matrix in the picture, pixels. */
int plot_side(const plot_options *options);

/* Print the script for gnuplot. */
void plot_script(FILE *stream, const plot_data *data, const plot_options *options);

/* Print the numbers of the picture, separated by tabs. */
void plot_table(FILE *stream, const plot_data *data);

/* Check that gnuplot can be started. */
int plot_gnuplot_find(void);

/* Run a script.  The caller frees *picture. */
int plot_gnuplot_run(FILE *script, char **picture, size_t *bytes);

#endif
