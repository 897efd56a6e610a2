/*
 * A histogram of degrees: an array for small degrees, and a list of the few large ones, which is
 * sorted at the end.
 */
#include "apps/stats/histogram.h"
#include <stdlib.h>
#include <string.h>

bool histogram_create(histogram *h, uint64_t most_top)
{
    memset(h, 0, sizeof *h);
    h->most_top = most_top;
    h->top = malloc((size_t)(most_top + 1) * sizeof *h->top);
    return h->top != NULL;
}

void histogram_free(histogram *h)
{
    free(h->large);
    free(h->top);
    h->large = NULL;
    h->top = NULL;
}

static bool comes_before(const degree_top *a, const degree_top *b)
{
    return a->degree != b->degree ? a->degree > b->degree : a->vertex < b->vertex;
}

static void add_top(histogram *h, degree_top new)
{
    uint64_t at = h->n_top;

    if (at == h->most_top && (at == 0 || !comes_before(&new, &h->top[at - 1]))) {
        return;
    }
    h->n_top += at < h->most_top;
    for (at = h->n_top - 1; at > 0 && comes_before(&new, &h->top[at - 1]); at--) {
        h->top[at] = h->top[at - 1];
    }
    h->top[at] = new;
}

static void add_large(histogram *h, uint64_t degree)
{
    if (h->n_large == h->room) {
        uint64_t room = h->room > 0 ? 2 * h->room : 1024;
        uint64_t *large = realloc(h->large, (size_t)room * sizeof *large);

        if (large == NULL) {
            h->failed = true;
            return;
        }
        h->large = large;
        h->room = room;
    }
    h->large[h->n_large++] = degree;
}

void histogram_add(histogram *h, uint64_t vertex, uint64_t degree)
{
    if (degree < HISTOGRAM_SMALL) {
        h->small[degree]++;
    } else {
        add_large(h, degree);
    }
    if (degree > 0) {
        add_top(h, (degree_top){vertex, degree});
    }
}

void histogram_add_all(histogram *h, const histogram *more)
{
    for (uint64_t d = 0; d < HISTOGRAM_SMALL; d++) {
        h->small[d] += more->small[d];
    }
    for (uint64_t i = 0; i < more->n_large; i++) {
        add_large(h, more->large[i]);
    }
    for (uint64_t i = 0; i < more->n_top; i++) {
        add_top(h, more->top[i]);
    }
    h->failed = h->failed || more->failed;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool histogram_finish(histogram *h, degree_distribution *d)
{
    memset(d, 0, sizeof *d);
    d->bins = malloc((size_t)(HISTOGRAM_SMALL + h->n_large) * sizeof *d->bins);
    d->top = malloc((size_t)(h->n_top + 1) * sizeof *d->top);
    if (h->failed || d->bins == NULL || d->top == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < HISTOGRAM_SMALL; i++) {
        if (h->small[i] > 0) {
            d->bins[d->n_bins++] = (degree_bin){i, h->small[i]};
        }
    }
    if (h->n_large > 0) {
        qsort(h->large, h->n_large, sizeof *h->large, compare);
    }
    for (uint64_t i = 0; i < h->n_large; i++) {
        if (i == 0 || h->large[i] != h->large[i - 1]) {
            d->bins[d->n_bins++] = (degree_bin){h->large[i], 0};
        }
        d->bins[d->n_bins - 1].vertices++;
    }
    memcpy(d->top, h->top, (size_t)h->n_top * sizeof *d->top);
    d->n_top = h->n_top;
    return true;
}
