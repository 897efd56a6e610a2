/* --unique: can the model have so many different edges, and before one grows old? */
#include "apps/common/message.h"
#include "apps/generate/describe.h"
#include "apps/generate/model.h"
#include "rmat/rmat_sample.h"
#include <inttypes.h>
#include <stdio.h>

#define FEW_CELLS ((uint64_t)1 << 16) /* of a sample that takes milliseconds */

/* "--edges: '50'", or "--edge-factor: '16' of 2^4 source vertices": what is too much. */
static const char *wanted(char text[96], const bool *given, const generate_options *o)
{
    char rows[NUMBER_TEXT];

    if (given[EDGES]) {
        snprintf(text, 96, "--edges: '%" PRIu64 "'", o->base_edges);
    } else {
        snprintf(text, 96, "--edge-factor: '%" PRIu64 "' of %s source vertices",
                 o->base_edges / o->model.rows, format_vertices(rows, o->model.rows));
    }
    return text;
}

static const char *kind(const generate_options *o, uint64_t count)
{
    return o->model.symmetrize ? (count == 1 ? "pair of vertices" : "pairs of vertices")
           : count == 1        ? "edge"
                               : "edges";
}

static int error_possible(const bool *given, const generate_options *o, uint64_t possible)
{
    char text[96], range[96];
    uint64_t most = possible / o->model.rows;

    if (given[EDGES]) {
        snprintf(range, sizeof range, "0 to %" PRIu64, possible);
    } else if (most > 0) {
        snprintf(range, sizeof range, "1 to %" PRIu64 ", or --edges up to %" PRIu64, most,
                 possible);
    } else {
        snprintf(range, sizeof range, "--edges up to %" PRIu64, possible);
    }
    return usage_error("generate",
                       "%s is out of range with --unique, as the model has %" PRIu64
                       " different %s, allowed: %s",
                       wanted(text, given, o), possible, kind(o, possible), range);
}

static void error_draws(const bool *given, const generate_options *o, const rmat_sample *s)
{
    char text[96];
    double draws = (double)o->base_edges;

    /* Half an edge missing is as good as none. */
    while (draws < 1e30 && rmat_sample_distinct(s, 2 * draws, NULL) < (double)o->base_edges - 0.5) {
        draws *= 2;
    }
    usage_error("generate",
                "%s is out of range with --unique, as so many different %s would take more "
                "than %.1e draws, allowed: fewer",
                wanted(text, given, o), kind(o, o->base_edges), draws);
}

/* RMAT_ERR_DRAWS after its line on stderr. */
static int check_draws(const bool *given, const generate_options *o, const rmat_config *m,
                       uint64_t size)
{
    rmat_sample *sample;
    rmat_window window;
    int status = rmat_sample_create(&sample, m, size);

    if (status != RMAT_OK) {
        return status;
    }
    status = rmat_window_first(sample, o->base_edges, &window);
    if (status == RMAT_ERR_DRAWS && size == 0) {
        error_draws(given, o, sample);
    }
    rmat_sample_destroy(sample);
    return status;
}

int generate_check_unique(const bool *given, const generate_options *o)
{
    rmat_config m = o->model;
    uint64_t possible;
    int status;

    m.isa = RMAT_ISA_AUTO; /* whether there is the one asked for shows later */
    m.backend = RMAT_BACKEND_CPU;
    m.threads = o->threads;
    status = rmat_possible_edges(&m, &possible);
    if (status == RMAT_OK && o->base_edges > possible) {
        return error_possible(given, o, possible);
    }
    if (status == RMAT_OK && o->base_edges > 0) {
        status = check_draws(given, o, &m, FEW_CELLS);
        if (status == RMAT_ERR_DRAWS) { /* is that so? */
            status = check_draws(given, o, &m, 0);
        }
    }
    return status == RMAT_OK ? EXIT_OK
           : status == RMAT_ERR_DRAWS
               ? EXIT_USAGE
               : usage_error("generate", "--unique: %s", rmat_strerror(status));
}
