/*
 * generate.h - types and functions that the parts of `rmat generate` share: the values of its
 * options, and the steps from them to a plan.
 *
 * Functions return EXIT_OK, or EXIT_USAGE after one line on stderr, unless stated otherwise.
 */
#ifndef APPS_GENERATE_GENERATE_H
#define APPS_GENERATE_GENERATE_H

#include "apps/common/message.h"
#include "apps/common/options.h"
#include "apps/engine/attributes/model_attrs.h"
#include "rmat/rmat_source.h"

#define GENERATE_WEIGHTS_ALLOWED                                                                   \
    "none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to " \
    "1e38, MIN <= MAX)"

/* The values of the options.  Do not copy this struct: it points into itself. */
typedef struct {
    engine_job job; /* half of the options are members of it or its model; the next ones are not */
    option_pair scale, vertices;
    uint64_t edge_factor, count, threads;
    int preset, undirected, id_type;
    const char *level_matrices, *weights;
    bool permute, no_self_loops, symmetrize, simple, dry_run, quiet, json, help;
    bool given[OPTIONS_MAX];

    engine_plan plan;                   /* the plan of the job */
    rmat_matrix levels[RMAT_MAX_SCALE]; /* job.model.levels points here, if there are any */
    char default_output[32];
    bool as_gapbs; /* makes the file of GAPBS's own converter from this source */
    engine_source source;
    model_attrs attrs; /* of the source */
    rmat_gen *gapbs;
} generate_options;

/* Parses the words of a command line after "generate" into *out, which borrows them.  With --help,
 * it makes no plan. */
int generate_parse(int argc, char **argv, generate_options *out);

/* Reads `count` matrices from a text file. */
int generate_read_levels(const char *path, int count, rmat_matrix *levels);

/* For as_gapbs, after the plan is made and the watch is set: makes the source that replaces the
 * model, with options->gapbs.  Destroy gapbs in either case.  Returns an engine_status. */
int generate_gapbs_open(generate_options *options);

/* report.c: print lines or one JSON object.  The summary goes to stdout, or to stderr if the graph
 * goes to stdout.  The results of --dry-run go to stdout. */
void generate_print_summary(const generate_options *options, const engine_result *result);
void generate_print_estimate(const generate_options *options, const engine_estimate *e);

#endif
