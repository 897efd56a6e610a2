/*
 * Memory and time of a GPU, for the benchmarks.  Functions that return int return an rmat_status;
 * in a build without CUDA it is RMAT_ERR_NO_BACKEND.
 */
#ifndef APPS_BENCH_DEVICE_H
#define APPS_BENCH_DEVICE_H

#include "rmat/rmat.h"
#include <stdbool.h>
#include <stdlib.h>

/* Make this GPU the current one of the thread; *available becomes the bytes that are free on it. */
int device_select(int device, uint64_t *available);

int device_alloc(void **place, size_t bytes);
void device_release(void *place); /* NULL is allowed */

/* Wait until all work of the current GPU is done. */
int device_wait(void);

/* The same in host memory, or on the GPU. */
static inline int place_alloc(bool gpu, void **place, size_t bytes)
{
    if (gpu) {
        return device_alloc(place, bytes);
    }
    *place = malloc(bytes);
    return *place != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

static inline void place_release(bool gpu, void *place)
{
    (gpu ? device_release : free)(place);
}

/* The time between two events of the default stream, by the GPU's clock. */
typedef struct {
    void *begin, *end;
} device_span;

/* *seconds becomes the time since device_span_begin(), when all that was started is done.  Each
 * begin has an end, also after a failure in between. */
int device_span_begin(device_span *span);
int device_span_end(device_span *span, double *seconds);

#endif
