/*
 * alias/gpu/backend.c - tables on a GPU: devices and errors, memory, copies of rows, builds, and
 * the table of functions by which the rest of alias/ calls the GPU.
 *
 * Builders with kernels build in device memory, from weights there.  The others are sequential:
 * they build a CPU table and copy its rows.
 */
#include "alias/core/table.h"
#include "alias/gpu/device.h"
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local char message[160];
static _Thread_local int launches_to_failure = -1;

int alias_gpu_status(cudaError_t error)
{
    if (error == cudaSuccess) {
        return ALIAS_OK;
    }
    snprintf(message, sizeof(message), "%s: %s", cudaGetErrorName(error),
             cudaGetErrorString(error));
    (void)cudaGetLastError();
    switch (error) {
    case cudaErrorMemoryAllocation:
        return ALIAS_ERR_NOMEM;
    case cudaErrorInvalidDevice:
        return ALIAS_ERR_DEVICE;
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
        return ALIAS_ERR_NO_BACKEND;
    default:
        return ALIAS_ERR_CUDA;
    }
}

static const char *last_error(void)
{
    return message;
}

static const char *why_missing(void)
{
    static _Thread_local char text[160];
    int count, driver = 0;
    cudaError_t error = cudaGetDeviceCount(&count);

    /* Without a driver, the error is that its version, 0, is too old. */
    const bool none = cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0;

    (void)cudaGetLastError();
    snprintf(text, sizeof(text), "no GPU can be used: %s",
             none                   ? "no CUDA driver is installed"
             : error == cudaSuccess ? "CUDA finds none"
                                    : cudaGetErrorString(error));
    return text;
}

int alias_gpu_launched(void)
{
    cudaError_t error = cudaGetLastError();

    if (launches_to_failure >= 0 && launches_to_failure-- == 0) {
        error = cudaErrorLaunchFailure;
    }
    return alias_gpu_status(error);
}

void alias_gpu_fail_launch(int after)
{
    launches_to_failure = after;
}

static int count_gpus(void)
{
    int count = 0;

    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        (void)cudaGetLastError();
        return 0;
    }
    return count;
}

int alias_gpu_choose(int *device)
{
    if (*device >= count_gpus()) {
        *device = -1;
        return ALIAS_ERR_DEVICE;
    }
    return *device < 0 ? alias_gpu_status(cudaGetDevice(device)) : ALIAS_OK;
}

int alias_gpu_enter(int device, int *before)
{
    cudaError_t error = cudaGetDevice(before);

    if (error == cudaSuccess && device != *before) {
        error = cudaSetDevice(device);
    }
    return alias_gpu_status(error);
}

void alias_gpu_leave(int before)
{
    int now;

    if (cudaGetDevice(&now) == cudaSuccess && now != before) {
        (void)cudaSetDevice(before);
    }
}

static int allocate_table(alias_table *table)
{
    const uint64_t word = (uint64_t)table->row_bytes / 2;
    const bool soa = table->config.layout == ALIAS_ROWS_SOA;
    struct cudaMemPoolProps props = {.allocType = cudaMemAllocationTypePinned,
                                     .location.type = cudaMemLocationTypeDevice};
    uint64_t keep = UINT64_MAX;
    alias_gpu_state *state = calloc(1, sizeof(*state));
    int device = table->config.device, before, st;

    if (state == NULL) {
        return ALIAS_ERR_NOMEM;
    }
    table->gpu = state;
    ALIAS_OR_RETURN(alias_gpu_choose(&device));
    state->device = device;
    ALIAS_OR_RETURN(alias_gpu_enter(device, &before));
    props.location.id = device;
    ALIAS_GPU_TRY(
        cudaDeviceGetAttribute(&state->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ALIAS_GPU_TRY(cudaMalloc(&table->rows, table->n * (soa ? word : 2 * word)));
    if (soa) {
        ALIAS_GPU_TRY(cudaMalloc(&state->alias, table->n * word));
    }
    ALIAS_GPU_TRY(cudaMalloc((void **)&state->scalars, sizeof(*state->scalars)));
    ALIAS_GPU_TRY(cudaMemset(state->scalars, 0xff, sizeof(*state->scalars))); /* bad_so_far */
    /* Non-blocking streams do not wait for the default stream, and may use the scalars. */
    ALIAS_GPU_TRY(cudaStreamSynchronize(NULL));
    ALIAS_GPU_TRY(cudaEventCreateWithFlags(&state->built, cudaEventDisableTiming));
    ALIAS_GPU_TRY(cudaMemPoolCreate(&state->pool, &props));
    ALIAS_GPU_TRY(cudaMemPoolSetAttribute(state->pool, cudaMemPoolAttrReleaseThreshold, &keep));
done:
    alias_gpu_leave(before);
    return st;
}

static void release_table(alias_table *table)
{
    alias_gpu_state *state = table->gpu;
    int before;

    if (state == NULL) {
        return;
    }
    if (alias_gpu_enter(state->device, &before) == ALIAS_OK) {
        (void)cudaFree(table->rows);
        (void)cudaFree(state->alias);
        (void)cudaFree(state->scalars);
        if (state->built != NULL) {
            (void)cudaEventDestroy(state->built);
        }
        if (state->pool != NULL) {
            (void)cudaMemPoolDestroy(state->pool);
        }
        alias_gpu_leave(before);
    }
    (void)cudaGetLastError();
    free(state);
}

enum { BATCH = 1 << 20 }; /* rows that are joined from thresholds and aliases together */
static alias_gpu_state *state_of(const alias_table *table)
{
    return table->gpu;
}

/* Copies one of the two columns of a struct of arrays, from row first on.  words is its host copy.
 * pairs are the words of the rows in host memory; every other word belongs to the column. */
static cudaError_t copy_column(char *device, char *words, char *pairs, uint64_t count,
                               uint64_t word, bool upload)
{
    cudaError_t error;

    if (upload) {
        for (uint64_t i = 0; i < count; i++) {
            memcpy(words + i * word, pairs + 2 * i * word, word);
        }
        return cudaMemcpy(device, words, count * word, cudaMemcpyHostToDevice);
    }
    error = cudaMemcpy(words, device, count * word, cudaMemcpyDeviceToHost);
    for (uint64_t i = 0; i < count; i++) {
        memcpy(pairs + 2 * i * word, words + i * word, word);
    }
    return error;
}

/* Copies count rows, from row first on, from a struct of arrays to pairs, or (upload) back. */
static int copy_soa(const alias_table *table, uint64_t first, uint64_t count, char *rows,
                    bool upload)
{
    const uint64_t word = (uint64_t)table->row_bytes / 2;
    char *columns[2] = {(char *)table->rows + first * word,
                        (char *)state_of(table)->alias + first * word};
    char *words = malloc((count < BATCH ? count : BATCH) * word);
    int st = ALIAS_OK;

    if (words == NULL) {
        return alias_gpu_status(cudaErrorMemoryAllocation);
    }
    for (uint64_t done = 0; done < count; done += BATCH) {
        uint64_t now = count - done < BATCH ? count - done : BATCH;

        for (uint64_t c = 0; c < 2; c++) {
            ALIAS_GPU_TRY(copy_column(columns[c] + done * word, words, rows + (2 * done + c) * word,
                                      now, word, upload));
        }
    }
done:
    free(words);
    return st;
}

/* Copies count rows, from row first on, to pairs in host memory, or (upload) back. */
static int copy_rows(const alias_table *table, uint64_t first, uint64_t count, void *rows,
                     bool upload)
{
    const uint64_t bytes = (uint64_t)table->row_bytes;
    char *device = (char *)table->rows + first * bytes;
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    if (state_of(table)->alias != NULL) {
        ALIAS_TRY(copy_soa(table, first, count, rows, upload));
    } else if (upload) {
        ALIAS_GPU_TRY(cudaMemcpy(device, rows, count * bytes, cudaMemcpyHostToDevice));
    } else {
        ALIAS_GPU_TRY(cudaMemcpy(rows, device, count * bytes, cudaMemcpyDeviceToHost));
    }
    if (upload) { /* cudaMemcpy() may return before the copy to the device is complete */
        ALIAS_GPU_TRY(cudaStreamSynchronize(NULL));
    }
done:
    alias_gpu_leave(before);
    return st;
}

static int upload_rows(alias_table *table, const void *rows)
{
    return copy_rows(table, 0, table->n, (void *)rows, true);
}

static int get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    union {
        alias_row8 narrow;
        alias_row16 wide;
    } r;
    int st = copy_rows(table, i, 1, &r, false);

    if (st == ALIAS_OK) {
        *row = alias_logical_row(&r, table->row_bytes, table->k, i);
    }
    return st;
}

static int download_rows(const alias_table *table, void *rows)
{
    return copy_rows(table, 0, table->n, rows, false);
}

alias_view alias_gpu_view(const alias_table *table)
{
    return (alias_view){table->rows, state_of(table)->alias, table->n, table->k, table->row_bytes};
}

typedef int (*builder_kernels)(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);

/* NULL for a builder that has no kernels. */
static builder_kernels kernels_of(alias_builder builder)
{
    static const builder_kernels kernels[] = {[ALIAS_BUILDER_PSA] = alias_gpu_psa,
                                              [ALIAS_BUILDER_PSA_PLUS] = alias_gpu_psa_plus,
                                              [ALIAS_BUILDER_MERGE] = alias_gpu_merge};

    return (unsigned)builder < sizeof(kernels) / sizeof(kernels[0]) ? kernels[builder] : NULL;
}

static bool has_kernels(alias_builder builder)
{
    return kernels_of(builder) != NULL;
}

/* Starts the kernels of a build or, if the arena only measures, adds up their scratch memory. */
static int launch_build(alias_table *table, const alias_input *input, alias_arena *arena,
                        cudaStream_t stream)
{
    alias_gpu_state *state = state_of(table);
    builder_kernels build_from_host = kernels_of(table->builder);
    alias_gpu_job job = {{table->rows, state->alias, table->n, table->k, table->row_bytes},
                         {.weights = input->weights,
                          .masses = input->masses,
                          .n = table->n,
                          .k = table->k,
                          .scalars = state->scalars},
                         &table->config,
                         state->multiprocessors};

    ALIAS_OR_RETURN(input->masses != NULL ? alias_gpu_plan_masses(&job.plan, arena, stream)
                                          : alias_gpu_plan_weights(&job.plan, arena, stream));
    /* Only PSA+ can build the table of a sequential builder again, with new weights. */
    return (build_from_host != NULL ? build_from_host : alias_gpu_psa_plus)(&job, arena, stream);
}

static size_t scratch_bytes(alias_table *table)
{
    alias_arena arena = {NULL, 0};

    (void)launch_build(table, &(alias_input){NULL, NULL, NULL}, &arena, NULL);
    return arena.used;
}

static int start_build(alias_table *table, const alias_input *input, void *scratch,
                       cudaStream_t stream)
{
    alias_arena arena = {scratch, 0};
    int st = launch_build(table, input, &arena, stream);

    return st != ALIAS_OK ? st : alias_gpu_status(cudaEventRecord(state_of(table)->built, stream));
}

/* Waits for the last build and returns its status. */
static int finish_build(alias_table *table, uint64_t *bad)
{
    alias_gpu_state *state = state_of(table);
    alias_gpu_scalars scalars;

    ALIAS_GPU_OR_RETURN(cudaEventSynchronize(state->built));
    ALIAS_GPU_OR_RETURN(
        cudaMemcpy(&scalars, state->scalars, sizeof(scalars), cudaMemcpyDeviceToHost));
    if (bad != NULL && (scalars.status == ALIAS_ERR_NAN || scalars.status == ALIAS_ERR_INFINITE ||
                        scalars.status == ALIAS_ERR_NEGATIVE)) {
        *bad = scalars.bad;
    }
    return scalars.status;
}

/* Builds from device memory, with its own scratch memory, and waits. */
static int build_now(alias_table *table, const alias_input *input, cudaStream_t stream)
{
    void *scratch = NULL;
    int st;

    ALIAS_GPU_TRY(cudaMalloc(&scratch, scratch_bytes(table)));
    ALIAS_TRY(start_build(table, input, scratch, stream));
    ALIAS_TRY(finish_build(table, input->bad));
done:
    (void)cudaFree(scratch);
    return st;
}

static int build_on_host(alias_table *table, const alias_input *input)
{
    alias_config config = table->config;
    alias_table *host = NULL;
    int st;

    config.backend = ALIAS_BACKEND_CPU;
    config.row_bytes = table->row_bytes;
    st = input->weights != NULL ? alias_create(&host, &config, input->weights, table->n, input->bad)
                                : alias_create_masses(&host, &config, input->masses, table->n);
    if (st == ALIAS_OK) {
        st = upload_rows(table, host->rows);
    }
    alias_destroy(host);
    return st;
}

/* Copies weights or masses to the GPU and builds there. */
static int build_on_gpu(alias_table *table, const alias_input *input)
{
    const void *from = input->weights != NULL ? (const void *)input->weights : input->masses;
    alias_input device = *input;
    void *copy = NULL;
    int st;

    ALIAS_GPU_TRY(cudaMalloc(&copy, table->n * 8));
    ALIAS_GPU_TRY(cudaMemcpy(copy, from, table->n * 8, cudaMemcpyHostToDevice));
    device.weights = input->weights != NULL ? copy : NULL;
    device.masses = input->weights != NULL ? NULL : copy;
    ALIAS_TRY(build_now(table, &device, NULL));
done:
    (void)cudaFree(copy);
    return st;
}

/* Builds from host memory. */
static int build_from_host(alias_table *table, const alias_input *input)
{
    int before, st;

    ALIAS_OR_RETURN(allocate_table(table));
    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = has_kernels(table->builder) ? build_on_gpu(table, input) : build_on_host(table, input);
    alias_gpu_leave(before);
    return st;
}

static size_t build_bytes(const alias_table *table)
{
    alias_table copy = *table;

    return scratch_bytes(&copy);
}

static int build_async(alias_table *table, const double *weights, void *scratch, void *stream)
{
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = start_build(table, &(alias_input){weights, NULL, NULL}, scratch, stream);
    alias_gpu_leave(before);
    return st;
}

static int build_wait(alias_table *table, uint64_t *bad)
{
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = finish_build(table, bad);
    alias_gpu_leave(before);
    return st;
}

static int build_from_device(alias_table *table, const double *weights, void *stream, uint64_t *bad)
{
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = build_now(table, &(alias_input){weights, NULL, bad}, stream);
    alias_gpu_leave(before);
    return st;
}

const alias_gpu_backend alias_gpu_cuda = {.ops = {.build = build_from_host,
                                                  .get_row = get_row,
                                                  .sample = alias_gpu_sample,
                                                  .destroy = release_table,
                                                  .sections = alias_gpu_sections},
                                          .count = count_gpus,
                                          .error = last_error,
                                          .missing = why_missing,
                                          .has_kernels = has_kernels,
                                          .allocate = allocate_table,
                                          .build_now = build_from_device,
                                          .build_bytes = build_bytes,
                                          .build_async = build_async,
                                          .build_wait = build_wait,
                                          .upload = upload_rows,
                                          .download = download_rows,
                                          .view = alias_gpu_view,
                                          .sample_device = alias_gpu_sample_device,
                                          .best_sampler = alias_gpu_best_sampler};
