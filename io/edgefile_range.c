/*
 * edgefile_range.c - where datasets start and where the ranges of processes and shards meet.
 *
 * A dataset starts on a multiple of its unit, and ranges are cut at multiples of it: 1 MiB, a
 * common block size of file systems, and 16 MiB for large datasets, so that the stripes of a
 * parallel file system belong to one process.  A dataset below 1 MiB is one unit.
 */
#include "io/edgefile_impl.h"

#define LARGE ((uint64_t)1 << 30)

uint64_t edgefile_extent_align(uint64_t data_bytes)
{
    return data_bytes >= LARGE ? (uint64_t)16 << 20 : EDGEFILE_EXTENT_MIN;
}

uint64_t edgefile_unit(uint64_t edges, int id_bytes)
{
    uint64_t width = (uint64_t)id_bytes;
    uint64_t bytes = edges > UINT64_MAX / width ? UINT64_MAX : edges * width;

    if (bytes < EDGEFILE_EXTENT_MIN)
        return edges == 0 ? 1 : edges;
    return edgefile_extent_align(bytes) / width;
}

/* In whole units, the first shards one more where they do not come out even. */
void edgefile_shard_range(uint64_t edges, int id_bytes, int shards, int shard, uint64_t *first,
                          uint64_t *count)
{
    uint64_t unit = edgefile_unit(edges, id_bytes), k = (uint64_t)shard, n = (uint64_t)shards;
    uint64_t units = edges / unit + (edges % unit != 0);
    uint64_t each = units / n, rest = units % n;
    uint64_t begin = each * k + (k < rest ? k : rest);
    uint64_t end = begin + each + (k < rest);

    *first = begin == units ? edges : begin * unit;
    *count = (end == units ? edges : end * unit) - *first;
}
