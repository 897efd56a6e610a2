/*
 * gather.c - gathers the keys of an interval in host memory from the stream, sorts them, and
 * inserts cells; and counts edges between cells.
 *
 * Each thread makes keys in its cache and distributes them over its lists by their leading bits.
 *
 * Before, one pass counted the keys and another distributed them into a second buffer.  That took
 * twice the memory, and 10 % more time where the memory had been used already (Zen 5, two cores).
 */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdlib.h>

int rmat_cpu_keys_create(rmat_cpu_interval *s, const rmat_gen *gen, uint64_t keys, int key_bytes)
{
    const int threads = rmat_threads_for(gen, UINT64_MAX - 1, 1);

    RMAT_OR_RETURN(rmat_chunks_create(&s->chunks, keys * (uint64_t)key_bytes, threads));
    s->capacity = keys;
    s->chunks.gen = gen;
    s->order = malloc(s->chunks.total * sizeof *s->order);
    s->before = malloc(((uint64_t)s->chunks.total + 1) * sizeof *s->before);
    return s->order != NULL && s->before != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

void rmat_cpu_keys_destroy(rmat_cpu_interval *s)
{
    rmat_chunks_free(&s->chunks);
    free(s->order);
    free(s->before);
    if (s->marks) {
        free((void *)s->seen);
    }
}

static void clear_lists(rmat_list *lists)
{
    for (int d = 0; d < 1 << RMAT_LEADING; d++) {
        lists[d] = RMAT_NO_KEYS;
    }
}

void rmat_cpu_keys_begin(rmat_cpu_interval *s, const rmat_key_range *in)
{
    s->in = *in;
    s->ops = rmat_key_ops_of(in);
    s->n = 0;
    s->width = in->bits - rmat_weight_bits(in);
    s->width = s->width < s->chunks.leading ? s->width : s->chunks.leading;
    rmat_chunks_reset(&s->chunks);
    clear_lists(s->lists);
}

void rmat_cpu_order(rmat_cpu_interval *s)
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

int rmat_cpu_sort(rmat_cpu_interval *s, bool unique)
{
    s->ops->collect(&s->chunks, s->width, s->lists);
    s->ops->sort_lists(&s->chunks, s->lists, s->width, s->in.bits, rmat_weight_bits(&s->in),
                       unique);
    rmat_cpu_order(s);
    return atomic_load(&s->chunks.stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
}

typedef struct {
    rmat_cpu_interval *s;
    bool by_index;
    uint64_t base;      /* the edge with index 0 */
    _Atomic uint64_t n; /* keys: may be more than the capacity */
} gathering;

/* Whether the bit map lacks the cell; it has it from now on, if gathered keys mark it. */
static bool is_new(const rmat_cpu_interval *s, uint64_t cell)
{
    return s->marks ? rmat_seen_add(s->seen, cell)
                    : !(atomic_load_explicit(&s->seen[cell / 64], memory_order_relaxed) &
                        (uint64_t)1 << cell % 64);
}

/* Keeps of n keys those that are new. */
static uint64_t drop_seen(const rmat_cpu_interval *s, uint64_t n, uint64_t *keys)
{
    const int bits = rmat_weight_bits(&s->in);
    uint64_t kept = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key = keys[i];

        keys[kept] = key;
        kept += is_new(s, key >> bits);
    }
    return kept;
}

/* Stores keys as far as there is room: those that a bit map has marked fill it then. */
static int gather_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                        const void *dst, const void *weight, int id_bytes)
{
    gathering *g = to;
    rmat_cpu_interval *s = g->s;
    _Alignas(64) rmat_key keys[RMAT_PASS_PIECE];
    uint32_t index[RMAT_PASS_PIECE];
    uint64_t at, fit;

    for (uint64_t i = 0; g->by_index && i < n; i++) {
        index[i] = (uint32_t)(first - g->base + i);
    }
    n = s->ops->keep(&s->in, n, src, dst, g->by_index ? index : weight, id_bytes, keys);
    if (s->seen != NULL) {
        n = drop_seen(s, n, (uint64_t *)keys); /* of 8 bytes */
    }
    if (n == 0) {
        return RMAT_OK;
    }
    at = atomic_fetch_add(&g->n, n);
    if (s->counted) {
        return RMAT_OK;
    }
    fit = at < s->capacity ? s->capacity - at : 0;
    fit = fit < n ? fit : n;
    s->ops->spread(&s->chunks, s->chunks.workers[thread], keys, fit, s->in.bits - s->width,
                   s->width);
    return fit < n ? RMAT_ERR_FULL : RMAT_OK;
}

int rmat_cpu_gather(rmat_cpu_interval *s, const rmat_gen *gen, uint64_t first, uint64_t count,
                    bool by_index)
{
    gathering g = {.s = s, .by_index = by_index, .base = first, .n = s->n};
    int threads = rmat_threads_for(gen, count, RMAT_WORTH_THREAD), st;

    threads = threads < s->chunks.threads ? threads : s->chunks.threads;
    st = rmat_run_pass(gen, first, count, threads, gather_piece, &g);
    s->n = atomic_load(&g.n);
    return st;
}

/* rmat_interval_insert() on the CPU. */
enum { PIECE = 1024 };

static bool is_within(const rmat_interval *b, const rmat_cell *c)
{
    const rmat_cpu_interval *s = b->state;

    return !rmat_cell_below(c, &b->first) && rmat_cell_below(c, &b->end) &&
           !(s->in.no_loops && c->src == c->dst);
}

int rmat_cpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    rmat_cpu_interval *s = b->state;
    rmat_list more[1 << RMAT_LEADING];
    rmat_key keys[PIECE];

    for (uint64_t i = 0; i < n; i++) {
        RMAT_OR_RETURN(is_within(b, &list[i].cell) ? RMAT_OK : RMAT_ERR_ARG);
    }
    if (n > s->capacity - s->n) {
        return RMAT_ERR_FULL;
    }
    for (uint64_t i = 0; i < n && s->seen != NULL; i++) {
        rmat_seen_add(s->seen, (uint64_t)rmat_key_of(&s->in, list[i].cell.src, list[i].cell.dst));
    }
    for (uint64_t at = 0; at < n; at += PIECE) {
        const uint64_t some = n - at < PIECE ? n - at : PIECE;
        uint64_t src[PIECE], dst[PIECE];

        for (uint64_t i = 0; i < some; i++) {
            src[i] = list[at + i].cell.src;
            dst[i] = list[at + i].cell.dst;
        }
        s->ops->keep(&s->in, some, src, dst, NULL, 8, keys);
        s->ops->spread(&s->chunks, s->chunks.workers[0], keys, some, s->in.bits - s->width,
                       s->width);
    }
    clear_lists(more);
    s->ops->collect(&s->chunks, s->width, more);
    s->ops->insert(&s->chunks, s->lists, more, s->width, s->in.bits);
    rmat_cpu_order(s);
    b->edges = s->n;
    return RMAT_OK;
}

/* rmat_count_cells() on the CPU: one pass over the stream.  Each thread finds the parts of its
 * edges by bisection; the counts of all threads are added at the end. */
typedef struct {
    rmat_key_range in;
    uint64_t parts;
    rmat_key *cuts;   /* part i ends before cut i; the last one has none */
    uint64_t *counts; /* [thread][part] */
} counting;

static int count_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                       const void *dst, const void *weight, int id_bytes)
{
    const counting *c = to;
    uint64_t *counts = c->counts + (uint64_t)thread * c->parts;
    rmat_key keys[RMAT_PASS_PIECE];

    (void)first, (void)weight;
    n = rmat_keys128.keep(&c->in, n, src, dst, NULL, id_bytes, keys);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t low = 0, high = c->parts - 1;

        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;

            if (c->cuts[middle] <= keys[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        counts[low]++;
    }
    return RMAT_OK;
}

int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts)
{
    const int threads = rmat_threads_for(gen, count, RMAT_WORTH_THREAD);
    counting c = {.parts = n - 1};
    int st = RMAT_ERR_NOMEM;

    if (!rmat_cell_below(&cells[0], &cells[n - 1])) {
        return RMAT_OK;
    }
    c.in = rmat_key_range_of(gen, &cells[0], &cells[n - 1]);
    c.cuts = malloc(n * sizeof *c.cuts);
    c.counts = calloc(c.parts, (size_t)threads * sizeof *c.counts);
    if (c.cuts != NULL && c.counts != NULL) {
        for (uint64_t i = 0; i + 1 < c.parts; i++) {
            c.cuts[i] = rmat_key_of(&c.in, cells[i + 1].src, cells[i + 1].dst);
        }
        st = rmat_run_pass(gen, first, count, threads, count_piece, &c);
        for (uint64_t i = 0; i < (uint64_t)threads * c.parts; i++) {
            counts[i % c.parts] += c.counts[i];
        }
    }
    free(c.cuts);
    free(c.counts);
    return st;
}
