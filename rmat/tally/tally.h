/* tally.h - private to rmat/: rmat_tally_stream() on the generator's GPU (gpu.cu).  first counts
 * from the beginning of the stream; id_bytes: 4 where both scales allow it, else 8. */
#ifndef RMAT_TALLY_TALLY_H
#define RMAT_TALLY_TALLY_H

#include "rmat/rmat_tally.h"

#ifdef __cplusplus
extern "C" {
#endif

int rmat_gpu_tally(const rmat_gen *gen, uint64_t first, uint64_t count, int id_bytes,
                   const rmat_tally_request *request, rmat_tally *tally);

#ifdef __cplusplus
}
#endif

#endif
