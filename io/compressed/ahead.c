/*
 * ahead.c - decodes chunks before they are asked for.
 *
 * Whoever reads a file from its beginning to its end wants chunk after chunk.  When that shows, by
 * the second chunk, threads are started that decode the next ones into a ring of slots, chunk k
 * into slot k modulo their number.  A jump to another place empties the ring.  Threads that read
 * pieces side by side come back to a chunk that others have left: a few stay.
 */
#include "io/compressed/compressed.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

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

static size_t raw_bytes(const edgefile_reader *r, unsigned datasets)
{
    size_t most = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        const edgefile_index *x = edgefile_inflating_index(r, i);
        const size_t bytes = x->n > 0 ? edgefile_index_chunk(x) * (size_t)x->width : 0;

        most = datasets & 1U << i && bytes > most ? bytes : most;
    }
    return most;
}

edgefile_ahead *edgefile_ahead_new(edgefile_reader *r, unsigned datasets, int workers)
{
    edgefile_ahead *a = calloc(1, sizeof *a);

    if (a != NULL) {
        a->r = r;
        a->most_workers = workers < MAX_WORKERS ? workers : MAX_WORKERS;
        a->raw_bytes = raw_bytes(r, datasets);
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

void edgefile_ahead_free(edgefile_ahead *a)
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

int edgefile_ahead_get(edgefile_ahead *a, uint64_t chunk, unsigned wanted, char *const **column)
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
