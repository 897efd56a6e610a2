/*
 * python.h - what Python's objects need of C beside graph.h and memory.h: capsules that free what
 * they hold, streams of Arrow record batches, what diagrams of degrees show, and what an alias
 * table is made of.
 */
#ifndef APPS_BINDING_PYTHON_H
#define APPS_BINDING_PYTHON_H

#include "alias/alias.h"
#include "apps/binding/graph.h"
#include "rmat/rmat_interval.h"
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Capsules hand a C struct to another library: DLPack tensors and Arrow streams.  If nobody takes
 * it over, the capsule's destructor frees it, and this must work while the interpreter ends, when
 * no Python code can run.  The destructors are therefore C functions; the library is not linked to
 * Python, so it is told two of its functions: PyCapsule_GetPointer() and PyCapsule_IsValid().
 */
void binding_use_capsules(void *(*get_pointer)(void *capsule, const char *name),
                          int (*is_valid)(void *capsule, const char *name));
void binding_free_dlpack(void *capsule);       /* destructors */
void binding_free_arrow_stream(void *capsule); /* of "arrow_array_stream" */

/*
 * Who reads an Arrow stream to its end in one call, as pyarrow does, does not look at signals.  The
 * stream does, between two batches that are asked for in the main thread: if Ctrl-C has been
 * pressed, it ends with EINTR, and Python sees the signal after that.  For this it is told of
 * PyGILState_Ensure(), PyGILState_Release(), PyOS_InterruptOccurred() and PyErr_SetInterrupt().
 */
void binding_use_signals(int (*ensure)(void), void (*release)(int), int (*occurred)(void),
                         void (*again)(void));

/*
 * Allocates an ArrowArrayStream of Arrow's C stream interface: edges [first, end) in record batches
 * of `batch` edges, with the columns src and dst (signed integers of id_bytes bytes, not NULL) and,
 * with weights, weight.  interval: NULL for the generator's list; else, sorted, the source of the
 * edges.  The stream holds a reference to the graph and owns its generator and the interval, on
 * failure too.  Returns NULL if memory is exhausted.
 */
void *binding_arrow_stream(rmat_graph *graph, rmat_gen *gen, rmat_interval *interval,
                           uint64_t first, uint64_t end, uint64_t batch, int id_bytes, int weights);

/* The borders of the bins that `rmat plot` counts degrees in: bin i has the degrees from first[i]
 * to first[i + 1] - 1; first has room for RMAT_BINS + 1.  step: 2 where all degrees are even, else
 * 1.  Returns the number of bins, of which the last has `largest`. */
int binding_degree_bins(uint64_t largest, int step, uint64_t *first);

/*
 * Sets vertices[0..bins) to the numbers of vertices that a graph's model makes one expect in each
 * bin.  kind: an rmat_degree_kind.  draws: of the stream, where the graph's facts do not know them
 * (rmat_graph_facts.distinct), reverse edges included; else 0.  Returns 1; 0 if the model of the
 * graph is not known or has no expectation; or a negative status.
 */
int binding_expected_degrees(const rmat_graph *graph, uint64_t draws, int kind,
                             const uint64_t *first, int bins, double *vertices);

/* Sets masses[i], for every item i, to the mass that the table's rows give to it; of these,
 * alias_create_masses() makes the same table again.  For tables in host memory, as those of a GPU
 * are read row by row.  Returns an alias_status. */
int binding_table_masses(const alias_table *table, uint64_t *masses);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
