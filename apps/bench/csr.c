/*
 * CSR in memory, where edges are generated: edges of the stream per second of all the work.
 *
 *   intervals  of the library's own stream: for each interval of the sorted order the whole stream
 *              is generated; the edges of the interval are gathered, sorted, freed of copies with
 *              --unique, and written as pointers and indices into allocated memory
 *   rows       of the stream `rows`, which needs no sort: each rank makes its share of the rows by
 *              rmat_csr_rank(), allocations included
 */
#include "apps/bench/bench.h"
#include "mpi/dist.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_interval.h"
#include "rmat/try.h"
#include <stdlib.h>

enum { INTERVALS, ROWS };

typedef struct {
    uint64_t stream; /* its edges */
    rmat_interval *interval;
    rmat_parts parts;         /* the intervals */
    void *pointers, *indices; /* of the whole graph; of an interval */
} csr_state;

static int stop_at_signal(void *state)
{
    (void)state;
    return interrupt_signal();
}

/* *add: the number of edges in earlier intervals. */
static int write_csr(const bench_group *g, const rmat_cell *first, const rmat_cell *end,
                     uint64_t *add)
{
    const csr_state *s = g->state;
    const uint64_t rows = end->src + (end->dst > 0) + 1 - first->src;
    const uint64_t edges = rmat_interval_edges(s->interval);
    uint64_t *pointers = (uint64_t *)s->pointers + first->src;
    const rmat_arrays to = {.dst = s->indices, .id_bytes = g->id_bytes};

    if (g->gpu) {
        RMAT_OR_RETURN(
            rmat_interval_pointers_device(s->interval, first->src, rows, *add, pointers, NULL));
        RMAT_OR_RETURN(rmat_interval_read_device(s->interval, 0, edges, &to, NULL));
    } else {
        RMAT_OR_RETURN(rmat_interval_pointers(s->interval, first->src, rows, *add, pointers));
        RMAT_OR_RETURN(rmat_interval_read(s->interval, 0, edges, &to));
    }
    *add += edges;
    return RMAT_OK;
}

static int make_csr(const bench_group *g, const bench_case *c, rmat_csr *csr)
{
    csr_state *s = g->state;
    const rmat_csr_spec spec = {
        .edges = s->stream, .unique = g->job->o->unique, .id_bytes = g->id_bytes};
    uint64_t add = 0;

    if (c->kind == ROWS) {
        return g->gpu ? rmat_csr_rank_device(c->gen, dist_rank(), dist_size(), &spec, csr)
                      : rmat_csr_rank(c->gen, dist_rank(), dist_size(), &spec, csr);
    }
    for (uint64_t i = 0; i < s->parts.n; i++) {
        RMAT_OR_RETURN(rmat_interval_make_part(s->interval, &s->parts, i, s->stream, spec.unique));
        RMAT_OR_RETURN(write_csr(g, &s->parts.cells[i], &s->parts.cells[i + 1], &add));
    }
    return RMAT_OK;
}

/* Rank 0 counts the edges of the whole stream, because the ranks together make it once. */
static int measure_csr(bench_group *g, const bench_case *c, bench_sample *sample)
{
    const bench_backend *b = bench_backend_of(g);
    bench_timer t = {.clock = CLOCK_MONOTONIC};
    const csr_state *s = g->state;
    rmat_csr csr = {.pointers = NULL};
    int status = b->begin(&t);

    status = status == RMAT_OK ? make_csr(g, c, &csr) : status;
    status = b->end(&t, status, &sample->seconds);
    sample->work = dist_rank() == 0 ? (double)s->stream : 0;
    if (g->gpu) {
        rmat_csr_free_device(c->gen, &csr);
    } else {
        rmat_csr_free(&csr);
    }
    return status == RMAT_ERR_STOPPED ? EXIT_OK
                                      : bench_failed(status); /* bench_agree() reports it */
}

/* Allocates an interval and its indices, for somewhat more edges than an interval has on average.
 */
static int reserve(bench_group *g, const rmat_gen *gen)
{
    const bench_backend *b = bench_backend_of(g);
    const uint64_t n = g->job->o->intervals;
    csr_state *s = g->state;
    uint64_t edges = n == 1 ? s->stream : s->stream / n / 8 * 9, bytes;
    rmat_sample *sample;
    int status;

    edges = edges > RMAT_INTERVAL_LEAST_EDGES ? edges : RMAT_INTERVAL_LEAST_EDGES;
    s->parts = (rmat_parts){calloc(n + 1, sizeof *s->parts.cells), n};
    RMAT_OR_RETURN(s->parts.cells != NULL ? RMAT_OK : RMAT_ERR_NOMEM);
    RMAT_OR_RETURN(rmat_interval_bytes(gen, edges, &bytes));
    RMAT_OR_RETURN(rmat_interval_create(&s->interval, gen, bytes));
    RMAT_OR_RETURN(rmat_interval_capacity(gen, bytes, &edges));
    RMAT_OR_RETURN(b->allocate(&s->indices, edges * (uint64_t)g->id_bytes));
    RMAT_OR_RETURN(b->allocate(&s->pointers, (((uint64_t)1 << g->scale) + 1) * sizeof(uint64_t)));
    RMAT_OR_RETURN(rmat_sample_create_from(&sample, gen, 0));
    status = rmat_sample_cut(sample, (double)s->stream, 0, n, s->parts.cells);
    rmat_sample_destroy(sample);
    return status;
}

static int open_csr(bench_group *g)
{
    const bool rows = g->job->o->stream == RMAT_STREAM_ROWS;
    bench_case *c = bench_add(g, rows ? "rows" : "intervals", rows ? ROWS : INTERVALS,
                              g->gpu ? 0 : g->job->threads);
    csr_state *s = g->state = calloc(1, sizeof *s);
    rmat_config config;
    int status;

    if (s == NULL) {
        return bench_failed(RMAT_ERR_NOMEM);
    }
    s->stream = (uint64_t)BENCH_EDGE_FACTOR << g->scale;
    bench_config(g, c, &config);
    config.stop = stop_at_signal;
    status = bench_backend_of(g)->use(g->job->device);
    status = status == RMAT_OK ? rmat_create(&c->gen, &config) : status;
    status = status == RMAT_OK && !rows ? reserve(g, c->gen) : status;
    return status == RMAT_ERR_NOMEM && !rows
               ? runtime_error("bench", "%s: more --intervals take less", rmat_strerror(status))
               : bench_failed(status);
}

static void close_csr(bench_group *g)
{
    csr_state *s = g->state;

    if (s != NULL) {
        bench_backend_of(g)->release(s->pointers);
        bench_backend_of(g)->release(s->indices);
        rmat_interval_destroy(s->interval);
        free(s->parts.cells);
    }
    free(s);
}

const bench_room bench_csr = {"edges/s", true, open_csr, measure_csr, close_csr};
