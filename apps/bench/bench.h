/* What the files of `rmat bench` share. */
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
    double seconds; /* for all parts, approximately */
    int threads;    /* the most to use */
    int gpus;       /* number of GPUs */
    int device;     /* the number of the GPU to use */
    uint64_t size;  /* of a file in bytes; 0: chosen here */
    const char *dir;
    FILE *table;       /* tables for people */
    json_object *json; /* the whole report for programs */
} bench_job;

/*
 * Each part takes about so many seconds, prints its table and adds its members to the JSON object.
 * Returns an exit code, after one line on stderr where it is not 0.
 */
int bench_memory(const bench_job *job, double seconds);
int bench_gpu(const bench_job *job, double seconds);
int bench_file(const bench_job *job, double seconds);

/* The rates of one backend in memory, at all scales, for ids of one width. */
typedef struct {
    const char *backend; /* "cpu", "gpu" */
    const char *variant; /* the instruction set; where the edges go */
    int threads;         /* 0: does not apply */
    int id_bytes;

    double rates[BENCH_SCALES][BENCH_MAX_TURNS];  /* edges per second */
    double limits[BENCH_SCALES][BENCH_MAX_TURNS]; /* of plain writes, in the same turns */
    const char *limit_name;
} bench_row;

/* The number of scales for ids of that width: all, or those whose ids fit into 32 bits. */
int bench_row_scales(int id_bytes);

/* A table, and the array of its cells in the JSON object; rows is the caller's. */
void bench_rows_begin(const bench_job *job, const char *key, json_object *rows);
void bench_row_print(const bench_job *job, const bench_row *row, int turns, json_object *rows);
void bench_rows_end(const bench_job *job, json_object *rows);

/* Returns the seconds for one measurement, and sets the number of turns, such that all turns of
 * `kinds` measurements take `seconds`. */
double bench_slice(double seconds, int kinds, int *turns);

/* After interrupt_signal(): one line, and the exit code. */
int bench_stopped(void);

#endif
