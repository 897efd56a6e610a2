/* The table of chung_lu's options, and what they store: for table.c and options.c alone. */
#ifndef APPS_CHUNG_LU_TABLE_H
#define APPS_CHUNG_LU_TABLE_H

#include "apps/client/edge_options.h"
#include "apps/common/option_rows.h"

#define DEGREE_RANGE "above 0, up to 1e15"
#define LEAST_DEGREE 1e-3

/* What the options store, before they are put together. */
typedef struct {
    const char *degrees, *like, *datasets, *power_law, *min_degree, *max_degree, *average_degree,
        *columns, *output;
    uint64_t multiply, vertices, edges, seed, threads, memory, device_memory, row_group;
    int from, id_type, encoding, backend, path, format, layout;
    bool compress, unique, force, dry_run, json, quiet, help, version, man;
    option_list devices;
    edge_values graph;
} chung_lu_values;

/* By name, for the rules between options. */
enum {
    DEGREES,
    POWER_LAW,
    VERTICES,
    MIN_DEGREE,
    MAX_DEGREE,
    LIKE,
    MULTIPLY,
    FROM,
    DATASETS,
    EDGES,
    AVERAGE_DEGREE,
    SEED,
    UNIQUE,
    FORMAT,
    COLUMNS,
    COMPRESS,
    ENCODING,
    ROW_GROUP,
    ID_TYPE,
    OUTPUT,
    FORCE,
    DRY_RUN,
    JSON,
    QUIET,
    BACKEND,
    DEVICES,
    THREADS,
    MEMORY,
    DEVICE_MEMORY,
    IO,
    LAYOUT,
    HELP,
    VERSION,
    MAN,
    N_OPTIONS
};

extern const option chung_lu_table[N_OPTIONS];

#endif
