/* Edges in memory. */
#ifndef APPS_ENGINE_SOURCE_EDGE_BLOCK_H
#define APPS_ENGINE_SOURCE_EDGE_BLOCK_H

#include <stdint.h>

typedef struct {
    uint64_t first, count;          /* their place in the graph */
    const void *src, *dst, *weight; /* of count elements; weight may be NULL */
    int id_bytes;                   /* of an element of src and dst */
} edge_block;

static inline uint64_t edge_id(const void *ids, uint64_t i, int id_bytes)
{
    return id_bytes == 4 ? ((const uint32_t *)ids)[i] : ((const uint64_t *)ids)[i];
}

#endif
