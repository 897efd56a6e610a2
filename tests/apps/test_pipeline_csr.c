/*
 * Chunks of CSR files: pointers and edges find their places for both widths of ids, whatever chunks
 * are asked for and wherever spans begin; every edge and pointer is filled and told once.
 */
#include "apps/engine/pipeline/cpu.h"
#include "tests/support/pipeline_util.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 70001, EDGES = 200003, THREADS = 3, CUTS = 7 };

/* Row r has the edges from pointer(r) on; edge i goes to destination(i). */
static uint64_t pointer(uint64_t row)
{
    return row < ROWS ? row / 2 * 3 + 1000 * (row > 17) : EDGES;
}

static uint64_t destination(uint64_t i)
{
    return i * 2654435761u % 1000003;
}

typedef struct {
    uint64_t span;              /* the next one */
    _Atomic uint64_t filled[2]; /* edges, pointers */
} graph;

/* Pointers and edges in turn, cut anywhere. */
static int next(void *state, pipeline *p, pipeline_span *span)
{
    graph *g = state;
    uint64_t k = g->span++ / 2;

    (void)p;
    if (k == CUTS) {
        return 0;
    }
    if (g->span % 2 != 0) {
        *span = (pipeline_span){PIPELINE_POINTERS, (ROWS + 1) * k / CUTS,
                                (ROWS + 1) * (k + 1) / CUTS - (ROWS + 1) * k / CUTS};
    } else {
        *span = (pipeline_span){PIPELINE_EDGES, EDGES * k / CUTS,
                                EDGES * (k + 1) / CUTS - EDGES * k / CUTS};
    }
    return 1;
}

static int fill(void *state, const pipeline_span *what, const rmat_arrays *to,
                uint64_t *fingerprint)
{
    const uint64_t first = what->first, count = what->count;

    (void)state;
    if (what->kind == PIPELINE_POINTERS) {
        for (uint64_t i = 0; i < count; i++) {
            ((uint64_t *)to->dst)[i] = pointer(first + i);
        }
        return RMAT_OK;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = 1; /* room that the file does not have */
            ((uint32_t *)to->dst)[i] = (uint32_t)destination(first + i);
        } else {
            ((uint64_t *)to->src)[i] = 1;
            ((uint64_t *)to->dst)[i] = destination(first + i);
        }
        ((int32_t *)to->weight)[i] = (int32_t)(first + i) * 7;
        *fingerprint += first + i;
    }
    return RMAT_OK;
}

static void filled(void *state, const pipeline_span *what)
{
    atomic_fetch_add(&((graph *)state)->filled[what->kind], what->count);
}

static void check_file(const char *name, int id_bytes)
{
    static uint64_t pointers[ROWS + 1], dst[EDGES]; /* of ids of 4 bytes half of it */
    static int32_t weight[EDGES];
    uint64_t wrong = 0; /* one assertion for all: Check tells each to another process */
    edgefile_reader *r;

    ck_assert_int_eq(edgefile_open(&r, name), EDGEFILE_OK);
    ck_assert_int_eq(edgefile_read_pointers(r, 0, ROWS + 1, pointers), EDGEFILE_OK);
    ck_assert_int_eq(edgefile_read(r, 0, EDGES, NULL, dst, weight), EDGEFILE_OK);
    edgefile_close(r);
    for (uint64_t i = 0; i <= ROWS; i++) {
        wrong += pointers[i] != pointer(i);
    }
    for (uint64_t i = 0; i < EDGES; i++) {
        wrong += (id_bytes == 4 ? ((uint32_t *)dst)[i] : dst[i]) != destination(i);
        wrong += weight[i] != (int32_t)i * 7;
    }
    ck_assert_uint_eq(wrong, 0);
}

/* Chunks of all sizes, odd ones too. */
START_TEST(test_places)
{
    static const uint64_t chunks[] = {0, 1001, 4096, 99991, 1 << 20};
    int id_bytes = _i % 2 == 0 ? 4 : 8;
    uint64_t size = EDGES + (ROWS + 1) * (8 / (uint64_t)id_bytes); /* as edges */
    graph g = {.span = 0};
    pipeline_source source = {next, &g};
    pipeline_filler filler = {fill, filled, &g};
    pipeline_producer producer = pipeline_cpu_filled(&filler, THREADS);
    graphfile_spec spec = {.format = GRAPHFILE_CSR,
                           .graph = {.rows = ROWS,
                                     .edges = EDGES,
                                     .id_bytes = id_bytes,
                                     .weight = EDGEFILE_WEIGHT_I32,
                                     .sorted = 1},
                           .replace = 1};
    graphfile_writer *writer;
    pipeline_sink sink;
    pipeline_plan plan;
    pipeline_result result;
    graphfile_committed done;

    ck_assert_int_eq(pipeline_make_sorted_plan(&plan, size, id_bytes, 4, true, THREADS,
                                               chunks[_i / 2], 64 << 20),
                     0);
    ck_assert_int_eq(graphfile_create(&writer, reference, &spec), EDGEFILE_OK);
    sink = pipeline_to_file(writer, GRAPHFILE_CSR);
    ck_assert_int_eq(pipeline_run(&plan, &source, &producer, &sink, go_on, NULL, &result), 0);
    ck_assert_uint_eq(result.done, EDGES);
    ck_assert_uint_eq(atomic_load(&g.filled[PIPELINE_EDGES]), EDGES);
    ck_assert_uint_eq(atomic_load(&g.filled[PIPELINE_POINTERS]), ROWS + 1);
    ck_assert_int_eq(graphfile_commit(&writer, &done), EDGEFILE_OK);
    ck_assert_uint_eq(done.fingerprint, (uint64_t)EDGES * (EDGES - 1) / 2);
    check_file(reference, id_bytes);
}
END_TEST

PIPELINE_CASES(pipeline_csr, LOOP(test_places, 0, 10))
