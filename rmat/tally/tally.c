/* Edges that are made, counted and forgotten: on the CPU here, on a GPU in gpu.cu. */
#include "rmat/tally/tally.h"
#include "rmat/rmat_tally.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdlib.h>

/* What one thread counts. */
typedef struct {
    rmat_counter *bits; /* NULL: not wanted */
    rmat_tally graph;
} share;

typedef struct {
    const rmat_tally_request *request;
    share *shares; /* by thread */
} tallying;

static uint64_t id_at(const void *ids, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

static uint64_t count_loops(uint64_t n, const void *src, const void *dst, int id_bytes)
{
    uint64_t loops = 0;

    for (uint64_t i = 0; i < n; i++) {
        loops += id_at(src, i, id_bytes) == id_at(dst, i, id_bytes);
    }
    return loops;
}

static uint64_t count_equal(uint64_t n, const void *ids, uint64_t vertex, int id_bytes)
{
    uint64_t equal = 0;

    for (uint64_t i = 0; i < n; i++) {
        equal += id_at(ids, i, id_bytes) == vertex;
    }
    return equal;
}

static int take(void *to, int thread, uint64_t first, uint64_t n, const void *src, const void *dst,
                const void *weight, int id_bytes)
{
    const tallying *t = to;
    share *s = &t->shares[thread];

    (void)first, (void)weight;
    if (s->bits != NULL) {
        rmat_counter_add(s->bits, n, src, dst, id_bytes);
    }
    if (t->request->graph) {
        s->graph.graph_edges += n;
        s->graph.loops += count_loops(n, src, dst, id_bytes);
        s->graph.fingerprint += rmat_fingerprint(src, dst, n, id_bytes);
        for (int v = 0; v < t->request->vertices; v++) {
            s->graph.out[v] += count_equal(n, src, t->request->vertex[v], id_bytes);
            s->graph.in[v] += count_equal(n, dst, t->request->vertex[v], id_bytes);
        }
    }
    return 0;
}

static int tally_cpu(const rmat_gen *gen, uint64_t first, uint64_t count,
                     const rmat_tally_request *request, rmat_tally *tally)
{
    const int threads = rmat_threads_for(gen, count, RMAT_PASS_PIECE);
    rmat_pass pass = {.gen = gen, .first = first, .count = count};
    tallying t = {request, calloc((size_t)threads, sizeof *t.shares)};
    int st = t.shares != NULL ? RMAT_OK : RMAT_ERR_NOMEM;

    for (int i = 0; i < threads && st == RMAT_OK && (request->levels || request->neighbours); i++) {
        t.shares[i].bits = rmat_counter_create(request->neighbours);
        st = t.shares[i].bits != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
    }
    RMAT_TRY(st);
    rmat_run_pass(&pass, threads, take, &t);
    RMAT_TRY(rmat_pass_end(&pass));
    for (int i = 0; i < threads; i++) {
        rmat_tally_add(tally, &t.shares[i].graph);
        if (t.shares[i].bits != NULL) {
            rmat_counter_total(t.shares[i].bits, tally);
        }
    }
done:
    for (int i = 0; t.shares != NULL && i < threads; i++) {
        rmat_counter_destroy(t.shares[i].bits);
    }
    free(t.shares);
    return st;
}

int rmat_tally_stream(const rmat_gen *gen, uint64_t first, uint64_t count,
                      const rmat_tally_request *request, rmat_tally *tally)
{
    if (gen == NULL || request == NULL || tally == NULL || request->vertices < 0 ||
        request->vertices > RMAT_TALLY_VERTICES) {
        return RMAT_ERR_ARG;
    }
    if (count > rmat_stream_edges(gen) || first > rmat_stream_edges(gen) - count) {
        return RMAT_ERR_RANGE;
    }
    if (count == 0) {
        return RMAT_OK;
    }
    first += rmat_stream_first(gen);
    return gen->gpu != NULL ? rmat_gpu_tally(gen, first, count,
                                             rmat_scale(&gen->config) > 32 ? 8 : 4, request, tally)
                            : tally_cpu(gen, first, count, request, tally);
}

void rmat_tally_add(rmat_tally *to, const rmat_tally *more)
{
    uint64_t *sum = (uint64_t *)to;
    const uint64_t *term = (const uint64_t *)more;

    for (size_t i = 0; i < sizeof *to / sizeof *sum; i++) {
        sum[i] += term[i];
    }
}

/* With n[m] the edges that have all bits of m, and whatever else, those that have no other bits
 * come by inclusion and exclusion, bit after bit. */
void rmat_tally_quadrants(const rmat_tally *t, int k, uint64_t quadrants[4], uint64_t pairs[16])
{
    uint64_t n[16] = {t->edges, t->bits[1][k], t->bits[2][k], t->bits[3][k]};

    if (quadrants != NULL) {
        quadrants[0] = n[0] - n[1] - n[2] + n[3];
        quadrants[1] = n[2] - n[3];
        quadrants[2] = n[1] - n[3];
        quadrants[3] = n[3];
    }
    if (pairs == NULL) {
        return;
    }
    for (int m = 4; m < 16; m++) {
        n[m] = m % 4 != 0 ? t->bits[m][k] : t->bits[m / 4][k + 1];
    }
    for (int bit = 1; bit < 16; bit *= 2) {
        for (int m = 0; m < 16; m++) {
            n[m] -= (m & bit) == 0 ? n[m | bit] : 0;
        }
    }
    for (int m = 0; m < 16; m++) { /* in m, the source's bits come first */
        pairs[(m & 4) << 1 | (m & 8) >> 1 | (m & 1) << 1 | (m & 2) >> 1] = n[m];
    }
}
