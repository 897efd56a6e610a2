/* interval_bytes.h - rmat_interval_bytes() and rmat_interval_capacity() where they must succeed. */
#ifndef TESTS_SUPPORT_INTERVAL_BYTES_H
#define TESTS_SUPPORT_INTERVAL_BYTES_H

#include "rmat/rmat_interval.h"
#include "tests/support/must.h"

static inline uint64_t interval_bytes(const rmat_gen *gen, uint64_t edges)
{
    uint64_t bytes;

    must(rmat_interval_bytes(gen, edges, &bytes) == RMAT_OK, "rmat_interval_bytes()");
    return bytes;
}

static inline uint64_t interval_capacity(const rmat_gen *gen, uint64_t bytes)
{
    uint64_t edges;

    must(rmat_interval_capacity(gen, bytes, &edges) == RMAT_OK, "rmat_interval_capacity()");
    return edges;
}

#endif
