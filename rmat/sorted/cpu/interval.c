/*
 * interval.c - sorted intervals in host memory: their life, and the functions that read them, chunk
 * by chunk.  gather.c collects the edges and sorts them.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/rmat.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KEYS = RMAT_MOST_CHUNK / 8 /* of a chunk */ };

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

static const void *keys_of_chunk(const rmat_cpu_interval *s, uint32_t i)
{
    return rmat_chunk(&s->chunks, s->order[i]);
}

/* Returns the keys of chunk i in order, and prefetches the next chunk. */
static const void *read_keys(const rmat_cpu_interval *s, uint32_t i)
{
    rmat_chunk_expect(&s->chunks, i + 1 < s->chunks_used ? s->order[i + 1] : RMAT_NO_CHUNK);
    return keys_of_chunk(s, i);
}

static uint64_t count_of(const rmat_cpu_interval *s, uint32_t i)
{
    return s->before[i + 1] - s->before[i];
}

static rmat_key key_at(const rmat_cpu_interval *s, uint64_t i)
{
    const uint32_t c = chunk_of(s, i);

    return s->ops->at(keys_of_chunk(s, c), i - s->before[c]);
}

/* How many sorted keys are below this one. */
static uint64_t is_below(const rmat_cpu_interval *s, rmat_key key)
{
    uint32_t low = 0, high = s->chunks_used; /* of the chunks whose first key is not below it */

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->ops->at(keys_of_chunk(s, middle), 0) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0 ? 0
                    : s->before[low - 1] +
                          s->ops->below(keys_of_chunk(s, low - 1), count_of(s, low - 1), key);
}

static int interval_has(const rmat_interval *b, uint64_t n, const rmat_first_seen *cells,
                        bool *found)
{
    const rmat_cpu_interval *s = b->state;

#pragma omp parallel for schedule(static) num_threads(rmat_team(s->chunks.threads, n))
    for (uint64_t i = 0; i < n; i++) {
        const rmat_key key = rmat_key_of(&s->in, cells[i].cell.src, cells[i].cell.dst);
        const uint64_t at = is_below(s, key);

        found[i] = at < s->n && key_at(s, at) == key;
    }
    return RMAT_OK;
}

void rmat_cpu_first_seen(const rmat_cpu_interval *s, rmat_first_seen *to)
{
#pragma omp parallel for schedule(static) num_threads(rmat_team(s->chunks.threads, s->n))
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

#pragma omp parallel for schedule(static) num_threads(rmat_team(s->chunks.threads, s->n))           \
    reduction(+ : sum)
    for (uint32_t i = 0; i < s->chunks_used; i++) {
        sum += s->ops->lower(&s->in, read_keys(s, i), count_of(s, i));
    }
    *edges = sum;
    return RMAT_OK;
}

/* Each edge writes its number, counted from 1, to the pointer of the next row; rows without edges
 * take that of the row before. */
static int interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
                             uint64_t add, uint64_t *to)
{
    const rmat_cpu_interval *s = b->state;
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

/* What threads use beside them, one and a half megabytes for each, is not counted. */
static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    const uint64_t each = (uint64_t)rmat_key_bytes(gen);

    *bytes = edges < UINT64_MAX / each ? rmat_chunks_bytes(edges * each) : UINT64_MAX;
    return RMAT_OK;
}

static int create_interval(rmat_interval *b, uint64_t capacity)
{
    b->state = calloc(1, sizeof(rmat_cpu_interval));
    return b->state != NULL
               ? rmat_cpu_keys_create(b->state, b->gen, capacity, rmat_key_bytes(b->gen))
               : RMAT_ERR_NOMEM;
}

static void destroy_interval(rmat_interval *b)
{
    if (b->state != NULL) {
        rmat_cpu_keys_destroy(b->state);
        free(b->state);
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

/* Own weights decide which copy of an edge is kept.  Keys have 8 bytes, with the number of an edge
 * below them as well. */
static int begin_seen(const rmat_interval *b, rmat_cpu_interval *s)
{
    const rmat_key_range *in = &s->in;

    free((void *)s->seen);
    s->seen = NULL;
    s->marks = true;
    if (b->unique && !rmat_own_weights(b->gen) && in->bits <= RMAT_SEEN_BITS &&
        (in->last + in->first.dst) >> 32 == 0) {
        s->seen = calloc(((uint64_t)1 << in->bits) / 64 + 1, sizeof *s->seen);
        return s->seen != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
    }
    return RMAT_OK;
}

static int begin_interval(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;
    rmat_key_range in = rmat_key_range_of(b->gen, &b->first, &b->end);

    add_own_weights(&in, b->gen);
    rmat_cpu_keys_begin(s, &in);
    return begin_seen(b, s);
}

static int gather_edges(rmat_interval *b, uint64_t first, uint64_t count)
{
    return rmat_cpu_gather(b->state, b->gen, first, count, false);
}

static int gathered_keys(const rmat_interval *b, uint64_t *keys)
{
    *keys = ((const rmat_cpu_interval *)b->state)->n;
    return RMAT_OK;
}

static int settle_keys(rmat_interval *b, uint64_t *keys)
{
    rmat_cpu_interval *s = b->state;
    const int st = rmat_cpu_sort(s, b->unique);

    *keys = s->n;
    return st;
}

static int sample_keys(rmat_interval *b, uint64_t most, rmat_cell *cells, uint64_t *n)
{
    rmat_cpu_interval *s = b->state;

    s->ops->collect(&s->chunks, s->width, s->lists);
    rmat_cpu_order(s);
    *n = s->n < most ? s->n : most;
    for (uint64_t i = 0; i < *n; i++) {
        cells[i] = rmat_cell_of(&s->in, key_at(s, s->n / *n * i) >> rmat_weight_bits(&s->in));
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
                                          .gathered = gathered_keys,
                                          .settle = settle_keys,
                                          .sample = sample_keys,
                                          .lower = interval_lower,
                                          .pointers = interval_pointers,
                                          .read = interval_read,
                                          .has = interval_has,
                                          .insert = rmat_cpu_insert,
                                          .count_cells = rmat_cpu_count_cells};

    return &ops;
}
