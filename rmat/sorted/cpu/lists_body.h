/*
 * lists_body.h - lists of keys of one type, KEY, in chunks: keys are distributed over lists, copied
 * out of them, and merged into sorted ones.  lists_sort_body.h sorts them.
 *
 * To distribute keys, a thread collects those of each list in a line of its own, so that memory
 * sees whole lines only.  They are of two cache lines: that a line is full is a branch that no
 * processor foresees, which half as many take.
 */

static inline uint64_t keys_of_chunk(const rmat_chunks *p)
{
    return ((uint64_t)1 << p->shift) / sizeof(KEY);
}

/* rmat_key_ops.spread.  The place of a list's last key in its line has the number of its keys so
 * far, so that a key touches one line. */
static void spread(rmat_chunks *p, rmat_worker *w, const void *some, uint64_t n, int shift,
                   int width)
{
    const unsigned mask = (1u << width) - 1;
    const uint64_t full = keys_of_chunk(p);
    const KEY *keys = some;
    line *lines = (line *)w->lines;

    for (uint64_t i = 0; i < n; i++) {
        const KEY key = keys[i];
        const unsigned d = digit(key, shift, mask);
        const uint64_t at = (uint64_t)lines[d].keys[LINE - 1];

        lines[d].keys[LINE - 1] = at + 1;
        lines[d].keys[at % LINE] = key;
        if (at % LINE == LINE - 1) {
            const uint64_t begin = (at & (full - 1)) - (LINE - 1);

            if (begin == 0) {
                rmat_list_extend(p, w, &w->lists[d], (uint16_t)full);
            }
            store_line((KEY *)rmat_chunk(p, w->lists[d].tail) + begin, &lines[d]);
            lines[d].keys[LINE - 1] = at + 1;
        }
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Appends the keys that a worker has spread to the lists, which are 2^width. */
static void collect_from(rmat_chunks *p, rmat_worker *w, int width, rmat_list *lists)
{
    const uint64_t full = keys_of_chunk(p);
    line *lines = (line *)w->lines;

    for (int d = 0; d < 1 << width; d++) {
        rmat_list *l = &w->lists[d];
        const uint64_t n = (uint64_t)lines[d].keys[LINE - 1];
        const uint64_t rest = n % LINE, at = n & (full - 1);

        if (rest) {
            if (rest == at) {
                rmat_list_extend(p, w, l, (uint16_t)full);
            }
            memcpy((KEY *)rmat_chunk(p, l->tail) + (at - rest), lines[d].keys, rest * sizeof(KEY));
        }
        if (at) {
            p->fill[l->tail] = (uint16_t)at;
        }
        l->n = n;
        lines[d].keys[LINE - 1] = 0;
        rmat_list_join(p, &lists[d], l);
    }
}

/* rmat_key_ops.collect */
static void collect(rmat_chunks *p, int width, rmat_list *lists)
{
    for (int t = 0; t < p->threads; t++) {
        collect_from(p, p->workers[t], width, lists);
    }
}

static void clear_lists(rmat_list *lists, int width)
{
    for (int d = 0; d < 1 << width; d++) {
        lists[d] = RMAT_NO_KEYS;
    }
}

/* Spreads the keys of so many chunks in a row, and drops the chunks. */
static void spread_chunks(rmat_chunks *p, rmat_worker *w, uint32_t chunk, uint64_t count, int shift,
                          int width)
{
    while (count--) {
        const uint32_t next = p->next[chunk];

        rmat_chunk_expect(p, next);
        spread(p, w, rmat_chunk(p, chunk), p->fill[chunk], shift, width);
        rmat_chunk_drop(p, w, chunk);
        chunk = next;
    }
}

static uint64_t chunks_of(const rmat_chunks *p, const rmat_list *l)
{
    uint64_t count = 0;

    for (uint32_t c = l->head; c != RMAT_NO_CHUNK; c = p->next[c]) {
        count++;
    }
    return count;
}

/* Makes a list 2^width lists by a digit, in which keys are in the same order as before; by one
 * worker, or by all if it is NULL. */
static void distribute_list(rmat_chunks *p, rmat_worker *w, const rmat_list *from, int shift,
                            int width, rmat_list *lists)
{
    uint64_t left = chunks_of(p, from);
    uint32_t chunk = from->head;

    clear_lists(lists, width);
    if (w != NULL) {
        spread_chunks(p, w, chunk, left, shift, width);
        collect_from(p, w, width, lists);
        return;
    }
#pragma omp parallel for ordered schedule(static, 1) num_threads(p->threads)
    for (int t = 0; t < p->threads; t++) {
        uint64_t count;
        uint32_t first;

#pragma omp ordered
        {
            count = left / (uint64_t)(p->threads - t);
            first = chunk;
            left -= count;
            for (uint64_t i = 0; i < count; i++) {
                chunk = p->next[chunk];
            }
        }
        spread_chunks(p, p->workers[t], first, count, shift, width);
    }
    collect(p, width, lists);
    rmat_chunks_share(p);
}

static void append_keys(rmat_chunks *p, rmat_worker *w, rmat_list *to, const KEY *keys, uint64_t n)
{
    const uint64_t full = keys_of_chunk(p);

    while (n) {
        uint64_t fill, some;

        if (to->head == RMAT_NO_CHUNK || p->fill[to->tail] == full) {
            rmat_list_extend(p, w, to, 0);
        }
        fill = p->fill[to->tail];
        some = n < full - fill ? n : full - fill;
        memcpy((KEY *)rmat_chunk(p, to->tail) + fill, keys, some * sizeof *keys);
        p->fill[to->tail] = (uint16_t)(fill + some);
        to->n += some;
        keys += some;
        n -= some;
    }
}

/* Copies the keys of a list to memory, and drops it. */
static void load_list(rmat_chunks *p, rmat_worker *w, const rmat_list *from, KEY *to)
{
    for (uint32_t c = from->head; c != RMAT_NO_CHUNK;) {
        const uint32_t next = p->next[c];

        rmat_chunk_expect(p, next);
        memcpy(to, rmat_chunk(p, c), p->fill[c] * sizeof *to);
        to += p->fill[c];
        rmat_chunk_drop(p, w, c);
        c = next;
    }
}

/* Merges sorted keys into a list that is sorted. */
static void insert_list(rmat_chunks *p, rmat_worker *w, rmat_list *list, const KEY *more,
                        uint64_t m)
{
    rmat_list merged = RMAT_NO_KEYS;
    uint64_t k = 0;

    for (uint32_t c = list->head; c != RMAT_NO_CHUNK;) {
        const uint32_t next = p->next[c];
        const KEY *keys = rmat_chunk(p, c);
        const uint64_t n = p->fill[c];
        uint64_t at = 0;

        rmat_chunk_expect(p, next);
        for (; k < m && more[k] < keys[n - 1]; k++) {
            const uint64_t place = at + below(keys + at, n - at, more[k]);

            append_keys(p, w, &merged, keys + at, place - at);
            append_keys(p, w, &merged, more + k, 1);
            at = place;
        }
        append_keys(p, w, &merged, keys + at, n - at);
        rmat_chunk_drop(p, w, c);
        c = next;
    }
    append_keys(p, w, &merged, more + k, m - k);
    *list = merged;
}

/* rmat_key_ops.insert */
static void insert(rmat_chunks *p, rmat_list *lists, int width, int bits, const void *sorted,
                   uint64_t m)
{
    const KEY *more = sorted;
    uint64_t n = 0;

    for (int d = 0; d < 1 << width; d++) {
        n += lists[d].n;
    }
#pragma omp parallel for schedule(dynamic) num_threads(rmat_chunks_team(p, n))
    for (int d = 0; d < 1 << width; d++) {
        const int shift = bits - width;
        const uint64_t k = d == 0 ? 0 : below(more, m, (rmat_key)d << shift);
        const uint64_t end = d + 1 == 1 << width ? m : below(more, m, (rmat_key)(d + 1) << shift);

        if (k < end) {
            insert_list(p, p->workers[omp_get_thread_num()], &lists[d], more + k, end - k);
        }
    }
    rmat_chunks_share(p);
}
