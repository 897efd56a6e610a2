/*
 * bench.h - edges under test, on the backend of models.h. They are made in memory that is guarded
 * on all sides, in any width, aligned and not, and compared with the expected edges.
 */
#ifndef TESTS_SUPPORT_BENCH_H
#define TESTS_SUPPORT_BENCH_H

#include "tests/support/models.h"

typedef struct {
    const char *name;
    rmat_config config;
    rmat_gen *cpu, *gen; /* gen: under test, on the backend that makes the edges */
    uint64_t *src, *dst; /* the expected edges */
    uint32_t *weight;
    unsigned char *room, *got; /* of the backend's memory, with guards; its copy on the host */
    unsigned char *untouched;  /* the contents of room before edges are made */
    size_t bytes;              /* of room */
} bench;

/* For a model and this many edges. */
bench bench_create(const rmat_config *config, const char *name, uint64_t most_edges);
void bench_destroy(bench b);
SCOPED(bench_destroy, bench)

/* Expects the edges [first, first + count) of the CPU's generator. */
void bench_expect(bench *b, uint64_t first, uint64_t count);

typedef struct {
    uint64_t first, count; /* edges of the stream */
    uint64_t skip;         /* the number of expected edges before `first` */
    int id_bytes;
    int src_at, dst_at; /* elements after a 16-byte border, within one cache line */
    int weights;
    int weight_at;
} placing;

/* Returns the number of edges that differ from the expected ones; the first one goes to *which.
 * Fails the test if anything around them is touched. */
uint64_t differences(const bench *b, const placing *p, uint64_t *which);

/* Fails the test unless all edges are as expected. */
void check_same(const bench *b, const placing *p);

/* Checks all expected edges, from `first` on, in every width, with weights and without,
 * aligned and not. */
void check_all_ways(const bench *b, uint64_t first, uint64_t count);

#endif
