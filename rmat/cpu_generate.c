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
static void generate_range(const rmat_gen *gen, uint64_t first, uint64_t count, char *src,
                           char *dst, int id_bytes)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(gen->isa);

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

static int generate(const rmat_gen *gen, uint64_t first, uint64_t count, void *src, void *dst,
                    int id_bytes)
{
    const uint64_t pieces = (count + PIECE - 1) / PIECE;
    int threads = gen->threads ? gen->threads : omp_get_max_threads();

    if (pieces < (uint64_t)threads) {
        threads = (int)pieces;
    }
    if (threads == 1) {
        generate_range(gen, first, count, src, dst, id_bytes);
        return RMAT_OK;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint64_t piece = 0; piece < pieces; piece++) {
        uint64_t from = piece * PIECE, n = count - from < PIECE ? count - from : PIECE;

        generate_range(gen, first + from, n, (char *)src + from * (uint64_t)id_bytes,
                       (char *)dst + from * (uint64_t)id_bytes, id_bytes);
    }
    return RMAT_OK;
}

const rmat_backend_ops *rmat_cpu_backend(void)
{
    static const rmat_backend_ops ops = {.generate = generate};

    return &ops;
}
