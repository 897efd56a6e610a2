/* stream_source.h - what the tests of Graph500's and GAPBS's streams share: generators of their
 * sources, on the backend of backend.h, and a hash of weights. */
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

#endif
