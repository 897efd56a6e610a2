/* Edges of files in other formats: scanned once by all threads when they are opened. */
#include "apps/common/clock.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "io/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

/* Files without a name, which are gone when they are closed; and standard input or a pipe as a file
 * that can be read anywhere: itself, or a copy of what the pipe brings. */

enum { COPY_BYTES = 1 << 20, SOON = 100 /* ms */ };

/* false: errno says why not */
static bool spool_write(int fd, const void *data, size_t bytes)
{
    const char *from = data;

    while (bytes > 0) {
        ssize_t n = write(fd, from, bytes);

        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        from += n;
        bytes -= (size_t)n;
    }
    return true;
}

/* Waits for input, or until the watch says stop. */
static bool has_input(int from, engine_meter *meter, int *reason)
{
    struct pollfd input = {.fd = from, .events = POLLIN};

    while ((*reason = engine_meter_tick(meter, 0, 0)) == 0) {
        if (poll(&input, 1, SOON) > 0) {
            return true;
        }
    }
    return false;
}

/* what: the input, for messages. */
static int copy(int fd, int from, const char *what, const char *folder, const engine_watch *watch)
{
    engine_meter meter = engine_meter_of(watch, "copying the input", 0, 0);
    char *buffer = malloc(COPY_BYTES);
    int status = ENGINE_OK, reason;

    if (buffer == NULL) {
        return engine_fail("memory is exhausted");
    }
    while (status == ENGINE_OK) {
        ssize_t n = -1;

        if (!has_input(from, &meter, &reason)) {
            status = engine_stop_with(reason);
        } else if ((n = read(from, buffer, COPY_BYTES)) == 0) {
            break;
        } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
            status = engine_fail("%s: %s", what, strerror(errno));
        } else if (n > 0 && !spool_write(fd, buffer, (size_t)n)) {
            status = engine_fail("%s: a copy of %s: %s", folder, what, strerror(errno));
        }
    }
    free(buffer);
    return status;
}

/* A new one in that folder; what: it is a copy of this, for messages.  Returns an engine_status. */
static int spool_create(int *fd, const char *folder, const char *what)
{
    *fd = edgefile_unnamed_file(folder);
    return *fd >= 0 ? ENGINE_OK
                    : engine_fail("%s: a copy of %s: %s", folder, what, strerror(errno));
}

bool spool_is_pipe(const char *name)
{
    struct stat st;

    return stat(name, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode));
}

static int copy_new(int *fd, int from, const char *what, const char *folder,
                    const engine_watch *watch)
{
    int status = spool_create(fd, folder, what);

    if (status != ENGINE_OK) {
        return status;
    }
    status = copy(*fd, from, what, folder, watch);
    if (status != ENGINE_OK) {
        close(*fd);
        *fd = -1;
    }
    return status;
}

/* Opened without waiting for somebody who writes: copy() waits, and can be stopped. */
static int spool_pipe(int *fd, const char *name, const char *folder, const engine_watch *watch)
{
    const int from = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int status;

    *fd = -1;
    if (from < 0) {
        return engine_fail("%s: %s", name, strerror(errno));
    }
    status = copy_new(fd, from, name, folder, watch);
    close(from);
    return status;
}

static int spool_stdin(int *fd, const char *folder, const engine_watch *watch)
{
    struct stat st;

    if (fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode) &&
        lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) {
        *fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        return *fd >= 0 ? ENGINE_OK : engine_fail("standard input: %s", strerror(errno));
    }
    return copy_new(fd, STDIN_FILENO, "standard input", folder, watch);
}

/*
 * Decompresses a file into another one, a buffer at a time.
 *
 * A file is a sequence of members (gzip) or frames (zstd), each with a checksum of its own that the
 * library checks.  It is complete if it ends where one of these does.
 */

enum { BUFFER = 1 << 20, GZIP_FORMAT = 15 + 16 /* the largest window; with gzip's header */ };

/* A decoder between two buffers. */
typedef struct {
    z_stream gzip;
    ZSTD_DCtx *zstd;
    const uint8_t *in;
    size_t n_in, n_out; /* bytes that are left of the input; bytes of output */
    uint8_t *out;       /* BUFFER bytes */
    bool complete;      /* the last member or frame is */
} decoder;

/* Of a frame of zstd, or of one that is skipped. */
static bool begins_frame(const uint8_t start[4])
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd}, skipped[] = {0x2a, 0x4d, 0x18};

    return memcmp(start, frame, sizeof frame) == 0 ||
           ((start[0] & 0xf0) == 0x50 && memcmp(start + 1, skipped, sizeof skipped) == 0);
}

/* What the first bytes of an open file say. */
static graphfile_codec compression_of_content(int fd)
{
    static const uint8_t gzip[] = {0x1f, 0x8b};
    uint8_t start[4] = {0};

    if (edgefile_get(fd, 0, sizeof start, start) < 2) {
        return GRAPHFILE_CODEC_NONE;
    }
    return memcmp(start, gzip, sizeof gzip) == 0 ? GRAPHFILE_CODEC_GZIP
           : begins_frame(start)                 ? GRAPHFILE_CODEC_ZSTD
                                                 : GRAPHFILE_CODEC_NONE;
}

/* One step of a decoder: NULL, or what is wrong with the input. */
static const char *step_gzip(decoder *d)
{
    int rc;

    if (d->complete && inflateReset(&d->gzip) != Z_OK) {
        return "zlib cannot continue";
    }
    d->gzip.next_in = (Bytef *)d->in;
    d->gzip.avail_in = (uInt)d->n_in;
    d->gzip.next_out = d->out;
    d->gzip.avail_out = BUFFER;
    rc = inflate(&d->gzip, Z_NO_FLUSH);
    d->in = d->gzip.next_in;
    d->n_in = d->gzip.avail_in;
    d->n_out = BUFFER - d->gzip.avail_out;
    d->complete = rc == Z_STREAM_END;
    if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR) {
        return NULL;
    }
    return d->gzip.msg != NULL ? d->gzip.msg : "zlib cannot continue";
}

static const char *step_zstd(decoder *d)
{
    ZSTD_inBuffer in = {d->in, d->n_in, 0};
    ZSTD_outBuffer out = {d->out, BUFFER, 0};
    const size_t rc = ZSTD_decompressStream(d->zstd, &out, &in);

    d->in += in.pos;
    d->n_in -= in.pos;
    d->n_out = out.pos;
    d->complete = rc == 0;
    return ZSTD_isError(rc) ? ZSTD_getErrorName(rc) : NULL;
}

/* Bytes of the file into the buffer; 0 at its end. */
static int fill_buffer(decoder *d, uint8_t *buffer, int from, const char *name)
{
    ssize_t n;

    do {
        n = read(from, buffer, BUFFER);
    } while (n < 0 && errno == EINTR);
    d->in = buffer;
    d->n_in = n > 0 ? (size_t)n : 0;
    return n >= 0 ? ENGINE_OK : engine_fail("%s: %s", name, strerror(errno));
}

static int run_decoder(decoder *d, graphfile_codec kind, int to, const char *folder, int from,
                       const char *name, engine_meter *meter)
{
    uint8_t *buffer = malloc(BUFFER);
    uint64_t at = 0;
    int status = buffer != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    while (status == ENGINE_OK && (status = fill_buffer(d, buffer, from, name)) == ENGINE_OK &&
           d->n_in > 0) {
        int reason = engine_meter_tick(meter, (double)at, 0);

        if (reason != 0) {
            status = engine_stop_with(reason);
        }
        at += d->n_in;
        d->n_out = 0;
        while (status == ENGINE_OK && (d->n_in > 0 || (d->n_out == BUFFER && !d->complete))) {
            const char *wrong = kind == GRAPHFILE_CODEC_GZIP ? step_gzip(d) : step_zstd(d);

            if (wrong != NULL) {
                status =
                    engine_fail("%s: damaged at byte %" PRIu64 ": %s", name, at - d->n_in, wrong);
            } else if (!spool_write(to, d->out, d->n_out)) {
                status = engine_fail("%s: a copy of %s: %s", folder, name, strerror(errno));
            }
        }
    }
    free(buffer);
    if (status == ENGINE_OK && !d->complete) {
        status = engine_fail("%s: ends at byte %" PRIu64 ", in the middle of its compressed data",
                             name, at);
    }
    return status;
}

static bool begin_decoder(decoder *d, graphfile_codec kind)
{
    *d = (decoder){.out = malloc(BUFFER)};
    if (kind == GRAPHFILE_CODEC_GZIP) {
        return inflateInit2(&d->gzip, GZIP_FORMAT) == Z_OK && d->out != NULL;
    }
    d->zstd = ZSTD_createDCtx();
    return d->zstd != NULL && d->out != NULL;
}

static void end_decoder(decoder *d, graphfile_codec kind)
{
    if (kind == GRAPHFILE_CODEC_GZIP) {
        inflateEnd(&d->gzip);
    }
    ZSTD_freeDCtx(d->zstd);
    free(d->out);
}

int decompress(int to, const char *folder, int from, const char *name, graphfile_codec kind,
               const engine_watch *watch)
{
    struct stat st = {0};
    engine_meter meter;
    decoder d;
    int status;

    if (compression_of_content(from) != kind) {
        return engine_fail("%s: is not compressed by %s, as its name says", name,
                           kind == GRAPHFILE_CODEC_GZIP ? "gzip" : "zstd");
    }
    (void)fstat(from, &st);
    (void)lseek(from, 0, SEEK_SET);
    meter = engine_meter_of(watch, "decompressing", (uint64_t)st.st_size, 0);
    status = begin_decoder(&d, kind) ? run_decoder(&d, kind, to, folder, from, name, &meter)
                                     : engine_fail("memory is exhausted");
    end_decoder(&d, kind);
    return status;
}

size_t edge_source_start(int fd, void *to, size_t size)
{
    const graphfile_codec kind = compression_of_content(fd);
    uint8_t *in = malloc(BUFFER);
    const uint64_t n = in != NULL ? edgefile_get(fd, 0, BUFFER, in) : 0;
    const char *wrong = NULL;
    size_t done = 0;
    decoder d;

    if (kind != GRAPHFILE_CODEC_NONE && begin_decoder(&d, kind)) {
        d.in = in;
        d.n_in = (size_t)n;
        while (wrong == NULL && d.n_in > 0 && done < size) {
            wrong = kind == GRAPHFILE_CODEC_GZIP ? step_gzip(&d) : step_zstd(&d);
            d.n_out = d.n_out < size - done ? d.n_out : size - done;
            memcpy((char *)to + done, d.out, d.n_out);
            done += d.n_out;
        }
    }
    if (kind != GRAPHFILE_CODEC_NONE) {
        end_decoder(&d, kind);
    }
    free(in);
    return done;
}

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
static graphfile_codec compression_of(int fd, const char *name, int format)
{
    const graphfile_codec by_name = graphfile_codec_of_name(name, NULL);

    return by_name == GRAPHFILE_CODEC_NONE && (graphfile_table[format]->traits & GRAPHFILE_TEXT)
               ? compression_of_content(fd)
               : by_name;
}

/* Puts a decompressed copy in the place of *fd. */
static int decompress_fd(int *fd, const char *name, graphfile_codec kind,
                         const edge_source_options *options)
{
    const char *folder = edgefile_spool_folder(options->spool);
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

/* fd: the file, or its copy, or -1.  *by_name: as edge_source_facts.by_name. */
static int open_edges(graphfile_reader **reader, int fd, bool is_copy, const char *name,
                      const edge_source_options *options, bool *by_name)
{
    const graphfile_format format = (graphfile_format)options->format;
    const bool named = graphfile_table[format]->traits & GRAPHFILE_HAS_COLUMNS;
    const char *columns = options->datasets != NULL ? options->datasets : options->columns;
    int status;

    if (fd >= 0 && named && columns != NULL) {
        status =
            graphfile_open_columns(reader, fcntl(fd, F_DUPFD_CLOEXEC, 3), name, format, columns);
        if (status != EDGEFILE_ERR_ARG || options->datasets != NULL) {
            *by_name = options->datasets == NULL;
            close(fd);
            return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
        }
    }
    if (is_copy) {
        status = graphfile_open_fd(reader, fd, name, format);
    } else {
        if (fd >= 0) {
            close(fd);
        }
        status = options->datasets != NULL
                     ? graphfile_open_datasets(reader, name, options->datasets)
                     : graphfile_open(reader, name, format);
    }
    return status == EDGEFILE_OK ? ENGINE_OK : engine_fail("%s", edgefile_detail());
}

static int open_reader(graphfile_reader **reader, const char *name,
                       const edge_source_options *options, bool *by_name)
{
    const bool from_stdin = strcmp(name, "-") == 0, piped = from_stdin || spool_is_pipe(name);
    graphfile_codec kind = GRAPHFILE_CODEC_NONE;
    int fd = -1, status = ENGINE_OK;

    if (from_stdin) {
        name = "standard input";
        status = spool_stdin(&fd, edgefile_spool_folder(options->spool), options->watch);
    } else if (piped) {
        status = spool_pipe(&fd, name, edgefile_spool_folder(options->spool), options->watch);
    } else { /* where this fails, graphfile_open() says why */
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    }
    if (fd >= 0) {
        kind = compression_of(fd, name, options->format);
    }
    if (status == ENGINE_OK && kind != GRAPHFILE_CODEC_NONE && !piped) {
        status = check_weights(name, options);
    }
    if (status == ENGINE_OK && kind != GRAPHFILE_CODEC_NONE) {
        status = decompress_fd(&fd, name, kind, options);
    }
    if (status != ENGINE_OK) {
        if (fd >= 0) {
            close(fd);
        }
        return status;
    }
    return open_edges(reader, fd, piped || kind != GRAPHFILE_CODEC_NONE, name, options, by_name);
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
    f->inexact = graphfile_inexact(x->reader);
    f->rounded = f->graph.weight == EDGEFILE_WEIGHT_F32 ? f->inexact : 0;
    return f->format == GRAPHFILE_H5 && options->datasets == NULL ? find_model(f, x, name)
                                                                  : ENGINE_OK;
}

int edge_source_open_foreign(edge_source **out, const char *name,
                             const edge_source_options *options)
{
    static const edge_source_ops ops = {read_piece, close_foreign, first_of};
    other_file *x = calloc(1, sizeof *x);
    bool by_name = false;
    int status = x != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    if (status == ENGINE_OK) {
        status = open_reader(&x->reader, name, options, &by_name);
    }
    if (status == ENGINE_OK && options->names != NULL &&
        graphfile_set_names(x->reader, options->names) != EDGEFILE_OK) {
        status = engine_fail("%s", edgefile_detail());
    }
    if (status == ENGINE_OK &&
        graphfile_tell(x->reader, options->base, options->weight) != EDGEFILE_OK) {
        status = engine_fail("%s", edgefile_detail());
    }
    if (status == ENGINE_OK) {
        status = scan_all(x->reader, options);
    }
    if (status == ENGINE_OK) {
        *out = edge_source_new(&ops, x);
        status =
            *out != NULL ? find_facts(*out, x, name, options) : engine_fail("memory is exhausted");
    }
    if (status == ENGINE_OK) {
        (*out)->facts.by_name = by_name;
    }
    if (status != ENGINE_OK) {
        free(*out);
        *out = NULL;
        close_file(x);
    }
    return status;
}
