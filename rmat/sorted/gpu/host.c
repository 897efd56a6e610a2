/*
 * Reads a sorted interval in GPU memory into host memory, part by part: one is made while the one
 * before is copied back.
 */
#include "alias/gpu/device.h"
#include "rmat/sorted/gpu/interval.h"
#include "rmat/sorted/interval.h"
#include "rmat/try.h"

#define CHUNK ((uint64_t)1 << 21) /* elements of a part */

/* A call of one of the functions below; which fields it uses depends on the function.  Two parts
 * are in flight, in streams of the call's own, since several threads may read a sorted interval. */
typedef struct {
    const rmat_interval *b;
    gpu_interval_keys keys;
    rmat_weighing how;
    const rmat_arrays *to;
    const rmat_cell *cells;
    uint64_t *counts;
    uint64_t first, sum, chunk;
} request;

/* Starts making elements [at, at + n) in `memory`, which holds a part, and copying them to the
 * host. */
typedef int part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream);

static int run(const request *r, uint64_t count, part *start, char *const memory[2],
               const cudaStream_t stream[2])
{
    int st = RMAT_OK, slot = 0;

    for (uint64_t at = 0; at < count; at += r->chunk, slot ^= 1) {
        const uint64_t n = count - at < r->chunk ? count - at : r->chunk;

        /* Waits for the copies that used the memory before. */
        RMAT_TRY_CUDA(cudaStreamSynchronize(stream[slot]));
        RMAT_TRY(start(r, at, n, memory[slot], stream[slot]));
    }
done:
    for (slot = 0; slot < 2; slot++) {
        const int end = rmat_gpu_status(cudaStreamSynchronize(stream[slot]));

        st = st != RMAT_OK ? st : end;
    }
    return st;
}

/* Makes count elements, whose scratch memory takes `bytes` bytes each. */
static int each_chunk(request *r, uint64_t count, size_t bytes, part *start)
{
    cudaStream_t stream[2] = {NULL, NULL};
    char *memory[2] = {NULL, NULL};
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(r->b->gen), &before));

    if (st != RMAT_OK) {
        return st;
    }
    r->keys = rmat_gpu_interval_keys(r->b);
    r->chunk = count < CHUNK ? (count + 15) & ~(uint64_t)15 : CHUNK; /* aligned */
    for (int slot = 0; slot < 2; slot++) {
        RMAT_TRY_CUDA(cudaStreamCreateWithFlags(&stream[slot], cudaStreamNonBlocking));
        RMAT_TRY_CUDA(cudaMallocFromPoolAsync((void **)&memory[slot], r->chunk * bytes,
                                              rmat_gpu_pool(r->b->gen), stream[slot]));
    }
    RMAT_TRY(run(r, count, start, memory, stream));
done:
    for (int slot = 0; slot < 2; slot++) {
        if (memory[slot] != NULL) {
            (void)cudaFreeAsync(memory[slot], stream[slot]);
        }
        if (stream[slot] != NULL) {
            (void)cudaStreamDestroy(stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}

/* Starts copying n elements of so many bytes to the host, to element `at`; to may be NULL. */
static int to_host(void *to, uint64_t at, const void *from, uint64_t n, size_t bytes,
                   cudaStream_t stream)
{
    if (to == NULL) {
        return RMAT_OK;
    }
    return rmat_gpu_status(
        cudaMemcpyAsync((char *)to + at * bytes, from, n * bytes, cudaMemcpyDeviceToHost, stream));
}

static int lower_part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream)
{
    int st;

    RMAT_TRY_CUDA(cudaMemsetAsync(memory, 0, sizeof(uint64_t), stream));
    RMAT_TRY(rmat_gpu_lower(&r->keys, (unsigned long long *)memory, stream));
    RMAT_TRY(to_host(r->counts, at, memory, n, sizeof *r->counts, stream));
done:
    return st;
}

int rmat_gpu_interval_lower(const rmat_interval *b, uint64_t *edges)
{
    request r = {.b = b, .counts = edges};

    return each_chunk(&r, 1, sizeof *edges, lower_part);
}

static int before_part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream)
{
    rmat_cell *cells = (rmat_cell *)memory;
    uint64_t *counts = (uint64_t *)(cells + r->chunk);
    int st;

    RMAT_TRY_CUDA(
        cudaMemcpyAsync(cells, r->cells + at, n * sizeof *cells, cudaMemcpyHostToDevice, stream));
    RMAT_TRY(rmat_gpu_before(&r->keys, n, cells, counts, stream));
    RMAT_TRY(to_host(r->counts, at, counts, n, sizeof *counts, stream));
done:
    return st;
}

int rmat_gpu_interval_before(const rmat_interval *b, uint64_t n, const rmat_cell *cells,
                             uint64_t *counts)
{
    request r = {.b = b, .cells = cells, .counts = counts};

    return each_chunk(&r, n, sizeof *cells + sizeof *counts, before_part);
}

static int pointers_part(const request *r, uint64_t at, uint64_t n, char *memory,
                         cudaStream_t stream)
{
    int st;

    RMAT_TRY(rmat_gpu_pointers(&r->keys, r->first + at, n, r->sum, (uint64_t *)memory, stream));
    RMAT_TRY(to_host(r->counts, at, memory, n, sizeof *r->counts, stream));
done:
    return st;
}

int rmat_gpu_interval_pointers(const rmat_interval *b, uint64_t first_row, uint64_t count,
                               uint64_t sum, uint64_t *pointers)
{
    request r = {.b = b, .first = first_row, .sum = sum, .counts = pointers};

    return each_chunk(&r, count, sizeof *pointers, pointers_part);
}

static int read_part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream)
{
    const size_t bytes = (size_t)r->to->id_bytes;
    char *src = memory, *dst = src + r->chunk * bytes, *weight = dst + r->chunk * bytes;
    const rmat_arrays made = {r->to->src != NULL ? src : NULL, r->to->dst != NULL ? dst : NULL,
                              r->to->weight != NULL ? weight : NULL, r->to->id_bytes};
    int st;

    RMAT_TRY(rmat_gpu_read(&r->keys, r->first + at, n, &made, &r->how, stream));
    RMAT_TRY(to_host(r->to->src, at, src, n, bytes, stream));
    RMAT_TRY(to_host(r->to->dst, at, dst, n, bytes, stream));
    RMAT_TRY(to_host(r->to->weight, at, weight, n, sizeof(uint32_t), stream));
done:
    return st;
}

int rmat_gpu_interval_read(const rmat_interval *b, uint64_t first, uint64_t count,
                           const rmat_arrays *to)
{
    request r = {.b = b, .first = first, .to = to, .how = rmat_gpu_weighing(b)};

    return each_chunk(&r, count, 2 * (size_t)to->id_bytes + sizeof(uint32_t), read_part);
}

rmat_weighing rmat_gpu_weighing(const rmat_interval *b)
{
    const rmat_config *c = &b->gen->config;
    rmat_weighing how = {.key = b->gen->weight_key};

    if (c->weights == RMAT_WEIGHTS_INT) {
        how.range = rmat_weight_range(c);
        how.min = c->weight_min;
    }
    return how;
}
