/*
 * The GPU's part of bench_alias: opens the device, chooses cases by name, keeps weights and tables,
 * measures, and writes rows.
 *
 * Times on the device are between two events.  A short kernel that spins goes before them, so that
 * everything is queued by the time it ends: what is measured is the device's work with the gaps
 * between kernels, not the launching by this process, which GPU_HOST times include.
 */
#include "apps/bench_alias/gpu.h"
#include "apps/common/clock.h"
#include "apps/common/message.h"

#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Nanoseconds within which the launches of one run must be through. */
#define SPIN 300000

/* Bytes that replace whatever is in the L2 cache. */
#define MORE_THAN_L2 ((size_t)1 << 28)

const char *const gpu_family_names[GPU_FAMILIES] = {"uniform", "power1", "power0.5", "power2",
                                                    "sorted1"};
const uint64_t gpu_sizes[GPU_SIZES] = {1000000, 10000000, 100000000, 1000000000};
static const double exponents[GPU_FAMILIES] = {0, 1, 0.5, 2, 1};

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

const char *gpu_number(char text[24], uint64_t n)
{
    uint64_t digit = n;
    int zeros = 0;

    for (; digit >= 10 && digit % 10 == 0; digit /= 10) {
        zeros++;
    }
    if (digit < 10 && zeros > 2) {
        snprintf(text, 24, "%llue%d", (unsigned long long)digit, zeros);
    } else {
        snprintf(text, 24, "%llu", (unsigned long long)n);
    }
    return text;
}

/* Without --all and --only: builds and draws. */
static bool is_usual(const gpu_bench *b)
{
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
        wanted = b->o->all || is_usual(b);
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

/* --- Weights, tables, sums --- */

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

/* Make *place hold at least so many bytes, of which it holds *held; what is in it is lost. */
static int enlarge(const gpu_bench *b, void **place, size_t *held, size_t bytes)
{
    if (bytes <= *held) {
        return 0;
    }
    (void)cudaFree(*place);
    *place = NULL;
    *held = 0;
    if (gpu_failed(b, "memory", cudaMalloc(place, bytes))) {
        return 1;
    }
    *held = bytes;
    return 0;
}

int gpu_scratch(gpu_bench *b, size_t bytes)
{
    return enlarge(b, &b->scratch, &b->scratch_bytes, bytes);
}

static int make_weights(gpu_bench *b, gpu_family family, uint64_t n)
{
    uint64_t sums[GPU_SUMS];
    double moments[3];

    if (gpu_failed(
            b, "weights",
            bench_gpu_weights(b->weights, n, exponents[family], family != GPU_SORTED, b->stream)) ||
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
    return enlarge(b, (void **)&b->weights, &b->capacity, n * sizeof(*b->weights)) ||
           make_weights(b, family, n);
}

int gpu_run_build(gpu_bench *b, void *table, int r)
{
    (void)r;
    return gpu_alias_failed(b, "build",
                            alias_build_async(table, b->weights, b->scratch, b->stream));
}

alias_config gpu_config(const gpu_bench *b)
{
    alias_config config;

    alias_config_default(&config);
    config.backend = ALIAS_BACKEND_GPU;
    config.device = b->o->device;
    config.row_bytes = b->o->row_bytes;
    return config;
}

int gpu_build(gpu_bench *b, const alias_config *config, alias_table **table)
{
    *table = NULL;
    return gpu_alias_failed(b, "prepare", alias_prepare(table, config, b->n)) ||
           gpu_scratch(b, alias_build_bytes(*table)) || gpu_run_build(b, *table, 0) ||
           gpu_alias_failed(b, "build", alias_build_wait(*table, NULL));
}

int gpu_table(gpu_bench *b, gpu_family family, uint64_t n)
{
    alias_config config = gpu_config(b);

    if (gpu_weights(b, family, n)) {
        return 1;
    }
    return b->table == NULL && gpu_build(b, &config, &b->table);
}

/* --- Times --- */

/* Time a run by the clock of the device. */
static int time_on_device(gpu_bench *b, gpu_run run, void *arg, int r, double *ms)
{
    float elapsed = 0;

    if (gpu_failed(b, "spinning", bench_gpu_spin(SPIN, b->stream)) ||
        gpu_failed(b, "event", cudaEventRecord(b->begin, b->stream)) || run(b, arg, r) ||
        gpu_failed(b, "event", cudaEventRecord(b->end, b->stream)) ||
        gpu_failed(b, "running", cudaEventSynchronize(b->end)) ||
        gpu_failed(b, "event", cudaEventElapsedTime(&elapsed, b->begin, b->end))) {
        return 1;
    }
    *ms = elapsed;
    return 0;
}

static int time_on_host(gpu_bench *b, gpu_run run, void *arg, int r, double *ms)
{
    double start;
    int failed;

    if (gpu_failed(b, "waiting", cudaStreamSynchronize(b->stream))) {
        return 1;
    }
    start = clock_seconds();
    failed = run(b, arg, r) || gpu_failed(b, "waiting", cudaStreamSynchronize(b->stream));
    *ms = 1e3 * (clock_seconds() - start);
    return failed;
}

static int time_once(gpu_bench *b, gpu_clock clock, gpu_run run, void *arg, int r, double *ms)
{
    if (clock == GPU_COLD &&
        gpu_failed(b, "emptying the cache", cudaMemsetAsync(b->out, r, MORE_THAN_L2, b->stream))) {
        return 1;
    }
    return clock == GPU_HOST ? time_on_host(b, run, arg, r, ms)
                             : time_on_device(b, run, arg, r, ms);
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

/* --- Rows of results: JSON, and a line on stderr --- */

void gpu_row_begin(gpu_bench *b)
{
    fprintf(b->json, "%s\n  ", b->rows++ > 0 ? "," : "");
    json_begin(&b->row, b->json);
    json_string(&b->row, "name", b->name);
}

static void add_stats(gpu_bench *b, const char *key, bench_stats s)
{
    json_key(&b->row, key);
    fprintf(b->json, "{\"min\": %.6g, \"median\": %.6g, \"max\": %.6g}", s.min, s.median, s.max);
}

void gpu_row_check(gpu_bench *b, const char *what, bool right)
{
    json_string(&b->row, "check", what);
    json_bool(&b->row, "right", right);
    if (!right) {
        b->wrong++;
        fprintf(stderr, "bench_alias: %s: WRONG: not so: %s\n", b->name, what);
    }
}

double gpu_row_z(gpu_bench *b, uint64_t sum, uint64_t count)
{
    const double z = ((double)sum / (double)count - b->mean) / sqrt(b->variance / (double)count);

    json_f64(&b->row, "z", z);
    return z;
}

void gpu_row_end(gpu_bench *b)
{
    json_end(&b->row);
    fflush(b->json);
}

int gpu_measure(gpu_bench *b, const gpu_case *c)
{
    bench_stats ms, cold = {0, 0, 0};
    double per_second;
    int failed;

    if (gpu_time(b, c->clock, c->run, c->arg, &ms) ||
        (c->cold && gpu_time(b, GPU_COLD, c->run, c->arg, &cold))) {
        return 1;
    }
    per_second = 1e3 * c->items / ms.median;
    gpu_row_begin(b);
    if (c->n != 0) {
        json_u64(&b->row, "n", c->n);
    }
    if (c->count != 0) {
        json_u64(&b->row, "count", c->count);
    }
    if (c->cold) {
        add_stats(b, "cold_ms", cold);
    }
    add_stats(b, "ms", ms);
    json_f64(&b->row, "per_second", per_second);
    fprintf(stderr, "%-52s %10.4f ms (%.4f - %.4f) %9.3f G/s\n", b->name, ms.median, ms.min, ms.max,
            1e-9 * per_second);
    failed = c->check != NULL && c->check(b, c->arg);
    gpu_row_end(b);
    return failed;
}

/* --- The device --- */

/* The most rows of a table, and room for draws. */
static void divide_memory(gpu_bench *b, size_t available)
{
    /* Half of what weights, rows and draws leave would do for the scratch of every builder. */
    b->most = available / 2 / 32;
    b->out_bytes = 8 * gpu_draws(b, 1000000000);
    b->out_bytes = b->out_bytes < available / 4 ? b->out_bytes : available / 4;
    b->out_bytes = b->out_bytes > MORE_THAN_L2 ? b->out_bytes / 256 * 256 : MORE_THAN_L2;
}

static int open_device(gpu_bench *b)
{
    struct cudaDeviceProp p;
    size_t available = 0, total = 0;
    int driver = 0, runtime = 0;

    if (gpu_failed(b, "opening the device", cudaSetDevice(b->o->device)) ||
        gpu_failed(b, "properties", cudaGetDeviceProperties(&p, b->o->device)) ||
        gpu_failed(b, "memory", cudaMemGetInfo(&available, &total))) {
        return 1;
    }
    divide_memory(b, available);
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaDeviceGetPCIBusId(b->pci_address, sizeof(b->pci_address), b->o->device);
    fprintf(b->json, ",\n\"gpu\": ");
    json_begin(&b->row, b->json);
    json_string(&b->row, "name", p.name);
    json_u64(&b->row, "multiprocessors", (uint64_t)p.multiProcessorCount);
    json_u64(&b->row, "memory_bytes", total);
    json_u64(&b->row, "l2_bytes", (uint64_t)p.l2CacheSize);
    json_u64(&b->row, "shared_bytes_per_multiprocessor", p.sharedMemPerMultiprocessor);
    json_u64(&b->row, "compute_capability", (uint64_t)(10 * p.major + p.minor));
    json_u64(&b->row, "driver", (uint64_t)driver);
    json_u64(&b->row, "runtime", (uint64_t)runtime);
    json_end(&b->row);
    fprintf(stderr, "%s, %d multiprocessors, %.0f GB free\n", p.name, p.multiProcessorCount,
            1e-9 * (double)available);
    return gpu_failed(b, "stream", cudaStreamCreateWithFlags(&b->stream, cudaStreamNonBlocking)) ||
           gpu_failed(b, "event", cudaEventCreate(&b->begin)) ||
           gpu_failed(b, "event", cudaEventCreate(&b->end)) ||
           gpu_failed(b, "memory", cudaMalloc((void **)&b->sums, GPU_SUMS * sizeof(*b->sums))) ||
           gpu_failed(b, "memory for draws", cudaMalloc(&b->out, b->out_bytes));
}

static void close_device(gpu_bench *b)
{
    alias_destroy(b->table);
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
}

/* Energy comes first, as it needs the idle card. */
static int run_parts(gpu_bench *b)
{
    return gpu_part_energy(b) || gpu_part_machine(b) || gpu_part_build(b) || gpu_part_sample(b) ||
           gpu_part_rejection(b);
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
        fprintf(json, ",\n\"rows\": [");
        failed = failed || run_parts(&b);
        fprintf(json, "\n]");
        close_device(&b);
        fprintf(json, ",\n\"seconds\": %.1f", clock_seconds() - start);
        fprintf(stderr, "%u cases in %.0f s\n", b.rows, clock_seconds() - start);
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
