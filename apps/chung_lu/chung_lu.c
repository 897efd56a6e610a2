/*
 * chung_lu: a second generator, on the same alias tables and into the same files as rmat.
 *
 * 1. Weights, one for each vertex: expected degrees, from a file or of a power law
 *    (apps/chung_lu/weights.c).
 *
 * 2. A table, alias_create(): from then on a vertex is drawn in proportion to its weight in
 *    constant time, however many there are (apps/chung_lu/open.c).
 *
 * 3. Edges, of two independent draws each.  Which sampler for which end, and why, is told in
 *    apps/chung_lu/edges.h; a CPU's are in apps/chung_lu/edges.c, a GPU's in apps/chung_lu/gpu.c.
 *
 * 4. A file: edgefile_create(), edgefile_write() from several threads, edgefile_commit()
 *    (apps/chung_lu/file.c; the threads are those of pipeline.c).
 *
 * Of the libraries it uses alias/alias.h, alias/alias_gpu.h, alias/core/binomial.h, io/edgefile.h
 * and the fingerprint of rmat/rmat.h, all of which are installed: a generator of any other kind of
 * graph would look much the same.
 */
#include "apps/chung_lu/chung_lu.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "rmat/rmat.h"
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* How many edges, and of what width, now that the weights are known. */
static int resolve_stream(const chung_lu_options *o, double sum, chung_lu_stream *s)
{
    double edges = o->average_degree > 0 ? o->average_degree * (double)o->vertices / 2 : sum / 2;

    if (!o->edges_given && !(edges <= (double)RMAT_MAX_EDGES)) {
        return usage_error(
            "", "the degrees add up to too many edges, %g, allowed: 0 to %" PRIu64 ", see --edges",
            edges, RMAT_MAX_EDGES);
    }
    if (o->id_bytes == 4 && o->vertices > (uint64_t)1 << 32) {
        return usage_error("",
                           "--id-bits: '32' is too narrow for %" PRIu64
                           " vertices, allowed: 64, or up to 2^32 vertices",
                           o->vertices);
    }
    *s = (chung_lu_stream){.vertices = o->vertices,
                           .edges = o->edges_given ? o->edges : (uint64_t)(edges + 0.5),
                           .seed = o->seed,
                           .batch = chung_lu_batch(o->vertices),
                           .id_bytes = o->id_bytes > 0                    ? o->id_bytes
                                       : o->vertices <= (uint64_t)1 << 32 ? 4
                                                                          : 8};
    return EXIT_OK;
}

static int dry_run(const chung_lu_summary *summary)
{
    edgefile_spec spec;
    chung_lu_attrs attrs;

    chung_lu_spec(&spec, &attrs, summary->options, summary->stream, summary->command);
    chung_lu_print_plan(summary, edgefile_bytes(&spec));
    return EXIT_OK;
}

/* From here on a signal stops the run, and what there is of the file is removed. */
static int make_edges(chung_lu_summary *summary, chung_lu_maker *maker, double **weights)
{
    const chung_lu_options *o = summary->options;
    double start = clock_seconds();
    int status = chung_lu_open(maker, o, summary->stream, *weights);

    free(*weights); /* the table is all that is needed */
    *weights = NULL;
    if (status != EXIT_OK) {
        return status;
    }
    summary->table_seconds = clock_seconds() - start;
    return o->no_file ? chung_lu_measure(summary) : chung_lu_write(summary);
}

static int chung_lu(chung_lu_options *o)
{
    double start = clock_seconds(), *weights = NULL, sum;
    char command[CHUNG_LU_COMMAND];
    chung_lu_stream stream;
    chung_lu_maker maker = {0};
    chung_lu_summary summary = {
        .options = o, .stream = &stream, .maker = &maker, .command = command};
    int status = chung_lu_weights(o, &weights, &sum);

    if (status == EXIT_OK) {
        status = resolve_stream(o, sum, &stream);
    }
    if (status == EXIT_OK) {
        chung_lu_format_command(command, o, &stream);
        summary.weight_seconds = clock_seconds() - start;
        status = o->dry_run ? dry_run(&summary) : make_edges(&summary, &maker, &weights);
    }
    if (status == EXIT_OK && !o->dry_run && !o->no_file) {
        summary.seconds = clock_seconds() - start;
        chung_lu_print(&summary);
    }
    alias_destroy(maker.table);
    free(weights);
    return status;
}

int main(int argc, char **argv)
{
    chung_lu_options options;
    int status, fd;

    /* A standard stream that is closed must not become the file that we open next. */
    do {
        fd = open("/dev/null", O_RDWR);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    close(fd);
    signal(SIGPIPE, SIG_IGN); /* a reader that left is a write error, see finish_stdout() */
    signal(SIGXFSZ, SIG_IGN); /* so is a file beyond `ulimit -f` */
    message_program(chung_lu_command_line.program);
    status = chung_lu_options_parse(argc - 1, argv + 1, &options);
    if (status == EXIT_OK && options.help) {
        options_help(&chung_lu_command_line, stdout);
    } else if (status == EXIT_OK && options.version) {
        printf("chung_lu %s\n", rmat_version());
    } else if (status == EXIT_OK && options.man) {
        chung_lu_man();
    } else if (status == EXIT_OK) {
        status = chung_lu(&options);
    }
    if (finish_stdout("") != EXIT_OK && status == EXIT_OK) {
        status = EXIT_RUNTIME;
    }
    return status;
}
