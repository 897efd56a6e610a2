/* The options of `rmat plot`: the table, and the checks between options. */
#include "apps/common/devices.h"
#include "apps/common/message.h"
#include "apps/common/one_process.h"
#include "apps/common/option_rows.h"
#include "apps/plot/plot.h"
#include <stdio.h>
#include <string.h>

#define DRAWING   "Picture"
#define RUNNING   "Running"
#define AT(field) offsetof(plot_values, field)

enum { LEAST_BOTH = 900, LEAST_WIDTH = 480, LEAST_HEIGHT = 400, MOST = 8000 };

static const char *const what_names[] = {"degrees", "adjacency", "both", NULL};
static const char *const degree_names[] = {"out", "in", "both", "total", NULL};
static const char *const order_names[] = {"model", "file", NULL};
static const char *const suffixes[PLOT_PICTURES] = {
    [PLOT_PNG] = ".png", [PLOT_SVG] = ".svg", [PLOT_PDF] = ".pdf"};

typedef struct {
    uint64_t threads, memory;
    int what, degree, order;
    const char *size, *title, *output, *table;
    bool ccdf, force, quiet, help;
} plot_values;

enum {
    WHAT,
    DEGREE,
    CCDF,
    ORDER,
    PICTURE,
    TABLE,
    REPLACE,
    SIZE,
    TITLE,
    BYTES,
    NO_PROGRESS,
    WORKERS,
    HELP_TEXT,
    N_PLOT_OPTIONS
};

/* clang-format off */
static const option table[N_PLOT_OPTIONS] = {
    [WHAT] = {.name = "what", .kind = OPTION_CHOICE, .argument = "WHAT", .offset = AT(what),
        .choices = what_names, .fallback = "both", .group = DRAWING,
        .help = "degree distribution, density of the adjacency matrix, or both side by side"},
    [DEGREE] = {.name = "degree", .kind = OPTION_CHOICE, .argument = "WHICH",
        .offset = AT(degree), .choices = degree_names,
        .fallback = "both, or out if each edge has its reverse", .group = DRAWING,
        .help = "out-degrees, in-degrees, both in different colours, or their sum"},
    [CCDF] = OPTION_ROW_FLAG(plot_values, ccdf, DRAWING, "ccdf", 0,
        "draw the complementary cumulative distribution of degrees: for each degree k the share of "
        "vertices of degree k or more"),
    [ORDER] = {.name = "order", .kind = OPTION_CHOICE, .argument = "ORDER", .offset = AT(order),
        .choices = order_names, .fallback = "model, if the file names it", .group = DRAWING,
        .help = "order of the vertices in the matrix: as before --permute, or as in the file"},
    [PICTURE] = {.name = "output", .letter = 'o', .kind = OPTION_FILE, .argument = "PICTURE",
        .offset = AT(output), .allowed = "a name that ends with .png, .svg or .pdf",
        .fallback = "plot.png", .group = DRAWING,
        .help = "name of the picture; PICTURE.partial until it is complete"},
    [TABLE] = {.name = "data", .kind = OPTION_REPORT, .argument = "TABLE", .offset = AT(table),
        .group = DRAWING,
        .help = "also write the numbers of the picture as a table; - is standard output"},
    [REPLACE] = OPTION_ROW_FORCE(plot_values, force, DRAWING,
        "replace PICTURE and TABLE if they exist"),
    [SIZE] = {.name = "size", .kind = OPTION_TEXT, .argument = "WxH", .offset = AT(size),
        .allowed = "900x400 to 8000x8000; of one diagram alone, 480x400 to 8000x8000",
        .fallback = "1200x640; degrees alone 900x600, adjacency alone 720x640", .group = DRAWING,
        .help = "width and height in pixels, 72 to an inch in PDF; text, lines and points are drawn "
            "in proportion"},
    [TITLE] = {.name = "title", .kind = OPTION_TEXT, .argument = "TEXT", .offset = AT(title),
        .fallback = "the name of FILE, the model, vertices, edges, parameters and seed",
        .group = DRAWING, .help = "title of the picture"},
    [BYTES] = OPTION_ROW_MEMORY(plot_values, memory, RUNNING, "half of what is available",
        "memory for the degrees of vertices; with less memory, FILE is read more often"),
    [NO_PROGRESS] = OPTION_ROW_QUIET(plot_values, quiet, RUNNING,
        "print no progress, nor the name of the picture"),
    [WORKERS] = OPTION_ROW_THREADS(plot_values, threads, RUNNING, "number of threads"),
    [HELP_TEXT] = OPTION_ROW_LONG_HELP(plot_values, help, RUNNING),
};
/* clang-format on */

const command_line plot_command_line = {
    .command = "plot",
    .synopsis = "plot FILE [OPTION]...",
    .summary =
        "Draw the degree distribution and the density of the adjacency matrix of a graph, with "
        "the expected distribution if its model is known. Needs gnuplot (Debian: gnuplot-nox), "
        "but no display.",
    .operand = "FILE",
    .options = table,
    .n_options = N_PLOT_OPTIONS,
    .common = "what degree ccdf output data force size quiet help",
    .examples = "rmat plot g.h5 -o g.png\n"
                "rmat plot g.h5 --what degrees --ccdf -o degrees.svg\n"
                "rmat plot g.h5 --what adjacency -o matrix.pdf",
    .notes = "FILE is an HDF5 file of rmat. Those of 'rmat generate' name their model.",
};

static int resolve_size(const char *text, plot_options *out)
{
    char end;

    if (sscanf(text, "%5dx%5d%c", &out->width, &out->height, &end) != 2 ||
        out->width < (out->degrees && out->adjacency ? LEAST_BOTH : LEAST_WIDTH) ||
        out->width > MOST || out->height < LEAST_HEIGHT || out->height > MOST) {
        return usage_error("plot", "--size: '%s' is not a size, allowed: %s", text,
                           table[SIZE].allowed);
    }
    return EXIT_OK;
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name), n = strlen(suffix);

    return length > n && strcmp(name + length - n, suffix) == 0;
}

static int resolve_options(const plot_values *raw, const bool *given, plot_options *out)
{
    /* Options of one diagram, not to be given where only the other one is drawn. */
    static const struct {
        int option, other;
    } of_one[] = {{DEGREE, 1}, {CCDF, 1}, {ORDER, 0}};

    if (out->file == NULL) {
        return usage_error("plot", "FILE missing, allowed: the path of a graph");
    }
    for (out->picture = 0; out->picture < PLOT_PICTURES; out->picture++) {
        if (ends_with(raw->output, suffixes[out->picture])) {
            break;
        }
    }
    if (out->picture == PLOT_PICTURES) {
        return usage_error("plot", "--output: '%s' is not the name of a picture, allowed: %s",
                           raw->output, table[PICTURE].allowed);
    }
    for (size_t i = 0; i < sizeof of_one / sizeof of_one[0]; i++) {
        if (given[of_one[i].option] && raw->what == of_one[i].other) {
            return usage_error("plot", "--%s: given with --what %s, allowed: with %s or both",
                               table[of_one[i].option].name, what_names[of_one[i].other],
                               what_names[1 - of_one[i].other]);
        }
    }
    return raw->size != NULL ? resolve_size(raw->size, out) : EXIT_OK;
}

int plot_options_parse(int argc, char **argv, plot_options *out)
{
    plot_values raw = {.what = 2, .degree = 2, .output = "plot.png"};
    bool given[OPTIONS_MAX];
    int status;

    memset(out, 0, sizeof *out);
    status = options_parse(&plot_command_line, argc, argv, &raw, given, &out->file);
    out->help = raw.help;
    if (status != EXIT_OK || raw.help) {
        return status;
    }
    out->degrees = raw.what != 1;
    out->adjacency = raw.what != 0;
    out->ccdf = raw.ccdf;
    out->kinds[RMAT_OUT] = raw.degree == 0 || raw.degree == 2;
    out->kinds[RMAT_IN] = raw.degree == 1 || raw.degree == 2;
    out->kinds[RMAT_TOTAL] = raw.degree == 3;
    out->kinds_given = given[DEGREE];
    out->model_order = given[ORDER] && raw.order == 0;
    out->file_order = given[ORDER] && raw.order == 1;
    out->threads = raw.threads > 0 ? (int)raw.threads : cpu_usable();
    out->memory = raw.memory;
    out->title = raw.title;
    out->output = raw.output;
    out->table = raw.table;
    out->force = raw.force;
    out->quiet = raw.quiet;
    return resolve_options(&raw, given, out);
}
