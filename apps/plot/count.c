/*
 * The data of a picture: bins and cells, the degrees of a graph and the density of its adjacency
 * matrix counted in them, and both as a table.
 */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/engine/source/edge_source.h"
#include "apps/plot/plot.h"
#include "apps/stats/degrees.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PER_DECADE = 36 };

/* Degrees in logarithmic bins, 36 to a power of ten, up to `largest`.  Bin 0 is degree 0; small
 * degrees have a bin each.  Where every degree is a multiple of `step` (1 or 2), so are the limits
 * of the bins, or a bin's number of possible degrees would jump from one bin to the next. */
static void fill_bins(rmat_bins *bins, uint64_t largest, int step)
{
    largest /= (uint64_t)step;
    bins->count = 1;
    bins->first[0] = 0;
    bins->first[1] = 1;
    for (int i = 1; bins->count < RMAT_BINS && bins->first[bins->count] <= largest; i++) {
        const double border = ceil(pow(10, (double)i / PER_DECADE) - 1e-9);
        const uint64_t first = border < 0x1p63 ? (uint64_t)border : (uint64_t)1 << 63;

        if (first > bins->first[bins->count]) {
            bins->first[++bins->count] = first;
        }
    }
    for (int i = 0; i <= bins->count; i++) {
        bins->first[i] *= (uint64_t)step;
    }
}

void plot_shares(plot_data *d)
{
    for (int k = 0; k < RMAT_KINDS; k++) {
        const double vertices = (double)d->vertices[k == RMAT_IN ? RMAT_COLS : RMAT_ROWS];
        double found = 0, expected = 0;

        for (int i = d->bins.count - 1; i >= 0; i--) {
            found += (double)d->number[k][i];
            expected += d->expectation[k][i];
            d->share[k][i] = found / vertices;
            d->expected_share[k][i] = expected / vertices;
        }
    }
}

void plot_grid_fill(plot_grid *grid, uint64_t rows, uint64_t cols, int most)
{
    const uint64_t vertices[2] = {rows, cols};

    for (int side = 0; side < 2; side++) {
        const uint64_t last = vertices[side] > 0 ? vertices[side] - 1 : 0;

        grid->shift[side] = 0;
        while (last >> grid->shift[side] >= (uint64_t)(most < PLOT_CELLS ? most : PLOT_CELLS)) {
            grid->shift[side]++;
        }
        grid->cells[side] = (int)(last >> grid->shift[side]) + 1;
    }
}

/* The adjacency matrix. */

enum { BATCH = 4096 };

#define MOST_NUMBERS ((uint64_t)1 << 28) /* of vertices, in a table */

typedef struct {
    plot_data *data;
    const char *name;    /* of the file */
    rmat_gen *gen;       /* of the permutation, where it is to be undone; else NULL */
    uint16_t *number[2]; /* of the vertex's row or column of cells; NULL: reckon */
    uint64_t **cells;    /* of each thread */
} counting;

/* The rows or columns of cells that `count` vertices lie in. */
static void cell_numbers(const counting *c, rmat_side side, uint64_t *ids, int count,
                         uint16_t *numbers)
{
    if (c->gen != NULL) {
        rmat_unpermute(c->gen, side, (uint64_t)count, ids);
    }
    for (int i = 0; i < count; i++) {
        numbers[i] = (uint16_t)(ids[i] >> c->data->grid.shift[side]);
    }
}

/* Returns false, and the index in *bad, if an id is too large. */
static bool checked_numbers(const counting *c, rmat_side side, const void *ids, int id_bytes,
                            uint64_t first, int count, uint16_t *numbers, int *bad)
{
    const uint64_t vertices = c->data->vertices[side];
    uint64_t copy[BATCH];

    for (int i = 0; i < count; i++) {
        copy[i] = edge_id(ids, first + (uint64_t)i, id_bytes);
        if (copy[i] >= vertices) {
            *bad = i;
            return false;
        }
    }
    if (c->number[side] == NULL) {
        cell_numbers(c, side, copy, count, numbers);
        return true;
    }
    for (int i = 0; i < count; i++) {
        numbers[i] = c->number[side][copy[i]];
    }
    return true;
}

static int count_cells(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const counting *c = state;
    const edge_block *e = &m->edges;
    const void *const ids[2] = {e->src, e->dst};
    uint64_t *cells = c->cells[thread];
    uint16_t numbers[2][BATCH];

    for (uint64_t first = 0; first < e->count; first += BATCH) {
        const int count = (int)(e->count - first < BATCH ? e->count - first : BATCH);

        for (int side = RMAT_ROWS; side <= RMAT_COLS; side++) {
            int bad;

            if (!checked_numbers(c, (rmat_side)side, ids[side], e->id_bytes, first, count,
                                 numbers[side], &bad)) {
                snprintf(text, size,
                         "%s: edge %" PRIu64 " has a vertex beyond the %" PRIu64 " that there are",
                         c->name, e->first + first + (uint64_t)bad, c->data->vertices[side]);
                return -1;
            }
        }
        for (int i = 0; i < count; i++) {
            cells[numbers[0][i] * c->data->grid.cells[1] + numbers[1][i]]++;
        }
    }
    return 0;
}

/* A table of all vertices is faster than to undo the permutation for each edge. */
static void tabulate_numbers(counting *c, int threads)
{
    for (int side = RMAT_ROWS; side <= RMAT_COLS; side++) {
        const uint64_t vertices = c->data->vertices[side];
        uint16_t *numbers;

        if (side == RMAT_COLS && c->data->square) {
            c->number[side] = c->number[RMAT_ROWS];
            return;
        }
        if (vertices > MOST_NUMBERS || (double)vertices > c->data->edges ||
            (numbers = malloc(vertices * sizeof *numbers)) == NULL) {
            continue;
        }
#pragma omp parallel for num_threads(threads) schedule(static)
        for (uint64_t first = 0; first < vertices; first += BATCH) {
            const int count = (int)(vertices - first < BATCH ? vertices - first : BATCH);
            uint64_t ids[BATCH];

            for (int i = 0; i < count; i++) {
                ids[i] = first + (uint64_t)i;
            }
            cell_numbers(c, (rmat_side)side, ids, count, numbers + first);
        }
        c->number[side] = numbers;
    }
}

static int count_density(plot_data *data, edge_source *source, const plot_options *o)
{
    const size_t cells = (size_t)data->grid.cells[0] * (size_t)data->grid.cells[1];
    counting c = {
        .data = data, .name = o->file, .cells = calloc((size_t)o->threads, sizeof *c.cells)};
    const edge_walk_body body = {.visit = count_cells, .state = &c};
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    engine_meter meter;
    client watcher;
    int status = EXIT_OK;

    for (int t = 0; c.cells != NULL && t < o->threads; t++) {
        c.cells[t] = calloc(cells, sizeof **c.cells);
        status = c.cells[t] == NULL ? EXIT_RUNTIME : status;
    }
    if (c.cells == NULL || status != EXIT_OK) {
        status = runtime_error("plot", "memory is exhausted");
        goto done;
    }
    if (data->unpermuted) {
        rmat_config config = *data->model->drawn;

        config.backend = RMAT_BACKEND_CPU;
        config.threads = 1;
        if (rmat_create(&c.gen, &config) != RMAT_OK) {
            status = runtime_error("plot", "memory is exhausted");
            goto done;
        }
        tabulate_numbers(&c, o->threads);
    }
    client_begin(&watcher, "plot", NULL, o->quiet);
    meter = engine_meter_of(&watcher.watch, "drawing", g->edges, 2 * g->id_bytes);
    status = edge_walk(source, o->threads, &body, &meter);
    status = client_end(&watcher, status, o->output, g->edges, 2 * g->id_bytes);
    for (int t = 0; t < o->threads; t++) {
        for (size_t i = 0; i < cells; i++) {
            data->density[i] += (double)c.cells[t][i];
        }
    }
done:
    for (int t = 0; c.cells != NULL && t < o->threads; t++) {
        free(c.cells[t]);
    }
    free(c.cells);
    free(c.number[0]);
    if (c.number[1] != c.number[0]) {
        free(c.number[1]);
    }
    rmat_destroy(c.gen);
    return status;
}

/* So they are if each edge has its reverse. */
static bool all_even(const degree_distribution *d)
{
    bool even = true;

    for (uint64_t i = 0; i < d->n_bins; i++) {
        even = even && d->bins[i].degree % 2 == 0;
    }
    return even;
}

static int count_degrees(plot_data *data, edge_source *source, const plot_options *o)
{
    static const degree_kind kinds[RMAT_KINDS] = {DEGREE_OUT, DEGREE_IN, DEGREE_TOTAL};
    const degree_options options = {.command = "plot",
                                    .name = o->file,
                                    .threads = o->threads,
                                    .memory = o->memory,
                                    .quiet = o->quiet};
    degree_counts counts;
    uint64_t largest = 1;
    int status = degree_count(source, &options, &counts);

    for (int k = 0; k < RMAT_KINDS && status == EXIT_OK; k++) {
        const degree_distribution *d = &counts.of[kinds[k]];

        if (d->n_bins > 0 && d->bins[d->n_bins - 1].degree > largest) {
            largest = d->bins[d->n_bins - 1].degree;
        }
    }
    data->step = data->kinds[RMAT_TOTAL] && all_even(&counts.of[DEGREE_TOTAL]) ? 2 : 1;
    fill_bins(&data->bins, largest * 2, data->step);
    for (int k = 0; k < RMAT_KINDS && status == EXIT_OK; k++) {
        const degree_distribution *d = &counts.of[kinds[k]];

        for (uint64_t i = 0; i < d->n_bins; i++) {
            data->number[k][rmat_bin_of(&data->bins, d->bins[i].degree)] += d->bins[i].vertices;
        }
    }
    degree_counts_free(&counts);
    return status;
}

int plot_count(plot_data *data, edge_source *source, const plot_options *options)
{
    int status = data->degrees ? count_degrees(data, source, options) : EXIT_OK;

    return status == EXIT_OK && data->adjacency ? count_density(data, source, options) : status;
}

/* Behind a tab; "-" where there is none. */
static void print_number(FILE *stream, bool known, double value)
{
    if (known) {
        fprintf(stream, "\t%.9g", value);
    } else {
        fprintf(stream, "\t-");
    }
}

void plot_table(FILE *stream, const plot_data *d)
{
    if (d->degrees) {
        fprintf(stream, "#degree\tfirst\tlast\tvertices\texpected%s\n",
                d->ccdf ? "\tshare\texpected_share" : "");
    }
    for (int k = 0; k < RMAT_KINDS && d->degrees; k++) {
        static const char *const names[RMAT_KINDS] = {"out", "in", "total"};

        for (int i = 0; i < d->bins.count && d->kinds[k]; i++) {
            fprintf(stream, "%s\t%" PRIu64 "\t%" PRIu64 "\t", names[k], d->bins.first[i],
                    d->bins.first[i + 1] - 1);
            fprintf(stream, "%" PRIu64, d->number[k][i]);
            print_number(stream, d->expected[k], d->expectation[k][i]);
            if (d->ccdf) {
                fprintf(stream, "\t%.9g", d->share[k][i]);
                print_number(stream, d->expected[k], d->expected_share[k][i]);
            }
            fprintf(stream, "\n");
        }
    }
    if (d->adjacency) {
        fprintf(stream, "#cell\tsource\tdestination\tedges\n");
    }
    for (int i = 0; d->adjacency && i < d->grid.cells[0]; i++) {
        for (int j = 0; j < d->grid.cells[1]; j++) {
            const double x = d->density[i * d->grid.cells[1] + j];

            if (x > 0) {
                fprintf(stream, "cell\t%" PRIu64 "\t%" PRIu64 "\t%.15g\n",
                        (uint64_t)i << d->grid.shift[0], (uint64_t)j << d->grid.shift[1], x);
            }
        }
    }
}
