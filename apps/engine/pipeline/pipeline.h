/*
 * pipeline.h - edges from a producer to the file, through a bounded set of buffers.
 *
 * A producer claims the next chunk, which comes with an empty buffer, fills it and submits it;
 * writers take the oldest that was submitted, write it and give the buffer back.  A slow disk so
 * holds the producer back.  The two are threads of their own: one that has just computed for long
 * would be scheduled late when its write is done, and leave the disk idle meanwhile.  Only where
 * edges are encoded, by CPUs that also make them, is it the same thread: encoding takes longest.
 *
 * Producers: apps/engine/pipeline/cpu.h, apps/engine/pipeline/gpu.h.  Edge i goes to place i
 * whoever made it.  Which edges are made may be somebody else's decision, as the run goes on: a
 * source tells.
 *
 * A CSR file has row pointers too, in chunks of their own kind.
 */
#ifndef APPS_ENGINE_PIPELINE_PIPELINE_H
#define APPS_ENGINE_PIPELINE_PIPELINE_H

#include "io/graphfile.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PIPELINE_WRITERS = 3 }; /* writes under way at once */

/* Edges, or row pointers of 8 bytes, [first, first + count). */
typedef enum { PIPELINE_EDGES, PIPELINE_POINTERS } pipeline_kind;
typedef struct {
    pipeline_kind kind;
    uint64_t first, count;
} pipeline_span;

typedef struct {
    uint64_t edges;       /* of the run, or about as many as a source will ask for; of CSR and what
                             takes the bytes of its pointers */
    int id_bytes;         /* 4 or 8 */
    int weight_bytes;     /* 4, or 0: no weights */
    bool csr;             /* no src */
    uint64_t chunk;       /* edges per buffer; of CSR even, so that it holds whole pointers */
    int generators;       /* chunks in the making at once */
    int writers, buffers; /* writers 0: who made a chunk writes it */
} pipeline_plan;

/*
 * Choose chunk and buffers for a number of chunks in the making at once (a CPU's threads), so that
 * all buffers together take at most `memory` bytes and no more than the graph.  chunk 0: chosen
 * here.  Returns 0, or -1 where not even one buffer fits.
 */
int pipeline_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                       int at_once, uint64_t chunk, uint64_t memory);

/*
 * For a sorted graph: as many buffers as fit into `memory` bytes, within reason, for they keep the
 * disk busy while the next interval is made.  edges: with those that take the bytes of pointers.
 */
int pipeline_make_sorted_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                              bool csr, int at_once, uint64_t chunk, uint64_t memory);

/* The same where chunks are encoded before they are written, by so many threads at once: their
 * buffers are smaller, since what becomes of them takes memory, too.  encoders 0: those that make
 * them, while they are in the processor's cache.  gpu: one fills them. */
int pipeline_make_encoded_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int weight_bytes,
                               int at_once, int encoders, bool gpu, uint64_t chunk,
                               uint64_t memory);

/* Threads that encode and write, for so many processors: while some wait for the disk, as many
 * compute as there are processors. */
static inline int pipeline_encoders(int processors)
{
    return processors + processors / 2 + 2;
}

/* Chunks of the plan are encoded as they are written: by so many writers at once, with as many
 * buffers more as fit into `memory` bytes. */
void pipeline_add_encoders(pipeline_plan *plan, int encoders, uint64_t memory);

/* The most edges per chunk of which one buffer fits into `memory` bytes. */
uint64_t pipeline_max_chunk(uint64_t memory, int id_bytes, int weight_bytes);

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan); /* all together */
size_t pipeline_chunk_bytes(const pipeline_plan *plan);    /* one buffer */
size_t pipeline_column_bytes(const pipeline_plan *plan);   /* of it, src or dst */

/* A run, as its producers see it. */
typedef struct pipeline pipeline;

/* What is to be made, and the buffer that it belongs in: host memory for plan->chunk elements each,
 * dst behind src and weight behind dst, all on multiples of edgefile_alignment().  Pointers go to
 * dst. */
typedef struct pipeline_chunk {
    pipeline_span what;
    void *src, *dst, *weight; /* src NULL: of CSR; weight NULL: there are none */
    uint64_t fingerprint;     /* of these edges, set by the producer; 0 of pointers */
    uint64_t number; /* in the order in which chunks are claimed, from 0 or sink->number on */
    struct pipeline_chunk *next; /* the pipeline's */
} pipeline_chunk;

/*
 * What makes edges.  run() is called in `threads` threads at once.  Each claims, fills and submits
 * until pipeline_claim() has no more.  It returns 0, or -1 with `text` saying what failed; then
 * nothing writes to what it claimed any more.
 */
typedef struct {
    int (*run)(void *state, pipeline *p, char *text, size_t size);
    void *state;
    int threads;
} pipeline_producer;

/* The next chunk to make.  wait: as soon as a buffer is empty; NULL then means that all is claimed,
 * or that the run was stopped.  Without wait NULL may also mean that no buffer is empty. */
pipeline_chunk *pipeline_claim(pipeline *p, bool wait);

/* The next chunk of pointers, likewise; NULL, too, where edges come next. */
pipeline_chunk *pipeline_claim_pointers(pipeline *p);
void pipeline_submit(pipeline *p, pipeline_chunk *chunk); /* it is filled */

bool pipeline_stopped(const pipeline *p);
const pipeline_plan *pipeline_plan_of(const pipeline *p);
void *pipeline_memory(const pipeline *p); /* all buffers, pipeline_buffer_bytes() of them */

/* Ends the run; the first such message is the one of its result. */
void pipeline_fail(pipeline *p, const char *message);

/*
 * What is to be made comes from here, span by span.  next() is called from one thread, one span
 * ahead of what is being made.  Returns 1: a span; 0: no more, or it failed; -1: none yet, ask
 * again.  It may take long if it returns soon after pipeline_stopped() is true.
 */
typedef struct {
    int (*next)(void *state, pipeline *p, pipeline_span *span);
    void *state;
} pipeline_source;

/*
 * Where chunks go.  write() is called by plan->writers threads at once, or by those of the
 * producer, and returns NULL or what failed, valid in that thread.  in_order: chunks are given out
 * by ascending numbers, so that whoever waits for an earlier one waits for another call.  stop(),
 * or NULL, is called when the run stops early: calls of write() that wait return.
 */
typedef struct {
    const char *(*write)(void *state, const pipeline_chunk *c);
    void (*stop)(void *state);
    void *state;
    bool in_order;
    uint64_t number; /* of the first chunk */
} pipeline_sink;

/* plan.c: a writer of this format, which is borrowed. */
pipeline_sink pipeline_to_file(graphfile_writer *writer, graphfile_format format);

/* Called about ten times a second with the number of edges written.  Nonzero stops the pipeline. */
typedef int (*pipeline_tick)(void *argument, uint64_t done);

enum { PIPELINE_TEXT = 2048 };

typedef struct {
    uint64_t done;
    uint64_t fingerprint; /* of the edges done */
    bool stopped;         /* by the tick */
    const char *error;    /* NULL, or what failed first; static or of `text` */
    char text[PIPELINE_TEXT];
} pipeline_result;

/* Run to the end, to the first error or until stopped.  source NULL: edges [0, plan->edges).
 * Returns 0 if every edge was done, else -1 with *result saying why. */
int pipeline_run(const pipeline_plan *plan, const pipeline_source *source,
                 const pipeline_producer *producer, const pipeline_sink *sink, pipeline_tick tick,
                 void *argument, pipeline_result *result);

#endif
