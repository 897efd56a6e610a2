/*
 * A pass over the stream: threads take pieces of it from a shared counter, make their edges in
 * buffers of their own, and hand them on.  An edge source may have its edges in pieces that are
 * much larger than those handed on.
 */
#include "rmat/sorted/cpu/pass.h"
#include "rmat/model/generator.h"

#include <omp.h>
#include <stdlib.h>

int rmat_threads_for(const rmat_gen *gen, uint64_t work, uint64_t piece)
{
    const int threads = gen->threads ? gen->threads : omp_get_max_threads();
    const uint64_t pieces = work / piece + 1;

    return pieces < (uint64_t)threads ? (int)pieces : threads;
}

typedef struct {
    const rmat_gen *gen;
    uint64_t first, count;
    rmat_take *take;
    void *to;
    int id_bytes;
    _Atomic uint64_t made; /* edges handed out to threads so far, at least */
    _Atomic int status;    /* other than 0: the pass ends */
} pass;

/* Pieces of a model's pass between two questions whether to go on: about a millisecond. */
enum { ASK_EVERY = 64 };

static void ask_to_stop(pass *p, int thread)
{
    if (thread == 0 && rmat_stops(p->gen)) {
        atomic_store(&p->status, RMAT_ERR_STOPPED);
    }
}

static bool has_ended(pass *p)
{
    return atomic_load_explicit(&p->status, memory_order_relaxed) != RMAT_OK;
}

static void hand_on(pass *p, int thread, uint64_t first, uint64_t n, const rmat_arrays *from)
{
    const int status =
        p->take(p->to, thread, first, n, from->src, from->dst, from->weight, p->id_bytes);

    if (status != RMAT_OK) {
        atomic_store(&p->status, status);
    }
}

/* Of the R-MAT model.  Returns the redraws. */
static uint64_t run_model(pass *p, int thread)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(p->gen->isa);
    _Alignas(64) uint64_t src[RMAT_PASS_PIECE], dst[RMAT_PASS_PIECE];
    const rmat_arrays made = {src, dst, NULL, p->id_bytes};
    uint64_t redraws = 0, at;

    for (unsigned pieces = 0; !has_ended(p); pieces++) {
        if (pieces % ASK_EVERY == 0) {
            ask_to_stop(p, thread);
        }
        at = atomic_fetch_add(&p->made, RMAT_PASS_PIECE);
        if (at >= p->count) {
            break;
        }
        for (uint64_t left = p->count - at < RMAT_PASS_PIECE ? p->count - at : RMAT_PASS_PIECE, n;
             left; left -= n, at += n) {
            /* A kernel must not cross a multiple of 2^32. */
            const uint64_t first = p->first + at, most = (UINT64_C(1) << 32) - (uint32_t)first;

            n = left < most ? left : most;
            redraws += kernels->generate(&p->gen->view, first, n, src, dst, p->id_bytes);
            hand_on(p, thread, first, n, &made);
        }
    }
    return redraws;
}

/* Claims the next piece of the source: edges [*at, *end) of the pass; false: there are none. */
static bool claim_piece(pass *p, uint64_t *at, uint64_t *end)
{
    *at = atomic_load(&p->made);
    do {
        if (*at >= p->count || has_ended(p)) {
            return false;
        }
        *end = rmat_source_piece_end(p->gen, p->first + *at) - p->first;
        *end = *end < p->count ? *end : p->count;
    } while (!atomic_compare_exchange_weak(&p->made, at, *end));
    return true;
}

/* Hands on the piece's edges, from memory for `room` of them. */
static void hand_on_piece(pass *p, int thread, uint64_t at, uint64_t end, char *memory,
                          uint64_t room)
{
    const size_t id = (size_t)p->id_bytes;
    const bool weights = p->gen->source.weights != RMAT_NO_WEIGHTS;
    rmat_arrays a = {memory, memory + room * id, weights ? memory + 2 * room * id : NULL, (int)id};
    const int status = rmat_source_edges(p->gen, p->first + at, end - at, &a);

    if (status != RMAT_OK) {
        atomic_store(&p->status, status);
    }
    for (uint64_t n; at < end && !has_ended(p); at += n) {
        n = end - at < RMAT_PASS_PIECE ? end - at : RMAT_PASS_PIECE;
        hand_on(p, thread, p->first + at, n, &a);
        a.src = (char *)a.src + n * id;
        a.dst = (char *)a.dst + n * id;
        a.weight = weights ? (char *)a.weight + n * 4 : NULL;
    }
}

static void run_source(pass *p, int thread)
{
    uint64_t at, end, room = 0;
    char *memory = NULL;

    for (ask_to_stop(p, thread); claim_piece(p, &at, &end); ask_to_stop(p, thread)) {
        if (end - at > room) {
            free(memory);
            room = end - at;
            memory = malloc(room * (2 * (size_t)p->id_bytes + 4));
        }
        if (memory == NULL) {
            atomic_store(&p->status, RMAT_ERR_NOMEM);
            break;
        }
        hand_on_piece(p, thread, at, end, memory, room);
    }
    free(memory);
}

int rmat_run_pass(const rmat_gen *gen, uint64_t first, uint64_t count, int threads, rmat_take *take,
                  void *to)
{
    pass p = {.gen = gen,
              .first = first,
              .count = count,
              .take = take,
              .to = to,
              .id_bytes = rmat_scale(&gen->config) > 32 ? 8 : 4};
    uint64_t redraws = 0;

#pragma omp parallel num_threads(threads) reduction(+ : redraws)
    {
        if (rmat_has_source(gen)) {
            run_source(&p, omp_get_thread_num());
        } else {
            redraws += run_model(&p, omp_get_thread_num());
        }
    }
    if (redraws) {
        atomic_fetch_add(&((rmat_gen *)gen)->redraws, redraws);
    }
    return atomic_load(&p.status);
}
