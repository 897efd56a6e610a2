/* tally.c - counts over edges in host memory, and over edges that are made, counted and forgotten.
 */
#include "rmat/tally/tally.h"
#include "rmat/cpu/arrays.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/rmat_tally.h"
#include "rmat/sorted/cpu/pass.h"
#include "rmat/try.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/*
 * Counts of set bits by carry-save adders, as in Harley and Seal's population count.  Plane k
 * holds, for every bit of every lane, the binary digit of its count that is worth 2^k, and perhaps
 * one more digit of the same worth that waits to be added, carry[k].  Two digits of a plane make
 * one for the next plane, so that a word costs one adder on average.
 */
void bit_counts_total(const bit_counts *c, uint64_t totals[64])
{
    for (int k = 0; k < BIT_PLANES; k++) {
        for (int j = 0; j < BIT_LANES; j++) {
            uint64_t carry = c->n >> k & 1 ? c->carry[k][j] : 0;

            for (int bit = 0; bit < 64; bit++) {
                totals[bit] += ((c->sum[k][j] >> bit & 1) + (carry >> bit & 1)) << k;
            }
        }
    }
}

/* Bits of edges in host memory.  Ids of 32 bits are counted two to a word. */
struct rmat_counter {
    int words;
    bool halves; /* words have two ids of 32 bits each */
    uint64_t edges;
    bit_counts counts[];
};

rmat_counter *rmat_counter_create(int neighbours)
{
    const int words = neighbours ? RMAT_NEIGHBOUR_WORDS : RMAT_LEVEL_WORDS;
    rmat_counter *c = calloc(1, sizeof *c + (size_t)words * sizeof c->counts[0]);

    if (c != NULL) {
        c->words = words;
    }
    return c;
}

void rmat_counter_destroy(rmat_counter *c)
{
    free(c);
}

/* `bytes` bytes of ids, at most BIT_LANES words of them, and zeros behind. */
static void load_words(uint64_t to[BIT_LANES], const char *ids, uint64_t bytes)
{
    if (bytes < BIT_LANES * sizeof *to) {
        memset(to, 0, BIT_LANES * sizeof *to);
        memcpy(to, ids, bytes);
    } else {
        memcpy(to, ids, BIT_LANES * sizeof *to);
    }
}

/* BIT_LANES words of sources and of destinations.  up: the bits that have a neighbour above. */
static inline void count_words(rmat_counter *c, int words, const uint64_t s[BIT_LANES],
                               const uint64_t d[BIT_LANES], uint64_t up)
{
    uint64_t lanes[RMAT_NEIGHBOUR_WORDS][BIT_LANES];

    for (int j = 0; j < BIT_LANES; j++) {
        uint64_t w[RMAT_NEIGHBOUR_WORDS];

        RMAT_TALLY_WORDS(w, words, s[j], d[j], s[j] >> 1 & up, d[j] >> 1 & up);
        for (int i = 0; i < words; i++) {
            lanes[i][j] = w[i];
        }
    }
    for (int i = 0; i < words; i++) {
        bit_counts_add(&c->counts[i], lanes[i]);
    }
}

RMAT_CLONES static void count_edges(rmat_counter *c, uint64_t count, const void *src,
                                    const void *dst, int id_bytes)
{
    const uint64_t bytes = count * (uint64_t)id_bytes, step = BIT_LANES * sizeof(uint64_t);
    const uint64_t up = id_bytes == 4 ? 0x7FFFFFFF7FFFFFFFu : UINT64_MAX >> 1;

    c->halves = id_bytes == 4;
    c->edges += count;
    for (uint64_t at = 0; at < bytes; at += step) {
        uint64_t s[BIT_LANES], d[BIT_LANES];

        load_words(s, (const char *)src + at, bytes - at);
        load_words(d, (const char *)dst + at, bytes - at);
        if (c->words == RMAT_NEIGHBOUR_WORDS) {
            count_words(c, RMAT_NEIGHBOUR_WORDS, s, d, up);
        } else {
            count_words(c, RMAT_LEVEL_WORDS, s, d, up);
        }
    }
}

void rmat_counter_add(rmat_counter *c, uint64_t count, const void *src, const void *dst,
                      int id_bytes)
{
    count_edges(c, count, src, dst, id_bytes);
}

void rmat_counter_total(const rmat_counter *c, rmat_tally *tally)
{
    static const int sets[] = RMAT_TALLY_SETS;

    tally->edges += c->edges;
    for (int i = 0; i < c->words; i++) {
        uint64_t totals[64] = {0};

        bit_counts_total(&c->counts[i], totals);
        for (int k = 0; k < 64; k++) {
            tally->bits[sets[i]][c->halves ? k % 32 : k] += totals[k];
        }
    }
}

/* Edges that are made, counted and forgotten: on the CPU here, on a GPU in tally.cu. */

/* What one thread counts. */
typedef struct {
    rmat_counter *bits; /* NULL: not wanted */
    rmat_tally graph;
} thread_tally;

typedef struct {
    const rmat_tally_request *request;
    thread_tally *shares; /* by thread */
} tallying;

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

static int count_piece(void *to, int thread, uint64_t first, uint64_t n, const void *src,
                       const void *dst, const void *weight, int id_bytes)
{
    const tallying *t = to;
    thread_tally *s = &t->shares[thread];

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
    rmat_run_pass(&pass, threads, count_piece, &t);
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
    return gen->gpu != NULL
               ? rmat_gpu()->tally(gen, first, count, rmat_scale(&gen->config) > 32 ? 8 : 4,
                                   request, tally)
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

/* Counts of edges that are stored in device memory: the permutation comes from the generator. */
int rmat_tally_stored(const rmat_gen *gen, void *src, void *dst, uint64_t count, int id_bytes,
                      rmat_tally *tally, void *stream)
{
    const bool permuted = gen != NULL && gen->config.permute;

    return rmat_gpu()->tally_stored(permuted ? gen->view.permutation : NULL, src, dst, count,
                                    id_bytes, tally, stream);
}
