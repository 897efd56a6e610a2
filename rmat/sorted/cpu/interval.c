/*
 * interval.c - sorted intervals in host memory: the chunks of their keys, the functions that read
 * them, and the life of an interval.  gather.c collects the edges and sorts them, unseen.c searches
 * the stream for edges that an interval lacks.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/cpu/arrays.h"
#include "rmat/rmat.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The chunks of an interval: their memory, their size, and how many there are.
 *
 * Beside full chunks, lists have partly filled ones.  Half of those that are there suffices while
 * keys are gathered, when each thread has lists of its own beside those that are there already; the
 * other half while they are sorted, when each thread distributes a list once or twice more, and
 * lists of a large part of all keys end as several.
 */
enum {
    LEAST_SHIFT = 9,          /* of the bytes of a chunk, */
    CHUNKS = 4096,            /* which are as many as so many full chunks allow */
    MORE_PART = 8,            /* this part of the keys is there for partly filled chunks, */
    MORE_BYTES = 24 << 10,    /* and so much in any case */
    AGAIN_LISTS = 12,         /* sets of lists for each thread while they are sorted */
    SIDES_PART = 32,          /* threads sort in this part of the keys, */
    LEAST_CACHED = 512 << 10, /* or in two times so much, */
    MOST_CACHED = 4 << 20     /* and no more than fits the third-level cache with the list itself */
};

/* Of a chunk, beside its keys; the last two are its place in the order and the number of keys
 * before it (cpu/interval.h). */
enum { ENTRY = 3 * sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint64_t) };

static uint64_t bytes_of_chunks(uint64_t keys)
{
    return keys + keys / MORE_PART + MORE_BYTES;
}

/* The bytes that so many bytes of keys take in lists; UINT64_MAX if that are more than there can
 * be. What threads have for themselves is included as far as it is more than one and a half
 * megabytes for each. */
static uint64_t rmat_chunks_bytes(uint64_t keys)
{
    return keys < UINT64_MAX / 2 ? bytes_of_chunks(keys) + keys / SIDES_PART : UINT64_MAX;
}

/* Bytes of keys, of which each thread holds two times as many. */
static size_t cached_bytes(uint64_t keys, int threads)
{
    const uint64_t share = keys / (2 * SIDES_PART) / (uint64_t)threads;
    uint64_t cached = MOST_CACHED;

#ifdef _SC_LEVEL3_CACHE_SIZE
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);

    cached = cache > 0 ? (uint64_t)cache / 4 / (uint64_t)threads : 0;
    cached = cached < MOST_CACHED ? cached : MOST_CACHED;
#endif
    cached = cached < share ? cached : share;
    cached = cached > LEAST_CACHED ? cached : LEAST_CACHED;
    cached = cached < keys ? cached : keys;
    return (size_t)(cached + 63) / 64 * 64;
}

/* As many threads and bits as there are partly filled chunks for: so many are in either half. */
static void set_lists(rmat_chunks *p, uint64_t half, bool again, int threads)
{
    const uint64_t most = again ? half / (2 * AGAIN_LISTS) : half / 2 - 1;

    p->threads = (uint64_t)threads < most ? threads : (int)most;
    while (p->leading < RMAT_LEADING && ((uint64_t)p->threads + 1) << (p->leading + 1) <= half) {
        p->leading++;
    }
    while (again && p->again < RMAT_AGAIN &&
           (uint64_t)p->threads * AGAIN_LISTS << (p->again + 1) <= half) {
        p->again++;
    }
}

static int create_workers(rmat_chunks *p)
{
    p->workers = calloc((size_t)p->threads, sizeof *p->workers);
    for (int t = 0; p->workers != NULL && t < p->threads; t++) {
        p->workers[t] = rmat_cpu_alloc(sizeof **p->workers + 2 * p->cached);
        if (p->workers[t] == NULL) {
            return RMAT_ERR_NOMEM;
        }
    }
    return p->workers != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

int rmat_chunks_create(rmat_chunks *p, uint64_t keys, int threads)
{
    uint64_t total;

    *p = (rmat_chunks){.shift = LEAST_SHIFT};
    while ((RMAT_MOST_CHUNK >> p->shift) > 1 && keys >> (p->shift + 1) >= CHUNKS) {
        p->shift++;
    }
    total = bytes_of_chunks(keys) / ((UINT64_C(1) << p->shift) + ENTRY);
    if (total >= RMAT_NO_CHUNK) {
        return RMAT_ERR_NOMEM;
    }
    p->total = (uint32_t)total;
    p->cached = cached_bytes(keys, threads);
    set_lists(p, (total - (keys >> p->shift) - 1) / 2, p->cached < keys, threads);
    p->memory = rmat_cpu_alloc((size_t)total << p->shift);
    p->next = malloc(total * sizeof *p->next);
    p->fill = malloc(total * sizeof *p->fill);
    p->spare = malloc(total * sizeof *p->spare);
    return create_workers(p) == RMAT_OK && p->memory != NULL && p->next != NULL &&
                   p->fill != NULL && p->spare != NULL
               ? RMAT_OK
               : RMAT_ERR_NOMEM;
}

void rmat_chunks_free(rmat_chunks *p)
{
    for (int t = 0; p->workers != NULL && t < p->threads; t++) {
        free(p->workers[t]);
    }
    free(p->workers);
    free(p->spare);
    free(p->fill);
    free(p->next);
    free(p->memory);
}

/* Chunks are taken in the order of their numbers at first, so that memory that is not needed is not
 * touched. */
void rmat_chunks_reset(rmat_chunks *p)
{
    for (uint32_t i = 0; i < p->total; i++) {
        p->spare[i] = p->total - 1 - i;
    }
    atomic_store(&p->spares, p->total);
    atomic_store(&p->stopped, false);
#pragma omp parallel for schedule(static, 1) num_threads(                                          \
    p->threads) if (rmat_chunks_team(p, ((uint64_t)p->threads * sizeof *p->workers[0]->lines       \
                                         << p->leading) /                                          \
                                            sizeof(uint64_t)) > 1)
    for (int t = 0; t < p->threads; t++) { /* each has its own near */
        rmat_worker *w = p->workers[t];

        memset(w->lines, 0, sizeof *w->lines << p->leading);
        for (int i = 0; i < 1 << p->leading; i++) {
            w->lists[i] = RMAT_NO_KEYS;
        }
        w->free = RMAT_NO_CHUNK;
        w->side[0] = w + 1;
        w->side[1] = (char *)(w + 1) + p->cached;
    }
}

void rmat_chunks_share(rmat_chunks *p)
{
    int64_t n = atomic_load(&p->spares);

    for (int t = 0; t < p->threads; t++) {
        rmat_worker *w = p->workers[t];

        for (; w->free != RMAT_NO_CHUNK; w->free = p->next[w->free]) {
            p->spare[n++] = w->free;
        }
    }
    atomic_store(&p->spares, n);
}

/* The functions that read a sorted interval in host memory, chunk by chunk. */
void rmat_cpu_interval_order(rmat_cpu_interval *s)
{
    uint32_t i = 0;

    s->n = 0;
    for (int d = 0; d < 1 << s->width; d++) {
        for (uint32_t c = s->lists[d].head; c != RMAT_NO_CHUNK; c = s->chunks.next[c]) {
            s->order[i] = c;
            s->before[i++] = s->n;
            s->n += s->chunks.fill[c];
        }
    }
    s->before[i] = s->n;
    s->chunks_used = i;
}

/* The place in the order of the chunk that has key number `first`. */
static uint32_t chunk_of(const rmat_cpu_interval *s, uint64_t first)
{
    uint32_t low = 0, high = s->chunks_used;

    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->before[middle] <= first) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static const void *keys_of_chunk_range(const rmat_cpu_interval *s, uint32_t i)
{
    return rmat_chunk(&s->chunks, s->order[i]);
}

/* The keys of the chunk in place i, of which the next one is read soon as well. */
static const void *read_keys(const rmat_cpu_interval *s, uint32_t i)
{
    rmat_chunk_expect(&s->chunks, i + 1 < s->chunks_used ? s->order[i + 1] : RMAT_NO_CHUNK);
    return keys_of_chunk_range(s, i);
}

static uint64_t count_of(const rmat_cpu_interval *s, uint32_t i)
{
    return s->before[i + 1] - s->before[i];
}

static rmat_key interval_key(const rmat_cpu_interval *s, uint64_t i)
{
    const uint32_t c = chunk_of(s, i);

    return s->ops->at(keys_of_chunk_range(s, c), i - s->before[c]);
}

/* How many sorted keys are below this one. */
static uint64_t is_below(const rmat_cpu_interval *s, rmat_key key)
{
    uint32_t low = 0, high = s->chunks_used; /* of the chunks whose first key is not below it */

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->ops->at(keys_of_chunk_range(s, middle), 0) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? 0
                    : s->before[low - 1] +
                          s->ops->below(keys_of_chunk_range(s, low - 1), count_of(s, low - 1), key);
}

/* Whether chunk i begins with a key that is not greater. */
static bool begins_by(const rmat_cpu_interval *s, uint64_t i, rmat_key key)
{
    return i < s->chunks_used && s->ops->at(keys_of_chunk_range(s, (uint32_t)i), 0) <= key;
}

bool rmat_cpu_interval_has(const rmat_cpu_interval *s, uint32_t *at, rmat_key key)
{
    uint64_t step = 1, i;

    if (!begins_by(s, *at, key)) {
        return false;
    }
    while (begins_by(s, *at + step, key)) { /* gallops */
        *at += (uint32_t)step;
        step *= 2;
    }
    for (; step; step /= 2) {
        *at += begins_by(s, *at + step, key) ? (uint32_t)step : 0;
    }
    i = s->ops->below(keys_of_chunk_range(s, *at), count_of(s, *at), key);
    return i < count_of(s, *at) && s->ops->at(keys_of_chunk_range(s, *at), i) == key;
}

static int interval_lower(const rmat_interval *b, uint64_t *edges)
{
    const rmat_cpu_interval *s = b->state;
    uint64_t sum = 0;

    if (s->counted) {
        *edges = b->first.src >= b->first.dst ? s->n : 0;
        return RMAT_OK;
    }
#pragma omp parallel for schedule(static) num_threads(rmat_chunks_team(&s->chunks, s->n))           \
    reduction(+ : sum)
    for (uint32_t i = 0; i < s->chunks_used; i++) {
        sum += s->ops->lower(&s->in, read_keys(s, i), count_of(s, i));
    }
    *edges = sum;
    return RMAT_OK;
}

/* Each edge writes its number, counted from 1, to the pointer of the next row; rows without edges
 * take that of the row before. */
static void row_pointers(const rmat_cpu_interval *s, uint64_t first_row, uint64_t count,
                         uint64_t add, uint64_t *to)
{
    const rmat_key first = first_row > s->in.first.src ? rmat_key_of(&s->in, first_row, 0) : 0;
    uint64_t edges = is_below(s, first << rmat_weight_bits(&s->in));
    const uint32_t begin = chunk_of(s, edges);

    memset(to, 0, count * sizeof *to);
    for (uint32_t i = begin; i < s->chunks_used; i++) {
        const uint64_t skip = i == begin ? edges - s->before[i] : 0;
        const char *keys = read_keys(s, i);

        if (!s->ops->mark_rows(&s->in, keys + skip * s->ops->bytes, count_of(s, i) - skip,
                               s->before[i] + skip, first_row, count, to)) {
            break;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        edges = to[i] > edges ? to[i] : edges;
        to[i] = add + edges;
    }
}

static int interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
                             uint64_t add, uint64_t *to)
{
    const rmat_cpu_interval *s = b->state;

    if (!s->counted) {
        row_pointers(s, first_row, count, add, to);
        return RMAT_OK;
    }
    for (uint64_t i = 0; i < count; i++) {
        to[i] = add + (first_row + i > b->first.src ? s->n : 0);
    }
    return RMAT_OK;
}

static void read_ids(const rmat_cpu_interval *s, const void *keys, uint64_t n, void *src, void *dst,
                     int id_bytes)
{
    if (!s->counted) {
        s->ops->ids(&s->in, keys, n, src, dst, id_bytes);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = i * (uint64_t)id_bytes;

        s->ops->ids(&s->in, keys, 1, src != NULL ? (char *)src + at : NULL,
                    dst != NULL ? (char *)dst + at : NULL, id_bytes);
    }
}

/* Edges are read a chunk at a time: both ends are still in the cache when weights are computed. */
enum { MOST_KEYS = RMAT_MOST_CHUNK / 8 };

static int interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                         const rmat_arrays *to)
{
    static const uint64_t zeros[2] = {0, 0}; /* the key of the first cell, of either size */
    const rmat_cpu_interval *state = b->state;
    const uint64_t id_bytes = (uint64_t)to->id_bytes;
    const int wide = rmat_scale(&b->gen->config) > 32;
    uint32_t i = state->counted ? 0 : chunk_of(state, first);
    char *src = to->src, *dst = to->dst, *weight = to->weight;

    for (; count; i++) {
        const void *keys = zeros;
        uint64_t n = count < MOST_KEYS ? count : MOST_KEYS;

        if (!state->counted) {
            n = state->before[i + 1] - first < count ? state->before[i + 1] - first : count;
            keys =
                (const char *)read_keys(state, i) + (first - state->before[i]) * state->ops->bytes;
        }
        if (src != NULL || dst != NULL) {
            read_ids(state, keys, n, src, dst, to->id_bytes);
        }
        if (weight != NULL && rmat_own_weights(b->gen)) {
            state->ops->weights(&state->in, keys, n, weight);
        } else if (weight != NULL && src != NULL && dst != NULL) {
            rmat_weights_of(b->gen, n, src, dst, to->id_bytes, weight);
        } else if (weight != NULL) {
            uint64_t s[MOST_KEYS], d[MOST_KEYS];

            read_ids(state, keys, n, s, d, wide ? 8 : 4);
            rmat_weights_of(b->gen, n, s, d, wide ? 8 : 4, weight);
        }
        src = src != NULL ? src + n * id_bytes : NULL;
        dst = dst != NULL ? dst + n * id_bytes : NULL;
        weight = weight != NULL ? weight + n * 4 : NULL;
        first += n;
        count -= n;
    }
    return RMAT_OK;
}

/* What threads use beside them, one and a half megabytes for each, is not counted. */
static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    const uint64_t each = (uint64_t)rmat_key_bytes(gen);

    *bytes = edges < UINT64_MAX / each ? rmat_chunks_bytes(edges * each) : UINT64_MAX;
    return RMAT_OK;
}

static int create_interval(rmat_interval *b, uint64_t capacity)
{
    rmat_cpu_interval *s = calloc(1, sizeof *s);
    const int threads = rmat_threads_for(b->gen, UINT64_MAX - 1, 1);

    b->state = s;
    if (s == NULL ||
        rmat_chunks_create(&s->chunks, capacity * (uint64_t)rmat_key_bytes(b->gen), threads)) {
        return RMAT_ERR_NOMEM;
    }
    s->chunks.gen = b->gen;
    s->order = malloc(s->chunks.total * sizeof *s->order);
    s->before = malloc(((uint64_t)s->chunks.total + 1) * sizeof *s->before);
    return s->order != NULL && s->before != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static void destroy_interval(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    if (s != NULL) {
        rmat_chunks_free(&s->chunks);
        free((void *)s->seen);
        free(s->order);
        free(s->before);
        free(s);
    }
}

/* The number of bits of x; 0 for 0. */
static int bit_length(rmat_key x)
{
    int bits = 0;

    for (; x; x >>= 1) {
        bits++;
    }
    return bits;
}

rmat_key_range rmat_key_range_of(const rmat_gen *gen, const rmat_cell *first, const rmat_cell *end)
{
    rmat_key_range in = {.first = *first, .dst_bits = gen->config.cols_scale};

    in.last = rmat_key_of(&in, end->src, end->dst) - 1;
    in.rows = rmat_cell_of(&in, in.last).src - first->src;
    in.bits = bit_length(in.last);
    in.no_loops = rmat_has_source(gen) && gen->config.no_self_loops;
    in.all = first->src == 0 && first->dst == 0 && end->src == gen->view.rows;
    return in;
}

const rmat_key_ops *rmat_key_ops_of(const rmat_key_range *in)
{
    return (in->last + in->first.dst) >> (64 - rmat_weight_bits(in)) ? &rmat_keys128 : &rmat_keys64;
}

/* Own weights decide which copy of an edge is kept. */
static int begin_seen(const rmat_interval *b, rmat_cpu_interval *s)
{
    free((void *)s->seen);
    s->seen = NULL;
    if (b->unique && !rmat_own_weights(b->gen) && s->in.bits <= RMAT_SEEN_BITS) {
        s->seen = calloc(rmat_seen_words(&s->in), sizeof *s->seen);
        return s->seen != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
    }
    return RMAT_OK;
}

/* Adds the weights that edges bring, if they do. */
static void add_own_weights(rmat_key_range *in, const rmat_gen *gen)
{
    if (rmat_own_weights(gen)) {
        in->weights = gen->source.weights;
        in->weight_bits = rmat_own_weight_bits(gen);
        in->least = in->weight_bits < 32
                        ? rmat_weight_order(RMAT_WEIGHTS_INT, (uint32_t)gen->source.weight_min)
                        : 0;
        in->bits += in->weight_bits;
    }
}

static int begin_interval(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    s->n = s->end = 0;
    s->in = rmat_key_range_of(b->gen, &b->first, &b->end);
    add_own_weights(&s->in, b->gen);
    s->counted = !b->unique && !rmat_own_weights(b->gen) && rmat_is_single(b, b->gen->view.cols);
    s->ops = rmat_key_ops_of(&s->in);
    s->width = s->in.bits - rmat_weight_bits(&s->in);
    s->width = s->width < s->chunks.leading ? s->width : s->chunks.leading;
    rmat_chunks_reset(&s->chunks);
    for (int d = 0; d < 1 << RMAT_LEADING; d++) {
        s->lists[d] = RMAT_NO_KEYS;
    }
    return b->in_order && !s->counted ? RMAT_OK : begin_seen(b, s);
}

static int sort_interval(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    if (!s->counted) {
        RMAT_OR_RETURN(rmat_cpu_interval_finish(b));
    }
    b->edges = s->n;
    return RMAT_OK;
}

/* The median of evenly spaced keys, sorted or in no order. */
static int middle_of_interval(rmat_interval *b, rmat_cell *m)
{
    rmat_cpu_interval *s = b->state;
    const uint64_t most = 1 << 16;
    rmat_key *sample;
    uint64_t n;
    int st = RMAT_OK;

    *m = b->first;
    if (!rmat_cell_below(&b->first, &b->end)) {
        return RMAT_OK;
    }
    sample = malloc(most * sizeof *sample);
    if (sample == NULL) {
        return RMAT_ERR_NOMEM;
    }
    s->ops->collect(&s->chunks, s->width, s->lists);
    rmat_cpu_interval_order(s);
    n = s->n < most ? s->n : most;
    for (uint64_t i = 0; i < n; i++) {
        sample[i] = interval_key(s, s->n / n * i) >> rmat_weight_bits(&s->in);
    }
    st = rmat_keys128.sort(sample, n, s->in.bits, 1);
    if (st == RMAT_OK && n) {
        *m = rmat_cell_of(&s->in, sample[n / 2]);
    }
    free(sample);
    return st;
}

const rmat_interval_ops *rmat_cpu_interval_ops(void)
{
    static const rmat_interval_ops ops = {.bytes = bytes_of,
                                          .create = create_interval,
                                          .destroy = destroy_interval,
                                          .begin = begin_interval,
                                          .add = rmat_cpu_interval_add,
                                          .middle = middle_of_interval,
                                          .sort = sort_interval,
                                          .lower = interval_lower,
                                          .pointers = interval_pointers,
                                          .read = interval_read,
                                          .unseen = rmat_cpu_interval_unseen,
                                          .insert = rmat_cpu_interval_insert,
                                          .count_cells = rmat_cpu_count_cells};

    return &ops;
}
