/*
 * graph.h - a graph by the options of `rmat generate`, for other languages; and what these need
 * beside the C libraries: options, errors, interruptions, the masses of an alias table.
 *
 * The C libraries describe a model by a struct, rmat_config.  A language that calls C without its
 * headers has it easier with words: the options of the command line, with their defaults, ranges
 * and rules.  rmat_graph_open() fills an rmat_config from them, and what else a graph has;
 * rmat_graph_generator() makes the generator that all functions of rmat.h, rmat_gpu.h and
 * rmat_csr.h take.
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
 * And GPU memory for arrays of other languages, of a build with CUDA alone: memory.c.
 *
 * Functions return 0, a binding_status, or a negative status of another library whose text is in
 * binding_error(), too.  They never print and never exit, and any number of threads may call them.
 */
#ifndef APPS_BINDING_GRAPH_H
#define APPS_BINDING_GRAPH_H

#include "alias/alias.h"
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
};

typedef struct rmat_graph rmat_graph;

/* What a graph has.  Fixed widths and no padding: other languages repeat this struct. */
typedef struct {
    uint64_t rows, cols;   /* vertices: sources and destinations */
    uint64_t edges;        /* reverse edges included; without edges_known, the most there may be */
    uint64_t stream_edges; /* edges of the stream that it is made of; 0: see distinct */
    uint64_t distinct;     /* so many different edges of the stream, or pairs of vertices, as
                              rmat_unique_edges() counts them; 0: the number of draws is fixed */
    uint64_t memory;       /* --memory; 0: not given */
    int32_t weights;       /* 0: none; 1, 3: float32; 2: int32 (an rmat_weights) */
    int32_t sorted;        /* by source, then destination, for which edges are sorted */
    int32_t unique;        /* each edge is there once: --unique, --dedup or --simple */
    int32_t edges_known;   /* 0: the number of edges shows when copies are dropped */
    int32_t backend;       /* --backend: 0 auto, 1 cpu, 2 gpu */
    int32_t device;        /* first of --devices; -1: all */
    int32_t permuted;      /* by --permute, or because of a preset */
    int32_t reserved;
} rmat_graph_facts;

enum { BINDING_ALLOWED = 1024 };

/* An option of `rmat generate`, as apps/common/options.h describes it: its name without dashes, its
 * help, its default or NULL, its choices or NULL, an option_kind and an option_scope, and what it
 * accepts. */
typedef struct {
    const char *name, *help, *fallback;
    const char *const *choices;
    int32_t kind, scope;
    char allowed[BINDING_ALLOWED];
} binding_option;

/* Sets *out to option i of `rmat generate`, counted from 0.  BINDING_ERR_OPTION: there are fewer.
 */
int binding_option_get(uint64_t i, binding_option *out);

/*
 * Opens the graph that n words describe, the options of "generate" as on a command line.  They are
 * borrowed during the call.  Options that are about files are checked, too.  On success the caller
 * owns *out, to be freed by rmat_graph_close(), and *facts is set; on failure *out is NULL.
 * BINDING_ERR_OPTION, BINDING_ERR_NOMEM.
 */
int rmat_graph_open(rmat_graph **out, int n, char **options, rmat_graph_facts *facts);

void rmat_graph_close(rmat_graph *graph);

/*
 * Creates a generator of the graph's edges, which borrows nothing of the graph and is to be freed
 * with rmat_destroy().  device: the GPU that makes them, or -1 for the CPU.  Errors as of
 * rmat_create().
 */
int rmat_graph_generator(const rmat_graph *graph, int device, rmat_gen **out);

/* Creates the rows of a graph of --stream rows whose edges have one direction each, for the
 * functions of rmat_rows.h; they borrow nothing of the graph and are to be freed with
 * rmat_rows_destroy().  BINDING_ERR_OPTION: it is another graph.  Errors as of rmat_rows_create().
 */
int rmat_graph_rows(const rmat_graph *graph, rmat_rows **out);

/* The command line that writes the graph to a file.  It belongs to the graph. */
const char *rmat_graph_command(const rmat_graph *graph);

/* Whether both graphs are the same: the same edges in the same order. */
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

/* Sets masses[i], for every item i, to the mass that the table's rows give to it; of these,
 * alias_create_masses() makes the same table again.  For tables in host memory, as those of a GPU
 * are read row by row.  Returns an alias_status. */
int binding_table_masses(const alias_table *table, uint64_t *masses);

/* The text for a status of any of our libraries, after the calling thread's last call returned it:
 * one line without a full stop.  Valid until the thread's next call. */
const char *binding_error(int status);

/*
 * GPU memory, and DLPack tensors of it: memory.c.
 *
 * A *block* is a piece of GPU memory with a reference count, so that a tensor that another library
 * has taken over outlives the object that made it, without any call into an interpreter.  The
 * functions leave the thread's current GPU as it was.  A stream is a cudaStream_t; NULL is the
 * legacy default stream.
 */

typedef struct binding_block binding_block;

/* Allocates a block of so many bytes on a GPU, in the order of the stream; its count is 1. */
int binding_block_create(binding_block **out, int device, uint64_t bytes, void *stream);
void *binding_block_data(const binding_block *block);

/* Drops a reference; the last one waits for the GPU's work and frees the memory.  NULL is allowed.
 * Any thread, at any time, also while the process ends. */
void binding_block_release(binding_block *block);

/* Waits for the work of a stream of that GPU. */
int binding_wait(int device, void *stream);

/* Lets stream `later` wait for the work that is in stream `earlier` now, without waiting here. */
int binding_order(int device, void *earlier, void *later);

/* Copies bytes from a GPU's memory to the host's, after the work of the stream, and waits. */
int binding_copy_to_host(void *to, const void *from, uint64_t bytes, int device, void *stream);

/* Allocates a DLManagedTensorVersioned of DLPack 1.0 (versioned != 0), or a DLManagedTensor: a row
 * of `size` elements of `bits` bits from the start of the block on, of DLPack's type `code` (0 int,
 * 1 unsigned, 2 float).  It holds a reference to the block until its deleter is called.  NULL: out
 * of memory. */
void *binding_dlpack(binding_block *block, int64_t size, int code, int bits, int versioned);

/* The destructor of the capsule in which Python hands a tensor to another library: frees it if
 * nobody has taken it over.  This must work while the interpreter ends, when no Python code can
 * run, and so is a function of C. */
void binding_free_dlpack(void *capsule);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

/* Within this folder: keep a text for binding_error().  Returns the status. */
int binding_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
