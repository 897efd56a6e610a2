/* Rows from and to the GPU's memory. */
#include "alias/core/draw.h"
#include "alias/gpu/state.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 20 }; /* rows whose thresholds and aliases are put together at a time */

static alias_gpu_state *state_of(const alias_table *table)
{
    return table->gpu;
}

/* Copies count rows from first on out of (or, upload, into) a struct of arrays; rows are pairs. */
static cudaError_t copy_soa(const alias_table *table, uint64_t first, uint64_t count, char *rows,
                            int upload)
{
    const uint64_t word = (uint64_t)table->row_bytes / 2;
    char *arrays[2] = {(char *)table->rows + first * word,
                       (char *)state_of(table)->alias + first * word};
    cudaError_t error = cudaSuccess;

    for (uint64_t done = 0; done < count && error == cudaSuccess; done += PIECE) {
        uint64_t now = count - done < PIECE ? count - done : PIECE;
        char *words = malloc(now * word);

        if (words == NULL) {
            return cudaErrorMemoryAllocation;
        }
        for (int a = 0; a < 2 && error == cudaSuccess; a++) {
            char *device = arrays[a] + done * word;
            char *pair = rows + done * 2 * word + (uint64_t)a * word;

            if (upload) {
                for (uint64_t i = 0; i < now; i++) {
                    memcpy(words + i * word, pair + 2 * i * word, word);
                }
                error = cudaMemcpy(device, words, now * word, cudaMemcpyHostToDevice);
            } else {
                error = cudaMemcpy(words, device, now * word, cudaMemcpyDeviceToHost);
                for (uint64_t i = 0; i < now; i++) {
                    memcpy(pair + 2 * i * word, words + i * word, word);
                }
            }
        }
        free(words);
    }
    return error;
}

static int copy(const alias_table *table, uint64_t first, uint64_t count, void *rows, int upload)
{
    const uint64_t bytes = (uint64_t)table->row_bytes;
    char *device = (char *)table->rows + first * bytes;
    cudaError_t error;
    int before, st = alias_gpu_enter(state_of(table)->device, &before);

    if (st != ALIAS_OK) {
        return st;
    }
    if (state_of(table)->alias != NULL) {
        error = copy_soa(table, first, count, rows, upload);
    } else if (upload) {
        error = cudaMemcpy(device, rows, count * bytes, cudaMemcpyHostToDevice);
    } else {
        error = cudaMemcpy(rows, device, count * bytes, cudaMemcpyDeviceToHost);
    }
    if (error == cudaSuccess && upload) {
        error = cudaStreamSynchronize(NULL); /* a copy from host memory may still be on its way */
    }
    st = alias_gpu_status(error);
    alias_gpu_leave(before);
    return st;
}

int alias_gpu_upload(alias_table *table, const void *rows)
{
    return copy(table, 0, table->n, (void *)rows, 1);
}

int alias_gpu_get_row(const alias_table *table, uint64_t i, alias_row *row)
{
    union {
        alias_row8 narrow;
        alias_row16 wide;
    } r;
    int st = copy(table, i, 1, &r, 0);

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
    st = alias_cpu_empty(out, table);
    if (st == ALIAS_OK) {
        st = copy(table, 0, table->n, (*out)->rows, 0);
    }
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
    st = alias_table_new(out, &config, table->n, ops);
    if (st == ALIAS_OK) {
        st = alias_gpu_allocate(*out);
    }
    if (st == ALIAS_OK) {
        st = alias_gpu_upload(*out, table->rows);
    }
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
