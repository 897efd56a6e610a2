/* What the files of the pipeline share.  Private. */
#ifndef APPS_ENGINE_PIPELINE_PRIVATE_H
#define APPS_ENGINE_PIPELINE_PRIVATE_H

#include "apps/engine/pipeline/pipeline.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    pipeline_chunk *head, **tail;
} pipeline_list;

typedef struct {
    uint64_t next, end; /* edges */
} pipeline_span;

struct pipeline {
    const pipeline_plan *plan;
    const pipeline_source *source; /* or NULL */
    const pipeline_producer *producer, *fallback;
    const pipeline_sink *sink; /* or NULL */
    void *memory;              /* of all buffers */
    atomic_bool stop;          /* written under the lock */

    pthread_mutex_t lock; /* guards all below, and result */
    pthread_cond_t to_make, to_write, to_feed, ended;
    pipeline_result *result;
    pipeline_span now, ahead;            /* what nobody claimed yet */
    bool fed;                            /* no span comes after these */
    pipeline_list empty, returned, full; /* returned: claimed once, and still to be made */
    uint64_t claimed, given;             /* chunks: numbers of the next to claim and to write */
    int making, running; /* producers' threads, and threads in all, that have not ended */
    pthread_t *threads;
    int started; /* of them */
};

void pipeline_chunks_init(pipeline *p, pipeline_chunk *chunks); /* all buffers are empty */

/* The oldest chunk to write, waiting for one.  NULL: stopped, or none will ever come. */
pipeline_chunk *pipeline_next_to_write(pipeline *p);

/* Its edges are where they belong, or were not wanted; the buffer is free. */
void pipeline_finish(pipeline *p, pipeline_chunk *c);

/* Ask the source for a span whenever none is ahead, until it has no more. */
void pipeline_feed(pipeline *p);

#endif
