/* Plain writes by several threads, each of which takes the next chunk of the file. */
#include "apps/bench/file.h"
#include "apps/common/clock.h"
#include "apps/common/interrupt.h"
#include "mpi/dist.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const void *data;
    int fd;
    uint64_t end, chunk;
    atomic_uint_fast64_t next;
    atomic_int error; /* errno of the first failure */
} raw_file;

/* Make an empty file so long, as edge files do: no reservation where the file system knows none,
 * nor in memory. */
static int reserve(const char *name, int fd, uint64_t bytes)
{
    const bool memory = strcmp(edgefile_filesystem(name), "tmpfs") == 0;

    if (ftruncate(fd, (off_t)bytes) != 0 || (!memory && fallocate(fd, 0, 0, (off_t)bytes) != 0 &&
                                             errno != EOPNOTSUPP && errno != ENOSYS)) {
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

/* Bytes [first, first + bytes) of the file, always the same data, then a sync.  0 or an errno. */
static int write_range(const bench_files *f, int fd, uint64_t first, uint64_t bytes)
{
    raw_file r = {.data = f->data,
                  .fd = fd,
                  .end = first + bytes,
                  .chunk = (uint64_t)f->plan.id_bytes * f->plan.chunk,
                  .next = first};
    pthread_t threads[PIPELINE_WRITERS];
    int started = 0;

    while (started < f->plan.writers &&
           pthread_create(&threads[started], NULL, raw_writer, &r) == 0) {
        started++;
    }
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    if (started < f->plan.writers) {
        return EAGAIN;
    }
    return r.error != 0 || fdatasync(fd) == 0 ? r.error : errno;
}

int files_write_raw(const bench_files *f, bool own, uint64_t bytes, double *done)
{
    const int flags = O_WRONLY | O_CLOEXEC | (f->direct ? O_DIRECT : 0);
    const char *name = own ? f->own_name : f->raw_name;
    const uint64_t ranks = own ? 1 : (uint64_t)dist_size(), rank = own ? 0 : (uint64_t)dist_rank();
    uint64_t barrier = 0;
    int fd = -1, error = 0;

    bytes = files_bytes(bytes); /* as O_DIRECT takes it */
    if (rank == 0) {
        fd = open(name, flags | O_CREAT | O_TRUNC, 0666);
        error = fd < 0 ? errno : reserve(name, fd, bytes * ranks);
    }
    if (own) {
        unlink(name); /* nothing is left behind, whatever happens */
    } else {
        dist_sum(&barrier, 1);
    }
    if (rank != 0 && (fd = open(name, flags)) < 0) {
        error = errno;
    }
    if (error == 0) {
        error = write_range(f, fd, bytes * rank, bytes);
    }
    *done = clock_seconds();
    if (!own) {
        dist_sum(&barrier, 1);
        unlink(name);
    }
    if (fd >= 0) {
        close(fd);
    }
    return error == 0 ? EXIT_OK : runtime_error("bench", "%s: %s", name, strerror(error));
}
