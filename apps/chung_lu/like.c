/*
 * Weights that are the degrees of another graph: --like.
 *
 * All edges of the file are read once, and the out- and in-degrees of its vertices counted.  Where
 * they are equal at every vertex, as in an undirected graph that has each edge in both directions,
 * one set of weights serves both ends.  So does their sum where the edges that are made have no
 * direction: in the file it is chance, or the order of the vertices, which end is the source.
 *
 * Copies of a vertex (--multiply) get weights of their own, so there is a table over all of them,
 * as large as that of a power law with as many vertices.  A table over the vertices of the file
 * alone, with the copy drawn besides, would need less memory.  But it would need a kernel on GPUs,
 * which now call the samplers alone, and a second random number for each end of an edge; and the
 * sources of a batch would no longer ascend.
 */
#include "apps/chung_lu/chung_lu.h"
#include "apps/client/client.h"
#include "apps/common/huge_alloc.h"
#include "apps/common/interrupt.h"
#include "apps/common/message.h"
#include "apps/common/numbers.h"
#include "apps/engine/sorted/plan.h"
#include "apps/engine/source/edge_source.h"
#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AHEAD = 32 }; /* edges whose counters are fetched into the cache in advance */

typedef struct {
    const char *name;
    uint64_t vertices, *out, *in; /* counters of the vertices */
    _Atomic uint64_t fingerprint;
} counting;

/* Counts the ends of edges.  Returns the first of them that is no vertex of the graph, or
 * UINT64_MAX. */
static uint64_t count_ids(const counting *c, uint64_t *counters, const edge_block *e,
                          const void *ids)
{
    for (uint64_t i = 0; i < e->count; i++) {
        const uint64_t id = edge_id(ids, i, e->id_bytes);

        if (i + AHEAD < e->count) {
            const uint64_t next = edge_id(ids, i + AHEAD, e->id_bytes);

            __builtin_prefetch(&counters[next < c->vertices ? next : 0], 1);
        }
        if (id >= c->vertices) {
            return id;
        }
        __atomic_fetch_add(&counters[id], 1, __ATOMIC_RELAXED);
    }
    return UINT64_MAX;
}

static int count_piece(void *state, int thread, const edge_piece_memory *piece, char *text,
                       size_t size)
{
    counting *c = state;
    const edge_block *e = &piece->edges;
    uint64_t wrong = count_ids(c, c->out, e, e->src);

    (void)thread;
    if (wrong == UINT64_MAX) {
        wrong = count_ids(c, c->in, e, e->dst);
    }
    if (wrong != UINT64_MAX) {
        snprintf(text, size, "%s: an edge has the vertex %" PRIu64 ", allowed: below %" PRIu64,
                 c->name, wrong, c->vertices);
        return -1;
    }
    atomic_fetch_add(&c->fingerprint, rmat_fingerprint(e->src, e->dst, e->count, e->id_bytes));
    return 0;
}

/* Returns the weights of all copies, the counters times `share`; NULL if memory is exhausted. */
static double *spread_weights(const uint64_t *counters, uint64_t n, uint64_t copies, double share,
                              int threads)
{
    double *weights = n * copies > SIZE_MAX / sizeof *weights
                          ? NULL
                          : huge_alloc((size_t)(n * copies) * sizeof *weights);

    for (uint64_t copy = 0; weights != NULL && copy < copies; copy++) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (uint64_t v = 0; v < n; v++) {
            weights[copy * n + v] = share * (double)counters[v];
        }
    }
    return weights;
}

static int no_memory(uint64_t vertices)
{
    return runtime_error("", "--like: memory is exhausted: %" PRIu64 " vertices", vertices);
}

/* Whether the edges that are made have no direction, so that both ends have the same weights. */
static bool has_one_set(const chung_lu_options *o)
{
    return o->graph.symmetrize || o->graph.simple || o->graph.undirected != 0;
}

/* Checks that the counters, and then weights and tables, fit into memory: a few edges may name
 * vertices that are far apart.  Returns an exit code. */
static int check_memory(const chung_lu_options *o)
{
    const uint64_t sets = has_one_set(o) ? 1 : 2;
    const uint64_t counters = 2 * sizeof(uint64_t) * (o->vertices / o->like.multiply);
    const uint64_t weights = o->dry_run ? 0 : sets * sizeof(double) * o->vertices;
    const uint64_t tables = o->dry_run ? 0 : sets * chung_lu_row_bytes(o->vertices) * o->vertices;
    const uint64_t bytes = weights + (counters > tables ? counters : tables);
    const uint64_t given = o->job.memory, there = given > 0 ? given : 2 * sorted_default_memory();
    char needed[NUMBER_TEXT], available[NUMBER_TEXT];

    if (bytes <= there) {
        return EXIT_OK;
    }
    if (given > 0) {
        return usage_error("",
                           "--memory: '%" PRIu64 "' is too little for the %" PRIu64
                           " vertices of --like '%s', allowed: %" PRIu64 " or more",
                           given, o->vertices, o->like.name, bytes);
    }
    return runtime_error("",
                         "--like: the %" PRIu64
                         " vertices of '%s' take %s of memory, %s are available; --memory allows "
                         "more",
                         o->vertices, o->like.name, format_bytes(needed, (double)bytes),
                         format_bytes(available, (double)there));
}

/* Turns the counters into weights, which --dry-run does not need. */
static int make_weights(const counting *c, chung_lu_options *o, chung_lu_degrees *degrees)
{
    const uint64_t n = c->vertices, copies = o->like.multiply;
    double share = 1;

    if (has_one_set(o)) {
        for (uint64_t v = 0; v < n; v++) {
            c->out[v] += c->in[v];
            c->in[v] = c->out[v];
        }
        share = 0.5; /* the mean of both, so that the sum of the weights remains that of either */
    }
    o->like.directed = memcmp(c->out, c->in, (size_t)n * sizeof *c->out) != 0;
    o->like.fingerprint = c->fingerprint;
    if (o->dry_run) {
        return EXIT_OK;
    }
    degrees->out = spread_weights(c->out, n, copies, share, o->job.threads);
    if (degrees->out != NULL && o->like.directed) {
        degrees->in = spread_weights(c->in, n, copies, share, o->job.threads);
    }
    return degrees->out == NULL || (o->like.directed && degrees->in == NULL)
               ? no_memory(o->vertices)
               : EXIT_OK;
}

/* Keeps the engine's error for rank 0, as all errors are kept; a stop is reported at once.  Returns
 * the exit code. */
static int reading_failed(client *c, const chung_lu_options *o, int status)
{
    client_clear(c);
    return status == ENGINE_OK        ? EXIT_OK
           : status == ENGINE_ERR_JOB ? usage_error("", "%s", engine_detail())
           : status == ENGINE_ERR_RUN ? runtime_error("", "--like: %s", engine_detail())
                                      : client_end(c, status, o->job.output, 0, 0);
}

static int count_graph(edge_source *source, client *watcher, chung_lu_options *o,
                       chung_lu_degrees *degrees)
{
    const graphfile_graph *g = &edge_source_facts_of(source)->graph;
    const uint64_t n = o->vertices / o->like.multiply;
    counting c = {.name = o->like.name, .vertices = n};
    const edge_walk_body body = {count_piece, NULL, &c};
    engine_meter meter =
        engine_meter_of(&watcher->watch, "counting degrees", g->edges, 2 * g->id_bytes);
    int status;

    c.out = calloc((size_t)n, sizeof *c.out);
    c.in = calloc((size_t)n, sizeof *c.in);
    if (c.out == NULL || c.in == NULL) {
        status = no_memory(n);
    } else {
        status = reading_failed(watcher, o, edge_walk(source, o->job.threads, &body, &meter));
    }
    if (status == EXIT_OK) {
        status = make_weights(&c, o, degrees);
    }
    free(c.out);
    free(c.in);
    return status;
}

/* Sets o->vertices, the number of all copies, and the sum of the weights. */
static int resolve_vertices(const edge_source *source, chung_lu_options *o, double *sum)
{
    const edge_source_facts *f = edge_source_facts_of(source);
    const bool stated = graphfile_table[f->format]->traits & GRAPHFILE_HAS_VERTICES;
    const uint64_t rows = f->graph.rows, cols = f->graph.cols, n = rows > cols ? rows : cols;

    if (f->graph.edges == 0) {
        return usage_error("", "--like: '%s' has no edges, allowed: a graph with edges",
                           o->like.name);
    }
    if (stated && rows != cols) { /* otherwise they are the highest ids, of one set of vertices */
        return usage_error("",
                           "--like: '%s' has %" PRIu64 " source and %" PRIu64
                           " destination vertices, allowed: equal numbers of both",
                           o->like.name, rows, cols);
    }
    if (n > CHUNG_LU_MAX_VERTICES) {
        return usage_error("", "--like: '%s' has %" PRIu64 " vertices, allowed: up to %" PRIu64,
                           o->like.name, n, CHUNG_LU_MAX_VERTICES);
    }
    if (o->like.multiply > CHUNG_LU_MAX_VERTICES / n) {
        return usage_error("",
                           "--multiply: '%" PRIu64 "' is out of range for the %" PRIu64
                           " vertices of '%s', allowed: 1 to %" PRIu64,
                           o->like.multiply, n, o->like.name, CHUNG_LU_MAX_VERTICES / n);
    }
    o->vertices = n * o->like.multiply;
    *sum = (double)f->graph.edges * (double)o->like.multiply;
    return EXIT_OK;
}

/* A file that cannot be read is wrong usage, as it is for --degrees. */
static int check_file(const char *name)
{
    struct stat about;
    int error = access(name, R_OK) != 0 || stat(name, &about) != 0 ? errno : 0;

    if (error == 0 && S_ISDIR(about.st_mode)) {
        error = EISDIR;
    }
    return error == 0 ? EXIT_OK
                      : usage_error("", "--like: '%s': %s, allowed: a file that can be read", name,
                                    strerror(error));
}

int chung_lu_like_weights(chung_lu_options *o, chung_lu_degrees *degrees)
{
    edge_source_options opening = {READING(o->like.reading), .threads = o->job.threads};
    edge_source *source = NULL;
    client c;
    int status = check_file(o->like.name);

    if (status != EXIT_OK) {
        return status;
    }
    edgefile_probe_first(interrupt_signal); /* the file may be anybody's */
    client_begin(&c, "", o->dry_run ? NULL : o->job.output, o->quiet);
    opening.watch = &c.watch;
    status = reading_failed(&c, o, edge_source_open(&source, o->like.name, &opening));
    if (status == EXIT_OK) {
        status = resolve_vertices(source, o, &degrees->sum);
    }
    if (status == EXIT_OK) {
        status = check_memory(o);
    }
    if (status == EXIT_OK) {
        status = count_graph(source, &c, o, degrees);
    }
    edge_source_close(source);
    return status;
}
