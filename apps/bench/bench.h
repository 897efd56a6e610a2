/* What the parts of `rmat bench` share. */
#ifndef APPS_BENCH_BENCH_H
#define APPS_BENCH_BENCH_H

#include "apps/bench/util.h"
#include "apps/common/json.h"
#include "rmat/rmat.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_SCALES = 5, BENCH_MAX_TURNS = 5 };

extern const int bench_scales[BENCH_SCALES];

typedef struct {
    double seconds; /* for all parts, about */
    int threads;    /* the most to use */
    int gpus;       /* there are so many */
    int device;     /* which of them */
    uint64_t size;  /* of a file in bytes, 0: chosen */
    const char *dir;
    FILE *table;       /* for readers */
    json_object *json; /* for programs: the whole report */
} bench_job;

/*
 * Each part takes about so many seconds, prints its table and adds its members to the JSON object.
 * Returns an exit code, after one line on stderr where it is not 0.
 */
int bench_memory(const bench_job *job, double seconds);
int bench_gpu(const bench_job *job, double seconds);
int bench_file(const bench_job *job, double seconds);

/* What one maker of edges does in memory, at all scales, with ids of one width. */
typedef struct {
    const char *backend; /* "cpu", "gpu" */
    const char *variant; /* the instruction set; where the edges go */
    int threads;         /* 0: does not apply */
    int id_bytes;

    double rates[BENCH_SCALES][BENCH_MAX_TURNS];  /* edges per second */
    double limits[BENCH_SCALES][BENCH_MAX_TURNS]; /* of plain writes, in the same turns */
    const char *limit_name;
} bench_row;

/* The scales that ids of so many bytes are measured at: all, or those for which 32 bits do. */
int bench_row_scales(int id_bytes);

/* A table, and the array of its cells in the JSON object; rows is the caller's. */
void bench_rows_begin(const bench_job *job, const char *key, json_object *rows);
void bench_row_print(const bench_job *job, const bench_row *row, int turns, json_object *rows);
void bench_rows_end(const bench_job *job, json_object *rows);

/* Seconds for one measurement, and turns, such that `kinds` of them together take `seconds`. */
double bench_slice(double seconds, int kinds, int *turns);

/* After interrupt_signal(): one line, and the exit code. */
int bench_stopped(void);

#endif
