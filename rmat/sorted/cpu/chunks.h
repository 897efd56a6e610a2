/*
 * chunks.h - private to rmat/: keys in chunks of one size, which lists string together.
 *
 * An interval's keys are distributed over lists by their leading bits as they are gathered, and no
 * list has to know beforehand how long it becomes.  A list that is read gives its chunks back as
 * it goes, for the list that is written instead: so keys are moved without memory of the same size
 * beside them.
 */
#ifndef RMAT_SORTED_CPU_CHUNKS_H
#define RMAT_SORTED_CPU_CHUNKS_H

#include "rmat/model/generator.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RMAT_MOST_CHUNK = 8192, /* bytes */
    RMAT_LINE = 128,        /* bytes in which keys of a list are collected: two cache lines */
    RMAT_LEADING = 11,      /* bits that keys are distributed by, at most, */
    RMAT_AGAIN = 8          /* and once more */
};

#define RMAT_NO_CHUNK UINT32_MAX

/* Chunks by their numbers; n keys in all. */
typedef struct {
    uint64_t n;
    uint32_t head, tail;
} rmat_list;

#define RMAT_NO_KEYS ((rmat_list){0, RMAT_NO_CHUNK, RMAT_NO_CHUNK})

/* What a thread has for itself: lists that it is writing, each with a line of keys that are not in
 * its chunks yet, chunks that it has given back, and memory to sort in. */
typedef struct {
    _Alignas(64) unsigned char lines[1 << RMAT_LEADING][RMAT_LINE];
    rmat_list lists[1 << RMAT_LEADING];
    uint32_t free;
    void *side[2]; /* of rmat_chunks.cached bytes */
} rmat_worker;

typedef struct {
    unsigned char *memory;
    uint32_t total;
    int shift;          /* a chunk has 2^shift bytes */
    int leading, again; /* bits that lists are distributed by: at first, and once more */
    uint32_t *next;     /* of a chunk in its list */
    uint16_t *fill;     /* keys in it, once its list is complete */
    uint32_t *spare;
    _Atomic int64_t spares;
    size_t cached; /* bytes of keys that a thread sorts in its cache */
    int threads;
    rmat_worker **workers;
    const rmat_gen *gen;  /* whose call this is: it says whether to go on; or NULL */
    _Atomic bool stopped; /* it is to end: what lists have is of no use */
} rmat_chunks;

/* The bytes that so many bytes of keys take in lists; UINT64_MAX if that are more than there can
 * be. What threads have for themselves is included as far as it is more than one and a half
 * megabytes for each. */
uint64_t rmat_chunks_bytes(uint64_t keys);

/* Memory for so many bytes of keys, to be freed on failure as well.  Returns 0 or RMAT_ERR_NOMEM.
 * With little memory there may be fewer threads. */
int rmat_chunks_create(rmat_chunks *p, uint64_t keys, int threads);
void rmat_chunks_free(rmat_chunks *p);

/* No list has keys any more. */
void rmat_chunks_reset(rmat_chunks *p);

/* Makes what threads have given back available to all.  No thread may be at work. */
void rmat_chunks_share(rmat_chunks *p);

/* How many threads are worth a team for so many keys. */
static inline int rmat_chunks_team(const rmat_chunks *p, uint64_t keys)
{
    const uint64_t most = keys / RMAT_WORTH_THREAD + 1;

    return most < (uint64_t)p->threads ? (int)most : p->threads;
}

/* Whether the work is to end, asked by thread number `thread` of a team. */
static inline bool rmat_chunks_stop(rmat_chunks *p, int thread)
{
    if (thread == 0 && p->gen != NULL && rmat_stops(p->gen)) {
        atomic_store(&p->stopped, true);
    }
    return atomic_load_explicit(&p->stopped, memory_order_relaxed);
}

static inline void *rmat_chunk(const rmat_chunks *p, uint32_t chunk)
{
    return p->memory + ((size_t)chunk << p->shift);
}

/* Chunks that follow each other in a list are anywhere in memory, where no hardware expects them:
 * asks for the first cache lines of one. */
static inline void rmat_chunk_expect(const rmat_chunks *p, uint32_t chunk)
{
    for (int at = 0; chunk != RMAT_NO_CHUNK && at < 512; at += 64) {
        __builtin_prefetch((const char *)rmat_chunk(p, chunk) + at);
    }
}

/* There always is one: rmat_chunks_create() has seen to it. */
static inline uint32_t rmat_chunk_take(rmat_chunks *p, rmat_worker *w)
{
    const uint32_t own = w->free;

    if (own != RMAT_NO_CHUNK) {
        w->free = p->next[own];
        return own;
    }
    return p->spare[atomic_fetch_sub_explicit(&p->spares, 1, memory_order_relaxed) - 1];
}

static inline void rmat_chunk_drop(rmat_chunks *p, rmat_worker *w, uint32_t chunk)
{
    p->next[chunk] = w->free;
    w->free = chunk;
}

/* Appends a chunk of so many keys to the list.  If that is not known yet it is all there is room
 * for, and the last chunk gets its number when the list is complete. */
static inline void rmat_list_extend(rmat_chunks *p, rmat_worker *w, rmat_list *l, uint16_t fill)
{
    const uint32_t chunk = rmat_chunk_take(p, w);

    p->fill[chunk] = fill;
    p->next[chunk] = RMAT_NO_CHUNK;
    if (l->head == RMAT_NO_CHUNK) {
        l->head = chunk;
    } else {
        p->next[l->tail] = chunk;
    }
    l->tail = chunk;
}

/* Appends a list, which has no keys then. */
static inline void rmat_list_join(rmat_chunks *p, rmat_list *to, rmat_list *more)
{
    if (to->head == RMAT_NO_CHUNK) {
        *to = *more;
    } else if (more->head != RMAT_NO_CHUNK) {
        p->next[to->tail] = more->head;
        to->tail = more->tail;
        to->n += more->n;
    }
    *more = RMAT_NO_KEYS;
}

#endif
