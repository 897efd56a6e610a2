/*
 * interval.h - private to rmat/: sorted intervals in GPU memory.
 *
 * A cell's code is its source, followed by the bits of its destination: 64 bits, for graphs of up
 * to 2^32 rows and columns.  An edge's key is the difference between its code and that of the
 * interval's first cell.  So the leading bits that all codes of an interval share need no sorting.
 */
#ifndef RMAT_SORTED_GPU_INTERVAL_H
#define RMAT_SORTED_GPU_INTERVAL_H

#include "rmat/gpu/backend.h"
#include "rmat/rmat_interval.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for keys that a warp has taken and not used yet: the last `left` places before end. */
typedef struct {
    uint64_t end, left;
} gpu_interval_chunk;

enum { GPU_INTERVAL_WARPS = 1 << 14, GPU_INTERVAL_MAX_CHUNK = 1 << 10 };

/* Counters in device memory. */
typedef struct {
    unsigned long long taken;  /* places taken for keys, including those beyond the room */
    unsigned long long holes;  /* the number of them that were filled with keys that sort last */
    unsigned long long result; /* of the kernel at work */
} gpu_interval_counters;

/* Which edges are gathered, those with codes from low to low + last, and where their keys go. */
typedef struct {
    uint64_t low, last;
    uint64_t *keys;
    uint64_t room; /* keys */
    gpu_interval_counters *counters;
    gpu_interval_chunk *chunks; /* one for each warp, at the same place in all launches */
    uint32_t n_chunks;          /* 0: warps take exactly what they need */
    uint32_t chunk;             /* the fewest places that a warp takes at a time */
    int cols_scale;
} gpu_interval_gather;

/* The sorted keys of an interval in device memory. single: the interval is counted; all n keys are
 * 0, and none is stored. */
typedef struct {
    uint64_t low, last;
    const uint64_t *keys;
    uint64_t n;
    int cols_scale, single;
} gpu_interval_keys;

/* The struct that rmat_interval.state points to.  Its work runs in its own stream, which owns the
 * counters. gather.room is the capacity of each array of keys. */
typedef struct {
    cudaStream_t stream;
    uint64_t *keys[2]; /* keys are gathered in the first; sorting may swap the two; in a trimmed
                          interval the second is NULL */
    char *memory;      /* for the rest */
    void *scratch;     /* for sorting */
    size_t scratch_bytes;
    int bits;         /* of a key */
    uint64_t settled; /* keys that are sorted already, each once if they are unique */
    gpu_interval_gather gather;
} gpu_interval;

/* gather.cu: starts gathering from edges [first, first + count) in a stream; the generator's GPU is
 * the current one. */
int rmat_gpu_gather(const rmat_gen *gen, uint64_t first, uint64_t count,
                    const gpu_interval_gather *to, cudaStream_t stream);

/* gather.cu: fills the unused places of all chunks with the largest key of `bits` bits, and empties
 * the chunks. */
int rmat_gpu_close_chunks(const gpu_interval_gather *to, int bits, cudaStream_t stream);

/*
 * keys.cu.  rmat_gpu_sort_scratch() sets *bytes to the scratch memory that n keys take.
 * rmat_gpu_sort() sorts n keys of `bits` bits, which are in keys[0] before and after.
 * rmat_gpu_unique() keeps each of *n sorted keys once, in keys[0] afterwards, and sets *n to their
 * number; it uses *result, and waits for the stream.
 */
int rmat_gpu_sort_scratch(uint64_t n, size_t *bytes);
int rmat_gpu_sort(uint64_t *keys[2], uint64_t n, int bits, void *scratch, size_t scratch_bytes,
                  cudaStream_t stream);
int rmat_gpu_unique(uint64_t *keys[2], uint64_t *n, void *scratch, size_t scratch_bytes,
                    unsigned long long *result, cudaStream_t stream);

/* Kernels that read sorted keys, started in a stream; arrays in device memory (keys.cu). */
int rmat_gpu_lower(const gpu_interval_keys *keys, unsigned long long *result, cudaStream_t stream);
int rmat_gpu_pointers(const gpu_interval_keys *keys, uint64_t first_row, uint64_t count,
                      uint64_t sum, uint64_t *pointers, cudaStream_t stream);
int rmat_gpu_has(const gpu_interval_keys *keys, uint64_t n, const uint64_t *wanted, bool *found,
                 cudaStream_t stream);
int rmat_gpu_read(const gpu_interval_keys *keys, uint64_t first, uint64_t count,
                  const rmat_arrays *to, const rmat_weighing *how, cudaStream_t stream);

/* gather.cu: adds to counts[i], for i < n, the number of edges [first, first + count) with a code
 * of at least codes[i] and below codes[i + 1].  The last part ends with code low + last.  The
 * arrays are in device memory. */
int rmat_gpu_count_between(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t n,
                           const uint64_t *codes, uint64_t low, uint64_t last, int cols_scale,
                           unsigned long long *counts, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
