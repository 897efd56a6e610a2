/* rmat plot: a picture of a graph.  This file has the command line and the way from the file to the
 * picture. */
#include "apps/plot/plot.h"
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/system.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DRAWING   "Picture"
#define RUNNING   "Running"
#define AT(field) offsetof(plot_options, field)

static const char *const what_names[] = {"degrees", "adjacency", "both", NULL};
enum { OUT, IN, OUT_AND_IN };
static const char *const degree_names[] = {"out", "in", "both", NULL};
enum { MODEL_ORDER, FILE_ORDER };
static const char *const order_names[] = {"model", "file", NULL};
static const char *const suffixes[PLOT_FORMATS] = {".png", ".svg", ".pdf"};

enum { WHAT, DEGREE, ORDER, OUTPUT, TABLE, FORCE, TITLE, MEMORY, QUIET, THREADS, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [WHAT] = {.name = "what", .kind = OPTION_CHOICE, .argument = "WHAT", .offset = AT(what),
        .choices = what_names, .fallback = "both", .group = DRAWING,
        .help = "degree distribution, density of the adjacency matrix, or both side by side"},
    [DEGREE] = {.name = "degree", .kind = OPTION_CHOICE, .argument = "WHICH",
        .offset = AT(degree), .choices = degree_names,
        .fallback = "both, or out if each edge has its reverse", .group = DRAWING,
        .help = "out-degrees, in-degrees, or both in different colors"},
    [ORDER] = {.name = "order", .kind = OPTION_CHOICE, .argument = "ORDER", .offset = AT(order),
        .choices = order_names, .fallback = "model, if the file names it", .group = DRAWING,
        .help = "order of the vertices in the matrix: as before --permute, or as in the file"},
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_FILE, .argument = "PICTURE",
        .offset = AT(output), .allowed = "a name that ends with .png, .svg or .pdf",
        .fallback = "plot.png", .group = DRAWING,
        .help = "name of the picture; PICTURE.partial until it is complete"},
    [TABLE] = {.name = "data", .kind = OPTION_REPORT, .argument = "TABLE", .offset = AT(table),
        .group = DRAWING,
        .help = "also write the numbers of the picture as a table; - is standard output"},
    [FORCE] = OPTION_ROW_FORCE(plot_options, force, DRAWING,
        "replace PICTURE and TABLE if they exist"),
    [TITLE] = {.name = "title", .kind = OPTION_TEXT, .argument = "TEXT", .offset = AT(title),
        .fallback = "the name of FILE, and the command that makes its graph", .group = DRAWING,
        .help = "title of the picture"},
    [MEMORY] = OPTION_ROW_MEMORY(plot_options, memory, RUNNING, "half of the available memory",
        "memory for the degrees of vertices; with less memory, FILE is read more often"),
    [QUIET] = OPTION_ROW_QUIET(plot_options, quiet, RUNNING,
        "print no progress, nor the name of the picture"),
    [THREADS] = OPTION_ROW_THREADS(plot_options, threads, RUNNING, "number of threads"),
    [HELP] = OPTION_ROW_LONG_HELP(plot_options, help, RUNNING),
};
/* clang-format on */

const command_line plot_command_line = {
    .command = "plot",
    .synopsis = "plot FILE [OPTION]...",
    .summary =
        "Draw the degree distribution and the density of the adjacency matrix of a graph, with "
        "the expected distribution if its model is known and has one in closed form. Needs gnuplot "
        "(Debian: gnuplot-nox), but no display.",
    .operand = "FILE",
    .options = table,
    .n_options = N_OPTIONS,
    .common = "what degree output data force quiet help",
    .examples = "rmat plot g.h5 -o g.png\n"
                "rmat plot g.h5 --what degrees -o degrees.svg\n"
                "rmat plot g.h5 --what adjacency -o matrix.pdf",
    .notes = "FILE is an HDF5 file of rmat. Those of 'rmat generate' name their model.",
};

/* Reads the options of the picture. */
static int read_options(plot_data *d)
{
    const plot_options *o = &d->o;
    const char *suffix = strrchr(o->output, '.');

    d->threads = cpu_threads(o->threads);
    d->degrees[0] = o->degree != IN;
    d->degrees[1] = o->degree != OUT;
    if (d->file == NULL) {
        return usage_error("plot", "FILE missing, allowed: the path of a graph");
    }
    while (d->format < PLOT_FORMATS &&
           (suffix == NULL || strcmp(suffix, suffixes[d->format]) != 0)) {
        d->format++;
    }
    if (suffix == o->output || d->format == PLOT_FORMATS) {
        return usage_error("plot", "--output: '%s' is not the name of a picture, allowed: %s",
                           o->output, table[OUTPUT].allowed);
    }
    if ((o->what == PLOT_ADJACENCY && o->degree >= 0) ||
        (o->what == PLOT_DEGREES && o->order >= 0)) {
        return usage_error("plot", "--%s: given with --what %s, allowed: with %s or both",
                           table[o->what == PLOT_DEGREES ? ORDER : DEGREE].name,
                           what_names[o->what], what_names[!o->what]);
    }
    return EXIT_OK;
}

/* Reads the file's facts for the picture. */
static int read_facts(plot_data *d, const edge_source_facts *f)
{
    const plot_options *o = &d->o;
    const char *slash = strrchr(d->file, '/');

    d->vertices[0] = f->graph.rows;
    d->vertices[1] = f->graph.cols;
    d->edges = f->graph.edges;
    if (f->model != NULL && !rmat_is_official(f->model->drawn.stream)) {
        d->model = &f->model->drawn;
        d->unpermuted = d->model->permute && o->order != FILE_ORDER;
        d->expects = !f->model->order.unique &&
                     (d->model->symmetrize || d->model->direction == RMAT_DIRECTED);
    }
    if (f->graph.pairs && o->degree < 0) {
        d->degrees[1] = false;
    }
    text_append(d->title, sizeof d->title, "%s%s%s", slash != NULL ? slash + 1 : d->file,
                *f->made_by != '\0' ? ": " : "", f->made_by);
    if (o->title != NULL) {
        snprintf(d->title, sizeof d->title, "%s", o->title);
    }
    if (d->edges == 0) {
        return usage_error("plot", "FILE: '%s' has no edges, allowed: a graph with edges", d->file);
    }
    if (o->order == MODEL_ORDER && d->model == NULL) {
        return usage_error("plot",
                           "--order: 'model' given for '%s', which names no model, allowed: file",
                           d->file);
    }
    return EXIT_OK;
}

/* The numbers of the picture, separated by tabs. */
static void print_table(FILE *stream, const plot_data *d)
{
    if (d->o.what != PLOT_ADJACENCY) {
        fprintf(stream, "#degree\tfirst\tlast\tvertices\texpected\n");
    }
    for (int k = 0; k < 2; k++) { /* no bins: degrees were not counted */
        for (int i = 0; i < d->bins.count && d->degrees[k]; i++) {
            fprintf(stream, "%s\t%" PRIu64 "\t%" PRIu64 "\t%.0f\t", degree_names[k],
                    d->bins.first[i], d->bins.first[i + 1] - 1, d->found[k][i]);
            fprintf(stream, d->expects ? "%.9g\n" : "-\n", d->expected[k][i]);
        }
    }
    if (d->o.what != PLOT_DEGREES) {
        fprintf(stream, "#cell\tsource\tdestination\tedges\n");
    }
    for (int i = 0; i < d->cells[0] * d->cells[1]; i++) {
        if (d->density[i] > 0) {
            fprintf(stream, "cell\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n",
                    (uint64_t)(i / d->cells[1]) << d->shift[0],
                    (uint64_t)(i % d->cells[1]) << d->shift[1], d->density[i]);
        }
    }
}

/* Counts and draws.  The model belongs to the source. */
static int make_picture(plot_data *d, FILE *picture, FILE *numbers)
{
    edge_source *source = NULL;
    int status = plot_find_gnuplot();

    if (status == EXIT_OK) {
        status = client_fail("plot", edge_source_open(&source, d->file), d->o.output);
    }
    status = status == EXIT_OK ? read_facts(d, edge_source_facts_of(source)) : status;
    if (status == EXIT_OK && d->o.what != PLOT_ADJACENCY) {
        status = plot_count_degrees(d, source);
    }
    if (status == EXIT_OK && d->o.what != PLOT_DEGREES) {
        status = plot_count_cells(d, source);
    }
    status = status == EXIT_OK ? plot_draw(d, picture) : status;
    if (status == EXIT_OK && numbers != NULL) {
        print_table(numbers, d);
    }
    edge_source_close(source);
    free(d->density);
    return status;
}

/* Refuses files that cannot be made before anything is counted. */
static int make_files(plot_data *d)
{
    const plot_options *o = &d->o;
    whole_file picture, numbers;
    int status = whole_file_open(&picture, "plot", "output", o->output, o->force, d->file);

    if (status != EXIT_OK) {
        return status;
    }
    status = whole_file_open(&numbers, "plot", "data", o->table, o->force, d->file);
    if (status == EXIT_OK) {
        status = whole_file_close(&numbers, make_picture(d, picture.stream, numbers.stream));
    }
    status = whole_file_close(&picture, status);
    if (status == EXIT_OK && !o->quiet) { /* not if the table goes to standard output */
        text_line(o->table != NULL && strcmp(o->table, "-") == 0 ? stderr : stdout,
                  "file         %s", o->output);
    }
    return status;
}

int plot_main(int argc, char **argv)
{
    static plot_data data = {
        .o = {.what = PLOT_BOTH, .degree = -1, .order = -1, .output = "plot.png"}};
    bool given[OPTIONS_MAX];
    int status;

    if (one_process_parse(&plot_command_line, argc, argv, &data.o, given, &data.file, &status)) {
        status = read_options(&data);
        interrupt_install();
        status = status == EXIT_OK ? make_files(&data) : status;
    }
    dist_stop();
    return status;
}
