/*
 * Sorted intervals in host memory: allocation, and the beginning and end of gathering.  gather.c
 * collects the edges and sorts them, read.c reads a sorted interval, unseen.c and insert.c extend
 * it, count.c counts edges without storing them.
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/cpu/memory.h"
#include "rmat/sorted/cpu/pass.h"

#include <stdlib.h>
#include <string.h>

/* What threads use beside them, one and a half megabytes for each, is not counted. */
static int bytes_of(const rmat_gen *gen, uint64_t edges, uint64_t *bytes)
{
    const uint64_t each = (uint64_t)rmat_key_bytes(gen);

    *bytes = edges < UINT64_MAX / each ? rmat_chunks_bytes(edges * each) : UINT64_MAX;
    return RMAT_OK;
}

static int create(rmat_interval *b, uint64_t capacity)
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

static void destroy(rmat_interval *b)
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
    s->width = s->in.bits - rmat_weight_bits(&s->in);
    s->width = s->width < s->chunks.leading ? s->width : s->chunks.leading;
    rmat_chunks_reset(&s->chunks);
    for (int d = 0; d < 1 << RMAT_LEADING; d++) {
        s->lists[d] = RMAT_NO_KEYS;
    }
    return begin_seen(b, s);
}

static int sort(rmat_interval *b)
{
    rmat_cpu_interval *s = b->state;

    if (!s->counted && !rmat_cpu_interval_settle(b)) {
        return RMAT_ERR_STOPPED;
    }
    b->edges = s->n;
    return RMAT_OK;
}

/* The median of evenly spaced keys, sorted or in no order. */
static int middle(rmat_interval *b, rmat_cell *m)
{
    rmat_cpu_interval *s = b->state;
    const uint64_t most = 1 << 16;
    rmat_key *sample, key = (s->in.last + 1) / 2;
    uint64_t n;
    int st;

    if (!rmat_cell_below(&b->first, &b->end) || s->in.last == 0) {
        /* The interval has no inner cell: it holds all its edges, unless they have weights. */
        return rmat_own_weights(b->gen) ? RMAT_ERR_NOMEM : RMAT_ERR_ARG;
    }
    sample = malloc(most * sizeof *sample);
    if (sample == NULL) {
        return RMAT_ERR_NOMEM;
    }
    s->ops->collect(&s->chunks, s->width, s->lists);
    rmat_cpu_interval_order(s);
    n = s->n < most ? s->n : most;
    for (uint64_t i = 0; i < n; i++) {
        sample[i] = rmat_cpu_interval_key(s, s->n / n * i) >> rmat_weight_bits(&s->in);
    }
    st = rmat_keys128.sort(sample, n, s->in.bits, 1);
    if (st == RMAT_OK && n) {
        key = sample[n / 2];
    }
    *m = rmat_cell_of(&s->in, key ? key : 1);
    free(sample);
    return st;
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
                                          .lower = rmat_cpu_interval_lower,
                                          .before = rmat_cpu_interval_before,
                                          .pointers = rmat_cpu_interval_pointers,
                                          .read = rmat_cpu_interval_read,
                                          .unseen = rmat_cpu_interval_unseen,
                                          .insert = rmat_cpu_interval_insert,
                                          .count_cells = rmat_cpu_count_cells};

    return &ops;
}
