/*
 * A pass over the stream: threads take pieces of it from a shared counter, make their edges in
 * buffers of their own, and hand them on.
 *
 * An edge source may have its edges in pieces that are much larger than those handed on, so a
 * thread that is stopped keeps the rest of its piece until the pass goes on.
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

/* Pieces of a model's pass between two questions whether to go on: about a millisecond. */
enum { ASK_EVERY = 64 };

static void ask_to_stop(rmat_pass *p, int thread)
{
    if (thread == 0 && rmat_stops(p->gen)) {
        atomic_store(&p->status, RMAT_ERR_STOPPED);
    }
}

static int id_bytes_of(const rmat_gen *gen)
{
    return rmat_scale(&gen->config) > 32 ? 8 : 4;
}

/* Of the R-MAT model.  Returns the redraws. */
static uint64_t run_model(rmat_pass *p, int thread, rmat_take *take, void *to)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(p->gen->isa);
    const int id_bytes = id_bytes_of(p->gen);
    _Alignas(64) uint64_t src[RMAT_PASS_PIECE], dst[RMAT_PASS_PIECE];
    uint64_t redraws = 0;
    int stop = 0;

    for (unsigned pieces = 0; !stop; pieces++) {
        uint64_t at, first, count;

        if (pieces % ASK_EVERY == 0) {
            ask_to_stop(p, thread);
        }
        if (atomic_load_explicit(&p->status, memory_order_relaxed) != RMAT_OK) {
            break;
        }
        at = atomic_fetch_add(&p->made, RMAT_PASS_PIECE);
        first = p->first + at;
        if (at >= p->count) {
            break;
        }
        count = p->count - at < RMAT_PASS_PIECE ? p->count - at : RMAT_PASS_PIECE;
        while (count) {
            /* A kernel must not cross a multiple of 2^32. */
            const uint64_t left = (UINT64_C(1) << 32) - (uint32_t)first;
            const uint64_t n = count < left ? count : left;

            redraws += kernels->generate(&p->gen->view, first, n, src, dst, id_bytes);
            stop |= take(to, thread, first, n, src, dst, NULL, id_bytes);
            first += n;
            count -= n;
        }
    }
    return redraws;
}

static rmat_arrays arrays_of(const rmat_pass *p, const rmat_pass_stock *s)
{
    const size_t id = (size_t)id_bytes_of(p->gen), room = (size_t)s->room;
    const bool weights = p->gen->source.weights != RMAT_NO_WEIGHTS;

    return (rmat_arrays){s->memory, s->memory + room * id,
                         weights ? s->memory + 2 * room * id : NULL, (int)id};
}

static bool has_room(const rmat_pass *p, rmat_pass_stock *s, uint64_t count)
{
    const uint64_t each = 2 * (uint64_t)id_bytes_of(p->gen) + 4;

    if (count > s->room) {
        free(s->memory);
        s->memory = malloc(count * each);
        s->room = s->memory != NULL ? count : 0;
    }
    return count <= s->room;
}

/* Claims the next piece of the source and gets its edges; false: there are none, or the pass has
 * failed. */
static bool restock(rmat_pass *p, rmat_pass_stock *s)
{
    uint64_t at = atomic_load(&p->made), end;
    rmat_arrays to;
    int status;

    do {
        if (at >= p->count || atomic_load(&p->status) != RMAT_OK) {
            return false;
        }
        end = rmat_source_piece_end(p->gen, p->first + at) - p->first;
        end = end < p->count ? end : p->count;
    } while (!atomic_compare_exchange_weak(&p->made, &at, end));
    s->first = p->first + at;
    s->count = end - at;
    status = has_room(p, s, s->count) ? RMAT_OK : RMAT_ERR_NOMEM;
    if (status == RMAT_OK) {
        to = arrays_of(p, s);
        status = rmat_source_edges(p->gen, s->first, s->count, &to);
    }
    if (status != RMAT_OK) {
        atomic_store(&p->status, status);
        s->count = 0;
    }
    return status == RMAT_OK;
}

/* Hands on what the thread has, from the end of the arrays on.  Returns whether it is to stop. */
static bool hand_on(rmat_pass *p, rmat_pass_stock *s, int thread, rmat_take *take, void *to)
{
    const rmat_arrays a = arrays_of(p, s);
    const size_t id = (size_t)a.id_bytes;
    bool stop = false;

    while (s->count != 0 && !stop) {
        const uint64_t n = s->count < RMAT_PASS_PIECE ? s->count : RMAT_PASS_PIECE;
        const uint64_t at = s->count - n;

        s->count = at;
        stop = take(to, thread, s->first + at, n, (char *)a.src + at * id, (char *)a.dst + at * id,
                    a.weight != NULL ? (char *)a.weight + at * 4 : NULL, a.id_bytes) != 0;
    }
    return stop;
}

static void run_source(rmat_pass *p, int thread, rmat_take *take, void *to)
{
    rmat_pass_stock *s = &p->stocks[thread];

    do {
        if (hand_on(p, s, thread, take, to)) {
            return;
        }
        ask_to_stop(p, thread);
    } while (restock(p, s));
}

static bool begin_source(rmat_pass *p, int threads)
{
    if (p->stocks == NULL) {
        p->stocks = calloc((size_t)threads, sizeof *p->stocks);
        p->threads = threads;
        if (p->stocks == NULL) {
            atomic_store(&p->status, RMAT_ERR_NOMEM);
        }
    }
    return p->stocks != NULL;
}

bool rmat_run_pass(rmat_pass *p, int threads, rmat_take *take, void *to)
{
    const bool source = rmat_has_source(p->gen);
    uint64_t redraws = 0, kept = 0;

    if (source && !begin_source(p, threads)) {
        return false;
    }
#pragma omp parallel num_threads(threads) reduction(+ : redraws)
    {
        if (source) {
            run_source(p, omp_get_thread_num(), take, to);
        } else {
            redraws += run_model(p, omp_get_thread_num(), take, to);
        }
    }
    if (redraws) {
        atomic_fetch_add(&((rmat_gen *)p->gen)->redraws, redraws);
    }
    for (int t = 0; t < p->threads; t++) {
        kept += p->stocks[t].count;
    }
    return atomic_load(&p->made) >= p->count && kept == 0 && atomic_load(&p->status) == RMAT_OK;
}

int rmat_pass_end(rmat_pass *p)
{
    for (int t = 0; t < p->threads; t++) {
        free(p->stocks[t].memory);
    }
    free(p->stocks);
    p->stocks = NULL;
    p->threads = 0;
    return atomic_load(&p->status);
}
