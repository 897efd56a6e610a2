/* Opening an edge source by name and format, and what all kinds of sources share. */
#include "apps/engine/source/edge_source.h"
#include "apps/common/clock.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "io/small_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

edge_source *edge_source_new(const edge_source_ops *ops, void *state)
{
    edge_source *s = calloc(1, sizeof *s);

    if (s != NULL) {
        s->ops = ops;
        s->state = state;
        s->facts.made_by = "";
    }
    return s;
}

/* The format that the beginning of the file proves, or -1. */
static int format_of_content(const char *name)
{
    char start[16];
    /* What is read from a pipe is gone. */
    int fd = spool_is_pipe(name) ? -1 : open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const uint64_t n = fd >= 0 ? edgefile_get(fd, 0, sizeof start, start) : 0;

    if (fd >= 0) {
        close(fd);
    }
    return graphfile_format_of_content(start, (size_t)n);
}

int edge_source_format_of(const char *name)
{
    const int found = format_of_content(name);

    return found >= 0 ? found : graphfile_format_of(name);
}

/* Was it a signal that ended the attempt, with the process that reads HDF5 first? */
static int why_not(int status, const edge_source_options *options)
{
    engine_meter meter = engine_meter_of(options->watch, "opening", 0, 0);
    const int reason = status == ENGINE_ERR_RUN ? engine_meter_tick(&meter, 0, 0) : 0;

    return reason != 0 ? engine_stop_with(reason) : status;
}

/* HDF5: of ours, or else of another maker, or as another program has stored it. */
static int open_hdf5(edge_source **out, const char *name, edge_source_options *options)
{
    int status;

    options->format = GRAPHFILE_H5;
    if (graphfile_codec_of_name(name, NULL) != GRAPHFILE_CODEC_NONE && access(name, F_OK) == 0 &&
        format_of_content(name) < 0) {
        return engine_fail(
            "%s: HDF5 files that are compressed as a whole cannot be read; decompress it first",
            name);
    }
    status = options->datasets != NULL ? edge_source_open_foreign(out, name, options)
                                       : edge_source_open_ours(out, name);
    if (status != ENGINE_OK && options->datasets == NULL && edgefile_is_foreign(name)) {
        status = edge_source_open_foreign(out, name, options);
    }
    return why_not(status, options);
}

edge_source_seen edge_source_seen_of(const edge_source *s)
{
    edge_source_seen seen = {.pieces = atomic_load(&s->n_seen)};

    seen.fingerprint = atomic_load(&s->seen_sum); /* behind the pieces: see() */
    return seen;
}

/* Are all edges read, and others than the file says? */
static bool is_damaged(const edge_source *s, edge_source_seen seen)
{
    return s->facts.known && seen.pieces == s->facts.pieces &&
           seen.fingerprint != s->facts.fingerprint;
}

static void explain_damage(const edge_source *s, edge_source_seen seen, char *text, size_t size)
{
    snprintf(text, size,
             "%s: the fingerprint of its edges is 0x%016" PRIx64
             ", its attribute says 0x%016" PRIx64 ": it is damaged",
             s->name, seen.fingerprint, s->facts.fingerprint);
}

int edge_source_check(const edge_source *s, edge_source_seen seen)
{
    char text[ENGINE_TEXT];

    if (!is_damaged(s, seen)) {
        return ENGINE_OK;
    }
    explain_damage(s, seen, text, sizeof text);
    return engine_fail("%s", text);
}

/* From now on pieces that are read are added up.  Of no pieces nothing will be read. */
static int begin_check(edge_source *s, const char *name)
{
    if (!s->facts.known) {
        return ENGINE_OK;
    }
    s->name = strdup(name);
    s->seen = calloc(s->facts.pieces / 8 + 1, sizeof *s->seen);
    if (s->name == NULL || s->seen == NULL) {
        return engine_fail("memory is exhausted");
    }
    return edge_source_check(s, edge_source_seen_of(s));
}

int edge_source_open_one(edge_source **out, const char *name, const edge_source_options *options)
{
    edge_source_options chosen = *options;
    const bool from_stdin = strcmp(name, "-") == 0;
    char list[256];

    *out = NULL;
    if (from_stdin &&
        (chosen.format < 0 || graphfile_table[chosen.format]->traits & GRAPHFILE_HDF5)) {
        return engine_refuse("", "%s",
                             chosen.format < 0
                                 ? "the format of standard input is not known; give it by --from"
                                 : "HDF5 cannot be read from standard input, only from a file");
    }
    if (chosen.format < 0) {
        chosen.format = edge_source_format_of(name);
    }
    if (chosen.format < 0 && access(name, F_OK) == 0) {
        graphfile_list(0, list, sizeof list);
        return engine_fail("%s: neither its contents nor its name tell the format; give it by "
                           "--from: %s",
                           name, list);
    }
    if (chosen.datasets != NULL && chosen.format >= 0 && chosen.format != GRAPHFILE_H5 &&
        !(graphfile_table[chosen.format]->traits & GRAPHFILE_HAS_COLUMNS)) {
        return engine_refuse("", "--datasets: given for %s, allowed: for h5, csv, parquet",
                             graphfile_names[chosen.format]);
    }
    if (chosen.base > 0 && chosen.names != NULL) {
        return engine_refuse("", "--from-base: given with --vertex-names, allowed: one of them");
    }
    if (chosen.format >= 0 && graphfile_check_told((graphfile_format)chosen.format, chosen.base,
                                                   chosen.weight) != EDGEFILE_OK) {
        return engine_refuse("", "--%s: %s",
                             graphfile_table[chosen.format]->traits & GRAPHFILE_HAS_BASE ||
                                     chosen.base == 0
                                 ? "weight-type"
                                 : "from-base",
                             edgefile_detail());
    }
    if (chosen.names != NULL &&
        graphfile_check_names(
            (graphfile_format)(chosen.format >= 0 ? chosen.format : GRAPHFILE_H5)) != 0) {
        return engine_refuse("vertex_names", "%s", edgefile_detail());
    }
    if (chosen.format >= 0 && graphfile_table[chosen.format]->traits & GRAPHFILE_HDF5 &&
        spool_is_pipe(name)) {
        return engine_fail("%s: is a pipe, HDF5 is read from regular files only", name);
    }
    if (chosen.format < 0 || chosen.format == GRAPHFILE_H5 || chosen.format == GRAPHFILE_CSR) {
        return open_hdf5(out, name, &chosen);
    }
    return edge_source_open_foreign(out, name, &chosen);
}

int edge_source_open(edge_source **out, const char *name, const edge_source_options *options)
{
    int status = edge_source_is_parts(name) ? edge_source_open_parts(out, name, options)
                                            : edge_source_open_one(out, name, options);

    if (status == ENGINE_OK) {
        status = begin_check(*out, name);
    }
    if (status != ENGINE_OK) {
        edge_source_close(*out);
        *out = NULL;
    }
    return status;
}

void edge_source_close(edge_source *s)
{
    if (s != NULL) {
        s->ops->close(s);
        free(s->name);
        free((void *)s->seen);
        free(s);
    }
}

const edge_source_facts *edge_source_facts_of(const edge_source *s)
{
    return &s->facts;
}

void edge_source_cut(edge_source *s)
{
    s->facts.most = EDGE_SOURCE_PIECE;
    s->facts.pieces = (s->facts.graph.edges + EDGE_SOURCE_PIECE - 1) / EDGE_SOURCE_PIECE;
}

void edge_source_place(const edge_source *s, const edge_piece_memory *m, edge_block *edges)
{
    const graphfile_graph *g = &s->facts.graph;
    uint64_t first = m->number * s->facts.most;

    *edges =
        (edge_block){first,     g->edges - first < s->facts.most ? g->edges - first : s->facts.most,
                     m->src,    m->dst,
                     m->weight, g->id_bytes};
}

uint64_t edge_source_first(const edge_source *s, uint64_t piece)
{
    const uint64_t edges = s->facts.graph.edges;

    if (s->ops->first != NULL) {
        return s->ops->first(s, piece);
    }
    return piece < s->facts.pieces ? piece * s->facts.most : edges;
}

void edge_source_set_ids(edge_source *s, int id_bytes, int signed_ids)
{
    graphfile_graph *g = &s->facts.graph;

    s->read_bytes = s->read_bytes != 0 ? s->read_bytes : g->id_bytes;
    g->id_bytes = id_bytes;
    g->signed_ids = signed_ids;
}

bool edge_piece_allocate(edge_piece_memory *m, const edge_source *s)
{
    const graphfile_graph *g = &s->facts.graph;
    const size_t most = (size_t)s->facts.most + 1;
    const size_t width = (size_t)(s->read_bytes > g->id_bytes ? s->read_bytes : g->id_bytes);

    m->src = malloc(most * width);
    m->dst = malloc(most * width);
    m->weight = g->weight != EDGEFILE_NO_WEIGHT ? malloc(most * 4) : NULL;
    return m->src != NULL && m->dst != NULL &&
           (g->weight == EDGEFILE_NO_WEIGHT || m->weight != NULL);
}

void edge_piece_free(edge_piece_memory *m)
{
    free(m->src);
    free(m->dst);
    free(m->weight);
    *m = (edge_piece_memory){0};
}

/* In place: from the end, as each takes more room. */
static void widen(void *ids, uint64_t count)
{
    for (uint64_t i = count; i-- > 0;) {
        uint32_t narrow;
        uint64_t wide;

        memcpy(&narrow, (char *)ids + 4 * i, sizeof narrow);
        wide = narrow;
        memcpy((char *)ids + 8 * i, &wide, sizeof wide);
    }
}

/* In place.  Returns the largest one. */
static uint64_t shorten(void *ids, uint64_t count)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < count; i++) {
        uint32_t narrow;
        uint64_t wide;

        memcpy(&wide, (char *)ids + 8 * i, sizeof wide);
        narrow = (uint32_t)wide;
        memcpy((char *)ids + 4 * i, &narrow, sizeof narrow);
        most = wide > most ? wide : most;
    }
    return most;
}

/* What was read becomes as wide as the facts say. */
static int change_width(const edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    const graphfile_graph *g = &s->facts.graph;
    uint64_t src = 0, dst = 0;

    if (g->id_bytes == 8) {
        widen(m->src, m->edges.count);
        widen(m->dst, m->edges.count);
    } else {
        src = shorten(m->src, m->edges.count);
        dst = shorten(m->dst, m->edges.count);
    }
    m->edges.id_bytes = g->id_bytes;
    if (m->edges.count > 0 && (src >= g->rows || dst >= g->cols)) {
        snprintf(text, size,
                 "an edge has the %s %" PRIu64 ", but there are only %" PRIu64 " vertices",
                 src >= g->rows ? "source" : "destination", src >= g->rows ? src : dst,
                 src >= g->rows ? g->rows : g->cols);
        return -1;
    }
    return 0;
}

/* A piece counts when it is read for the first time.  Its edges are added before it is counted, so
 * that who sees all pieces sees the fingerprint of all edges. */
static int see(edge_source *s, const edge_piece_memory *m, char *text, size_t size)
{
    const unsigned char bit = (unsigned char)(1U << m->number % 8);
    const int id_bytes = s->read_bytes != 0 ? s->read_bytes : s->facts.graph.id_bytes;
    edge_source_seen seen;

    if ((atomic_fetch_or(&s->seen[m->number / 8], bit) & bit) == 0) {
        const edge_block *e = &m->edges;

        atomic_fetch_add(&s->seen_sum, rmat_fingerprint(e->src, e->dst, e->count, id_bytes));
        atomic_fetch_add(&s->n_seen, 1);
    }
    seen = edge_source_seen_of(s);
    if (!is_damaged(s, seen)) {
        return 0;
    }
    explain_damage(s, seen, text, size);
    return -1;
}

int edge_source_read(edge_source *s, edge_piece_memory *m, char *text, size_t size)
{
    int status = s->ops->read(s, m, text, size);

    if (status == 0 && s->seen != NULL) {
        status = see(s, m, text, size);
    }

    return status == 0 && s->read_bytes != 0 && s->read_bytes != s->facts.graph.id_bytes
               ? change_width(s, m, text, size)
               : status;
}

/* All edges of a source once, piece by piece, by several threads. */

typedef struct {
    edge_source *source;
    const edge_walk_body *body;
    char text[EDGE_WALK_TEXT]; /* what failed first */
    bool failed;
    int reason;   /* 0, or why the watch wants to stop */
    uint64_t end; /* of the pieces */
    atomic_bool stop;
    _Atomic uint64_t done;

    pthread_mutex_t lock; /* guards these, and result: */
    pthread_cond_t ended;
    uint64_t next;
    int running, numbered;
} walk;

/* text NULL: no failure of ours. */
static void end_early(walk *x, const char *text)
{
    bool first;

    pthread_mutex_lock(&x->lock);
    /* What fails because the others were stopped is no reason. */
    if (text != NULL && !atomic_load(&x->stop)) {
        snprintf(x->text, sizeof x->text, "%s", text);
        x->failed = true;
    }
    first = !atomic_exchange(&x->stop, true);
    pthread_mutex_unlock(&x->lock);
    if (first && x->body->stop != NULL) {
        x->body->stop(x->body->state);
    }
}

static bool claim(walk *x, edge_piece_memory *m)
{
    bool got;

    pthread_mutex_lock(&x->lock);
    got = x->next < x->end && !atomic_load(&x->stop);
    if (got) {
        m->number = x->next++;
    }
    pthread_mutex_unlock(&x->lock);
    return got;
}

static void visit_all(walk *x, int thread, edge_piece_memory *m)
{
    char text[EDGE_WALK_TEXT];

    while (claim(x, m)) {
        if (edge_source_read(x->source, m, text, sizeof text) != 0 ||
            x->body->visit(x->body->state, thread, m, text, sizeof text) != 0) {
            end_early(x, text);
            return;
        }
        atomic_fetch_add(&x->done, m->edges.count);
    }
}

static void *work(void *argument)
{
    walk *x = argument;
    edge_piece_memory m = {0};
    int thread;

    pthread_mutex_lock(&x->lock);
    thread = x->numbered++;
    pthread_mutex_unlock(&x->lock);
    if (edge_piece_allocate(&m, x->source)) {
        visit_all(x, thread, &m);
    } else {
        end_early(x, "memory is exhausted");
    }
    edge_piece_free(&m);
    pthread_mutex_lock(&x->lock);
    x->running--;
    pthread_cond_signal(&x->ended);
    pthread_mutex_unlock(&x->lock);
    return NULL;
}

/* Until the last thread is through; the watch is asked once at least, however fast they are. */
static void await(walk *x, engine_meter *meter)
{
    bool through;

    pthread_mutex_lock(&x->lock);
    do {
        if (x->running > 0) {
            clock_wait(&x->ended, &x->lock);
        }
        through = x->running == 0;
        if (x->reason == 0) {
            uint64_t done = atomic_load(&x->done);

            x->reason = engine_meter_tick(meter, (double)done, done);
        }
        if (x->reason != 0 && !atomic_load(&x->stop)) {
            pthread_mutex_unlock(&x->lock);
            end_early(x, NULL);
            pthread_mutex_lock(&x->lock);
        }
    } while (!through);
    pthread_mutex_unlock(&x->lock);
}

static void run_threads(walk *x, int threads, engine_meter *meter)
{
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    int started = 0;

    x->running = ids != NULL ? threads : 0;
    while (ids != NULL && started < threads && pthread_create(&ids[started], NULL, work, x) == 0) {
        started++;
    }
    pthread_mutex_lock(&x->lock);
    x->running -= ids != NULL ? threads - started : 0; /* fewer will do */
    pthread_mutex_unlock(&x->lock);
    if (started == 0) {
        end_early(x, "no thread can be started");
    }
    await(x, meter);
    for (int i = 0; i < started; i++) {
        pthread_join(ids[i], NULL);
    }
    free(ids);
}

int edge_walk(edge_source *s, int threads, const edge_walk_body *body, engine_meter *meter)
{
    return edge_walk_some(s, 0, edge_source_facts_of(s)->pieces, threads, body, meter);
}

int edge_walk_some(edge_source *s, uint64_t first, uint64_t end, int threads,
                   const edge_walk_body *body, engine_meter *meter)
{
    walk x = {.source = s, .body = body, .next = first, .end = end};

    pthread_mutex_init(&x.lock, NULL);
    pthread_cond_init(&x.ended, NULL);
    run_threads(&x, threads, meter);
    pthread_mutex_destroy(&x.lock);
    pthread_cond_destroy(&x.ended);
    return x.failed        ? engine_fail("%s", x.text)
           : x.reason != 0 ? engine_stop_with(x.reason)
                           : ENGINE_OK;
}
