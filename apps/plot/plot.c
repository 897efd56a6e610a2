/* rmat plot: a picture of a graph. */
#include "apps/plot/plot.h"
#include "apps/client/client.h"
#include "apps/client/commands.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/whole_file.h"
#include "mpi/dist.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    return runtime_error("plot", "memory is exhausted");
}

enum { CELLS_PER_EDGE = 16, LEAST_CELLS = 32 }; /* the latter on a side of the matrix */

/* Cells of a pixel each would hide the few edges of a sparse graph on their dark ground: so that
 * about one cell in 16 has an edge, there are fewer and larger ones. */
static int allocate_density(plot_data *d, const plot_options *o)
{
    int most = plot_side(o) < PLOT_CELLS ? plot_side(o) : PLOT_CELLS;

    plot_grid_fill(&d->grid, d->vertices[0], d->vertices[1], most);
    while (most > LEAST_CELLS &&
           (double)d->grid.cells[0] * d->grid.cells[1] > CELLS_PER_EDGE * d->edges) {
        most = most / 2 > LEAST_CELLS ? most / 2 : LEAST_CELLS;
        plot_grid_fill(&d->grid, d->vertices[0], d->vertices[1], most);
    }
    d->density = calloc((size_t)d->grid.cells[0] * (size_t)d->grid.cells[1], sizeof *d->density);
    return d->density != NULL ? EXIT_OK : no_memory();
}

/* The curves of expected degrees. */
static int expect_degrees(plot_data *d)
{
    int status = EXIT_OK;

    for (int k = 0; k < RMAT_KINDS && status == EXIT_OK; k++) {
        d->expected[k] = d->kinds[k] && d->model != NULL && (d->square || k != RMAT_TOTAL);
        if (d->expected[k] && rmat_expect_degrees(d->model, (rmat_degree_kind)k, &d->bins,
                                                  d->expectation[k]) != RMAT_OK) {
            status = no_memory();
        }
    }
    return status;
}

static void set_sizes(plot_data *d, uint64_t rows, uint64_t cols, uint64_t edges)
{
    d->vertices[0] = rows;
    d->vertices[1] = cols;
    d->square = rows == cols;
    d->edges = (double)edges;
}

/* Print the picture and, where it is asked for, the table; whole_file_close() looks for errors. */
static int draw_picture(const plot_data *d, const plot_options *o, whole_file *to,
                        whole_file *table)
{
    FILE *script = tmpfile();
    int status;

    if (script == NULL) {
        return runtime_error("plot", "a temporary file cannot be created: %s", strerror(errno));
    }
    plot_script(script, d, o);
    status = plot_gnuplot_run(script, to->stream);
    fclose(script);
    if (status == EXIT_OK && table->stream != NULL) {
        plot_table(table->stream, d);
    }
    return status;
}

/* The model of a file, with the number of draws that the file was made of. */
static void model_of(const edge_source_facts *f, rmat_expect_model *model)
{
    const model_order *order = &f->model->order;

    model->drawn = &f->model->drawn;
    model->unique = order->unique;
    model->draws = (double)((order->unique ? order->stream_edges : f->graph.edges) >>
                            f->model->drawn.symmetrize);
}

static int check_wishes(const plot_data *d, const plot_options *o)
{
    if (d->edges == 0) {
        return usage_error("plot", "FILE: '%s' has no edges, allowed: a graph with edges", o->file);
    }
    if (d->kinds[RMAT_TOTAL] && !d->square) {
        return usage_error("plot",
                           "--degree: 'total' given for %" PRIu64 " sources and %" PRIu64
                           " destinations, allowed: out, in, both",
                           d->vertices[0], d->vertices[1]);
    }
    if (o->model_order && d->model == NULL) {
        return usage_error("plot",
                           "--order: 'model' given for '%s', which names no model, allowed: file",
                           o->file);
    }
    return EXIT_OK;
}

/* Count a graph, and find what its model, if it is known, makes one expect. */
static int count_all(plot_data *d, edge_source *source, const plot_options *o)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    int status;

    set_sizes(d, f->graph.rows, f->graph.cols, f->graph.edges);
    if (f->model != NULL && !rmat_is_official(f->model->drawn.stream)) {
        model_of(f, &d->made_by);
        d->model = &d->made_by;
        d->unpermuted = d->model->drawn->permute && !o->file_order;
    }
    if (f->graph.pairs && !o->kinds_given) {
        d->kinds[RMAT_IN] = false;
    }
    status = check_wishes(d, o);
    if (status == EXIT_OK && d->adjacency) {
        status = allocate_density(d, o);
    }
    if (status == EXIT_OK) {
        status = plot_count(d, source, o);
    }
    if (status == EXIT_OK && d->degrees) {
        status = expect_degrees(d);
    }
    return status;
}

/* The data refer to the source until they are drawn. */
static int make_picture(plot_data *d, const plot_options *o, whole_file *picture, whole_file *table)
{
    edge_source *source = NULL;
    int status = plot_gnuplot_find();

    if (status == EXIT_OK) {
        status = client_fail("plot", edge_source_open(&source, o->file), o->output);
    }
    if (status == EXIT_OK) {
        status = count_all(d, source, o);
    }
    if (status == EXIT_OK) {
        plot_shares(d);
        plot_title(d, source, o);
        status = draw_picture(d, o, picture, table);
    }
    edge_source_close(source);
    return status;
}

/* What can be known to fail fails before anything is counted. */
static int plot_files(const plot_options *o)
{
    plot_data *d = calloc(1, sizeof *d);
    whole_file picture, table;
    int status;

    if (d == NULL) {
        return no_memory();
    }
    d->degrees = o->degrees;
    d->adjacency = o->adjacency;
    d->ccdf = o->ccdf;
    memcpy(d->kinds, o->kinds, sizeof d->kinds);
    status = whole_file_open(&picture, "plot", "output", o->output, o->force, o->file);
    if (status == EXIT_OK) {
        status = whole_file_open(&table, "plot", "data", o->table, o->force, o->file);
        if (status == EXIT_OK) {
            status = whole_file_close(&table, make_picture(d, o, &picture, &table));
        }
        status = whole_file_close(&picture, status);
        if (status == EXIT_OK && !o->quiet) {
            /* The table shall not be mixed with this. */
            text_line(o->table != NULL && strcmp(o->table, "-") == 0 ? stderr : stdout,
                      "file         %s", o->output);
        }
    }
    free(d->density);
    free(d);
    return status;
}

int plot_main(int argc, char **argv)
{
    static plot_options options;
    int status = one_process("plot", "plots");

    message_command("plot");
    if (status == EXIT_OK) {
        status = plot_options_parse(argc, argv, &options);
    }
    if (status == EXIT_OK && options.help) {
        options_help(&plot_command_line, stdout);
    } else if (status == EXIT_OK) {
        interrupt_install();
        status = plot_files(&options);
    }
    dist_stop();
    return status;
}
