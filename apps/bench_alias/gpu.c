/*
 * The GPU's part of bench_alias: opens the device, chooses cases by name, runs the parts.
 */
#include "apps/bench_alias/gpu.h"
#include "apps/common/clock.h"
#include "apps/bench_alias/gpu_sample.h"
#include "apps/common/message.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Without --all and --only: builds and draws, or draws as in the papers. */
static bool usual(const gpu_bench *b)
{
    if (b->o->xorwow) {
        return strncmp(b->name, "xorwow/", 7) == 0;
    }
    return strncmp(b->name, "build/", 6) == 0 || strncmp(b->name, "sample/", 7) == 0;
}

bool gpu_wanted(gpu_bench *b, const char *format, ...)
{
    const char *only = b->o->only;
    va_list args;
    bool wanted;

    va_start(args, format);
    vsnprintf(b->name, sizeof(b->name), format, args);
    va_end(args);
    if (only != NULL) {
        wanted = strncmp(b->name, only, strlen(only)) == 0 || fnmatch(only, b->name, 0) == 0;
    } else {
        wanted = b->o->all || usual(b);
    }
    b->cases += wanted;
    if (wanted && b->json == NULL) {
        puts(b->name);
    }
    return wanted && b->json != NULL;
}

uint64_t gpu_draws(const gpu_bench *b, uint64_t draws)
{
    return draws < b->o->limit ? draws : b->o->limit;
}

bool gpu_fits(const gpu_bench *b, uint64_t n)
{
    return n <= b->o->limit && (b->json == NULL || n <= b->most);
}

static int rest(void *arg)
{
    (void)arg;
    usleep(20000);
    return 0;
}

/* Before any work: what the card draws with a process on it that does nothing. */
static void measure_idle(gpu_bench *b)
{
    bench_energy_use use;

    usleep(500000);
    if (bench_energy_measure(b->energy, 1, rest, NULL, &use) == 0 && use.seconds > 0) {
        b->idle = use.joules / use.seconds;
    }
}

static int open_device(gpu_bench *b)
{
    struct cudaDeviceProp p;
    const char *why = "";
    char address[32] = "";
    size_t available = 0, total = 0;
    int driver = 0, runtime = 0, clock = 0;
    cudaError_t error = cudaSetDevice(b->o->device);

    if (error == cudaSuccess) {
        error = cudaGetDeviceProperties(&p, b->o->device);
    }
    if (error == cudaSuccess) {
        error = cudaMemGetInfo(&available, &total);
    }
    if (gpu_failed(b, "opening the device", error)) {
        return 1;
    }
    b->multiprocessors = p.multiProcessorCount;
    /* Half of what weights, rows and draws leave would do for the scratch of every builder. */
    b->most = available / 2 / 32;
    b->out_bytes = 8 * gpu_draws(b, 1000000000);
    b->out_bytes = b->out_bytes < available / 4 ? b->out_bytes : available / 4;
    b->out_bytes = b->out_bytes > 1u << 28 ? b->out_bytes / 256 * 256 : 1u << 28;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, b->o->device);
    (void)cudaDeviceGetPCIBusId(address, sizeof(address), b->o->device);
    b->energy = bench_energy_open(address, &why);
    if (b->energy != NULL && (b->o->only == NULL || strncmp(b->o->only, "energy", 6) == 0)) {
        measure_idle(b);
    }
    fprintf(b->json, ",\n\"gpu\": ");
    json_begin(&b->row, b->json);
    json_string(&b->row, "name", p.name);
    json_u64(&b->row, "multiprocessors", (uint64_t)p.multiProcessorCount);
    json_f64(&b->row, "clock_ghz", 1e-6 * clock);
    json_u64(&b->row, "memory_bytes", total);
    json_u64(&b->row, "free_bytes", available);
    json_u64(&b->row, "l2_bytes", (uint64_t)p.l2CacheSize);
    json_u64(&b->row, "shared_bytes_per_multiprocessor", p.sharedMemPerMultiprocessor);
    json_string(&b->row, "compute_capability",
                (char[]){(char)('0' + p.major), '.', (char)('0' + p.minor), '\0'});
    json_u64(&b->row, "driver", (uint64_t)driver);
    json_u64(&b->row, "runtime", (uint64_t)runtime);
    json_string(&b->row, "energy_from", b->energy != NULL ? "NVML" : why);
    if (b->energy != NULL) {
        json_f64(&b->row, "power_limit_watts", bench_energy_limit(b->energy));
        json_f64(&b->row, "idle_watts", b->idle); /* 0: not measured */
    }
    json_end(&b->row);
    fprintf(stderr, "%s, %d multiprocessors, %.0f GB free; %s", p.name, p.multiProcessorCount,
            1e-9 * (double)available, b->energy != NULL ? "idle " : "no energy: ");
    if (b->energy != NULL && b->idle > 0) {
        fprintf(stderr, "%.1f W\n", b->idle);
    } else {
        fprintf(stderr, "%s\n", b->energy != NULL ? "not measured" : why);
    }
    return gpu_failed(b, "stream", cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking)) ||
           gpu_failed(b, "event", cudaEventCreate(&b->begin)) ||
           gpu_failed(b, "event", cudaEventCreate(&b->end)) ||
           gpu_failed(b, "memory", cudaMalloc((void **)&b->sums, GPU_SUMS * sizeof(*b->sums))) ||
           gpu_failed(b, "memory for draws", cudaMalloc(&b->out, b->out_bytes));
}

static void close_device(gpu_bench *b)
{
    alias_destroy(b->table);
    if (b->xorwow != NULL) {
        bench_gpu_xorwow_end(b->xorwow);
        free(b->xorwow);
    }
    (void)cudaFree(b->weights);
    (void)cudaFree(b->scratch);
    (void)cudaFree(b->out);
    (void)cudaFree(b->sums);
    if (b->begin != NULL) {
        (void)cudaEventDestroy(b->begin);
    }
    if (b->end != NULL) {
        (void)cudaEventDestroy(b->end);
    }
    if (b->stream != NULL) {
        (void)cudaStreamDestroy(b->stream);
    }
    bench_energy_close(b->energy);
    free(b->figures);
}

static int run_parts(gpu_bench *b)
{
    return gpu_part_machine(b) || gpu_part_build(b) || gpu_part_split(b) || gpu_part_sample(b) ||
           gpu_part_space(b) || gpu_part_host(b) || gpu_part_energy(b) || gpu_part_rejection(b);
}

int bench_alias_gpu_check(const bench_alias_options *o)
{
    int count = alias_gpu_count();

    if (count == 0) {
        fprintf(stderr, "bench_alias: --backend: 'gpu' given, but there is no usable GPU\n");
        return EXIT_RUNTIME;
    }
    if (o->device >= count) {
        fprintf(stderr, "bench_alias: --device: '%d' is out of range, allowed: 0 to %d\n",
                o->device, count - 1);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

int bench_alias_gpu(const bench_alias_options *o, FILE *json)
{
    gpu_bench b = {.o = o, .json = o->list ? NULL : json};
    double start = clock_seconds();
    int failed;

    if (o->list) {
        failed = run_parts(&b);
    } else {
        failed = open_device(&b);
        fprintf(json, ",\n\"rng\": \"%s\", \"rows\": [", o->xorwow ? "xorwow" : "philox");
        failed = failed || run_parts(&b);
        fprintf(json, "\n]");
        if (!failed) {
            /* One run is for a profiler, and nothing is asked of wide rows. */
            if (o->repeats > 1 && o->row_bytes == 8) {
                gpu_report(&b);
            }
            fprintf(json, ",\n\"seconds\": %.1f", clock_seconds() - start);
            fprintf(stderr, "%u cases in %.0f s\n", b.rows, clock_seconds() - start);
        }
        close_device(&b);
    }
    if (!failed && b.cases == 0) {
        fprintf(stderr, "bench_alias: --only: '%s' names no case, allowed: see --list\n",
                o->only != NULL ? o->only : "");
        return EXIT_USAGE;
    }
    if (b.wrong > 0) {
        fprintf(stderr, "bench_alias: %u results are wrong\n", b.wrong);
    }
    return failed || b.wrong > 0 ? EXIT_RUNTIME : EXIT_OK;
}
