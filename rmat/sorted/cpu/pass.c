/* A pass over the stream: threads take pieces of it from a shared counter, make their edges in
 * buffers of their own, and hand them on. */
#include "rmat/sorted/cpu/pass.h"

#include <omp.h>

int rmat_threads_for(const rmat_gen *gen, uint64_t work, uint64_t piece)
{
    const int threads = gen->threads ? gen->threads : omp_get_max_threads();
    const uint64_t pieces = work / piece + 1;

    return pieces < (uint64_t)threads ? (int)pieces : threads;
}

bool rmat_run_pass(rmat_pass *p, int threads, rmat_take *take, void *to)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(p->gen->isa);
    const rmat_config *c = &p->gen->config;
    const int id_bytes = c->rows_scale > 32 || c->cols_scale > 32 ? 8 : 4;
    uint64_t redraws = 0;

#pragma omp parallel num_threads(threads) reduction(+ : redraws)
    {
        _Alignas(64) uint64_t src[RMAT_PASS_PIECE], dst[RMAT_PASS_PIECE];
        const int thread = omp_get_thread_num();
        int stop = 0;

        while (!stop) {
            const uint64_t at = atomic_fetch_add(&p->made, RMAT_PASS_PIECE);
            uint64_t first = p->first + at, count;

            if (at >= p->count) {
                break;
            }
            count = p->count - at < RMAT_PASS_PIECE ? p->count - at : RMAT_PASS_PIECE;
            while (count) {
                /* A kernel must not cross a multiple of 2^32. */
                const uint64_t left = (UINT64_C(1) << 32) - (uint32_t)first;
                const uint64_t n = count < left ? count : left;

                redraws += kernels->generate(&p->gen->view, first, n, src, dst, id_bytes);
                stop |= take(to, thread, first, n, src, dst, id_bytes);
                first += n;
                count -= n;
            }
        }
    }
    if (redraws) {
        atomic_fetch_add(&((rmat_gen *)p->gen)->redraws, redraws);
    }
    return atomic_load(&p->made) >= p->count;
}
