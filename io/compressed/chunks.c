/*
 * chunks.c - columns are cut into chunks.  A chunk that a call has all elements of is encoded from
 * the caller's memory; others are put together first.  Whoever completes a chunk encodes it.
 */
#include "io/compressed/write.h"

#include <stdlib.h>
#include <string.h>

static edgefile_codec *take_codec(edgefile_compressed *c, edgefile_codecs **holder)
{
    pthread_mutex_lock(&c->lock);
    *holder = c->spare;
    if (*holder != NULL) {
        c->spare = (*holder)->next;
    }
    pthread_mutex_unlock(&c->lock);
    if (*holder == NULL && (*holder = calloc(1, sizeof **holder)) != NULL) {
        (*holder)->codec = edgefile_codec_new(EDGEFILE_CHUNK * sizeof(uint64_t));
        if ((*holder)->codec == NULL) {
            free(*holder);
            *holder = NULL;
        }
    }
    return *holder != NULL ? (*holder)->codec : NULL;
}

static void give_codec(edgefile_compressed *c, edgefile_codecs *holder)
{
    pthread_mutex_lock(&c->lock);
    holder->next = c->spare;
    c->spare = holder;
    pthread_mutex_unlock(&c->lock);
}

/* A whole chunk; from has all its elements, also those behind the end of the dataset. */
static int encode(edgefile_output *w, int dataset, uint64_t chunk, const void *from)
{
    edgefile_compressed *c = w->compressed;
    edgefile_index *x = &c->index[dataset];
    const bool pointers = edgefile_is_pointers(w, dataset), alone = w->size == 1;
    edgefile_lane *lane = pointers && alone ? &c->pointers : &c->edges;
    const uint64_t count = edgefile_index_chunk(x);
    edgefile_encoded *e =
        edgefile_lane_take(lane, edgefile_codec_room(EDGEFILE_CHUNK * sizeof(uint64_t)));
    edgefile_codecs *holder = NULL;
    edgefile_codec *codec = e != NULL ? take_codec(c, &holder) : NULL;

    if (codec == NULL) {
        if (e != NULL) {
            edgefile_lane_give(lane, e);
        }
        return edgefile_no_memory(w->partial);
    }
    e->bytes = edgefile_codec_encode(codec, e->data, from, count, (size_t)x->width);
    give_codec(c, holder);
    if (e->bytes == 0) {
        edgefile_lane_give(lane, e);
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: a chunk cannot be compressed", w->partial);
    }
    e->number = !pointers ? chunk * (uint64_t)c->n_edges + (uint64_t)(dataset - c->first_edges)
                : alone   ? chunk
                          : edgefile_edge_chunks(c) + chunk;
    e->place = &x->chunk[chunk];
    return edgefile_lane_add(lane, e);
}

/* Elements of a chunk that belong to the dataset. */
static uint64_t elements(const edgefile_index *x, uint64_t chunk)
{
    const uint64_t left = x->length - chunk * EDGEFILE_CHUNK;

    return left < EDGEFILE_CHUNK ? left : EDGEFILE_CHUNK;
}

/* Under the lock. */
static edgefile_unfinished *look_for(const edgefile_compressed *c, int dataset, uint64_t chunk)
{
    edgefile_unfinished *u = c->begun;

    while (u != NULL && (u->dataset != dataset || u->chunk != chunk)) {
        u = u->next;
    }
    return u;
}

/* Memory for a chunk of any dataset.  It is used again, rather than taken from the system for each
 * chunk. */
static edgefile_unfinished *take_memory(edgefile_compressed *c)
{
    edgefile_unfinished *u;

    pthread_mutex_lock(&c->lock);
    u = c->spare_unfinished;
    if (u != NULL) {
        c->spare_unfinished = u->next;
    }
    pthread_mutex_unlock(&c->lock);
    return u != NULL ? u : malloc(sizeof *u + EDGEFILE_CHUNK * sizeof(uint64_t));
}

static void begin(edgefile_unfinished *u, const edgefile_index *x, int dataset, uint64_t chunk)
{
    const uint64_t used = elements(x, chunk) * (uint64_t)x->width;

    u->dataset = dataset;
    u->chunk = chunk;
    atomic_init(&u->missing, elements(x, chunk));
    memset((char *)u->data + used, 0, edgefile_index_chunk(x) * (uint64_t)x->width - used);
}

/* The chunk, which is begun if nobody has.  NULL: memory is exhausted. */
static edgefile_unfinished *find(edgefile_compressed *c, int dataset, uint64_t chunk)
{
    edgefile_unfinished *found, *made;

    pthread_mutex_lock(&c->lock);
    found = look_for(c, dataset, chunk);
    pthread_mutex_unlock(&c->lock);
    if (found != NULL || (made = take_memory(c)) == NULL) {
        return found;
    }
    begin(made, &c->index[dataset], dataset, chunk);
    pthread_mutex_lock(&c->lock);
    found = look_for(c, dataset, chunk); /* another thread may have begun it meanwhile */
    if (found == NULL) {
        made->next = c->begun;
        c->begun = found = made;
    } else {
        made->next = c->spare_unfinished;
        c->spare_unfinished = made;
    }
    pthread_mutex_unlock(&c->lock);
    return found;
}

static void take_out(edgefile_compressed *c, const edgefile_unfinished *gone)
{
    edgefile_unfinished **link = &c->begun;

    pthread_mutex_lock(&c->lock);
    while (*link != gone) {
        link = &(*link)->next;
    }
    *link = gone->next;
    pthread_mutex_unlock(&c->lock);
}

static void give_memory(edgefile_compressed *c, edgefile_unfinished *u)
{
    pthread_mutex_lock(&c->lock);
    u->next = c->spare_unfinished;
    c->spare_unfinished = u;
    pthread_mutex_unlock(&c->lock);
}

/* Elements from `at` of the chunk on, count of them. */
static int add_some(edgefile_output *w, int dataset, uint64_t chunk, uint64_t at, uint64_t count,
                    const char *from)
{
    edgefile_compressed *c = w->compressed;
    const uint64_t width = (uint64_t)c->index[dataset].width;
    edgefile_unfinished *u = find(c, dataset, chunk);
    int st;

    if (u == NULL) {
        return edgefile_no_memory(w->partial);
    }
    memcpy((char *)u->data + at * width, from, count * width);
    if (atomic_fetch_sub(&u->missing, count) > count) {
        return EDGEFILE_OK;
    }
    take_out(c, u);
    st = encode(w, dataset, chunk, u->data);
    give_memory(c, u);
    return st;
}

int edgefile_chunks_add(edgefile_output *w, int dataset, uint64_t first, uint64_t count,
                        const char *from)
{
    const edgefile_compressed *c = w->compressed;
    const edgefile_index *x = &c->index[dataset];

    for (uint64_t done = 0, part; done < count; done += part) {
        const uint64_t chunk = (first + done) / EDGEFILE_CHUNK,
                       at = (first + done) % EDGEFILE_CHUNK;
        const uint64_t room = elements(x, chunk) - at;
        const char *data = from + done * (uint64_t)x->width;

        part = count - done < room ? count - done : room;
        EDGEFILE_TRY(part == edgefile_index_chunk(x) ? encode(w, dataset, chunk, data)
                                                     : add_some(w, dataset, chunk, at, part, data));
    }
    return EDGEFILE_OK;
}

static void free_unfinished(edgefile_unfinished *u)
{
    while (u != NULL) {
        edgefile_unfinished *next = u->next;

        free(u);
        u = next;
    }
}

void edgefile_chunks_free(edgefile_compressed *c)
{
    free_unfinished(c->begun);
    free_unfinished(c->spare_unfinished);
    while (c->spare != NULL) {
        edgefile_codecs *first = c->spare;

        c->spare = first->next;
        edgefile_codec_free(first->codec);
        free(first);
    }
}
