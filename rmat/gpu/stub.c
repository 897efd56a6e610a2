/* The GPU backend of a build without CUDA: every public function exists and says that it is not
 * there. */
#include "rmat/model/gapbs.h"
#include "rmat/model/generator.h"
#include "rmat/model/graph500.h"
#include "rmat/rmat_gpu.h"

#include <stddef.h>

const rmat_backend_ops *rmat_gpu_backend(void)
{
    return NULL;
}

int rmat_gpu_count(void)
{
    return 0;
}

const char *rmat_gpu_error(void)
{
    return "";
}

int rmat_used_device(const rmat_gen *gen)
{
    (void)gen;
    return -1;
}

int rmat_generate_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst, void *stream)
{
    (void)gen, (void)first, (void)count, (void)src, (void)dst, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_generate32_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t *src,
                           uint32_t *dst, void *stream)
{
    (void)gen, (void)first, (void)count, (void)src, (void)dst, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_generate_pairs_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *pairs,
                               void *stream)
{
    (void)gen, (void)first, (void)count, (void)pairs, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_generate_pairs32_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                 uint32_t *pairs, void *stream)
{
    (void)gen, (void)first, (void)count, (void)pairs, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream)
{
    (void)gen, (void)first, (void)count, (void)arrays, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream)
{
    (void)src, (void)dst, (void)count, (void)id_bytes, (void)result, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_get_device_view(const rmat_gen *gen, rmat_view *view)
{
    (void)gen, (void)view;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties)
{
    (void)gen, (void)blocks, (void)edges, (void)stream, (void)ties;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_ties_end(const rmat_ties *ties, void *stream)
{
    (void)ties, (void)stream;
    return RMAT_ERR_NO_BACKEND;
}

void rmat_gpu_copies_free(rmat_gpu_copies *copies)
{
    (void)copies;
}

rmat_source_fill_device *rmat_gpu_graph500(void)
{
    return NULL;
}

rmat_source_fill_device *rmat_gpu_gapbs(void)
{
    return NULL;
}

int rmat_gpu_status(int error)
{
    (void)error;
    return RMAT_ERR_NO_BACKEND;
}

int rmat_gpu_launched(void)
{
    return RMAT_ERR_NO_BACKEND;
}
