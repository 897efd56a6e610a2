/*
 * gather.c - passes over the stream for a sorted interval in host memory: counting the edges
 * between cells, gathering an interval's keys; and inserting cells.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

/*
 * rmat_count_cells() on the CPU: one pass over the stream.  Each thread turns edges of the
 * interval into keys and counts them by part; the counts of all threads are added at the end.
 */
typedef struct {
    rmat_key_range in;
    const rmat_key_ops *ops;
    uint64_t parts;
    rmat_cuts cuts;
    uint64_t *counts; /* [thread][part] */
} counting;

static int count_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                       const void *dst, const void *weight, int id_bytes)
{
    counting *c = to;
    uint64_t *counts = c->counts + (uint64_t)thread * c->parts;
    rmat_key keys[RMAT_PASS_PIECE];

    (void)first, (void)weight;
    n = c->ops->keep(&c->in, n, src, dst, NULL, id_bytes, keys);
    if (c->parts == 1) {
        counts[0] += n;
    } else {
        c->ops->count(keys, n, &c->cuts, counts);
    }
    return 0;
}

/* Sets the index to n cuts; last: the last key of the range. */
static void set_cuts(rmat_cuts *c, const rmat_key *cuts, uint64_t n, rmat_key last)
{
    uint64_t k = 0;

    c->cuts = cuts;
    c->shift = 0;
    while (last >> c->shift >= RMAT_CUT_SLOTS) {
        c->shift++;
    }
    for (uint64_t slot = 0; slot <= RMAT_CUT_SLOTS; slot++) {
        while (k < n && cuts[k] >> c->shift < slot) {
            k++;
        }
        c->below[slot] = k;
    }
}

int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts)
{
    const int threads = rmat_threads_for(gen, count, RMAT_WORTH_THREAD);
    rmat_pass pass = {.gen = gen, .first = first, .count = count};
    counting *c = NULL;
    rmat_key *keys = NULL;
    int st = RMAT_ERR_NOMEM;

    if (!rmat_cell_below(&cells[0], &cells[n - 1])) {
        return RMAT_OK;
    }
    c = calloc(1, sizeof *c);
    keys = malloc(n * sizeof *keys);
    if (c == NULL || keys == NULL) {
        goto done;
    }
    c->parts = n - 1;
    c->counts = calloc(c->parts, (size_t)threads * sizeof *c->counts);
    if (c->counts == NULL) {
        goto done;
    }
    c->in = rmat_key_range_of(gen, &cells[0], &cells[n - 1]);
    c->ops = rmat_key_ops_of(&c->in);
    for (uint64_t i = 0; i + 1 < c->parts; i++) { /* some may be at the interval's ends */
        keys[i] = rmat_key_of(&c->in, cells[i + 1].src, cells[i + 1].dst);
    }
    set_cuts(&c->cuts, keys, c->parts - 1, c->in.last);
    rmat_run_pass(&pass, threads, count_piece, c);
    st = rmat_pass_end(&pass);
    for (uint64_t i = 0; i < (uint64_t)threads * c->parts; i++) {
        counts[i % c->parts] += c->counts[i];
    }
done:
    if (c != NULL) {
        free(c->counts);
    }
    free(c);
    free(keys);
    return st;
}

/*
 * Keys that come in order are not distributed: they fill the chunks one behind the other, each at
 * the place that its number in the stream gives it.  Copies are dropped at the end.  Edges that are
 * not added must be the last ones of the interval.
 */
typedef struct {
    const rmat_interval *b;
    rmat_cpu_interval *s;
    uint64_t in_chunk; /* keys */
} placing;

static uint64_t keys_of_chunk(const rmat_cpu_interval *s)
{
    return ((uint64_t)1 << s->chunks.shift) / s->ops->bytes;
}

static int place_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                       const void *dst, const void *weight, int id_bytes)
{
    const placing *p = to;
    const rmat_cpu_interval *s = p->s;
    const size_t bytes = s->ops->bytes;
    _Alignas(64) rmat_key keys[RMAT_PASS_PIECE];
    uint64_t at = first - p->b->from;

    (void)thread;
    s->ops->keep(&s->in, n, src, dst, weight, id_bytes, keys);
    for (uint64_t done = 0, some; done < n; done += some, at += some) {
        const uint64_t left = p->in_chunk - at % p->in_chunk;

        some = n - done < left ? n - done : left;
        memcpy((char *)rmat_chunk(&s->chunks, (uint32_t)(at / p->in_chunk)) +
                   at % p->in_chunk * bytes,
               (const char *)keys + done * bytes, some * bytes);
    }
    return 0;
}

static int place_range(rmat_interval *b, uint64_t first, uint64_t count)
{
    rmat_cpu_interval *s = b->state;
    const int threads = rmat_threads_for(b->gen, count, RMAT_WORTH_THREAD);
    rmat_pass pass = {.gen = b->gen, .first = first, .count = count};
    placing p = {b, s, keys_of_chunk(s)};

    if (first + count - b->from > b->capacity) {
        return RMAT_ERR_FULL;
    }
    rmat_run_pass(&pass, threads, place_piece, &p);
    s->n += count;
    s->end = first + count > s->end ? first + count : s->end;
    return rmat_pass_end(&pass);
}

/* Keeps of the chunk's n keys those that differ from the one before; *last is that before the first
 * key, and then the last one.  Returns how many. */
static uint64_t drop_copies(const rmat_cpu_interval *s, uint32_t chunk, uint64_t n, rmat_key *last)
{
    const size_t bytes = s->ops->bytes;
    char *keys = rmat_chunk(&s->chunks, chunk);
    uint64_t kept = 0;

    for (uint64_t i = 0; i < n; i++) {
        const rmat_key key = s->ops->at(keys, i);

        if (key != *last) {
            memmove(keys + kept++ * bytes, keys + i * bytes, bytes);
            *last = key;
        }
    }
    return kept;
}

static int settle_placed(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;
    const uint64_t in_chunk = keys_of_chunk(s), n = s->n;
    const uint32_t chunks = (uint32_t)((n + in_chunk - 1) / in_chunk);
    rmat_key last = ~(rmat_key)0; /* no key */

    if (n > 0 && s->end - b->from != n) {
        return RMAT_ERR_RANGE;
    }
    s->n = 0;
    s->chunks_used = 0;
    for (uint32_t i = 0; i < chunks; i++) {
        const uint64_t all = n - i * in_chunk < in_chunk ? n - i * in_chunk : in_chunk;
        const uint64_t kept = b->unique ? drop_copies(s, i, all, &last) : all;

        if (kept > 0) {
            s->order[s->chunks_used] = i;
            s->before[s->chunks_used++] = s->n;
            s->n += kept;
        }
    }
    s->before[s->chunks_used] = s->n;
    return RMAT_OK;
}

/*
 * Gathers the keys of an interval from the stream, and sorts them.
 *
 * Each thread makes keys in its cache and distributes them over its lists by their leading bits, so
 * many as there is room for.  If there is none, each thread keeps the keys that are left.  An
 * interval of unique edges then makes room by sorting what it has and dropping copies, and the
 * threads go on.
 */

/* The keys that a thread has not distributed yet. */
typedef struct {
    uint64_t n;
    _Alignas(64) rmat_key keys[RMAT_PASS_PIECE];
} stage;

typedef struct {
    rmat_interval *b;
    rmat_cpu_interval *s;
    stage *stages;
    int threads;
    _Atomic uint64_t n; /* keys that places were asked for: may be more than the capacity */
} gathering;

/* Distributes what there is room for; returns whether something is left. */
static bool distribute_keys(gathering *g, int thread)
{
    rmat_cpu_interval *s = g->s;
    stage *from = &g->stages[thread];
    const uint64_t at = atomic_fetch_add(&g->n, from->n), capacity = g->b->capacity;
    const uint64_t room = at < capacity ? capacity - at : 0, n = from->n < room ? from->n : room;
    const size_t bytes = s->ops->bytes;
    char *keys = (char *)from->keys;

    s->ops->spread(&s->chunks, s->chunks.workers[thread], keys, n, s->in.bits - s->width, s->width);
    from->n -= n;
    memmove(keys, keys + n * bytes, from->n * bytes);
    return from->n != 0;
}

/* Keeps of n keys those that are new.  Returns how many. */
static uint64_t drop_seen(_Atomic uint64_t *seen, uint64_t n, uint64_t *keys)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];

        keys[kept] = key;
        kept += rmat_seen_add(seen, key);
    }
    return kept;
}

static int gather_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                        const void *dst, const void *weight, int id_bytes)
{
    gathering *g = to;
    stage *st = &g->stages[thread];

    (void)first;
    st->n = g->s->ops->keep(&g->s->in, n, src, dst, weight, id_bytes, st->keys);
    if (g->s->seen != NULL) {
        st->n = drop_seen(g->s->seen, st->n, (uint64_t *)st->keys); /* keys of 8 bytes */
    }
    return st->n != 0 && distribute_keys(g, thread);
}

static int count_only(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                      const void *dst, const void *weight, int id_bytes)
{
    gathering *g = to;
    stage *st = &g->stages[thread];

    (void)first;
    st->n += g->s->ops->keep(&g->s->in, n, src, dst, weight, id_bytes, st->keys);
    return 0;
}

/* False: the call is to end. */
static bool settle_keys(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    s->ops->collect(&s->chunks, s->width, s->lists);
    s->ops->sort_lists(&s->chunks, s->lists, s->width, s->in.bits, rmat_weight_bits(&s->in),
                       b->unique);
    rmat_cpu_interval_order(s);
    return !atomic_load(&s->chunks.stopped);
}

int rmat_cpu_interval_finish(rmat_interval *b)
{
    return b->in_order ? settle_placed(b) : settle_keys(b) ? RMAT_OK : RMAT_ERR_STOPPED;
}

/* Distributes what the threads have kept; returns whether something is left. */
static bool is_left(gathering *g)
{
    bool full = false;

    for (int t = 0; t < g->threads; t++) {
        full |= g->stages[t].n && distribute_keys(g, t);
    }
    return full;
}

/* Runs the pass to its end, making room for unique edges as often as necessary. */
static int gather_range(gathering *g, rmat_pass *pass)
{
    rmat_cpu_interval *s = g->s;

    for (;;) {
        const bool done =
            !is_left(g) && rmat_run_pass(pass, g->threads, gather_piece, g) && !is_left(g);

        s->n = atomic_load(&g->n);
        s->n = s->n < g->b->capacity ? s->n : g->b->capacity;
        if (done || atomic_load(&pass->status) != RMAT_OK) {
            return RMAT_OK; /* or what rmat_pass_end() returns */
        }
        if (!g->b->unique) {
            return RMAT_ERR_FULL;
        }
        if (!settle_keys(g->b)) {
            return RMAT_ERR_STOPPED;
        }
        if (s->n > g->b->capacity / 4 * 3) {
            return RMAT_ERR_FULL;
        }
        atomic_store(&g->n, s->n);
    }
}

/* For so many edges of the stream; g->stages is to be freed. */
static int begin_gathering(gathering *g, rmat_interval *b, uint64_t count)
{
    rmat_cpu_interval *s = b->state;

    *g = (gathering){.b = b, .s = s, .threads = rmat_threads_for(b->gen, count, RMAT_WORTH_THREAD)};
    g->threads = g->threads < s->chunks.threads ? g->threads : s->chunks.threads;
    if (posix_memalign((void **)&g->stages, 64, (size_t)g->threads * sizeof *g->stages)) {
        return RMAT_ERR_NOMEM;
    }
    for (int t = 0; t < g->threads; t++) {
        g->stages[t].n = 0;
    }
    atomic_init(&g->n, s->n);
    return RMAT_OK;
}

int rmat_cpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count)
{
    rmat_cpu_interval *s = b->state;
    rmat_pass pass = {.gen = b->gen, .first = first, .count = count};
    gathering g;
    int st = RMAT_OK, ended;

    if (b->in_order) {
        s->n += s->counted ? count : 0;
        return s->counted ? RMAT_OK : place_range(b, first, count);
    }
    RMAT_OR_RETURN(begin_gathering(&g, b, count));
    if (s->counted) {
        rmat_run_pass(&pass, g.threads, count_only, &g);
        for (int t = 0; t < g.threads; t++) {
            s->n += g.stages[t].n;
        }
    } else {
        st = gather_range(&g, &pass);
    }
    ended = rmat_pass_end(&pass);
    free(g.stages);
    return st != RMAT_OK ? st : ended;
}

/*
 * rmat_interval_insert() on the CPU: the cells' keys are sorted and merged into the interval's
 * lists.
 */
enum { PIECE = 1024 };

/* Writes the keys of those cells that lie in the interval; returns how many. */
static uint64_t keys_of(const rmat_cpu_interval *s, uint64_t n, const rmat_first_seen *list,
                        char *keys)
{
    uint64_t kept = 0;

    for (uint64_t at = 0; at < n; at += PIECE) {
        const uint64_t some = n - at < PIECE ? n - at : PIECE;
        uint64_t src[PIECE], dst[PIECE];

        for (uint64_t i = 0; i < some; i++) {
            src[i] = list[at + i].cell.src;
            dst[i] = list[at + i].cell.dst;
        }
        kept += s->ops->keep(&s->in, some, src, dst, NULL, 8, keys + kept * s->ops->bytes);
    }
    return kept;
}

int rmat_cpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    rmat_cpu_interval *s = b->state;
    const int threads = rmat_threads_for(b->gen, s->n, 1 << 16);
    char *keys;
    int st = RMAT_OK;

    if (!rmat_cell_below(&b->first, &b->end)) {
        return RMAT_ERR_ARG;
    }
    if (n > b->capacity - s->n) {
        return RMAT_ERR_FULL;
    }
    keys = malloc(n * s->ops->bytes);
    if (keys == NULL) {
        return RMAT_ERR_NOMEM;
    }
    if (keys_of(s, n, list, keys) != n) {
        RMAT_TRY(RMAT_ERR_ARG);
    }
    RMAT_TRY(s->ops->sort(keys, n, s->in.bits, threads));
    for (uint64_t i = 0; s->seen != NULL && i < n; i++) {
        rmat_seen_add(s->seen, (uint64_t)s->ops->at(keys, i));
    }
    s->ops->insert(&s->chunks, s->lists, s->width, s->in.bits, keys, n);
    rmat_cpu_interval_order(s);
    b->edges = s->n;
done:
    free(keys);
    return st;
}
