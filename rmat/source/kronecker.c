/*
 * kronecker.c - the stream KRONECKER as an edge source.
 *
 * A generator of groups draws the ends as numbers of six bits for each group.  A group of l levels
 * has order^l numbers, which are the digits of the vertex.  Ends are equal if their groups are, so
 * that loops are drawn again there.
 */
#include "rmat/model/kronecker.h"
#include "rmat/cpu/arrays.h"
#include "rmat/model/generator.h"
#include "rmat/model/gpu.h"

enum { CHUNK = 1024, NUMBERS = 64 };

int rmat_most_levels(int order)
{
    int per_group = 0;

    if (order < RMAT_MIN_ORDER || order > RMAT_MAX_ORDER) {
        return 0;
    }
    for (int paths = order; paths <= NUMBERS; paths *= order) {
        per_group++;
    }
    return per_group * RMAT_KRONECKER_GROUPS;
}

rmat_initiator rmat_initiator_of(const rmat_config *c)
{
    rmat_initiator i = {.order = c->order, .entries = c->initiator};
    const int most = rmat_most_levels(c->order);
    uint64_t vertices = 1;
    int levels = 0;

    while (levels < most && vertices < c->rows) {
        vertices *= (uint64_t)c->order;
        levels++;
    }
    i.levels = vertices == c->rows ? levels : 0;
    i.per_group = most / RMAT_KRONECKER_GROUPS;
    i.groups = (i.levels + i.per_group - 1) / i.per_group;
    return i;
}

int rmat_kronecker_create(rmat_kronecker **out, const rmat_config *c)
{
    const rmat_initiator i = rmat_initiator_of(c);
    const int n = i.order * i.order;
    rmat_kronecker *k = calloc(1, sizeof *k + (size_t)n * sizeof *k->entries);
    double sum = 0;
    int st = k != NULL ? rmat_create_groups(&k->gen, c, &i) : RMAT_ERR_NOMEM;

    if (st != RMAT_OK) {
        free(k);
        return st;
    }
    k->entries = (double *)(k + 1);
    k->order = i.order;
    for (int e = 0; e < n; e++) {
        sum += i.entries[e];
    }
    for (int e = 0; e < n; e++) {
        k->entries[e] = i.entries[e] / sum;
    }
    k->vertices = c->rows;
    k->groups = i.groups;
    k->whole = k->last = 1;
    for (int l = 0; l < i.per_group; l++) {
        k->whole *= (uint64_t)i.order;
        k->last *= l < rmat_initiator_levels(&i, i.groups - 1) ? (uint64_t)i.order : 1;
    }
    *out = k;
    return RMAT_OK;
}

void rmat_kronecker_destroy(rmat_kronecker *k)
{
    if (k != NULL) {
        rmat_destroy(k->gen);
        free(k);
    }
}

INLINE void put_ends(const rmat_kronecker *k, const uint64_t *ends, uint64_t n, void *to,
                     uint64_t at, const int id_bytes)
{
    for (uint64_t i = 0; i < n; i++) {
        set_id(to, at + i, rmat_kronecker_vertex(k, ends[i]), id_bytes);
    }
}

static int fill(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    const rmat_kronecker *k = state;
    uint64_t ends[2][CHUNK];

    for (uint64_t at = 0, n; at < count; at += n) {
        n = count - at < CHUNK ? count - at : CHUNK;
        if (rmat_generate(k->gen, first + at, n, ends[0], ends[1]) != RMAT_OK) {
            return -1;
        }
        for (int end = 0; end < 2; end++) {
            void *ids = end == 0 ? to->src : to->dst;

            if (to->id_bytes == 4) {
                put_ends(k, ends[end], n, ids, at, 4);
            } else {
                put_ends(k, ends[end], n, ids, at, 8);
            }
        }
    }
    return 0;
}

/* Of an edge, in a draw that is kept. */
static double probability(void *state, uint64_t src, uint64_t dst)
{
    const rmat_kronecker *k = state;
    const uint64_t n = (uint64_t)k->order;
    double p = src == dst && k->gen->config.no_self_loops ? 0 : 1 / k->gen->kept;

    for (uint64_t rest = k->vertices; rest > 1; rest /= n) {
        p *= k->entries[src % n * n + dst % n];
        src /= n;
        dst /= n;
    }
    return p;
}

rmat_source rmat_kronecker_source(const rmat_kronecker *k, uint64_t edges)
{
    return (rmat_source){.rows = k->vertices,
                         .cols = k->vertices,
                         .edges = edges,
                         .fill = fill,
                         .fill_device = rmat_gpu() != NULL ? rmat_gpu()->kronecker : NULL,
                         .probability = probability,
                         .state = (void *)k};
}
