/*
 * chung_lu: a second generator, on the same alias tables and into the same files as rmat.
 *
 * 1. Weights, one for each vertex: expected degrees, from a file or of a power law
 *    (apps/chung_lu/weights.c), or those of another graph (apps/chung_lu/like.c).
 *
 * 2. Edges, of two independent draws each from an alias table over the vertices, or from two. Which
 *    sampler for which end, and why, is told in apps/chung_lu/graph.h; the CPU makes them in
 *    apps/chung_lu/graph.c, a GPU in apps/chung_lu/gpu.c.
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
#include "apps/common/clock.h"
#include "apps/common/man.h"
#include "apps/common/message.h"
#include "apps/engine/job.h"
#include "mpi/dist.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets the number of edges and the width of ids, which depend on the weights. */
static int resolve_stream(chung_lu_options *o, double sum, chung_lu_stream *s)
{
    const bool narrow = o->vertices <= (uint64_t)1 << 32;
    /* With --symmetrize each drawn edge becomes two: as many pairs are drawn as FILE has. */
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
    /* For distinct edges, the number of draws is not known beforehand. */
    *s = (chung_lu_stream){.vertices = o->vertices,
                           .edges = o->unique ? RMAT_MAX_EDGES : o->edges,
                           .seed = o->job.model.seed,
                           .batch = o->unique ? 0 : chung_lu_batch(o->vertices),
                           .id_bytes = o->job.id_bytes > 0 ? o->job.id_bytes
                                       : narrow            ? 4
                                                           : 8};
    return EXIT_OK;
}

/* The command line, and what follows from it before the ranks agree. */
typedef struct {
    chung_lu_options options;
    chung_lu_stream stream;
    chung_lu_degrees degrees;
    double seconds; /* spent on the weights */
    int status;     /* exit code of parsing and of making the weights */
} request;

static void parse_request(request *q, int argc, char **argv)
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

static void print_manual(void)
{
    man_begin(stdout, "chung_lu", "generate Chung-Lu graphs, whose degrees are given");
    man_section(stdout, "SYNOPSIS", "");
    man_synopsis(stdout, &chung_lu_command_line, true);
    man_section(stdout, "DESCRIPTION", "");
    man_options(stdout, &chung_lu_command_line);
    man_section(stdout, "EXAMPLES", "Each makes graph.h5 in the current folder.");
    man_example(stdout, "Degrees from a file, the first line that of vertex 0:",
                "chung_lu --degrees degrees.txt");
    man_example(stdout, "A power law on a million vertices, 16 edges to a vertex on average:",
                "chung_lu --power-law 2.2 --vertices 1M --average-degree 32");
    man_example(stdout, "Ten times as many vertices and edges as a graph has, of the same degrees:",
                "chung_lu --like list.tsv --multiply 10");
    man_section(stdout, "SEE ALSO", "rmat(1), h5dump(1)");
}

/* Returns the exit code of the lowest rank that refuses its command line. */
static int agree_on_request(void *argument)
{
    return client_agree("", ((request *)argument)->status);
}

static void report_loss(const char *text)
{
    message_print("", "%s", text);
}

static int run_request(request *q)
{
    const chung_lu_options *o = &q->options;
    int status = dist_run(agree_on_request, q, o->job.timeout, report_loss);

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
        return chung_lu_make(o, &q->stream, &q->degrees, q->seconds);
    }
    if (dist_rank() == 0 && o->help) {
        options_help(&chung_lu_command_line, stdout);
    } else if (dist_rank() == 0 && o->version) {
        printf("chung_lu %s\n", rmat_version());
    } else if (dist_rank() == 0) {
        print_manual();
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
    parse_request(&q, argc - 1, argv + 1);
    status = run_request(&q);
    free(q.degrees.out);
    free(q.degrees.in);
    engine_stop();
    if (finish_stdout("") != EXIT_OK && status == EXIT_OK) {
        status = EXIT_RUNTIME;
    }
    return program_end(status);
}
