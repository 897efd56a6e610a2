/*
 * pipeline.h - edges from a producer to the file, through a bounded set of buffers.
 *
 * A producer claims the next chunk, which comes with an empty buffer, fills it and submits it;
 * writers take the first that was submitted, write it and give the buffer back.  A slow disk so
 * holds the producer back.  The two are threads of their own: one that has just computed for long
 * would be scheduled late when its write is done, and leave the disk idle meanwhile.  Only where
 * edges are encoded, by CPUs that also make them, is it the same thread: encoding takes longest.
 *
 * Edge i goes to place i whoever made it.  A CSR file has row pointers too, in chunks of their own
 * kind.
 */
#ifndef APPS_ENGINE_PIPELINE_PIPELINE_H
#define APPS_ENGINE_PIPELINE_PIPELINE_H

#include "io/graphfile.h"
#include "rmat/rmat.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Edges, or row pointers of 8 bytes, [first, first + count). */
typedef enum { PIPELINE_EDGES, PIPELINE_POINTERS } pipeline_kind;
typedef struct {
    pipeline_kind kind;
    uint64_t first, count;
} pipeline_span;

/* --- Buffers: plan.c --- */

enum {
    PIPELINE_WRITERS = 3,    /* writes under way at once */
    PIPELINE_GPU_CHUNKS = 3, /* in the making on a GPU: one computed, one copied, one to spare */
    PIPELINE_BLOCK = 1 << 15 /* edges that a CPU makes and hashes at a time: two arrays within L2 */
};

/*
 * Bytes of src and dst of a buffer, at most.  On an H200 buffers of 4, 8 and 16 MiB take 49, 51.8
 * and 52 GB/s from the GPU, and the first write begins after 3.5, 5 and 9 ms.
 */
enum {
    PIPELINE_BUFFER = 16 << 20,
    PIPELINE_GPU_BUFFER = 8 << 20,
    PIPELINE_ENCODED_BUFFER = 2 << 20,    /* what becomes of it takes memory, too */
    PIPELINE_CACHED_BUFFER = 1 << 20,     /* encoded by the thread that made it */
    PIPELINE_GPU_ENCODED_BUFFER = 8 << 20 /* a GPU takes as long to be asked for less */
};

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
 * Choose the buffers of a plan whose other members say what is wanted; chunk 0: chosen here.  All
 * together they take at most `memory` bytes and no more than the graph, and where chunks are chosen
 * one takes at most `largest` for its ids.  There are as many as generators and writers need, or
 * up to `most`, which keep the disk busy while edges are late.  Where fewer fit, there are fewer
 * generators and writers.  Returns 0, or -1 where not even one buffer fits.
 */
int pipeline_make_plan(pipeline_plan *plan, uint64_t memory, uint64_t largest, int most);

/* Threads that encode and write, for so many processors: while some wait for the disk, as many
 * compute as there are processors. */
static inline int pipeline_encoders(int processors)
{
    return processors + processors / 2 + 2;
}

/* Chunks of the plan go to something that wants the sources, of CSR too, and takes as long as
 * making the edges: writers as for encoding, and as many buffers more as fit into `memory` bytes.
 */
void pipeline_plan_sink(pipeline_plan *plan, int processors, uint64_t memory);

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan); /* all together */
size_t pipeline_chunk_bytes(const pipeline_plan *plan);    /* one buffer */
size_t pipeline_column_bytes(const pipeline_plan *plan);   /* of it, src or dst */

/* --- A run, as its producers see it --- */

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
 *
 * The other members are those of the two producers below, of a CPU and of a GPU.  fill() makes
 * edges into all three arrays, or pointers into to->dst; *fingerprint, 0 before, is that of the
 * edges.  A CPU calls it in any number of threads at once.  On a GPU it starts the same in a
 * stream, in device memory.  It returns 0 or an rmat_status.  filled(), or NULL, is called when a
 * chunk is.
 */
typedef struct {
    int (*run)(pipeline *p, char *text, size_t size);
    void *state;
    int threads;
    int (*fill)(void *state, const pipeline_span *what, const rmat_arrays *to,
                uint64_t *fingerprint, void *stream);
    void (*filled)(void *state, const pipeline_span *what);
    int device;
} pipeline_producer;

/* The next chunk to make.  wait: as soon as a buffer is empty; NULL then means that all is claimed,
 * or that the run was stopped.  Without wait NULL may also mean that no buffer is empty. */
pipeline_chunk *pipeline_claim(pipeline *p, bool wait);
void pipeline_submit(pipeline *p, pipeline_chunk *chunk); /* it is filled */

/* Ends the run; the first such message is the one of its result. */
void pipeline_fail(pipeline *p, const char *message);

/* --- Producers of the edges of a stream; of something else with another fill and state --- */

/* On the CPU, where each thread fills one chunk at a time: cpu.c.  gen, which is borrowed,
 * generates in the calling thread (config.threads 1). */
pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads);

/* On a GPU, where one thread keeps a few chunks in flight, each on a stream of its own, from the
 * kernel through the fingerprint to the copy into the chunk's buffer: gpu.c.  For a plan with
 * PIPELINE_GPU_CHUNKS generators. */
#ifdef RMAT_HAVE_CUDA
pipeline_producer pipeline_gpu(const rmat_gen *gen);
uint64_t pipeline_gpu_bytes(const pipeline_plan *plan); /* that it allocates on the GPU */
#else /* no generator is of the GPU backend, and nothing here is called */
static inline pipeline_producer pipeline_gpu(const rmat_gen *gen)
{
    return (pipeline_producer){.state = (void *)gen};
}

static inline uint64_t pipeline_gpu_bytes(const pipeline_plan *plan)
{
    (void)plan;
    return 0;
}
#endif

/* --- Runs: pipeline.c --- */

/*
 * What is to be made: the span `first`, and then, unless next is NULL, what next() tells as the run
 * goes on.  It is called from one thread, one span ahead of what is being made.  Returns 1: a span;
 * 0: no more, or it failed; -1: none yet, ask again.  It may take long if it returns soon after
 * p->stop is true.
 */
typedef struct {
    int (*next)(void *state, pipeline *p, pipeline_span *span);
    void *state;
    pipeline_span first;
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

/* apps/engine/write.c: a writer of this format, which is borrowed. */
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

/* A run.  Producers and sources read the members before the lock. */
struct pipeline {
    const pipeline_plan *plan;
    const pipeline_producer *producer;
    const pipeline_source *source;
    const pipeline_sink *sink;
    void *memory;     /* of all buffers */
    atomic_bool stop; /* the run ends early; written under the lock */

    pthread_mutex_t lock; /* guards all below, and result */
    pthread_cond_t to_make, to_write, to_feed, ended;
    pipeline_result *result;
    pipeline_span now, ahead;            /* what nobody claimed yet */
    bool fed;                            /* no span comes after these */
    pipeline_chunk *empty, **last_empty; /* in the order in which they became so */
    pipeline_chunk *full;                /* by their numbers */
    uint64_t claimed, given;             /* chunks: numbers of the next to claim and to write */
    int making, running; /* producers' threads, and threads in all, that have not ended */
    pthread_t *threads;
    int started; /* of them */
};

/* Run to the end, to the first error or until stopped.  Returns 0 if everything was done, else -1
 * with *result saying why. */
int pipeline_run(const pipeline_plan *plan, const pipeline_source *source,
                 const pipeline_producer *producer, const pipeline_sink *sink, pipeline_tick tick,
                 void *argument, pipeline_result *result);

#endif
