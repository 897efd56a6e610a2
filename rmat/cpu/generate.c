/*
 * The CPU backend.  It splits a range of edges into pieces for threads, and at multiples of 2^32,
 * because a kernel keeps the high word of the index constant.  It uses the kernels of the fastest
 * instruction set of the processor, unless the configuration names one.
 */
#include "rmat/model/generator.h"

#include <omp.h>
#include <stddef.h>

int rmat_cpu_has_isa(rmat_isa isa)
{
    switch (isa) {
    case RMAT_ISA_AUTO:
    case RMAT_ISA_GENERIC:
#ifdef RMAT_ARM64
    case RMAT_ISA_NEON:
#endif
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
    rmat_isa isa = RMAT_ISA_NEON;

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
#ifdef RMAT_ARM64
    case RMAT_ISA_NEON:
        return &rmat_kernels_neon;
#endif
    default:
        return &rmat_kernels_generic;
    }
}

/* Edges that are made before their weights, while they are still in the cache. */
#define WEIGHT_BATCH ((uint64_t)4096)

/* Makes `count` edges from first + at on, into the arrays from place `at` on.  Returns the redraws.
 */
static uint64_t generate_piece(const rmat_gen *gen, uint64_t first, uint64_t at, uint64_t count,
                               const rmat_arrays *to)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(gen->isa);
    const uint64_t id_bytes = (uint64_t)to->id_bytes;
    char *src = (char *)to->src + at * id_bytes, *dst = (char *)to->dst + at * id_bytes;
    char *weight = to->weight != NULL ? (char *)to->weight + at * 4 : NULL;
    const uint64_t head = -(uintptr_t)src % 64 / id_bytes; /* so that batches begin cache lines */
    uint64_t most = weight != NULL ? WEIGHT_BATCH + head : count, redraws = 0;

    first += at;
    while (count) {
        /* One call of the kernel makes edges whose indices share their high word. */
        uint64_t left = (UINT64_C(1) << 32) - (uint32_t)first;
        uint64_t n = count < most ? count : most;

        n = n < left ? n : left;
        redraws += kernels->generate(&gen->view, first, n, src, dst, (int)id_bytes);
        if (weight != NULL) {
            kernels->weights(gen, n, src, dst, (int)id_bytes, weight);
            weight += n * 4;
            most = WEIGHT_BATCH;
        }
        first += n;
        count -= n;
        src += n * id_bytes;
        dst += n * id_bytes;
    }
    return redraws;
}

static int generate_pieces(const rmat_gen *gen, uint64_t first, uint64_t count,
                           const rmat_arrays *to, uint64_t *made_again)
{
    const uint64_t pieces = (count + RMAT_PIECE - 1) / RMAT_PIECE;
    const int most = gen->threads ? gen->threads : omp_get_max_threads();
    const int threads = pieces < (uint64_t)most ? (int)pieces : most;
    uint64_t redraws = 0;
    _Atomic bool stopped = false;

#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : redraws)            \
    if (threads > 1)
    for (uint64_t piece = 0; piece < pieces; piece++) {
        uint64_t at = piece * RMAT_PIECE, n = count - at < RMAT_PIECE ? count - at : RMAT_PIECE;

        if (omp_get_thread_num() == 0 && rmat_stops(gen)) {
            atomic_store(&stopped, true);
        }
        if (!atomic_load_explicit(&stopped, memory_order_relaxed)) {
            redraws += generate_piece(gen, first, at, n, to);
        }
    }
    *made_again = redraws;
    return atomic_load(&stopped) ? RMAT_ERR_STOPPED : RMAT_OK;
}

static int generate_edges(const rmat_gen *gen, uint64_t first, uint64_t count,
                          const rmat_arrays *to)
{
    uint64_t redraws = 0;
    int st = RMAT_OK;

    if (count > RMAT_PIECE) {
        st = generate_pieces(gen, first, count, to, &redraws);
    } else if (rmat_stops(gen)) {
        st = RMAT_ERR_STOPPED;
    } else {
        redraws = generate_piece(gen, first, 0, count, to);
    }
    if (redraws) {
        atomic_fetch_add(&((rmat_gen *)gen)->redraws, redraws);
    }
    return st;
}

static int count_redraws(const rmat_gen *gen, uint64_t *count)
{
    *count = atomic_load(&gen->redraws);
    return RMAT_OK;
}

const rmat_backend_ops *rmat_cpu_backend(void)
{
    static const rmat_backend_ops ops = {.generate = generate_edges, .redraws = count_redraws};

    return &ops;
}
