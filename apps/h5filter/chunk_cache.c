/*
 * chunk_cache.c - the edges of the chunks that were read last, and the generators that made them.
 *
 * A thread that finds the cache in use does not wait: it makes the edges for itself alone.  So
 * threads do not hold each other up, and a child process that was forked while another thread used
 * the cache does without it, instead of waiting for ever.
 */
#include "apps/h5filter/chunk_cache.h"
#include "apps/common/huge_alloc.h"
#include "apps/engine/virtual/model_words.h"
#include "io/virtual/frame.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* At most so many bytes of edges are kept, but always one chunk; of so many models at a time. */
enum { KEPT_BYTES = 1 << 28, MODELS = 4 };

typedef struct model model;
typedef struct entry entry;

/* A chunk with room for all its columns, in one allocation. */
struct entry {
    entry *next; /* used before this one */
    uint64_t first;
    size_t bytes;
    char *column[EDGEFILE_FRAME_COLUMNS];
    bool is_new, has[EDGEFILE_FRAME_COLUMNS];
    void *memory;
};

struct model {
    uint32_t words[EDGEFILE_FRAME_MAX]; /* but for the column */
    size_t n;
    rmat_gen *gen; /* NULL: this place is free */
    entry *newest;
    uint64_t used; /* when, counted in calls */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards these: */
static model models[MODELS];
static size_t kept;
static uint64_t calls;

static bool is_of(const model *m, const uint32_t *words, size_t n)
{
    const size_t behind = EDGEFILE_FRAME_COLUMN + 1;

    return m->gen != NULL && m->n == n &&
           m->words[EDGEFILE_FRAME_VERSION_WORD] == words[EDGEFILE_FRAME_VERSION_WORD] &&
           memcmp(m->words + behind, words + behind, (n - behind) * sizeof *words) == 0;
}

static void free_entry(entry *e)
{
    kept -= e->bytes;
    free(e->memory);
    free(e);
}

static void clear(model *m)
{
    for (entry *e = m->newest, *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
    rmat_destroy(m->gen);
    memset(m, 0, sizeof *m);
}

static rmat_gen *make_generator(const uint32_t *words, size_t n)
{
    rmat_matrix levels[MODEL_WORDS_LEVELS];
    rmat_config config;
    rmat_gen *gen;

    if (n < EDGEFILE_FRAME_WORDS ||
        model_words_read(words + EDGEFILE_FRAME_WORDS, n - EDGEFILE_FRAME_WORDS, &config, levels) !=
            NULL) {
        return NULL;
    }
    /* One thread: a process that is forked later could not use OpenMP's threads. */
    config.threads = 1;
    return rmat_create(&gen, &config) == RMAT_OK ? gen : NULL;
}

/* The model's place; NULL: the words describe none. */
static model *find_model(const uint32_t *words, size_t n)
{
    model *oldest = &models[0];

    for (int i = 0; i < MODELS; i++) {
        if (is_of(&models[i], words, n)) {
            return &models[i];
        }
        if (models[i].used < oldest->used) {
            oldest = &models[i];
        }
    }
    clear(oldest);
    oldest->gen = make_generator(words, n);
    oldest->n = n;
    memcpy(oldest->words, words, n * sizeof *words);
    return oldest->gen != NULL ? oldest : NULL;
}

static size_t column_bytes(const uint32_t *words, uint32_t column)
{
    const bool is_there = column < 2 || words[EDGEFILE_FRAME_WEIGHT] != 0;

    return is_there ? (size_t)words[EDGEFILE_FRAME_CHUNK] * edgefile_frame_width(words, column) : 0;
}

static size_t chunk_bytes(const uint32_t *words)
{
    return column_bytes(words, 0) + column_bytes(words, 1) + column_bytes(words, 2);
}

static entry *new_entry(const uint32_t *words)
{
    entry *e = calloc(1, sizeof *e);
    size_t bytes = chunk_bytes(words);

    if (e == NULL || (e->memory = huge_alloc(bytes)) == NULL) {
        free(e);
        return NULL;
    }
    e->bytes = bytes;
    kept += bytes;
    bytes = 0;
    for (uint32_t i = 0; i < EDGEFILE_FRAME_COLUMNS; i++) {
        e->column[i] = (char *)e->memory + bytes;
        bytes += column_bytes(words, i);
    }
    return e;
}

/* Takes the entry that was used longest ago out of a list with one at least. */
static entry *take_oldest(model *m)
{
    entry **at = &m->newest, *e;

    while ((*at)->next != NULL) {
        at = &(*at)->next;
    }
    e = *at;
    *at = NULL;
    return e;
}

/* Memory for a chunk of this model: new, as long as all that is kept stays within its bounds, else
 * that of the model's oldest chunk, or of other models. */
static entry *make_room(model *m, const uint32_t *words)
{
    const size_t bytes = chunk_bytes(words);

    for (int i = 0; i < MODELS && kept + bytes > KEPT_BYTES; i++) {
        while (&models[i] != m && models[i].newest != NULL && kept + bytes > KEPT_BYTES) {
            free_entry(take_oldest(&models[i]));
        }
    }
    return m->newest != NULL && kept + bytes > KEPT_BYTES ? take_oldest(m) : new_entry(words);
}

static int fill(const rmat_gen *gen, const uint32_t *words, uint64_t first, char *const column[])
{
    const uint64_t edges = edgefile_frame_edges(words), chunk = words[EDGEFILE_FRAME_CHUNK];
    const uint64_t count = edges - first < chunk ? edges - first : chunk;
    const bool weights = words[EDGEFILE_FRAME_WEIGHT] != 0;
    const rmat_arrays to = {column[0], column[1], weights ? column[2] : NULL,
                            (int)words[EDGEFILE_FRAME_ID_BYTES]};

    for (uint32_t i = 0; i < EDGEFILE_FRAME_COLUMNS; i++) {
        const size_t used = (size_t)count * edgefile_frame_width(words, i);

        if (column_bytes(words, i) > used) {
            memset(column[i] + used, 0, column_bytes(words, i) - used);
        }
    }
    return rmat_generate_arrays(gen, first, count, &to) == RMAT_OK ? 0 : -1;
}

/* The chunk at the head of the model's list, with none of its columns where it is new; NULL: memory
 * is exhausted. */
static entry *find_chunk(model *m, const uint32_t *words, uint64_t first)
{
    entry **at = &m->newest, *e;

    while (*at != NULL && (*at)->first != first) {
        at = &(*at)->next;
    }
    e = *at;
    if (e != NULL) {
        *at = e->next;
    } else {
        e = make_room(m, words);
        if (e == NULL) {
            return NULL;
        }
        e->first = first;
        e->is_new = true;
        memset(e->has, 0, sizeof e->has);
    }
    e->next = m->newest;
    m->newest = e;
    return e;
}

/* Whoever wants a column of a new chunk gets it made in place, and only the others are kept: most
 * read each column once.  Who wants it again pays for that once. */
static int make_columns(model *m, entry *e, const uint32_t *words, uint32_t column, void *to)
{
    char *made[EDGEFILE_FRAME_COLUMNS];

    memcpy(made, e->column, sizeof made);
    if (e->is_new) {
        made[column] = to;
    }
    if (fill(m->gen, words, e->first, made) != 0) {
        m->newest = e->next;
        free_entry(e);
        return -1;
    }
    for (uint32_t i = 0; i < EDGEFILE_FRAME_COLUMNS; i++) {
        e->has[i] = made[i] == e->column[i];
    }
    return 0;
}

static int copy_kept(const uint32_t *words, size_t n, uint64_t first, void *to)
{
    const uint32_t column = words[EDGEFILE_FRAME_COLUMN];
    model *m = find_model(words, n);
    entry *e = m != NULL ? find_chunk(m, words, first) : NULL;

    if (e == NULL) {
        return -1;
    }
    m->used = ++calls;
    if (!e->has[column] && make_columns(m, e, words, column, to) != 0) {
        return -1;
    }
    if (e->has[column]) {
        memcpy(to, e->column[column], column_bytes(words, column));
    }
    e->is_new = false;
    return 0;
}

/* Without the cache. */
static int copy_made(const uint32_t *words, size_t n, uint64_t first, void *to)
{
    rmat_gen *gen = make_generator(words, n);
    char *column[EDGEFILE_FRAME_COLUMNS] = {NULL};
    int status = gen != NULL ? 0 : -1;

    for (uint32_t i = 0; i < EDGEFILE_FRAME_COLUMNS && status == 0; i++) {
        column[i] = i == words[EDGEFILE_FRAME_COLUMN] ? to : malloc(column_bytes(words, i) + 1);
        status = column[i] != NULL ? 0 : -1;
    }
    if (status == 0) {
        status = fill(gen, words, first, column);
    }
    for (uint32_t i = 0; i < EDGEFILE_FRAME_COLUMNS; i++) {
        if (i != words[EDGEFILE_FRAME_COLUMN]) {
            free(column[i]);
        }
    }
    rmat_destroy(gen);
    return status;
}

int chunk_cache_copy(const uint32_t *words, size_t n, uint64_t first, void *to)
{
    int status;

    if (pthread_mutex_trylock(&lock) != 0) {
        return copy_made(words, n, first, to);
    }
    status = copy_kept(words, n, first, to);
    pthread_mutex_unlock(&lock);
    return status;
}
