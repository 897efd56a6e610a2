/*
 * graph.h - a graph described by the options of `rmat generate`, for other languages; and functions
 * that these need in addition to the C libraries: errors, interruptions, the masses of an alias
 * table, GPU memory.
 *
 * The C libraries describe a model by a struct, rmat_config.  Words are easier for a language that
 * calls C without its headers: the options of the command line, with their defaults, ranges and
 * rules. rmat_graph_open() reads them and returns the facts of the graph. rmat_graph_generator()
 * makes the generator for all functions of rmat.h, rmat_gpu.h and rmat_csr.h.
 *
 *     char *options[] = {"--scale=20", "--permute", "--memory=2Gi"};
 *     rmat_graph *graph;
 *     rmat_graph_facts facts;
 *     rmat_gen *gen;
 *
 *     if (rmat_graph_open(&graph, 3, options, &facts) == 0 &&
 *         rmat_graph_generator(graph, -1, &gen) == 0) {
 *         rmat_generate_arrays(gen, 0, facts.edges, &arrays);
 *     }
 *
 * Functions return 0, a binding_status, or a negative status of another library; binding_error()
 * has the text of each.  They never print and never exit.  Any number of threads may call them.
 */
#ifndef APPS_BINDING_GRAPH_H
#define APPS_BINDING_GRAPH_H

#include "alias/alias.h"
#include "rmat/rmat.h"
#include "rmat/rmat_rows.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum binding_status {
    BINDING_OK = 0,
    BINDING_ERR_OPTION = -501, /* an option that is unknown or out of range: binding_error() names
                                  it, its value and what is allowed */
    BINDING_ERR_NOMEM = -502,
    BINDING_ERR_CUDA = -503, /* the GPU failed: binding_error() says how */
};

typedef struct rmat_graph rmat_graph;

/* The facts of a graph.  Fixed widths and no padding: other languages repeat this struct. */
typedef struct {
    uint64_t rows, cols;   /* vertices: sources and destinations */
    uint64_t edges;        /* reverse edges included; an upper bound unless edges_known */
    uint64_t stream_edges; /* edges of the stream that the graph is made of; 0: see distinct */
    uint64_t distinct;     /* the number of distinct edges of the stream, or pairs of vertices, as
                              rmat_unique_edges() counts them; 0: the number of draws is fixed */
    uint64_t memory;       /* --memory; 0: not given */
    int32_t weights;       /* 0: none; 1, 3: float32; 2: int32 (an rmat_weights) */
    int32_t sorted;        /* 1: edges are in order of source, then destination */
    int32_t unique;        /* 1: each edge occurs once: --unique, --dedup or --simple */
    int32_t edges_known;   /* 0: the number of edges is known only after copies are dropped */
    int32_t backend;       /* --backend: 0 auto, 1 cpu, 2 gpu */
    int32_t permuted;      /* by --permute, or because of a preset */
    char command[1024];    /* the command line that writes the graph to a file */
} rmat_graph_facts;

/*
 * Opens the graph that n words describe: the options of "generate" as on a command line, borrowed
 * during the call.  Options about files are checked, too.  On success *facts is set, and the caller
 * frees *out with rmat_graph_close().  On failure *out is NULL.  BINDING_ERR_OPTION,
 * BINDING_ERR_NOMEM.
 */
int rmat_graph_open(rmat_graph **out, int n, char **options, rmat_graph_facts *facts);

void rmat_graph_close(rmat_graph *graph);

/*
 * Creates a generator of the graph's edges.  It borrows nothing from the graph.  The caller frees
 * it with rmat_destroy(). device: the GPU that makes the edges, or -1 for the CPU.  Errors as for
 * rmat_create().
 */
int rmat_graph_generator(const rmat_graph *graph, int device, rmat_gen **out);

/* Creates the rmat_rows of a graph of --stream rows whose edges have one direction each.  It
 * borrows nothing from the graph.  The caller frees it with rmat_rows_destroy().
 * BINDING_ERR_OPTION for any other graph.  Errors as for rmat_rows_create().
 */
int rmat_graph_rows(const rmat_graph *graph, rmat_rows **out);

/*
 * From this call on, this thread's calls that make or sort edges on the CPU end with
 * RMAT_ERR_STOPPED soon after another thread sets *stop to a value other than 0.  NULL: they do not
 * stop.
 */
void binding_watch(const int32_t *stop);

/*
 * From this call on, this thread's calls use no other OpenMP threads.  The child of a fork must
 * call it in the thread that forked.  That thread's team exists only in the parent, and OpenMP
 * would wait for it forever.
 */
void binding_one_thread(void);

/* Bytes of host memory that this process could have now, also within the limits of a container. */
uint64_t binding_memory(void);

/* Sets masses[i], for every item i, to the mass that the table's rows give to it.  From these
 * masses alias_create_masses() makes the same table again.  Use it for tables in host memory: those
 * of a GPU are read row by row.  Returns an alias_status. */
int binding_table_masses(const alias_table *table, uint64_t *masses);

/* The text for a status of any of our libraries, after the calling thread's last call returned it:
 * one line without a period.  Valid until the thread's next call. */
const char *binding_error(int status);

/*
 * GPU memory, in builds with CUDA.  The functions leave the thread's current GPU as it was, and
 * work in its legacy default stream.
 */

int binding_allocate(void **out, int device, uint64_t bytes);

/* Waits for the GPU's work and frees the memory.  Any thread, at any time, also while the process
 * ends. */
void binding_free(void *data, int device);

/* Waits for the work of that GPU's default stream. */
int binding_wait(int device);

/* Copies bytes from a GPU's memory to the host's, after the work of the default stream. */
int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
