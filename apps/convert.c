/* rmat convert: a graph in another format. */
#include "apps/commands.h"
#include "apps/cpu.h"
#include "apps/edge_walk.h"
#include "apps/interrupt.h"
#include "apps/message.h"
#include "apps/one_process.h"
#include "io/graphfile.h"
#include "mpi/dist.h"
#include <stdio.h>
#include <string.h>

enum { MAX_THREADS = 4096 };

typedef struct {
    uint64_t threads;
    bool force, quiet, help;
} convert_values;

/* By name, for the rules between options. */
enum { THREADS, FORCE, QUIET, HELP, N_OPTIONS };

/* clang-format off */
static const option table[N_OPTIONS] = {
    [THREADS] = {.name = "threads", .kind = OPTION_COUNT, .argument = "N",
        .offset = offsetof(convert_values, threads), .min = 0, .max = MAX_THREADS, .fallback = "0",
        .group = "Options",
        .help = "threads that read and write; 0: one per processor that it may use"},
    [FORCE] = {.name = "force", .kind = OPTION_FLAG, .offset = offsetof(convert_values, force),
        .group = "Options",
        .help = "replace OUT if it exists, once the new one is complete"},
    [QUIET] = {.name = "quiet", .letter = 'q', .kind = OPTION_FLAG,
        .offset = offsetof(convert_values, quiet), .group = "Options",
        .help = "no progress, and no summary"},
    [HELP] = {.name = "help", .letter = 'h', .kind = OPTION_FLAG,
        .offset = offsetof(convert_values, help), .group = "Options",
        .help = "this text"},
};
/* clang-format on */

const command_line convert_command_line = {
    .command = "convert",
    .synopsis = "convert IN OUT [OPTION]...",
    .summary = "Write a graph in the format of another program, or read one.",
    .operand = "IN",
    .options = table,
    .n_options = N_OPTIONS,
};

typedef struct {
    graphfile_writer *writer;
} conversion;

static int visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    conversion *c = state;
    const graphfile_piece piece = {m->number,    m->edges.first, m->edges.count,
                                   m->edges.src, m->edges.dst,   m->edges.weight};

    (void)thread;
    if (graphfile_write(c->writer, &piece) != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
        return -1;
    }
    return 0;
}

static void stop(void *state)
{
    graphfile_cancel(((conversion *)state)->writer);
}

static int convert(const char *in, const char *out, const convert_values *o)
{
    const edge_source_options options = {
        .command = "convert", .format = -1, .threads = cpu_usable(), .quiet = o->quiet};
    graphfile_spec spec = {.format = GRAPHFILE_EL, .replace = o->force};
    edge_source *source;
    conversion c = {0};
    edge_walk_body body = {visit, stop, &c};
    edge_walk_result result;
    int status = edge_source_open(&source, in, &options);

    if (status != EXIT_OK) {
        return status;
    }
    spec.graph = edge_source_facts_of(source)->graph;
    if (graphfile_create(&c.writer, out, &spec) != EDGEFILE_OK) {
        status = runtime_error("convert", "%s", edgefile_detail());
    } else if (edge_walk(source, options.threads, &body, NULL, &result) != 0) {
        status = edge_walk_failed("convert", out, &result);
    } else if (graphfile_commit(&c.writer, NULL) != EDGEFILE_OK) {
        status = runtime_error("convert", "%s", edgefile_detail());
    }
    graphfile_abort(&c.writer);
    edge_source_close(source);
    return status;
}

int convert_main(int argc, char **argv)
{
    convert_values values = {0};
    bool given[OPTIONS_MAX];
    const char *in = NULL;
    const char *out = argc > 0 ? argv[argc - 1] : NULL; /* the table knows one operand so far */
    int status = one_process("convert", "converts");

    if (status == EXIT_OK) {
        status = options_parse(&convert_command_line, argc - 1, argv, &values, given, &in);
    }
    if (status == EXIT_OK && values.help) {
        options_help(&convert_command_line, stdout);
    } else if (status == EXIT_OK) {
        interrupt_install();
        status = convert(in, out, &values);
    }
    dist_stop();
    return status;
}
