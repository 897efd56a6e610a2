/* The functions that read a sorted interval in host memory, chunk by chunk. */
#include "rmat/sorted/cpu/interval.h"

#include <string.h>

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

static const void *keys_of(const rmat_cpu_interval *s, uint32_t i)
{
    return rmat_chunk(&s->chunks, s->order[i]);
}

/* The keys of the chunk in place i, of which the next one is read soon as well. */
static const void *read_keys(const rmat_cpu_interval *s, uint32_t i)
{
    rmat_chunk_expect(&s->chunks, i + 1 < s->chunks_used ? s->order[i + 1] : RMAT_NO_CHUNK);
    return keys_of(s, i);
}

static uint64_t count_of(const rmat_cpu_interval *s, uint32_t i)
{
    return s->before[i + 1] - s->before[i];
}

rmat_key rmat_cpu_interval_key(const rmat_cpu_interval *s, uint64_t i)
{
    const uint32_t c = chunk_of(s, i);

    return s->ops->at(keys_of(s, c), i - s->before[c]);
}

/* How many sorted keys are below this one. */
static uint64_t below(const rmat_cpu_interval *s, rmat_key key)
{
    uint32_t low = 0, high = s->chunks_used; /* of the chunks whose first key is not below it */

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->ops->at(keys_of(s, middle), 0) < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low == 0
               ? 0
               : s->before[low - 1] + s->ops->below(keys_of(s, low - 1), count_of(s, low - 1), key);
}

/* Whether chunk i begins with a key that is not greater. */
static bool begins_by(const rmat_cpu_interval *s, uint64_t i, rmat_key key)
{
    return i < s->chunks_used && s->ops->at(keys_of(s, (uint32_t)i), 0) <= key;
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
    i = s->ops->below(keys_of(s, *at), count_of(s, *at), key);
    return i < count_of(s, *at) && s->ops->at(keys_of(s, *at), i) == key;
}

int rmat_cpu_interval_lower(const rmat_interval *b, uint64_t *edges)
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

static uint64_t before_one(const rmat_interval *b, const rmat_cell *c)
{
    const rmat_cpu_interval *s = b->state;

    if (!rmat_cell_below(&b->first, c)) {
        return 0;
    }
    return s->counted || !rmat_cell_below(c, &b->end)
               ? s->n
               : below(s, rmat_key_of(&s->in, c->src, c->dst) << rmat_weight_bits(&s->in));
}

int rmat_cpu_interval_before(const rmat_interval *b, uint64_t n, const rmat_cell *cells,
                             uint64_t *counts)
{
    for (uint64_t i = 0; i < n; i++) {
        counts[i] = before_one(b, &cells[i]);
    }
    return RMAT_OK;
}

/* Each edge writes its number, counted from 1, to the pointer of the next row; rows without edges
 * take that of the row before. */
static void row_pointers(const rmat_cpu_interval *s, uint64_t first_row, uint64_t count,
                         uint64_t add, uint64_t *to)
{
    const rmat_key first = first_row > s->in.first.src ? rmat_key_of(&s->in, first_row, 0) : 0;
    uint64_t edges = below(s, first << rmat_weight_bits(&s->in));
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

int rmat_cpu_interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
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

int rmat_cpu_interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
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
