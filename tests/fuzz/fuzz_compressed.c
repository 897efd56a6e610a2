/* Compressed files: a byte whose lowest bit says by what, then the file.  What can be decompressed
 * comes to the same from a buffer: zlib and zstd decompress it in one call each time. */
#include "apps/engine/source/private.h"
#include "apps/engine/status.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { MOST = 1 << 24 };

/* The members or frames, one after the other; -1: something is wrong with them. */
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const graphfile_codec kind =
        size > 0 && data[0] & 1 ? GRAPHFILE_CODEC_ZSTD : GRAPHFILE_CODEC_GZIP;
    const int from = memfd_create("from", MFD_CLOEXEC), to = memfd_create("to", MFD_CLOEXEC);
    uint8_t *expected = malloc(MOST);
    struct stat st;
    long long n;

    if (size == 0 || from < 0 || to < 0 || write(from, data + 1, size - 1) != (ssize_t)(size - 1)) {
        goto done;
    }
    n = in_one(data + 1, size - 1, kind, expected);
    if (decompress(to, "FOLDER", from, "FILE", kind, NULL) == ENGINE_OK) {
        void *seen;

        if (fstat(to, &st) != 0) {
            abort();
        }
        if (st.st_size < MOST) {
            seen = malloc((size_t)st.st_size + 1);
            if (n != st.st_size || pread(to, seen, (size_t)n, 0) != n ||
                memcmp(seen, expected, (size_t)n) != 0) {
                abort();
            }
            free(seen);
        }
    } else if (n > 0 || *engine_detail() == '\0') {
        abort();
    }
done:
    close(from);
    close(to);
    free(expected);
    return 0;
}
