/*
 * generator.h - private to rmat/: the generator, its CPU backend, the interface of the CPU kernels
 * (one set per instruction set), and arrays in host memory.
 */
#ifndef RMAT_MODEL_GENERATOR_H
#define RMAT_MODEL_GENERATOR_H

#include "rmat/model/edge.h"
#include "rmat/model/official.h"
#include "rmat/model/weight.h"
#include "rmat/rmat.h"
#include "rmat/rmat_source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Arrays of ids of 4 or 8 bytes.  If id_bytes is a constant, the branch on it vanishes. */
#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t id_at(const void *ids, uint64_t i, const int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

INLINE void set_id(void *ids, uint64_t i, uint64_t id, const int id_bytes)
{
    if (id_bytes == 4) {
        ((uint32_t *)ids)[i] = (uint32_t)id;
    } else {
        ((uint64_t *)ids)[i] = id;
    }
}

/* f(..., id_bytes) with a constant. */
#define BY_WIDTH(id_bytes, f, ...) ((id_bytes) == 4 ? f(__VA_ARGS__, 4) : f(__VA_ARGS__, 8))

/* The arrays from place `at` on. */
static inline rmat_arrays rmat_arrays_from(const rmat_arrays *a, uint64_t at)
{
    const uint64_t bytes = at * (uint64_t)a->id_bytes;

    return (rmat_arrays){(char *)a->src + bytes, (char *)a->dst + bytes,
                         a->weight != NULL ? (char *)a->weight + at * 4 : NULL, a->id_bytes};
}

/* Allocates a large array, which the caller frees with free(); NULL if there is too little memory.
 * It does not touch the memory, so that pages are mapped when and where they are first used. */
static inline void *rmat_cpu_alloc(size_t size)
{
    const size_t huge = (size_t)2 << 20;
    void *memory;

    if (posix_memalign(&memory, size < huge ? 64 : huge, size)) {
        return NULL;
    }
    if (size >= huge) {
        madvise(memory, size, MADV_HUGEPAGE); /* for speed only: it may fail */
    }
    return memory;
}

struct rmat_gen {
    rmat_source source; /* of the base edges; without a fill() they are drawn from the model */
    rmat_view view;     /* points into tables */
    void *tables; /* one allocation: the full rows of every distinct table, then the fast ones */
    size_t table_bytes;                 /* of it; 0: an edge source has none */
    rmat_config config;                 /* with levels NULL: the matrices are the next member */
    rmat_matrix levels[RMAT_MAX_SCALE]; /* edges are drawn from them; with noise */
    void *gpu;                          /* state of the GPU backend; NULL for a CPU generator */
    rmat_isa isa;
    int threads;
    rmat_weighing weighing; /* if the model has weights */
    double kept;            /* the fraction of draws that are kept */
};

static inline bool rmat_has_source(const rmat_gen *gen)
{
    return gen->source.fill != NULL;
}

/* Whether the stream is sorted like intervals are: each interval is a range of the stream. */
static inline bool rmat_is_in_order(const rmat_gen *gen)
{
    return gen->source.before != NULL && gen->source.weights == RMAT_NO_WEIGHTS &&
           gen->view.transform == 0 && gen->config.first == 0 && !gen->config.no_self_loops;
}

/* Whether the caller wants the call to end.  Only the thread that made the call may ask. */
static inline bool rmat_stops(const rmat_gen *gen)
{
    return gen->config.stop != NULL && gen->config.stop(gen->config.stop_state) != 0;
}

/* The number of edges, keys or other items of a few nanoseconds each that is worth another thread.
 * The end of a team of threads costs microseconds, or a fraction of a second if other programs use
 * its processors. */
#define RMAT_WORTH_THREAD ((uint64_t)1 << 16)

/* Edges that a thread takes at a time (about 0.2 ms of work).  Threads of unequal speed then still
 * finish together, and a piece is worth a thread. */
#define RMAT_PIECE RMAT_WORTH_THREAD

/* The edge of the stream at which the generator begins.  Its public functions add it; backends use
 * edge numbers of the stream. */
static inline uint64_t rmat_stream_first(const rmat_gen *gen)
{
    return gen->config.first << gen->config.symmetrize;
}

/* The number of edges of the generator. */
static inline uint64_t rmat_stream_edges(const rmat_gen *gen)
{
    const uint64_t all =
        rmat_has_source(gen) ? gen->source.edges << gen->config.symmetrize : RMAT_MAX_EDGES;

    return all > rmat_stream_first(gen) ? all - rmat_stream_first(gen) : 0;
}

/* rmat.c: checks a configuration for everything but RMAT_ERR_REDRAW, once for each object made from
 * it.  The functions below take a checked configuration.  transform.c: the matrices of its levels,
 * as in rmat_levels(). expect.c: the results of rmat_expect_kept() and rmat_support_size() for
 * these matrices. */
int rmat_check_config(const rmat_config *c);
void rmat_levels_of(const rmat_config *c, rmat_matrix *levels);
double rmat_kept_of(const rmat_config *c, const rmat_matrix *levels);
uint64_t rmat_support_size_of(const rmat_config *c, const rmat_matrix *levels);

/* The number of levels. */
static inline int rmat_scale(const rmat_config *c)
{
    return c->rows_scale > c->cols_scale ? c->rows_scale : c->cols_scale;
}

/* The number of vertices of a side. */
static inline uint64_t rmat_vertices(const rmat_config *c, rmat_side side)
{
    const uint64_t asked = side == RMAT_ROWS ? c->rows : c->cols;
    const int scale = side == RMAT_ROWS ? c->rows_scale : c->cols_scale;

    return asked ? asked : (uint64_t)1 << scale;
}

/* transform.c: sets gen->weighing, and the fields of gen->view that do not depend on the tables,
 * from gen->config. */
void rmat_set_transform(rmat_gen *gen);

/* rmat.c: completes a generator whose configuration, tables or source are set, on the backend of
 * the configuration. */
int rmat_start(rmat_gen *gen);

/* cpu/generate.c: rmat_generate_arrays() with checked arguments, on a CPU. */
int rmat_cpu_generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to);

/* cpu/generate.c: returns the most threads of a call; calls make(job, i) for all i < n, in no
 * order, in several threads if the work, equal to that for `edges` edges, is worth it.  Ends early
 * with the error of a call, or with RMAT_ERR_STOPPED. */
int rmat_threads(const rmat_gen *gen);
int rmat_in_parallel(const rmat_gen *gen, uint64_t n, uint64_t edges,
                     int (*make)(void *job, uint64_t i), void *job);

/* cpu/generate.c: makes edges [first, first + count) of the stream, count > 0, on the calling
 * thread (RMAT_OK or RMAT_ERR_SOURCE); source.c does it for a generator with a source.  source.c:
 * the end of the piece of the stream that is best made together with edge `at`. */
int rmat_make_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to);
int rmat_source_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to);
uint64_t rmat_piece_end(const rmat_gen *gen, uint64_t at);

/* path_tables.c: sets e to the entries of a level's matrix as integers with sum 2^62.  The largest
 * entry absorbs the rounding error, so that zeros stay zeros.  Returns its quadrant. */
int rmat_level_masses(const rmat_matrix *m, uint64_t e[4]);

/* path_tables.c: numbers the different ones of n groups of levels, each described by that many
 * bytes, in the order of their first groups, because groups that are alike share a table.  Returns
 * their number. */
int rmat_share_tables(const void *groups, size_t bytes, int n, uint8_t *table_of);

/* path_tables.c: builds an alias table over n values, a power of 2, whose masses have the sum 2^62,
 * and writes its rows in the two forms of rmat_view. */
int rmat_build_table(const uint64_t *masses, uint32_t n, uint64_t *full, uint32_t *fast);

/* path_tables.c: fills gen->tables and its fields of gen->view from gen->config and gen->levels. */
int rmat_build_tables(rmat_gen *gen);

/*
 * The kernels for one instruction set: cpu/kernel_body.h, as cpu/avx2.c and its like compile it.
 *
 * generate: makes edges [first, first + count), a range that does not cross a multiple of 2^32.
 * weights: computes the weights of edges.
 * fingerprint: as rmat_fingerprint().
 * graph500: makes edges [256 block, 256 block + 256) of Graph500's stream, with weights unless
 *   NULL.
 * gapbs: makes the next 624 numbers of MT19937.  Unless src is NULL, it also writes the bits of
 *   GAPBS's level for both ends, the first number's in the lowest bit: 78 bytes, and possibly 2
 *   more.
 * rows: makes the edges below a node or cell of the stream `rows`, possibly some of them later.
 *   With item NULL it makes all that wait.
 */
struct rmat_rows_lanes; /* rmat/rows/rows.h */
struct rmat_rows_item;

typedef struct {
    void (*generate)(const rmat_view *view, uint64_t first, uint64_t count, void *src, void *dst,
                     int id_bytes);
    void (*weights)(const rmat_weighing *how, uint64_t count, const void *src, const void *dst,
                    int id_bytes, void *weight);
    uint64_t (*fingerprint)(const void *src, const void *dst, uint64_t count, int id_bytes);
    void (*graph500)(const mrg_view *view, uint64_t block, uint64_t *src, uint64_t *dst,
                     float *weight);
    void (*gapbs)(uint32_t x[MT_STATE], unsigned char *src, unsigned char *dst);
    void (*rows)(struct rmat_rows_lanes *lanes, const struct rmat_rows_item *item);
} rmat_cpu_kernels;

extern const rmat_cpu_kernels rmat_kernels_generic, rmat_kernels_avx2, rmat_kernels_avx512,
    rmat_kernels_neon;

/* The kernels for an instruction set that rmat_cpu_has_isa() allows.  AUTO: for rmat_best_isa(),
 * the fastest one of the processor. */
const rmat_cpu_kernels *rmat_cpu_kernels_of(rmat_isa isa);
rmat_isa rmat_best_isa(void);

#endif
