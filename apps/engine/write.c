/*
 * write.c - writes a list of edges on all ranks through a pipeline, from NAME.partial to the
 * finished file.
 *
 * If the place of an edge follows from its number, each rank begins with its own share of the list.
 * Ranks that finish early take over work from slower ones.  In other formats the place of an edge
 * depends on all edges before it.  Ranks then write in rounds.  In a round all ranks write the same
 * number of edges, each after those of the lower ranks.
 *
 * CSR of a graph by rows (rmat/ROWS.md) is written like a list, because its edges have the order of
 * the file.  Its pointers follow from the tree of sources, without the edges, and any range of them
 * costs only its own rows.  So nothing is sorted or kept, and a rank needs no data of other ranks.
 * It writes its part of the pointers first; the CPU makes them for every backend.
 */
#include "apps/common/system.h"
#include "apps/engine/job.h"
#include "mpi/dist.h"
#include "rmat/try.h"

#include <stdlib.h>

/* Where the chunks of a pipeline go: a file of any format. */

static const char *write_to_file(void *writer, const pipeline_chunk *c)
{
    const graphfile_piece piece = {c->number, c->what.first, c->what.count, c->src,
                                   c->dst,    c->weight,     c->fingerprint};
    const int status = c->what.kind == PIPELINE_EDGES
                           ? graphfile_write(writer, &piece)
                           : graphfile_write_part(writer, GRAPHFILE_POINTERS, c->what.first,
                                                  c->what.count, c->dst);

    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    return status == EDGEFILE_OK ? NULL : status == EDGEFILE_ERR_PEER ? "" : edgefile_detail();
}

static void cancel_file(void *writer)
{
    graphfile_cancel(writer);
}

pipeline_sink pipeline_to_file(graphfile_writer *writer, graphfile_format format)
{
    return (pipeline_sink){.write = write_to_file,
                           .stop = cancel_file,
                           .state = writer,
                           .in_order = !(graphfile_table[format]->traits & GRAPHFILE_EDGEFILE)};
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* pipeline_source.next: the edges that are shared out to this rank. */
static bool next_shared(void *state, pipeline *p, pipeline_span *span)
{
    int found = -1; /* none yet */

    (void)state;
    span->kind = PIPELINE_EDGES;
    while (found < 0 && !p->stop) {
        found = dist_work_next(&span->first, &span->count);
    }
    return found > 0;
}

/* Each rank begins with its part of edgefile_split().  Collective. */
static int share_out(const engine_plan *p)
{
    const int ranks = dist_size();
    uint64_t *starts = malloc(((size_t)ranks + 1) * sizeof *starts), count;
    int status = engine_agree(starts != NULL ? ENGINE_OK : engine_fail("memory is exhausted"));

    if (status == ENGINE_OK) {
        for (int k = 0; k < ranks; k++) {
            edgefile_split(p->graph_edges, p->job.id_bytes, p->graph.weight, ranks, k, &starts[k],
                           &count);
        }
        starts[ranks] = p->graph_edges;
        status = dist_work_begin(starts,
                                 edgefile_unit(p->graph_edges, p->job.id_bytes, p->graph.weight));
        status = status == DIST_OK ? ENGINE_OK : engine_fail("%s", dist_strerror(status));
    }
    free(starts);
    return status;
}

/* The tick of the pipeline: shows how many edges all ranks have done. */
static int report_list(void *argument, uint64_t done)
{
    engine_meter *meter = argument;
    uint64_t all = done;

    if (dist_size() > 1) {
        dist_work_report(done);
        all = dist_work_done();
    }
    return engine_meter_tick(meter, (double)all, all);
}

static int fill_pointers(void *rows, const pipeline_span *what, const rmat_arrays *to, void *unused)
{
    (void)unused;
    return rmat_rows_csr(rows, what->first, what->first + what->count - 1, to->dst, 0, NULL, NULL,
                         8);
}

/* This rank's pointers of CSR.  The last rank's last row ends with one more. */
static int write_pointers(const engine_job *job, const pipeline_plan *buffers,
                          const pipeline_sink *sink, engine_meter *meter)
{
    const int ranks = dist_size(), rank = dist_rank();
    pipeline_source source = {.first.kind = PIPELINE_POINTERS};
    pipeline_producer producer =
        pipeline_cpu(NULL, job->threads < buffers->buffers ? job->threads : buffers->buffers);
    pipeline_result result = {.done = 0};
    rmat_rows *rows;
    int status = rmat_rows_create(&rows, &job->model, job->edges);

    if (status != RMAT_OK) {
        return engine_fail("%s", rmat_strerror(status));
    }
    producer.state = rows;
    producer.fill = fill_pointers;
    edgefile_split(job->model.rows, 8, EDGEFILE_NO_WEIGHT, ranks, rank, &source.first.first,
                   &source.first.count);
    source.first.count += rank == ranks - 1;
    status = pipeline_run(buffers, &source, &producer, sink, report_list, meter, &result);
    rmat_rows_destroy(rows);
    return status;
}

/* Writes edges to the file until all ranks are done. */
static int write_list_edges(engine_work *work, graphfile_writer *writer, pipeline_result *done)
{
    const engine_plan *p = work->plan;
    const pipeline_plan *buffers = &work->backend->buffers;
    const uint64_t edges = p->graph_edges;
    engine_meter meter = engine_meter_of(&p->job.watch, "", edges, engine_edge_bytes(work->spec));
    const pipeline_sink sink =
        work->sink != NULL ? *work->sink : pipeline_to_file(writer, p->job.format);
    const pipeline_producer producer = engine_producer(work->backend);
    const pipeline_source source = dist_size() > 1
                                       ? (pipeline_source){.next = next_shared}
                                       : (pipeline_source){.first = {PIPELINE_EDGES, 0, edges}};
    int status = ENGINE_OK;

    if (dist_size() > 1) {
        RMAT_OR_RETURN(share_out(p));
    }
    if (p->job.format == GRAPHFILE_CSR) {
        status = write_pointers(&p->job, buffers, &sink, &meter);
    }
    if (status == ENGINE_OK) {
        status = pipeline_run(buffers, &source, &producer, &sink, report_list, &meter, done);
    }
    status = engine_rank_status(status);
    if (status == ENGINE_OK) {
        report_list(&meter, done->done);
        dist_work_end();
    }
    return status;
}

/* Ranks do about the same in a round, so rank 0 speaks for all. */
static int report_rounds(void *argument, uint64_t done)
{
    engine_meter *meter = argument;
    const uint64_t all = least(done * (uint64_t)dist_size(), meter->now.edges);

    return engine_meter_tick(meter, (double)all, all);
}

enum { ROUND_EDGES = 1 << 19 }; /* for a thread, at least */

/* Returns the number of edges that a rank writes in a round.  Ranks may have different numbers of
 * threads, and all must cut the rounds alike.  Collective. */
static uint64_t round_edges(int threads)
{
    uint64_t wanted = (uint64_t)threads;

    dist_sum(&wanted, 1);
    wanted = wanted / (uint64_t)dist_size() * ROUND_EDGES;
    return (wanted + GRAPHFILE_ROUND - 1) / GRAPHFILE_ROUND * GRAPHFILE_ROUND;
}

/* The pipeline cuts the edges at multiples of its chunk, where rounds begin too. */
int engine_write_rounds(const engine_rounds *x, pipeline_result *done)
{
    const uint64_t edges = x->spec->graph.edges;
    const uint64_t share = dist_size() > 1 ? round_edges(x->threads) : edges;
    const uint64_t mine = share * (uint64_t)dist_rank();
    engine_meter meter = engine_meter_of(x->watch, "", edges, engine_edge_bytes(x->spec));
    pipeline_sink sink = pipeline_to_file(x->writer, x->spec->format);
    int status = ENGINE_OK;

    (void)report_rounds(&meter, 0);
    for (uint64_t at = 0; at < edges && status == ENGINE_OK; at += share * (uint64_t)dist_size()) {
        const uint64_t first = least(at + mine, edges), n = least(share, edges - first);
        const pipeline_source source = {.first = {PIPELINE_EDGES, first, n}};

        sink.number = first / x->buffers->chunk;
        if (n > 0) {
            status =
                pipeline_run(x->buffers, &source, x->producer, &sink, report_rounds, &meter, done);
        }
        if (status == ENGINE_OK) { /* a round may be shorter than a tick */
            status = report_rounds(&meter, done->done);
        }
        status = engine_agree(status);
        if (status == ENGINE_OK && graphfile_end_round(x->writer) != EDGEFILE_OK) {
            status = engine_fail("%s", edgefile_detail());
        }
    }
    return status;
}

int engine_write_list(engine_work *work)
{
    const engine_plan *p = work->plan;
    engine_backend *b = work->backend;
    engine_result *r = work->result;
    graphfile_writer *writer = NULL;
    pipeline_result done = {.done = 0};
    int status = engine_plan_list_buffers(p, b, work->sink != NULL);

    r->edges = r->stream_edges = p->graph_edges;
    if (status == ENGINE_OK && work->sink == NULL) {
        status = engine_file_status(graphfile_create(&writer, work->file, work->spec));
    }
    if (status == ENGINE_OK) {
        const double start = clock_seconds();

        if (p->rounds) {
            const pipeline_producer producer = engine_producer(b);

            status = engine_write_rounds(&(engine_rounds){p->job.threads, &b->buffers, &producer,
                                                          writer, work->spec, &p->job.watch},
                                         &done);
        } else {
            status = write_list_edges(work, writer, &done);
        }
        r->stream_seconds = clock_seconds() - start;
    }
    r->fingerprint = done.fingerprint;
    status = engine_end_file(&writer, work, status);
    if (status == ENGINE_OK && p->foreign) {
        dist_sum(&r->fingerprint, 1);
    }
    return status;
}
