/* stream_source.h - what the tests of Graph500's and GAPBS's streams share: edges of their sources,
 * on the backend of backend.h, and a hash of weights. */
#ifndef TESTS_SUPPORT_STREAM_SOURCE_H
#define TESTS_SUPPORT_STREAM_SOURCE_H

#include "rmat/rmat_source.h"
#include "tests/support/backend.h"

static inline rmat_gen *create_from(const rmat_source *source, int symmetrize)
{
    rmat_config config;
    rmat_gen *gen;
    int st;

    rmat_config_default(&config);
    config.backend = TESTED;
    config.symmetrize = symmetrize;
    st = rmat_create_from(&gen, source, &config);
    must(st == RMAT_OK, "rmat_create_from(): %s", rmat_strerror(st));
    return gen;
}

/* Of weights in their order, to be held against a known one. */
static inline uint64_t weight_hash(const uint32_t *weight, uint64_t n)
{
    uint64_t h = 0;

    for (uint64_t i = 0; i < n; i++) {
        h = h * 1099511628211u + weight[i];
    }
    return h;
}

/* Edges of the list: of its source on the CPU, of a generator with that source on a GPU. */
static inline void make_of(const rmat_source *s, uint64_t first, uint64_t count,
                           const rmat_arrays *to)
{
    if (ON_GPU) {
        rmat_gen *gen = create_from(s, 0);

        must(!rmat_generate_arrays(gen, first, count, to), "generate");
        rmat_destroy(gen);
    } else {
        must(!s->fill(s->state, first, count, to), "fill");
    }
}

/* A generator of the source makes both directions, with the weights of the list, in 32 bits. */
static inline void check_both_directions(const rmat_source *s, uint64_t first, uint64_t count)
{
    uint32_t *list = must_alloc(3 * count + 6, 4), *both = must_alloc(6 * count, 4);
    rmat_gen *gen = create_from(s, 1);

    must(!s->fill(s->state, first, count + 1,
                  &(rmat_arrays){list, list + count + 2, list + 2 * count + 4, 4}),
         "fill");
    must(!rmat_generate_arrays(gen, 2 * first + 1, 2 * count,
                               &(rmat_arrays){both, both + 2 * count, both + 4 * count, 4}),
         "generate");
    for (uint64_t i = 1; i <= 2 * count; i++) {
        const uint32_t *src = list + i / 2, *dst = src + count + 2, *weight = dst + count + 2;
        const uint32_t *got = both + i - 1;

        must(got[0] == (i % 2 ? *dst : *src) && got[2 * count] == (i % 2 ? *src : *dst) &&
                 got[4 * count] == *weight,
             "edge %lu", i);
    }
    rmat_destroy(gen);
    free(list);
    free(both);
}

#endif
