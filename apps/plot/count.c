/* The data of a picture: the edges in cells of the adjacency matrix, and the vertices in bins of
 * their degree. */
#include "apps/client/client.h"
#include "apps/common/message.h"
#include "apps/plot/plot.h"
#include "apps/stats/degrees.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BATCH = 4096 };

typedef struct {
    const plot_data *data;
    rmat_gen *gen;      /* applies the inverse permutation, if requested; else NULL */
    uint16_t *table[2]; /* cells of permuted vertices; NULL: no table */
    uint64_t *cells;    /* of thread 0, of thread 1, ... */
} counting;

static int no_memory(void)
{
    return runtime_error("plot", "memory is exhausted");
}

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
 * several times as long.  Counting does without a large table, or if memory is exhausted. */
static void make_table(counting *c, int side)
{
    const uint64_t n = c->data->vertices[side];
    uint16_t *table =
        n <= UINT64_C(1) << 28 && n <= c->data->edges ? malloc(n * sizeof *table) : NULL;

#pragma omp parallel for num_threads(c->data->threads) schedule(static)
    for (uint64_t first = 0; first < (table != NULL ? n : 0); first += BATCH) {
        const int count = (int)(n - first < BATCH ? n - first : BATCH);
        uint64_t ids[BATCH];

        for (int i = 0; i < count; i++) {
            ids[i] = first + (uint64_t)i;
        }
        find_cells(c, side, ids, count);
        for (int i = 0; i < count; i++) {
            table[first + (uint64_t)i] = (uint16_t)ids[i];
        }
    }
    c->table[side] = table;
}

/* Chooses at most one cell per pixel.  A sparse graph gets fewer and larger cells, so that one in
 * 16 could have an edge: single pixels would hardly be visible on a dark background. */
static void choose_cells(plot_data *d)
{
    int most = PLOT_SIDE;

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

int plot_count_cells(plot_data *d, edge_source *source)
{
    counting c = {.data = d};
    const int edge_bytes = 2 * edge_source_facts_of(source)->graph.id_bytes;
    rmat_config config;
    engine_meter meter;
    client watcher;
    int status;

    choose_cells(d);
    d->density = c.cells = calloc((size_t)d->threads * cells_of(d), sizeof *c.cells);
    if (c.cells == NULL) {
        return no_memory();
    }
    if (d->unpermuted) {
        config = *d->model;
        config.backend = RMAT_BACKEND_CPU;
        config.threads = 1;
        if (rmat_create(&c.gen, &config) != RMAT_OK) {
            return no_memory();
        }
        make_table(&c, 0);
        if (d->vertices[0] != d->vertices[1]) {
            make_table(&c, 1);
        } else {
            c.table[1] = c.table[0];
        }
    }
    client_begin(&watcher, "plot", NULL, d->o.quiet);
    meter = engine_meter_of(&watcher.watch, "drawing", d->edges, edge_bytes);
    status = edge_walk(source, d->threads, count_piece, &c, &meter);
    status = client_end(&watcher, status, d->o.output);
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

int plot_count_degrees(plot_data *d, edge_source *source)
{
    const degree_options options = {"plot", d->file, d->threads, d->o.memory, 0, d->o.quiet};
    degree_counts counts;
    uint64_t largest = 1;
    int status = degree_count(source, &options, &counts);

    for (int k = 0; k < 2 && status == EXIT_OK; k++) {
        const uint64_t last = counts.of[k].bins[counts.of[k].n_bins - 1].degree;

        largest = last > largest ? last : largest;
    }
    choose_bins(&d->bins, 2 * largest);
    for (int k = 0; k < 2 && status == EXIT_OK; k++) {
        for (uint64_t i = 0; i < counts.of[k].n_bins; i++) {
            const degree_bin *bin = &counts.of[k].bins[i];

            d->found[k][rmat_bin_of(&d->bins, bin->degree)] += (double)bin->vertices;
        }
        if (d->expects && rmat_expect_degrees(d->model, (double)(d->edges >> d->model->symmetrize),
                                              (rmat_side)k, &d->bins, d->expected[k]) != RMAT_OK) {
            status = no_memory();
        }
    }
    degree_counts_free(&counts);
    return status;
}
