#include "apps/pipeline.h"
#include "apps/huge_alloc.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MIN_CHUNK = 1 << 14, MAX_BUFFER = 16 << 20, TICK_NANOSECONDS = 100000000 };

typedef struct buffer {
    struct buffer *next; /* in its list */
    void *src, *dst;
    uint64_t first, count;
} buffer;

typedef struct {
    buffer *head, **tail;
    pthread_cond_t filled;
} list;

typedef struct {
    const pipeline_plan *plan;
    const rmat_gen *gen;
    edgefile_writer *writer;
    atomic_uint_fast64_t next, done;
    atomic_bool stop;
    pthread_mutex_t lock; /* guards all below, and result */
    pthread_cond_t ended;
    pipeline_result *result;
    list empty, full;        /* buffers to generate into, and to write */
    int generating, running; /* generators, and threads in all, that have not ended */
} pipeline;

static size_t column_bytes(const pipeline_plan *plan)
{
    size_t align = edgefile_alignment();

    return ((size_t)plan->chunk * (size_t)plan->id_bytes + align - 1) / align * align;
}

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan)
{
    return 2 * (uint64_t)column_bytes(plan) * (uint64_t)plan->buffers;
}

uint64_t pipeline_max_chunk(uint64_t memory, int id_bytes)
{
    size_t align = edgefile_alignment();

    return memory / 2 / align * align / (uint64_t)id_bytes;
}

int pipeline_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int threads,
                       edgefile_path path, uint64_t chunk, uint64_t memory)
{
    uint64_t bytes, chunks;

    plan->edges = edges;
    plan->id_bytes = id_bytes;
    plan->generators = threads;
    plan->writers = path == EDGEFILE_PATH_HDF5 ? 1 : PIPELINE_WRITERS;
    plan->buffers = plan->generators + plan->writers + 1;
    plan->chunk = chunk;
    if (chunk == 0) {
        uint64_t share = memory / (uint64_t)plan->buffers;

        plan->chunk = MAX_BUFFER / (2 * (uint64_t)id_bytes);
        /* Halve until the buffers fit, and until a small graph has work for everyone. */
        while (plan->chunk > MIN_CHUNK && (plan->chunk * 2 * (uint64_t)id_bytes > share ||
                                           edges / plan->chunk < (uint64_t)plan->buffers)) {
            plan->chunk /= 2;
        }
    }
    bytes = 2 * (uint64_t)column_bytes(plan);
    if (bytes > memory) {
        return -1;
    }
    if (memory / bytes < (uint64_t)plan->buffers) {
        plan->buffers = (int)(memory / bytes);
    }
    chunks = edges / plan->chunk + (edges % plan->chunk != 0);
    if (chunks < (uint64_t)plan->buffers) {
        plan->buffers = chunks > 0 ? (int)chunks : 1;
    }
    if (plan->generators > plan->buffers) {
        plan->generators = plan->buffers;
    }
    if (plan->writers > plan->buffers) {
        plan->writers = plan->buffers;
    }
    return 0;
}

static void stop(pipeline *p)
{
    atomic_store(&p->stop, true);
    pthread_cond_broadcast(&p->empty.filled);
    pthread_cond_broadcast(&p->full.filled);
}

/* The first message wins; everyone stops. */
static void fail(pipeline *p, const char *message)
{
    pthread_mutex_lock(&p->lock);
    if (p->result->error == NULL) {
        snprintf(p->result->text, sizeof p->result->text, "%s", message);
        p->result->error = p->result->text;
    }
    stop(p);
    pthread_mutex_unlock(&p->lock);
}

static void put(pipeline *p, list *l, buffer *b)
{
    pthread_mutex_lock(&p->lock);
    b->next = NULL;
    *l->tail = b;
    l->tail = &b->next;
    pthread_cond_signal(&l->filled);
    pthread_mutex_unlock(&p->lock);
}

/* The oldest buffer of a list, waiting for one.  NULL: stopped, or none will ever be filled. */
static buffer *take(pipeline *p, list *l)
{
    buffer *b = NULL;

    pthread_mutex_lock(&p->lock);
    while (l->head == NULL && !atomic_load(&p->stop) && (l == &p->empty || p->generating > 0)) {
        pthread_cond_wait(&l->filled, &p->lock);
    }
    if (l->head != NULL && !atomic_load(&p->stop)) {
        b = l->head;
        l->head = b->next;
        if (l->head == NULL) {
            l->tail = &l->head;
        }
    }
    pthread_mutex_unlock(&p->lock);
    return b;
}

/* Generate and hash block by block, while the block is in the cache. */
static int fill(pipeline *p, uint64_t first, uint64_t count, void *src, void *dst,
                uint64_t *fingerprint)
{
    size_t id_bytes = (size_t)p->plan->id_bytes;

    for (uint64_t at = 0; at < count && !atomic_load(&p->stop); at += PIPELINE_BLOCK) {
        uint64_t n = count - at < PIPELINE_BLOCK ? count - at : PIPELINE_BLOCK;
        void *s = (char *)src + at * id_bytes, *d = (char *)dst + at * id_bytes;
        int status = id_bytes == 4 ? rmat_generate32(p->gen, first + at, n, s, d)
                                   : rmat_generate(p->gen, first + at, n, s, d);

        if (status != RMAT_OK) {
            return status;
        }
        *fingerprint += rmat_fingerprint(s, d, n, p->plan->id_bytes);
    }
    return RMAT_OK;
}

/* All threads begin when all are there: to start threads beside many busy ones takes long. */
static pipeline *begin(void *argument)
{
    pipeline *p = argument;

    pthread_mutex_lock(&p->lock);
    pthread_mutex_unlock(&p->lock);
    return p;
}

static void *generate(void *argument)
{
    pipeline *p = begin(argument);
    uint64_t fingerprint = 0;
    buffer *b;

    while ((b = take(p, &p->empty)) != NULL) {
        int status;

        b->first = atomic_fetch_add(&p->next, p->plan->chunk);
        if (b->first >= p->plan->edges) {
            put(p, &p->empty, b);
            break;
        }
        b->count =
            p->plan->edges - b->first < p->plan->chunk ? p->plan->edges - b->first : p->plan->chunk;
        status = fill(p, b->first, b->count, b->src, b->dst, &fingerprint);
        if (status != RMAT_OK) {
            fail(p, rmat_strerror(status));
        }
        if (p->writer == NULL && !atomic_load(&p->stop)) {
            atomic_fetch_add(&p->done, b->count);
        }
        put(p, p->writer != NULL ? &p->full : &p->empty, b);
    }
    pthread_mutex_lock(&p->lock);
    p->result->fingerprint += fingerprint;
    p->generating--;
    p->running--;
    pthread_cond_broadcast(&p->full.filled);
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static void *write_out(void *argument)
{
    pipeline *p = begin(argument);
    buffer *b;

    while ((b = take(p, &p->full)) != NULL) {
        if (edgefile_write(p->writer, b->first, b->count, b->src, b->dst) != EDGEFILE_OK) {
            fail(p, edgefile_detail());
        } else {
            atomic_fetch_add(&p->done, b->count);
        }
        put(p, &p->empty, b);
    }
    pthread_mutex_lock(&p->lock);
    p->running--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Start the threads; signals stay with the main thread.  Returns how many there are. */
static int start_threads(pipeline *p, pthread_t *threads)
{
    const int generators = p->plan->generators, writers = p->writer != NULL ? p->plan->writers : 0;
    sigset_t all, before;
    int started = 0, error = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&p->lock);
    while (started < generators + writers && error == 0) {
        /* Writers first: as many generators as the system gives will do. */
        bool writes = started < writers;

        error = pthread_create(&threads[started], NULL, writes ? write_out : generate, p);
        if (error == 0) {
            started++;
            p->running++;
            p->generating += !writes;
        }
    }
    pthread_mutex_unlock(&p->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started <= writers) {
        fail(p, strerror(error));
    }
    return started;
}

/* Tick until the last thread has ended. */
static void supervise(pipeline *p, pipeline_tick tick, void *argument)
{
    struct timespec wake;

    pthread_mutex_lock(&p->lock);
    while (p->running > 0) {
        clock_gettime(CLOCK_MONOTONIC, &wake);
        wake.tv_nsec += TICK_NANOSECONDS;
        wake.tv_sec += wake.tv_nsec / 1000000000;
        wake.tv_nsec %= 1000000000;
        while (p->running > 0 && pthread_cond_timedwait(&p->ended, &p->lock, &wake) != ETIMEDOUT) {
        }
        if (p->running > 0 && !atomic_load(&p->stop)) {
            pthread_mutex_unlock(&p->lock);
            if (tick(argument, atomic_load(&p->done)) != 0) {
                p->result->stopped = true;
                pthread_mutex_lock(&p->lock);
                stop(p);
            } else {
                pthread_mutex_lock(&p->lock);
            }
        }
    }
    pthread_mutex_unlock(&p->lock);
}

static void init_list(list *l)
{
    l->tail = &l->head;
    pthread_cond_init(&l->filled, NULL);
}

/* All buffers in one allocation; NULL if memory is exhausted. */
static void *fill_empty_list(pipeline *p, buffer *buffers)
{
    size_t column = column_bytes(p->plan);
    void *memory = huge_alloc(2 * column * (size_t)p->plan->buffers);

    for (int i = 0; memory != NULL && i < p->plan->buffers; i++) {
        buffers[i].src = (char *)memory + 2 * column * (size_t)i;
        buffers[i].dst = (char *)buffers[i].src + column;
        put(p, &p->empty, &buffers[i]);
    }
    return memory;
}

int pipeline_run(const pipeline_plan *plan, const rmat_gen *gen, edgefile_writer *writer,
                 pipeline_tick tick, void *argument, pipeline_result *result)
{
    pipeline p = {.plan = plan, .gen = gen, .writer = writer, .result = result};
    pthread_t *threads = calloc((size_t)(plan->generators + plan->writers), sizeof *threads);
    buffer *buffers = calloc((size_t)plan->buffers, sizeof *buffers);
    pthread_condattr_t monotonic;
    void *memory = NULL;
    int started = 0;

    memset(result, 0, sizeof *result);
    pthread_mutex_init(&p.lock, NULL);
    init_list(&p.empty);
    init_list(&p.full);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);

    if (threads != NULL && buffers != NULL) {
        memory = fill_empty_list(&p, buffers);
    }
    if (memory == NULL) {
        fail(&p, "memory is exhausted");
    } else {
        started = start_threads(&p, threads);
    }
    supervise(&p, tick, argument);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    result->done = atomic_load(&p.done);

    pthread_cond_destroy(&p.ended);
    pthread_cond_destroy(&p.full.filled);
    pthread_cond_destroy(&p.empty.filled);
    pthread_mutex_destroy(&p.lock);
    free(memory);
    free(buffers);
    free(threads);
    return result->error == NULL && !result->stopped ? 0 : -1;
}
