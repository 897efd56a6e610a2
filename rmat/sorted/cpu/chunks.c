/*
 * chunks.c - the chunks of an interval: their memory, size and number.
 *
 * Lists have full chunks and partly filled ones.  Half of the partly filled chunks serve the
 * gathering of keys, when each thread has lists of its own in addition to the existing ones.  The
 * other half serve the sort.  Each thread then distributes a list once or twice more, and lists
 * with a large part of all keys become several lists.
 */
#include "rmat/model/generator.h"
#include "rmat/sorted/cpu/interval.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST_SHIFT = 9,          /* log2 of the fewest bytes of a chunk */
    CHUNKS = 4096,            /* a chunk has as many bytes as this number of full chunks allows */
    MORE_PART = 8,            /* partly filled chunks get this part of the keys, */
    MORE_BYTES = 24 << 10,    /* and at least these bytes more */
    AGAIN_LISTS = 12,         /* sets of lists for each thread while they are sorted */
    SIDES_PART = 32,          /* threads sort in this part of the keys, */
    LEAST_CACHED = 512 << 10, /* or at least in twice this, */
    MOST_CACHED = 4 << 20     /* and no more than fits the third-level cache with the list itself */
};

/* Of a chunk, beside its keys; the last two are its place in the order and the number of keys
 * before it (cpu/interval.h). */
enum { ENTRY = 3 * sizeof(uint32_t) + sizeof(uint16_t) + sizeof(uint64_t) };

static uint64_t bytes_of_chunks(uint64_t keys)
{
    return keys + keys / MORE_PART + MORE_BYTES;
}

uint64_t rmat_chunks_bytes(uint64_t keys)
{
    return keys < UINT64_MAX / 2 ? bytes_of_chunks(keys) + keys / SIDES_PART : UINT64_MAX;
}

/* The bytes of keys that a thread sorts in its cache; it has memory for twice as many. */
static size_t cached_bytes(uint64_t keys, int threads)
{
    const uint64_t share = keys / (2 * SIDES_PART) / (uint64_t)threads;
    uint64_t cached = MOST_CACHED;

#ifdef _SC_LEVEL3_CACHE_SIZE
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);

    cached = cache > 0 ? (uint64_t)cache / 4 / (uint64_t)threads : 0;
    cached = cached < MOST_CACHED ? cached : MOST_CACHED;
#endif
    cached = cached < share ? cached : share;
    cached = cached > LEAST_CACHED ? cached : LEAST_CACHED;
    cached = cached < keys ? cached : keys;
    return (size_t)(cached + 63) / 64 * 64;
}

/* Sets the numbers of threads and bits for which partly filled chunks suffice; `half` is either
 * half of these. */
static void set_lists(rmat_chunks *p, uint64_t half, bool again, int threads)
{
    const uint64_t most = again ? half / (2 * AGAIN_LISTS) : half / 2 - 1;

    p->threads = (uint64_t)threads < most ? threads : (int)most;
    while (p->leading < RMAT_LEADING && ((uint64_t)p->threads + 1) << (p->leading + 1) <= half) {
        p->leading++;
    }
    while (again && p->again < RMAT_AGAIN &&
           (uint64_t)p->threads * AGAIN_LISTS << (p->again + 1) <= half) {
        p->again++;
    }
}

static int create_workers(rmat_chunks *p)
{
    p->workers = calloc((size_t)p->threads, sizeof *p->workers);
    for (int t = 0; p->workers != NULL && t < p->threads; t++) {
        p->workers[t] = rmat_cpu_alloc(sizeof **p->workers + 2 * p->cached);
        if (p->workers[t] == NULL) {
            return RMAT_ERR_NOMEM;
        }
    }
    return p->workers != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

int rmat_chunks_create(rmat_chunks *p, uint64_t keys, int threads)
{
    uint64_t total;

    *p = (rmat_chunks){.shift = LEAST_SHIFT};
    while ((RMAT_MOST_CHUNK >> p->shift) > 1 && keys >> (p->shift + 1) >= CHUNKS) {
        p->shift++;
    }
    total = bytes_of_chunks(keys) / ((UINT64_C(1) << p->shift) + ENTRY);
    if (total >= RMAT_NO_CHUNK) {
        return RMAT_ERR_NOMEM;
    }
    p->total = (uint32_t)total;
    p->cached = cached_bytes(keys, threads);
    set_lists(p, (total - (keys >> p->shift) - 1) / 2, p->cached < keys, threads);
    p->memory = rmat_cpu_alloc((size_t)total << p->shift);
    p->next = malloc(total * sizeof *p->next);
    p->fill = malloc(total * sizeof *p->fill);
    p->spare = malloc(total * sizeof *p->spare);
    return create_workers(p) == RMAT_OK && p->memory != NULL && p->next != NULL &&
                   p->fill != NULL && p->spare != NULL
               ? RMAT_OK
               : RMAT_ERR_NOMEM;
}

void rmat_chunks_free(rmat_chunks *p)
{
    for (int t = 0; p->workers != NULL && t < p->threads; t++) {
        free(p->workers[t]);
    }
    free(p->workers);
    free(p->spare);
    free(p->fill);
    free(p->next);
    free(p->memory);
}

/* Chunks are taken in the order of their numbers at first, so that memory that is not needed is not
 * touched. */
void rmat_chunks_reset(rmat_chunks *p)
{
    const uint64_t words =
        ((uint64_t)p->threads * sizeof *p->workers[0]->lines << p->leading) / sizeof(uint64_t);

    for (uint32_t i = 0; i < p->total; i++) {
        p->spare[i] = p->total - 1 - i;
    }
    atomic_store(&p->spares, p->total);
    atomic_store(&p->stopped, false);
#pragma omp parallel for schedule(static, 1)                                                       \
    num_threads(p->threads) if (rmat_team(p->threads, words) > 1)
    for (int t = 0; t < p->threads; t++) { /* each has its own near */
        rmat_worker *w = p->workers[t];

        memset(w->lines, 0, sizeof *w->lines << p->leading);
        rmat_clear_lists(w->lists, p->leading);
        w->free = RMAT_NO_CHUNK;
        w->side[0] = w + 1;
        w->side[1] = (char *)(w + 1) + p->cached;
    }
}

void rmat_chunks_share(rmat_chunks *p)
{
    int64_t n = atomic_load(&p->spares);

    for (int t = 0; t < p->threads; t++) {
        rmat_worker *w = p->workers[t];

        for (; w->free != RMAT_NO_CHUNK; w->free = p->next[w->free]) {
            p->spare[n++] = w->free;
        }
    }
    atomic_store(&p->spares, n);
}
