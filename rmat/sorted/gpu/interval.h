/*
 * interval.h - private to rmat/: sorted intervals in GPU memory, what their files share.
 *
 * A cell's code is its source above the bits of its destination; an edge's key is the difference
 * between its code and that of the interval's first cell.  So keys of an interval of few rows, or
 * of part of a row, have few bits to sort by.  The .c files hold the host's part (interval.c is the
 * first to read), and each .cu file has one kind of kernel.
 */
#ifndef RMAT_SORTED_GPU_INTERVAL_H
#define RMAT_SORTED_GPU_INTERVAL_H

#include "rmat/gpu/backend.h"
#include "rmat/rmat_interval.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned __int128 rmat_code;

static inline rmat_code rmat_code_of(const rmat_cell *c, int cols_scale)
{
    return (rmat_code)c->src << cols_scale | c->dst;
}

/* Room for keys that a warp has taken and not used yet: the last `left` places before end. */
typedef struct {
    uint64_t end, left;
} gpu_interval_chunk;

enum { GPU_INTERVAL_WARPS = 1 << 14, GPU_INTERVAL_MAX_CHUNK = 1 << 10 };

/* Counters in device memory. */
typedef struct {
    unsigned long long taken;  /* places taken for keys, including those beyond the room */
    unsigned long long holes;  /* how many of them were filled with keys that sort last */
    unsigned long long result; /* of the kernel at work */
} gpu_interval_counters;

/* Which edges are gathered, those with codes from low to low + last, and where their keys go. */
typedef struct {
    rmat_code low, last;
    void *keys;
    uint64_t room; /* keys */
    gpu_interval_counters *counters;
    gpu_interval_chunk *chunks; /* one for each warp, at the same place in all launches */
    uint32_t n_chunks;          /* 0: warps take exactly what they need */
    uint32_t chunk;             /* places that a warp takes at once, at least */
    int cols_scale, key_bytes;
    int sieved; /* 1: edges are left out by the bits that their sources begin with, unless these
                   are, at the top of a word, from sieve_low to sieve_low + sieve_last */
    uint32_t sieve_low, sieve_last;
} gpu_interval_gather;

/* Sorted keys in device memory.  single: the interval is one cell, so that all n keys are 0 and
 * none is stored. */
typedef struct {
    rmat_code low;
    const void *keys;
    uint64_t n;
    int cols_scale, key_bytes, single;
} gpu_interval_keys;

/* The state behind rmat_interval.state.  Its work runs in a stream of its own, which owns the
 * counters. */
typedef struct {
    int device, key_bytes;
    cudaStream_t stream;
    void *keys[2]; /* keys are gathered in the first; sorting may swap the two; of a trimmed
                      interval the second is NULL */
    char *memory;  /* for the rest */
    void *scratch; /* for sorting */
    size_t scratch_bytes;
    gpu_interval_counters *counters;
    gpu_interval_chunk *chunks;
    uint64_t room; /* keys that each of keys[2] holds */
    uint32_t chunk;
    int bits;            /* of a key */
    int single;          /* 1: the interval is one cell, whose edges are only counted */
    uint64_t counted;    /* edges of a single cell */
    uint64_t most;       /* an upper bound of the places taken, without reading the counter */
    uint64_t settled;    /* keys that are sorted already, each once if they are unique */
    uint64_t made, kept; /* edges made and gathered, in slices after which the counter was read */
    gpu_interval_gather gather;
} gpu_interval;

/* Starts gathering from edges [first, first + count) in a stream; the generator's GPU is the
 * current one.  The first is for scales up to 32, the second for all. */
int rmat_gpu_gather(const rmat_gen *gen, uint64_t first, uint64_t count,
                    const gpu_interval_gather *to, cudaStream_t stream);
int rmat_gpu_gather_wide(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const gpu_interval_gather *to, cudaStream_t stream);

/* Fills the unused places of all chunks with the largest key of so many bits, and empties the
 * chunks. */
int rmat_gpu_close_chunks(const gpu_interval_gather *to, int bits, cudaStream_t stream);

/*
 * Sorting, for keys of one width.  scratch: sets *bytes to the scratch memory that sorting n keys
 * takes.  sort: sorts n keys of so many bits; they are in keys[0] afterwards, and it may wait for
 * the stream.  unique: keeps each of *n sorted keys once, in keys[0] afterwards, and sets *n to
 * their number; it leaves that in *result as well, and waits for the stream.
 */
typedef struct {
    int (*scratch)(uint64_t n, size_t *bytes);
    int (*sort)(void *keys[2], uint64_t n, int bits, void *scratch, size_t scratch_bytes,
                cudaStream_t stream);
    int (*unique)(void *keys[2], uint64_t *n, void *scratch, size_t scratch_bytes,
                  unsigned long long *result, cudaStream_t stream);
} gpu_interval_sorter;

const gpu_interval_sorter *rmat_gpu_sorter8(void);
const gpu_interval_sorter *rmat_gpu_sorter16(void);
const gpu_interval_sorter *rmat_gpu_sorter(const rmat_gen *gen);

/* Kernels that read sorted keys, started in a stream; arrays in device memory (read.cu). */
int rmat_gpu_lower(const gpu_interval_keys *keys, unsigned long long *result, cudaStream_t stream);
int rmat_gpu_before(const gpu_interval_keys *keys, uint64_t n, const rmat_cell *cells,
                    uint64_t *counts, cudaStream_t stream);
int rmat_gpu_pointers(const gpu_interval_keys *keys, uint64_t first_row, uint64_t count,
                      uint64_t sum, uint64_t *pointers, cudaStream_t stream);
int rmat_gpu_read(const gpu_interval_keys *keys, uint64_t first, uint64_t count,
                  const rmat_arrays *to, const rmat_weighing *how, cudaStream_t stream);

/* read.cu: the keys of n cells; and the sorted keys merged with m others, sorted as well, that
 * follow them in memory. */
int rmat_gpu_keys_of(const gpu_interval_keys *like, uint64_t n, const rmat_first_seen *list,
                     void *keys, cudaStream_t stream);
int rmat_gpu_merge(const gpu_interval_keys *keys, uint64_t m, void *to, cudaStream_t stream);

/* search.cu: adds to counts[i], for i < n, how many of the edges [first, first + count) have a code
 * of at least cells[i] and below cells[i + 1]; the last one ends at low + last.  Arrays in device
 * memory. */
int rmat_gpu_count_between(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t n,
                           const rmat_code *cells, rmat_code low, rmat_code last, int cols_scale,
                           unsigned long long *counts, cudaStream_t stream);

/* search.cu: rmat_gpu_find_unseen() appends the edges with codes from keys->low to keys->low +
 * last that are not among the keys to a list with room for so many; *found counts all of them.
 * rmat_gpu_settle_unseen() leaves each of n listed edges once, with its least index, ordered by
 * index, and sets *result to how many are left; rmat_gpu_unseen_scratch() says what scratch memory
 * that takes. */
int rmat_gpu_find_unseen(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const gpu_interval_keys *keys, rmat_code last, rmat_first_seen *list,
                         uint64_t room, unsigned long long *found, cudaStream_t stream);
int rmat_gpu_unseen_scratch(uint64_t n, size_t *bytes);
int rmat_gpu_settle_unseen(rmat_first_seen *list, uint64_t n, void *scratch, size_t scratch_bytes,
                           unsigned long long *result, cudaStream_t stream);

/* The keys of a sorted interval. */
gpu_interval_keys rmat_gpu_interval_keys(const rmat_interval *b);

/* fill.c: sets the last three members from low and last.  For tests: edges are sieved if a share
 * of them passes that is at most this one, by default RMAT_GPU_SIEVED_SHARE. */
#define RMAT_GPU_SIEVED_SHARE 0.5
void rmat_gpu_sieve(const rmat_gen *gen, gpu_interval_gather *to);
void rmat_gpu_set_sieve(double share);

/* Functions of rmat_interval_ops: fill.c and unseen.c. */
int rmat_gpu_interval_add(rmat_interval *b, uint64_t first, uint64_t count);
int rmat_gpu_interval_middle(rmat_interval *b, rmat_cell *middle);
int rmat_gpu_interval_sort(rmat_interval *b);
int rmat_gpu_interval_unseen(const rmat_interval *b, uint64_t first, uint64_t count, uint64_t most,
                             rmat_first_seen **list, uint64_t *n);
int rmat_gpu_interval_insert(rmat_interval *b, uint64_t n, const rmat_first_seen *list);

int rmat_gpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts);

#ifdef __cplusplus
}
#endif

#ifdef __CUDACC__
/* How many of the sorted keys are below this one, if between `from` and `to` are. */
template <typename K>
static __device__ __forceinline__ uint64_t rmat_below(const K *keys, uint64_t from, uint64_t to,
                                                      K key)
{
    while (from < to) {
        const uint64_t middle = from + (to - from) / 2;

        if (keys[middle] < key) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}
#endif

#endif
