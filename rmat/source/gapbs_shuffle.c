/*
 * gapbs_shuffle.c - the permutation of GAPBS's vertices: std::shuffle() of libstdc++ with MT19937,
 * as three ranges of versions have it.
 *
 * Element i, for i = 1, 2, ..., is exchanged with a random one of the elements 0 to i.  From GCC 7
 * on one number serves two elements if there are so few of them that its range allows it.  Since
 * everything depends on what came before, only one thread can do it; exchanges are drawn some way
 * ahead, so that memory is on its way when they are made.
 */
#include "rmat/model/gapbs.h"
#include "rmat/model/generator.h"

enum { AHEAD = 64 }; /* exchanges drawn ahead; even */

typedef struct {
    uint32_t x[MT_STATE];
    int next; /* the word of x that is the next number */
    const rmat_cpu_kernels *kernels;
    rmat_gapbs_shuffle how;
} numbers;

static uint32_t number(numbers *r)
{
    if (r->next == MT_N) {
        r->kernels->gapbs(r->x, NULL, NULL);
        r->next = 0;
    }
    return mt_temper(r->x[r->next++]);
}

/* A number below `limit`: until GCC 10 by a division, now by a multiplication (Lemire, "Fast random
 * integer generation in an interval", ACM TOMACS 29(1), 2019).  Numbers that would make it uneven
 * are left out. */
static uint32_t number_below(numbers *r, uint32_t limit)
{
    if (r->how == RMAT_GAPBS_GCC11) {
        uint64_t product = (uint64_t)number(r) * limit;

        if ((uint32_t)product < limit) {
            while ((uint32_t)product < (0u - limit) % limit) {
                product = (uint64_t)number(r) * limit;
            }
        }
        return (uint32_t)(product >> 32);
    } else {
        const uint32_t share = UINT32_MAX / limit;
        uint32_t x = number(r);

        while (x >= share * limit) {
            x = number(r);
        }
        return x / share;
    }
}

/* The partners of elements [i, i + n). */
static void draw(numbers *r, uint32_t i, uint32_t n, bool in_pairs, uint32_t *partner)
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
    return (uint32_t)(mrg_reverse(vertex) >> (64 - g->scale));
}

void rmat_gapbs_permute(rmat_gapbs *g)
{
    const uint32_t vertices = (uint32_t)1 << g->scale;
    const bool in_pairs = g->shuffle != RMAT_GAPBS_GCC4 && UINT32_MAX / vertices >= vertices;
    numbers r = {.next = MT_N, .kernels = rmat_cpu_kernels_of(g->isa), .how = g->shuffle};
    uint32_t n, partner[AHEAD], at[AHEAD];

    mt_seed(r.x, g->seed);
    g->permutation[0] = 0;
    for (uint32_t i = 1; i < vertices; i += n) {
        n = i == 1 ? 1 : vertices - i < AHEAD ? vertices - i : AHEAD;
        draw(&r, i, n, in_pairs, partner);
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
