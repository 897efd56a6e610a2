/*
 * rmat_gpu.c - the functions of rmat_gpu.h. They check their arguments and call the GPU backend
 * (model/gpu.h).  A build without CUDA has no such backend.
 */
#include "rmat/rmat_gpu.h"
#include "alias/alias_gpu.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"

int rmat_gpu_count(void)
{
    return alias_gpu_count();
}

const char *rmat_gpu_error(void)
{
    return alias_gpu_error();
}

int rmat_used_device(const rmat_gen *gen)
{
    return gen->gpu != NULL ? rmat_gpu()->used_device(gen) : -1;
}

/* Checks, and starts one range into device memory. */
static int start_on_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                           const rmat_arrays *to, bool pairs, void *stream)
{
    int st = RMAT_ERR_ARG;

    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    if (to != NULL && (to->id_bytes == 4 || to->id_bytes == 8)) {
        st = rmat_check_range(gen, first, count, to->src, to->dst, to->id_bytes);
    }
    if (st != RMAT_OK) {
        return st;
    }
    if (gen->gpu == NULL || (uintptr_t)to->src % (unsigned)to->id_bytes ||
        (uintptr_t)to->dst % (unsigned)to->id_bytes || (uintptr_t)to->weight % 4) {
        return RMAT_ERR_ARG;
    }
    if (to->weight != NULL && gen->config.weights == RMAT_NO_WEIGHTS) {
        return RMAT_ERR_WEIGHTS;
    }
    return count == 0
               ? RMAT_OK
               : rmat_gpu()->start(gen, rmat_stream_first(gen) + first, count, to, pairs, stream);
}

int rmat_generate_arrays_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                const rmat_arrays *arrays, void *stream)
{
    return start_on_device(gen, first, count, arrays, false, stream);
}

int rmat_generate_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *src,
                         uint64_t *dst, void *stream)
{
    return start_on_device(gen, first, count, &(rmat_arrays){src, dst, NULL, 8}, false, stream);
}

int rmat_generate32_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint32_t *src,
                           uint32_t *dst, void *stream)
{
    return start_on_device(gen, first, count, &(rmat_arrays){src, dst, NULL, 4}, false, stream);
}

int rmat_generate_pairs_device(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *pairs,
                               void *stream)
{
    uint64_t *dst = pairs != NULL ? pairs + 1 : NULL;

    return start_on_device(gen, first, count, &(rmat_arrays){pairs, dst, NULL, 8}, true, stream);
}

int rmat_generate_pairs32_device(const rmat_gen *gen, uint64_t first, uint64_t count,
                                 uint32_t *pairs, void *stream)
{
    uint32_t *dst = pairs != NULL ? pairs + 1 : NULL;

    return start_on_device(gen, first, count, &(rmat_arrays){pairs, dst, NULL, 4}, true, stream);
}

int rmat_fingerprint_device(const void *src, const void *dst, uint64_t count, int id_bytes,
                            uint64_t *result, void *stream)
{
    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    if (result == NULL || (id_bytes != 4 && id_bytes != 8) ||
        (count != 0 && (src == NULL || dst == NULL))) {
        return RMAT_ERR_ARG;
    }
    return count == 0 ? RMAT_OK
                      : rmat_gpu()->fingerprint(src, dst, count, id_bytes, result, stream);
}

int rmat_get_device_view(const rmat_gen *gen, rmat_view *view)
{
    if (rmat_gpu() == NULL) {
        return RMAT_ERR_NO_BACKEND;
    }
    if (gen == NULL || view == NULL || gen->gpu == NULL || rmat_has_source(gen)) {
        return RMAT_ERR_ARG;
    }
    *view = rmat_gpu()->view(gen);
    return RMAT_OK;
}

int rmat_ties_begin(const rmat_gen *gen, uint32_t blocks, uint64_t edges, void *stream,
                    rmat_ties *ties)
{
    return rmat_gpu() != NULL ? rmat_gpu()->ties_begin(gen, blocks, edges, stream, ties)
                              : RMAT_ERR_NO_BACKEND;
}

int rmat_ties_end(const rmat_ties *ties, void *stream)
{
    return rmat_gpu() != NULL ? rmat_gpu()->ties_end(ties, stream) : RMAT_ERR_NO_BACKEND;
}

int rmat_gpu_status(int error)
{
    return rmat_gpu() != NULL ? rmat_gpu()->status_of(error) : RMAT_ERR_NO_BACKEND;
}

int rmat_gpu_launched(void)
{
    return rmat_gpu() != NULL ? rmat_gpu()->status_of_launch() : RMAT_ERR_NO_BACKEND;
}
