/* What the parts of the engine ask a job.  Private to the engine and the command line. */
#ifndef APPS_ENGINE_JOB_H
#define APPS_ENGINE_JOB_H

#include "apps/engine/engine.h"

#define ENGINE_LIST_MEMORY ((uint64_t)128 << 20) /* bytes of buffers, for a list */

/* Bytes of an edge's weight: 0 without weights. */
int engine_weight_bytes(const engine_job *job);

/* Do the edges bring their weights? */
bool engine_has_own_weights(const engine_job *job);

/* Are the edges to be sorted?  Those of a sorted graph may be a list that comes in this order. */
bool engine_sorts(const engine_job *job);

/* Can a GPU sort it, if it is sorted?  A GPU sorts graphs of up to 2^32 rows and columns. */
bool engine_gpu_sorts(const engine_job *job);

/* Are loops left out of the graph, rather than never drawn?  How many shows late. */
bool engine_drops_loops(const engine_job *job);

/* Is the output in a format of other programs, rather than an HDF5 list or CSR? */
bool engine_is_foreign(const engine_job *job);

/* Is the graph sorted into an HDF5 file beside the output first, and then converted?  Formats with
 * row pointers need its edges more than once, and several ranks sort in an order of their own. */
bool engine_is_converted(const engine_job *job);

/* Do several ranks write in rounds (graphfile.h), because the place of an edge in the file depends
 * on all edges before it? */
bool engine_in_rounds(const engine_job *job);

/* The graph with so many edges, as other formats describe it. */
graphfile_graph engine_graph(const engine_job *job, uint64_t edges);

/* Can the format have ids of this type, and do they tell so many vertices apart (0: any)?  id_bytes
 * 0: chosen.  Returns an engine_status; the field is "id_type", or "id_bits" where only a width is
 * asked for. */
int engine_check_ids(graphfile_format format, int id_bytes, engine_sign sign, uint64_t vertices);

#endif
