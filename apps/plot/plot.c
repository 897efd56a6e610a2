/*
 * rmat plot: a picture of a graph: the edges in cells of the adjacency matrix, and the vertices in
 * bins of their degree.  gnuplot draws it as a child process, from a script that contains the
 * numbers.  Sizes are in pixels.  The picture has 1200 x 640 pixels, with one diagram 720 x 640.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/common/system.h"
#include "apps/stats/stats.h"
#include "mpi/dist.h"
#include "rmat/model/expect.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 512 };                                             /* of the matrix */
enum { LEFT = 84, RIGHT = 18, TOP = 72, BOTTOM = 56, BAR = 98 }; /* BAR: beside the matrix */
enum { HEIGHT = TOP + SIDE + BOTTOM };
enum { BATCH = 4096 };

enum { PLOT_DEGREES, PLOT_ADJACENCY, PLOT_BOTH };

typedef struct {
    uint64_t threads, memory;
    int what;
    const char *output, *table;
    bool force, quiet, help;
} plot_options;

/* Font sizes are pixels in SVG, points elsewhere.  In PDF, sizes are inches of 72 pixels, and lines
 * are half as wide. */
typedef struct {
    const char *suffix, *terminal; /* of gnuplot, with the picture's width and height */
    double title;                  /* size of its letters */
} picture_format;

static const picture_format formats[] = {
    {".png", "pngcairo size %g,%g font 'DejaVu Sans,11'", 13},
    {".svg", "svg size %g,%g font 'DejaVu Sans,13'", 15},
    {".pdf", "pdfcairo size %g/72.,%g/72. font 'DejaVu Sans,11' linewidth 2", 13},
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* The first of two members or cases is for sources: out-degrees and rows of the adjacency matrix.
 * The second is for destinations. */
typedef struct {
    plot_options o;
    const char *file; /* of the graph */
    int threads;
    const picture_format *format;
    bool degrees[2]; /* the degrees to draw: not in-degrees if each edge has its reverse */
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

#define DRAWING   "Picture"
#define RUNNING   "Running"
#define AT(field) offsetof(plot_options, field)

static const char *const what_names[] = {"degrees", "adjacency", "both", NULL};

enum { WHAT, OUTPUT, TABLE, FORCE, MEMORY, QUIET, THREADS, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [WHAT] = {.name = "what", .kind = OPTION_CHOICE, .argument = "WHAT", .offset = AT(what),
        .choices = what_names, .fallback = "both", .group = DRAWING,
        .help = "degree distribution, density of the adjacency matrix (vertices are in the order of the "
                "model, as before --permute, if the file names it), or both side by side"},
    [OUTPUT] = {.name = "output", .letter = 'o', .kind = OPTION_FILE, .argument = "PICTURE",
        .offset = AT(output), .allowed = "a name that ends with .png, .svg or .pdf",
        .fallback = "plot.png", .group = DRAWING,
        .help = "name of the picture; PICTURE.partial until it is complete"},
    [TABLE] = {.name = "data", .kind = OPTION_FILE, .argument = "TABLE", .offset = AT(table),
        .group = DRAWING,
        .help = "also write the numbers of the picture as a table; - is standard output"},
    [FORCE] = OPTION_ROW_FORCE(plot_options, force, DRAWING,
        "replace PICTURE and TABLE if they exist"),
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
    .common = "what output data force quiet help",
    .examples = "rmat plot g.h5 -o g.png\n"
                "rmat plot g.h5 --what degrees -o degrees.svg\n"
                "rmat plot g.h5 --what adjacency -o matrix.pdf",
    .notes = "FILE is an HDF5 file of rmat. Those of 'rmat generate' name their model.",
};

/* --- The edges in cells of the adjacency matrix --- */

typedef struct {
    const plot_data *data;
    rmat_gen *gen;      /* applies the inverse permutation, if requested; else NULL */
    uint16_t *table[2]; /* cells of permuted vertices; NULL: no table */
    uint64_t *cells;    /* of thread 0, of thread 1, ... */
} counting;

static size_t cells_of(const plot_data *d)
{
    return (size_t)d->cells[0] * (size_t)d->cells[1];
}

/* Replaces vertices by the numbers of their rows or columns of cells. */
static void find_cells(const counting *c, int side, uint64_t *ids, int count)
{
    if (c->gen != NULL && c->table[side] == NULL) {
        rmat_unpermute(c->gen, (rmat_side)side, (uint64_t)count, ids);
    }
    for (int i = 0; i < count; i++) {
        ids[i] = c->table[side] != NULL ? c->table[side][ids[i]] : ids[i] >> c->data->shift[side];
    }
}

/* An edge_visit. */
static int count_piece(void *state, int thread, const edge_block *e, char *text, size_t size)
{
    const counting *c = state;
    const plot_data *d = c->data;
    const void *ends[2] = {e->src, e->dst};
    uint64_t *cells = c->cells + (size_t)thread * cells_of(d), ids[2][BATCH];

    for (uint64_t first = 0; first < e->count; first += BATCH) {
        const int count = (int)(e->count - first < BATCH ? e->count - first : BATCH);

        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < count; i++) {
                ids[side][i] = edge_id(ends[side], first + (uint64_t)i, e->id_bytes);
                if (ids[side][i] >= d->vertices[side]) {
                    snprintf(text, size,
                             "%s: edge %" PRIu64 " has a vertex beyond the %" PRIu64
                             " that there are",
                             d->file, e->first + first + (uint64_t)i, d->vertices[side]);
                    return -1;
                }
            }
            find_cells(c, side, ids[side], count);
        }
        for (int i = 0; i < count; i++) {
            cells[ids[0][i] * (uint64_t)d->cells[1] + ids[1][i]]++;
        }
    }
    return 0;
}

/* Makes a table of the cells of all vertices, because inverting the permutation for each edge takes
 * several times as long.  Counting does without a large table, or if memory is exhausted.  After a
 * signal, the rest of the table stays 0. */
static uint16_t *make_table(const counting *c, int side)
{
    const uint64_t n = c->data->vertices[side];
    uint16_t *cells =
        n <= UINT64_C(1) << 28 && n <= c->data->edges ? calloc(n, sizeof *cells) : NULL;

#pragma omp parallel for num_threads(c->data->threads) schedule(static)
    for (uint64_t first = 0; first < (cells != NULL ? n : 0); first += BATCH) {
        const int left = (int)(n - first < BATCH ? n - first : BATCH);
        const int count = interrupt_signal() == 0 ? left : 0;
        uint64_t ids[BATCH];

        for (int i = 0; i < count; i++) {
            ids[i] = first + (uint64_t)i;
        }
        find_cells(c, side, ids, count);
        for (int i = 0; i < count; i++) {
            cells[first + (uint64_t)i] = (uint16_t)ids[i];
        }
    }
    return cells;
}

/* Chooses at most one cell per pixel.  A sparse graph gets fewer and larger cells, so that one in
 * 16 could have an edge: single pixels would hardly be visible on a dark background. */
static void choose_cells(plot_data *d)
{
    int most = SIDE;

    do {
        for (int side = 0; side < 2; side++) {
            const uint64_t last = d->vertices[side] - 1;

            d->shift[side] = 0;
            while (last >> d->shift[side] >= (uint64_t)most) {
                d->shift[side]++;
            }
            d->cells[side] = (int)(last >> d->shift[side]) + 1;
        }
        most /= 2;
    } while (most >= 32 && cells_of(d) / 16 > d->edges);
}

/* Returns an engine_status. */
static int count_cells(plot_data *d, edge_source *source, const engine_watch *watch)
{
    counting c = {.data = d};
    const int edge_bytes = 2 * edge_source_facts_of(source)->graph.id_bytes;
    rmat_config config;
    engine_meter meter = engine_meter_of(watch, "drawing", d->edges, edge_bytes);
    int status;

    choose_cells(d);
    d->density = c.cells = calloc((size_t)d->threads * cells_of(d), sizeof *c.cells);
    if (c.cells == NULL) {
        return engine_fail("memory is exhausted");
    }
    if (d->unpermuted) {
        config = *d->model;
        config.backend = RMAT_BACKEND_CPU;
        config.threads = 1;
        if (rmat_create(&c.gen, &config) != RMAT_OK) {
            return engine_fail("memory is exhausted");
        }
        c.table[0] = make_table(&c, 0);
        c.table[1] = d->vertices[0] == d->vertices[1] ? c.table[0] : make_table(&c, 1);
    }
    status = edge_walk(source, d->threads, count_piece, &c, &meter);
    for (size_t i = cells_of(d); i < (size_t)d->threads * cells_of(d); i++) {
        d->density[i % cells_of(d)] += c.cells[i];
    }
    free(c.table[0]);
    if (c.table[1] != c.table[0]) {
        free(c.table[1]);
    }
    rmat_destroy(c.gen);
    return status;
}

/* --- The vertices in bins of their degree --- */

/* Logarithmic bins of degrees, 36 per power of ten, up to `largest`.  Bin 0 is degree 0; each small
 * degree has its own bin. */
static void choose_bins(rmat_bins *bins, uint64_t largest)
{
    bins->count = 1;
    bins->first[0] = 0;
    bins->first[1] = 1;
    for (int i = 1; bins->count < RMAT_BINS && bins->first[bins->count] <= largest; i++) {
        const double border = fmin(ceil(pow(10, i / 36.) - 1e-9), 0x1p63);

        if ((uint64_t)border > bins->first[bins->count]) {
            bins->first[++bins->count] = (uint64_t)border;
        }
    }
}

/* Returns an engine_status. */
static int count_degrees(plot_data *d, edge_source *source, const engine_watch *watch)
{
    const degree_options options = {d->file, d->threads, d->o.memory, 0};
    degree_counts counts;
    uint64_t largest = 1;
    int status = degree_count(source, &options, watch, &counts);

    for (int k = 0; k < 2 && status == ENGINE_OK; k++) {
        const uint64_t last = counts.of[k].bins[counts.of[k].n_bins - 1].degree;

        largest = last > largest ? last : largest;
    }
    choose_bins(&d->bins, 2 * largest);
    for (int k = 0; k < 2 && status == ENGINE_OK; k++) {
        for (uint64_t i = 0; i < counts.of[k].n_bins; i++) {
            const degree_bin *bin = &counts.of[k].bins[i];

            d->found[k][rmat_bin_of(&d->bins, bin->degree)] += (double)bin->vertices;
        }
        if (d->expects && rmat_expect_degrees(d->model, (double)(d->edges >> d->model->symmetrize),
                                              (rmat_side)k, &d->bins, d->expected[k]) != RMAT_OK) {
            status = engine_fail("memory is exhausted");
        }
    }
    degree_counts_free(&counts);
    return status;
}

/* --- The script for gnuplot --- */

static double width_of(const plot_data *d)
{
    return d->o.what == PLOT_BOTH ? 1200 : 720;
}

/* Begins a diagram between these pixels. */
static void print_axes(FILE *to, const plot_data *d, double left, double right)
{
    const double width = width_of(d), height = HEIGHT;

    fprintf(to,
            "reset\nset tics nomirror out scale 0.6\nset border lw 1 lc rgb '#444444'\n"
            "set lmargin at screen %.9g\nset rmargin at screen %.9g\n"
            "set bmargin at screen %.9g\nset tmargin at screen %.9g\n"
            "set colorbox user origin screen %.9g, graph 0 size screen %.9g, graph 1\n",
            left / width, right / width, BOTTOM / height, 1 - TOP / height, (right + 12) / width,
            16 / width);
}

/* The vertices of a side, with ticks at quarters of a large power of two: "256ki". */
static void print_vertices(FILE *to, char axis, uint64_t vertices)
{
    if (vertices >= 4096 && (vertices & (vertices - 1)) == 0) {
        fprintf(to, "set %ctics %.17g\nset format %c '%%.0b%%B'\n", axis, (double)vertices / 4,
                axis);
    }
}

/* Cells without edges have no color, so that the background shows. */
static void print_matrix(FILE *to, const plot_data *d)
{
    const double size[2] = {ldexp(1, d->shift[0]), ldexp(1, d->shift[1])};
    const int cells = d->cells[0] * d->cells[1];
    double least = INFINITY, most = 0;

    for (int i = 0; i < cells; i++) {
        least = d->density[i] > 0 ? fmin(least, (double)d->density[i]) : least;
        most = fmax(most, (double)d->density[i]);
    }
    print_vertices(to, 'x', d->vertices[1]);
    print_vertices(to, 'y', d->vertices[0]);
    fprintf(to,
            "set title 'Adjacency matrix%s'\nset xlabel 'destination'\nset ylabel 'source'\n"
            "set xrange [0:%.17g]\nset yrange [%.17g:0]\n"
            "set logscale cb 10\nset cbrange [%.9g:%.9g]\nset format cb '10^{%%T}'\n"
            "set cblabel 'edges per cell of 2^{%d} x 2^{%d} vertices' offset 1.5,0\n"
            "set palette maxcolors 128 defined (0 '#46359c', 0.25 '#7b2382', 0.5 '#c83e73', "
            "0.75 '#fb8861', 1 '#fcfdbf')\n"
            "set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb '#0b0724' fs solid "
            "noborder\n"
            "plot '-' binary array=(%d,%d) format='%%float64' dx=%.17g dy=%.17g "
            "origin=(%.17g,%.17g) with image notitle\n",
            d->unpermuted ? ", vertices in the order of the model" : "", (double)d->vertices[1],
            (double)d->vertices[0], least, fmax(most, 10 * least), d->shift[0], d->shift[1],
            d->cells[1], d->cells[0], size[1], size[0], size[1] / 2, size[0] / 2);
    for (int i = 0; i < cells; i++) {
        const double edges = d->density[i] > 0 ? (double)d->density[i] : NAN;

        fwrite(&edges, sizeof edges, 1, to);
    }
    putc('\n', to);
}

/* Vertices per degree, at the middle of each bin: lines for expected numbers, points for counted
 * ones.  Degree 0 has no place on a logarithmic axis and stands in the key. */
static void print_degrees(FILE *to, const plot_data *d)
{
    static const char *const series[4][2] = {
        {"expected out-degree", "lines lw 2 lc rgb '#e0609a'"},
        {"expected in-degree", "lines lw 2 dt (8,6) lc rgb '#fb8861'"},
        {"out-degree", "points pt 7 ps 0.55 lc rgb '#2a1a5e'"},
        {"in-degree", "points pt 6 ps 0.8 lw 1.2 lc rgb '#e8743b'"}};
    double largest = 10, least = INFINITY, most = 0;
    const char *command = "plot";

    for (int n = 0; n < 4; n++) {
        const double *vertices = n < 2 ? d->expected[n] : d->found[n - 2];

        fprintf(to, "$series%d << END\n", n);
        for (int i = 1; i < d->bins.count && d->degrees[n % 2]; i++) {
            const double first = (double)d->bins.first[i], end = (double)d->bins.first[i + 1];
            const double y = vertices[i] / (end - first);

            fprintf(to, "%.9g %.9g\n", sqrt(first * (end - 1)), fmax(y, 1e-30));
            if (n >= 2 && y > 0) {
                largest = fmax(largest, end - 1);
                least = fmin(least, y);
                most = fmax(most, y);
            }
        }
        fprintf(to, "END\n");
    }
    fprintf(to,
            "set title 'Degree distribution'\nset xlabel 'degree'\n"
            "set ylabel 'vertices per degree'\nset logscale xy 10\nset format xy '10^{%%T}'\n"
            "set grid back lt 1 lc rgb '#e4e4e4' lw 1\nset key top right samplen 2 spacing 1.25\n"
            "set xrange [0.8:%.9g]\nset yrange [1e%.0f:1e%.0f]\n",
            largest * 1.6, floor(log10(least / 1.5)), ceil(log10(most * 1.5)));
    for (int n = d->expects ? 0 : 2; n < 4; n++) {
        if (d->degrees[n % 2]) {
            fprintf(to, "%s $series%d with %s title '%s (0 at %.0f vertices)'", command, n,
                    series[n][1], series[n][0], n < 2 ? d->expected[n][0] : d->found[n - 2][0]);
            command = ",";
        }
    }
    putc('\n', to);
}

/* A long title is drawn in smaller letters; a letter's width is about 0.62 of its height. */
static void print_title(FILE *to, const plot_data *d)
{
    const double width = 17.3 * 0.62 * (double)strlen(d->title);

    fprintf(to, "set multiplot title '");
    for (const char *at = d->title; *at != '\0'; at++) {
        fprintf(to, *at == '\'' ? "''" : "%c", text_control_length(at) > 0 ? ' ' : *at);
    }
    fprintf(to, "' noenhanced font ',%.3g'\n",
            d->format->title * fmin(1, 0.97 * width_of(d) / width));
}

static void print_script(FILE *to, const plot_data *d)
{
    double left = LEFT;

    fprintf(to, "set encoding utf8\nset terminal ");
    fprintf(to, d->format->terminal, width_of(d), (double)HEIGHT);
    fprintf(to, " background 'white'\n");
    print_title(to, d);
    if (d->o.what != PLOT_DEGREES) {
        print_axes(to, d, left, left + SIDE);
        print_matrix(to, d);
        left += SIDE + BAR + LEFT;
    }
    if (d->o.what != PLOT_ADJACENCY) {
        print_axes(to, d, left, width_of(d) - RIGHT);
        print_degrees(to, d);
    }
    fprintf(to, "unset multiplot\n");
}

/* gnuplot's error is its last line that is not empty. */
static int report_failure(FILE *said)
{
    char line[1024], last[sizeof line] = "it gave no reason";

    rewind(said);
    while (fgets(line, sizeof line, said) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[strspn(line, " \t")] != '\0') {
            strcpy(last, line + strspn(line, " \t"));
        }
    }
    return runtime_error("plot", "gnuplot made no picture: %s", last);
}

/* Runs gnuplot (without .gnuplot) on a script, and copies its drawing. */
static int draw(const plot_data *d, FILE *picture)
{
    FILE *script = tmpfile(), *said = tmpfile(), *drawn; /* the system removes them at the end */
    char text[4096];
    size_t n, all = 0;
    int status, failed;

    if (script != NULL) {
        print_script(script, d);
    }
    if (script == NULL || said == NULL || fflush(script) != 0 || ferror(script)) {
        return runtime_error("plot", "a temporary file cannot be written: %s", strerror(errno));
    }
    snprintf(text, sizeof text, "exec gnuplot -d </dev/fd/%d 2>/dev/fd/%d", fileno(script),
             fileno(said));
    drawn = popen(text, "r");
    if (drawn == NULL) {
        return runtime_error("plot", "gnuplot cannot be started: %s", strerror(errno));
    }
    while ((n = fread(text, 1, sizeof text, drawn)) > 0) {
        fwrite(text, 1, n, picture);
        all += n;
    }
    failed = ferror(drawn);
    status = pclose(drawn);
    if (interrupt_signal() != 0) {
        return client_fail("plot", engine_stop_with(interrupt_signal()), d->o.output);
    }
    return status == 0 && all > 0 && !failed ? EXIT_OK : report_failure(said);
}

/* --- The command --- */

/* Reads the file's facts for the picture. */
static int read_facts(plot_data *d, const edge_source_facts *f)
{
    const char *slash = strrchr(d->file, '/');

    d->vertices[0] = f->graph.rows;
    d->vertices[1] = f->graph.cols;
    d->edges = f->graph.edges;
    if (f->model != NULL && !rmat_is_official(f->model->drawn.stream)) {
        d->model = &f->model->drawn;
        d->unpermuted = d->model->permute;
        d->expects = !f->model->order.unique &&
                     (d->model->symmetrize || d->model->direction == RMAT_DIRECTED);
    }
    d->degrees[0] = true;
    d->degrees[1] = !f->graph.pairs;
    text_append(d->title, sizeof d->title, "%s%s%s", slash != NULL ? slash + 1 : d->file,
                *f->made_by != '\0' ? ": " : "", f->made_by);
    if (d->edges == 0) {
        return usage_error("plot", "FILE: '%s' has no edges, allowed: a graph with edges", d->file);
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
            fprintf(stream, "%s\t%" PRIu64 "\t%" PRIu64 "\t%.0f\t", k == 0 ? "out" : "in",
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
    client c;
    int status;

    if (system("command -v gnuplot >/dev/null") != 0) {
        return runtime_error("plot", "needs gnuplot: apt-get install gnuplot-nox");
    }
    client_begin(&c, "plot", NULL, d->o.quiet);
    status = client_fail("plot", edge_source_open(&source, d->file), d->o.output);
    status = status == EXIT_OK ? read_facts(d, edge_source_facts_of(source)) : status;
    if (status == EXIT_OK) {
        if (d->o.what != PLOT_ADJACENCY) {
            status = count_degrees(d, source, &c.watch);
        }
        if (status == ENGINE_OK && d->o.what != PLOT_DEGREES) {
            status = count_cells(d, source, &c.watch);
        }
        status = client_end(&c, status, d->o.output);
    }
    status = status == EXIT_OK ? draw(d, picture) : status;
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
    const char *suffix = strrchr(o->output, '.');
    whole_file picture, numbers;
    int status;

    if (d->file == NULL) {
        return usage_error("plot", "FILE missing, allowed: the path of a graph");
    }
    for (int f = 0; f < FORMATS && suffix != NULL && suffix != o->output; f++) {
        d->format = strcmp(suffix, formats[f].suffix) == 0 ? &formats[f] : d->format;
    }
    if (d->format == NULL) {
        return usage_error("plot", "--output: '%s' is not the name of a picture, allowed: %s",
                           o->output, table[OUTPUT].allowed);
    }
    status = whole_file_open(&picture, "plot", "output", o->output, o->force, d->file);
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
    static plot_data data = {.o = {.what = PLOT_BOTH, .output = "plot.png"}};
    bool given[OPTIONS_MAX];
    int status;

    if (one_process_parse(&plot_command_line, argc, argv, &data.o, given, &data.file, &status)) {
        data.threads = cpu_threads(data.o.threads);
        interrupt_install();
        status = make_files(&data);
    }
    dist_stop();
    return status;
}
