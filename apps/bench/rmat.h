/* What the parts of bench_rmat share. */
#ifndef APPS_BENCH_RMAT_H
#define APPS_BENCH_RMAT_H

#include "rmat/rmat.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_LIST = 64, BENCH_ISAS = RMAT_ISA_AVX512 };

typedef struct {
    uint64_t scales[BENCH_LIST], threads[BENCH_LIST];
    rmat_isa isas[BENCH_ISAS];
    size_t n_scales, n_threads, n_isas;
    uint64_t edges; /* of one measurement in memory */
    uint64_t runs;
    uint64_t file_bytes;
    const char *dir; /* where the files go */
} bench_options;

/*
 * Each measures, prints a table on stderr and one or more members of a JSON object, without braces,
 * on `json`.  Returns 0, or an exit code after one line on stderr.
 */
int bench_rmat_memory(const bench_options *o, FILE *json);
int bench_rmat_options(const bench_options *o, FILE *json); /* what the model's options cost */
int bench_rmat_file(const bench_options *o, bool gpu, FILE *json); /* gpu: its edges, too */

#endif
