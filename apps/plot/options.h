/* The options of `rmat plot`. */
#ifndef APPS_PLOT_OPTIONS_H
#define APPS_PLOT_OPTIONS_H

#include "apps/generate/options.h"

typedef enum { PLOT_OUT, PLOT_IN, PLOT_TOTAL, PLOT_KINDS } plot_kind;

typedef struct {
    const char *file; /* NULL: from the parameters */
    bool degrees, adjacency;
    bool kinds[PLOT_KINDS], kinds_given;
    bool file_order, model_order; /* as it was asked for */
    int format;                   /* of the file, or -1 */
    int threads;
    uint64_t memory;
    int width, height;          /* pixels, 0: by what is drawn */
    const char *title, *output; /* title: or NULL */
    const char *table;          /* or NULL */
    bool svg, force, quiet, help;
    generate_options from_parameters; /* where file is NULL */
} plot_options;

/* Returns 0, or EXIT_USAGE after one line on stderr. */
int plot_options_parse(int argc, char **argv, plot_options *out);

#endif
