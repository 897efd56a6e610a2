/* Edges for the pipeline from the CPU: each thread fills one chunk at a time. */
#ifndef APPS_ENGINE_PIPELINE_CPU_H
#define APPS_ENGINE_PIPELINE_CPU_H

#include "apps/engine/pipeline/pipeline.h"
#include "rmat/rmat.h"

enum { PIPELINE_BLOCK = 1 << 15 }; /* edges generated and hashed at a time: two arrays within L2 */

/* What fills pieces of chunks, in any number of threads at once: all edges or all pointers. */
typedef struct {
    /* Edges into all three arrays, pointers into to->dst.  *fingerprint is that of the edges.
     * Returns 0 or an rmat_status. */
    int (*fill)(void *state, const pipeline_span *what, const rmat_arrays *to,
                uint64_t *fingerprint);
    void (*filled)(void *state, const pipeline_span *what); /* a chunk is, or NULL */
    void *state;
} pipeline_filler;

/* filler is borrowed. */
pipeline_producer pipeline_cpu_filled(const pipeline_filler *filler, int threads);

/* The edges of the stream.  gen generates in the calling thread (config.threads 1), and is
 * borrowed. */
pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads);

#endif
