/* rmat_gpu_util.h - shared by the tests of edges in device memory: graphs, and a bench on which the
 * GPU's edges are compared with the CPU's.  For builds with CUDA only. */
#ifndef TESTS_SUPPORT_RMAT_GPU_UTIL_H
#define TESTS_SUPPORT_RMAT_GPU_UTIL_H

#include "rmat/gpu/backend.h"
#include "tests/support/gpu_util.h"

typedef struct {
    const char *name;
    int rows_scale, cols_scale;
    rmat_matrix matrix; /* a < 0: by level */
} graph;
enum { GRAPHS = 32, GRAPHS_BY_LEVEL = 5 }; /* these come last */
extern const graph graphs[GRAPHS];

const graph *graph_named(const char *name);
int narrow(const graph *g); /* has 32-bit ids, too */

/* The same graph on the CPU and on the GPU, and edges of it on both. */
typedef struct {
    const graph *graph;
    rmat_gen *cpu, *gpu;
    uint64_t *src, *dst; /* the CPU's: what is expected */
    uint32_t *weight;
    unsigned char *room, *got; /* on the device, with guards; its copy on the host */
    unsigned char *untouched;  /* room as it is before edges come */
    size_t bytes;              /* of room */
} bench;

bench bench_create(const graph *g, uint64_t most_edges);
/* For g only its name and its scales matter; the backend is chosen here. */
bench bench_create_model(const graph *g, const rmat_config *config, uint64_t most_edges);
void bench_destroy(bench b);

/* The CPU's edges [first, first + count), and their weights if there are any. */
void bench_expect(const bench *b, uint64_t first, uint64_t count);

typedef struct {
    uint64_t first, count;
    int id_bytes;
    int pairs;
    int src_at, dst_at; /* elements behind a 16-byte border */
    int weights;        /* with arrays */
    int weight_at;
} placing;

/* How many edges of the GPU differ from those expected; the first one goes to *which.  Fails the
 * test if anything around them is touched. */
uint64_t differences(const bench *b, const placing *p, uint64_t *which);

/* Fails the test unless all edges are as expected. */
void check_same(const bench *b, const placing *p);

/* In every width and layout, aligned and not. */
void check_all_ways(const bench *b, uint64_t first, uint64_t count);

#endif
