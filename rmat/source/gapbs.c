/* gapbs.c - the permutation of GAPBS's vertices, and its edges as a source. */
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"
#include "rmat/model/official.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/*
 * The permutation of GAPBS's vertices: std::shuffle() of libstdc++ with MT19937, as in GCC 11 and
 * later.
 *
 * Element i, for i = 1, 2, ..., is swapped with a random one of the elements 0 to i. One number
 * serves two elements while its range allows it.  Every step depends on the earlier ones, so only
 * one thread can do it.  Swaps are drawn some way ahead, so that their memory is on its way when
 * they are made.
 */
enum { AHEAD = 64 }; /* swaps drawn ahead; even */
typedef struct {
    uint32_t x[MT_STATE];
    int next; /* the word of x that is the next number */
    const rmat_cpu_kernels *kernels;
} number_sequence;

static uint32_t number(number_sequence *r)
{
    if (r->next == MT_N) {
        r->kernels->gapbs(r->x, NULL, NULL);
        r->next = 0;
    }
    return mt_temper(r->x[r->next++]);
}

/* A number below `limit`, by a multiplication (Lemire, "Fast random integer generation in an
 * interval", ACM TOMACS 29(1), 2019).  Numbers that would make the result uneven are rejected. */
static uint32_t number_below(number_sequence *r, uint32_t limit)
{
    uint64_t product = (uint64_t)number(r) * limit;

    if ((uint32_t)product < limit) {
        while ((uint32_t)product < (0u - limit) % limit) {
            product = (uint64_t)number(r) * limit;
        }
    }
    return (uint32_t)(product >> 32);
}

/* The partners of elements [i, i + n). */
static void draw_number(number_sequence *r, uint32_t i, uint32_t n, bool in_pairs,
                        uint32_t *partner)
{
    if (in_pairs && i > 1) {
        for (uint32_t k = 0; k < n; k += 2) {
            const uint32_t second = i + k + 2, both = number_below(r, (second - 1) * second);

            partner[k] = both / second;
            partner[k + 1] = both % second;
        }
    } else {
        for (uint32_t k = 0; k < n; k++) {
            partner[k] = number_below(r, i + k + 1);
        }
    }
}

static uint32_t reversed(const rmat_gapbs *g, uint32_t vertex)
{
    return rmat_reverse32(vertex) >> (32 - g->scale);
}

static void permute_vertices(rmat_gapbs *g)
{
    const uint32_t vertices = (uint32_t)1 << g->scale;
    const bool in_pairs = UINT32_MAX / vertices >= vertices;
    number_sequence r = {.next = MT_N, .kernels = rmat_cpu_kernels_of(g->isa)};
    uint32_t n, partner[AHEAD], at[AHEAD];

    mt_seed(r.x, g->seed);
    g->permutation[0] = 0;
    for (uint32_t i = 1; i < vertices; i += n) {
        n = i == 1 ? 1 : vertices - i < AHEAD ? vertices - i : AHEAD;
        draw_number(&r, i, n, in_pairs, partner);
        for (uint32_t k = 0; k < n; k++) {
            at[k] = reversed(g, i + k);
            partner[k] = reversed(g, partner[k]);
            __builtin_prefetch(&g->permutation[at[k]], 1);
            __builtin_prefetch(&g->permutation[partner[k]], 1);
        }
        for (uint32_t k = 0; k < n; k++) {
            g->permutation[at[k]] = i + k;
            g->permutation[at[k]] = g->permutation[partner[k]];
            g->permutation[partner[k]] = i + k;
        }
    }
}

/*
 * GAPBS's edges as a source.
 *
 * A state of the generator is 624 numbers, and an edge takes `scale` of them.  So `scale` states
 * make exactly 624 edges, a *batch*. The kernels of an instruction set turn each number of a state
 * into one bit for either end (rmat/cpu/official_body.h).  The drawn vertices are cut out of these
 * bits and looked up in the permutation.
 */
enum {
    MT_BATCH = MT_N,
    BYTES = MT_N / 8, /* bits of a state's numbers */
    ROOM = BYTES * RMAT_GAPBS_MAX_SCALE + 8
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* also while a permutation is made */
static rmat_gapbs *graphs;                               /* all of them */

static rmat_gapbs *new_graph(const rmat_config *c)
{
    rmat_gapbs *g = calloc(1, sizeof *g);

    if (g == NULL) {
        return NULL;
    }
    g->scale = c->rows_scale;
    g->seed = (uint32_t)c->seed;
    g->isa = c->isa;
    g->permutation = rmat_cpu_alloc(sizeof *g->permutation << g->scale);
    if (g->permutation == NULL) {
        free(g);
        return NULL;
    }
    g->next = graphs;
    graphs = g;
    return g;
}

void rmat_gapbs_destroy(void *list)
{
    rmat_gapbs *g = list, **at = &graphs;

    pthread_mutex_lock(&lock);
    if (--g->users == 0) {
        while (*at != g) {
            at = &(*at)->next;
        }
        *at = g->next;
        if (rmat_gpu() != NULL) {
            rmat_gpu()->copies_free(&g->copies);
        }
        free(g->permutation);
        free(g);
    }
    pthread_mutex_unlock(&lock);
}

const uint32_t *rmat_gapbs_permutation(const rmat_gapbs *g)
{
    if (!__atomic_load_n(&g->ready, __ATOMIC_ACQUIRE)) {
        rmat_gapbs *changed = (rmat_gapbs *)g;

        pthread_mutex_lock(&lock);
        if (!changed->ready) {
            permute_vertices(changed);
            __atomic_store_n(&changed->ready, 1, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&lock);
    }
    return g->permutation;
}

/* Cuts vertices [from, end) out of a batch's bits, permutes them and stores them from to[at] on. */
INLINE void store_ids(const rmat_gapbs *g, const unsigned char *bits, uint64_t from, uint64_t end,
                      void *to, uint64_t at, const int id_bytes)
{
    const uint64_t scale = (uint64_t)g->scale, mask = ((uint64_t)1 << scale) - 1;
    const uint32_t *permutation = g->permutation;

    for (uint64_t e = from; e < end; e++) {
        uint64_t vertex;

        memcpy(&vertex, bits + e * scale / 8, sizeof vertex);
        vertex = vertex >> e * scale % 8 & mask;
        set_id(to, at + e - from, permutation[vertex], id_bytes);
    }
}

/* The state of a block's generator before one of its batches. */
typedef struct {
    uint32_t x[MT_STATE];
    uint32_t seed;
    int scale; /* 0: there is none */
    uint64_t batch;
} block_state;

/* That of the batch where this thread's last range ended: callers often ask for consecutive ranges
 * of a block.  It depends only on the block's seed and the scale. */
static _Thread_local block_state saved;

/* Edges [first, first + count) of a block, to to->src[at...] and to->dst. */
static void fill_ends(const rmat_gapbs *g, uint32_t block, uint64_t first, uint64_t count,
                      const rmat_arrays *to, uint64_t at)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(g->isa);
    unsigned char src[ROOM], dst[ROOM];
    block_state s = saved;

    if (s.scale != g->scale || s.seed != g->seed + block || s.batch > first) {
        s.scale = g->scale;
        s.seed = g->seed + block;
        s.batch = 0;
        mt_seed(s.x, s.seed);
    }
    (void)rmat_gapbs_permutation(g);
    for (; s.batch < first + count; s.batch += MT_BATCH) {
        const uint64_t from = first > s.batch ? first - s.batch : 0, left = first + count - s.batch;
        const uint64_t end = left < MT_BATCH ? left : MT_BATCH;

        if (left <= MT_BATCH) {
            saved = s;
        }
        for (int i = 0; i < g->scale; i++) {
            kernels->gapbs(s.x, from < MT_BATCH ? src + i * BYTES : NULL, dst + i * BYTES);
        }
        if (from < MT_BATCH) {
            BY_WIDTH(to->id_bytes, store_ids, g, src, from, end, to->src, at);
            BY_WIDTH(to->id_bytes, store_ids, g, dst, from, end, to->dst, at);
            at += end - from;
        }
    }
}

/* The weights of these edges.  A rejected number, one in 2^32, shifts all later ones. */
static void fill_weights(const rmat_gapbs *g, uint32_t block, uint64_t first, uint64_t count,
                         int32_t *weight)
{
    const rmat_cpu_kernels *kernels = rmat_cpu_kernels_of(g->isa);
    const uint64_t end = first + count;
    uint32_t x[MT_STATE];
    uint64_t edge = 0;

    mt_seed(x, g->seed + block);
    while (edge < end) {
        uint32_t rejected = 0;

        kernels->gapbs(x, NULL, NULL);
        for (int k = 0; k < MT_N; k++) {
            rejected += x[k] == GAPBS_REJECTED;
        }
        if (edge + MT_N <= first) {
            edge += MT_N - rejected;
            continue;
        }
        for (int k = 0; k < MT_N && edge < end; k++) {
            if (x[k] != GAPBS_REJECTED) {
                if (edge >= first) {
                    weight[edge - first] = (int32_t)gapbs_weight(mt_temper(x[k]));
                }
                edge++;
            }
        }
    }
}

static int fill_gapbs(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_gapbs *g = state;
    uint64_t n;

    for (uint64_t done = 0; done < count; done += n) {
        const uint32_t block = (uint32_t)((first + done) / GAPBS_BLOCK);
        const uint64_t from = (first + done) % GAPBS_BLOCK;

        n = count - done < GAPBS_BLOCK - from ? count - done : GAPBS_BLOCK - from;
        fill_ends(g, block, from, n, to, done);
        if (to->weight != NULL) {
            fill_weights(g, block, from, n, (int32_t *)to->weight + done);
        }
    }
    return 0;
}

static uint64_t piece_end(void *state, uint64_t first)
{
    (void)state;
    return (first / GAPBS_BLOCK + 1) * GAPBS_BLOCK;
}

int rmat_gapbs_create(rmat_source *to, const rmat_config *c)
{
    const uint64_t vertices = (uint64_t)1 << c->rows_scale;
    rmat_gapbs *g;

    if (c->rows_scale > RMAT_GAPBS_MAX_SCALE) {
        return RMAT_ERR_SCALE;
    }
    if (c->seed > UINT32_MAX) {
        return RMAT_ERR_STREAM;
    }
    pthread_mutex_lock(&lock);
    g = graphs;
    while (g != NULL && (g->scale != c->rows_scale || g->seed != c->seed || g->isa != c->isa)) {
        g = g->next;
    }
    g = g != NULL ? g : new_graph(c);
    if (g != NULL) {
        g->users++;
    }
    pthread_mutex_unlock(&lock);
    *to = (rmat_source){.rows = vertices,
                        .cols = vertices,
                        .edges = RMAT_MAX_EDGES >> (c->symmetrize != 0),
                        .weights = rmat_has_own_weights(c) ? RMAT_WEIGHTS_INT : RMAT_NO_WEIGHTS,
                        .weight_min = 1,
                        .weight_max = GAPBS_WEIGHTS,
                        .fill = fill_gapbs,
                        .fill_device = rmat_gpu() != NULL ? rmat_gpu()->gapbs : NULL,
                        .piece_end = piece_end,
                        .state = g};
    return g != NULL ? RMAT_OK : RMAT_ERR_NOMEM;
}

typedef struct {
    rmat_gapbs *g;
    uint64_t first, end;
    _Atomic uint32_t largest;
} vertices_job;

/* Finds the largest vertex of the edges in a block, counted from that of the first edge. */
static int find_largest(void *job, uint64_t i)
{
    vertices_job *j = job;
    const uint64_t begin = (j->first / GAPBS_BLOCK + i) * GAPBS_BLOCK, last = begin + GAPBS_BLOCK;
    const uint64_t from = begin < j->first ? j->first : begin;
    const uint64_t count = (j->end < last ? j->end : last) - from;
    uint32_t *ends;

    if (atomic_load(&j->largest) == ((uint32_t)1 << j->g->scale) - 1) {
        return RMAT_OK;
    }
    ends = malloc(2 * count * sizeof *ends);
    if (ends == NULL) {
        return RMAT_ERR_NOMEM;
    }
    (void)fill_gapbs(j->g, from, count, &(rmat_arrays){ends, ends + count, NULL, 4});
    for (uint64_t k = 0; k < 2 * count; k++) {
        uint32_t now = atomic_load_explicit(&j->largest, memory_order_relaxed);

        while (ends[k] > now && !atomic_compare_exchange_weak(&j->largest, &now, ends[k])) {
        }
    }
    free(ends);
    return RMAT_OK;
}

int rmat_gapbs_vertices(const rmat_gen *gen, uint64_t first, uint64_t count, uint64_t *vertices)
{
    vertices_job job = {.first = first, .end = first + count};
    int st = RMAT_OK;

    if (gen == NULL || gen->config.stream != RMAT_STREAM_GAPBS || vertices == NULL) {
        return RMAT_ERR_ARG;
    }
    if (first > RMAT_MAX_EDGES || count > RMAT_MAX_EDGES - first) {
        return RMAT_ERR_RANGE;
    }
    job.g = gen->source.state;
    if (count > 0) {
        const uint64_t blocks = (job.end - 1) / GAPBS_BLOCK - first / GAPBS_BLOCK + 1;

        st = rmat_in_parallel(gen, blocks, count, find_largest, &job);
    }
    *vertices = (uint64_t)job.largest + 1;
    return st;
}
