/*
 * interval_reference.h - sorted intervals made by qsort() of all edges, and their comparison with
 * those of the library, on the backend of models.h.
 */
#ifndef TESTS_SUPPORT_INTERVAL_REFERENCE_H
#define TESTS_SUPPORT_INTERVAL_REFERENCE_H

#include "rmat/sorted/interval.h"
#include "tests/support/models.h"

#include <stdbool.h>

SCOPED(rmat_interval_destroy, rmat_interval *)

static inline uint64_t interval_bytes(const rmat_gen *gen, uint64_t edges)
{
    uint64_t bytes;

    must(rmat_interval_bytes(gen, edges, &bytes) == RMAT_OK, "rmat_interval_bytes()");
    return bytes;
}

static inline uint64_t interval_capacity(const rmat_gen *gen, uint64_t bytes)
{
    uint64_t edges;

    must(rmat_interval_capacity(gen, bytes, &edges) == RMAT_OK, "rmat_interval_capacity()");
    return edges;
}

/* Whether the backend can sort it: a GPU sorts up to 2^32 rows and columns. */
static inline bool is_sortable(const rmat_config *c)
{
    return !ON_GPU || (c->rows_scale <= 32 && c->cols_scale <= 32);
}

/* Creates an interval with room for this many edges; the test fails if it cannot. */
rmat_interval *interval_of(const rmat_gen *gen, uint64_t edges);

int cell_below(const rmat_cell *a, const rmat_cell *b);

/* The cell this many cells after this one (before it, if negative), limited to the graph. */
rmat_cell next_cell(const rmat_gen *gen, const rmat_cell *c, int64_t by);

/* Edges [first, first + count) of the stream between two cells, in order; unique: each once.
 * Returns their number; the caller frees *cells. */
uint64_t reference_interval(const rmat_gen *gen, uint64_t first, uint64_t count,
                            const rmat_cell *from, const rmat_cell *end, int unique,
                            rmat_cell **cells);

/* The first *n edges of the stream in order; unique: each once, *n is how many.  For free(). */
rmat_cell *sorted_edges(const rmat_gen *gen, uint64_t *n, int unique);

/* Fails the test unless all functions that read the sorted interval agree that it holds these
 * cells, also in GPU memory. */
void compare_interval(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *cells,
                      uint64_t n, const char *name);

/* An interval of a model with two generators: one on the CPU, for the reference, and the one under
 * test. */
typedef struct {
    const char *name;
    rmat_gen *cpu, *gen;
    rmat_interval *interval;
    rmat_cell begin, end; /* of the graph */
} tested_interval;

/* With room for this many edges. */
tested_interval tested_create(const rmat_config *config, const char *name, uint64_t edges);
void tested_destroy(tested_interval t);
SCOPED(tested_destroy, tested_interval)

/* Edges [first, first + count) of the stream between two cells, added in three parts, the last one
 * first, and sorted. */
int tested_fill(const tested_interval *t, const rmat_cell *from, const rmat_cell *end, int unique,
                uint64_t first, uint64_t count);

/* tested_fill() and compare_interval(). */
void tested_check(const tested_interval *t, const rmat_cell *from, const rmat_cell *end, int unique,
                  uint64_t first, uint64_t count);

/* The edges of an interval that are new in window [low, high) of the stream, listed and inserted,
 * are those that a simple search finds.  Returns their number. */
uint64_t compare_unseen(const tested_interval *t, uint64_t low, uint64_t high,
                        const rmat_cell *from, const rmat_cell *end);

/* How many edges lie between n cells that are edges, beside edges, the same again, or anywhere. */
void compare_counts(const tested_interval *t, uint64_t first, uint64_t count, uint64_t n,
                    int inside);

/* Draws that brought a new cell, in order: distinct after T draws are those below T. */
typedef struct {
    uint64_t *unseen, n;
} new_cells;

/* Until there are so many distinct edges, or pairs, and `draws` draws. */
new_cells draw_new_cells(const rmat_config *c, uint64_t edges, uint64_t draws);

static inline void new_cells_free(new_cells g)
{
    free(g.unseen);
}
SCOPED(new_cells_free, new_cells)

#endif
