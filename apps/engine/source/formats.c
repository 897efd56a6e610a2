/* Edges of files in other formats: scanned once by all threads when they are opened. */
#include "apps/engine/meter.h"
#include "apps/engine/source/private.h"
#include "apps/engine/source/spool.h"
#include "apps/engine/status.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 1024 };

typedef struct {
    graphfile_reader *reader;
    uint64_t pieces;
    _Atomic uint64_t next, done;
    atomic_bool stop;

    pthread_mutex_t lock; /* guards these: */
    pthread_cond_t ended;
    int running;
    uint64_t bad; /* the first piece that is wrong, */
    char text[TEXT];
} scan;

/* Pieces are taken in order, and those before a bad one are scanned to their ends: the first fault
 * is the one that is said. */
static void *work(void *argument)
{
    scan *x = argument;
    uint64_t piece;

    while (!atomic_load(&x->stop) && (piece = atomic_fetch_add(&x->next, 1)) < x->pieces) {
        if (graphfile_scan(x->reader, piece) != EDGEFILE_OK) {
            pthread_mutex_lock(&x->lock);
            if (piece < x->bad) {
                x->bad = piece;
                snprintf(x->text, sizeof x->text, "%s", edgefile_detail());
            }
            pthread_mutex_unlock(&x->lock);
            atomic_store(&x->stop, true);
        }
        atomic_fetch_add(&x->done, 1);
    }
    pthread_mutex_lock(&x->lock);
    x->running--;
    pthread_cond_signal(&x->ended);
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* Until the last thread has ended.  Returns 0, or why the watch wants to stop. */
static int await(scan *x, const engine_watch *watch)
{
    engine_meter meter = engine_meter_of(watch, "counting edges", x->pieces, 0);
    int reason = 0;

    pthread_mutex_lock(&x->lock);
    while (x->running > 0) {
        struct timespec soon;

        clock_gettime(CLOCK_REALTIME, &soon);
        soon.tv_nsec += 100000000;
        soon.tv_sec += soon.tv_nsec / 1000000000;
        soon.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&x->ended, &x->lock, &soon);
        if (reason == 0) {
            reason = engine_meter_tick(&meter, (double)atomic_load(&x->done), 0);
        }
        if (reason != 0) {
            atomic_store(&x->stop, true);
        }
    }
    pthread_mutex_unlock(&x->lock);
    return reason;
}

static int run_threads(scan *x, const edge_source_options *options)
{
    int threads = options->threads, started = 0, reason = 0;
    pthread_t *ids;

    if ((uint64_t)threads > x->pieces) {
        threads = (int)x->pieces;
    }
    if (threads == 0) {
        return ENGINE_OK;
    }
    ids = calloc((size_t)threads, sizeof *ids);
    if (ids == NULL) {
        return engine_fail("memory is exhausted");
    }
    x->running = threads;
    while (started < threads && pthread_create(&ids[started], NULL, work, x) == 0) {
        started++;
    }
    pthread_mutex_lock(&x->lock);
    x->running -= threads - started; /* fewer will do */
    pthread_mutex_unlock(&x->lock);
    if (started > 0) {
        reason = await(x, options->watch);
    }
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    free(ids);
    if (started == 0) {
        return engine_fail("no thread can be started");
    }
    return reason == 0 ? ENGINE_OK : engine_stop_with(reason);
}

static int scan_all(graphfile_reader *reader, const edge_source_options *options)
{
    scan x = {.reader = reader, .pieces = graphfile_pieces(reader), .bad = UINT64_MAX};
    int status;

    pthread_mutex_init(&x.lock, NULL);
    pthread_cond_init(&x.ended, NULL);
    status = run_threads(&x, options);
    pthread_mutex_destroy(&x.lock);
    pthread_cond_destroy(&x.ended);
    return x.bad < UINT64_MAX && status != ENGINE_ERR_RUN ? engine_fail("%s", x.text) : status;
}

static int read_piece(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    m->edges = (edge_block){
        .src = m->src, .dst = m->dst, .weight = m->weight, .id_bytes = s->facts.graph.id_bytes};
    if (graphfile_read(s->state, m->number, &m->edges.first, &m->edges.count, m->src, m->dst,
                       m->weight) != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
        return -1;
    }
    return 0;
}

static void close_foreign(edge_source *s)
{
    graphfile_close(s->state);
}

static uint64_t first_of(const edge_source *s, uint64_t piece)
{
    return graphfile_first(s->state, piece);
}

static int open_reader(graphfile_reader **reader, const char *name,
                       const edge_source_options *options)
{
    int fd = -1, status;

    if (strcmp(name, "-") != 0) {
        status = graphfile_open(reader, name, (graphfile_format)options->format);
    } else {
        status = spool_stdin(&fd, options->spool, options->watch);
        if (status != ENGINE_OK) {
            return status;
        }
        status = graphfile_open_fd(reader, fd, "standard input", (graphfile_format)options->format);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
}

static int find_facts(edge_source *s, graphfile_reader *reader, const edge_source_options *options)
{
    edge_source_facts *f = &s->facts;

    f->format = (graphfile_format)options->format;
    if (graphfile_scanned(reader, options->rows, options->cols, &f->graph) != EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    f->pieces = graphfile_pieces(reader);
    f->most = graphfile_most(reader);
    return ENGINE_OK;
}

int edge_source_open_foreign(edge_source **out, const char *name,
                             const edge_source_options *options)
{
    static const edge_source_ops ops = {read_piece, close_foreign, first_of};
    graphfile_reader *reader = NULL;
    int status;

    if (!(graphfile_table[options->format]->traits & GRAPHFILE_READS)) {
        return engine_fail("%s: %s is written here, not read", name,
                           graphfile_table[options->format]->name);
    }
    status = open_reader(&reader, name, options);
    if (status == ENGINE_OK) {
        status = scan_all(reader, options);
    }
    if (status == ENGINE_OK) {
        *out = edge_source_new(&ops, reader);
        status =
            *out != NULL ? find_facts(*out, reader, options) : engine_fail("memory is exhausted");
    }
    if (status != ENGINE_OK) {
        free(*out);
        *out = NULL;
        graphfile_close(reader);
    }
    return status;
}
