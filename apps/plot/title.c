/* The title of a picture: which graph it shows. */
#include "apps/plot/script.h"
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void add(plot_data *d, const char *format, ...)
{
    const size_t used = strlen(d->title);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(d->title + used, sizeof d->title - used, format, arguments);
    va_end(arguments);
}

/* "16 Mi" for 2^24; "16,777,215". */
static const char *count(char text[PLOT_TEXT], double value)
{
    for (int power = 6; power > 0; power--) {
        const double units = ldexp(value, -10 * power);

        if (units >= 1 && units < 1024 && units == floor(units)) {
            snprintf(text, PLOT_TEXT, "%.0f %ci", units, " KMGTPE"[power]);
            return text;
        }
    }
    return plot_thousands(text, value);
}

/* The scale, where that is all: where both sides have 2^scale vertices. */
static void add_sizes(plot_data *d, bool has_scale)
{
    const uint64_t rows = d->vertices[0];
    char text[2][PLOT_TEXT];

    if (has_scale && d->square && (rows & (rows - 1)) == 0) {
        add(d, ", scale %d", __builtin_ctzll(rows));
    } else if (d->square) {
        add(d, ", %s vertices", plot_thousands(text[0], (double)rows));
    } else {
        add(d, ", %s sources, %s destinations", plot_thousands(text[0], (double)rows),
            plot_thousands(text[1], (double)d->vertices[1]));
    }
    add(d, ", %s edges", count(text[0], d->edges));
}

/* given: the model as `rmat generate` was told. */
static void add_model(plot_data *d, const rmat_config *given)
{
    static const char *const names[RMAT_STREAMS] = {
        [RMAT_STREAM_RMAT] = "R-MAT",
        [RMAT_STREAM_GRAPH500] = "Graph500",
        [RMAT_STREAM_GAPBS] = "GAPBS",
        [RMAT_STREAM_GAPBS_GCC7] = "GAPBS (GCC 7 to 10)",
        [RMAT_STREAM_GAPBS_GCC4] = "GAPBS (before GCC 7)",
    };
    const rmat_matrix *m = &given->matrix;

    add(d, "%s", names[given->stream]);
    add_sizes(d, true);
    if (given->levels != NULL) {
        add(d, ", a matrix for each level");
    } else {
        add(d, ", a, b, c, d = %.6g, %.6g, %.6g, %.6g", m->a, m->b, m->c, m->d);
    }
    if (given->noise > 0) {
        add(d, ", noise %.6g", given->noise);
    }
    add(d, ", seed %" PRIu64, given->seed);
    if (given->stream == RMAT_STREAM_GRAPH500) {
        add(d, ", second seed %" PRIu64, given->seed2);
    }
}

static void add_name(plot_data *d, const char *name)
{
    const char *slash = strrchr(name, '/');

    add(d, "%s", strcmp(name, "-") == 0 ? "standard input" : slash != NULL ? slash + 1 : name);
}

/* A graph of another generator, or of none: what the file says. */
static void add_file(plot_data *d, const edge_source_facts *f)
{
    char model[PLOT_TEXT];
    uint64_t seed;

    if (f->reader != NULL &&
        edgefile_get_string(f->reader, "model", model, sizeof model) == EDGEFILE_OK) {
        add(d, ": %s", strcmp(model, "chung-lu") == 0 ? "Chung-Lu" : model);
        add_sizes(d, false);
        if (edgefile_get_u64(f->reader, "seed", &seed) == EDGEFILE_OK) {
            add(d, ", seed %" PRIu64, seed);
        }
        return;
    }
    add_sizes(d, false);
}

void plot_title(plot_data *d, edge_source *source, const plot_options *o)
{
    const edge_source_facts *f = source != NULL ? edge_source_facts_of(source) : NULL;

    d->title[0] = '\0';
    if (o->title != NULL) {
        add(d, "%s", o->title);
    } else if (f == NULL) {
        add(d, "Expected: ");
        add_model(d, &o->from_parameters.job.model);
    } else {
        add_name(d, o->file);
        if (f->model != NULL) {
            add(d, ": ");
            add_model(d, &f->model->given);
        } else {
            add_file(d, f);
        }
    }
}
