/* The CPU backend: splits a range over threads and at multiples of 2^32, and picks the kernel. */
#include "rmat/rmat_impl.h"

#include <omp.h>

/* Edges that a thread takes at a time (about 0.2 ms of work): few enough that threads of unequal
 * speed end together, and many enough to be worth a thread. */
#define PIECE ((uint64_t)65536)

int rmat_cpu_has_isa(rmat_isa isa)
{
    switch (isa) {
    case RMAT_ISA_AUTO:
    case RMAT_ISA_GENERIC:
        return 1;
#ifdef RMAT_X86
    case RMAT_ISA_AVX2:
        return __builtin_cpu_supports("avx2") != 0;
    case RMAT_ISA_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
    default:
        return 0;
    }
}

rmat_isa rmat_best_isa(void)
{
    rmat_isa isa = RMAT_ISA_AVX512;

    while (!rmat_cpu_has_isa(isa)) {
        isa--;
    }
    return isa;
}

const rmat_cpu_kernels *rmat_cpu_kernels_of(rmat_isa isa)
{
    switch (isa == RMAT_ISA_AUTO ? rmat_best_isa() : isa) {
#ifdef RMAT_X86
    case RMAT_ISA_AVX512:
        return &rmat_kernels_avx512;
    case RMAT_ISA_AVX2:
        return &rmat_kernels_avx2;
#endif
    default:
        return &rmat_kernels_generic;
    }
}

/* Edges of [first, first + count) that share their high index word go to the kernel at once. */
static void generate_range(rmat_gen *gen, uint64_t first, uint64_t count, char *src, char *dst,
                           int id_bytes)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(gen->isa);

    if (gen->view.shape) {
        uint64_t redraws = 0, s, d;

        for (uint64_t i = 0; i < count; i++) {
            uint64_t tries = rmat_edge_at(&gen->view, first + i, &s, &d);

            redraws += gen->config.symmetrize && ((first + i) & 1) ? 0 : tries;
            if (id_bytes == 4) {
                ((uint32_t *)src)[i] = (uint32_t)s;
                ((uint32_t *)dst)[i] = (uint32_t)d;
            } else {
                ((uint64_t *)src)[i] = s;
                ((uint64_t *)dst)[i] = d;
            }
        }
        atomic_fetch_add(&gen->redraws, redraws);
        return;
    }
    while (count) {
        uint64_t left = (UINT64_C(1) << 32) - (uint32_t)first;
        uint64_t n = count < left ? count : left;

        kernels->generate(&gen->view, first, n, src, dst, id_bytes);
        first += n;
        count -= n;
        src += n * (uint64_t)id_bytes;
        dst += n * (uint64_t)id_bytes;
    }
}

static int generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t pieces = (count + PIECE - 1) / PIECE, id_bytes = (uint64_t)to->id_bytes;
    int threads = gen->threads ? gen->threads : omp_get_max_threads();

    if (pieces < (uint64_t)threads) {
        threads = (int)pieces;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (uint64_t piece = 0; piece < pieces; piece++) {
        uint64_t from = piece * PIECE, n = count - from < PIECE ? count - from : PIECE;
        char *src = (char *)to->src + from * id_bytes, *dst = (char *)to->dst + from * id_bytes;

        generate_range((rmat_gen *)gen, first + from, n, src, dst, to->id_bytes);
        if (to->weight) {
            (void)rmat_weights_of(gen, n, src, dst, to->id_bytes, (float *)to->weight + from);
        }
    }
    return RMAT_OK;
}

static int redraws(const rmat_gen *gen, uint64_t *count)
{
    *count = atomic_load(&gen->redraws);
    return RMAT_OK;
}

const rmat_backend_ops *rmat_cpu_backend(void)
{
    static const rmat_backend_ops ops = {.generate = generate, .redraws = redraws};

    return &ops;
}
