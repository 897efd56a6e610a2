/*
 * bench.h - edges under test, on the backend of backend.h: they are made at a place in memory that
 * is guarded on all sides, in any width and layout, and compared with those expected.
 */
#ifndef TESTS_SUPPORT_BENCH_H
#define TESTS_SUPPORT_BENCH_H

#include "tests/support/models.h"

typedef struct {
    const char *name;
    rmat_config config;
    rmat_gen *cpu, *gen; /* gen: under test, on whose backend the edges are made */
    uint64_t *src, *dst; /* what is expected */
    uint32_t *weight;
    uint64_t redraws;          /* expected of all the edges */
    unsigned char *room, *got; /* of the backend's memory, with guards; its copy on the host */
    unsigned char *untouched;  /* room as it is before edges come */
    size_t bytes;              /* of room */
} bench;

/* For a model and as many edges. */
bench bench_create(const rmat_config *config, const char *name, uint64_t most_edges);
void bench_destroy(bench b);
SCOPED(bench_destroy, bench)

/* Expects the edges [first, first + count) of the CPU's generator. */
void bench_expect(bench *b, uint64_t first, uint64_t count);

typedef struct {
    uint64_t first, count; /* edges of the stream */
    uint64_t skip;         /* of the expected ones, `first` is the one behind so many */
    int id_bytes;
    int pairs;          /* not on a CPU */
    int src_at, dst_at; /* elements behind a 16-byte border; of one cache line */
    int weights;        /* with arrays */
    int weight_at;
} placing;

/* How many edges differ from those expected; the first one goes to *which.  Fails the test if
 * anything around them is touched. */
uint64_t differences(const bench *b, const placing *p, uint64_t *which);

/* Fails the test unless all edges are as expected. */
void check_same(const bench *b, const placing *p);

/* All expected edges, from `first` on, in every width and layout, with weights and without, aligned
 * and not, and with the expected redraws each time. */
void check_all_ways(const bench *b, uint64_t first, uint64_t count);

/* Draws that a generator has thrown away. */
uint64_t redraws_of(const rmat_gen *gen);

#endif
