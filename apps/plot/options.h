/* The options of `rmat plot`. */
#ifndef APPS_PLOT_OPTIONS_H
#define APPS_PLOT_OPTIONS_H

#include "apps/generate/options.h"
#include "rmat/expect.h"

typedef enum { PLOT_PNG, PLOT_SVG, PLOT_PDF, PLOT_PICTURES } plot_picture_format;

typedef struct {
    const char *file; /* NULL: from the parameters */
    bool degrees, adjacency;
    bool ccdf; /* degrees as shares of vertices of a degree or more */
    bool kinds[RMAT_KINDS], kinds_given;
    bool file_order, model_order; /* as it was asked for */
    int format;                   /* of the file, or -1 */
    const char *datasets;         /* names of its datasets, or NULL */
    int threads;
    uint64_t memory;
    int width, height;          /* pixels, 0: by what is drawn */
    const char *title, *output; /* title: or NULL */
    const char *table;          /* or NULL */
    plot_picture_format picture;
    bool force, quiet, help;
    generate_options from_parameters; /* where file is NULL */
} plot_options;

/* Returns 0, or EXIT_USAGE after one line on stderr. */
int plot_options_parse(int argc, char **argv, plot_options *out);

#endif
