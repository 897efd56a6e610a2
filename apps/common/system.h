/* system.h - this machine: its processors and GPUs, the monotonic clock, a short wait for other
 * threads, and memory on huge pages for buffers that are written with O_DIRECT. */
#ifndef APPS_COMMON_SYSTEM_H
#define APPS_COMMON_SYSTEM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

/* --- Processors and GPUs: devices.c --- */

enum { DEVICES_TEXT = 256 };

typedef struct {
    char name[DEVICES_TEXT];
    uint64_t memory, free; /* bytes */
    int major, minor;      /* compute capability */
} device_gpu;

/* The number of usable GPUs.  `text` says which CUDA the driver supports, or why there is none. */
int devices_gpus(char text[DEVICES_TEXT]);

/* Describe GPU `index`, which is less than devices_gpus(), and make it the current one.  Returns
 * false if CUDA refuses; `why` is then the reason. */
bool devices_gpu(int index, device_gpu *gpu, char why[DEVICES_TEXT]);

/* Returns the version of CUDA, such as "13.0"; NULL: this build has no CUDA. */
const char *devices_cuda_version(void);

/* The name of the processor as its manufacturer writes it; "unknown" if the system does not say. */
void cpu_model(char *model, size_t size);

enum { CPU_MAX_THREADS = 4096 };

/* Returns the number of threads to start if `asked` were requested. asked 0: OMP_NUM_THREADS, or
 * the hardware threads for this rank.  OMP_THREAD_LIMIT is the maximum. */
int cpu_threads(uint64_t asked);

/* --- Time and memory --- */

/* Seconds since some fixed time. */
static inline double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits, with the lock held, until the condition is signaled, at most a tenth of a second.  The
 * caller then shows the progress and checks for signals. */
static inline void clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    struct timespec soon;

    clock_gettime(CLOCK_MONOTONIC, &soon);
    soon.tv_nsec += 100000000;
    soon.tv_sec += soon.tv_nsec / 1000000000;
    soon.tv_nsec %= 1000000000;
    pthread_cond_clockwait(condition, lock, CLOCK_MONOTONIC, &soon);
}

/*
 * Allocate memory aligned to 2 MiB, on huge pages if the system has them: a write with O_DIRECT
 * then gives the disk a few long pieces instead of thousands of pages (measured on one disk: 3.5
 * instead of 1.9 GB/s).  Release it with free().  NULL if memory is exhausted.
 */
static inline void *huge_alloc(size_t bytes)
{
    const size_t page = (size_t)2 << 20;
    void *memory;

    if (posix_memalign(&memory, page, bytes) != 0) {
        return NULL;
    }
    madvise(memory, bytes, MADV_HUGEPAGE); /* a failure costs speed only */
    return memory;
}

#endif
