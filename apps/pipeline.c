#include "apps/pipeline.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MIN_CHUNK = 1 << 14, MAX_BUFFER = 8 << 20, TICK_NANOSECONDS = 100000000 };

typedef struct {
    const pipeline_plan *plan;
    const rmat_gen *gen;
    edgefile_writer *writer;
    pipeline_result *result; /* under the lock */
    sem_t generate_slots, write_slots;
    atomic_uint_fast64_t next, done;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int running; /* workers, under the lock */
} pipeline;

static size_t column_bytes(const pipeline_plan *plan)
{
    size_t align = edgefile_alignment();

    return ((size_t)plan->chunk * (size_t)plan->id_bytes + align - 1) / align * align;
}

uint64_t pipeline_buffer_bytes(const pipeline_plan *plan)
{
    return 2 * (uint64_t)column_bytes(plan) * (uint64_t)plan->workers;
}

uint64_t pipeline_max_chunk(uint64_t memory, int id_bytes)
{
    size_t align = edgefile_alignment();

    return memory / 2 / align * align / (uint64_t)id_bytes;
}

int pipeline_make_plan(pipeline_plan *plan, uint64_t edges, int id_bytes, int threads,
                       edgefile_path path, uint64_t chunk, uint64_t memory)
{
    uint64_t buffer, chunks;

    plan->edges = edges;
    plan->id_bytes = id_bytes;
    plan->generators = threads;
    plan->writers = path == EDGEFILE_PATH_HDF5 ? 1 : PIPELINE_WRITERS;
    plan->workers = plan->generators + plan->writers + 1;
    plan->chunk = chunk;
    if (chunk == 0) {
        uint64_t share = memory / (uint64_t)plan->workers;

        plan->chunk = MAX_BUFFER / (2 * (uint64_t)id_bytes);
        /* Halve until the buffers fit, and until a small graph has work for everyone. */
        while (plan->chunk > MIN_CHUNK && (plan->chunk * 2 * (uint64_t)id_bytes > share ||
                                           edges / plan->chunk < (uint64_t)plan->workers)) {
            plan->chunk /= 2;
        }
    }
    buffer = 2 * (uint64_t)column_bytes(plan);
    if (buffer > memory) {
        return -1;
    }
    if (memory / buffer < (uint64_t)plan->workers) {
        plan->workers = (int)(memory / buffer);
    }
    chunks = edges / plan->chunk + (edges % plan->chunk != 0);
    if (chunks < (uint64_t)plan->workers) {
        plan->workers = chunks > 0 ? (int)chunks : 1;
    }
    if (plan->generators > plan->workers) {
        plan->generators = plan->workers;
    }
    return 0;
}

/* The first message wins; everyone stops. */
static void fail(pipeline *p, const char *message)
{
    pthread_mutex_lock(&p->lock);
    if (p->result->error == NULL) {
        snprintf(p->result->text, sizeof p->result->text, "%s", message);
        p->result->error = p->result->text;
    }
    pthread_mutex_unlock(&p->lock);
    atomic_store(&p->stop, true);
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

static void wait_for(sem_t *slots)
{
    while (sem_wait(slots) != 0) {
        /* interrupted by a signal: wait on */
    }
}

/* One chunk from claim to file.  Returns false when there is nothing more to do. */
static bool step(pipeline *p, void *src, void *dst, uint64_t *fingerprint)
{
    uint64_t first, count = p->plan->chunk;
    int status = RMAT_OK;

    /* Claimed with the slot in hand, so that chunks reach the file nearly in order. */
    wait_for(&p->generate_slots);
    first = atomic_fetch_add(&p->next, count);
    if (first < p->plan->edges) {
        if (count > p->plan->edges - first) {
            count = p->plan->edges - first;
        }
        status = fill(p, first, count, src, dst, fingerprint);
    }
    sem_post(&p->generate_slots);
    if (first >= p->plan->edges || atomic_load(&p->stop)) {
        return false;
    }
    if (status != RMAT_OK) {
        fail(p, rmat_strerror(status));
        return false;
    }
    if (p->writer != NULL) {
        wait_for(&p->write_slots);
        if (!atomic_load(&p->stop) && edgefile_write(p->writer, first, count, src, dst) != 0) {
            fail(p, edgefile_detail());
        }
        sem_post(&p->write_slots);
    }
    if (atomic_load(&p->stop)) {
        return false;
    }
    atomic_fetch_add(&p->done, count);
    return true;
}

static void *work(void *argument)
{
    pipeline *p = argument;
    size_t column = column_bytes(p->plan);
    uint64_t fingerprint = 0;
    void *buffer;

    /* Begin when all are there: to start threads beside many busy ones takes long. */
    pthread_mutex_lock(&p->lock);
    pthread_mutex_unlock(&p->lock);
    if (posix_memalign(&buffer, edgefile_alignment(), 2 * column) != 0) {
        buffer = NULL;
        fail(p, "memory is exhausted");
    }
    while (!atomic_load(&p->stop) && step(p, buffer, (char *)buffer + column, &fingerprint)) {
    }
    free(buffer);
    pthread_mutex_lock(&p->lock);
    p->result->fingerprint += fingerprint;
    p->running--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Start the workers; as many as the system gives will do.  Signals stay with the main thread. */
static int start_workers(pipeline *p, pthread_t *threads)
{
    sigset_t all, before;
    int started = 0, error = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&p->lock);
    while (started < p->plan->workers && error == 0) {
        error = pthread_create(&threads[started], NULL, work, p);
        started += error == 0;
    }
    p->running = started;
    pthread_mutex_unlock(&p->lock);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started == 0) {
        fail(p, strerror(error));
    }
    return started;
}

/* Tick until the last worker has ended. */
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
                atomic_store(&p->stop, true);
            }
            pthread_mutex_lock(&p->lock);
        }
    }
    pthread_mutex_unlock(&p->lock);
}

int pipeline_run(const pipeline_plan *plan, const rmat_gen *gen, edgefile_writer *writer,
                 pipeline_tick tick, void *argument, pipeline_result *result)
{
    pipeline p = {.plan = plan, .gen = gen, .writer = writer, .result = result};
    pthread_t *threads = calloc((size_t)plan->workers, sizeof *threads);
    pthread_condattr_t monotonic;
    int started = 0;

    memset(result, 0, sizeof *result);
    sem_init(&p.generate_slots, 0, (unsigned)plan->generators);
    sem_init(&p.write_slots, 0, (unsigned)plan->writers);
    pthread_mutex_init(&p.lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p.ended, &monotonic);
    pthread_condattr_destroy(&monotonic);

    if (threads == NULL) {
        fail(&p, "memory is exhausted");
    } else {
        started = start_workers(&p, threads);
    }
    supervise(&p, tick, argument);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    result->done = atomic_load(&p.done);

    pthread_cond_destroy(&p.ended);
    pthread_mutex_destroy(&p.lock);
    sem_destroy(&p.write_slots);
    sem_destroy(&p.generate_slots);
    free(threads);
    return result->error == NULL && !result->stopped ? 0 : -1;
}
