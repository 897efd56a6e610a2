/*
 * What the parts of `rmat generate` share: what its options store, by the table in table.c, and the
 * steps from there to a plan, model.c and output.c.
 *
 * Unless it says otherwise, a function returns EXIT_OK, or EXIT_USAGE after one line on stderr.
 */
#ifndef APPS_GENERATE_GENERATE_H
#define APPS_GENERATE_GENERATE_H

#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/engine/attributes/model_attrs.h"
#include "apps/engine/job.h"
#include "rmat/rmat_gapbs.h"

/* The places of the options in the table, for the rules between them. */
/* clang-format off */
enum {
    GENERATE_STREAM, GENERATE_SCALE, GENERATE_VERTICES, GENERATE_EDGE_FACTOR, GENERATE_EDGES, GENERATE_FIRST, GENERATE_COUNT, GENERATE_PRESET, GENERATE_A, GENERATE_B, GENERATE_C,
    GENERATE_D, GENERATE_LEVEL_MATRICES, GENERATE_NOISE, GENERATE_SEED, GENERATE_SEED2, GENERATE_PERMUTE, GENERATE_NO_SELF_LOOPS, GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE, GENERATE_UNIQUE, GENERATE_DEDUP, GENERATE_SIMPLE, GENERATE_WEIGHTS,
    GENERATE_FORMAT, GENERATE_BASE, GENERATE_SORTED, GENERATE_ID_TYPE, GENERATE_OUTPUT, GENERATE_FORCE, GENERATE_DRY_RUN, GENERATE_JSON, GENERATE_QUIET, GENERATE_THREADS, GENERATE_BACKEND,
    GENERATE_DEVICES, GENERATE_HELP, GENERATE_ISA, GENERATE_MEMORY, GENERATE_DEVICE_MEMORY, GENERATE_N_OPTIONS
};
/* clang-format on */

/* Not to be copied: it points into itself. */
typedef struct {
    engine_job job; /* most options are members of it or of its model; these are not: */
    option_pair scale, vertices;
    uint64_t edge_factor, count, threads, base;
    option_list devices;
    int preset, undirected, id_type;
    const char *level_matrices, *weights;
    bool permute, no_self_loops, symmetrize, simple, dry_run, quiet, json, help;
    bool given[OPTIONS_MAX];

    engine_plan plan;                   /* what follows from the job */
    rmat_matrix levels[RMAT_MAX_SCALE]; /* of job.model.levels, where there are any */
    char default_output[32];
    bool as_gapbs; /* the file that GAPBS's own converter makes (output.c): of this source */
    engine_source source;
    model_attrs attrs; /* of the source */
    rmat_gapbs *gapbs;
} generate_options;

/* One line on stderr; EXIT_USAGE. */
#define refuse(...) usage_error("generate", __VA_ARGS__)

extern const option generate_table[GENERATE_N_OPTIONS];

/* From the words of a command line, after "generate".  dist_start() comes before.  With --help, no
 * plan is made.  Texts are borrowed by *out. */
int generate_parse(int argc, char **argv, generate_options *out);

/* Everything of the job that decides which edges come out; what file comes of it: format, order and
 * name. */
int generate_resolve_model(generate_options *o);
int generate_resolve_output(generate_options *o);

/* The option because of which the model keeps too few of its draws. */
const char *generate_redraw_option(const generate_options *o);

/* The first of these options that is given, or the -1 that ends them. */
int generate_any(const generate_options *o, const int *options);

/* "--one: given together with --other, allowed: one of them" */
int generate_error_pair(int one, int other);

/* So many matrices from a text file. */
int generate_read_levels(const char *path, int count, rmat_matrix *levels);

/* For as_gapbs: the source of the edges in place of the model, by gapbs, which is to be destroyed
 * in either case.  The plan is made, and the watch set.  Returns an engine_status. */
int generate_gapbs_open(generate_options *options);

/* report.c: as lines or as one JSON object.  The summary goes to stdout, or stderr where the graph
 * goes there; what --dry-run finds, to stdout. */
void generate_print_summary(const generate_options *options, const engine_result *result);
void generate_print_estimate(const generate_options *options, const engine_estimate *e);

/* "2^20", or "1000000". */
const char *format_vertices(char text[NUMBER_TEXT], uint64_t vertices);

#endif
