/* extents.c - sets of numbers, kept as the ranges that they form. */
#include "io/resume/extents.h"
#include "io/private.h"

#include <stdlib.h>
#include <string.h>

/* The first range that ends at `at` or later. */
static size_t find(const edgefile_extents *s, uint64_t at)
{
    size_t low = 0, high = s->n;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (s->list[middle].end < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Ranges that the new one touches become one with it. */
int edgefile_extents_add(edgefile_extents *s, uint64_t first, uint64_t end)
{
    const size_t at = find(s, first);
    size_t behind = at;

    if (first >= end) {
        return EDGEFILE_OK;
    }
    if (s->n == s->room) {
        const size_t room = s->room > 0 ? 2 * s->room : 16;
        struct edgefile_extent *list = realloc(s->list, room * sizeof *list);

        if (list == NULL) {
            return edgefile_no_memory(NULL);
        }
        s->list = list;
        s->room = room;
    }
    for (; behind < s->n && s->list[behind].first <= end; behind++) {
        first = smaller(first, s->list[behind].first);
        end = larger(end, s->list[behind].end);
    }
    memmove(&s->list[at + 1], &s->list[behind], (s->n - behind) * sizeof *s->list);
    s->list[at] = (struct edgefile_extent){first, end};
    s->n = s->n + 1 - (behind - at);
    return EDGEFILE_OK;
}

void edgefile_extents_missing(const edgefile_extents *s, uint64_t *first, uint64_t *count)
{
    const uint64_t end = *first + *count;

    for (size_t i = find(s, *first); i < s->n && s->list[i].first <= *first; i++) {
        *first = larger(*first, smaller(s->list[i].end, end));
    }
    *count = end - *first;
    if (*count > 0) {
        const size_t i = find(s, *first + 1);

        *count = i < s->n ? smaller(*count, s->list[i].first - *first) : *count;
    }
}

uint64_t edgefile_extents_within(const edgefile_extents *s, uint64_t first, uint64_t end)
{
    uint64_t n = 0;

    for (size_t i = find(s, first); i < s->n && s->list[i].first < end; i++) {
        const uint64_t from = larger(first, s->list[i].first), to = smaller(end, s->list[i].end);

        n += to > from ? to - from : 0;
    }
    return n;
}

void edgefile_extents_free(edgefile_extents *s)
{
    free(s->list);
    *s = (edgefile_extents){0};
}
