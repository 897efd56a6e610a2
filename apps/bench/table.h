/*
 * A table of edges per second in memory: rows that take turns, one column per scale.
 *
 * Each row stands beside its limit, another row that is measured in the same turns: plain writes to
 * the same memory, say.  The owner of the table says how a row is measured.
 */
#ifndef APPS_BENCH_TABLE_H
#define APPS_BENCH_TABLE_H

#include "apps/bench/bench.h"
#include "apps/common/interrupt.h"

enum { TABLE_ROWS = 16, TABLE_SCALES = OPTION_LIST_MAX };

typedef struct {
    const char *variant; /* the instruction set, the model, or where the edges go */
    int kind;            /* for the owner: what is measured */
    int model;           /* as in bench_model() */
    bool generates;      /* gen is made for each scale, of this model */
    bool levels;         /* with a matrix per level */
    rmat_isa isa;
    int threads;    /* 0: does not apply */
    bool wide;      /* with 64-bit ids only */
    bool hidden;    /* not printed: others are compared with it */
    int limit;      /* the row that this one is compared with; itself: with none */
    int one_thread; /* the row of the same with one thread; itself: none */
    rmat_gen *gen;
    double rates[TABLE_SCALES][BENCH_MAX_RUNS]; /* edges per second */
} table_row;

typedef struct bench_table {
    const bench_job *job;
    const char *title, *key; /* above the table; of its array in the JSON object */
    bool gpu;                /* its generators' backend */
    bool prefix;             /* show the backend before each row's name, and its threads behind */
    int n_rows;
    table_row rows[TABLE_ROWS];

    /* Measure a row at the scale and id_bytes below: *rate becomes edges per second.  Returns an
     * exit code; messages are kept. */
    int (*measure)(struct bench_table *t, const table_row *row, double *rate);
    void *state;

    int scale, id_bytes; /* that are measured now */
    int runs;
    double slice; /* seconds of one measurement, unless the job says how many edges */
} bench_table;

/* Another row, of which the caller sets what is not zero: limit and one_thread are the row itself.
 */
table_row *table_add(bench_table *t, const char *variant, int kind);

/* Measure all rows in about so many seconds, print the table, and add it to the JSON object. */
int table_run(bench_table *t, double seconds);

/* Is a measurement to go on, after so many edges and seconds?  And with how many edges, `most` at
 * once? */
static inline bool table_goes_on(const bench_table *t, uint64_t edges, double seconds)
{
    const uint64_t asked = t->job->o->edges;

    return interrupt_signal() == 0 &&
           (edges == 0 || (asked > 0 ? edges < asked : seconds < t->slice));
}

static inline uint64_t table_piece(const bench_table *t, uint64_t edges, uint64_t most)
{
    const uint64_t asked = t->job->o->edges;

    return asked > 0 && asked - edges < most ? asked - edges : most;
}

#endif
