/*
 * write.c - the write path of compressed files.
 *
 * How far the edges will reach is not known before all of them are encoded.  So pointers are
 * written behind the furthest place that edges could take, where the file has a hole until then,
 * and moved up at the end: they take a few hundredths of a CSR file.  A group of processes writes
 * them last.
 */
#include "io/compressed/compressed.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

/*
 * Encoded chunks lie one behind the other in the order of their numbers, whoever brings them and
 * when: they are in a lane.  A chunk gets its place when all before it have theirs.  The thread
 * that brings the next one writes it, and those behind it that were waiting.  Where several
 * processes write the file, chunks wait until the end of their round.
 */

/* An encoded chunk.  bytes: without the zeros that follow up to the end of the page. */
typedef struct edgefile_encoded {
    uint64_t number, bytes;
    edgefile_chunk *place; /* is set when it is known */
    struct edgefile_encoded *next;
    char *data; /* on a page boundary, with room for whole pages; belongs to the lane */
} edgefile_encoded;

typedef struct {
    edgefile_output *file; /* whose descriptors are written to */
    bool direct;           /* past the page cache, if the file can */
    bool rounds;           /* chunks wait for edgefile_lane_end_round() */
    uint64_t base;         /* where chunk 0 is */
    pthread_mutex_t lock;  /* guards what follows */
    uint64_t next, end;    /* the chunk whose place is known, and that place */
    uint64_t reserved;     /* disk space is allocated up to there */
    edgefile_encoded *waiting, *spare;
} edgefile_lane;

#define AHEAD ((uint64_t)256 << 20) /* bytes of disk space that are allocated ahead */

static void edgefile_lane_init(edgefile_lane *l, edgefile_output *file, bool direct, bool rounds)
{
    *l = (edgefile_lane){.file = file, .direct = direct, .rounds = rounds};
    pthread_mutex_init(&l->lock, NULL);
}

static void free_list(edgefile_encoded *e)
{
    while (e != NULL) {
        edgefile_encoded *next = e->next;

        free(e->data);
        free(e);
        e = next;
    }
}

static void edgefile_lane_free(edgefile_lane *l)
{
    free_list(l->waiting);
    free_list(l->spare);
    pthread_mutex_destroy(&l->lock);
}

/* An empty chunk with room for so many bytes; NULL: memory is exhausted.  Goes back by add or by
 * give. */
static edgefile_encoded *edgefile_lane_take(edgefile_lane *l, size_t bytes)
{
    edgefile_encoded *e;

    pthread_mutex_lock(&l->lock);
    e = l->spare;
    if (e != NULL) {
        l->spare = e->next;
    }
    pthread_mutex_unlock(&l->lock);
    if (e != NULL || (e = calloc(1, sizeof *e)) == NULL) {
        return e;
    }
    e->data = aligned_alloc(EDGEFILE_CHUNK_PAGE, edgefile_chunk_page(bytes));
    if (e->data == NULL) {
        free(e);
        return NULL;
    }
    return e;
}

static void edgefile_lane_give(edgefile_lane *l, edgefile_encoded *e)
{
    pthread_mutex_lock(&l->lock);
    e->next = l->spare;
    l->spare = e;
    pthread_mutex_unlock(&l->lock);
}

/* Takes the next chunk out of those that wait and gives it its place; NULL: it is not there.  Under
 * the lock. */
static edgefile_encoded *place_next(edgefile_lane *l)
{
    edgefile_encoded **link = &l->waiting, *e;

    while (*link != NULL && (*link)->number != l->next) {
        link = &(*link)->next;
    }
    e = *link;
    if (e != NULL) {
        *link = e->next;
        *e->place = (edgefile_chunk){l->end, e->bytes};
        l->end += edgefile_chunk_page(e->bytes);
        l->next++;
    }
    return e;
}

/* Not for small files.  Where the file system cannot, the writes allocate, and report a full disk.
 * Under the lock, which is open while the system allocates: that takes some 20 ms, in which others
 * write where it has. */
static void reserve(edgefile_lane *l, uint64_t from)
{
    if (l->direct && l->end - l->base >= AHEAD / 4 && l->end + AHEAD / 4 > l->reserved) {
        const uint64_t until = l->end + AHEAD;
        bool allocated;

        from = l->reserved > from ? l->reserved : from;
        l->reserved = until;
        pthread_mutex_unlock(&l->lock);
        allocated = edgefile_set_aside(l->file->fd, from, until - from) == 0;
        pthread_mutex_lock(&l->lock);
        if (!allocated) {
            l->reserved = UINT64_MAX;
        }
    }
}

static int write_chunk(edgefile_lane *l, edgefile_encoded *e)
{
    const uint64_t bytes = edgefile_chunk_page(e->bytes);

    memset(e->data + e->bytes, 0, bytes - e->bytes);
    if (edgefile_put(l->file->fd, l->direct ? l->file->direct_fd : -1, e->place->offset, bytes,
                     e->data) < bytes) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", l->file->partial);
    }
    return EDGEFILE_OK;
}

/* By any thread, every number once. */
static int edgefile_lane_add(edgefile_lane *l, edgefile_encoded *e)
{
    int st = EDGEFILE_OK;

    pthread_mutex_lock(&l->lock);
    e->next = l->waiting;
    l->waiting = e;
    while (st == EDGEFILE_OK && !l->rounds && (e = place_next(l)) != NULL) {
        reserve(l, e->place->offset);
        pthread_mutex_unlock(&l->lock);
        st = write_chunk(l, e);
        edgefile_lane_give(l, e);
        pthread_mutex_lock(&l->lock);
    }
    pthread_mutex_unlock(&l->lock);
    return st;
}

/* How many chunks wait, and their bytes in the file. */
static uint64_t look_at_waiting(const edgefile_lane *l, uint64_t *bytes)
{
    uint64_t n = 0;

    *bytes = 0;
    for (const edgefile_encoded *e = l->waiting; e != NULL; e = e->next) {
        n++;
        *bytes += edgefile_chunk_page(e->bytes);
    }
    return n;
}

/* Writes the chunks of a round, whose numbers follow each other, behind those of lower processes.
 * Collective; EDGEFILE_ERR_RANGE: numbers are missing. */
static int edgefile_lane_end_round(edgefile_lane *l, const edgefile_group *group)
{
    const char *path = l->file->partial;
    uint64_t bytes, n = look_at_waiting(l, &bytes);
    uint64_t before, before_bytes, all, all_bytes, end, next;
    edgefile_encoded *e;
    int st = EDGEFILE_OK;

    EDGEFILE_TRY(edgefile_group_share(group, path, n, &before, &all));
    EDGEFILE_TRY(edgefile_group_share(group, path, bytes, &before_bytes, &all_bytes));
    end = l->end + all_bytes;
    next = l->next + all;
    l->end += before_bytes;
    l->next += before;
    if (l->direct && bytes > 0 && l->reserved != UINT64_MAX &&
        edgefile_set_aside(l->file->fd, l->end, bytes) != 0) {
        l->reserved = UINT64_MAX;
    }
    while (st == EDGEFILE_OK && (e = place_next(l)) != NULL) {
        st = write_chunk(l, e);
        edgefile_lane_give(l, e);
    }
    if (st == EDGEFILE_OK && l->waiting != NULL) {
        st = edgefile_fail(EDGEFILE_ERR_RANGE, "%s: a round has no chunk %llu", path,
                           (unsigned long long)l->next);
    }
    l->end = end;
    l->next = next;
    return st;
}

/*
 * Columns are cut into chunks.  A chunk that a call has all elements of is encoded from
 * the caller's memory; others are put together first.  Whoever completes a chunk encodes it.
 */

/* A chunk that does not have all its elements yet. */
typedef struct edgefile_unfinished {
    int dataset;
    uint64_t chunk;
    _Atomic uint64_t missing; /* elements */
    struct edgefile_unfinished *next;
    uint64_t data[];
} edgefile_unfinished;

typedef struct edgefile_codecs {
    edgefile_codec *codec;
    struct edgefile_codecs *next;
} edgefile_codecs;

typedef struct {
    edgefile_index index[EDGEFILE_N_DATASETS];
    int first_edges, n_edges; /* datasets of the edges' columns: so many from the first one on */
    edgefile_lane edges, pointers; /* of a group, all chunks are in the lane of the edges */
    pthread_mutex_t lock;          /* guards what follows */
    edgefile_unfinished *begun, *spare_unfinished;
    edgefile_codecs *spare;
} edgefile_compressed;

static inline bool edgefile_is_pointers(const edgefile_output *w, int dataset)
{
    return w->schema.format == EDGEFILE_CSR && dataset == EDGEFILE_POINTERS;
}

/* The chunks of the edges' columns. */
static inline uint64_t edgefile_edge_chunks(const edgefile_compressed *c)
{
    return (uint64_t)c->n_edges * c->index[EDGEFILE_DST].n;
}

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
static int encode_chunk(edgefile_output *w, int dataset, uint64_t chunk, const void *from)
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
static uint64_t chunk_elements(const edgefile_index *x, uint64_t chunk)
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

static void begin_chunk(edgefile_unfinished *u, const edgefile_index *x, int dataset,
                        uint64_t chunk)
{
    const uint64_t used = chunk_elements(x, chunk) * (uint64_t)x->width;

    u->dataset = dataset;
    u->chunk = chunk;
    atomic_init(&u->missing, chunk_elements(x, chunk));
    memset((char *)u->data + used, 0, edgefile_index_chunk(x) * (uint64_t)x->width - used);
}

/* The chunk, which is begun if nobody has.  NULL: memory is exhausted. */
static edgefile_unfinished *find_unfinished(edgefile_compressed *c, int dataset, uint64_t chunk)
{
    edgefile_unfinished *found, *made;

    pthread_mutex_lock(&c->lock);
    found = look_for(c, dataset, chunk);
    pthread_mutex_unlock(&c->lock);
    if (found != NULL || (made = take_memory(c)) == NULL) {
        return found;
    }
    begin_chunk(made, &c->index[dataset], dataset, chunk);
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
    edgefile_unfinished *u = find_unfinished(c, dataset, chunk);
    int st;

    if (u == NULL) {
        return edgefile_no_memory(w->partial);
    }
    memcpy((char *)u->data + at * width, from, count * width);
    if (atomic_fetch_sub(&u->missing, count) > count) {
        return EDGEFILE_OK;
    }
    take_out(c, u);
    st = encode_chunk(w, dataset, chunk, u->data);
    give_memory(c, u);
    return st;
}

/* Elements [first, first + count) of a dataset.  Chunks that are complete then go to
 * their lane.  Any thread. */
static int edgefile_chunks_add(edgefile_output *w, int dataset, uint64_t first, uint64_t count,
                               const char *from)
{
    const edgefile_compressed *c = w->compressed;
    const edgefile_index *x = &c->index[dataset];

    for (uint64_t done = 0, part; done < count; done += part) {
        const uint64_t chunk = (first + done) / EDGEFILE_CHUNK,
                       at = (first + done) % EDGEFILE_CHUNK;
        const uint64_t room = chunk_elements(x, chunk) - at;
        const char *data = from + done * (uint64_t)x->width;

        part = count - done < room ? count - done : room;
        EDGEFILE_TRY(part == edgefile_index_chunk(x) ? encode_chunk(w, dataset, chunk, data)
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

static void edgefile_chunks_free(edgefile_compressed *c)
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

/*
 * Several processes write one compressed file.
 *
 * Where a chunk comes to lie depends on the bytes of all chunks before it, which are other
 * processes' too.  So in a round each process encodes whole chunks of consecutive elements and
 * keeps them; at its end the processes tell each other how many bytes they have, and each writes
 * its chunks behind those of lower ranks.  At last process 0 learns where all chunks are.
 */

/* Collective. */
static int edgefile_compressed_end_round(edgefile_output *w)
{
    edgefile_compressed *c = w->compressed;
    int st = EDGEFILE_OK;

    if (c->begun != NULL) {
        st = edgefile_fail(EDGEFILE_ERR_RANGE, "%s: a round ended within chunk %llu", w->partial,
                           (unsigned long long)c->begun->chunk);
    }
    EDGEFILE_TRY(edgefile_group_agree(w->group, st));
    st = edgefile_lane_end_round(&c->edges, w->group);
    return edgefile_group_agree(w->group, st);
}

/* Tells process 0 where all chunks are; each place is known to one process, and zeros to the
 * others. */
static void edgefile_compressed_gather(edgefile_output *w)
{
    const edgefile_compressed *c = w->compressed;
    enum { WORDS = sizeof(edgefile_chunk) / sizeof(uint64_t) };

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (c->index[i].n > 0) {
            edgefile_group_sum(w->group, (uint64_t *)(void *)c->index[i].chunk,
                               c->index[i].n * WORDS);
        }
    }
}

/* The places of a column's chunks, at most. */
static uint64_t most_bytes(const edgefile_index *x)
{
    return x->n *
           edgefile_chunk_page(edgefile_codec_room(edgefile_index_chunk(x) * (uint64_t)x->width));
}

static int open_indices(edgefile_output *w, edgefile_compressed *c, uint64_t *end)
{
    uint64_t roots[EDGEFILE_N_DATASETS];
    int n = 0;

    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (edgefile_is_compressed(&w->schema, i, w->edges)) {
            EDGEFILE_TRY(edgefile_index_init(&c->index[i], edgefile_length(&w->schema, i, w->edges),
                                             edgefile_width(&w->schema, i), w->partial));
            n++;
        }
    }
    EDGEFILE_TRY(edgefile_compressed_look(w->partial, w->fd, end, roots, n));
    for (int i = EDGEFILE_N_DATASETS - 1; i >= 0; i--) {
        if (c->index[i].n > 0) {
            c->index[i].root = roots[--n];
        }
    }
    return EDGEFILE_OK;
}

static int open_compressed(edgefile_output *w)
{
    edgefile_compressed *c = calloc(1, sizeof *c);
    uint64_t end, most = 0;

    if (c == NULL) {
        return edgefile_no_memory(w->partial);
    }
    pthread_mutex_init(&c->lock, NULL);
    w->compressed = c;
    edgefile_lane_init(&c->edges, w, true, w->size > 1);
    edgefile_lane_init(&c->pointers, w, false, false);
    EDGEFILE_TRY(open_indices(w, c, &end));
    EDGEFILE_TRY(edgefile_positional_ops.open(w));
    c->first_edges = w->schema.format == EDGEFILE_CSR ? EDGEFILE_DST : EDGEFILE_SRC;
    for (int i = c->first_edges; i < EDGEFILE_N_DATASETS; i++) {
        c->n_edges += c->index[i].n > 0;
        most += c->index[i].n > 0 ? most_bytes(&c->index[i]) : 0;
    }
    c->edges.base = c->edges.end = edgefile_chunk_page(end);
    c->pointers.base = c->pointers.end = c->edges.base + most;
    return EDGEFILE_OK;
}

static int write_compressed(edgefile_output *w, uint64_t first, uint64_t count,
                            const void *const data[EDGEFILE_N_DATASETS])
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (data[i] != NULL) {
            EDGEFILE_TRY(edgefile_chunks_add(w, i, first, count, data[i]));
        }
    }
    return EDGEFILE_OK;
}

/* The pointers' chunks up to the end of those of the edges. */
static int move_pointers(const edgefile_output *w, edgefile_compressed *c)
{
    edgefile_index *x = &c->index[EDGEFILE_POINTERS];
    const uint64_t room = edgefile_chunk_page(edgefile_codec_room(EDGEFILE_CHUNK * 8));
    char *data = malloc(room);
    int st = data != NULL ? EDGEFILE_OK : edgefile_no_memory(w->partial);

    for (uint64_t k = 0; k < x->n && st == EDGEFILE_OK; k++) {
        const uint64_t bytes = edgefile_chunk_page(x->chunk[k].bytes);

        if (edgefile_get(w->fd, x->chunk[k].offset, bytes, data) < bytes ||
            edgefile_put(w->fd, -1, c->edges.end, bytes, data) < bytes) {
            st = edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", w->partial);
        }
        x->chunk[k].offset = c->edges.end;
        c->edges.end += bytes;
    }
    free(data);
    return st;
}

/* What is missing shows when the writer is committed. */
static bool is_complete(const edgefile_output *w, const edgefile_compressed *c)
{
    const bool csr = edgefile_is_pointers(w, EDGEFILE_POINTERS);
    const uint64_t edges = edgefile_edge_chunks(c), pointers = c->index[EDGEFILE_POINTERS].n;

    if (w->size > 1) {
        return c->edges.next == edges + (csr ? pointers : 0);
    }
    return c->edges.next == edges && (!csr || c->pointers.next == pointers);
}

static int write_indices(const edgefile_output *w, edgefile_compressed *c)
{
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        if (c->index[i].n > 0) {
            c->index[i].nodes = c->edges.end;
            c->edges.end += edgefile_index_bytes(&c->index[i]);
            EDGEFILE_TRY(edgefile_index_write(&c->index[i], w->fd, w->partial));
        }
    }
    return edgefile_compressed_set_end(w->partial, w->fd, c->edges.end);
}

static int finish_compressed(edgefile_output *w)
{
    edgefile_compressed *c = w->compressed;

    if (!is_complete(w, c)) {
        return EDGEFILE_OK;
    }
    if (w->size > 1) {
        edgefile_compressed_gather(w);
    } else if (edgefile_is_pointers(w, EDGEFILE_POINTERS)) {
        EDGEFILE_TRY(move_pointers(w, c));
    }
    return w->rank == 0 ? write_indices(w, c) : EDGEFILE_OK;
}

static void close_compressed(edgefile_output *w)
{
    edgefile_compressed *c = w->compressed;

    w->compressed = NULL;
    edgefile_positional_ops.close(w);
    if (c == NULL) {
        return;
    }
    edgefile_lane_free(&c->edges);
    edgefile_lane_free(&c->pointers);
    edgefile_chunks_free(c);
    for (int i = 0; i < EDGEFILE_N_DATASETS; i++) {
        edgefile_index_free(&c->index[i]);
    }
    pthread_mutex_destroy(&c->lock);
    free(c);
}

const edgefile_write_ops edgefile_compressed_ops = {.open = open_compressed,
                                                    .write = write_compressed,
                                                    .close = close_compressed,
                                                    .end_round = edgefile_compressed_end_round,
                                                    .finish = finish_compressed};
