/*
 * The CPU backend.  It splits a range of edges into pieces for threads, and at multiples of 2^32,
 * because a kernel keeps the high word of the index constant.  It uses the kernels of the fastest
 * instruction set of the processor, unless the configuration names one.
 */
#include "rmat/model/generator.h"

#include <omp.h>
#include <stdatomic.h>

static const rmat_cpu_kernels *const kernels_of[RMAT_ISA_NEON + 1] = {
    [RMAT_ISA_GENERIC] = &rmat_kernels_generic,
#ifdef RMAT_X86
    [RMAT_ISA_AVX2] = &rmat_kernels_avx2,
    [RMAT_ISA_AVX512] = &rmat_kernels_avx512,
#endif
#ifdef RMAT_ARM64
    [RMAT_ISA_NEON] = &rmat_kernels_neon,
#endif
};

int rmat_cpu_has_isa(rmat_isa isa)
{
#ifdef RMAT_X86
    if (isa == RMAT_ISA_AVX2) {
        return __builtin_cpu_supports("avx2") != 0;
    }
    if (isa == RMAT_ISA_AVX512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
    }
#endif
    return isa == RMAT_ISA_AUTO || ((unsigned)isa <= RMAT_ISA_NEON && kernels_of[isa] != NULL);
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
    return kernels_of[isa == RMAT_ISA_AUTO ? rmat_best_isa() : isa];
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

/* Edges that are made before their weights, while they are still in the cache. */
#define WEIGHT_BATCH ((uint64_t)4096)

static void draw_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(gen->isa);
    /* So that batches begin cache lines. */
    const uint64_t head = -(uintptr_t)to->src % 64 / (uint64_t)to->id_bytes;
    uint64_t most = to->weight != NULL ? WEIGHT_BATCH + head : count;

    for (uint64_t at = 0, n; at < count; at += n) {
        /* One call of the kernel makes edges whose indices share their high word. */
        const uint64_t left = (UINT64_C(1) << 32) - (uint32_t)(first + at);
        const rmat_arrays here = rmat_arrays_from(to, at);

        n = count - at < most ? count - at : most;
        n = n < left ? n : left;
        kernels->generate(&gen->view, first + at, n, here.src, here.dst, here.id_bytes);
        if (here.weight != NULL) {
            kernels->weights(&gen->weighing, n, here.src, here.dst, here.id_bytes, here.weight);
            most = WEIGHT_BATCH;
        }
    }
}

int rmat_make_edges(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    if (rmat_has_source(gen)) {
        return rmat_source_edges(gen, first, count, to);
    }
    draw_edges(gen, first, count, to);
    return RMAT_OK;
}

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count, size; /* size: edges of a piece */
    const rmat_arrays *to;
} generate_job;

static int make_piece(void *job, uint64_t piece)
{
    const generate_job *j = job;
    const uint64_t at = piece * j->size, left = j->count - at;
    const rmat_arrays to = rmat_arrays_from(j->to, at);

    return rmat_make_edges(j->gen, j->first + at, left < j->size ? left : j->size, &to);
}

int rmat_cpu_generate(const rmat_gen *gen, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const uint64_t own = rmat_piece_end(gen, first) - first;
    generate_job job = {gen, first, count, own > RMAT_PIECE ? own : RMAT_PIECE, to};

    return rmat_in_parallel(gen, (count + job.size - 1) / job.size, count, make_piece, &job);
}
