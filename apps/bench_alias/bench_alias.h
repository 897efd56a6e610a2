/* Shared by the parts of bench_alias: what was asked for on the command line. */
#ifndef APPS_BENCH_ALIAS_BENCH_ALIAS_H
#define APPS_BENCH_ALIAS_BENCH_ALIAS_H

#include "alias/alias.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_LIST = 16, BENCH_REPEATS = 101 };

typedef struct {
    alias_backend backend;
    uint64_t n[BENCH_LIST];
    int sizes; /* 0: the part's own */
    alias_builder builder[BENCH_LIST];
    int builders;
    int threads, repeats, row_bytes;
    /* GPU only */
    int device;
    bool all, list;
    const char *only; /* NULL: no choice */
    uint64_t limit;   /* no table of more rows, no run of more draws */
} bench_alias_options;

/* What the benchmarks of a backend do: write their members of the JSON object that main() opened,
 * each after a comma, and tables to stderr.  An exit status; on failure they have said why. */
int bench_alias_cpu(const bench_alias_options *o, FILE *json);
int bench_alias_gpu(const bench_alias_options *o, FILE *json);

/* Before anything is printed: is there such a GPU?  An exit status, with a line on stderr. */
int bench_alias_gpu_check(const bench_alias_options *o);

#endif
