/*
 * read.c - reads compressed files.
 *
 * HDF5 opens the file and reads its attributes; chunks are read and decoded without it.  Opening
 * checks that the indices are those that the writer makes and that the chunks lie where their sizes
 * say (compressed.h); the checksum of each chunk covers the rest.
 */
#include "io/compressed/compressed.h"
#include "io/files.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct edgefile_ahead edgefile_ahead;

struct edgefile_inflating {
    int fd;
    edgefile_index index[EDGEFILE_N_DATASETS];
    uint64_t begin, end;              /* of the chunks */
    edgefile_ahead *edges, *pointers; /* pointers: of a CSR file, else NULL */
};

/* Threads for pointers, which are few, and wait while edges are worked on. */
enum { EDGE_WORKERS = 16, POINTER_WORKERS = 2 };

static const edgefile_index *edgefile_inflating_index(const edgefile_reader *r, int dataset)
{
    return &r->inflating->index[dataset];
}

static const char *name_of(const edgefile_reader *r, int dataset)
{
    return edgefile_dataset_name(r->schema.format, dataset);
}

static uint64_t raw_bytes(const edgefile_index *x)
{
    return edgefile_index_chunk(x) * (uint64_t)x->width;
}

static bool is_zero(const char *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++) {
        if (at[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Reads and decodes a chunk.  memory: edgefile_chunk_page(edgefile_codec_room()) bytes of the
 * longest chunk.  From any thread. */
static int edgefile_inflate(const edgefile_reader *r, int dataset, uint64_t chunk,
                            edgefile_codec *codec, char *memory, char *to)
{
    const struct edgefile_inflating *y = r->inflating;
    const edgefile_index *x = &y->index[dataset];
    const edgefile_chunk *c = &x->chunk[chunk];
    const uint64_t bytes = edgefile_chunk_page(c->bytes);
    const uint64_t done = edgefile_get(y->fd, c->offset, bytes, memory);

    if (done < bytes) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %s", r->name,
                             c->offset + done, errno == 0 ? "the file ends" : strerror(errno));
    }
    if (!edgefile_codec_decode(codec, to, edgefile_index_chunk(x), (size_t)x->width, memory,
                               c->bytes) ||
        !is_zero(memory + c->bytes, bytes - c->bytes)) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: chunk %" PRIu64 " of dataset '%s' at byte %" PRIu64 " is damaged",
                             r->name, chunk, name_of(r, dataset), c->offset);
    }
    return EDGEFILE_OK;
}

/*
 * Decodes chunks before they are asked for.
 *
 * Whoever reads a file from its beginning to its end wants chunk after chunk.  When that shows, by
 * the second chunk, threads are started that decode the next ones into a ring of slots, chunk k
 * into slot k modulo their number.  A jump to another place empties the ring.  Threads that read
 * pieces side by side come back to a chunk that others have left: a few stay.
 */

enum { MAX_WORKERS = 16, STAY = 4, SLOTS = MAX_WORKERS + STAY + 2, DETAIL = 1024 };

/* What a thread decodes with. */
typedef struct {
    edgefile_codec *codec;
    char *memory;
} tools;

typedef struct {
    uint64_t chunk;
    bool ready;
    int status;
    char detail[DETAIL]; /* of a failure */
    char *column[EDGEFILE_N_DATASETS];
} slot;

struct edgefile_ahead {
    edgefile_reader *r;
    int most_workers;
    size_t raw_bytes; /* of a chunk, at most */
    uint64_t chunks, slots;
    tools own; /* of the caller's thread, as long as there are no others */
    int workers;
    pthread_t thread[MAX_WORKERS];
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t to_do, done;
    unsigned wanted; /* datasets, by bits */
    uint64_t last;   /* the chunk that was asked for last */
    uint64_t first;  /* chunks before this one are not wanted any more */
    uint64_t next;   /* the next one to decode */
    int busy;        /* threads */
    bool stop;
    slot slot[SLOTS];
};

static int usable_processors(void)
{
    cpu_set_t set;

    /* The mask of a machine with more than 1024 processors does not fit. */
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : MAX_WORKERS;
}

static size_t ahead_raw_bytes(const edgefile_reader *r, unsigned datasets)
{
    size_t most = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const edgefile_index *x = edgefile_inflating_index(r, i);
        const size_t bytes = x->n > 0 ? edgefile_index_chunk(x) * (size_t)x->width : 0;

        most = datasets & 1U << i && bytes > most ? bytes : most;
    }
    return most;
}

/* datasets: which ones, by bits; they have the same length. */
static edgefile_ahead *edgefile_ahead_new(edgefile_reader *r, unsigned datasets, int workers)
{
    edgefile_ahead *a = calloc(1, sizeof *a);

    if (a != NULL) {
        a->r = r;
        a->most_workers = workers < MAX_WORKERS ? workers : MAX_WORKERS;
        a->raw_bytes = ahead_raw_bytes(r, datasets);
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            if (datasets & 1U << i && edgefile_inflating_index(r, i)->n > 0) {
                a->chunks = edgefile_inflating_index(r, i)->n;
            }
        }
        a->slots = 1;
        a->last = a->first = UINT64_MAX;
        pthread_mutex_init(&a->lock, NULL);
        pthread_cond_init(&a->to_do, NULL);
        pthread_cond_init(&a->done, NULL);
    }
    return a;
}

static void free_tools(tools *t)
{
    edgefile_codec_free(t->codec);
    free(t->memory);
}

static void edgefile_ahead_free(edgefile_ahead *a)
{
    if (a == NULL) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_broadcast(&a->to_do);
    pthread_mutex_unlock(&a->lock);
    for (int i = 0; i < a->workers; i++) {
        pthread_join(a->thread[i], NULL);
    }
    for (int i = 0; i < SLOTS; i++) {
        for (int k = 0; k < EDGEFILE_N_DATASETS; k++) {
            free(a->slot[i].column[k]);
        }
    }
    free_tools(&a->own);
    pthread_cond_destroy(&a->to_do);
    pthread_cond_destroy(&a->done);
    pthread_mutex_destroy(&a->lock);
    free(a);
}

static bool make_tools(const edgefile_ahead *a, tools *t)
{
    if (t->codec == NULL) {
        t->codec = edgefile_codec_new(a->raw_bytes);
    }
    if (t->memory == NULL) {
        t->memory = malloc(edgefile_chunk_page(edgefile_codec_room(a->raw_bytes)));
    }
    return t->codec != NULL && t->memory != NULL;
}

static int decode(const edgefile_ahead *a, tools *t, slot *s)
{
    if (!make_tools(a, t)) {
        return edgefile_no_memory(a->r->name);
    }
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if ((a->wanted & 1U << i) == 0) {
            continue;
        }
        if (s->column[i] == NULL && (s->column[i] = malloc(a->raw_bytes)) == NULL) {
            return edgefile_no_memory(a->r->name);
        }
        EDGEFILE_TRY(edgefile_inflate(a->r, i, s->chunk, t->codec, t->memory, s->column[i]));
    }
    return EDGEFILE_OK;
}

static slot *slot_of(edgefile_ahead *a, uint64_t chunk)
{
    return &a->slot[chunk % a->slots];
}

/* The next chunk into its slot; under the lock, which is not held meanwhile. */
static void decode_next(edgefile_ahead *a, tools *t)
{
    slot *s = slot_of(a, a->next);

    s->chunk = a->next++;
    s->ready = false;
    a->busy++;
    pthread_mutex_unlock(&a->lock);
    s->status = decode(a, t, s);
    if (s->status != EDGEFILE_OK) {
        snprintf(s->detail, sizeof s->detail, "%s", edgefile_detail());
    }
    pthread_mutex_lock(&a->lock);
    s->ready = true;
    a->busy--;
    pthread_cond_broadcast(&a->done);
}

static void *work(void *argument)
{
    edgefile_ahead *a = argument;
    tools t = {NULL, NULL};

    pthread_mutex_lock(&a->lock);
    while (!a->stop) {
        if (a->next < a->chunks && a->next - a->first < a->slots) {
            decode_next(a, &t);
        } else {
            pthread_cond_wait(&a->to_do, &a->lock);
        }
    }
    pthread_mutex_unlock(&a->lock);
    free_tools(&t);
    return NULL;
}

/* Signals stay with the threads of the program.  Under the lock; nobody is decoding. */
static void start_workers(edgefile_ahead *a)
{
    const int processors = usable_processors();
    const int most = processors < a->most_workers ? processors : a->most_workers;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (a->workers < most && pthread_create(&a->thread[a->workers], NULL, work, a) == 0) {
        a->workers++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (a->workers > 0) {
        a->slots = (uint64_t)a->workers + STAY + 2;
    }
}

/* From now on this chunk and those behind it.  Under the lock. */
static void jump(edgefile_ahead *a, uint64_t chunk, unsigned wanted)
{
    const bool next = chunk == a->last + 1 && wanted == a->wanted;

    a->next = a->chunks; /* nothing more of what was to come */
    while (a->busy > 0) {
        pthread_cond_wait(&a->done, &a->lock);
    }
    for (int i = 0; i < SLOTS; i++) {
        a->slot[i].ready = false;
    }
    a->wanted = wanted;
    if (next && a->workers == 0 && chunk + 1 < a->chunks) {
        start_workers(a);
    }
    a->first = a->next = chunk;
}

/* *column: the elements of a chunk of those datasets that `wanted` has the bit of; valid until the
 * next call. */
static int edgefile_ahead_get(edgefile_ahead *a, uint64_t chunk, unsigned wanted,
                              char *const **column)
{
    slot *s;
    int st = EDGEFILE_OK;

    pthread_mutex_lock(&a->lock);
    if (wanted != a->wanted || chunk < a->first || chunk - a->first >= a->slots ||
        a->first == UINT64_MAX) {
        jump(a, chunk, wanted);
    }
    a->last = chunk;
    if (a->workers > 0 && chunk > a->first + STAY) {
        a->first = chunk - STAY;
    }
    pthread_cond_broadcast(&a->to_do);
    s = slot_of(a, chunk);
    while (!s->ready || s->chunk != chunk) {
        if (a->workers == 0) {
            decode_next(a, &a->own);
        } else {
            pthread_cond_wait(&a->done, &a->lock);
        }
    }
    if (s->status != EDGEFILE_OK) {
        st = edgefile_fail(s->status, "%s", s->detail);
    }
    pthread_mutex_unlock(&a->lock);
    *column = s->column;
    return st;
}

/* Does the chunk lie where the ones before it end? */
static int check_place(edgefile_reader *r, int dataset, uint64_t k, uint64_t file_bytes)
{
    struct edgefile_inflating *y = r->inflating;
    const edgefile_index *x = &y->index[dataset];
    const edgefile_chunk *c = &x->chunk[k];

    if (y->end == 0) {
        y->begin = y->end = edgefile_chunk_page(c->offset);
    }
    if (c->offset != y->end || c->bytes == 0 || c->bytes > edgefile_codec_room(raw_bytes(x)) ||
        c->offset > file_bytes || edgefile_chunk_page(c->bytes) > file_bytes - c->offset) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "%s: chunk %" PRIu64 " of dataset '%s' cannot have %" PRIu64
                             " bytes at byte %" PRIu64,
                             r->name, k, name_of(r, dataset), c->bytes, c->offset);
    }
    y->end += edgefile_chunk_page(c->bytes);
    return EDGEFILE_OK;
}

static int check_places(edgefile_reader *r, uint64_t file_bytes)
{
    struct edgefile_inflating *y = r->inflating;
    const bool csr = r->schema.format == EDGEFILE_CSR;

    for (uint64_t k = 0; k < y->index[EDGEFILE_DST].n; k++) {
        for (int i = csr ? EDGEFILE_DST : EDGEFILE_SRC; i < EDGEFILE_N_DATASETS; i++) {
            if (y->index[i].n > 0) {
                EDGEFILE_TRY(check_place(r, i, k, file_bytes));
            }
        }
    }
    for (uint64_t k = 0; csr && k < y->index[EDGEFILE_POINTERS].n; k++) {
        EDGEFILE_TRY(check_place(r, EDGEFILE_POINTERS, k, file_bytes));
    }
    return EDGEFILE_OK;
}

static int read_indices(edgefile_reader *r, uint64_t file_bytes)
{
    struct edgefile_inflating *y = r->inflating;
    uint64_t roots[EDGEFILE_N_DATASETS], end;
    int n = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        n += edgefile_is_compressed(&r->schema, i, r->edges);
    }
    EDGEFILE_TRY(edgefile_compressed_look(r->name, y->fd, &end, roots, n));
    n = 0;
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const uint64_t length = edgefile_length(&r->schema, i, r->edges);

        if (!edgefile_is_compressed(&r->schema, i, r->edges)) {
            continue;
        }
        if (length / EDGEFILE_CHUNK > file_bytes / EDGEFILE_CHUNK_PAGE) {
            return edgefile_fail(EDGEFILE_ERR_FORMAT,
                                 "%s: is too short for the chunks of dataset '%s'", r->name,
                                 name_of(r, i));
        }
        EDGEFILE_TRY(
            edgefile_index_init(&y->index[i], length, edgefile_width(&r->schema, i), r->name));
        y->index[i].root = roots[n++];
        EDGEFILE_TRY(edgefile_index_read(&y->index[i], y->fd, r->name, name_of(r, i)));
    }
    return check_places(r, file_bytes);
}

int edgefile_inflating_open(edgefile_reader *r, uint64_t file_bytes)
{
    const unsigned pointers = 1U << EDGEFILE_POINTERS;
    unsigned edges = (1U << EDGEFILE_N_DATASETS) - 1;
    struct edgefile_inflating *y = calloc(1, sizeof *y);

    r->inflating = y;
    if (y == NULL) {
        return edgefile_no_memory(r->name);
    }
    y->fd = edgefile_open_fd(r->name);
    if (y->fd < 0) {
        return edgefile_fail(EDGEFILE_ERR_OPEN, "%s: %m", r->name);
    }
    if (edgefile_codec_check() != EDGEFILE_OK) {
        return EDGEFILE_ERR_OPEN; /* the file may be in order: it is this build that cannot read it
                                   */
    }
    EDGEFILE_TRY(read_indices(r, file_bytes));
    if (r->schema.format == EDGEFILE_CSR) {
        y->pointers = edgefile_ahead_new(r, pointers, POINTER_WORKERS);
        edges &= ~pointers;
    }
    y->edges = edgefile_ahead_new(r, edges, EDGE_WORKERS);
    return y->edges != NULL && (y->pointers != NULL || r->schema.format != EDGEFILE_CSR)
               ? EDGEFILE_OK
               : edgefile_no_memory(r->name);
}

void edgefile_inflating_close(struct edgefile_inflating *y)
{
    if (y == NULL) {
        return;
    }
    edgefile_ahead_free(y->edges);
    edgefile_ahead_free(y->pointers);
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        edgefile_index_free(&y->index[i]);
    }
    if (y->fd >= 0) {
        close(y->fd);
    }
    free(y);
}

static int read_columns(const edgefile_reader *r, edgefile_ahead *ahead, uint64_t first,
                        uint64_t count, char *const data[EDGEFILE_N_DATASETS])
{
    unsigned wanted = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        wanted |= data[i] != NULL ? 1U << i : 0;
    }
    for (uint64_t done = 0, part; done < count; done += part) {
        const uint64_t at = (first + done) % EDGEFILE_CHUNK, room = EDGEFILE_CHUNK - at;
        char *const *column;

        part = count - done < room ? count - done : room;
        EDGEFILE_TRY(edgefile_ahead_get(ahead, (first + done) / EDGEFILE_CHUNK, wanted, &column));
        for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
            const uint64_t width = (uint64_t)edgefile_width(&r->schema, i);

            if (data[i] != NULL) {
                memcpy(data[i] + done * width, column[i] + at * width, part * width);
            }
        }
    }
    return EDGEFILE_OK;
}

int edgefile_inflating_read(edgefile_reader *r, uint64_t first, uint64_t count,
                            char *const data[EDGEFILE_N_DATASETS])
{
    const struct edgefile_inflating *y = r->inflating;
    const bool pointers = r->schema.format == EDGEFILE_CSR && data[EDGEFILE_POINTERS] != NULL;

    return read_columns(r, pointers ? y->pointers : y->edges, first, count, data);
}

int edgefile_inflating_ranges(const edgefile_reader *r, edgefile_chunk *range)
{
    const struct edgefile_inflating *y = r->inflating;
    int n = 0;

    range[n++] = (edgefile_chunk){y->begin, y->end - y->begin};
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (y->index[i].n > 0 && edgefile_index_bytes(&y->index[i]) > 0) {
            range[n++] = (edgefile_chunk){y->index[i].nodes, edgefile_index_bytes(&y->index[i])};
        }
    }
    return n;
}
