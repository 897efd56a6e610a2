/*
 * pipeline.h - edges from the generator to the file, through a bounded set of buffers.
 *
 * Generators take an empty buffer, claim the next chunk, fill the buffer and queue it; writers take
 * the oldest of the queue, write it and give the buffer back.  A slow disk so holds the generators
 * back.  The two are threads of their own: one that has just computed for long would be scheduled
 * late when its write is done, and leave the disk idle meanwhile.
 */
#ifndef APPS_PIPELINE_H
#define APPS_PIPELINE_H

#include "io/edgefile.h"
#include "rmat/rmat.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    PIPELINE_BLOCK = 1 << 15, /* edges generated and hashed at a time: two arrays within L2 */
    PIPELINE_WRITERS = 3      /* writes under way at once; HDF5 takes one */
};

typedef struct {
    uint64_t edges;
    int id_bytes;   /* 4 or 8 */
    uint64_t chunk; /* edges per buffer */
    int generators, writers, buffers;
} pipeline_plan;

/*
 * Choose chunk and buffers for a number of generating threads, so that all buffers together take at
 * most `memory` bytes and no more than the graph.  chunk 0: chosen here.  Returns 0, or -1 where
 * not even one buffer fits.
 */
int pipeline_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int threads,
                       edgefile_path path, uint64_t chunk, uint64_t memory);

/* The most edges per chunk of which one buffer fits into `memory` bytes. */
uint64_t pipeline_max_chunk(uint64_t memory, int id_bytes);

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan); /* all together */

/* Called about ten times a second with the number of edges done (written, or generated where there
 * is no writer).  Nonzero stops the pipeline. */
typedef int (*pipeline_tick)(void *argument, uint64_t done);

typedef struct {
    uint64_t done;
    uint64_t fingerprint; /* of the edges done */
    bool stopped;         /* by the tick */
    const char *error;    /* NULL, or what failed first; static or of `text` */
    char text[1024];
} pipeline_result;

/* Run to the end, to the first error or until stopped.  writer NULL: generate only.  Edge i goes to
 * place i.  Returns 0 if every edge was done, else -1 with *result saying why. */
int pipeline_run(const pipeline_plan *plan, const rmat_gen *gen, edgefile_writer *writer,
                 pipeline_tick tick, void *argument, pipeline_result *result);

#endif
