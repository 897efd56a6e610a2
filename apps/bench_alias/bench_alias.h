/*
 * Declarations shared by the parts of bench_alias: the cases of a backend, times, and lines of
 * tables.
 *
 * A case prints one table on standard output: lines of columns with blanks between them.  It calls
 * bench_row() with the first columns of a line, which name the measurement, measures it, and ends
 * the line with bench_print(). Functions return 0, or 1 after a line on stderr.
 */
#ifndef APPS_BENCH_ALIAS_BENCH_ALIAS_H
#define APPS_BENCH_ALIAS_BENCH_ALIAS_H

#include "alias/alias.h"
#include "apps/bench/summary.h"
#include "apps/bench_alias/weights.h"

#include <stdbool.h>
#include <stdint.h>

extern const char *const bench_family_names[FAMILIES];

typedef struct {
    int repeats;
    uint64_t limit;       /* of --limit: the most rows of a table, and the most draws of a run */
    uint64_t rows, draws; /* limit for rows with this memory; draws of a run */
    char row[120];        /* the first columns of the current line */
    /* The current weights, in the backend's memory. */
    bench_family family;
    uint64_t n;
    double *weights;
    void *out; /* output of draws */
} bench;

static inline uint64_t bench_least(uint64_t x, uint64_t y)
{
    return x < y ? x : y;
}

/* --- Backends --- */

/* Runs for n = least, 10 * least, ... most weights of each family up to `last`; once, without
 * weights, if most is 0.  The first n is at most bench.rows; no later one exceeds it. */
typedef struct {
    const char *name;
    const char *title;   /* the table or figure of the paper */
    const char *columns; /* names, with blanks between them */
    int (*run)(bench *b);
    uint64_t least, most;
    bench_family last;
} bench_case;

typedef struct {
    /* Prints the machine, prepares it, and sets rows and draws. */
    int (*open)(bench *b);
    void (*close)(bench *b);
    int (*weights)(bench *b); /* replaces the weights by b->n ones of b->family */
    const bench_case *cases;
    int n_cases;
} bench_backend;

extern const bench_backend bench_cpu, bench_gpu; /* the latter in a build with CUDA */

/* --- Lines --- */

/* Begins a line with its first columns, which messages repeat. */
void bench_row(bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_print(const bench *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns 0 if the status is ALIAS_OK. */
int bench_failed(const bench *b, const char *what, int status);

/* --- Times --- */

/* Does the measured work once: run number r. */
typedef int (*bench_run)(bench *b, void *arg, int r);

/* Returns the run's time in milliseconds. */
typedef int (*bench_clock)(bench *b, bench_run run, void *arg, int r, double *ms);

/* A clock: the time that the caller waits. */
int bench_wall_clock(bench *b, bench_run run, void *arg, int r, double *ms);

/* The times of b->repeats runs after a warm-up run; fewer if runs take long. */
int bench_time(bench *b, bench_clock clock, bench_run run, void *arg, bench_stats *ms);

/* Ends the line with these times: median, least, most, and billions of `count` in a second. */
int bench_rate(bench *b, bench_clock clock, bench_run run, void *arg, uint64_t count);

#endif
