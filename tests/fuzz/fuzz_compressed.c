/*
 * Compressed files: a byte whose lowest bit says by what, then the file.  What can be decompressed
 * comes to the same from a buffer: zlib and zstd decompress it in one call each time.
 *
 * Of zstd a stream, as rmat reads it, refuses more than one call does: frames whose window takes
 * more than 128 MiB, and some that are damaged.
 *
 * A run takes microseconds, as both files stay open, in memory, and the decompressed one has room
 * for MOST bytes only: what is longer is refused, as if the disk were full.
 */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "tests/fuzz/fuzz.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { MOST = 1 << 16 };

/* The members or frames, one after the other; -1: something is wrong with them, or they are longer
 * than `to`. */
static long long in_one(const uint8_t *data, size_t size, graphfile_codec kind, uint8_t *to)
{
    uint64_t at = 0;

    if (kind == GRAPHFILE_CODEC_ZSTD) {
        const size_t n = ZSTD_decompress(to, MOST, data, size);

        return ZSTD_isError(n) ? -1 : (long long)n;
    }
    while (size > 0) {
        z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)size};
        int rc;

        z.next_out = to + at;
        z.avail_out = (uInt)(MOST - at);
        if (inflateInit2(&z, 31) != Z_OK) {
            abort();
        }
        rc = inflate(&z, Z_FINISH);
        at += z.total_out;
        data += z.total_in;
        size -= z.total_in;
        inflateEnd(&z);
        if (rc != Z_STREAM_END) {
            return -1;
        }
    }
    return (long long)at;
}

static int open_file(const char *name)
{
    const int fd = memfd_create(name, MFD_CLOEXEC);

    if (fd < 0) {
        abort();
    }
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t expected[MOST], seen[MOST];
    static int from = -1, to;
    const struct rlimit room = {MOST, RLIM_INFINITY};
    const graphfile_codec kind =
        size > 0 && data[0] & 1 ? GRAPHFILE_CODEC_ZSTD : GRAPHFILE_CODEC_GZIP;
    struct stat st;
    struct rlimit before;
    long long n;
    int status;

    if (from < 0) {
        signal(SIGXFSZ, SIG_IGN);
        from = open_file("from");
        to = open_file("to");
    }
    if (size == 0 || ftruncate(from, 0) != 0 || ftruncate(to, 0) != 0 || lseek(to, 0, SEEK_SET) ||
        pwrite(from, data + 1, size - 1, 0) != (ssize_t)(size - 1)) {
        return 0;
    }
    n = in_one(data + 1, size - 1, kind, expected);
    getrlimit(RLIMIT_FSIZE, &before);
    setrlimit(RLIMIT_FSIZE, &room);
    status = decompress(to, "FOLDER", from, "FILE", kind, NULL);
    setrlimit(RLIMIT_FSIZE, &before);
    if (status == ENGINE_OK) {
        if (fstat(to, &st) != 0 || n != st.st_size || pread(to, seen, (size_t)n, 0) != n ||
            memcmp(seen, expected, (size_t)n) != 0) {
            abort();
        }
    } else if ((n > 0 && kind == GRAPHFILE_CODEC_GZIP) || *engine_detail() == '\0') {
        abort();
    }
    return 0;
}
