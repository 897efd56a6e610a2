/*
 * What every case needs: weights and tables, kept from the case before, sums, and times.
 *
 * Times on the device are between two events.  A short kernel that spins goes before them, so that
 * everything is queued by the time it ends: what is measured is the device's work with the gaps
 * between kernels, not the launching by this process, which GPU_HOST times include.
 */
#include "apps/bench_alias/gpu.h"
#include "apps/common/clock.h"

#include <string.h>

/* Nanoseconds by which the launches of one run have to be through. */
#define SPIN 300000

const gpu_family_info gpu_families[GPU_FAMILIES] = {[GPU_UNIFORM] = {"uniform", 0, 0},
                                                    [GPU_POWER1] = {"power1", 1, 1},
                                                    [GPU_POWER_HALF] = {"power0.5", 0.5, 1},
                                                    [GPU_POWER2] = {"power2", 2, 1},
                                                    [GPU_SORTED] = {"sorted1", 1, 0}};

int gpu_failed(const gpu_bench *b, const char *what, cudaError_t error)
{
    if (error != cudaSuccess) {
        fprintf(stderr, "bench_alias: %s: %s: %s\n", b->name, what, cudaGetErrorString(error));
    }
    return error != cudaSuccess;
}

int gpu_alias_failed(const gpu_bench *b, const char *what, int status)
{
    if (status != ALIAS_OK) {
        fprintf(stderr, "bench_alias: %s: %s: %s%s%s\n", b->name, what, alias_strerror(status),
                *alias_gpu_error() != '\0' ? ": " : "", alias_gpu_error());
    }
    return status != ALIAS_OK;
}

int gpu_sums_clear(gpu_bench *b)
{
    return gpu_failed(b, "clearing sums",
                      cudaMemsetAsync(b->sums, 0, GPU_SUMS * sizeof(*b->sums), b->stream));
}

int gpu_sums_read(gpu_bench *b, uint64_t sums[GPU_SUMS])
{
    cudaError_t error = cudaMemcpyAsync(sums, b->sums, GPU_SUMS * sizeof(*b->sums),
                                        cudaMemcpyDeviceToHost, b->stream);

    return gpu_failed(b, "reading sums",
                      error == cudaSuccess ? cudaStreamSynchronize(b->stream) : error);
}

int gpu_scratch(gpu_bench *b, size_t bytes)
{
    if (bytes <= b->scratch_bytes) {
        return 0;
    }
    (void)cudaFree(b->scratch);
    b->scratch = NULL;
    b->scratch_bytes = 0;
    if (gpu_failed(b, "scratch memory", cudaMalloc(&b->scratch, bytes))) {
        return 1;
    }
    b->scratch_bytes = bytes;
    return 0;
}

static int make_weights(gpu_bench *b, gpu_family family, uint64_t n)
{
    uint64_t sums[GPU_SUMS];
    double moments[3];

    if (gpu_failed(b, "weights",
                   bench_gpu_weights(b->weights, n, gpu_families[family].exponent,
                                     gpu_families[family].shuffled, b->stream)) ||
        gpu_sums_clear(b) ||
        gpu_failed(b, "moments", bench_gpu_moments(b->weights, n, (double *)b->sums, b->stream)) ||
        gpu_sums_read(b, sums)) {
        return 1;
    }
    memcpy(moments, sums, sizeof(moments));
    b->mean = moments[1] / moments[0];
    b->variance = moments[2] / moments[0] - b->mean * b->mean;
    b->family = family;
    b->n = n;
    return 0;
}

int gpu_weights(gpu_bench *b, gpu_family family, uint64_t n)
{
    if (b->n == n && b->family == family) {
        return 0;
    }
    alias_destroy(b->table);
    b->table = NULL;
    b->n = 0;
    if (n > b->capacity) {
        (void)cudaFree(b->weights);
        b->weights = NULL;
        b->capacity = 0;
        if (gpu_failed(b, "memory for weights",
                       cudaMalloc((void **)&b->weights, n * sizeof(*b->weights)))) {
            return 1;
        }
        b->capacity = n;
    }
    return make_weights(b, family, n);
}

int gpu_run_build(gpu_bench *b, void *table, int r)
{
    (void)r;
    return gpu_alias_failed(b, "build",
                            alias_build_async(table, b->weights, b->scratch, b->stream));
}

int gpu_table(gpu_bench *b, gpu_family family, uint64_t n)
{
    alias_config config;

    if (gpu_weights(b, family, n)) {
        return 1;
    }
    if (b->table != NULL) {
        return 0;
    }
    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    config.device = b->o->device;
    config.row_bytes = b->o->row_bytes;
    return gpu_alias_failed(b, "table", alias_prepare(&b->table, &config, n)) ||
           gpu_scratch(b, alias_build_bytes(b->table)) || gpu_run_build(b, b->table, 0) ||
           gpu_alias_failed(b, "table", alias_build_wait(b->table, NULL));
}

/* Milliseconds of one run. */
static int time_once(gpu_bench *b, gpu_clock clock, gpu_run run, void *arg, int r, double *ms)
{
    double start = 0;
    float elapsed;

    if (clock == GPU_COLD &&
        gpu_failed(b, "emptying the cache",
                   bench_gpu_write(b->out, b->out_bytes < 1u << 28 ? b->out_bytes : 1u << 28,
                                   (uint64_t)r, b->stream))) {
        return 1;
    }
    if (clock == GPU_HOST) {
        if (gpu_failed(b, "waiting", cudaStreamSynchronize(b->stream))) {
            return 1;
        }
        start = clock_seconds();
    } else if (gpu_failed(b, "spinning", bench_gpu_spin(SPIN, b->stream)) ||
               gpu_failed(b, "event", cudaEventRecord(b->begin, b->stream))) {
        return 1;
    }
    if (run(b, arg, r)) {
        return 1;
    }
    if (clock == GPU_HOST) {
        int failed = gpu_failed(b, "waiting", cudaStreamSynchronize(b->stream));

        *ms = 1e3 * (clock_seconds() - start);
        return failed;
    }
    if (gpu_failed(b, "event", cudaEventRecord(b->end, b->stream)) ||
        gpu_failed(b, "running", cudaEventSynchronize(b->end)) ||
        gpu_failed(b, "event", cudaEventElapsedTime(&elapsed, b->begin, b->end))) {
        return 1;
    }
    *ms = elapsed;
    return 0;
}

int gpu_time(gpu_bench *b, gpu_clock clock, gpu_run run, void *arg, bench_stats *ms)
{
    double times[BENCH_REPEATS], first;
    int repeats = b->o->repeats, r;

    if (repeats > 1) {
        if (time_once(b, clock, run, arg, repeats, &first)) {
            return 1;
        }
        if (first > 20) {
            int few = first > 1000 ? 3 : first > 100 ? 5 : 7;

            repeats = few < repeats ? few : repeats;
        }
    }
    for (r = 0; r < repeats; r++) {
        if (time_once(b, clock, run, arg, r, &times[r])) {
            return 1;
        }
    }
    *ms = bench_summary(times, (size_t)repeats);
    return 0;
}
