/*
 * rmat_unique_edges(): the number of draws among which M edges are distinct, exactly.
 *
 * A window of draws that probably holds the answer comes from the sample (window.c).  Interval by
 * interval of the sorted order, the distinct edges among the draws before the window are counted,
 * and the draws of the window that are first occurrences are listed.  If the two numbers enclose M,
 * the answer is the draw at which the count becomes M; else they make a better window.
 */
#include "rmat/model/generator.h"
#include "rmat/rmat_csr.h"
#include "rmat/rmat_gpu.h"
#include "rmat/rmat_interval.h"
#include "rmat/rmat_sample.h"
#include "rmat/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    rmat_interval *interval;
    rmat_window window;
    uint64_t distinct; /* edges among the draws before the window */
    uint64_t *unseen;  /* the draws of the window that are first occurrences, n of them */
    uint64_t n, most;  /* most: room for so many */
} search;

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Appends the first occurrences in the interval. */
static int list_unseen(search *s)
{
    rmat_first_seen *list;
    uint64_t n;
    int st = rmat_interval_unseen(s->interval, s->window.low, s->window.high - s->window.low,
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

/* Counts and lists the interval from *first to *end, in parts if it does not fit.  RMAT_ERR_FULL if
 * there is no room for its first occurrences. */
static int search_interval(search *s, const rmat_cell *first, const rmat_cell *end)
{
    rmat_cell middle;
    int st = rmat_interval_begin(s->interval, first, end, 1);

    if (st == RMAT_OK) {
        st = rmat_interval_add(s->interval, 0, s->window.low);
    }
    if (st == RMAT_OK) {
        st = rmat_interval_sort(s->interval);
    }
    if (st == RMAT_ERR_FULL) {
        RMAT_TRY(rmat_interval_middle(s->interval, &middle));
        RMAT_TRY(search_interval(s, first, &middle));
        RMAT_TRY(search_interval(s, &middle, end));
    } else {
        RMAT_TRY(st);
        s->distinct += rmat_interval_edges(s->interval);
        RMAT_TRY(list_unseen(s));
    }
done:
    return st;
}

/* Counts the distinct edges before the window, s->distinct, and lists the s->n first occurrences in
 * it, in no order. */
static int search_window(search *s, const rmat_sample *sample, uint64_t capacity)
{
    const double expected = rmat_sample_distinct(sample, (double)s->window.high, NULL);
    const uint64_t parts =
        s->window.low <= capacity ? 1 : (uint64_t)(expected / ((double)capacity / 2)) + 1;
    rmat_cell *cells = malloc((parts + 1) * sizeof *cells);
    int st;

    s->distinct = s->n = 0;
    if (cells == NULL) {
        return RMAT_ERR_NOMEM;
    }
    RMAT_TRY(rmat_sample_cut(sample, (double)s->window.high, 1, parts, cells));
    for (uint64_t i = 0; i < parts; i++) {
        RMAT_TRY(search_interval(s, &cells[i], &cells[i + 1]));
    }
done:
    free(cells);
    return st;
}

static int run(search *s, const rmat_sample *sample, uint64_t distinct, uint64_t capacity,
               uint64_t *draws)
{
    int st;

    RMAT_TRY(rmat_window_first(sample, distinct, &s->window));
    for (;;) {
        st = search_window(s, sample, capacity);
        if (st == RMAT_ERR_FULL) { /* too many first occurrences: only count, at the middle */
            s->window.low += (s->window.high - s->window.low) / 2;
            s->window.high = s->window.low;
            st = search_window(s, sample, capacity);
        }
        RMAT_TRY(st);
        if (s->distinct < distinct && s->distinct + s->n >= distinct) {
            qsort(s->unseen, s->n, sizeof *s->unseen, compare);
            *draws = s->unseen[distinct - s->distinct - 1] + 1;
            return RMAT_OK;
        }
        RMAT_TRY(rmat_window_next(sample, s->distinct, s->distinct + s->n, &s->window));
    }
done:
    return st;
}

int rmat_unique_edges(const rmat_gen *gen, uint64_t distinct, uint64_t bytes, uint64_t *edges)
{
    search s = {.most = bytes / 4 / (sizeof(rmat_first_seen) + sizeof *s.unseen)};
    rmat_sample *sample = NULL;
    rmat_gen *base = NULL;
    rmat_config config;
    uint64_t capacity;
    int st;

    if (gen == NULL || edges == NULL) {
        return RMAT_ERR_ARG;
    }
    *edges = 0;
    if (distinct == 0) {
        return RMAT_OK;
    }
    /* The pairs of vertices of a symmetric graph are the edges of its lower half. */
    config = gen->config;
    config.levels = gen->levels;
    config.noise = 0;
    config.backend = rmat_used_backend(gen);
    config.device = rmat_used_device(gen);
    config.symmetrize = 0;
    config.direction = gen->config.symmetrize ? RMAT_LOWER : gen->config.direction;
    if (rmat_has_source(gen)) {
        RMAT_TRY(gen->source.probability != NULL ? RMAT_OK : RMAT_ERR_ARG);
        RMAT_TRY(rmat_create_from(&base, &gen->source, &config));
        RMAT_TRY(rmat_sample_create_from(&sample, base, 0));
    } else {
        RMAT_TRY(rmat_create(&base, &config));
        RMAT_TRY(rmat_sample_create(&sample, &config, 0));
    }
    RMAT_TRY(rmat_interval_create(&s.interval, base, bytes));
    s.most = s.most > RMAT_INTERVAL_LEAST_EDGES ? s.most : RMAT_INTERVAL_LEAST_EDGES;
    s.unseen = malloc(s.most * sizeof *s.unseen);
    if (s.unseen == NULL) {
        RMAT_TRY(RMAT_ERR_NOMEM);
    }
    RMAT_TRY(rmat_interval_capacity(base, bytes, &capacity));
    RMAT_TRY(run(&s, sample, distinct, capacity, edges));
    if (gen->config.symmetrize) {
        *edges *= 2;
    }
done:
    free(s.unseen);
    rmat_interval_destroy(s.interval);
    rmat_sample_destroy(sample);
    rmat_destroy(base);
    return st;
}
