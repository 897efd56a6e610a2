/*
 * What a caller with data in host memory waits for, and the CPU of the same machine beside it (the
 * papers' Tables 2 and 3, the thesis' Figure 5.6).
 *
 * host  alias_create() on the GPU from host weights, with its allocations and alias_destroy(); and
 *       copies of finished tables
 * cpu   the same table, and draws from it, by all threads of the CPU
 */
#include "apps/bench_alias/gpu.h"

#include <stdlib.h>

#define CPU_DRAWS ((uint64_t)1 << 27)

typedef enum { CREATE, TO_HOST, TO_DEVICE, CPU_BUILD, CPU_SAMPLE, WAYS } way;

static const char *const names[WAYS] = {"host/create", "host/to_host", "host/to_device",
                                        "cpu/build", "cpu/sample"};

typedef struct {
    way way;
    double *weights;   /* for CREATE and CPU_BUILD */
    alias_table *host; /* for TO_DEVICE and CPU_SAMPLE */
    uint32_t *out;     /* for CPU_SAMPLE */
    uint64_t draws;
} job;

static int run(gpu_bench *b, void *arg, int r)
{
    const job *j = arg;
    alias_table *made = NULL;
    alias_config config;
    int failed;

    alias_config_default(&config);
    config.backend = j->way == CPU_BUILD ? ALIAS_BACKEND_CPU : ALIAS_BACKEND_GPU;
    config.device = b->o->device;
    config.threads = b->o->threads;
    config.row_bytes = b->o->row_bytes;
    switch (j->way) {
    case TO_HOST:
        failed = gpu_alias_failed(b, "copy", alias_copy_to_host(&made, b->table));
        break;
    case TO_DEVICE:
        failed = gpu_alias_failed(b, "copy", alias_copy_to_device(&made, j->host, b->o->device));
        break;
    case CPU_SAMPLE:
        failed =
            gpu_alias_failed(b, "draws", alias_sample32(j->host, (uint64_t)r, 0, j->draws, j->out));
        break;
    default:
        failed = gpu_alias_failed(b, "build", alias_create(&made, &config, j->weights, b->n, NULL));
    }
    alias_destroy(made);
    return failed;
}

/* What the way needs in host memory. */
static int prepare(gpu_bench *b, job *j)
{
    size_t bytes = b->n * sizeof(*j->weights);

    if (j->way == CREATE || j->way == CPU_BUILD) {
        j->weights = malloc(bytes);
        return gpu_alias_failed(b, "weights", j->weights != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM) ||
               gpu_failed(b, "weights",
                          cudaMemcpy(j->weights, b->weights, bytes, cudaMemcpyDeviceToHost));
    }
    if (j->way == CPU_SAMPLE) {
        j->out = malloc(j->draws * sizeof(*j->out));
    }
    return (j->way == CPU_SAMPLE &&
            gpu_alias_failed(b, "draws", j->out != NULL ? ALIAS_OK : ALIAS_ERR_NOMEM)) ||
           (j->way != TO_HOST &&
            gpu_alias_failed(b, "copy", alias_copy_to_host(&j->host, b->table)));
}

static int one_case(gpu_bench *b, gpu_family family, uint64_t n, way w)
{
    job j = {.way = w, .draws = gpu_draws(b, CPU_DRAWS)};
    bool sample = w == CPU_SAMPLE;
    bench_stats ms;
    int failed;

    failed = gpu_table(b, family, n) || prepare(b, &j) || gpu_time(b, GPU_HOST, run, &j, &ms);
    if (!failed) {
        gpu_row_begin(b);
        json_string(&b->row, "weights", gpu_families[family].name);
        json_u64(&b->row, "n", n);
        if (sample) {
            json_u64(&b->row, "count", j.draws);
        }
        gpu_row_time(b, ms, (double)(sample ? j.draws : n), sample);
        gpu_row_end(b);
    }
    alias_destroy(j.host);
    free(j.weights);
    free(j.out);
    return failed;
}

int gpu_part_host(gpu_bench *b)
{
    static const uint64_t sizes[] = {1000000, 10000000, 100000000, 1000000000};
    char text[24];

    for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
        for (gpu_family f = GPU_UNIFORM; f <= GPU_POWER1; f++) {
            for (way w = CREATE; w < WAYS; w++) {
                /* Copies and draws do not depend on the weights, nor does anyone want to wait for
                 * the CPU's largest table. */
                if ((w != CREATE && w != CPU_BUILD && f != GPU_POWER1) ||
                    (w != CPU_SAMPLE && sizes[s] > 100000000) || !gpu_fits(b, sizes[s])) {
                    continue;
                }
                if (gpu_wanted(b, "%s/%s/%s", names[w], gpu_families[f].name,
                               gpu_number(text, sizes[s])) &&
                    one_case(b, f, sizes[s], w)) {
                    return 1;
                }
            }
        }
    }
    return 0;
}
