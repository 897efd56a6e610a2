/*
 * How many edges of the stream have so many distinct ones: block after block of the order, the
 * first draws of a window are made unique and counted, and those of the window that are new are
 * listed. The answer is the draw at which the count is full.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_block.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_sample.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    rmat_block *block;
    rmat_window window;
    uint64_t distinct; /* of the draws before the window */
    uint64_t *unseen;  /* draws of the window that are new */
    uint64_t n, most;
} search;

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int list_unseen(search *s)
{
    rmat_new *list;
    uint64_t n;
    int st = rmat_block_news(s->block, s->window.low, s->window.high - s->window.low,
                             s->most - s->n, &list, &n);

    if (st) {
        return st;
    }
    for (uint64_t i = 0; i < n; i++) {
        s->unseen[s->n++] = list[i].index;
    }
    free(list);
    return RMAT_OK;
}

/* RMAT_ERR_FULL: there is no room for what is new. */
static int search_interval(search *s, const rmat_cell *first, const rmat_cell *end)
{
    rmat_cell middle;
    int st = rmat_block_begin(s->block, first, end, 1);

    st = st ? st : rmat_block_add(s->block, 0, s->window.low);
    st = st ? st : rmat_block_sort(s->block);
    if (st == RMAT_ERR_FULL) {
        st = rmat_block_middle(s->block, &middle);
        st = st ? st : search_interval(s, first, &middle);
        return st ? st : search_interval(s, &middle, end);
    }
    if (st) {
        return st;
    }
    s->distinct += rmat_block_edges(s->block);
    return list_unseen(s);
}

/* Where the count becomes full in this window, if it does: s->distinct and s->n tell. */
static int search_window(search *s, const rmat_sample *sample, uint64_t capacity)
{
    const double expected = rmat_sample_distinct(sample, (double)s->window.high, NULL);
    const uint64_t parts = (uint64_t)(expected / ((double)capacity / 2)) + 1;
    rmat_cell *cells = malloc((parts + 1) * sizeof *cells);
    int st = cells != NULL ? rmat_sample_cut(sample, (double)s->window.high, 1, parts, cells)
                           : RMAT_ERR_NOMEM;

    s->distinct = s->n = 0;
    for (uint64_t i = 0; !st && i < parts; i++) {
        st = search_interval(s, &cells[i], &cells[i + 1]);
    }
    free(cells);
    return st;
}

static int run(search *s, const rmat_sample *sample, uint64_t distinct, uint64_t capacity,
               uint64_t *draws)
{
    int st = rmat_window_first(sample, distinct, &s->window);

    while (!st) {
        st = search_window(s, sample, capacity);
        if (st == RMAT_ERR_FULL) {
            s->window.low += (s->window.high - s->window.low) / 2;
            s->window.high = s->window.low;
            st = search_window(s, sample, capacity);
        }
        if (!st && s->distinct < distinct && s->distinct + s->n >= distinct) {
            qsort(s->unseen, s->n, sizeof *s->unseen, compare);
            *draws = s->unseen[distinct - s->distinct - 1] + 1;
            return RMAT_OK;
        }
        st = st ? st : rmat_window_next(sample, s->distinct, s->distinct + s->n, &s->window);
    }
    return st;
}

int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges)
{
    search s = {.most = bytes / 4 / (sizeof(rmat_new) + sizeof *s.unseen)};
    rmat_sample *sample = NULL;
    rmat_gen *base = NULL;
    rmat_config config;
    int st;

    if (gen == NULL || edges == NULL) {
        return RMAT_ERR_ARG;
    }
    *edges = 0;
    if (distinct == 0) {
        return RMAT_OK;
    }
    /* Pairs of vertices are as many as edges in one direction. */
    config = gen->config;
    config.levels = gen->levels;
    config.noise = 0;
    config.backend = rmat_used_backend(gen);
    config.device = rmat_used_device(gen);
    config.symmetrize = 0;
    config.direction = gen->config.symmetrize ? RMAT_LOWER : gen->config.direction;
    st = rmat_create(&base, &config);
    st = st ? st : rmat_sample_create(&sample, &config, 0);
    st = st ? st : rmat_block_create(&s.block, base, bytes);
    if (!st) {
        s.most = s.most > RMAT_BLOCK_LEAST ? s.most : RMAT_BLOCK_LEAST;
        s.unseen = malloc(s.most * sizeof *s.unseen);
        st = s.unseen != NULL ? run(&s, sample, distinct, rmat_block_capacity(base, bytes), edges)
                              : RMAT_ERR_NOMEM;
    }
    if (!st && gen->config.symmetrize) {
        *edges *= 2;
    }
    free(s.unseen);
    rmat_block_destroy(s.block);
    rmat_sample_destroy(sample);
    rmat_destroy(base);
    return st;
}
