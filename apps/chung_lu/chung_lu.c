/*
 * chung_lu: a second generator, on the same alias tables and into the same files as rmat.
 *
 * 1. Weights, one for each vertex: expected degrees, from a file or of a power law
 *    (apps/chung_lu/weights.c), or those of another graph (apps/chung_lu/like.c).
 *
 * 2. Edges, of two independent draws each from an alias table over the vertices, or from two. Which
 * sampler for which end, and why, is told in apps/chung_lu/edges.h; the CPU makes them in
 *    apps/chung_lu/edges.c, a GPU in apps/chung_lu/gpu.c.
 *
 * 3. An edge source (rmat/rmat_source.h): functions that fill arrays with any range of the edges,
 *    in host or in GPU memory (apps/chung_lu/graph.c).
 *
 * 4. A job for the engine (apps/engine/engine.h), which does everything else: ranks, sorting,
 *    copies, permutation, weights, formats (apps/chung_lu/file.c).
 *
 * All of these headers are installed: a generator of any other kind of graph would look much the
 * same.
 */
#include "apps/chung_lu/chung_lu.h"
#include "apps/client/client.h"
#include "apps/client/program.h"
#include "apps/common/clock.h"
#include "apps/common/message.h"
#include "apps/engine/job.h"
#include "apps/engine/status.h"
#include "io/small_file.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many edges, and of what width, now that the weights are known. */
static int resolve_stream(chung_lu_options *o, double sum, chung_lu_stream *s)
{
    const bool narrow = o->vertices <= (uint64_t)1 << 32;
    /* Of a graph whose edges come to be two each, as many pairs as it has. */
    const bool all = o->like.name != NULL && !o->graph.symmetrize && !o->graph.simple;
    double edges = o->average_degree > 0 ? o->average_degree * (double)o->vertices / 2
                   : all                 ? sum
                                         : sum / 2;
    int status;

    if (!o->edges_given && !(edges <= (double)RMAT_MAX_EDGES)) {
        return usage_error(
            "", "the degrees add up to too many edges, %g, allowed: 0 to %" PRIu64 ", see --edges",
            edges, RMAT_MAX_EDGES);
    }
    status = engine_check_ids(o->job.format, o->job.id_bytes, o->job.id_sign, o->vertices);
    if (status != ENGINE_OK) {
        return client_keep("", status);
    }
    o->edges = o->edges_given ? o->edges : (uint64_t)(edges + 0.5);
    /* It takes more draws than edges until so many are distinct. */
    *s = (chung_lu_stream){.vertices = o->vertices,
                           .edges = o->unique ? RMAT_MAX_EDGES : o->edges,
                           .seed = o->job.model.seed,
                           .batch = o->unique ? 0 : chung_lu_batch(o->vertices),
                           .id_bytes = o->job.id_bytes > 0 ? o->job.id_bytes
                                       : narrow            ? 4
                                                           : 8};
    return EXIT_OK;
}

/* What the command line asks for. */
typedef struct {
    chung_lu_options options;
    chung_lu_stream stream;
    chung_lu_degrees degrees;
    double seconds; /* that the weights took */
    int status;     /* of all this: an exit code */
} request;

static void understand(request *q, int argc, char **argv)
{
    chung_lu_options *o = &q->options;
    const double start = clock_seconds();

    q->degrees = (chung_lu_degrees){NULL, NULL, 0};
    q->status = chung_lu_options_parse(argc, argv, o);
    if (q->status != EXIT_OK || o->help || o->version || o->man) {
        return;
    }
    q->status = o->like.name != NULL ? chung_lu_like_weights(o, &q->degrees)
                                     : chung_lu_weights(o, &q->degrees.out, &q->degrees.sum);
    if (q->status == EXIT_OK) {
        q->status = resolve_stream(o, q->degrees.sum, &q->stream);
    }
    q->seconds = clock_seconds() - start;
}

/* Of a dry run, on rank 0: could the file be made?  An exit code. */
static int check_output(const chung_lu_options *o, uint64_t bytes)
{
    const engine_job *job = &o->job;
    int status = strcmp(job->output, "-") == 0
                     ? EDGEFILE_OK
                     : edgefile_could_create(job->output, dist_size() > 1, job->replace, bytes);

    return status == EDGEFILE_OK ? EXIT_OK : client_fail("", engine_fail_file(status), job->output);
}

/* On all ranks. */
static int chung_lu(request *q)
{
    const chung_lu_options *o = &q->options;
    const double start = clock_seconds();
    char command[CHUNG_LU_COMMAND];
    chung_lu_graph graph;
    chung_lu_summary summary = {.options = o,
                                .stream = &q->stream,
                                .graph = &graph,
                                .command = command,
                                .weight_seconds = q->seconds};
    int status = EXIT_OK;

    chung_lu_format_command(command, o, &q->stream);
    chung_lu_graph_open(&graph, &q->stream, &q->degrees, o->job.threads);
    if (o->dry_run && dist_rank() > 0) {
        /* Rank 0 tells. */
    } else if (o->dry_run) {
        const uint64_t bytes = chung_lu_file_bytes(o, &q->stream, command);

        chung_lu_print_plan(&summary, bytes);
        status = check_output(o, bytes);
    } else {
        status = chung_lu_write(&summary);
        summary.seconds = q->seconds + clock_seconds() - start;
        if (status == EXIT_OK && dist_rank() == 0) {
            chung_lu_print(&summary);
        }
    }
    chung_lu_graph_close(&graph);
    return status;
}

/* Did all ranks understand their command line? */
static int agree(void *argument)
{
    return client_agree("", ((request *)argument)->status);
}

static void lost(const char *text)
{
    message_print("", "%s", text);
}

static int run(request *q)
{
    const chung_lu_options *o = &q->options;
    int status = dist_run(agree, q, o->job.timeout, lost);

    if (status < 0) {
        if (dist_rank() == 0) { /* all ranks know */
            message_print("", "%s", dist_strerror(status));
        }
        return EXIT_RUNTIME;
    }
    if (status != EXIT_OK) {
        return status;
    }
    if (!o->help && !o->version && !o->man) {
        return chung_lu(q);
    }
    if (dist_rank() == 0 && o->help) {
        options_help(&chung_lu_command_line, stdout);
    } else if (dist_rank() == 0 && o->version) {
        printf("chung_lu %s\n", rmat_version());
    } else if (dist_rank() == 0) {
        chung_lu_man();
    }
    return EXIT_OK;
}

int main(int argc, char **argv)
{
    request q;
    int status;

    program_begin(chung_lu_command_line.program, "", EXIT_RUNTIME);
    message_program(chung_lu_command_line.program);
    status = engine_start();
    if (status != ENGINE_OK) {
        return program_end(client_fail("", status, NULL));
    }
    message_keep();
    understand(&q, argc - 1, argv + 1);
    status = run(&q);
    free(q.degrees.out);
    free(q.degrees.in);
    engine_stop();
    if (finish_stdout("") != EXIT_OK && status == EXIT_OK) {
        status = EXIT_RUNTIME;
    }
    return program_end(status);
}
