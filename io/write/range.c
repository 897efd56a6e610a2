/*
 * range.c - where datasets begin in the file, and where the ranges of processes and shards meet.
 *
 * Datasets begin on multiples of 1 MiB, a common block size of file systems, or of 16 MiB in large
 * files, so that each stripe of a parallel file system belongs to one process.  A unit is as many
 * edges as the narrowest dataset has in one such stretch; in other datasets it takes as much or
 * twice as much.  A dataset below 1 MiB is one unit.
 */
#include "io/private.h"

#define LARGE ((uint64_t)1 << 30)

static uint64_t extent_align(uint64_t edges, int id_bytes)
{
    return edges >= LARGE / (uint64_t)id_bytes ? (uint64_t)16 << 20 : EDGEFILE_EXTENT_MIN;
}

uint64_t edgefile_extent_align(const edgefile_schema *s, uint64_t edges)
{
    uint64_t ids = extent_align(edges, s->id_bytes);
    uint64_t pointers = s->format == EDGEFILE_CSR ? extent_align(s->rows, 8) : ids;

    return ids > pointers ? ids : pointers;
}

uint64_t edgefile_unit(uint64_t edges, int id_bytes, edgefile_weight weight)
{
    uint64_t narrowest = weight == EDGEFILE_NO_WEIGHT ? (uint64_t)id_bytes : 4;

    if (edges < EDGEFILE_EXTENT_MIN / narrowest) {
        return edges == 0 ? 1 : edges;
    }
    return extent_align(edges, id_bytes) / narrowest;
}

/* Each shard has the same number of units; what is left over goes to the first shards, one each. */
void edgefile_shard_range(uint64_t edges, int id_bytes, edgefile_weight weight, int shards,
                          int shard, uint64_t *first, uint64_t *count)
{
    uint64_t unit = edgefile_unit(edges, id_bytes, weight);
    uint64_t k = (uint64_t)shard, n = (uint64_t)shards;
    uint64_t units = edges / unit + (edges % unit != 0);
    uint64_t each = units / n, rest = units % n;
    uint64_t begin = each * k + (k < rest ? k : rest);
    uint64_t end = begin + each + (k < rest);

    *first = begin == units ? edges : begin * unit;
    *count = (end == units ? edges : end * unit) - *first;
}
