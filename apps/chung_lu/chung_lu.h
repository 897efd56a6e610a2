/* chung_lu.h - what the files of the program chung_lu share; chung_lu.c tells the story. */
#ifndef APPS_CHUNG_LU_CHUNG_LU_H
#define APPS_CHUNG_LU_CHUNG_LU_H

#include "apps/chung_lu/graph.h"
#include "apps/client/edge_options.h"
#include "apps/common/one_process.h"
#include "apps/engine/engine.h"

extern const command_line chung_lu_command_line;

#define CHUNG_LU_MAX_VERTICES ((uint64_t)1 << 40)

/* Bytes that an alias table takes for each vertex. */
static inline uint64_t chung_lu_row_bytes(uint64_t vertices)
{
    return vertices <= (uint64_t)1 << 31 ? 8 : 16;
}

/* The graph of --like, whose degrees are taken as expected degrees. */
typedef struct {
    const char *name; /* of its file; NULL: --like is not given */
    reading_values reading;
    uint64_t multiply; /* number of copies of each of its vertices */

    /* Set by chung_lu_like_weights(). */
    uint64_t fingerprint;
    bool directed; /* out- and in-degrees differ */
} chung_lu_like;

/* The degrees are those of `like` if that has a name, else those in the file `degrees` unless it is
 * NULL, else those of a power law. */
typedef struct {
    chung_lu_like like;
    const char *degrees;
    double exponent, min_degree, max_degree; /* of the power law; max_degree 0: the default */
    uint64_t vertices;                       /* 0: as many as the file has degrees */
    uint64_t edges;                          /* if edges_given */
    bool edges_given;
    double average_degree; /* 0: not given */
    engine_job job;        /* seed, backend, file and resources; chung_lu_make() sets the rest */
    edge_values graph;     /* what is done with the edges */
    bool unique;
    char default_output[32];
    bool dry_run, json, quiet, help, version, man;
} chung_lu_options;

/* Returns EXIT_OK, or EXIT_USAGE after a line on stderr. */
int chung_lu_options_parse(int argc, char **argv, chung_lu_options *out);

/*
 * Sets *weights to the weights of all vertices, for free(), and *sum to their sum; sets o->vertices
 * to their number and, for a power law, o->max_degree to its default if it is 0.  With o->dry_run
 * *weights is NULL for a power law, and the sum is 0 if the number of edges does not depend on it.
 * The weights do not depend on the number of threads.  Returns an exit code.
 */
int chung_lu_weights(chung_lu_options *o, double **weights, double *sum);

/*
 * The same for --like: the weights are the degrees of that graph, and their sum is the number of
 * its edges times the number of copies.  With o->dry_run no weights are made.
 */
int chung_lu_like_weights(chung_lu_options *o, chung_lu_degrees *degrees);

/*
 * Writes the graph of these weights to a file and prints the summary; with o->dry_run, prints what
 * would be made.  Called on all ranks.  seconds: the time that making the weights took.  Returns an
 * exit code.
 */
int chung_lu_make(const chung_lu_options *o, const chung_lu_stream *stream,
                  const chung_lu_degrees *degrees, double seconds);

#endif
