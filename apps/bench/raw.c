/* Plain writes by several threads, each of which takes the next chunk of the file. */
#include "apps/bench/raw.h"
#include "apps/common/interrupt.h"
#include "apps/engine/pipeline/pipeline.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct {
    const void *data;
    int fd;
    uint64_t end, chunk;
    atomic_uint_fast64_t next;
    atomic_int error; /* errno of the first failure */
} raw_file;

/* As edge files do: no reservation where the file system knows none. */
int bench_raw_reserve(int fd, uint64_t bytes)
{
    if (ftruncate(fd, (off_t)bytes) != 0 ||
        (fallocate(fd, 0, 0, (off_t)bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)) {
        return errno;
    }
    return 0;
}

static void *raw_writer(void *argument)
{
    raw_file *r = argument;
    uint64_t at;

    while ((at = atomic_fetch_add(&r->next, r->chunk)) < r->end && atomic_load(&r->error) == 0 &&
           interrupt_signal() == 0) {
        uint64_t n = r->end - at < r->chunk ? r->end - at : r->chunk;
        ssize_t written = pwrite(r->fd, r->data, n, (off_t)at);

        if (written != (ssize_t)n) {
            atomic_store(&r->error, written < 0 ? errno : ENOSPC);
        }
    }
    return NULL;
}

int bench_raw_write(int fd, const void *data, uint64_t first, uint64_t bytes, uint64_t chunk,
                    int writers)
{
    raw_file r = {.data = data, .fd = fd, .end = first + bytes, .chunk = chunk, .next = first};
    pthread_t threads[PIPELINE_WRITERS];
    int started = 0;

    while (started < writers && pthread_create(&threads[started], NULL, raw_writer, &r) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    if (started < writers) {
        return EAGAIN;
    }
    return r.error != 0 || fdatasync(fd) == 0 ? r.error : errno;
}
