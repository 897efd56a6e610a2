/*
 * interval.c - sorted intervals in host memory: the memory of their chunks, their life, and the
 * functions that read them, chunk by chunk.  gather.c collects the edges, and keys.c sorts them.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/model/generator.h"
#include "rmat/try.h"

#include <string.h>
#include <unistd.h>

/*
 * Lists have full chunks and partly filled ones.  Half of the partly filled chunks serve the
 * gathering of keys, when each thread has lists of its own in addition to the existing ones.  The
 * other half serve the sort.  Each thread then distributes a list once or twice more, and lists
 * with a large part of all keys become several lists.
 */
enum {
    LEAST_SHIFT = 9,          /* log2 of the fewest bytes of a chunk */
    CHUNKS = 4096,            /* a chunk has as many bytes as this number of full chunks allows */
    MORE_PART = 8,            /* partly filled chunks get this part of the keys, */
    MORE_BYTES = 24 << 10,    /* and at least these bytes more */
    AGAIN_LISTS = 12,         /* sets of lists for each thread while they are sorted */
    SIDES_PART = 32,          /* threads sort in this part of the keys, */
    LEAST_CACHED = 512 << 10, /* or at least in twice this, */
    MOST_CACHED = 4 << 20     /* and no more than fits the third-level cache with the list itself */
};

/* Of a chunk, beside its keys; the last two are its place in the order and the number of keys
 * before it (rmat_cpu_interval). */
enum { ENTRY = 3 * sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint64_t) };

static uint64_t bytes_of_chunks(uint64_t keys)
{
    return keys + keys / MORE_PART + MORE_BYTES;
}

/* The bytes of keys that a thread sorts in its cache; it has memory for twice as many. */
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

/* Sets the numbers of threads and bits for which partly filled chunks suffice; `half` is either
 * half of these. */
static void set_lists(rmat_cpu_interval *s, uint64_t half, bool again, int threads)
{
    const uint64_t most = again ? half / (2 * AGAIN_LISTS) : half / 2 - 1;

    s->threads = (uint64_t)threads < most ? threads : (int)most;
    while (s->leading < RMAT_LEADING && ((uint64_t)s->threads + 1) << (s->leading + 1) <= half) {
        s->leading++;
    }
    while (again && s->again < RMAT_AGAIN &&
           (uint64_t)s->threads * AGAIN_LISTS << (s->again + 1) <= half) {
        s->again++;
    }
}

static int create_workers(rmat_cpu_interval *s)
{
    s->workers = calloc((size_t)s->threads, sizeof *s->workers);
    for (int t = 0; s->workers != NULL && t < s->threads; t++) {
        s->workers[t] = rmat_cpu_alloc(sizeof **s->workers + 2 * s->cached);
        if (s->workers[t] == NULL) {
            return RMAT_ERR_NOMEM;
        }
    }
    return s->workers != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

int rmat_cpu_keys_create(rmat_cpu_interval *s, const rmat_gen *gen, uint64_t keys, int key_bytes)
{
    const uint64_t bytes = keys * (uint64_t)key_bytes;
    const int threads = rmat_threads(gen);
    uint64_t total;

    s->gen = gen;
    s->capacity = keys;
    s->shift = LEAST_SHIFT;
    while ((RMAT_MOST_CHUNK >> s->shift) > 1 && bytes >> (s->shift + 1) >= CHUNKS) {
        s->shift++;
    }
    total = bytes_of_chunks(bytes) / ((UINT64_C(1) << s->shift) + ENTRY);
    if (total >= RMAT_NO_CHUNK) {
        return RMAT_ERR_NOMEM;
    }
    s->total = (uint32_t)total;
    s->cached = cached_bytes(bytes, threads);
    set_lists(s, (total - (bytes >> s->shift) - 1) / 2, s->cached < bytes, threads);
    s->memory = rmat_cpu_alloc((size_t)total << s->shift);
    s->next = malloc(total * sizeof *s->next);
    s->fill = malloc(total * sizeof *s->fill);
    s->spare = malloc(total * sizeof *s->spare);
    s->order = malloc(total * sizeof *s->order);
    s->before = malloc((total + 1) * sizeof *s->before);
    return s->memory != NULL && s->next != NULL && s->fill != NULL && s->spare != NULL &&
                   s->order != NULL && s->before != NULL
               ? create_workers(s)
               : RMAT_ERR_NOMEM;
}

void rmat_cpu_keys_destroy(rmat_cpu_interval *s)
{
    for (int t = 0; s->workers != NULL && t < s->threads; t++) {
        free(s->workers[t]);
    }
    free(s->workers);
    free(s->before);
    free(s->order);
    free(s->spare);
    free(s->fill);
    free(s->next);
    free(s->memory);
    if (s->marks) {
        free((void *)s->seen);
    }
}

/* Chunks are taken in the order of their numbers at first, so that memory that is not needed is not
 * touched. */
void rmat_cpu_keys_begin(rmat_cpu_interval *s, const rmat_key_range *in, bool unique)
{
    const int cell_bits = in->bits - rmat_weight_bits(in);
    const uint64_t words =
        ((uint64_t)s->threads * sizeof *s->workers[0]->lines << s->leading) / sizeof(uint64_t);

    s->in = *in;
    s->ops = rmat_key_ops_of(in);
    s->unique = unique;
    s->n = 0;
    s->width = cell_bits < s->leading ? cell_bits : s->leading;
    rmat_clear_lists(s->lists, s->width);
    for (uint32_t i = 0; i < s->total; i++) {
        s->spare[i] = s->total - 1 - i;
    }
    atomic_store(&s->spares, s->total);
    atomic_store(&s->stopped, false);
#pragma omp parallel for schedule(static, 1)                                                       \
    num_threads(s->threads) if (rmat_team(s->threads, words) > 1)
    for (int t = 0; t < s->threads; t++) { /* each has its own near */
        rmat_worker *w = s->workers[t];

        memset(w->lines, 0, sizeof *w->lines << s->leading);
        rmat_clear_lists(w->lists, s->leading);
        w->free = RMAT_NO_CHUNK;
    }
}

void rmat_chunks_share(rmat_cpu_interval *s)
{
    int64_t n = atomic_load(&s->spares);

    for (int t = 0; t < s->threads; t++) {
        rmat_worker *w = s->workers[t];

        for (; w->free != RMAT_NO_CHUNK; w->free = s->next[w->free]) {
            s->spare[n++] = w->free;
        }
    }
    atomic_store(&s->spares, n);
}

/* Sets the order of chunks, and n, from the lists. */
static void order_chunks(rmat_cpu_interval *s)
{
    uint32_t i = 0;

    s->n = 0;
    for (int d = 0; d < 1 << s->width; d++) {
        for (uint32_t c = s->lists[d].head; c != RMAT_NO_CHUNK; c = s->next[c]) {
            s->order[i] = c;
            s->before[i++] = s->n;
            s->n += s->fill[c];
        }
    }
    s->before[i] = s->n;
    s->chunks_used = i;
}

int rmat_cpu_sort(rmat_cpu_interval *s)
{
    s->ops->sort(s);
    order_chunks(s);
    return atomic_load(&s->stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
}

/* --- Of rmat_interval_ops: making --- */

rmat_key_range rmat_key_range_of(const rmat_gen *gen, const rmat_cell *first, const rmat_cell *end)
{
    rmat_key_range in = {.first = *first, .dst_bits = gen->config.cols_scale};

    in.last = rmat_key_of(&in, end->src, end->dst) - 1;
    in.rows = (uint64_t)((in.last + first->dst) >> in.dst_bits);
    while (in.bits < 128 && in.last >> in.bits) {
        in.bits++;
    }
    in.no_loops = rmat_has_source(gen) && gen->config.no_self_loops;
    in.all = first->src == 0 && first->dst == 0 && end->src == gen->view.rows;
    return in;
}

/* What threads use beside them, one and a half megabytes for each, is not counted. */
static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    const uint64_t each = rmat_key_bits(gen) <= 64 ? 8 : 16;

    *bytes = UINT64_MAX;
    if (edges < UINT64_MAX / 2 / each) {
        *bytes = bytes_of_chunks(edges * each) + edges * each / SIDES_PART;
    }
    return RMAT_OK;
}

static int create_interval(rmat_interval *b)
{
    b->state = calloc(1, sizeof(rmat_cpu_interval));
    return b->state != NULL ? rmat_cpu_keys_create(b->state, b->gen, b->capacity,
                                                   rmat_key_bits(b->gen) <= 64 ? 8 : 16)
                            : RMAT_ERR_NOMEM;
}

static void destroy_interval(rmat_interval *b)
{
    if (b->state != NULL) {
        rmat_cpu_keys_destroy(b->state);
        free(b->state);
    }
}

/* A bit map serves unique edges in few cells, whose keys have 8 bytes with the number of an edge
 * below them, too. */
static int begin_interval(rmat_interval *b)
{
    const rmat_gen *gen = b->gen;
    rmat_cpu_interval *s = b->state;
    rmat_key_range in = rmat_key_range_of(gen, &b->first, &b->end);

    if (rmat_own_weights(gen)) {
        in.weights = gen->source.weights;
        in.weight_bits = rmat_own_weight_bits(gen);
        in.least = in.weight_bits < 32
                       ? rmat_weight_order(RMAT_WEIGHTS_INT, (uint32_t)gen->source.weight_min)
                       : 0;
        in.bits += in.weight_bits;
    }
    rmat_cpu_keys_begin(s, &in, b->unique);
    free((void *)s->seen);
    s->seen = NULL;
    s->marks = true;
    /* Own weights decide which copy of an edge is kept. */
    if (b->unique && !rmat_own_weights(gen) && in.bits <= RMAT_SEEN_BITS &&
        (in.last + in.first.dst) >> 32 == 0) {
        s->seen = calloc(((uint64_t)1 << in.bits) / 64 + 1, sizeof *s->seen);
        b->all_fit = (uint64_t)in.last < b->capacity;
        return s->seen != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
    }
    return RMAT_OK;
}

static int gather_edges(rmat_interval *b, uint64_t first, uint64_t count, uint64_t *keys)
{
    rmat_cpu_interval *s = b->state;
    const int st = rmat_cpu_gather(s, first, count, false);

    *keys = s->n;
    return st;
}

static int settle_keys(rmat_interval *b, uint64_t *keys)
{
    rmat_cpu_interval *s = b->state;
    const int st = rmat_cpu_sort(s);

    *keys = s->n;
    return st;
}

static int insert_cells(rmat_interval *b, uint64_t n, const rmat_first_seen *cells)
{
    rmat_cpu_interval *s = b->state;

    if (n > s->capacity - s->n) {
        return RMAT_ERR_FULL;
    }
    for (uint64_t i = 0; s->seen != NULL && i < n; i++) {
        const uint64_t key = (uint64_t)rmat_key_of(&s->in, cells[i].cell.src, cells[i].cell.dst);

        atomic_fetch_or(&s->seen[key / 64], (uint64_t)1 << key % 64);
    }
    s->ops->insert(s, n, cells);
    order_chunks(s);
    return RMAT_OK;
}

/* --- Reading --- */

enum { MOST_KEYS = RMAT_MOST_CHUNK / 8 /* of a chunk */ };

/* The place in the order of the chunk that has key number `first`. */
static uint32_t chunk_of(const rmat_cpu_interval *s, uint64_t first)
{
    return (uint32_t)rmat_keys64.below(s->before + 1, s->chunks_used, first + 1);
}

static const void *keys_of_chunk(const rmat_cpu_interval *s, uint32_t i)
{
    return rmat_chunk(s, s->order[i]);
}

/* Returns the keys of chunk i in order, and prefetches the next chunk. */
static const void *read_keys(const rmat_cpu_interval *s, uint32_t i)
{
    rmat_chunk_expect(s, i + 1 < s->chunks_used ? s->order[i + 1] : RMAT_NO_CHUNK);
    return keys_of_chunk(s, i);
}

static uint64_t count_of(const rmat_cpu_interval *s, uint32_t i)
{
    return s->before[i + 1] - s->before[i];
}

/* How many sorted keys are below this one. */
static uint64_t is_below(const rmat_cpu_interval *s, rmat_key key)
{
    uint32_t low = 0, high = s->chunks_used; /* of the chunks whose first key is not below it */

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->ops->below(keys_of_chunk(s, middle), 1, key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? 0
                    : s->before[low - 1] +
                          s->ops->below(keys_of_chunk(s, low - 1), count_of(s, low - 1), key);
}

/* Key number `at`. */
static const void *key_at(const rmat_cpu_interval *s, uint64_t at)
{
    const uint32_t c = chunk_of(s, at);

    return (const char *)keys_of_chunk(s, c) + (at - s->before[c]) * s->ops->bytes;
}

static int interval_has(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells,
                        bool *found)
{
    const rmat_cpu_interval *s = b->state;

#pragma omp parallel for schedule(static) num_threads(rmat_team(s->threads, n))
    for (uint64_t i = 0; i < n; i++) {
        const rmat_key key = rmat_key_of(&s->in, cells[i].cell.src, cells[i].cell.dst);
        const uint64_t at = is_below(s, key);

        found[i] = at < s->n && s->ops->below(key_at(s, at), 1, key + 1) == 1;
    }
    return RMAT_OK;
}

void rmat_cpu_first_seen(const rmat_cpu_interval *s, rmat_first_seen *to)
{
#pragma omp parallel for schedule(static) num_threads(rmat_team(s->threads, s->n))
    for (uint32_t i = 0; i < s->chunks_used; i++) {
        const void *keys = keys_of_chunk(s, i);
        uint64_t src[MOST_KEYS], dst[MOST_KEYS];
        uint32_t index[MOST_KEYS];

        s->ops->edges(&s->in, keys, count_of(s, i), src, dst, index, 8);
        for (uint64_t k = 0; k < count_of(s, i); k++) {
            to[s->before[i] + k] = (rmat_first_seen){{src[k], dst[k]}, index[k]};
        }
    }
}

static int interval_lower(const rmat_interval *b, uint64_t *edges)
{
    const rmat_cpu_interval *s = b->state;
    uint64_t sum = 0;

#pragma omp parallel for schedule(static) num_threads(rmat_team(s->threads, s->n))           \
    reduction(+ : sum)
    for (uint32_t i = 0; i < s->chunks_used; i++) {
        uint64_t src[MOST_KEYS], dst[MOST_KEYS];

        s->ops->edges(&s->in, read_keys(s, i), count_of(s, i), src, dst, NULL, 8);
        for (uint64_t k = 0; k < count_of(s, i); k++) {
            sum += src[k] >= dst[k];
        }
    }
    *edges = sum;
    return RMAT_OK;
}

/* Each edge writes its number, counted from 1, to the pointer of the next row: the last edge of a
 * row leaves the right number, without a branch that depends on how many it has.  Rows without
 * edges take the number of the row before. */
static int interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
                             uint64_t add, uint64_t *to)
{
    const rmat_cpu_interval *s = b->state;
    const rmat_key first = first_row > s->in.first.src ? rmat_key_of(&s->in, first_row, 0) : 0;
    uint64_t edges = is_below(s, first << rmat_weight_bits(&s->in)), at = edges, row = 0;

    memset(to, 0, count * sizeof *to);
    for (uint32_t i = chunk_of(s, at); i < s->chunks_used && row < count; i++) {
        const char *keys = read_keys(s, i);
        uint64_t src[MOST_KEYS];

        s->ops->edges(&s->in, keys, count_of(s, i), src, NULL, NULL, 8);
        for (uint64_t k = at - s->before[i]; k < count_of(s, i); k++) {
            row = src[k] - first_row + 1;
            if (row >= count) {
                break;
            }
            to[row] = ++at;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        edges = to[i] > edges ? to[i] : edges;
        to[i] = add + edges;
    }
    return RMAT_OK;
}

/* Edges are read a chunk at a time: both ends are still in the cache when weights are computed. */
static int interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                         const rmat_arrays *to)
{
    const rmat_cpu_interval *s = b->state;
    const int width = to->id_bytes, wide = rmat_scale(&b->gen->config) > 32 ? 8 : 4;
    const bool own = rmat_own_weights(b->gen);
    char *src = to->src, *dst = to->dst, *weight = to->weight;

    for (uint32_t i = chunk_of(s, first); count; i++) {
        const uint64_t left = s->before[i + 1] - first, n = left < count ? left : count;
        const void *keys = (const char *)read_keys(s, i) + (first - s->before[i]) * s->ops->bytes;

        s->ops->edges(&s->in, keys, n, src, dst, own ? weight : NULL, width);
        if (weight != NULL && !own && src != NULL && dst != NULL) {
            rmat_weights_of(b->gen, n, src, dst, width, weight);
        } else if (weight != NULL && !own) {
            uint64_t from[MOST_KEYS], end[MOST_KEYS];

            s->ops->edges(&s->in, keys, n, from, end, NULL, wide);
            rmat_weights_of(b->gen, n, from, end, wide, weight);
        }
        src = src != NULL ? src + n * (uint64_t)width : NULL;
        dst = dst != NULL ? dst + n * (uint64_t)width : NULL;
        weight = weight != NULL ? weight + n * 4 : NULL;
        first += n;
        count -= n;
    }
    return RMAT_OK;
}

const rmat_interval_ops *rmat_cpu_interval_ops(void)
{
    static const rmat_interval_ops ops = {.bytes = bytes_of,
                                          .create = create_interval,
                                          .destroy = destroy_interval,
                                          .begin = begin_interval,
                                          .gather = gather_edges,
                                          .settle = settle_keys,
                                          .lower = interval_lower,
                                          .pointers = interval_pointers,
                                          .read = interval_read,
                                          .has = interval_has,
                                          .insert = insert_cells,
                                          .count_cells = rmat_cpu_count_cells};

    return &ops;
}
