/* Counts of edges that are stored in device memory: the permutation comes from the generator. */
#include "rmat/tally/stored.h"
#include "rmat/model/generator.h"

int rmat_tally_stored(const rmat_gen *gen, void *src, void *dst, uint64_t count, int id_bytes,
                      rmat_tally *tally, void *stream)
{
    const bool permuted = gen != NULL && gen->config.permute;

    return rmat_gpu_tally_stored(permuted ? gen->view.permutation : NULL, src, dst, count, id_bytes,
                                 tally, stream);
}
