/* alias/gpu/copy.c - copies of rows between host memory and a table on a GPU. */
#include "alias/gpu/state.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 20 }; /* rows that are joined from thresholds and aliases at a time */

static alias_gpu_state *state_of(const alias_table *table)
{
    return table->gpu;
}

/* Copies one of a struct of arrays' two columns, from row first on; words are its host copy, and
 * pairs the rows' words in host memory, every other one of which belongs to the column. */
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
static int copy(const alias_table *table, uint64_t first, uint64_t count, void *rows, bool upload)
{
    const uint64_t bytes = (uint64_t)table->row_bytes;
    char *device = (char *)table->rows + first * bytes;
    int before, st = alias_gpu_enter(state_of(table)->device, &before);

    if (st != ALIAS_OK) {
        return st;
    }
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

int alias_gpu_upload(alias_table *table, const void *rows)
{
    return copy(table, 0, table->n, (void *)rows, true);
}

int alias_gpu_get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    union {
        alias_row8 narrow;
        alias_row16 wide;
    } r;
    int st = copy(table, i, 1, &r, false);

    if (st == ALIAS_OK) {
        *row = alias_logical_row(&r, table->row_bytes, table->k, i);
    }
    return st;
}

int alias_copy_to_host(alias_table **out, const alias_table *table)
{
    int st;

    if (out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = NULL;
    if (table == NULL || table->gpu == NULL) {
        return ALIAS_ERR_ARG;
    }
    ALIAS_TRY(alias_cpu_empty(out, table));
    ALIAS_TRY(copy(table, 0, table->n, (*out)->rows, false));
done:
    if (st != ALIAS_OK) {
        alias_destroy(*out);
        *out = NULL;
    }
    return st;
}

int alias_copy_to_device(alias_table **out, const alias_table *table, int device)
{
    const alias_ops *ops = alias_gpu_ops();
    alias_config config;
    int st;

    if (out == NULL) {
        return ALIAS_ERR_ARG;
    }
    *out = NULL;
    if (table == NULL || table->gpu != NULL) {
        return ALIAS_ERR_ARG;
    }
    if (ops == NULL) {
        return ALIAS_ERR_NO_BACKEND;
    }
    config = table->config;
    config.row_bytes = table->row_bytes;
    config.builder = table->builder;
    config.device = device;
    ALIAS_TRY(alias_table_new(out, &config, table->n, ops));
    ALIAS_TRY(alias_gpu_allocate(*out));
    ALIAS_TRY(alias_gpu_upload(*out, table->rows));
done:
    if (st != ALIAS_OK) {
        alias_destroy(*out);
        *out = NULL;
    }
    return st;
}

int alias_get_view(const alias_table *table, alias_view *view)
{
    if (table == NULL || view == NULL || table->gpu == NULL) {
        return ALIAS_ERR_ARG;
    }
    *view = (alias_view){table->rows, state_of(table)->alias, table->n, table->k, table->row_bytes};
    return ALIAS_OK;
}
