/*
 * The CPU backend.  It splits a range of edges into pieces for threads, and at multiples of 2^32,
 * because a kernel keeps the high word of the index constant.  It uses the kernels of the fastest
 * instruction set of the processor, unless the configuration names one.
 */
#include "rmat/model/generator.h"

#include <omp.h>
#include <stdatomic.h>
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

/* Makes `count` edges from first + at on, into the arrays from place `at` on. */
static void generate_piece(const rmat_gen *gen, uint64_t first, uint64_t at, uint64_t count,
                           const rmat_arrays *to)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(gen->isa);
    const uint64_t id_bytes = (uint64_t)to->id_bytes;
    char *src = (char *)to->src + at * id_bytes, *dst = (char *)to->dst + at * id_bytes;
    char *weight = to->weight != NULL ? (char *)to->weight + at * 4 : NULL;
    const uint64_t head = -(uintptr_t)src % 64 / id_bytes; /* so that batches begin cache lines */
    uint64_t most = weight != NULL ? WEIGHT_BATCH + head : count;

    first += at;
    while (count) {
        /* One call of the kernel makes edges whose indices share their high word. */
        uint64_t left = (UINT64_C(1) << 32) - (uint32_t)first;
        uint64_t n = count < most ? count : most;

        n = n < left ? n : left;
        kernels->generate(&gen->view, first, n, src, dst, (int)id_bytes);
        if (weight != NULL) {
            kernels->weights(&gen->weighing, n, src, dst, (int)id_bytes, weight);
            weight += n * 4;
            most = WEIGHT_BATCH;
        }
        first += n;
        count -= n;
        src += n * id_bytes;
        dst += n * id_bytes;
    }
}

int rmat_threads(const rmat_gen *gen)
{
    return gen->threads ? gen->threads : omp_get_max_threads();
}

int rmat_in_parallel(const rmat_gen *gen, uint64_t n, uint64_t edges,
                     int (*make)(void *job, uint64_t i), void *job)
{
    const uint64_t most = edges > RMAT_WORTH_THREAD ? (uint64_t)rmat_threads(gen) : 1;
    const int threads = (int)(n < most ? n : most);
    _Atomic int ended = RMAT_OK;

    if (threads <= 1) { /* without the price of a parallel region */
        for (uint64_t i = 0; i < n && ended == RMAT_OK; i++) {
            ended = rmat_stops(gen) ? RMAT_ERR_STOPPED : make(job, i);
        }
        return ended;
    }
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (uint64_t i = 0; i < n; i++) {
        int st = atomic_load_explicit(&ended, memory_order_relaxed);

        if (st == RMAT_OK) {
            st = omp_get_thread_num() == 0 && rmat_stops(gen) ? RMAT_ERR_STOPPED : make(job, i);
            if (st != RMAT_OK) {
                atomic_store(&ended, st);
            }
        }
    }
    return ended;
}

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count;
    const rmat_arrays *to;
} generate_job;

static int make_piece(void *job, uint64_t piece)
{
    const generate_job *j = job;
    const uint64_t at = piece * RMAT_PIECE, left = j->count - at;

    generate_piece(j->gen, j->first, at, left < RMAT_PIECE ? left : RMAT_PIECE, j->to);
    return RMAT_OK;
}

static int generate_edges(const rmat_gen *gen, uint64_t first, uint64_t count,
                          const rmat_arrays *to)
{
    generate_job job = {gen, first, count, to};

    return rmat_in_parallel(gen, (count + RMAT_PIECE - 1) / RMAT_PIECE, count, make_piece, &job);
}

const rmat_backend_ops *rmat_cpu_backend(void)
{
    static const rmat_backend_ops ops = {.generate = generate_edges};

    return &ops;
}
