/*
 * alias/gpu/backend.c - tables on a GPU: devices and errors, memory, builds, and the table of
 * functions by which the rest of alias/ calls the GPU.
 *
 * Builders with kernels build in device memory, from weights there.  Sequential builders, and
 * builds from masses, which are in host memory, make a CPU table and copy its rows.
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
    ALIAS_GPU_TRY(cudaMalloc(&table->rows, table->n * (uint64_t)table->row_bytes));
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

static alias_gpu_state *state_of(const alias_table *table)
{
    return table->gpu;
}

static int get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    const uint64_t bytes = (uint64_t)table->row_bytes;
    union {
        alias_row8 narrow;
        alias_row16 wide;
    } stored;
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    ALIAS_GPU_TRY(
        cudaMemcpy(&stored, (char *)table->rows + i * bytes, bytes, cudaMemcpyDeviceToHost));
    *row = alias_logical_row(&stored, table->row_bytes, table->k, i);
done:
    alias_gpu_leave(before);
    return st;
}

static alias_view view_of(const alias_table *table)
{
    return (alias_view){table->rows, table->n, table->k, table->row_bytes};
}

typedef int (*builder_kernels)(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);

/* NULL for a builder that has no kernels. */
static builder_kernels kernels_of(alias_builder builder)
{
    static const builder_kernels kernels[] = {
        [ALIAS_BUILDER_PSA] = alias_gpu_psa, [ALIAS_BUILDER_PSA_PLUS] = alias_gpu_psa_plus};

    return (unsigned)builder < sizeof(kernels) / sizeof(kernels[0]) ? kernels[builder] : NULL;
}

static bool has_kernels(alias_builder builder)
{
    return kernels_of(builder) != NULL;
}

/* Starts the kernels of a build or, if the arena only measures, adds up their scratch memory. */
static int launch_build(const alias_table *table, const double *weights, alias_arena *arena,
                        cudaStream_t stream)
{
    alias_gpu_state *state = state_of(table);
    builder_kernels build = kernels_of(table->builder);
    alias_gpu_job job = {
        view_of(table),
        {.weights = weights, .n = table->n, .k = table->k, .scalars = state->scalars},
        &table->config,
        state->multiprocessors};

    ALIAS_OR_RETURN(alias_gpu_plan_weights(&job.plan, arena, stream));
    /* Only PSA+ can build the table of a sequential builder again, with new weights. */
    return (build != NULL ? build : alias_gpu_psa_plus)(&job, arena, stream);
}

static size_t scratch_bytes(const alias_table *table)
{
    alias_arena arena = {NULL, 0};

    (void)launch_build(table, NULL, &arena, NULL);
    return arena.used;
}

static int start_build(const alias_table *table, const double *weights, void *scratch,
                       cudaStream_t stream)
{
    alias_arena arena = {scratch, 0};

    ALIAS_OR_RETURN(launch_build(table, weights, &arena, stream));
    return alias_gpu_status(cudaEventRecord(state_of(table)->built, stream));
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
static int build_and_wait(alias_table *table, const double *weights, void *stream, uint64_t *bad)
{
    void *scratch = NULL;
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    ALIAS_GPU_TRY(cudaMalloc(&scratch, scratch_bytes(table)));
    ALIAS_TRY(start_build(table, weights, scratch, stream));
    ALIAS_TRY(finish_build(table, bad));
done:
    (void)cudaFree(scratch);
    alias_gpu_leave(before);
    return st;
}

/* Builds a CPU table and copies its rows. */
static int build_on_host(alias_table *table, const alias_input *input)
{
    alias_config config = table->config;
    alias_table *host = NULL;
    int st;

    config.backend = ALIAS_BACKEND_CPU;
    config.builder = table->builder;
    config.row_bytes = table->row_bytes;
    ALIAS_TRY(input->weights != NULL
                  ? alias_create(&host, &config, input->weights, table->n, input->bad)
                  : alias_create_masses(&host, &config, input->masses, table->n));
    ALIAS_GPU_TRY(cudaMemcpy(table->rows, host->rows, table->n * (uint64_t)table->row_bytes,
                             cudaMemcpyHostToDevice));
    /* cudaMemcpy() may return before the copy to the device is complete. */
    ALIAS_GPU_TRY(cudaStreamSynchronize(NULL));
done:
    alias_destroy(host);
    return st;
}

/* Copies the weights to the GPU and builds there. */
static int build_on_gpu(alias_table *table, const alias_input *input)
{
    void *weights = NULL;
    int st;

    ALIAS_GPU_TRY(cudaMalloc(&weights, table->n * sizeof(double)));
    ALIAS_GPU_TRY(
        cudaMemcpy(weights, input->weights, table->n * sizeof(double), cudaMemcpyHostToDevice));
    ALIAS_TRY(build_and_wait(table, weights, NULL, input->bad));
done:
    (void)cudaFree(weights);
    return st;
}

/* Builds from host memory. */
static int build_from_host(alias_table *table, const alias_input *input)
{
    const bool on_gpu = has_kernels(table->builder) && input->weights != NULL;
    int before, st;

    ALIAS_OR_RETURN(allocate_table(table));
    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = on_gpu ? build_on_gpu(table, input) : build_on_host(table, input);
    alias_gpu_leave(before);
    return st;
}

static int build_async(alias_table *table, const double *weights, void *scratch, void *stream)
{
    int before, st;

    ALIAS_OR_RETURN(alias_gpu_enter(state_of(table)->device, &before));
    st = start_build(table, weights, scratch, stream);
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
                                          .build_now = build_and_wait,
                                          .build_bytes = scratch_bytes,
                                          .build_async = build_async,
                                          .build_wait = build_wait,
                                          .view = view_of,
                                          .sample_device = alias_gpu_sample_device,
                                          .best_sampler = alias_gpu_best_sampler};
