/*
 * csr.c - rows of the graph in CSR form.  It counts their edges, so that one sorted interval has
 * room for all, gathers them in the interval, sorts them, and reads them into the caller's arrays.
 * A graph by rows with all of its edges is made directly in these arrays, unless it is permuted or
 * a CPU drops copies of edges.
 *
 * A rank finds its rows without the other ranks.  Each rank cuts all rows into equal parts of the
 * same sample, and takes its own part.
 */
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"
#include "rmat/rmat.h"
#include "rmat/rmat_csr.h"
#include "rmat/rows/rows.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int check_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                      const rmat_csr_spec *spec, const rmat_csr *out, bool on_gpu)
{
    if (spec == NULL || out == NULL || (spec->id_bytes != 4 && spec->id_bytes != 8) ||
        (on_gpu && gen->gpu == NULL)) {
        return RMAT_ERR_ARG;
    }
    if (first_row > last_row || last_row > gen->view.rows) {
        return RMAT_ERR_ROWS;
    }
    if (spec->edges > RMAT_MAX_EDGES) {
        return RMAT_ERR_RANGE;
    }
    if (spec->id_bytes == 4 && gen->config.cols_scale > 32) {
        return RMAT_ERR_ID_WIDTH;
    }
    return spec->weights && gen->config.weights == RMAT_NO_WEIGHTS ? RMAT_ERR_WEIGHTS : RMAT_OK;
}

/* Gathers the rows in *interval and sorts them; the caller destroys it, on failure as well. */
static int gather_rows(const rmat_gen *gen, rmat_cell *bounds, const rmat_csr_spec *spec,
                       rmat_interval **interval)
{
    const rmat_cell end = bounds[1];
    uint64_t edges = spec->edges, bytes;

    if (bounds[0].src != 0 || bounds[1].src != gen->view.rows) {
        RMAT_OR_RETURN(rmat_count_cells(gen, 0, spec->edges, 2, bounds, &edges));
    }
    edges += spec->unique ? edges / 3 + 4 : 0; /* see rmat_interval_make() */
    edges = edges < spec->edges ? edges : spec->edges;
    edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
    RMAT_OR_RETURN(rmat_interval_bytes(gen, edges, &bytes));
    RMAT_OR_RETURN(rmat_interval_create_in(interval, gen, bytes, true));
    RMAT_OR_RETURN(
        rmat_interval_make(*interval, &bounds[0], &bounds[1], spec->edges, spec->unique));
    /* A source that does not repeat its edges may have more than were counted. */
    return rmat_cell_below(&bounds[1], &end) ? RMAT_ERR_FULL : rmat_interval_trim(*interval);
}

/* Arrays are allocated in host memory, or in that of the generator's GPU; NULL: out of memory. */
static void *allocate_array(const rmat_gen *gen, size_t bytes, bool on_gpu)
{
    return on_gpu ? rmat_gpu()->allocate(gen, bytes) : rmat_cpu_alloc(bytes);
}

static void release_array(const rmat_gen *gen, void *array, bool on_gpu)
{
    if (!on_gpu) {
        free(array);
    } else if (rmat_gpu() != NULL) {
        rmat_gpu()->release(gen, array);
    }
}

static void release_csr(const rmat_gen *gen, rmat_csr *csr, bool on_gpu)
{
    if (csr != NULL) {
        release_array(gen, csr->pointers, on_gpu);
        release_array(gen, csr->indices, on_gpu);
        release_array(gen, csr->weights, on_gpu);
        memset(csr, 0, sizeof *csr);
    }
}

static int allocate_arrays(const rmat_gen *gen, const rmat_csr_spec *spec, rmat_csr *csr,
                           bool on_gpu)
{
    const uint64_t room = csr->edges ? csr->edges : 1; /* so that no edges have a pointer, too */

    csr->pointers = allocate_array(gen, (csr->rows + 1) * sizeof *csr->pointers, on_gpu);
    csr->indices = allocate_array(gen, room * (uint64_t)spec->id_bytes, on_gpu);
    csr->weights = spec->weights ? allocate_array(gen, room * sizeof(float), on_gpu) : NULL;
    return csr->pointers == NULL || csr->indices == NULL || (spec->weights && csr->weights == NULL)
               ? RMAT_ERR_NOMEM
               : RMAT_OK;
}

/* A graph by rows: on failure the caller releases those arrays that exist. */
static int make_in_place(const rmat_gen *gen, const struct rmat_rows *graph,
                         const rmat_csr_spec *spec, rmat_csr *csr, bool on_gpu)
{
    const rmat_source *s = &gen->source;
    const uint64_t begin = csr->first_row, end = begin + csr->rows;
    const uint64_t first = s->before(s->state, begin, 0);

    csr->edges = s->before(s->state, end, 0) - first;
    RMAT_OR_RETURN(allocate_arrays(gen, spec, csr, on_gpu));
    if (!on_gpu) {
        return rmat_rows_make(graph, gen, begin, end, first, csr->pointers, csr->edges,
                              csr->indices, csr->weights, spec->id_bytes);
    }
    return rmat_rows_make_device(graph, gen, begin, end, first, csr->pointers, csr->edges,
                                 csr->indices, spec->id_bytes, spec->unique ? &csr->edges : NULL,
                                 NULL);
}

/* Allocates the arrays of csr and fills them; on failure the caller releases those that exist. */
static int read_out(const rmat_interval *interval, const rmat_csr_spec *spec, rmat_csr *csr,
                    bool on_gpu)
{
    const rmat_gen *gen = interval->gen;
    rmat_arrays to = {.id_bytes = spec->id_bytes};

    csr->edges = rmat_interval_edges(interval);
    RMAT_OR_RETURN(allocate_arrays(gen, spec, csr, on_gpu));
    to.dst = csr->indices;
    to.weight = csr->weights;
    if (!on_gpu) {
        RMAT_OR_RETURN(
            rmat_interval_pointers(interval, csr->first_row, csr->rows + 1, 0, csr->pointers));
        return rmat_interval_read(interval, 0, csr->edges, &to);
    }
    RMAT_OR_RETURN(rmat_interval_pointers_device(interval, csr->first_row, csr->rows + 1, 0,
                                                 csr->pointers, NULL));
    RMAT_OR_RETURN(rmat_interval_read_device(interval, 0, csr->edges, &to, NULL));
    return rmat_gpu()->finish(gen);
}

static int make_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                     const rmat_csr_spec *spec, rmat_csr *out, bool on_gpu)
{
    rmat_cell bounds[] = {{first_row, 0}, {last_row, 0}};
    const struct rmat_rows *graph;
    rmat_interval *interval = NULL;
    int st;

    RMAT_OR_RETURN(gen != NULL ? check_rows(gen, first_row, last_row, spec, out, on_gpu)
                               : RMAT_ERR_ARG);
    *out = (rmat_csr){.first_row = first_row, .rows = last_row - first_row};
    graph = rmat_rows_behind(gen);
    if (graph != NULL && spec->edges == rmat_stream_edges(gen) &&
        (on_gpu ? !spec->weights && !(spec->unique && gen->config.cols_scale == 8 * spec->id_bytes)
                : !spec->unique)) {
        RMAT_TRY(make_in_place(gen, graph, spec, out, on_gpu));
        goto done;
    }
    RMAT_TRY(gather_rows(gen, bounds, spec, &interval));
    RMAT_TRY(read_out(interval, spec, out, on_gpu));
done:
    rmat_interval_destroy(interval);
    if (st != RMAT_OK) {
        release_csr(gen, out, on_gpu);
    }
    return st;
}

int rmat_csr_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                  const rmat_csr_spec *spec, rmat_csr *out)
{
    return make_rows(gen, first_row, last_row, spec, out, false);
}

int rmat_csr_rows_device(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                         const rmat_csr_spec *spec, rmat_csr *out)
{
    return make_rows(gen, first_row, last_row, spec, out, true);
}

/*
 * The rows of a rank, found by each rank for itself: all make the same cuts, and on a CPU, whatever
 * their generators' backends are.
 *
 * A model's sample has enough cells per rank that a part is hardly ever more than an eighth larger
 * than its share, except for whole rows.  A cell takes about 1 us.  The sample of an edge source is
 * as large as possible, since its edges come in runs, which may belong to a single row.
 */
enum { CELLS_EACH = 1 << 11, MOST_CELLS = 1 << 18 };

/* Sets rows[0] and rows[1] to the first row of the rank and of the next one: equal parts of a
 * sample, each rounded to whole rows. */
static int cut_sample(const rmat_gen *gen, const rmat_csr_spec *spec, int rank, int ranks,
                      uint64_t rows[2])
{
    const double draws = (double)(spec->edges >> gen->config.symmetrize);
    const uint64_t size = rmat_has_source(gen)              ? 0
                          : ranks < MOST_CELLS / CELLS_EACH ? (uint64_t)ranks * CELLS_EACH
                                                            : MOST_CELLS;
    rmat_cell *cells = malloc(((size_t)ranks + 1) * sizeof *cells);
    rmat_sample *sample = NULL;
    int st;

    RMAT_TRY(cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_TRY(rmat_sample_create_from(&sample, gen, size));
    RMAT_TRY(rmat_sample_cut(sample, draws > 0 ? draws : 1, spec->unique, (uint64_t)ranks, cells));
    for (int k = 0; k < 2; k++) {
        rows[k] = cells[rank + k].src + (cells[rank + k].dst > gen->view.cols / 2);
    }
done:
    rmat_sample_destroy(sample);
    free(cells);
    return st;
}

/* Likewise, of a stream that is in order: equal parts of its edges and two more for each row, since
 * a row takes as long as two edges. */
static void cut_rows_in_order(const rmat_gen *gen, const rmat_csr_spec *spec, int rank, int ranks,
                              uint64_t rows[2])
{
    const rmat_source *s = &gen->source;
    const unsigned __int128 all =
        (unsigned __int128)spec->edges + 2 * (unsigned __int128)gen->view.rows;

    for (int k = 0; k < 2; k++) {
        const unsigned __int128 part = all * (unsigned)(rank + k) / (unsigned)ranks;
        uint64_t low = rank + k < ranks ? 0 : gen->view.rows, high = gen->view.rows;

        while (low < high) {
            const uint64_t row = low + (high - low) / 2, edges = s->before(s->state, row, 0);

            if ((unsigned __int128)edges + 2 * (unsigned __int128)row < part) {
                low = row + 1;
            } else {
                high = row;
            }
        }
        rows[k] = low;
    }
}

static int make_rank(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                     rmat_csr *out, bool on_gpu)
{
    uint64_t rows[2];
    int st = RMAT_OK;

    if (gen == NULL || rank < 0 || rank >= ranks) {
        return RMAT_ERR_ARG;
    }
    RMAT_OR_RETURN(check_rows(gen, 0, gen->view.rows, spec, out, on_gpu));
    if (ranks == 1) {
        rows[0] = 0;
        rows[1] = gen->view.rows;
    } else if (rmat_is_in_order(gen)) {
        cut_rows_in_order(gen, spec, rank, ranks, rows);
    } else {
        st = cut_sample(gen, spec, rank, ranks, rows);
    }
    return st == RMAT_OK ? make_rows(gen, rows[0], rows[1], spec, out, on_gpu) : st;
}

int rmat_csr_rank(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                  rmat_csr *out)
{
    return make_rank(gen, rank, ranks, spec, out, false);
}

int rmat_csr_rank_device(const rmat_gen *gen, int rank, int ranks, const rmat_csr_spec *spec,
                         rmat_csr *out)
{
    return make_rank(gen, rank, ranks, spec, out, true);
}

void rmat_csr_free(rmat_csr *csr)
{
    release_csr(NULL, csr, false);
}

void rmat_csr_free_device(const rmat_gen *gen, rmat_csr *csr)
{
    release_csr(gen, csr, true);
}
