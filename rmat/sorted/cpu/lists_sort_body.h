/*
 * lists_sort_body.h - radix sort of keys of one type, KEY, in lists of chunks.
 *
 * The lists have been made by the leading bits of keys.  Each belongs to one thread.  One that fits
 * the cache is copied there, sorted from the least significant digit (sort_body.h), and written
 * back without its copies, if edges are to be unique, into chunks that were just read.  A longer
 * one is distributed once more; what is too long even then is sorted chunk by chunk from its least
 * significant digit.  The lists of an R-MAT graph are of very unequal length: all threads together
 * distribute those that are a large part of the whole.
 *
 * Lists are distributed by bits of cells, not of weights below them, so that the copies of an edge
 * are in one list.
 */

enum {
    HEAVY = 4, /* a list of more than this part of a thread's share is for all threads */
    IN_CACHE = 1 << 20
};

/* What all threads have in common. */
typedef struct {
    rmat_chunks *p;
    int weight_bits;
    bool unique;
} lists_sorting;

/* Sorts a list from the least significant digit. */
static void sort_long(rmat_chunks *p, rmat_worker *w, rmat_list *list, int bits)
{
    rmat_list lists[1 << RMAT_AGAIN];

    for (int shift = 0; shift < bits; shift += p->again) {
        const int width = bits - shift < p->again ? bits - shift : p->again;

        distribute_list(p, w, list, shift, width, lists);
        *list = RMAT_NO_KEYS;
        for (int d = 0; d < 1 << width; d++) {
            rmat_list_join(p, list, &lists[d]);
        }
    }
}

/* Appends sorted keys; of each cell only the first one, if edges are to be unique, which changes
 * `keys`.  *last is the last one that came before. */
static void emit(const lists_sorting *s, rmat_worker *w, rmat_list *to, KEY *last, KEY *keys,
                 uint64_t n)
{
    if (s->unique && n) {
        const int bits = s->weight_bits;
        KEY before = to->n ? *last : ~keys[0];
        uint64_t kept = 0;

        for (uint64_t i = 0; i < n; i++) { /* written in any case: without a branch */
            const KEY key = keys[i];

            keys[kept] = key;
            kept += key >> bits != before >> bits;
            before = key;
        }
        *last = before;
        n = kept;
    }
    append_keys(s->p, w, to, keys, n);
}

/* Appends the keys of a sorted list, and drops it. */
static void emit_list(const lists_sorting *s, rmat_worker *w, rmat_list *to, KEY *last,
                      const rmat_list *from)
{
    for (uint32_t c = from->head; c != RMAT_NO_CHUNK;) {
        const uint32_t next = s->p->next[c];

        emit(s, w, to, last, rmat_chunk(s->p, c), s->p->fill[c]);
        rmat_chunk_drop(s->p, w, c);
        c = next;
    }
}

/* Appends the keys of a list in order. */
static void sort_list(const lists_sorting *s, rmat_worker *w, rmat_list *list, int bits,
                      bool distributed, rmat_list *to, KEY *last)
{
    rmat_chunks *p = s->p;
    const int cell_bits = bits - s->weight_bits;

    if (list->n * sizeof(KEY) <= p->cached) {
        KEY *const side[2] = {w->side[0], w->side[1]};

        load_list(p, w, list, side[0]);
        emit(s, w, to, last, side[sort_cached(side, 0, list->n, bits)], list->n);
    } else if (distributed || cell_bits == 0) {
        sort_long(p, w, list, bits);
        emit_list(s, w, to, last, list);
    } else {
        const int width = cell_bits < p->again ? cell_bits : p->again;
        rmat_list lists[1 << RMAT_AGAIN];

        distribute_list(p, w, list, bits - width, width, lists);
        for (int d = 0; d < 1 << width && !rmat_chunks_stop(p, omp_get_thread_num()); d++) {
            sort_list(s, w, &lists[d], bits - width, true, to, last);
        }
    }
}

/* Sorts those of so many lists that have at most `much` keys, each by one thread. */
static void sort_each(const lists_sorting *s, rmat_list *lists, int count, int bits,
                      bool distributed, uint64_t much)
{
    uint64_t n = 0;

    for (int d = 0; d < count; d++) {
        n += lists[d].n <= much ? lists[d].n : 0;
    }
#pragma omp parallel for schedule(dynamic) num_threads(rmat_chunks_team(s->p, n))
    for (int d = 0; d < count; d++) {
        rmat_list sorted = RMAT_NO_KEYS;
        KEY last = 0;

        if (lists[d].n <= much && !rmat_chunks_stop(s->p, omp_get_thread_num())) {
            sort_list(s, s->p->workers[omp_get_thread_num()], &lists[d], bits, distributed, &sorted,
                      &last);
            lists[d] = sorted;
        }
    }
    rmat_chunks_share(s->p);
}

/* Sorts a list that is a large part of all keys: all threads distribute it. */
static void sort_heavy(const lists_sorting *s, rmat_list *list, int bits, uint64_t much)
{
    rmat_chunks *p = s->p;
    const int cell_bits = bits - s->weight_bits;
    const int width = cell_bits < p->again ? cell_bits : p->again;
    rmat_list lists[1 << RMAT_AGAIN];

    distribute_list(p, NULL, list, bits - width, width, lists);
    sort_each(s, lists, 1 << width, bits - width, true, much);
    *list = RMAT_NO_KEYS;
    for (int d = 0; d < 1 << width; d++) {
        if (lists[d].n > much) {
            sort_long(p, NULL, &lists[d], bits - width);
            sort_each(s, &lists[d], 1, 0, true, UINT64_MAX);
        }
        rmat_list_join(p, list, &lists[d]);
    }
}

/* rmat_key_ops.sort_lists */
static void sort_lists(rmat_chunks *p, rmat_list *lists, int width, int bits, int weight_bits,
                       bool unique)
{
    const lists_sorting s = {p, weight_bits, unique};
    uint64_t n = 0, much;

    for (int d = 0; d < 1 << width; d++) {
        n += lists[d].n;
    }
    much = n / HEAVY / (uint64_t)p->threads;
    much = much * sizeof(KEY) > p->cached ? much : p->cached / sizeof(KEY);
    sort_each(&s, lists, 1 << width, bits - width, false, much);
    for (int d = 0; d < 1 << width && !rmat_chunks_stop(p, 0); d++) {
        if (lists[d].n > much) {
            sort_heavy(&s, &lists[d], bits - width, much);
        }
    }
}

/* Copies sorted lists to memory. */
static void copy_lists(const rmat_chunks *p, const rmat_list *lists, int width, KEY *to)
{
    for (int d = 0; d < 1 << width; d++) {
        for (uint32_t c = lists[d].head; c != RMAT_NO_CHUNK; c = p->next[c]) {
            memcpy(to, rmat_chunk(p, c), p->fill[c] * sizeof *to);
            to += p->fill[c];
        }
    }
}

/* Sorts n keys by way of lists, and frees p, which is all zero at first. */
static int sort_many(rmat_chunks *p, KEY *keys, uint64_t n, int bits, int threads)
{
    int st = rmat_chunks_create(p, n * sizeof *keys, threads);
    const int width = bits < p->leading ? bits : p->leading;
    rmat_list *lists = malloc(sizeof *lists << width);

    if (lists == NULL || st != RMAT_OK) {
        st = RMAT_ERR_NOMEM;
    } else {
        rmat_chunks_reset(p);
        clear_lists(lists, width);
#pragma omp parallel for schedule(static, 1) num_threads(p->threads)
        for (int t = 0; t < p->threads; t++) {
            const uint64_t team = (uint64_t)p->threads, first = n / team * (uint64_t)t;
            const uint64_t end = t + 1 == p->threads ? n : n / team * ((uint64_t)t + 1);

            spread(p, p->workers[t], keys + first, end - first, bits - width, width);
        }
        collect(p, width, lists);
        sort_lists(p, lists, width, bits, 0, false);
        copy_lists(p, lists, width, keys);
    }
    free(lists);
    rmat_chunks_free(p);
    return st;
}

/* rmat_key_ops.sort */
static int sort(void *keys, uint64_t n, int bits, int threads)
{
    KEY *side[2] = {keys, NULL};
    rmat_chunks chunks = {0};

    if (n * sizeof(KEY) > IN_CACHE) {
        return sort_many(&chunks, keys, n, bits, threads);
    }
    side[1] = malloc(n * sizeof(KEY) + 1);
    if (side[1] == NULL) {
        return RMAT_ERR_NOMEM;
    }
    if (sort_cached(side, 0, n, bits) == 1) {
        memcpy(keys, side[1], n * sizeof(KEY));
    }
    free(side[1]);
    return RMAT_OK;
}
