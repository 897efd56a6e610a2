/* Blocks in host memory. */
#include "rmat/block_impl.h"

#include <stdlib.h>
#include <string.h>

enum { SLICE = 1 << 16 };

typedef struct {
    rmat_cell *list;
    uint64_t n;
} state;

static uint64_t bytes(const rmat_gen *gen, uint64_t edges)
{
    (void)gen;
    return edges * sizeof(rmat_cell);
}

static int create(rmat_block *b, uint64_t capacity)
{
    state *s = calloc(1, sizeof *s);

    b->state = s;
    if (s) {
        s->list = malloc(capacity * sizeof *s->list);
    }
    return s && s->list ? RMAT_OK : RMAT_ERR_NOMEM;
}

static void destroy(rmat_block *b)
{
    state *s = b->state;

    if (s) {
        free(s->list);
        free(s);
    }
}

static int begin(rmat_block *b)
{
    ((state *)b->state)->n = 0;
    return RMAT_OK;
}

static int compare(const void *a, const void *b)
{
    return rmat_cell_below(b, a) - rmat_cell_below(a, b);
}

static void settle(rmat_block *b)
{
    state *s = b->state;
    uint64_t n = 0;

    qsort(s->list, s->n, sizeof *s->list, compare);
    for (uint64_t i = 0; i < s->n && b->unique; i++) {
        if (i == 0 || compare(&s->list[i], &s->list[n - 1])) {
            s->list[n++] = s->list[i];
        }
    }
    s->n = b->unique ? n : s->n;
}

/* Calls take() for the edges of the interval, until it returns an error. */
static int each(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_cell *from,
                const rmat_cell *end, int (*take)(void *, uint64_t, const rmat_cell *), void *to)
{
    uint64_t *src = malloc(2 * SLICE * sizeof *src);
    int st = src ? RMAT_OK : RMAT_ERR_NOMEM;

    for (uint64_t at = 0; !st && at < count; at += SLICE) {
        const uint64_t n = count - at < SLICE ? count - at : SLICE;

        st = rmat_generate(gen, first + at, n, src, src + SLICE);
        for (uint64_t i = 0; !st && i < n; i++) {
            const rmat_cell c = {src[i], src[SLICE + i]};

            if (!rmat_cell_below(&c, from) && rmat_cell_below(&c, end)) {
                st = take(to, first + at + i, &c);
            }
        }
    }
    free(src);
    return st;
}

static int keep(void *to, uint64_t index, const rmat_cell *c)
{
    rmat_block *b = to;
    state *s = b->state;

    (void)index;
    if (rmat_is_single(b, b->gen->view.cols) && !b->unique) {
        s->list[0] = *c;
        s->n++;
        return RMAT_OK;
    }
    if (s->n == b->capacity && b->unique) {
        settle(b);
        if (s->n > b->capacity / 4 * 3) {
            return RMAT_ERR_FULL;
        }
    }
    if (s->n == b->capacity) {
        return RMAT_ERR_FULL;
    }
    s->list[s->n++] = *c;
    return RMAT_OK;
}

static int add(rmat_block *b, uint64_t first, uint64_t count)
{
    return each(b->gen, first, count, &b->first, &b->end, keep, b);
}

static int middle(rmat_block *b, rmat_cell *m)
{
    state *s = b->state;
    uint64_t i = s->n / 2;

    qsort(s->list, s->n, sizeof *s->list, compare);
    *m = s->list[i];
    if (!compare(m, &b->first)) { /* behind it, then */
        m->dst++;
        if (m->dst == b->gen->view.cols) {
            *m = (rmat_cell){m->src + 1, 0};
        }
    }
    return RMAT_OK;
}

static int is_counted(const rmat_block *b)
{
    return rmat_is_single(b, b->gen->view.cols) && !b->unique;
}

static int sort(rmat_block *b)
{
    if (!is_counted(b)) {
        settle(b);
    }
    b->edges = ((state *)b->state)->n;
    return RMAT_OK;
}

static rmat_cell cell_at(const rmat_block *b, uint64_t i)
{
    return is_counted(b) ? b->first : ((const state *)b->state)->list[i];
}

static int lower(const rmat_block *b, uint64_t *edges)
{
    *edges = 0;
    for (uint64_t i = 0; i < b->edges; i++) {
        const rmat_cell c = cell_at(b, i);

        *edges += c.src >= c.dst;
    }
    return RMAT_OK;
}

static uint64_t before_one(const rmat_block *b, const rmat_cell *c)
{
    uint64_t low = 0, high = b->edges;

    while (low < high) {
        const uint64_t at = low + (high - low) / 2;
        const rmat_cell here = cell_at(b, at);

        if (rmat_cell_below(&here, c)) {
            low = at + 1;
        } else {
            high = at;
        }
    }
    return low;
}

static int before(const rmat_block *b, uint64_t n, const rmat_cell *cells, uint64_t *counts)
{
    for (uint64_t i = 0; i < n; i++) {
        counts[i] = before_one(b, &cells[i]);
    }
    return RMAT_OK;
}

static int pointers(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t sum,
                    uint64_t *to)
{
    for (uint64_t i = 0; i < count; i++) {
        to[i] = sum + before_one(b, &(rmat_cell){first_row + i, 0});
    }
    return RMAT_OK;
}

static int read(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    for (uint64_t i = 0; i < count; i++) {
        const rmat_cell c = cell_at(b, first + i);

        if (to->src && to->id_bytes == 4) {
            ((uint32_t *)to->src)[i] = (uint32_t)c.src;
        } else if (to->src) {
            ((uint64_t *)to->src)[i] = c.src;
        }
        if (to->dst && to->id_bytes == 4) {
            ((uint32_t *)to->dst)[i] = (uint32_t)c.dst;
        } else if (to->dst) {
            ((uint64_t *)to->dst)[i] = c.dst;
        }
        if (to->weight) {
            rmat_weights_of(b->gen, 1, &c.src, &c.dst, 8, (uint32_t *)to->weight + i);
        }
    }
    return RMAT_OK;
}

typedef struct {
    const rmat_block *b;
    uint64_t most, n, room;
    rmat_new *list;
} new_list;

static int keep_new(void *to, uint64_t index, const rmat_cell *c)
{
    new_list *l = to;
    const uint64_t at = before_one(l->b, c);
    const rmat_cell there = at < l->b->edges ? cell_at(l->b, at) : (rmat_cell){UINT64_MAX, 0};

    if (!compare(&there, c)) {
        return RMAT_OK;
    }
    for (uint64_t i = 0; i < l->n; i++) {
        if (!compare(&l->list[i].cell, c)) {
            return RMAT_OK;
        }
    }
    if (l->n == l->most) {
        return RMAT_ERR_FULL;
    }
    if (l->n == l->room) {
        rmat_new *more = realloc(l->list, (l->room = 2 * l->room + 64) * sizeof *more);

        if (!more) {
            return RMAT_ERR_NOMEM;
        }
        l->list = more;
    }
    l->list[l->n++] = (rmat_new){*c, index};
    return RMAT_OK;
}

static int news(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most, rmat_new **list,
                uint64_t *n)
{
    new_list l = {.b = b, .most = most};
    const int st = each(b->gen, first, count, &b->first, &b->end, keep_new, &l);

    if (st) {
        free(l.list);
        return st;
    }
    *list = l.list;
    *n = l.n;
    return RMAT_OK;
}

static int insert(rmat_block *b, uint64_t n, const rmat_new *list)
{
    state *s = b->state;

    if (n > b->capacity - s->n) {
        return RMAT_ERR_FULL;
    }
    for (uint64_t i = 0; i < n; i++) {
        s->list[s->n++] = list[i].cell;
    }
    settle(b);
    b->edges = s->n;
    return RMAT_OK;
}

typedef struct {
    uint64_t n;
    const rmat_cell *cells;
    uint64_t *counts;
} counting;

static int count_one(void *to, uint64_t index, const rmat_cell *c)
{
    counting *k = to;
    uint64_t i = 0;

    (void)index;
    while (i + 2 < k->n && !rmat_cell_below(c, &k->cells[i + 1])) {
        i++;
    }
    k->counts[i]++;
    return RMAT_OK;
}

static int count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                       const rmat_cell *cells, uint64_t *counts)
{
    counting k = {n, cells, counts};

    return each(gen, first, count, &cells[0], &cells[n - 1], count_one, &k);
}

const rmat_block_ops *rmat_cpu_block_ops(void)
{
    static const rmat_block_ops ops = {.bytes = bytes,
                                       .create = create,
                                       .destroy = destroy,
                                       .begin = begin,
                                       .add = add,
                                       .middle = middle,
                                       .sort = sort,
                                       .lower = lower,
                                       .before = before,
                                       .pointers = pointers,
                                       .read = read,
                                       .news = news,
                                       .insert = insert,
                                       .count_cells = count_cells};

    return &ops;
}
