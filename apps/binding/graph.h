/*
 * graph.h - a graph by the options of `rmat generate`, or from a file, for other languages.
 *
 * The C libraries describe a model by a struct, rmat_config.  A language that calls C without its
 * headers has it easier with names and values: the options of the command line, with their
 * defaults, ranges and rules.  rmat_graph_open() fills an rmat_config from them, and what else a
 * graph has; rmat_graph_generator() makes the generator that all functions of rmat.h, rmat_gpu.h
 * and rmat_csr.h take.
 *
 *     const option_setting options[] = {{"scale", .number = 20}, {"permute", .number = 1},
 *                                       {"memory", .text = "2Gi"}};
 *     rmat_graph *graph;
 *     rmat_graph_facts facts;
 *     rmat_gen *gen;
 *
 *     if (rmat_graph_open(&graph, 3, options, &facts) == 0 &&
 *         rmat_graph_generator(graph, -1, 0, &gen) == 0) {
 *         rmat_generate_arrays(gen, 0, facts.edges, &arrays);
 *     }
 *
 * Functions return 0, a binding_status, or a negative status of another library whose text is in
 * binding_error(), too.  They never print and never exit, and any number of threads may call them.
 */
#ifndef APPS_BINDING_GRAPH_H
#define APPS_BINDING_GRAPH_H

#include "apps/common/options.h"
#include "rmat/rmat.h"
#include "rmat/rmat_rows.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum binding_status {
    BINDING_OK = 0,
    BINDING_ERR_OPTION = -501, /* an option that is unknown or out of range: binding_error() names
                                  it as Python does, its value and what is allowed */
    BINDING_ERR_NOMEM = -502,
    BINDING_ERR_CUDA = -503, /* the GPU failed: binding_error() says how */
    BINDING_ERR_FILE = -504, /* a file cannot be read, or is no graph: likewise */
};

typedef struct rmat_graph rmat_graph;

/* What a graph has.  Fixed widths and no padding: other languages repeat this struct. */
typedef struct {
    uint64_t rows, cols;   /* vertices: sources and destinations */
    uint64_t edges;        /* reverse edges included; without edges_known, the most there may be */
    uint64_t stream_edges; /* of the stream that it is made of; 0 with: */
    uint64_t distinct;     /* so many different edges of the stream, or pairs of vertices, as
                              rmat_unique_edges() counts them; 0: the number of draws is fixed */
    uint64_t memory, device_memory; /* --memory and --device-memory; 0: not given */
    int32_t id_bytes;               /* of a vertex number: 4 or 8 */
    int32_t weights;                /* 0: none; 1: float32; 2: int32 */
    int32_t sorted;                 /* by source, then destination, for which edges are sorted */
    int32_t unique;                 /* each edge is there once: --unique, --dedup or --simple */
    int32_t edges_known;            /* 0: the number of edges shows when copies are dropped */
    int32_t backend;                /* --backend: 0 auto, 1 cpu, 2 gpu */
    int32_t device;                 /* first of --devices; -1: all */
    int32_t threads;                /* of the CPU: --threads, or those that 0 stands for */
} rmat_graph_facts;

enum { BINDING_ALLOWED = 1024 };

/* An option of a command, as apps/common/options.h describes it: its name without dashes, its help,
 * its default or NULL, its choices or NULL, an option_kind and an option_scope, and
 * what it accepts. */
typedef struct {
    const char *name, *help, *fallback;
    const char *const *choices;
    int32_t kind, scope;
    char allowed[BINDING_ALLOWED];
} binding_option;

/* Sets *out to option i, counted from 0, of "generate", "convert", "stats" or "verify".
 * BINDING_ERR_OPTION: there are fewer, or there is no such command. */
int binding_option_get(const char *command, uint64_t i, binding_option *out);

/*
 * Opens the graph that n options of "generate" describe; of those with the same name the last one
 * counts.  They are borrowed during the call.  Options that are about files are checked, too.  On
 * success the caller owns *out, to be freed by rmat_graph_close(), and *facts is set; on failure
 * *out is NULL.  BINDING_ERR_OPTION, BINDING_ERR_NOMEM.
 */
int rmat_graph_open(rmat_graph **out, uint64_t n, const option_setting *options,
                    rmat_graph_facts *facts);

/*
 * Opens the graph in an HDF5 file of ours.  The rest is as of rmat_graph_open(); BINDING_ERR_FILE.
 * HDF5 must not be used by other code at the same time, unless that code has its own copy of the
 * library.
 */
int rmat_graph_open_file(rmat_graph **out, const char *path, int threads, rmat_graph_facts *facts);

void rmat_graph_retain(rmat_graph *graph);
void rmat_graph_close(rmat_graph *graph); /* drops a reference, of which there is one at first */

/*
 * Creates a generator of the graph's edges, to be freed with rmat_destroy() before the graph's last
 * reference is dropped.  device: the GPU that makes them, or -1 for the CPU, which alone reads
 * files.  threads: of the CPU; 0: those of the graph.  Errors as of rmat_create().
 */
int rmat_graph_generator(const rmat_graph *graph, int device, int threads, rmat_gen **out);

/* Creates the rows of a graph of --stream rows whose edges have one direction each, for the
 * functions of rmat_rows.h; to be freed with rmat_rows_destroy() before the graph's last reference
 * is dropped. BINDING_ERR_OPTION: it is another graph.  Errors as of rmat_rows_create(). */
int rmat_graph_rows(const rmat_graph *graph, rmat_rows **out);

/* The command line that writes the graph to a file, "" where a file does not say it; and the name
 * of the format of the file that it comes from, "" for a model.  They belong to the graph. */
const char *rmat_graph_command(const rmat_graph *graph);
const char *rmat_graph_format(const rmat_graph *graph);

/* Whether both graphs, of models, are the same: the same edges in the same order. */
int rmat_graph_same(const rmat_graph *a, const rmat_graph *b);

/*
 * From now on, calls of this thread that make or sort edges on the CPU end soon after another
 * thread has set *stop to another value than 0, with RMAT_ERR_STOPPED.  NULL: they go on.
 */
void binding_watch(const int32_t *stop);

/*
 * From now on, calls of this thread use no other threads of OpenMP.  The child of a fork must say
 * so in the thread that forked, whose team has stayed behind in the parent: OpenMP would wait for
 * it for ever.
 */
void binding_one_thread(void);

/* Bytes of host memory that this process could have now, also within the limits of a container. */
uint64_t binding_memory(void);

/* Why RMAT_ERR_SOURCE was returned for edges of a file.  Belongs to the graph. */
const char *rmat_graph_error(const rmat_graph *graph);

/* The text for a status of any of our libraries, after the calling thread's last call returned it:
 * one line without a full stop.  Valid until the thread's next call. */
const char *binding_error(int status);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
