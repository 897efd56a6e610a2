/* From an edge source to a file of another program's. */
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/convert/convert.h"
#include "apps/engine/source/edge_walk.h"
#include "io/graphfile.h"
#include <stdio.h>
#include <string.h>

static int visit(void *state, int thread, const edge_piece_memory *m, char *text, size_t size)
{
    const graphfile_piece piece = {m->number,    m->edges.first, m->edges.count,
                                   m->edges.src, m->edges.dst,   m->edges.weight};
    int status = graphfile_write(state, &piece);

    (void)thread;
    if (status == EDGEFILE_OK) {
        return 0;
    }
    /* PEER: who reads from the pipe has left, or another thread has said what failed. */
    snprintf(text, size, "%s", status == EDGEFILE_ERR_PEER ? "" : edgefile_detail());
    return -1;
}

static void stop(void *state)
{
    graphfile_cancel(state);
}

/* The options of `rmat generate` that make a graph which the format can hold. */
static void options_for(graphfile_format to, char *text, size_t size)
{
    const unsigned traits = graphfile_table[to]->traits;
    const char *pairs = traits & GRAPHFILE_NEEDS_PAIRS ? " --symmetrize --no-self-loops" : "";
    const char *order = traits & GRAPHFILE_NEEDS_UNIQUE   ? " --unique"
                        : traits & GRAPHFILE_NEEDS_SORTED ? " --sorted"
                                                          : "";
    const bool any = *pairs != '\0' || *order != '\0';
    const bool needs = (traits & GRAPHFILE_NEEDS_WEIGHTS) != 0;
    const char *weights = traits & GRAPHFILE_INT_WEIGHTS && (needs || !any) ? " --weights int:1:100"
                          : needs                                           ? " --weights uniform"
                                                                            : "";

    text[0] = '\0';
    if (any || *weights != '\0') {
        snprintf(text, size, "; 'rmat generate%s%s%s' makes %s", pairs, order, weights,
                 any ? "one" : "them");
    }
}

static int refuse(const convert_options *options, graphfile_format to)
{
    char made_by[128];

    options_for(to, made_by, sizeof made_by);
    return usage_error(options->command, "--%s: %s%s",
                       strcmp(options->command, "convert") == 0 ? "to" : "format",
                       edgefile_detail(), made_by);
}

static int failed(const convert_options *options, int status)
{
    if (status == EDGEFILE_ERR_PEER) {
        return EXIT_RUNTIME;
    }
    return runtime_error(options->command, "%s%s", edgefile_detail(),
                         status == EDGEFILE_ERR_EXISTS ? ", --force replaces it" : "");
}

static const char *lost(const graphfile_graph *g, graphfile_format to)
{
    const unsigned traits = graphfile_table[to]->traits;
    const bool weights = g->weight != EDGEFILE_NO_WEIGHT && !(traits & GRAPHFILE_HAS_WEIGHTS);
    const bool vertices = !(traits & GRAPHFILE_HAS_VERTICES);

    return weights ? (vertices ? "weights, the number of vertices" : "weights")
                   : (vertices ? "the number of vertices" : "");
}

/* Bytes of an edge in the file, about: for the progress, until the file is complete. */
static double guess_bytes(const graphfile_graph *g, graphfile_format to)
{
    const bool weights =
        g->weight != EDGEFILE_NO_WEIGHT && graphfile_table[to]->traits & GRAPHFILE_HAS_WEIGHTS;
    double digits = 1;

    if (graphfile_table[to]->traits & GRAPHFILE_TEXT) {
        for (uint64_t v = g->rows; v >= 10; v /= 10) {
            digits++;
        }
        return 2 * digits + 2 + (!weights ? 0 : g->weight == EDGEFILE_WEIGHT_F32 ? 11 : 4);
    }
    return 2 * g->id_bytes + (weights ? 4 : 0);
}

static int write_all(edge_source *source, graphfile_writer **writer, const char *out,
                     graphfile_format to, const convert_options *options, convert_summary *summary)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    edge_walk_body body = {visit, stop, *writer};
    edge_walk_result result;
    int status = EXIT_OK;
    progress bar;

    progress_start(&bar, g->edges, guess_bytes(g, to), options->quiet);
    if (edge_walk(source, options->threads, &body, &bar, &result) != 0) {
        progress_end(&bar, false);
        return edge_walk_failed(options->command, out, &result);
    }
    if (graphfile_table[to]->traits & GRAPHFILE_NEEDS_POINTERS) {
        status = convert_write_pointers(source, *writer, options, &bar);
    }
    if (status == EXIT_OK) {
        int st = graphfile_commit(writer, &summary->bytes);

        status = st == EDGEFILE_OK ? EXIT_OK : failed(options, st);
    }
    summary->edges = g->edges;
    bar.edge_bytes = g->edges > 0 ? (double)summary->bytes / (double)g->edges : 0;
    progress_end(&bar, status == EXIT_OK);
    return status;
}

int convert_run(edge_source *source, const char *out, graphfile_format to,
                const convert_options *options, convert_summary *summary)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const graphfile_spec spec = {
        .format = to, .graph = *g, .replace = options->force, .comment = options->comment};
    const double start = clock_seconds();
    graphfile_writer *writer;
    int status;

    memset(summary, 0, sizeof *summary);
    summary->lost = lost(g, to);
    if (to == GRAPHFILE_CSR) {
        return usage_error(options->command,
                           "--to: 'csr' is not made from other files, allowed: 'rmat generate "
                           "--format csr' with the same model");
    }
    if (to == GRAPHFILE_H5) {
        status = convert_to_h5(source, out, options, summary);
    } else if (graphfile_check(to, g) != EDGEFILE_OK) {
        status = refuse(options, to);
    } else {
        status = graphfile_create(&writer, out, &spec);
        status = status == EDGEFILE_OK ? write_all(source, &writer, out, to, options, summary)
                                       : failed(options, status);
        graphfile_abort(&writer);
    }
    summary->seconds = clock_seconds() - start;
    return status;
}
