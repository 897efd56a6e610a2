/*
 * interval.h - private to rmat/: a sorted interval in host memory: keys in chunks, the operations
 * on keys of either width, and the struct that rmat_interval.state points to.
 */
#ifndef RMAT_SORTED_CPU_INTERVAL_H
#define RMAT_SORTED_CPU_INTERVAL_H

#include "rmat/sorted/interval.h"

#include <omp.h>
#include <stdatomic.h>
#include <stdbool.h>

/*
 * Keys in linked lists of chunks of one size.
 *
 * While an interval's keys are gathered, they are distributed over lists by their leading bits.  No
 * list needs to know its length in advance.  A list that is read frees its chunks one by one for
 * the list that is written.  So keys move without additional memory of the same size.
 */
enum {
    RMAT_MOST_CHUNK = 8192, /* bytes */
    RMAT_LINE = 128,        /* bytes that collect keys of a list: two cache lines */
    RMAT_LEADING = 11,      /* the most bits by which keys are distributed, */
    RMAT_AGAIN = 8          /* and once more */
};

#define RMAT_NO_CHUNK UINT32_MAX

/* The first and last chunk, by number, of a list of n keys. */
typedef struct {
    uint64_t n;
    uint32_t head, tail;
} rmat_list;

#define RMAT_NO_KEYS ((rmat_list){0, RMAT_NO_CHUNK, RMAT_NO_CHUNK})

static inline void rmat_clear_lists(rmat_list *lists, int width)
{
    for (int d = 0; d < 1 << width; d++) {
        lists[d] = RMAT_NO_KEYS;
    }
}

/* A thread's own data: the lists that it writes, each with a line of keys that are not in chunks
 * yet, and its freed chunks.  Memory to sort in follows: twice rmat_cpu_interval.cached bytes. */
typedef struct {
    _Alignas(64) unsigned char lines[1 << RMAT_LEADING][RMAT_LINE];
    rmat_list lists[1 << RMAT_LEADING];
    uint32_t free;
} rmat_worker;

/* The number of threads, at most `threads`, that a team for `items` keys or edges is worth. */
static inline int rmat_team(int threads, uint64_t items)
{
    const uint64_t most = items / RMAT_WORTH_THREAD + 1;

    return most < (uint64_t)threads ? (int)most : threads;
}

/*
 * The edges of an interval as keys.
 *
 * The key of an edge is the number of cells between the interval's first cell and the edge's, with
 * rows padded to 2^cols_scale cells.  So keys have the order of the edges, and only as many bits as
 * the interval requires.  The weights of an edge source are up to 32 additional low bits, so copies
 * of an edge are in order of their weights.  A key takes 8 bytes if they suffice, else 16.  Code
 * for both sizes is written once (keys.c) and compiled twice.
 */
typedef unsigned __int128 rmat_key;

/* An interval as a range of keys, from 0 to last. */
typedef struct {
    rmat_cell first;
    uint64_t rows; /* the last row minus the first one; 0 if they are the same */
    rmat_key last;
    int dst_bits;         /* bits of a destination: cols_scale */
    int bits;             /* bits of the last key, those of weights included */
    bool all;             /* the interval is the whole graph */
    bool no_loops;        /* loops do not belong to it */
    rmat_weights weights; /* below the cell, in the last weight_bits bits; or RMAT_NO_WEIGHTS */
    int weight_bits;
    uint32_t least; /* rmat_weight_order() of the least weight, which is 0 in a key */
} rmat_key_range;

/* interval.c: the range of the cells from *first on and before *end, which differ; without weights.
 */
rmat_key_range rmat_key_range_of(const rmat_gen *gen, const rmat_cell *first, const rmat_cell *end);

/* The key of a cell of the graph that is not before the interval's first one. */
static inline rmat_key rmat_key_of(const rmat_key_range *in, uint64_t src, uint64_t dst)
{
    return ((rmat_key)(src - in->first.src) << in->dst_bits) + dst - in->first.dst;
}

/* The bits of a key below those of its cell. */
static inline int rmat_weight_bits(const rmat_key_range *in)
{
    return in->weights != RMAT_NO_WEIGHTS ? in->weight_bits : 0;
}

/* Convert the bits of a weight to a number with the order of the weights, and back.  Negative
 * floats have the sign bit, and decrease when the other bits increase. */
static inline uint32_t rmat_weight_order(rmat_weights kind, uint32_t bits)
{
    const uint32_t sign = (uint32_t)1 << 31;

    return kind == RMAT_WEIGHTS_UNIFORM && bits & sign ? ~bits : bits ^ sign;
}

static inline uint32_t rmat_weight_of_order(rmat_weights kind, uint32_t order)
{
    const uint32_t sign = (uint32_t)1 << 31;

    return kind == RMAT_WEIGHTS_UNIFORM && !(order & sign) ? ~order : order ^ sign;
}

typedef struct rmat_cpu_interval rmat_cpu_interval;

/* Operations on keys of one size. */
typedef struct {
    size_t bytes;
    /* Writes the keys of the edges in the interval, and returns their number. weight has elements
     * of 4 bytes, if the keys have weights. */
    uint64_t (*keep)(const rmat_key_range *in, uint64_t count, const void *src, const void *dst,
                     const void *weight, int id_bytes, void *keys);
    /* Appends n keys to the worker's lists. */
    void (*spread)(rmat_cpu_interval *s, rmat_worker *w, const void *keys, uint64_t n);
    /* Adds the keys of all workers' lists to those of the interval, and sorts them.  It may end
     * early, with s->stopped set. */
    void (*sort)(rmat_cpu_interval *s);
    /* Inserts n cells, which are in order, into the sorted lists. */
    void (*insert)(rmat_cpu_interval *s, uint64_t n, const rmat_first_seen *cells);
    /* The number of sorted keys below this key. */
    uint64_t (*below)(const void *sorted, uint64_t n, rmat_key key);
    /* Writes sources, destinations, and the weights of keys that have weights; each may be NULL. */
    void (*edges)(const rmat_key_range *in, const void *keys, uint64_t n, void *src, void *dst,
                  void *weight, int id_bytes);
} rmat_key_ops;

extern const rmat_key_ops rmat_keys64, rmat_keys128;

/* The operations for the keys of a range: of 8 bytes if they suffice. */
static inline const rmat_key_ops *rmat_key_ops_of(const rmat_key_range *in)
{
    return (in->last + in->first.dst) >> (64 - rmat_weight_bits(in)) ? &rmat_keys128 : &rmat_keys64;
}

/* Keys that are gathered and sorted.  They belong to a sorted interval in host memory
 * (rmat_interval.state), or to a part of the stream that is searched for unseen edges. */
struct rmat_cpu_interval {
    const rmat_gen *gen;
    uint64_t capacity; /* keys */

    unsigned char *memory; /* `total` chunks of 2^shift bytes each */
    uint32_t total;
    int shift;
    uint32_t *next; /* the next chunk in the list */
    uint16_t *fill; /* keys in the chunk, once its list is complete */
    uint32_t *spare;
    _Atomic int64_t spares;

    int threads;
    rmat_worker **workers;
    size_t cached;      /* bytes of keys that a thread sorts in its cache */
    int leading, again; /* bits by which lists are distributed: at first, and again */

    rmat_key_range in; /* the interval */
    const rmat_key_ops *ops;
    bool unique;                        /* only the first key of each cell is kept */
    rmat_list lists[1 << RMAT_LEADING]; /* of keys, 2^width, by their first `width` bits */
    int width;
    uint64_t n;           /* keys so far */
    _Atomic bool stopped; /* the call must end; the contents of lists are useless */

    /* For unique edges in few cells: a bit for each key that is present.  Copies are dropped
     * immediately, and do not fill the room again and again.  Else NULL. */
    _Atomic uint64_t *seen;
    bool marks; /* keys that are gathered set their bits */

    /* The chunks of all lists in order, and the numbers of keys before each and before the end. */
    uint32_t *order;
    uint64_t *before;
    uint32_t chunks_used;
};

enum { RMAT_SEEN_BITS = 22 }; /* the most bits of keys: the bit map stays in the cache */

static inline void *rmat_chunk(const rmat_cpu_interval *s, uint32_t chunk)
{
    return s->memory + ((size_t)chunk << s->shift);
}

/* Prefetches the first cache lines of a chunk.  The chunks of a list lie anywhere in memory, so the
 * hardware does not prefetch them. */
static inline void rmat_chunk_expect(const rmat_cpu_interval *s, uint32_t chunk)
{
    for (int at = 0; chunk != RMAT_NO_CHUNK && at < 512; at += 64) {
        __builtin_prefetch((const char *)rmat_chunk(s, chunk) + at);
    }
}

/* interval.c: makes the chunks that threads have freed available to all.  No thread may be at work.
 */
void rmat_chunks_share(rmat_cpu_interval *s);

/* interval.c: allocates memory for `keys` keys of key_bytes bytes; *s is all zeros before.  With
 * little memory there may be fewer threads.  Destroy it on failure, too. */
int rmat_cpu_keys_create(rmat_cpu_interval *s, const rmat_gen *gen, uint64_t keys, int key_bytes);
void rmat_cpu_keys_destroy(rmat_cpu_interval *s);

/* interval.c: removes all keys, and sets the range of new ones. */
void rmat_cpu_keys_begin(rmat_cpu_interval *s, const rmat_key_range *in, bool unique);

/* gather.c: gathers the edges of the range among edges [first, first + count) of the stream.
 * by_index: the weight of an edge is its number, from `first` on.  RMAT_ERR_FULL: they do not fit,
 * and some are lost. */
int rmat_cpu_gather(rmat_cpu_interval *s, uint64_t first, uint64_t count, bool by_index);

/* interval.c: sorts the gathered keys, and keeps each cell once if they are unique. */
int rmat_cpu_sort(rmat_cpu_interval *s);

/* interval.c: writes the cells and weights of all sorted keys, as indices. */
void rmat_cpu_first_seen(const rmat_cpu_interval *s, rmat_first_seen *to);

/* gather.c: of rmat_interval_ops. */
int rmat_cpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts);

#endif
