/*
 * pipeline.h - edges from a producer to the file, through a bounded set of buffers.
 *
 * A producer claims the next chunk with an empty buffer, fills it and submits it.  A writer takes
 * the first submitted chunk, writes it and returns the buffer.  So a slow disk slows down the
 * producer.  Edge i goes to place i of the file, for any producer.
 *
 * Producers and writers are different threads.  A thread that has computed for a long time would be
 * scheduled late after its write, and leave the disk idle.  If the CPU both makes and encodes the
 * edges, one thread makes, encodes and writes a chunk, because encoding takes longest.
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

/* --- Buffers --- */

enum {
    PIPELINE_WRITERS = 3,    /* writes in progress at a time */
    PIPELINE_GPU_CHUNKS = 3, /* chunks in progress on a GPU: one computed, one copied, one spare */
    PIPELINE_BLOCK = 1 << 15 /* edges that a CPU makes and hashes at a time: two arrays fit in L2 */
};

/*
 * Bytes of src and dst of a buffer, at most.  On an H200 buffers of 4, 8 and 16 MiB take 49, 51.8
 * and 52 GB/s from the GPU, and the first write begins after 3.5, 5 and 9 ms.
 */
enum {
    PIPELINE_BUFFER = 16 << 20,
    PIPELINE_GPU_BUFFER = 8 << 20,     /* also to encode: a GPU needs as long for fewer edges */
    PIPELINE_ENCODED_BUFFER = 2 << 20, /* its encoded form takes memory, too */
    PIPELINE_CACHED_BUFFER = 1 << 20   /* encoded by the thread that made it */
};

typedef struct {
    uint64_t edges;       /* of the run, or the approximate number from a source; for CSR with its
                             pointers, each as the ids that take as many bytes */
    int id_bytes;         /* 4 or 8 */
    int weight_bytes;     /* 4, or 0: no weights */
    bool csr;             /* without src */
    uint64_t chunk;       /* edges per buffer */
    int generators;       /* chunks in progress at a time */
    int writers, buffers; /* writers 0: the thread that made a chunk writes it */
} pipeline_plan;

/*
 * Chooses the buffers of a plan whose other members are set, for at most `memory` bytes and no more
 * than the graph takes.  chunk 0: chosen, with ids of at most `largest` bytes.  There are enough
 * buffers for generators and writers, or up to `most`, which keep the disk busy while edges are
 * late; if fewer fit, there are fewer generators and writers.  Returns 0, or RMAT_ERR_NOMEM if not
 * even one buffer fits.
 */
int pipeline_make_plan(pipeline_plan *plan, uint64_t memory, uint64_t largest, int most);

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan); /* all together */
size_t pipeline_chunk_bytes(const pipeline_plan *plan);    /* one buffer */
size_t pipeline_column_bytes(const pipeline_plan *plan);   /* src or dst of one buffer */

/* --- A run, for its producers --- */

typedef struct pipeline pipeline;

/* A span to make, and its buffer: host memory for plan->chunk elements of src, dst and weight. dst
 * follows src, and weight follows dst, each at a multiple of edgefile_alignment().  Pointers go to
 * dst. */
typedef struct pipeline_chunk {
    pipeline_span what;
    void *memory;                /* of these: */
    void *src, *dst, *weight;    /* src NULL: CSR; weight NULL: no weights */
    bool pinned;                 /* the GPU's producer has registered the memory with CUDA */
    uint64_t fingerprint;        /* of these edges, set by the producer; 0 for pointers */
    uint64_t number;             /* counts claimed chunks, from 0 or sink->number on */
    struct pipeline_chunk *next; /* the pipeline's */
} pipeline_chunk;

/*
 * A producer of edges.  The pipeline calls run() in `threads` threads at the same time.  Each
 * thread claims, fills and submits chunks until pipeline_claim() has no more, or calls
 * pipeline_fail().  When run() has returned, nothing writes to its claimed chunks.
 *
 * The other members belong to the two producers below, of a CPU and of a GPU. fill() writes edges
 * to all three arrays, or pointers to to->dst, and returns 0 or an rmat_status.  On a CPU any
 * number of threads call it at the same time.  On a GPU it starts the same work in a stream, in
 * device memory. filled(), which may be NULL, is called after a chunk is filled, and for edges that
 * the sink does not want.
 */
typedef struct {
    void (*run)(pipeline *p);
    void *state;
    int threads;
    int (*fill)(void *state, const pipeline_span *what, const rmat_arrays *to, void *stream);
    void (*filled)(void *state, const pipeline_span *what);
    int device;
} pipeline_producer;

/* Returns the next chunk to make. wait: the call waits for an empty buffer, and NULL means that all
 * is claimed or that the run was stopped.  Without wait, NULL may also mean that no buffer is
 * empty. */
pipeline_chunk *pipeline_claim(pipeline *p, bool wait);
void pipeline_submit(pipeline *p, pipeline_chunk *chunk); /* the chunk is filled */

/* Ends the run.  The first such message is the failure of the run. */
void pipeline_fail(pipeline *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* --- Producers of the edges of a stream; of something else with another fill and state --- */

/* On the CPU, where each thread fills one chunk at a time: pipeline.c.  gen, which is borrowed,
 * generates in the calling thread (config.threads 1). */
pipeline_producer pipeline_cpu(const rmat_gen *gen, int threads);

/* On a GPU, for a plan with PIPELINE_GPU_CHUNKS generators: gpu.c.  One thread keeps these chunks
 * in flight, each with a stream of its own.  pipeline_gpu_bytes(): the GPU memory that it takes. */
#ifdef RMAT_HAVE_CUDA
pipeline_producer pipeline_gpu(const rmat_gen *gen);
uint64_t pipeline_gpu_bytes(const pipeline_plan *plan);
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

/* --- Runs --- */

/*
 * The spans to make: `first`, then, unless next is NULL, those from next().  One thread calls
 * next(), one span ahead of the span in progress.  It returns whether there was one more, and false
 * after it called pipeline_fail().  It may wait for a span, but must return soon after p->stop is
 * true.
 */
typedef struct {
    bool (*next)(void *state, pipeline *p, pipeline_span *span);
    void *state;
    pipeline_span first;
} pipeline_source;

/*
 * Receives the chunks. plan->writers threads, or those of the producer, call write() at the same
 * time.  It returns NULL, or a description of the failure that is valid in that thread. in_order:
 * chunks are passed on by ascending numbers, so a call that waits for an earlier chunk waits for
 * another call. stop(), which may be NULL, is called when the run stops early; waiting calls of
 * write() then return.  Edges that the sink does not want are not made; a source for such a sink
 * gives its spans in ascending order.
 */
typedef struct engine_sink {
    const char *(*write)(void *state, const pipeline_chunk *c);
    void (*stop)(void *state);
    void *state;
    bool in_order;
    uint64_t number;            /* of the first chunk */
    const pipeline_span *spans; /* the wanted edges, in ascending order; NULL: all */
    size_t n_spans;
} pipeline_sink;

/* apps/engine/write.c: a sink that writes to a file of this format; the writer is borrowed. */
pipeline_sink pipeline_to_file(graphfile_writer *writer, graphfile_format format);

/* Called about ten times a second with result->done.  Nonzero stops the pipeline. */
typedef int (*pipeline_tick)(void *argument, uint64_t done);

typedef struct {
    uint64_t done;
    uint64_t fingerprint; /* of the edges done */
} pipeline_result;

/* A run.  Producers and sources read the members before the lock. */
struct pipeline {
    const pipeline_plan *plan;
    const pipeline_producer *producer;
    const pipeline_source *source;
    const pipeline_sink *sink;
    void *memory; /* of all buffers */
    pipeline_chunk *chunks;
    atomic_bool stop; /* the run ends early; written under the lock */

    pthread_mutex_t lock; /* guards all below, and result */
    pthread_cond_t to_make, to_write, to_feed, ended;
    pipeline_result *result;
    int status;               /* of pipeline_run() */
    char error[2048];         /* the first failure */
    pipeline_span now, ahead; /* spans not claimed yet */
    bool fed;                 /* no span comes after these */
    size_t wanted;            /* the first of the sink's spans that is not passed */
    pipeline_chunk *empty;
    pipeline_chunk *full;    /* by their numbers */
    uint64_t claimed, given; /* chunks: numbers of the next to claim and to write */
    pthread_t *threads;
    int helpers, started; /* threads that write or feed; threads in all */
    int present;          /* that have begun */
    int making, running;  /* producers' threads, and threads in all, that have not ended */
};

/* Runs to the end, to the first error or until stopped, and adds to *result what was done.  Returns
 * an engine_status (job.h): OK if everything was done, STOPPED by the tick, or ERR_RUN. */
int pipeline_run(const pipeline_plan *plan, const pipeline_source *source,
                 const pipeline_producer *producer, const pipeline_sink *sink, pipeline_tick tick,
                 void *argument, pipeline_result *result);

#endif
