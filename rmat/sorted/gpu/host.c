/* What is read from a sorted block in GPU memory, into host memory: chunk by chunk, one being made
 * while the one before is copied back. */
#include "alias/gpu/device.h"
#include "rmat/sorted/block.h"
#include "rmat/sorted/gpu/block.h"

#define CHUNK ((uint64_t)1 << 21)

/* Two chunks in flight, in streams of the call's own: a sorted block may be read by many threads.
 */
typedef struct {
    const rmat_block *b;
    gpu_block_keys keys;
    rmat_weighing how;
    const rmat_arrays *to;
    const rmat_cell *cells;
    uint64_t *counts;
    uint64_t first, sum, chunk;
} request;

/* Starts elements [at, at + n), with scratch memory for a chunk. */
typedef int part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream);

static int run(const request *r, uint64_t count, part *start, char *const memory[2],
               const cudaStream_t stream[2])
{
    int st = RMAT_OK, slot = 0;

    for (uint64_t at = 0; !st && at < count; at += r->chunk, slot ^= 1) {
        const uint64_t n = count - at < r->chunk ? count - at : r->chunk;

        /* The copies of two chunks ago. */
        st = rmat_gpu_status(cudaStreamSynchronize(stream[slot]));
        st = st ? st : start(r, at, n, memory[slot], stream[slot]);
    }
    for (slot = 0; slot < 2; slot++) {
        const int end = rmat_gpu_status(cudaStreamSynchronize(stream[slot]));

        st = st ? st : end;
    }
    return st;
}

static int each_chunk(request *r, uint64_t count, size_t bytes, part *start)
{
    cudaStream_t stream[2] = {NULL, NULL};
    char *memory[2] = {NULL, NULL};
    int before, st = rmat_alias_status(alias_gpu_enter(rmat_used_device(r->b->gen), &before));

    if (st) {
        return st;
    }
    r->keys = rmat_gpu_block_keys(r->b);
    r->chunk = count < CHUNK ? (count + 15) & ~(uint64_t)15 : CHUNK; /* aligned */
    for (int slot = 0; !st && slot < 2; slot++) {
        st = rmat_gpu_status(cudaStreamCreateWithFlags(&stream[slot], cudaStreamNonBlocking));
        st = st ? st
                : rmat_gpu_status(cudaMallocFromPoolAsync((void **)&memory[slot], r->chunk * bytes,
                                                          rmat_gpu_pool(r->b->gen), stream[slot]));
    }
    st = st ? st : run(r, count, start, memory, stream);
    for (int slot = 0; slot < 2; slot++) {
        if (memory[slot]) {
            (void)cudaFreeAsync(memory[slot], stream[slot]);
        }
        if (stream[slot]) {
            (void)cudaStreamDestroy(stream[slot]);
        }
    }
    alias_gpu_leave(before);
    return st;
}

static int to_host(void *to, uint64_t at, const void *from, uint64_t n, size_t bytes,
                   cudaStream_t stream)
{
    return to ? rmat_gpu_status(cudaMemcpyAsync((char *)to + at * bytes, from, n * bytes,
                                                cudaMemcpyDeviceToHost, stream))
              : RMAT_OK;
}

static int lower_part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream)
{
    int st = rmat_gpu_status(cudaMemsetAsync(memory, 0, sizeof(uint64_t), stream));

    st = st ? st : rmat_gpu_lower(&r->keys, (unsigned long long *)memory, stream);
    return st ? st : to_host(r->counts, at, memory, n, sizeof *r->counts, stream);
}

int rmat_gpu_block_lower(const rmat_block *b, uint64_t *edges)
{
    request r = {.b = b, .counts = edges};

    return each_chunk(&r, 1, sizeof *edges, lower_part);
}

static int before_part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream)
{
    rmat_cell *cells = (rmat_cell *)memory;
    uint64_t *counts = (uint64_t *)(cells + r->chunk);
    int st = rmat_gpu_status(
        cudaMemcpyAsync(cells, r->cells + at, n * sizeof *cells, cudaMemcpyHostToDevice, stream));

    st = st ? st : rmat_gpu_before(&r->keys, n, cells, counts, stream);
    return st ? st : to_host(r->counts, at, counts, n, sizeof *counts, stream);
}

int rmat_gpu_block_before(const rmat_block *b, uint64_t n, const rmat_cell *cells, uint64_t *counts)
{
    request r = {.b = b, .cells = cells, .counts = counts};

    return each_chunk(&r, n, sizeof *cells + sizeof *counts, before_part);
}

static int pointers_part(const request *r, uint64_t at, uint64_t n, char *memory,
                         cudaStream_t stream)
{
    const int st =
        rmat_gpu_pointers(&r->keys, r->first + at, n, r->sum, (uint64_t *)memory, stream);

    return st ? st : to_host(r->counts, at, memory, n, sizeof *r->counts, stream);
}

int rmat_gpu_block_pointers(const rmat_block *b, uint64_t first_row, uint64_t count, uint64_t sum,
                            uint64_t *pointers)
{
    request r = {.b = b, .first = first_row, .sum = sum, .counts = pointers};

    return each_chunk(&r, count, sizeof *pointers, pointers_part);
}

static int read_part(const request *r, uint64_t at, uint64_t n, char *memory, cudaStream_t stream)
{
    const size_t bytes = (size_t)r->to->id_bytes;
    char *src = memory, *dst = src + r->chunk * bytes, *weight = dst + r->chunk * bytes;
    const rmat_arrays made = {r->to->src ? src : NULL, r->to->dst ? dst : NULL,
                              r->to->weight ? weight : NULL, r->to->id_bytes};
    int st = rmat_gpu_read(&r->keys, r->first + at, n, &made, &r->how, stream);

    st = st ? st : to_host(r->to->src, at, src, n, bytes, stream);
    st = st ? st : to_host(r->to->dst, at, dst, n, bytes, stream);
    return st ? st : to_host(r->to->weight, at, weight, n, sizeof(uint32_t), stream);
}

int rmat_gpu_block_read(const rmat_block *b, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    request r = {.b = b, .first = first, .to = to, .how = rmat_gpu_weighing(b)};

    return each_chunk(&r, count, 2 * (size_t)to->id_bytes + sizeof(uint32_t), read_part);
}

rmat_weighing rmat_gpu_weighing(const rmat_block *b)
{
    const rmat_config *c = &b->gen->config;
    rmat_weighing how = {.key = b->gen->weight_key};

    if (c->weights == RMAT_WEIGHTS_INT) {
        how.range = rmat_weight_range(c);
        how.min = c->weight_min;
    }
    return how;
}
