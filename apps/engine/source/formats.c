/* Edges of files in other formats: scanned once by all threads when they are opened. */
#include "apps/common/clock.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/decompress.h"
#include "apps/engine/source/private.h"
#include "apps/engine/source/spool.h"
#include "apps/engine/status.h"
#include <fcntl.h>
#include <limits.h>
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
        clock_wait(&x->ended, &x->lock);
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

/* A file of another format, or HDF5 that edgefile.h does not read. */
typedef struct {
    graphfile_reader *reader;
    edgefile_reader *ours; /* the attributes of an HDF5 file of rmat, or NULL */
    edge_attributes attributes;
} other_file;

static int read_piece(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const other_file *x = s->state;

    m->edges = (edge_block){
        .src = m->src, .dst = m->dst, .weight = m->weight, .id_bytes = s->facts.graph.id_bytes};
    if (graphfile_read(x->reader, m->number, &m->edges.first, &m->edges.count, m->src, m->dst,
                       m->weight) != EDGEFILE_OK) {
        snprintf(text, size, "%s", edgefile_detail());
        return -1;
    }
    return 0;
}

static void close_file(other_file *x)
{
    if (x != NULL) {
        graphfile_close(x->reader);
        edgefile_close(x->ours);
        free(x);
    }
}

static void close_foreign(edge_source *s)
{
    close_file(s->state);
}

static uint64_t first_of(const edge_source *s, uint64_t piece)
{
    return graphfile_first(((const other_file *)s->state)->reader, piece);
}

/* What the name says, or of text the content.  Other formats may begin like compressed files. */
static compression compression_of(int fd, const char *name, int format)
{
    const compression by_name = compression_of_name(name, NULL);

    return by_name == COMPRESSION_NONE && (graphfile_table[format]->traits & GRAPHFILE_TEXT)
               ? compression_of_content(fd)
               : by_name;
}

/* Puts a decompressed copy in the place of *fd. */
static int decompress_fd(int *fd, const char *name, compression kind,
                         const edge_source_options *options)
{
    const char *folder = spool_folder(options->spool);
    int copy = -1, status = spool_create(&copy, folder, name);

    if (status == ENGINE_OK) {
        status = decompress(copy, folder, *fd, name, kind, options->watch);
    }
    close(*fd);
    *fd = copy;
    return status;
}

/* Graph500's weights lie in a file of their own, which is not looked for beside a compressed one:
 * the graph must not lose them without a word. */
static int check_weights(const char *name, const edge_source_options *options)
{
    static const char *const endings[] = {".weights", ".weights.gz", ".weights.zst"};
    const char *dot = strrchr(name, '.');
    char beside[PATH_MAX];

    if (options->format != GRAPHFILE_GRAPH500 || dot == NULL) {
        return ENGINE_OK;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(beside, sizeof beside, "%.*s%s", (int)(dot - name), name, endings[i]);
        if (access(beside, F_OK) == 0) {
            return engine_fail("%s: its weights in %s cannot be read if the file is compressed; "
                               "decompress both first",
                               name, beside);
        }
    }
    return ENGINE_OK;
}

static int open_reader(graphfile_reader **reader, const char *name,
                       const edge_source_options *options)
{
    const graphfile_format format = (graphfile_format)options->format;
    const bool from_stdin = strcmp(name, "-") == 0, piped = from_stdin || spool_is_pipe(name);
    compression kind = COMPRESSION_NONE;
    int fd = -1, status = ENGINE_OK;

    if (from_stdin) {
        name = "standard input";
        status = spool_stdin(&fd, spool_folder(options->spool), options->watch);
    } else if (piped) {
        status = spool_pipe(&fd, name, spool_folder(options->spool), options->watch);
    } else { /* where this fails, graphfile_open() says why */
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (fd >= 0) {
        kind = compression_of(fd, name, options->format);
    }
    if (status == ENGINE_OK && kind != COMPRESSION_NONE && !piped) {
        status = check_weights(name, options);
    }
    if (status == ENGINE_OK && kind != COMPRESSION_NONE) {
        status = decompress_fd(&fd, name, kind, options);
    }
    if (status == ENGINE_OK && (piped || kind != COMPRESSION_NONE)) {
        status = graphfile_open_fd(reader, fd, name, format);
    } else {
        if (fd >= 0) {
            close(fd);
        }
        if (status != ENGINE_OK) {
            return status;
        }
        status = options->datasets != NULL
                     ? graphfile_open_datasets(reader, name, options->datasets)
                     : graphfile_open(reader, name, format);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
}

/* One of ours that another program has stored has its attributes still. */
static int find_model(edge_source_facts *f, other_file *x, const char *name)
{
    const int status = edgefile_open_attributes(&x->ours, name);

    if (status == EDGEFILE_ERR_FORMAT) {
        return ENGINE_OK; /* it is none of ours */
    }
    if (status == EDGEFILE_OK) {
        f->format = edgefile_format_of(x->ours) == EDGEFILE_CSR ? GRAPHFILE_CSR : GRAPHFILE_H5;
        edge_source_describe(f, &x->attributes, x->ours);
    }
    return status == EDGEFILE_OK && edgefile_unanswered(x->ours) == EDGEFILE_OK
               ? ENGINE_OK
               : engine_fail("%s", edgefile_detail());
}

static int find_facts(edge_source *s, other_file *x, const char *name,
                      const edge_source_options *options)
{
    edge_source_facts *f = &s->facts;

    f->format = (graphfile_format)options->format;
    if (graphfile_scanned(x->reader, options->rows, options->cols, &f->graph) != EDGEFILE_OK) {
        return engine_fail("%s", edgefile_detail());
    }
    f->pieces = graphfile_pieces(x->reader);
    f->most = graphfile_most(x->reader);
    f->rounded = graphfile_rounded(x->reader);
    return f->format == GRAPHFILE_H5 && options->datasets == NULL ? find_model(f, x, name)
                                                                  : ENGINE_OK;
}

int edge_source_open_foreign(edge_source **out, const char *name,
                             const edge_source_options *options)
{
    static const edge_source_ops ops = {read_piece, close_foreign, first_of};
    other_file *x = calloc(1, sizeof *x);
    int status = x != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    if (status == ENGINE_OK) {
        status = open_reader(&x->reader, name, options);
    }
    if (status == ENGINE_OK) {
        status = scan_all(x->reader, options);
    }
    if (status == ENGINE_OK) {
        *out = edge_source_new(&ops, x);
        status =
            *out != NULL ? find_facts(*out, x, name, options) : engine_fail("memory is exhausted");
    }
    if (status != ENGINE_OK) {
        free(*out);
        *out = NULL;
        close_file(x);
    }
    return status;
}
