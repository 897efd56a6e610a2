/* rmat verify: compare the edges of the file with the generated ones. */
#include "apps/verify/edges.h"
#include <string.h>

static uint64_t weight_bits(const void *weights, uint64_t i)
{
    return ((const uint32_t *)weights)[i];
}

static bool note(bad_edges *bad, uint64_t index, uint64_t found, uint64_t expected)
{
    if (found == expected) {
        return false;
    }
    if (edge_is_bad(bad, index)) {
        bad->found = found;
        bad->expected = expected;
    }
    return true;
}

bool edge_differs(const edge_block *a, const edge_block *b, uint64_t i)
{
    return edge_id(a->src, i, a->id_bytes) != edge_id(b->src, i, b->id_bytes) ||
           edge_id(a->dst, i, a->id_bytes) != edge_id(b->dst, i, b->id_bytes) ||
           (a->weight != NULL && b->weight != NULL &&
            weight_bits(a->weight, i) != weight_bits(b->weight, i));
}

bool compare_edges(edge_tally *t, const edge_block *found, const edge_block *expected, bool differs)
{
    int width = found->id_bytes;
    size_t bytes = found->count * (uint64_t)width;
    bool weights = found->weight != NULL && expected->weight != NULL;

    if (memcmp(found->src, expected->src, bytes) == 0 &&
        memcmp(found->dst, expected->dst, bytes) == 0 &&
        (!weights || memcmp(found->weight, expected->weight, found->count * 4) == 0)) {
        return false;
    }
    t->surplus += rmat_fingerprint(found->src, found->dst, found->count, width) -
                  rmat_fingerprint(expected->src, expected->dst, found->count, width);
    for (uint64_t i = 0; i < found->count; i++) {
        uint64_t index = found->first + i;
        bool differed = differs;

        differs = note(&t->bad[BAD_SRC], index, edge_id(found->src, i, width),
                       edge_id(expected->src, i, width));
        differs |= note(&t->bad[BAD_DST], index, edge_id(found->dst, i, width),
                        edge_id(expected->dst, i, width));
        if (weights) {
            differs |= note(&t->bad[BAD_WEIGHT], index, weight_bits(found->weight, i),
                            weight_bits(expected->weight, i));
        }
        if (differs) {
            edge_is_bad(&t->bad[BAD_EDGE], index);
            t->places += !differed;
        }
    }
    return differs;
}
