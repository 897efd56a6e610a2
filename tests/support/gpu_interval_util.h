/* gpu_interval_util.h - shared by the tests of sorted intervals on the GPU: the same interval on
 * both backends, compared by every function that reads it.  For builds with CUDA only. */
#ifndef TESTS_SUPPORT_GPU_INTERVAL_UTIL_H
#define TESTS_SUPPORT_GPU_INTERVAL_UTIL_H

#include "rmat/rmat_gpu.h"
#include "rmat/rmat_interval.h"
#include "tests/support/gpu_util.h"

enum { CPU, GPU, BACKENDS };

/* The same interval on both backends. */
typedef struct {
    const char *name;
    rmat_gen *gen[BACKENDS];
    rmat_interval *interval[BACKENDS];
} both;

#define must_be(what, call)                                                                        \
    do {                                                                                           \
        const int must_st = (call);                                                                \
        must(must_st == (what), "%s: %s: %d, %s", b->name, #call, must_st, rmat_gpu_error());      \
    } while (0)
#define must_ok(call) must_be(RMAT_OK, call)

/* Creates intervals with room for so many edges, to be freed by both_destroy(). */
both both_create(const rmat_config *config, const char *name, uint64_t edges);
void both_destroy(both *b);

/* Edges [from, from + count) of the interval, in three calls, sorted. */
int fill_interval(rmat_interval *interval, const rmat_cell *first, const rmat_cell *end, int unique,
                  uint64_t from, uint64_t count);

/* Fails the test unless all that can be asked of the two sorted intervals has the same answer. */
void check_intervals(const both *b);

enum { CELLS = 200 };

/* Some cells of the graph, most of them of edges of the stream; cells[0] is its first one, cells[1]
 * its end. */
void some_cells(const both *b, rmat_cell *cells);

rmat_cell cell_behind(const both *b, rmat_cell c);
int compare_cells(const void *x, const void *y);
rmat_config square_graph(int scale, int permute);

#endif
