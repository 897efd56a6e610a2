/* Stands in for the GPU in a build without CUDA. */
#include "apps/bench/csr.h"

#include <stddef.h>

const csr_backend *csr_on_gpu(void)
{
    return NULL;
}

int csr_verify(const rmat_gen *gen, const rmat_interval *b, const rmat_cell *first,
               const rmat_cell *end, uint64_t stream, bool unique, bool *right)
{
    (void)gen, (void)b, (void)first, (void)end, (void)stream, (void)unique, (void)right;
    return RMAT_ERR_NO_BACKEND;
}
