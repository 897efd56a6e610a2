/* Copies of a table in the memory of every GPU that needs one: a list, one element for each GPU. */
#include "rmat/gpu/copies.h"
#include "alias/gpu/device.h"
#include "rmat/gpu/backend.h"
#include "rmat/try.h"

#include <pthread.h>
#include <stdlib.h>

struct rmat_gpu_copies {
    rmat_gpu_copies *next;
    void *memory;
    int device;
};

/* Of all lists: held for microseconds, or once while a copy is made. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int make(rmat_gpu_copies *c, const void *host, size_t bytes)
{
    int st;

    RMAT_TRY_CUDA(cudaMalloc(&c->memory, bytes));
    RMAT_TRY_CUDA(cudaMemcpy(c->memory, host, bytes, cudaMemcpyHostToDevice));
    RMAT_TRY_CUDA(cudaStreamSynchronize(NULL)); /* for streams that do not wait for this one */
done:
    return st;
}

static int find(rmat_gpu_copies **copies, int device, const void *host, size_t bytes,
                const void **copy)
{
    rmat_gpu_copies *c = *copies;
    int st = RMAT_OK;

    while (c != NULL && c->device != device) {
        c = c->next;
    }
    if (c == NULL) {
        c = calloc(1, sizeof *c);
        if (c == NULL) {
            return RMAT_ERR_NOMEM;
        }
        c->device = device;
        st = make(c, host, bytes);
        if (st != RMAT_OK) {
            (void)cudaFree(c->memory);
            free(c);
            return st;
        }
        c->next = *copies;
        *copies = c;
    }
    *copy = c->memory;
    return st;
}

int rmat_gpu_copy(rmat_gpu_copies **copies, const void *host, size_t bytes, const void **copy)
{
    int device, st;

    RMAT_TRY_CUDA(cudaGetDevice(&device));
    pthread_mutex_lock(&lock);
    st = find(copies, device, host, bytes, copy);
    pthread_mutex_unlock(&lock);
done:
    return st;
}

void rmat_gpu_copies_free(rmat_gpu_copies *copies)
{
    while (copies != NULL) {
        rmat_gpu_copies *next = copies->next;
        int before;

        if (alias_gpu_enter(copies->device, &before) == ALIAS_OK) {
            (void)cudaFree(copies->memory);
            alias_gpu_leave(before);
        }
        free(copies);
        copies = next;
    }
}
