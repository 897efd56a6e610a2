/* rmat_interval_insert() on the CPU: the cells' keys are sorted and merged into the interval's
 * lists. */
#include "rmat/sorted/cpu/interval.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdlib.h>

enum { PIECE = 1024 };

/* Writes the keys of those cells that lie in the interval; returns how many. */
static uint64_t keys_of(const rmat_cpu_interval *s, uint64_t n, const rmat_first_seen *list,
                        char *keys)
{
    uint64_t kept = 0;

    for (uint64_t at = 0; at < n; at += PIECE) {
        const uint64_t some = n - at < PIECE ? n - at : PIECE;
        uint64_t src[PIECE], dst[PIECE];

        for (uint64_t i = 0; i < some; i++) {
            src[i] = list[at + i].cell.src;
            dst[i] = list[at + i].cell.dst;
        }
        kept += s->ops->keep(&s->in, some, src, dst, NULL, 8, keys + kept * s->ops->bytes);
    }
    return kept;
}

int rmat_cpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list)
{
    rmat_cpu_interval *s = b->state;
    const int threads = rmat_threads_for(b->gen, s->n, 1 << 16);
    char *keys;
    int st = RMAT_OK;

    if (!rmat_cell_below(&b->first, &b->end)) {
        return RMAT_ERR_ARG;
    }
    if (n > b->capacity - s->n) {
        return RMAT_ERR_FULL;
    }
    keys = malloc(n * s->ops->bytes);
    if (keys == NULL) {
        return RMAT_ERR_NOMEM;
    }
    if (keys_of(s, n, list, keys) != n) {
        RMAT_TRY(RMAT_ERR_ARG);
    }
    RMAT_TRY(s->ops->sort(keys, n, s->in.bits, threads));
    for (uint64_t i = 0; s->seen != NULL && i < n; i++) {
        rmat_seen_add(s->seen, (uint64_t)s->ops->at(keys, i));
    }
    s->ops->insert(&s->chunks, s->lists, s->width, s->in.bits, keys, n);
    rmat_cpu_interval_order(s);
    b->edges = s->n;
done:
    free(keys);
    return st;
}
