/* The table of `rmat generate`'s options, and what they store; for generate_options.c. */
#ifndef APPS_GENERATE_TABLE_H
#define APPS_GENERATE_TABLE_H

#include "apps/options.h"

enum { MAX_THREADS = 4096, MAX_DEVICE = 1023, MAX_TIMEOUT = 86400 };

/* What the options store, before they are put together. */
typedef struct {
    uint64_t scale, rows_scale, cols_scale, edge_factor, edges, seed, threads, device, timeout,
        chunk, memory;
    double a, b, c, d;
    option_list devices;
    int preset, id_bits, layout, backend, fallback, path, isa;
    const char *output;
    bool force, dry_run, quiet, json, help;
} generate_values;

/* By name, for the rules between options. */
/* clang-format off */
enum {
    SCALE, ROWS, COLS, EDGE_FACTOR, EDGES, PRESET, A, B, C, D, SEED, ID_BITS, FILE_NAME, FORCE,
    LAYOUT, DRY_RUN, JSON, QUIET, THREADS, BACKEND, DEVICE, DEVICES, FALLBACK, TIMEOUT, HELP, PATH, ISA,
    CHUNK, MEMORY, N_OPTIONS
};
/* clang-format on */

extern const option generate_table[N_OPTIONS];

#endif
