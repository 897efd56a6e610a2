/* Tallies on a GPU in a build without CUDA. */
#include "rmat/tally/tally.h"

int rmat_gpu_tally(const rmat_gen *gen, uint64_t first, uint64_t count, int id_bytes,
                   const rmat_tally_request *request, rmat_tally *tally)
{
    (void)gen, (void)first, (void)count, (void)id_bytes, (void)request, (void)tally;
    return RMAT_ERR_NO_BACKEND;
}
