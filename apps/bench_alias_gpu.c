/*
 * The GPU's part of bench_alias: opens the device, runs the parts, reports.
 *
 * Times on the device are between two events.  A short kernel that spins goes before them, so that
 * everything is queued by the time it ends: what is measured is the device's work with the gaps
 * between kernels, not the launching by this process, which GPU_HOST times include.
 */
#include "apps/bench_alias_gpu.h"
#include "apps/bench_alias_gpu_sample.h"
#include "apps/message.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        start = bench_now();
    } else if (gpu_failed(b, "spinning", bench_gpu_spin(SPIN, b->stream)) ||
               gpu_failed(b, "event", cudaEventRecord(b->begin, b->stream))) {
        return 1;
    }
    if (run(b, arg, r)) {
        return 1;
    }
    if (clock == GPU_HOST) {
        int failed = gpu_failed(b, "waiting", cudaStreamSynchronize(b->stream));

        *ms = 1e3 * (bench_now() - start);
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

void gpu_row_begin(gpu_bench *b)
{
    fprintf(b->json, "%s\n  ", b->rows++ > 0 ? "," : "");
    json_begin(&b->row, b->json);
    json_string(&b->row, "name", b->name);
}

void gpu_row_stats(gpu_bench *b, const char *key, bench_stats s)
{
    json_key(&b->row, key);
    fprintf(b->json, "{\"min\": %.6g, \"median\": %.6g, \"max\": %.6g}", s.min, s.median, s.max);
}

void gpu_remember(gpu_bench *b, double value)
{
    gpu_figure *more = realloc(b->figures, (b->n_figures + 1) * sizeof(*more));

    if (more != NULL) { /* else the report lacks a figure, which the JSON has */
        b->figures = more;
        more += b->n_figures++;
        memcpy(more->name, b->name, sizeof(more->name));
        more->value = value;
    }
}

void gpu_row_time(gpu_bench *b, bench_stats ms, double items, bool rate)
{
    double per_second = 1e3 * items / ms.median;

    gpu_row_stats(b, "ms", ms);
    json_f64(&b->row, "per_second", per_second);
    fprintf(stderr, "%-52s %10.4f ms (%.4f - %.4f) %9.3f G/s\n", b->name, ms.median, ms.min, ms.max,
            1e-9 * per_second);
    gpu_remember(b, rate ? per_second : ms.median);
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

void gpu_row_end(gpu_bench *b)
{
    json_end(&b->row);
    fflush(b->json);
}

double gpu_recall(const gpu_bench *b, const char *format, ...)
{
    char name[80];
    va_list args;

    va_start(args, format);
    vsnprintf(name, sizeof(name), format, args);
    va_end(args);
    for (unsigned i = 0; i < b->n_figures; i++) {
        if (strcmp(b->figures[i].name, name) == 0) {
            return b->figures[i].value;
        }
    }
    return 0;
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
    double start = bench_now();
    int failed;

    if (o->list) {
        failed = run_parts(&b);
    } else {
        failed = open_device(&b);
        fprintf(json, ",\n\"rng\": \"%s\", \"rows\": [", o->xorwow ? "xorwow" : "philox");
        failed = failed || run_parts(&b);
        fprintf(json, "\n]");
        if (!failed) {
            if (o->repeats > 1) { /* else it was for a profiler */
                gpu_report(&b);
            }
            fprintf(json, ",\n\"seconds\": %.1f", bench_now() - start);
            fprintf(stderr, "%u cases in %.0f s\n", b.rows, bench_now() - start);
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
