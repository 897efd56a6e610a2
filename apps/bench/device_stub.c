/* Built without CUDA instead of what needs it.  There are no GPUs then, so that nobody gets here.
 */
#include "apps/bench/bench.h"
#include "apps/bench/device.h"
#include "apps/bench/gpu_kernels.h"

int device_select(int device, uint64_t *available)
{
    (void)device;
    *available = 0;
    return RMAT_ERR_NO_BACKEND;
}

int device_alloc(void **place, size_t bytes)
{
    (void)bytes;
    *place = NULL;
    return RMAT_ERR_NO_BACKEND;
}

void device_release(void *place)
{
    (void)place;
}

int device_wait(void)
{
    return RMAT_ERR_NO_BACKEND;
}

int device_span_begin(device_span *span)
{
    (void)span;
    return RMAT_ERR_NO_BACKEND;
}

int device_span_end(device_span *span, double *seconds)
{
    (void)span, (void)seconds;
    return RMAT_ERR_NO_BACKEND;
}

int csr_verify(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *first,
               const rmat_cell *end, uint64_t stream, bool unique, bool *right)
{
    (void)gen, (void)b, (void)first, (void)end, (void)stream, (void)unique, (void)right;
    return RMAT_ERR_NO_BACKEND;
}

int bench_gpu(const bench_job *job, bool models, double seconds)
{
    (void)job, (void)models, (void)seconds;
    return EXIT_RUNTIME;
}
