/*
 * Sorted intervals in host memory: allocation, and the functions that read a sorted one.  gather.c
 * collects the edges and sorts them, unseen.c and insert.c extend a sorted interval, count.c counts
 * edges without storing them.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/cpu/memory.h"
#include "rmat/sorted/cpu/pass.h"

#include <stdlib.h>

/* Two buffers of keys, as sorting requires.  What threads use beside them while they work, a
 * megabyte or less for each, is not counted. */
static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    const uint64_t each = 2 * (uint64_t)rmat_key_bytes(gen);

    *bytes = edges < UINT64_MAX / each ? edges * each : UINT64_MAX;
    return RMAT_OK;
}

static int create(rmat_interval *b, uint64_t capacity)
{
    rmat_cpu_interval *s = calloc(1, sizeof *s);
    const uint64_t size = capacity * (uint64_t)rmat_key_bytes(b->gen);

    b->state = s;
    if (s != NULL) {
        s->keys = rmat_cpu_alloc(size);
        s->scratch = rmat_cpu_alloc(size);
    }
    return s != NULL && s->keys != NULL && s->scratch != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static void destroy(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    if (s != NULL) {
        free(s->keys);
        free(s->scratch);
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

static int begin(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    s->n = 0;
    s->in = rmat_key_range_of(b->gen, &b->first, &b->end);
    if (rmat_own_weights(b->gen)) {
        s->in.weights = b->gen->source.weights;
        s->in.weight_bits = rmat_own_weight_bits(b->gen);
        s->in.least = s->in.weight_bits < 32
                          ? rmat_weight_order(RMAT_WEIGHTS_INT, (uint32_t)b->gen->source.weight_min)
                          : 0;
        s->in.bits += s->in.weight_bits;
    }
    s->counted = !b->unique && !rmat_own_weights(b->gen) && rmat_is_single(b, b->gen->view.cols);
    s->ops = rmat_key_ops_of(&s->in);
    return RMAT_OK;
}

static int sort(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;
    const int st = s->counted ? RMAT_OK : rmat_cpu_interval_settle(b);

    b->edges = s->n;
    return st;
}

/* The median of evenly spaced keys, sorted or in no order. */
static int middle(rmat_interval *b, rmat_cell *m)
{
    const rmat_cpu_interval *s = b->state;
    const uint64_t most = 1 << 16, n = s->n < most ? s->n : most;
    rmat_key *sample, *sorted, key = (s->in.last + 1) / 2;

    if (!rmat_cell_below(&b->first, &b->end) || s->in.last == 0) {
        /* The interval has no inner cell: it holds all its edges, unless they have weights. */
        return rmat_own_weights(b->gen) ? RMAT_ERR_NOMEM : RMAT_ERR_ARG;
    }
    if (posix_memalign((void **)&sample, 64, 2 * most * sizeof *sample)) {
        return RMAT_ERR_NOMEM;
    }
    for (uint64_t i = 0; i < n; i++) {
        sample[i] = s->ops->at(s->keys, s->n / n * i) >> rmat_weight_bits(&s->in);
    }
    sorted = rmat_keys128.sort(sample, sample + most, n, s->in.bits, 1);
    if (sorted != NULL && n) {
        key = sorted[n / 2];
    }
    *m = rmat_cell_of(&s->in, key ? key : 1);
    free(sample);
    return sorted != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static int lower(const rmat_interval *b, uint64_t *edges)
{
    const rmat_cpu_interval *s = b->state;

    if (s->counted) {
        *edges = b->first.src >= b->first.dst ? s->n : 0;
    } else {
        *edges = s->ops->lower(&s->in, s->keys, s->n, rmat_threads_for(b->gen, s->n, 1 << 16));
    }
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
               : s->ops->below(s->keys, s->n,
                               rmat_key_of(&s->in, c->src, c->dst) << rmat_weight_bits(&s->in));
}

static int before(const rmat_interval *b, uint64_t n, const rmat_cell *cells, uint64_t *counts)
{
    for (uint64_t i = 0; i < n; i++) {
        counts[i] = before_one(b, &cells[i]);
    }
    return RMAT_OK;
}

static int pointers(const rmat_interval *b, uint64_t first_row, uint64_t count, uint64_t add,
                    uint64_t *to)
{
    const rmat_cpu_interval *s = b->state;

    if (!s->counted) {
        s->ops->pointers(&s->in, s->keys, s->n, first_row, count, add, to);
        return RMAT_OK;
    }
    for (uint64_t i = 0; i < count; i++) {
        to[i] = add + (first_row + i > b->first.src ? s->n : 0);
    }
    return RMAT_OK;
}

static void read_ids(const rmat_interval *b, uint64_t first, uint64_t n, void *src, void *dst,
                     int id_bytes)
{
    static const uint64_t zeros[2] = {0, 0}; /* the key of the first cell, of either size */
    const rmat_cpu_interval *s = b->state;

    if (!s->counted) {
        s->ops->ids(&s->in, (const char *)s->keys + first * s->ops->bytes, n, src, dst, id_bytes);
        return;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t at = i * (uint64_t)id_bytes;

        s->ops->ids(&s->in, zeros, 1, src != NULL ? (char *)src + at : NULL,
                    dst != NULL ? (char *)dst + at : NULL, id_bytes);
    }
}

/* Edges that are read before their weights are computed: both ends are still in the cache then. */
enum { READ_PIECE = 2048 };

static int read(const rmat_interval *b, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t id_bytes = (uint64_t)to->id_bytes;
    const int wide = rmat_scale(&b->gen->config) > 32;
    char *src = to->src, *dst = to->dst, *weight = to->weight;

    while (count) {
        const uint64_t n = count < READ_PIECE ? count : READ_PIECE;

        if (src != NULL || dst != NULL) {
            read_ids(b, first, n, src, dst, to->id_bytes);
        }
        if (weight != NULL && rmat_own_weights(b->gen)) {
            const rmat_cpu_interval *state = b->state;

            state->ops->weights(&state->in, (const char *)state->keys + first * state->ops->bytes,
                                n, weight);
        } else if (weight != NULL && src != NULL && dst != NULL) {
            rmat_weights_of(b->gen, n, src, dst, to->id_bytes, weight);
        } else if (weight != NULL) {
            uint64_t s[READ_PIECE], d[READ_PIECE];

            read_ids(b, first, n, s, d, wide ? 8 : 4);
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

const rmat_interval_ops *rmat_cpu_interval_ops(void)
{
    static const rmat_interval_ops ops = {.bytes = bytes_of,
                                          .create = create,
                                          .destroy = destroy,
                                          .begin = begin,
                                          .add = rmat_cpu_interval_add,
                                          .middle = middle,
                                          .sort = sort,
                                          .lower = lower,
                                          .before = before,
                                          .pointers = pointers,
                                          .read = read,
                                          .unseen = rmat_cpu_interval_unseen,
                                          .insert = rmat_cpu_interval_insert,
                                          .count_cells = rmat_cpu_count_cells};

    return &ops;
}
