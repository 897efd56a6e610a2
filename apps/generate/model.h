/* What the options of `rmat generate` store, by their table in table.c, and the steps from there to
 * a job: model.c, levels.c and output.c. */
#ifndef APPS_GENERATE_MODEL_H
#define APPS_GENERATE_MODEL_H

#include "apps/common/option_rows.h"
#include "apps/generate/options.h"

/* What the options store, before they are put together. */
typedef struct {
    option_pair scale, vertices;
    uint64_t edge_factor, edges, first, count, seed, seed2, threads, memory, device_memory, base;
    double a, b, c, d, noise;
    option_list devices;
    int stream, preset, undirected, id_type, format, backend, isa;
    const char *level_matrices, *weights, *output;
    bool permute, dedup, simple, no_self_loops, symmetrize, unique, sorted, force, dry_run, quiet,
        json, help;
} generate_values;

/* By name, for the rules between options. */
/* clang-format off */
enum {
    GENERATE_STREAM, GENERATE_SCALE, GENERATE_VERTICES, GENERATE_EDGE_FACTOR, GENERATE_EDGES, GENERATE_FIRST, GENERATE_COUNT, GENERATE_PRESET, GENERATE_A, GENERATE_B, GENERATE_C,
    GENERATE_D, GENERATE_LEVEL_MATRICES, GENERATE_NOISE, GENERATE_SEED, GENERATE_SEED2, GENERATE_PERMUTE, GENERATE_NO_SELF_LOOPS, GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE, GENERATE_UNIQUE, GENERATE_DEDUP, GENERATE_SIMPLE, GENERATE_WEIGHTS,
    GENERATE_FORMAT, GENERATE_BASE, GENERATE_SORTED, GENERATE_ID_TYPE, GENERATE_OUTPUT, GENERATE_FORCE, GENERATE_DRY_RUN, GENERATE_JSON, GENERATE_QUIET, GENERATE_THREADS, GENERATE_BACKEND,
    GENERATE_DEVICES, GENERATE_HELP, GENERATE_ISA, GENERATE_MEMORY, GENERATE_DEVICE_MEMORY, GENERATE_N_OPTIONS
};
/* clang-format on */

extern const option generate_table[GENERATE_N_OPTIONS];

/* Unless it says otherwise, a function returns EXIT_OK, or EXIT_USAGE after one line on stderr. */

/* Everything of *out that decides which edges come out. */
int generate_resolve_model(const generate_values *raw, const bool *given, generate_options *out);

/* The option because of which a model keeps too few of its draws. */
const char *generate_redraw_option(const bool *given, const rmat_config *model);

/* So many matrices from a text file. */
int generate_read_levels(const char *path, int count, rmat_matrix *levels);

/* What file comes of it: format, order and name; model and number of edges are known. */
int generate_resolve_output(const generate_values *raw, const bool *given, generate_options *out);

/* The first of these options that is given, or the -1 that ends them. */
int generate_any(const bool *given, const int *options);

/* "--one: given together with --other, allowed: one of them" */
int generate_error_pair(int one, int other);

#endif
