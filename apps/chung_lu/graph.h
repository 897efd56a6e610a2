/*
 * graph.h - the edges of a Chung-Lu graph: what they are, how a CPU or a GPU makes them, and the
 * edge source from which the engine makes files.
 *
 * Both end points of an edge are drawn from one alias table over the vertices, in proportion to
 * their weights and independently of each other.  With w_v the weight of vertex v, W the sum and M
 * the number of edges, v is an end point 2 M w_v / W times on average, and edge (u, v) comes
 * M w_u w_v / W^2 times; loops and copies are possible.  (The model: Chung and Lu, "The average
 * distances in random graphs with given expected degrees", PNAS 99(25), 2002.  M edges drawn one by
 * one are its "fast" variant of Pfeiffer, La Fond, Moreno and Neville, 2012.)
 *
 * Where out- and in-degrees are given apart there are two tables: sources come from that of the
 * weights o_v, destinations from that of the weights i_v.  Both have the sum W, and edge (u, v)
 * comes M o_u i_v / W^2 times.
 *
 * Edges come in batches of a fixed number.  In batch b, edges [first, first + count):
 *
 *   src = alias_sample_sections(tables.src, seed, first, count)    the sectioned sampler
 *   dst = alias_sample(tables.dst, ~seed, first, count)            the baseline sampler
 *
 * The sectioned sampler reads the table section by section, and so from a cache, which makes it
 * many times as fast on a GPU.  But only the multiset of its draws is right: they lie in the order
 * of the table.  That does no harm to the edges, because the destinations are independent of each
 * other and of their places: with them any fixed order of sources makes independent pairs.  Two
 * sectioned sequences, in contrast, must never be paired: both begin at the table's beginning and
 * end at its end, so that most edges would stay within a section (tests/apps/test_chung_lu.c sees
 * it at once).  One of them would have to be shuffled first, which costs what the sampler saves.
 *
 * So in the file the sources of a batch ascend roughly: take all of the edges, or shuffle them, but
 * not the first few for a sample.
 *
 * Where the end of the list is not known beforehand, as that of distinct edges, there are no
 * batches: a part of one is no sample.  Then both ends are draws of the baseline sampler, with the
 * same seeds.
 *
 * A batch is a pure function of the weights, the seed, its first edge and its length: batches can
 * be made anywhere and in any order, by a CPU or a GPU.  It is long, so that a section of the table
 * that is read once serves many draws.  Any part of it can be made alone:
 * alias_sample_sections_part32() finds the sections that the part lies in.
 */
#ifndef APPS_CHUNG_LU_GRAPH_H
#define APPS_CHUNG_LU_GRAPH_H

#include "alias/alias.h"
#include "apps/engine/engine.h"
#include "rmat/rmat.h"
#include <pthread.h>
#include <stddef.h>

typedef struct {
    uint64_t vertices, edges, seed;
    uint64_t batch; /* edges in a batch, a power of two; the last batch may have fewer; 0: the edges
                       do not come in batches */
    int id_bytes;   /* of the file: 4 or 8 */
} chung_lu_stream;

/* The tables that sources and destinations are drawn from: one and the same unless out- and
 * in-degrees differ. */
typedef struct {
    alias_table *src, *dst;
} chung_lu_tables;

/* The length of a batch: the least power of two that is at least the number of vertices, within
 * 2^24 and 2^28. */
uint64_t chung_lu_batch(uint64_t vertices);

/* The configuration of a table.  It names the builder, because rows, and so edges, depend on it. */
alias_config chung_lu_table_config(alias_backend backend, int device, int threads);

/* The seeds of the draws of sources and of destinations. */
uint64_t chung_lu_source_seed(const chung_lu_stream *s);
uint64_t chung_lu_destination_seed(const chung_lu_stream *s);

/* The number of edges of the batch that begins at edge `first`. */
uint64_t chung_lu_batch_count(const chung_lu_stream *s, uint64_t first);

/* Returns how many of the edges [first, first + count) lie in the batch that `first` lies in, and
 * sets *batch to the first edge of it. */
uint64_t chung_lu_part(const chung_lu_stream *s, uint64_t first, uint64_t count, uint64_t *batch);

/* The arrays without their first `done` elements. */
rmat_arrays chung_lu_behind(const rmat_arrays *to, uint64_t done);

/* Writes edges [first, first + count) into host arrays, on the calling thread.  Returns an
 * alias_status. */
int chung_lu_edges(const chung_lu_tables *tables, const chung_lu_stream *s, uint64_t first,
                   uint64_t count, const rmat_arrays *to);

typedef struct chung_lu_gpu chung_lu_gpu;

/* The functions that make edges on a GPU. */
typedef struct {
    /* Prepares GPU `device`, where the tables are.  tables and stream are borrowed.  Returns 0, or
     * -1 and sets text to the reason. */
    int (*open)(chung_lu_gpu **out, const chung_lu_tables *tables, const chung_lu_stream *stream,
                int device, char *text, size_t size);
    void (*close)(chung_lu_gpu *gpu);

    /* Starts filling device memory with edges [first, first + count), in a CUDA stream; one thread
     * at a time.  Returns an alias_status. */
    int (*fill)(chung_lu_gpu *gpu, uint64_t first, uint64_t count, const rmat_arrays *to,
                void *stream);
} chung_lu_backend;

/* NULL in a build without CUDA, where no table is on a GPU. */
static inline const chung_lu_backend *chung_lu_cuda(void)
{
#ifdef RMAT_HAVE_CUDA
    extern const chung_lu_backend chung_lu_of_cuda;

    return &chung_lu_of_cuda;
#else
    return NULL;
#endif
}

/* The weights of all vertices; both arrays are for free(). */
typedef struct {
    double *out, *in; /* as sources and as destinations; in is NULL if both are the same */
    double sum;       /* of each array */
} chung_lu_degrees;

/* A graph: its weights, and the tables that are built from them, on the CPU, on a GPU or on both,
 * when they are first needed. */
typedef struct {
    const chung_lu_stream *stream;
    const chung_lu_degrees *degrees;
    int threads; /* that build the tables */
    pthread_mutex_t lock;
    chung_lu_tables cpu, device;
    chung_lu_gpu *gpu;
    double table_seconds; /* spent on building tables */
    char text[512];       /* the first error, or "" */
} chung_lu_graph;

/* Everything is borrowed until chung_lu_graph_close(). */
void chung_lu_graph_open(chung_lu_graph *g, const chung_lu_stream *stream,
                         const chung_lu_degrees *degrees, int threads);
void chung_lu_graph_close(chung_lu_graph *g);

/* Builds the tables of a chung_lu_graph on this backend unless they exist.  Returns 0, or -1 and
 * sets text to the reason. */
int chung_lu_graph_prepare(void *graph, rmat_backend backend, int device, char *text, size_t size);

/* The graph as a source for the engine, without attributes and command. */
engine_source chung_lu_source(chung_lu_graph *g);

#endif
