/* The table of `rmat generate`'s options, and what they store; for apps/generate/options.c
 * and apps/generate/model.c. */
#ifndef APPS_GENERATE_TABLE_H
#define APPS_GENERATE_TABLE_H

#include "apps/common/option_rows.h"

enum { MAX_THREADS = OPTION_MAX_THREADS, MAX_DEVICE = OPTION_MAX_DEVICE, MAX_TIMEOUT = 86400 };

/* What the options store, before they are put together. */
typedef struct {
    uint64_t scale, rows_scale, cols_scale, vertices, rows, cols, edge_factor, edges, seed, threads,
        device, timeout, chunk, memory, device_memory;
    double a, b, c, d, noise;
    option_list devices;
    int preset, size_class, undirected, id_bits, format, layout, backend, fallback, path, isa;
    const char *level_matrices, *weights, *output;
    bool permute, no_permute, dedup, simple, no_self_loops, symmetrize, unique, sorted, force,
        dry_run, quiet, json, help;
} generate_values;

/* By name, for the rules between options. */
/* clang-format off */
enum {
    SCALE, ROWS_SCALE, COLS_SCALE, VERTICES, ROWS, COLS, EDGE_FACTOR, EDGES, PRESET, CLASS, A, B, C,
    D, LEVEL_MATRICES, NOISE, SEED, PERMUTE, NO_PERMUTE, NO_SELF_LOOPS, UNDIRECTED, SYMMETRIZE, UNIQUE, DEDUP, SIMPLE, WEIGHTS,
    FORMAT, SORTED, ID_BITS, FILE_NAME, FORCE, LAYOUT, DRY_RUN, JSON, QUIET, THREADS, BACKEND, DEVICE,
    DEVICES, FALLBACK, TIMEOUT, HELP, PATH, ISA, CHUNK, MEMORY, DEVICE_MEMORY, N_OPTIONS
};
/* clang-format on */

extern const option generate_table[N_OPTIONS];

#endif
