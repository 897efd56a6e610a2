/*
 * Decompresses a file into another one, a buffer at a time.
 *
 * A file is a sequence of members (gzip) or frames (zstd), each with a checksum of its own that the
 * library checks.  It is complete if it ends where one of these does.
 */
#include "apps/engine/source/decompress.h"
#include "apps/engine/meter.h"
#include "apps/engine/source/spool.h"
#include "apps/engine/status.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { BUFFER = 1 << 20, GZIP_FORMAT = 15 + 16 /* the largest window; with gzip's header */ };

/* A decoder between two buffers. */
typedef struct {
    z_stream gzip;
    ZSTD_DCtx *zstd;
    const uint8_t *in;
    size_t n_in, n_out; /* bytes that are left of the input; bytes of output */
    uint8_t *out;       /* BUFFER bytes */
    bool complete;      /* the last member or frame is */
} decoder;

compression compression_of_name(const char *name, size_t *length)
{
    static const char *const suffix[] = {
        [COMPRESSION_NONE] = "", [COMPRESSION_GZIP] = ".gz", [COMPRESSION_ZSTD] = ".zst"};
    const size_t all = strlen(name);
    compression found = COMPRESSION_NONE;

    for (compression i = COMPRESSION_GZIP; i <= COMPRESSION_ZSTD; i++) {
        if (all > strlen(suffix[i]) && strcmp(name + all - strlen(suffix[i]), suffix[i]) == 0) {
            found = i;
        }
    }
    if (length != NULL) {
        *length = all - strlen(suffix[found]);
    }
    return found;
}

/* Of a frame of zstd, or of one that is skipped. */
static bool begins_frame(const uint8_t start[4])
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd}, skipped[] = {0x2a, 0x4d, 0x18};

    return memcmp(start, frame, sizeof frame) == 0 ||
           ((start[0] & 0xf0) == 0x50 && memcmp(start + 1, skipped, sizeof skipped) == 0);
}

compression compression_of_content(int fd)
{
    static const uint8_t gzip[] = {0x1f, 0x8b};
    uint8_t start[4] = {0};

    if (pread(fd, start, sizeof start, 0) < 2) {
        return COMPRESSION_NONE;
    }
    return memcmp(start, gzip, sizeof gzip) == 0 ? COMPRESSION_GZIP
           : begins_frame(start)                 ? COMPRESSION_ZSTD
                                                 : COMPRESSION_NONE;
}

/* One step of a decoder: NULL, or what is wrong with the input. */
static const char *step_gzip(decoder *d)
{
    int rc;

    if (d->complete && inflateReset(&d->gzip) != Z_OK) {
        return "zlib cannot continue";
    }
    d->gzip.next_in = (Bytef *)d->in;
    d->gzip.avail_in = (uInt)d->n_in;
    d->gzip.next_out = d->out;
    d->gzip.avail_out = BUFFER;
    rc = inflate(&d->gzip, Z_NO_FLUSH);
    d->in = d->gzip.next_in;
    d->n_in = d->gzip.avail_in;
    d->n_out = BUFFER - d->gzip.avail_out;
    d->complete = rc == Z_STREAM_END;
    if (rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR) {
        return NULL;
    }
    return d->gzip.msg != NULL ? d->gzip.msg : "zlib cannot continue";
}

static const char *step_zstd(decoder *d)
{
    ZSTD_inBuffer in = {d->in, d->n_in, 0};
    ZSTD_outBuffer out = {d->out, BUFFER, 0};
    const size_t rc = ZSTD_decompressStream(d->zstd, &out, &in);

    d->in += in.pos;
    d->n_in -= in.pos;
    d->n_out = out.pos;
    d->complete = rc == 0;
    return ZSTD_isError(rc) ? ZSTD_getErrorName(rc) : NULL;
}

/* Bytes of the file into the buffer; 0 at its end. */
static int fill(decoder *d, uint8_t *buffer, int from, const char *name)
{
    ssize_t n;

    do {
        n = read(from, buffer, BUFFER);
    } while (n < 0 && errno == EINTR);
    d->in = buffer;
    d->n_in = n > 0 ? (size_t)n : 0;
    return n >= 0 ? ENGINE_OK : engine_fail("%s: %s", name, strerror(errno));
}

static int run(decoder *d, compression kind, int to, const char *folder, int from, const char *name,
               engine_meter *meter)
{
    uint8_t *buffer = malloc(BUFFER);
    uint64_t at = 0;
    int status = buffer != NULL ? ENGINE_OK : engine_fail("memory is exhausted");

    while (status == ENGINE_OK && (status = fill(d, buffer, from, name)) == ENGINE_OK &&
           d->n_in > 0) {
        int reason = engine_meter_tick(meter, (double)at, 0);

        if (reason != 0) {
            status = engine_stop_with(reason);
        }
        at += d->n_in;
        d->n_out = 0;
        while (status == ENGINE_OK && (d->n_in > 0 || (d->n_out == BUFFER && !d->complete))) {
            const char *wrong = kind == COMPRESSION_GZIP ? step_gzip(d) : step_zstd(d);

            if (wrong != NULL) {
                status =
                    engine_fail("%s: damaged at byte %" PRIu64 ": %s", name, at - d->n_in, wrong);
            } else if (!spool_write(to, d->out, d->n_out)) {
                status = engine_fail("%s: a copy of %s: %s", folder, name, strerror(errno));
            }
        }
    }
    free(buffer);
    if (status == ENGINE_OK && !d->complete) {
        status = engine_fail("%s: ends at byte %" PRIu64 ", in the middle of its compressed data",
                             name, at);
    }
    return status;
}

int decompress(int to, const char *folder, int from, const char *name, compression kind,
               const engine_watch *watch)
{
    struct stat st = {0};
    decoder d = {.out = malloc(BUFFER)};
    engine_meter meter;
    bool ready = d.out != NULL;
    int status;

    if (compression_of_content(from) != kind) {
        free(d.out);
        return engine_fail("%s: is not compressed by %s, as its name says", name,
                           kind == COMPRESSION_GZIP ? "gzip" : "zstd");
    }
    if (kind == COMPRESSION_GZIP) {
        ready = ready && inflateInit2(&d.gzip, GZIP_FORMAT) == Z_OK;
    } else {
        d.zstd = ZSTD_createDCtx();
        ready = ready && d.zstd != NULL;
    }
    (void)fstat(from, &st);
    (void)lseek(from, 0, SEEK_SET);
    meter = engine_meter_of(watch, "decompressing", (uint64_t)st.st_size, 0);
    status =
        ready ? run(&d, kind, to, folder, from, name, &meter) : engine_fail("memory is exhausted");
    if (kind == COMPRESSION_GZIP) {
        inflateEnd(&d.gzip);
    }
    ZSTD_freeDCtx(d.zstd);
    free(d.out);
    return status;
}
