/* Plain writes, with which the benchmarks of files compare: preallocated, by several threads,
 * synced. */
#ifndef APPS_BENCH_RAW_H
#define APPS_BENCH_RAW_H

#include <stdint.h>

/* Makes an empty file so long, and reserves the space where the file system can.  0 or an errno. */
int bench_raw_reserve(int fd, uint64_t bytes);

/* Bytes [first, first + bytes) in writes of `chunk` bytes, always the same data, by so many threads
 * at once (at most PIPELINE_WRITERS), then a sync.  0 or an errno; a signal ends it early. */
int bench_raw_write(int fd, const void *data, uint64_t first, uint64_t bytes, uint64_t chunk,
                    int writers);

#endif
