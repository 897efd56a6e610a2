/*
 * alias/gpu/backend.c - the GPU's set of operations, and the functions of alias/alias_gpu.h that
 * build tables.
 *
 * Builders with kernels build where the weights are, in device memory.  The others, which are
 * sequential, build a CPU table whose rows are then copied.
 */
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stdlib.h>

typedef int (*builder_kernels)(const alias_gpu_job *job, alias_arena *arena, cudaStream_t stream);

/* NULL for a builder that has no kernels. */
static builder_kernels kernels_of(alias_builder builder)
{
    static const builder_kernels kernels[] = {[ALIAS_BUILDER_PSA] = alias_gpu_psa,
                                              [ALIAS_BUILDER_PSA_PLUS] = alias_gpu_psa_plus,
                                              [ALIAS_BUILDER_MERGE] = alias_gpu_merge};

    return (unsigned)builder < sizeof(kernels) / sizeof(kernels[0]) ? kernels[builder] : NULL;
}

static alias_gpu_state *state_of(const alias_table *table)
{
    return table->gpu;
}

/* Starts the kernels of a build or, if the arena only measures, adds up the memory they need. */
static int launch(alias_table *table, const alias_input *input, alias_arena *arena,
                  cudaStream_t stream)
{
    alias_gpu_state *state = state_of(table);
    builder_kernels build = kernels_of(table->builder);
    alias_gpu_job job = {{table->rows, state->alias, table->n, table->k, table->row_bytes},
                         {.weights = input->weights,
                          .masses = input->masses,
                          .n = table->n,
                          .k = table->k,
                          .scalars = state->scalars},
                         &table->config,
                         state->multiprocessors};
    int st = input->masses != NULL ? alias_gpu_plan_masses(&job.plan, arena, stream)
                                   : alias_gpu_plan_weights(&job.plan, arena, stream);

    if (st != ALIAS_OK) {
        return st;
    }
    /* A table from a sequential builder can be built again, with new weights, only by PSA+. */
    return (build != NULL ? build : alias_gpu_psa_plus)(&job, arena, stream);
}

static size_t scratch_bytes(alias_table *table)
{
    alias_arena arena = {NULL, 0};

    (void)launch(table, &(alias_input){NULL, NULL, NULL}, &arena, NULL);
    return arena.used;
}

static int start(alias_table *table, const alias_input *input, void *scratch, cudaStream_t stream)
{
    alias_arena arena = {scratch, 0};
    int st = launch(table, input, &arena, stream);

    return st != ALIAS_OK ? st : alias_gpu_status(cudaEventRecord(state_of(table)->built, stream));
}

/* Waits for the last build; its status. */
static int finish(alias_table *table, uint64_t *bad)
{
    alias_gpu_state *state = state_of(table);
    alias_gpu_scalars scalars;
    int st;

    ALIAS_GPU_TRY(cudaEventSynchronize(state->built));
    ALIAS_GPU_TRY(cudaMemcpy(&scalars, state->scalars, sizeof(scalars), cudaMemcpyDeviceToHost));
    if (bad != NULL && (scalars.status == ALIAS_ERR_NAN || scalars.status == ALIAS_ERR_INFINITE ||
                        scalars.status == ALIAS_ERR_NEGATIVE)) {
        *bad = scalars.bad;
    }
    st = scalars.status;
done:
    return st;
}

/* Builds from device memory, with scratch memory of its own, and waits. */
static int build_now(alias_table *table, const alias_input *input, cudaStream_t stream)
{
    void *scratch = NULL;
    int st;

    ALIAS_GPU_TRY(cudaMalloc(&scratch, scratch_bytes(table)));
    ALIAS_TRY(start(table, input, scratch, stream));
    ALIAS_TRY(finish(table, input->bad));
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
        st = alias_gpu_upload(table, host->rows);
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

/* From host memory. */
static int build(alias_table *table, const alias_input *input)
{
    int before, st = alias_gpu_allocate(table);

    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_gpu_enter(state_of(table)->device, &before);
    if (st != ALIAS_OK) {
        return st;
    }
    st = kernels_of(table->builder) != NULL ? build_on_gpu(table, input)
                                            : build_on_host(table, input);
    alias_gpu_leave(before);
    return st;
}

const alias_ops *alias_gpu_ops(void)
{
    static const alias_ops ops = {.build = build,
                                  .get_row = alias_gpu_get_row,
                                  .sample32 = alias_gpu_sample32,
                                  .sample64 = alias_gpu_sample64,
                                  .destroy = alias_gpu_release,
                                  .sections32 = alias_gpu_sections32,
                                  .sections64 = alias_gpu_sections64};

    return alias_gpu_count() > 0 ? &ops : NULL;
}

int alias_prepare(alias_table **out, const alias_config *config, uint64_t n)
{
    const alias_ops *ops = alias_gpu_ops();
    int st;

    if (out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = NULL;
    if (config != NULL && config->backend == ALIAS_BACKEND_CPU) {
        return ALIAS_ERR_ARG;
    }
    if (config != NULL && config->builder != ALIAS_BUILDER_AUTO &&
        kernels_of(config->builder) == NULL) {
        return ALIAS_ERR_ARG;
    }
    if (ops == NULL) {
        return ALIAS_ERR_NO_BACKEND;
    }
    ALIAS_TRY(alias_table_new(out, config, n, ops));
    ALIAS_TRY(alias_gpu_allocate(*out));
done:
    if (st != ALIAS_OK) {
        alias_destroy(*out);
        *out = NULL;
    }
    return st;
}

size_t alias_build_bytes(const alias_table *table)
{
    alias_table copy;

    if (table == NULL || table->gpu == NULL) {
        return 0;
    }
    copy = *table;
    return scratch_bytes(&copy);
}

int alias_build_async(alias_table *table, const double *weights, void *scratch, void *stream)
{
    int before, st;

    if (table == NULL || table->gpu == NULL || weights == NULL || scratch == NULL) {
        return ALIAS_ERR_ARG;
    }
    st = alias_gpu_enter(state_of(table)->device, &before);
    if (st == ALIAS_OK) {
        st = start(table, &(alias_input){weights, NULL, NULL}, scratch, stream);
        alias_gpu_leave(before);
    }
    return st;
}

int alias_build_wait(alias_table *table, uint64_t *bad)
{
    int before, st;

    if (table == NULL || table->gpu == NULL) {
        return ALIAS_ERR_ARG;
    }
    st = alias_gpu_enter(state_of(table)->device, &before);
    if (st == ALIAS_OK) {
        st = finish(table, bad);
        alias_gpu_leave(before);
    }
    return st;
}

int alias_create_device(alias_table **out, const alias_config *config, const double *weights,
                        uint64_t n, void *stream, uint64_t *bad)
{
    int before, st;

    if (out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = NULL;
    if (weights == NULL) {
        return ALIAS_ERR_ARG;
    }
    st = alias_prepare(out, config, n);
    if (st != ALIAS_OK) {
        return st;
    }
    st = alias_gpu_enter(state_of(*out)->device, &before);
    if (st == ALIAS_OK) {
        st = build_now(*out, &(alias_input){weights, NULL, bad}, stream);
        alias_gpu_leave(before);
    }
    if (st != ALIAS_OK) {
        alias_destroy(*out);
        *out = NULL;
    }
    return st;
}
