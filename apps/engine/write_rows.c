/*
 * CSR of a graph by rows (rmat/ROWS.md), straight into its file.
 *
 * Its edges are written as a list is, for they come in the order of the file.  The pointers follow
 * from the tree of sources, without the edges: any range of them costs what it holds.  So nothing
 * is sorted or kept, and a rank needs nothing of the others: it writes its part of the pointers,
 * which the CPU makes whoever makes the edges, and then its part of the edges.
 */
#include "apps/engine/run.h"
#include "mpi/dist.h"
#include "rmat/rmat_rows.h"

#include <stdatomic.h>
#include <stdio.h>

#define SPAN_ROWS ((uint64_t)1 << 22)

typedef struct {
    const pipeline_source *edges;   /* that follow */
    const pipeline_producer *maker; /* of them */
    rmat_rows *rows;
    uint64_t first, end; /* pointers that are to be given out */
    _Atomic int makers;
} csr;

/* A pipeline_source: the pointers, then the edges. */
static int next_span(void *state, pipeline *p, pipeline_span *span)
{
    csr *x = state;
    const uint64_t left = x->end - x->first, rows = left < SPAN_ROWS ? left : SPAN_ROWS;

    if (rows == 0) {
        return x->edges->next(x->edges->state, p, span);
    }
    *span = (pipeline_span){PIPELINE_POINTERS, x->first, rows};
    x->first += rows;
    return 1;
}

static int fill_pointers(const csr *x, pipeline_chunk *c)
{
    c->fingerprint = 0;
    return rmat_rows_csr(x->rows, c->what.first, c->what.first + c->what.count - 1, c->dst, 0, NULL,
                         NULL, 8);
}

/* A pipeline_producer: the pointers; then as many threads as the edges want make these. */
static int run(void *state, pipeline *p, char *text, size_t size)
{
    csr *x = state;
    pipeline_chunk *c;
    int status = RMAT_OK;

    while (status == RMAT_OK && (c = pipeline_claim_pointers(p)) != NULL) {
        status = fill_pointers(x, c);
        if (status == RMAT_OK) {
            pipeline_submit(p, c);
        } else {
            snprintf(text, size, "%s", rmat_strerror(status));
        }
    }
    if (status != RMAT_OK) {
        return -1;
    }
    return atomic_fetch_add(&x->makers, 1) < x->maker->threads
               ? x->maker->run(x->maker->state, p, text, size)
               : 0;
}

/* Which pointers are this rank's.  The last rank's last row ends with one more. */
static void share_pointers(csr *x, const engine_job *o)
{
    const int ranks = dist_size(), rank = dist_rank();
    uint64_t count;

    edgefile_split(o->model.rows, 8, EDGEFILE_NO_WEIGHT, ranks, rank, &x->first, &count);
    x->end = x->first + count + (rank == ranks - 1);
}

int engine_run_rows(const engine_work *work, const pipeline_plan *plan,
                    const pipeline_source *edges, const pipeline_sink *sink, pipeline_tick tick,
                    void *argument, pipeline_result *result)
{
    const engine_job *o = &work->plan->job;
    csr x = {.edges = edges, .maker = &work->backend->producer};
    const pipeline_source source = {next_span, &x};
    const int most = o->threads < plan->buffers ? o->threads : plan->buffers;
    const pipeline_producer producer = {run, &x, most > x.maker->threads ? most : x.maker->threads};
    int status = rmat_rows_create(&x.rows, &o->model, o->edges);

    if (status != RMAT_OK) {
        *result = (pipeline_result){.error = rmat_strerror(status)};
        return -1;
    }
    share_pointers(&x, o);
    status = pipeline_run(plan, &source, &producer, sink, tick, argument, result);
    rmat_rows_destroy(x.rows);
    return status;
}
