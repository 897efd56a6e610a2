/* The table of `rmat generate`'s options, and what they store; for apps/generate/options.c
 * and apps/generate/model.c. */
#ifndef APPS_GENERATE_TABLE_H
#define APPS_GENERATE_TABLE_H

#include "apps/common/option_rows.h"

enum { MAX_THREADS = OPTION_MAX_THREADS, MAX_DEVICE = OPTION_MAX_DEVICE, MAX_TIMEOUT = 86400 };

/* What the options store, before they are put together. */
typedef struct {
    uint64_t scale, rows_scale, cols_scale, vertices, rows, cols, edge_factor, edges, first, count,
        seed, seed2, threads, timeout, memory, device_memory, row_group;
    double a, b, c, d, noise, checkpoint;
    option_list devices;
    int stream, preset, size_class, undirected, id_type, encoding, format, layout, backend,
        fallback, path, isa;
    const char *level_matrices, *weights, *columns, *output, *shard, *degrees_of;
    bool compress, permute, no_permute, dedup, simple, no_self_loops, symmetrize, unique, sorted,
        is_virtual, force, resume, dry_run, statistics, quiet, json, help;
} generate_values;

/* By name, for the rules between options. */
/* clang-format off */
enum {
    GENERATE_STREAM, GENERATE_SCALE, GENERATE_ROWS_SCALE, GENERATE_COLS_SCALE, GENERATE_VERTICES, GENERATE_ROWS, GENERATE_COLS, GENERATE_EDGE_FACTOR, GENERATE_EDGES, GENERATE_FIRST, GENERATE_COUNT, GENERATE_PRESET, GENERATE_CLASS, GENERATE_A, GENERATE_B, GENERATE_C,
    GENERATE_D, GENERATE_LEVEL_MATRICES, GENERATE_NOISE, GENERATE_SEED, GENERATE_SEED2, GENERATE_PERMUTE, GENERATE_NO_PERMUTE, GENERATE_NO_SELF_LOOPS, GENERATE_UNDIRECTED, GENERATE_SYMMETRIZE, GENERATE_UNIQUE, GENERATE_DEDUP, GENERATE_SIMPLE, GENERATE_WEIGHTS,
    GENERATE_FORMAT, GENERATE_COLUMNS, GENERATE_COMPRESS, GENERATE_ENCODING, GENERATE_ROW_GROUP, GENERATE_SORTED, GENERATE_ID_TYPE, GENERATE_FILE_NAME, GENERATE_FORCE, GENERATE_RESUME, GENERATE_VIRTUAL, GENERATE_LAYOUT, GENERATE_SHARD, GENERATE_DRY_RUN, GENERATE_STATISTICS, GENERATE_DEGREES_OF, GENERATE_JSON, GENERATE_QUIET, GENERATE_THREADS, GENERATE_BACKEND,
    GENERATE_DEVICES, GENERATE_FALLBACK, GENERATE_TIMEOUT, GENERATE_HELP, GENERATE_PATH, GENERATE_ISA, GENERATE_MEMORY, GENERATE_DEVICE_MEMORY, GENERATE_CHECKPOINT, GENERATE_N_OPTIONS
};
/* clang-format on */

extern const option generate_table[GENERATE_N_OPTIONS];

#endif
