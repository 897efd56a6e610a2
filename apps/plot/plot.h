/* What the files of `rmat plot` share. */
#ifndef APPS_PLOT_PLOT_H
#define APPS_PLOT_PLOT_H

#include "apps/common/one_process.h"
#include "apps/engine/source/edge_source.h"
#include "rmat/expect.h"

enum { PLOT_CELLS = 512, PLOT_TITLE = 1024 };

typedef enum { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_PICTURES } plot_picture_format;

typedef struct {
    const char *file;
    bool degrees, adjacency;
    bool ccdf; /* draw shares of vertices of a degree or more */
    bool kinds[RMAT_KINDS], kinds_given;
    bool file_order, model_order; /* values of --order, if it is given */
    int threads;
    uint64_t memory;
    int width, height;          /* pixels; 0: the default for what is drawn */
    const char *title, *output; /* title: or NULL */
    const char *table;          /* or NULL */
    plot_picture_format picture;
    bool force, quiet, help;
} plot_options;

/* Returns 0, or EXIT_USAGE after one line on stderr. */
int plot_options_parse(int argc, char **argv, plot_options *out);

/* The adjacency matrix in cells of 2^shift[0] sources and 2^shift[1] destinations. */
typedef struct {
    int cells[2], shift[2];
} plot_grid;

/* The finest grid with at most `most`, and PLOT_CELLS, cells a side. */
void plot_grid_fill(plot_grid *grid, uint64_t rows, uint64_t cols, int most);

/* The data of the picture. */
typedef struct {
    uint64_t vertices[2]; /* sources, destinations */
    double edges;
    bool square;
    rmat_expect_model made_by;      /* where model is not NULL */
    const rmat_expect_model *model; /* that, or NULL */
    bool unpermuted;                /* vertices of the matrix have the numbers of the model */
    char title[PLOT_TITLE];         /* describes the graph */
    bool degrees, adjacency;        /* which diagrams are drawn */
    bool ccdf;                      /* degrees as shares, below */
    bool kinds[RMAT_KINDS];         /* of degrees */
    bool expected[RMAT_KINDS];      /* is there an expectation? */
    rmat_bins bins;
    int step;                               /* 2 if all degrees are even, else 1 */
    uint64_t number[RMAT_KINDS][RMAT_BINS]; /* of vertices in each bin */
    double expectation[RMAT_KINDS][RMAT_BINS];
    /* Where ccdf is set: the shares of vertices of a bin's first degree or more. */
    double share[RMAT_KINDS][RMAT_BINS], expected_share[RMAT_KINDS][RMAT_BINS];
    plot_grid grid;
    double *density; /* edges in each cell, row by row */
} plot_data;

/* Each returns an exit code, after a line on stderr where it is not EXIT_OK. */

/* Count a graph's degrees and density. */
int plot_count(plot_data *data, edge_source *source, const plot_options *options);

/* Fill the shares from the numbers of vertices. */
void plot_shares(plot_data *data);

/* Describe the graph of a file in data->title. */
void plot_title(plot_data *data, edge_source *source, const plot_options *options);

/* The side of the matrix in the picture, pixels. */
int plot_side(const plot_options *options);

/* Print the script for gnuplot. */
void plot_script(FILE *stream, const plot_data *data, const plot_options *options);

/* Print the numbers of the picture, separated by tabs. */
void plot_table(FILE *stream, const plot_data *data);

/* Check that gnuplot can be started. */
int plot_gnuplot_find(void);

/* Run a script, and write its picture; the caller looks for errors of that stream. */
int plot_gnuplot_run(FILE *script, FILE *picture);

#endif
