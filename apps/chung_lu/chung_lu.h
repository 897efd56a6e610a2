/* chung_lu.h - what the files of the program chung_lu share; chung_lu.c tells the story. */
#ifndef APPS_CHUNG_LU_CHUNG_LU_H
#define APPS_CHUNG_LU_CHUNG_LU_H

#include "alias/alias.h"
#include "apps/chung_lu/edges.h"
#include "apps/common/options.h"
#include "apps/engine/pipeline/pipeline.h"
#include "io/edgefile.h"

extern const command_line chung_lu_command_line;

void chung_lu_man(void); /* the manual page, on stdout */

typedef struct {
    const char *degrees;                     /* a file of them, or NULL: a power law of */
    double exponent, min_degree, max_degree; /* max_degree 0: chosen by the law */
    uint64_t vertices;                       /* 0: as many as the file has degrees */
    uint64_t edges;                          /* of edges_given */
    bool edges_given;
    double average_degree; /* 0: not given */
    uint64_t seed;
    int id_bytes; /* 0: 4 where it suffices */
    alias_backend backend;
    int device; /* -1: 0, or none of those asked for */
    int threads;
    edgefile_path path;
    const char *output;
    uint64_t repeat;
    bool force, no_file, dry_run, json, quiet, help, version, man;
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

/* Who makes the edges: a table on a CPU or a GPU. */
typedef struct {
    alias_table *table;
    bool gpu;
    int device;
} chung_lu_maker;

/* An exit code. */
int chung_lu_open(chung_lu_maker *maker, const chung_lu_options *o, const chung_lu_stream *stream,
                  const double *weights);

/* What there is to tell at the end. */
typedef struct {
    const chung_lu_options *options;
    const chung_lu_stream *stream;
    const chung_lu_maker *maker;
    const char *command; /* that makes the same graph again */
    edgefile_path path;
    uint64_t file_bytes, fingerprint;
    double weight_seconds, table_seconds; /* making both */
    double stream_seconds, seconds;       /* edges into the file; the whole run */
} chung_lu_summary;

enum { CHUNG_LU_COMMAND = 512 };

/* The command that makes the graph; nothing in it leaves the bytes alone. */
void chung_lu_format_command(char text[CHUNG_LU_COMMAND], const chung_lu_options *o,
                             const chung_lu_stream *stream);

/* The file's layout; attributes are borrowed from the arguments and from *attrs. */
typedef struct {
    edgefile_attr list[24];
    size_t n;
    uint64_t scale, batch, vertices, seed;
    char generator[64];
} chung_lu_attrs;
void chung_lu_spec(edgefile_spec *spec, chung_lu_attrs *attrs, const chung_lu_options *o,
                   const chung_lu_stream *stream, const char *command);

/* The edges into a file.  An exit code. */
int chung_lu_write(chung_lu_summary *summary);

/* What a machine makes in its memory. */
typedef struct {
    double best, median, worst; /* seconds */
} chung_lu_times;
typedef struct {
    chung_lu_times both, sources, destinations; /* the latter two of a GPU only */
    uint64_t fingerprint;
    uint64_t stored; /* edges that the memory holds at a time */
} chung_lu_measured;
int chung_lu_measure(chung_lu_summary *summary);               /* and prints it; an exit code */
chung_lu_times chung_lu_times_of(double *seconds, uint64_t n); /* sorts them */

void chung_lu_print(const chung_lu_summary *s);
void chung_lu_print_measured(const chung_lu_summary *s, const chung_lu_measured *m);
void chung_lu_print_plan(const chung_lu_summary *s, uint64_t file_bytes);

#endif
