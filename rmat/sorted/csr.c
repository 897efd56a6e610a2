/*
 * Rows of the graph in CSR form: their edges are counted, so that one sorted interval has room for
 * them all, gathered in it, sorted, and read out into arrays of the caller's.  A graph by rows with
 * all of its edges is made in these arrays at once; one that is permuted, on a CPU and if all rows
 * are wanted.
 *
 * Several ranks cut the rows where a sample has equal parts, and count together; then each gathers
 * from the whole stream, or they exchange edges.
 */
#include "rmat/cpu/arrays.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_exchange.h"
#include "rmat/rmat_sample.h"
#include "rmat/rows/tables.h"
#include "rmat/sorted/exchange.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int check_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                      const rmat_csr_spec *spec, const rmat_csr *out)
{
    if (gen == NULL || spec == NULL || out == NULL ||
        (spec->id_bytes != 4 && spec->id_bytes != 8)) {
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

/* Begins *interval with the rows, which have so many edges; the caller destroys it, on failure as
 * well. */
static int begin_rows(const rmat_gen *gen, const rmat_cell *bounds, uint64_t edges,
                      const rmat_csr_spec *spec, rmat_interval **interval)
{
    uint64_t bytes;

    edges += spec->unique ? edges / 3 + 4 : 0; /* see rmat_interval_add() */
    edges = edges < spec->edges ? edges : spec->edges;
    edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
    RMAT_OR_RETURN(rmat_interval_bytes(gen, edges, &bytes));
    RMAT_OR_RETURN(rmat_interval_create(interval, gen, bytes));
    return rmat_interval_begin(*interval, &bounds[0], &bounds[1], spec->unique);
}

/* Likewise, and gathers and sorts. */
static int gather_rows(const rmat_gen *gen, const rmat_cell *bounds, const rmat_csr_spec *spec,
                       rmat_interval **interval)
{
    const bool all = bounds[0].src == 0 && bounds[1].src == gen->view.rows;
    uint64_t edges = spec->edges;

    if (!all) {
        RMAT_OR_RETURN(rmat_count_cells(gen, 0, spec->edges, 2, bounds, &edges));
    }
    RMAT_OR_RETURN(begin_rows(gen, bounds, edges, spec, interval));
    RMAT_OR_RETURN(rmat_interval_add(*interval, 0, spec->edges));
    RMAT_OR_RETURN(rmat_interval_sort(*interval));
    return rmat_interval_trim(*interval);
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
    if (gen->config.permute) {
        return rmat_rows_scatter(graph, gen, csr->pointers, csr->edges, csr->indices, csr->weights,
                                 spec->id_bytes);
    }
    if (!on_gpu) {
        return rmat_rows_make(graph, begin, end, first, csr->pointers, csr->edges, csr->indices,
                              csr->weights, spec->id_bytes);
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
    const uint64_t n = rmat_interval_edges(interval);
    rmat_arrays to = {.id_bytes = spec->id_bytes};

    csr->edges = n;
    RMAT_OR_RETURN(allocate_arrays(gen, spec, csr, on_gpu));
    to.dst = csr->indices;
    to.weight = csr->weights;
    if (on_gpu) {
        RMAT_OR_RETURN(rmat_interval_pointers_device(interval, csr->first_row, csr->rows + 1, 0,
                                                     csr->pointers, NULL));
        RMAT_OR_RETURN(rmat_interval_read_device(interval, 0, n, &to, NULL));
        RMAT_OR_RETURN(rmat_gpu()->finish(gen));
    } else {
        RMAT_OR_RETURN(
            rmat_interval_pointers(interval, csr->first_row, csr->rows + 1, 0, csr->pointers));
        RMAT_OR_RETURN(rmat_interval_read(interval, 0, n, &to));
    }
    return RMAT_OK;
}

static int make_rows(const rmat_gen *gen, uint64_t first_row, uint64_t last_row,
                     const rmat_csr_spec *spec, rmat_csr *out, bool on_gpu)
{
    const rmat_cell bounds[] = {{first_row, 0}, {last_row, 0}};
    const struct rmat_rows *graph;
    rmat_interval *interval = NULL;
    int st;

    RMAT_OR_RETURN(check_rows(gen, first_row, last_row, spec, out));
    if (on_gpu && gen->gpu == NULL) {
        return RMAT_ERR_ARG;
    }
    *out = (rmat_csr){.first_row = first_row, .rows = last_row - first_row};
    graph = rmat_rows_behind(gen, !on_gpu && first_row == 0 && last_row == gen->view.rows);
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

/* Of what several ranks do: their rows, and how many edges of this rank's. */
enum { BUFFERS_PART = 16, MOST_BUFFERS = 256 << 20 };
enum { TRIED_PART = 16, MOST_TRIED = 1 << 22 /* edges a rank */ };
/* Cells of the sample by which rows are shared out, for so many edges: each takes a rank, for which
 * the others wait, 2 us, and that parts are uneven costs more, the longer edges take. */
enum { CPU_SAMPLE_PART = 64, GPU_SAMPLE_PART = 1 << 18 };
enum { LEAST_SAMPLE = 1 << 12, MOST_SAMPLE = 1 << 18 };

typedef struct {
    const rmat_gen *gen;
    const rmat_csr_spec *spec;
    const rmat_ranks *ranks;
    rmat_exchange *small, *exchange; /* to talk; with the buffers to send edges */
    rmat_cell *bounds;               /* size + 1 */
    uint64_t *numbers;               /* to tell and to hear, one of each rank */
    uint64_t edges;                  /* of this rank's rows, copies included */
    double counting;                 /* seconds of the slowest rank, for its share of the stream */
} ranks_job;

/* The first edge of rank k's share of the stream. */
static uint64_t share_start(const ranks_job *j, int k)
{
    return (uint64_t)((unsigned __int128)j->spec->edges * (unsigned)k / (unsigned)j->ranks->size);
}

/* Equal parts of a sample, each rounded to whole rows. */
static int cut_sample(ranks_job *j)
{
    rmat_config config = j->gen->config;
    const double draws = (double)(j->spec->edges >> config.symmetrize);
    uint64_t size = j->spec->edges / (j->gen->gpu != NULL ? GPU_SAMPLE_PART : CPU_SAMPLE_PART);
    rmat_sample *sample = NULL;
    int st;

    size = size < LEAST_SAMPLE ? LEAST_SAMPLE : size < MOST_SAMPLE ? size : MOST_SAMPLE;
    config.levels = j->gen->levels;
    config.noise = 0;
    st = rmat_has_source(j->gen) ? rmat_sample_create_from(&sample, j->gen, size)
                                 : rmat_sample_create(&sample, &config, size);
    if (st == RMAT_OK) {
        st = rmat_sample_cut(sample, draws > 0 ? draws : 1, j->spec->unique,
                             (uint64_t)j->ranks->size, j->bounds);
    }
    rmat_sample_destroy(sample);
    for (int k = 0; st == RMAT_OK && k < j->ranks->size; k++) {
        j->numbers[k] = j->bounds[k].src + (j->bounds[k].dst > j->gen->view.cols / 2);
    }
    return st;
}

/* Parts of a stream that is in order that take equal times: a row costs as much as two edges. */
static void cut_in_order(ranks_job *j)
{
    const rmat_source *s = &j->gen->source;
    const unsigned __int128 all =
        (unsigned __int128)j->spec->edges + 2 * (unsigned __int128)j->gen->view.rows;

    for (int k = 0; k < j->ranks->size; k++) {
        const unsigned __int128 part = all * (unsigned)k / (unsigned)j->ranks->size;
        uint64_t low = 0, high = j->gen->view.rows;

        while (low < high) {
            const uint64_t row = low + (high - low) / 2, edges = s->before(s->state, row, 0);

            if ((unsigned __int128)edges + 2 * (unsigned __int128)row < part) {
                low = row + 1;
            } else {
                high = row;
            }
        }
        j->numbers[k] = low;
    }
}

/* Rank 0 tells each rank its first row, and each rank all others. */
static int share_rows(ranks_job *j)
{
    const int ranks = j->ranks->size;
    uint64_t first;
    int st = RMAT_OK;

    if (j->ranks->rank == 0) {
        if (rmat_is_in_order(j->gen)) {
            cut_in_order(j);
        } else {
            st = cut_sample(j);
        }
    }
    RMAT_OR_RETURN(rmat_exchange_tell(j->small, j->numbers, st));
    first = j->numbers[0];
    for (int k = 0; k < ranks; k++) {
        j->numbers[k] = first;
    }
    RMAT_OR_RETURN(rmat_exchange_tell(j->small, j->numbers, RMAT_OK));
    for (int k = 0; k < ranks; k++) {
        j->bounds[k] = (rmat_cell){j->numbers[k], 0};
    }
    j->bounds[ranks] = (rmat_cell){j->gen->view.rows, 0};
    return RMAT_OK;
}

/* Each rank counts in its share of the stream what all have of it. */
static int count_together(ranks_job *j)
{
    const int ranks = j->ranks->size, rank = j->ranks->rank;
    const uint64_t first = share_start(j, rank);
    const double start = rmat_seconds();
    const int st = rmat_count_cells(j->gen, first, share_start(j, rank + 1) - first,
                                    (uint64_t)ranks + 1, j->bounds, j->numbers);

    j->counting = rmat_seconds() - start;
    RMAT_OR_RETURN(rmat_exchange_tell(j->small, j->numbers, st));
    j->edges = 0;
    for (int k = 0; k < ranks; k++) {
        j->edges += j->numbers[k];
    }
    return rmat_exchange_slowest(j->small, &j->counting);
}

/* Whether it takes less time to make a share and send it than to make the whole stream, judged by
 * an exchange of a few edges: the same on all ranks. */
static int choose_way(ranks_job *j, rmat_exchange_way *how)
{
    const int ranks = j->ranks->size, symmetrize = j->gen->config.symmetrize;
    const rmat_cell *bounds = &j->bounds[j->ranks->rank];
    const uint64_t some = j->spec->edges / TRIED_PART,
                   most = (uint64_t)MOST_TRIED * (uint64_t)ranks;
    const uint64_t tried = (some < most ? some : most) >> symmetrize << symmetrize;
    double seconds;

    if (*how != RMAT_EXCHANGE_AUTO) {
        return RMAT_OK;
    }
    *how = RMAT_EXCHANGE_NONE;
    if (ranks > 1 && tried > 0) {
        RMAT_OR_RETURN(rmat_exchange_measure(j->exchange, &bounds[0], &bounds[1], j->spec->unique,
                                             tried, &seconds));
        seconds *= (double)j->spec->edges / (double)tried;
        *how = seconds < ranks * j->counting ? RMAT_EXCHANGE_ALL : RMAT_EXCHANGE_NONE;
    }
    return RMAT_OK;
}

/* Sets *interval to that of this rank's rows, sorted. */
static int gather_together(ranks_job *j, rmat_exchange_way how, rmat_interval **interval)
{
    const rmat_cell *bounds = &j->bounds[j->ranks->rank];
    int st;

    RMAT_OR_RETURN(count_together(j));
    RMAT_OR_RETURN(choose_way(j, &how));
    st = begin_rows(j->gen, bounds, j->edges, j->spec, interval);
    if (how == RMAT_EXCHANGE_ALL) {
        const int added = rmat_exchange_add(j->exchange, st == RMAT_OK ? *interval : NULL,
                                            j->spec->edges, st != RMAT_OK);

        st = st != RMAT_OK ? st : added;
    } else if (st == RMAT_OK) {
        st = rmat_interval_add(*interval, 0, j->spec->edges);
    }
    if (st == RMAT_OK) {
        st = rmat_interval_sort(*interval);
    }
    return st == RMAT_OK ? rmat_interval_trim(*interval) : st;
}

static int make_rank(const rmat_gen *gen, const rmat_ranks *ranks, const rmat_csr_spec *spec,
                     rmat_exchange_way how, rmat_csr *out, bool on_gpu)
{
    ranks_job j = {.gen = gen, .spec = spec, .ranks = ranks};
    const rmat_csr none = {0};
    rmat_interval *interval = NULL;
    uint64_t bytes, least, first, last;
    int st;

    if (ranks == NULL || ranks->size < 1 || (on_gpu && (gen == NULL || gen->gpu == NULL))) {
        return RMAT_ERR_ARG;
    }
    RMAT_OR_RETURN(check_rows(gen, 0, gen->view.rows, spec, out));
    if (spec->edges > rmat_stream_edges(gen)) {
        return RMAT_ERR_RANGE;
    }
    if (ranks->size == 1) {
        return make_rows(gen, 0, gen->view.rows, spec, out, on_gpu);
    }
    *out = none;
    least = rmat_exchange_least(gen, ranks->size);
    bytes = spec->edges / (uint64_t)ranks->size * (uint64_t)rmat_key_bytes(gen) / BUFFERS_PART;
    bytes = how == RMAT_EXCHANGE_NONE ? 0 : bytes < MOST_BUFFERS ? bytes : MOST_BUFFERS;
    RMAT_OR_RETURN(rmat_exchange_create(&j.small, gen, ranks, least));
    j.bounds = calloc((size_t)ranks->size + 1, sizeof *j.bounds);
    j.numbers = calloc((size_t)ranks->size, sizeof *j.numbers);
    if (j.bounds == NULL || j.numbers == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    st = how != RMAT_EXCHANGE_NONE
             ? rmat_exchange_create(&j.exchange, gen, ranks, bytes > least ? bytes : least)
             : RMAT_OK;
    RMAT_TRY(rmat_exchange_tell(j.small, j.numbers, st));
    RMAT_TRY(share_rows(&j));
    first = j.bounds[ranks->rank].src;
    last = j.bounds[ranks->rank + 1].src;
    if (rmat_is_in_order(gen)) {
        st = make_rows(gen, first, last, spec, out, on_gpu);
    } else {
        *out = (rmat_csr){.first_row = first, .rows = last - first};
        st = gather_together(&j, how, &interval);
        st = st == RMAT_OK ? read_out(interval, spec, out, on_gpu) : st;
    }
    st = rmat_exchange_tell(j.small, j.numbers, st);
done:
    rmat_interval_destroy(interval);
    rmat_exchange_destroy(j.exchange);
    rmat_exchange_destroy(j.small);
    free(j.bounds);
    free(j.numbers);
    if (st != RMAT_OK) {
        release_csr(gen, out, on_gpu);
    }
    return st;
}

int rmat_csr_rank(const rmat_gen *gen, const rmat_ranks *ranks, const rmat_csr_spec *spec,
                  rmat_exchange_way how, rmat_csr *out)
{
    return make_rank(gen, ranks, spec, how, out, false);
}

int rmat_csr_rank_device(const rmat_gen *gen, const rmat_ranks *ranks, const rmat_csr_spec *spec,
                         rmat_exchange_way how, rmat_csr *out)
{
    return make_rank(gen, ranks, spec, how, out, true);
}

void rmat_csr_free(rmat_csr *csr)
{
    release_csr(NULL, csr, false);
}

void rmat_csr_free_device(const rmat_gen *gen, rmat_csr *csr)
{
    release_csr(gen, csr, true);
}
