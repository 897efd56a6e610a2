/* chung_lu.h - what the files of the program chung_lu share; chung_lu.c tells the story. */
#ifndef APPS_CHUNG_LU_CHUNG_LU_H
#define APPS_CHUNG_LU_CHUNG_LU_H

#include "apps/chung_lu/graph.h"
#include "apps/client/edge_options.h"
#include "apps/common/options.h"
#include "apps/engine/engine.h"

extern const command_line chung_lu_command_line;

#define CHUNG_LU_MAX_VERTICES ((uint64_t)1 << 40)

/* Of an alias table, for each vertex. */
static inline uint64_t chung_lu_row_bytes(uint64_t vertices)
{
    return vertices <= (uint64_t)1 << 31 ? 8 : 16;
}

/* A graph whose degrees are wanted. */
typedef struct {
    const char *name;     /* its file, or NULL: there is none */
    const char *datasets; /* of HDF5, or NULL */
    int format;           /* a graphfile_format; -1: recognised */
    uint64_t multiply;    /* how often each of its vertices comes */

    /* Set by chung_lu_like_weights(). */
    uint64_t fingerprint;
    bool directed; /* out- and in-degrees differ */
} chung_lu_like;

typedef struct {
    chung_lu_like like;                      /* or: */
    const char *degrees;                     /* a file of them, or NULL: a power law of */
    double exponent, min_degree, max_degree; /* max_degree 0: chosen by the law */
    uint64_t vertices;                       /* 0: as many as the file has degrees */
    uint64_t edges;                          /* of edges_given */
    bool edges_given;
    double average_degree; /* 0: not given */
    engine_job job;    /* seed, backend, file and resources; the rest is set when edges are made */
    edge_values graph; /* what becomes of the edges */
    bool unique;
    char default_output[32];
    bool dry_run, json, quiet, help, version, man;
} chung_lu_options;

/* Returns EXIT_OK, or EXIT_USAGE after a line on stderr. */
int chung_lu_options_parse(int argc, char **argv, chung_lu_options *out);

/*
 * The weights of all vertices, for free(), and their sum; o->vertices becomes their number, and
 * o->max_degree of a power law what was chosen.  With o->dry_run *weights is NULL for a power law,
 * and the sum is 0 where it does not decide the number of edges.
 * They depend on no number of threads.  Returns an exit code.
 */
int chung_lu_weights(chung_lu_options *o, double **weights, double *sum);

/*
 * The same of a graph, o->like: the weights are its degrees, their sum is the number of its edges,
 * times the copies.  With o->dry_run there are no weights.
 */
int chung_lu_like_weights(chung_lu_options *o, chung_lu_degrees *degrees);

/*
 * Makes the edges of these weights into a file and says so at the end; or, with o->dry_run, says
 * what would be made.  On all ranks.  seconds: that the weights took.  Returns an exit code.
 */
int chung_lu_make(const chung_lu_options *o, const chung_lu_stream *stream,
                  const chung_lu_degrees *degrees, double seconds);

#endif
