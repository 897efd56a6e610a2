/*
 * Private to the GPU backend: blocks of sorted edges in device memory.
 *
 * A cell's code is its source above the bits of its destination; a key is what its code exceeds
 * that of the block's first cell by.  So keys of few rows, or of a part of one, have few bits to
 * sort by.  rmat/sorted/gpu/block.c begins with them; each .cu file has one kind of kernel.
 */
#ifndef RMAT_SORTED_GPU_BLOCK_H
#define RMAT_SORTED_GPU_BLOCK_H

#include "rmat/gpu/backend.h"
#include "rmat/rmat_block.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned __int128 rmat_code;

static inline rmat_code rmat_code_of(const rmat_cell *c, int cols_scale)
{
    return (rmat_code)c->src << cols_scale | c->dst;
}

/* Room for keys that a warp has taken and not yet used: so many before end. */
typedef struct {
    uint64_t end, left;
} gpu_block_chunk;

enum { GPU_BLOCK_WARPS = 1 << 14, GPU_BLOCK_MAX_CHUNK = 1 << 10 };

/* In device memory. */
typedef struct {
    unsigned long long taken; /* room, also what is beyond all that there is */
    unsigned long long holes; /* of it filled with keys that sort last */
    unsigned long long result;
} gpu_block_counters;

/* Where gathered keys go: the edges whose codes are low to low + last. */
typedef struct {
    rmat_code low, last;
    void *keys;
    uint64_t room; /* keys */
    gpu_block_counters *counters;
    gpu_block_chunk *chunks; /* of warps, each in the same place in all launches */
    uint32_t n_chunks;       /* 0: warps take what they need */
    uint32_t chunk;          /* keys that a warp takes at least */
    int cols_scale, key_bytes;
} gpu_block_gather;

/* Sorted keys.  single: all n are 0, and none is stored. */
typedef struct {
    rmat_code low;
    const void *keys;
    uint64_t n;
    int cols_scale, key_bytes, single;
} gpu_block_keys;

/* The block's state; the counters are its own stream's. */
typedef struct {
    int device, key_bytes;
    cudaStream_t stream;
    char *memory;
    void *keys[2]; /* gathered and sorted in the first, which change places */
    void *scratch; /* of sorting */
    size_t scratch_bytes;
    gpu_block_counters *counters;
    gpu_block_chunk *chunks;
    uint64_t room; /* keys in each place */
    uint32_t chunk;
    int bits;            /* of keys */
    int single;          /* edges are counted only */
    uint64_t counted;    /* of a single cell */
    uint64_t most;       /* that may have been gathered, as far as was not looked */
    uint64_t made, kept; /* of unique edges, where that was looked at */
    gpu_block_gather gather;
} gpu_block;

/* Edges [first, first + count) of the current GPU's generator to where keys go, started in a
 * stream; by the width of ids. */
int rmat_gpu_gather(const rmat_gen *gen, uint64_t first, uint64_t count, const gpu_block_gather *to,
                    cudaStream_t stream);
int rmat_gpu_gather_wide(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const gpu_block_gather *to, cudaStream_t stream);

/* Fills chunks' room with keys that sort last of so many bits, and empties them. */
int rmat_gpu_close_chunks(const gpu_block_gather *to, int bits, cudaStream_t stream);

/*
 * By the width of keys: what scratch memory sorting n of them takes; n keys sorted by so many bits,
 * to be found in keys[0] then; and unique, likewise, with *n set.  The last waits for the stream;
 * it leaves the count in *result, too.
 */
typedef struct {
    int (*scratch)(uint64_t n, size_t *bytes);
    int (*sort)(void *keys[2], uint64_t n, int bits, void *scratch, size_t scratch_bytes,
                cudaStream_t stream);
    int (*unique)(void *keys[2], uint64_t *n, void *scratch, size_t scratch_bytes,
                  unsigned long long *result, cudaStream_t stream);
} gpu_block_sorter;

const gpu_block_sorter *rmat_gpu_sorter8(void);
const gpu_block_sorter *rmat_gpu_sorter16(void);
const gpu_block_sorter *rmat_gpu_sorter(const rmat_gen *gen);

/* Kernels of a sorted block's keys. */
int rmat_gpu_lower(const gpu_block_keys *keys, unsigned long long *result, cudaStream_t stream);
int rmat_gpu_before(const gpu_block_keys *keys, uint64_t n, const rmat_cell *cells,
                    uint64_t *counts, cudaStream_t stream);
int rmat_gpu_pointers(const gpu_block_keys *keys, uint64_t first_row, uint64_t count, uint64_t sum,
                      uint64_t *pointers, cudaStream_t stream);
int rmat_gpu_read(const gpu_block_keys *keys, uint64_t first, uint64_t count, const rmat_arrays *to,
                  const rmat_weighing *how, cudaStream_t stream);

/* The keys of n cells; and the sorted keys with m other ones, sorted too, that follow them. */
int rmat_gpu_keys_of(const gpu_block_keys *like, uint64_t n, const rmat_new *list, void *keys,
                     cudaStream_t stream);
int rmat_gpu_merge(const gpu_block_keys *keys, uint64_t m, void *to, cudaStream_t stream);

/* counts[i] += how many of the edges [first, first + count) have a code from cells[i] on, before
 * the next one, for i < n; all of them between low and low + last.  Arrays in device memory. */
int rmat_gpu_count_between(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t n,
                           const rmat_code *cells, rmat_code low, rmat_code last, int cols_scale,
                           unsigned long long *counts, cudaStream_t stream);

/* Appends the edges from low to low + last that are not among the keys to a list with room for so
 * many; *found counts all.  Then: each of n once, with its least index, in the order of these;
 * *result is how many are left. */
int rmat_gpu_find_unseen(const rmat_gen *gen, uint64_t first, uint64_t count,
                         const gpu_block_keys *keys, rmat_code last, rmat_new *list, uint64_t room,
                         unsigned long long *found, cudaStream_t stream);
int rmat_gpu_unseen_scratch(uint64_t n, size_t *bytes);
int rmat_gpu_settle_unseen(rmat_new *list, uint64_t n, void *scratch, size_t scratch_bytes,
                           unsigned long long *result, cudaStream_t stream);

gpu_block_keys rmat_gpu_block_keys(const rmat_block *b);
rmat_weighing rmat_gpu_weighing(const rmat_block *b);

/* Of rmat_block_ops, by files: rmat/sorted/gpu/fill.c, rmat/sorted/gpu/host.c,
 * rmat/sorted/gpu/unseen.c, rmat/sorted/gpu/count.c. */
int rmat_gpu_block_add(rmat_block *b, uint64_t first, uint64_t count);
int rmat_gpu_block_middle(rmat_block *b, rmat_cell *middle);
int rmat_gpu_block_sort(rmat_block *b);

int rmat_gpu_block_lower(const rmat_block *b, uint64_t *edges);
int rmat_gpu_block_before(const rmat_block *b, uint64_t n, const rmat_cell *cells,
                          uint64_t *counts);
int rmat_gpu_block_pointers(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t sum,
                            uint64_t *pointers);
int rmat_gpu_block_read(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to);

int rmat_gpu_block_unseen(const rmat_block *b, uint64_t first, uint64_t count, uint64_t most,
                          rmat_new **list, uint64_t *n);
int rmat_gpu_block_insert(rmat_block *b, uint64_t n, const rmat_new *list);

int rmat_gpu_count_cells(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t n,
                         const rmat_cell *cells, uint64_t *counts);

#ifdef __cplusplus
}
#endif

#endif
