/*
 * The machine (the paper's Table 1, with what bounds the other figures): rates of plain writing,
 * reading and copying, of 8-byte reads at random places in tables of each size, of the generator
 * alone, and of the link to the host.
 */
#include "apps/bench_alias/gpu.h"

#include <stdlib.h>

/* Draws' worth of random reads, Philox blocks. */
#define READS ((uint64_t)1 << 28)

typedef enum { WRITE, READ, COPY, PHILOX, GATHER, TO_GPU, TO_HOST } machine_work;

typedef struct {
    machine_work what;
    uint64_t bytes, n;
    void *host;
} job;

static int run(gpu_bench *b, void *arg, int r)
{
    const job *j = arg;
    char *second = (char *)b->out + j->bytes;
    cudaError_t error = cudaSuccess;

    switch (j->what) {
    case WRITE:
        error = bench_gpu_write(b->out, j->bytes, (uint64_t)r, b->stream);
        break;
    case READ:
        error = bench_gpu_read(b->out, j->bytes, b->sums, b->stream);
        break;
    case COPY:
        error = bench_gpu_copy(second, b->out, j->bytes, b->stream);
        break;
    case PHILOX:
        error = bench_gpu_philox(READS / 2, (uint64_t)r, b->sums, b->stream);
        break;
    case GATHER:
        error = bench_gpu_gather(b->weights, j->n, READS, (uint64_t)r, b->sums, b->stream);
        break;
    case TO_GPU:
        error = cudaMemcpyAsync(b->out, j->host, j->bytes, cudaMemcpyHostToDevice, b->stream);
        break;
    case TO_HOST:
        error = cudaMemcpyAsync(j->host, b->out, j->bytes, cudaMemcpyDeviceToHost, b->stream);
        break;
    }
    return gpu_failed(b, "machine", error);
}

/* items: bytes, draws or reads of a run. */
static int one_case(gpu_bench *b, job *j, const char *unit, double items)
{
    bench_stats ms;

    if (gpu_time(b, GPU_WARM, run, j, &ms)) {
        return 1;
    }
    gpu_row_begin(b);
    json_string(&b->row, "unit", unit);
    if (j->n != 0) {
        json_u64(&b->row, "n", j->n);
    }
    json_f64(&b->row, "items", items);
    gpu_row_time(b, ms, items, true);
    gpu_row_end(b);
    return 0;
}

static int link_case(gpu_bench *b, machine_work what)
{
    job j = {.what = what, .bytes = (uint64_t)1 << 28};
    int failed = gpu_failed(b, "pinned memory", cudaMallocHost(&j.host, j.bytes));

    if (!failed) {
        failed = one_case(b, &j, "byte", (double)j.bytes);
        (void)cudaFreeHost(j.host);
    }
    return failed;
}

int gpu_part_machine(gpu_bench *b)
{
    static const char *const names[] = {"write", "read", "copy"};
    static const uint64_t sizes[] = {1000000, 10000000, 100000000, 1000000000};
    char text[24];

    for (machine_work w = WRITE; w <= COPY; w++) {
        job j = {.what = w, .bytes = b->out_bytes / 2 / 256 * 256};

        if (gpu_wanted(b, "machine/%s", names[w]) &&
            one_case(b, &j, "byte", (double)j.bytes * (w == COPY ? 2 : 1))) {
            return 1;
        }
    }
    if (gpu_wanted(b, "machine/philox") &&
        one_case(b, &(job){.what = PHILOX}, "64 random bits", (double)READS)) {
        return 1;
    }
    for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        if (gpu_fits(b, sizes[s]) &&
            gpu_wanted(b, "machine/gather/%s", gpu_number(text, sizes[s])) &&
            (gpu_weights(b, GPU_UNIFORM, sizes[s]) ||
             one_case(b, &(job){.what = GATHER, .n = sizes[s]}, "8-byte read", (double)READS))) {
            return 1;
        }
    }
    if ((gpu_wanted(b, "machine/to_gpu") && link_case(b, TO_GPU)) ||
        (gpu_wanted(b, "machine/to_host") && link_case(b, TO_HOST))) {
        return 1;
    }
    return 0;
}
