/*
 * pack.c - text that is compressed on its way into the file.
 *
 * The file is a sequence of members of gzip or frames of zstd, each of which can be decompressed
 * alone: the header, blocks of GRAPHFILE_PACKED edges, what comes between them, and the trailer.
 * Threads compress different ones at once, and what is in each follows from the graph alone.
 */
#include "io/formats/writer.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Levels as fast as text is made, about; output is always asked for in so many bytes, as the bytes
 * may depend on that; zlib's largest window, with gzip's header; and its usual memory. */
enum { GZIP_LEVEL = 1, ZSTD_LEVEL = 1, OUT = 1 << 17, GZIP_FORMAT = 15 + 16, GZIP_MEMORY = 8 };

enum { NEWLINES = 1 << 16, MOST_IN = 1 << 30 };

typedef struct {
    graphfile_codec codec;
    z_stream gzip;
    ZSTD_CCtx *zstd;
    graphfile_buffer *to;
} packer;

static bool begin(packer *p, uint64_t length)
{
    if (p->codec == GRAPHFILE_CODEC_GZIP) {
        return deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_FORMAT, GZIP_MEMORY,
                            Z_DEFAULT_STRATEGY) == Z_OK;
    }
    p->zstd = ZSTD_createCCtx();
    return p->zstd != NULL &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1)) &&
           !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(p->zstd, length));
}

static void end(packer *p)
{
    if (p->codec == GRAPHFILE_CODEC_GZIP) {
        deflateEnd(&p->gzip);
    }
    ZSTD_freeCCtx(p->zstd);
}

/* One step.  *left: bytes of the input, of which there are up to MOST_IN.  *more: there is more to
 * come of the output. */
static bool step(packer *p, char *to, const char *from, size_t bytes, bool last, size_t *left,
                 size_t *made, bool *more)
{
    if (p->codec == GRAPHFILE_CODEC_GZIP) {
        int rc;

        p->gzip.next_in = (Bytef *)from;
        p->gzip.avail_in = (uInt)bytes;
        p->gzip.next_out = (Bytef *)to;
        p->gzip.avail_out = OUT;
        rc = deflate(&p->gzip, last ? Z_FINISH : Z_NO_FLUSH);
        *left = p->gzip.avail_in;
        *made = OUT - p->gzip.avail_out;
        *more = last ? rc != Z_STREAM_END : *left > 0;
        return rc == Z_OK || rc == Z_STREAM_END || rc == Z_BUF_ERROR;
    }
    ZSTD_inBuffer in = {from, bytes, 0};
    ZSTD_outBuffer out = {to, OUT, 0};
    const size_t rc = ZSTD_compressStream2(p->zstd, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);

    *left = bytes - in.pos;
    *made = out.pos;
    *more = last ? rc != 0 : *left > 0;
    return !ZSTD_isError(rc);
}

static int feed(packer *p, const char *from, size_t bytes, bool last)
{
    bool more = true;

    while (more) {
        const size_t some = bytes < MOST_IN ? bytes : MOST_IN;
        char *to = graphfile_reserve(p->to, OUT);
        size_t left, made;

        if (to == NULL || !step(p, to, from, some, last && some == bytes, &left, &made, &more)) {
            return edgefile_no_memory(NULL);
        }
        p->to->bytes += made;
        from += some - left;
        bytes -= some - left;
        more = more || bytes > 0;
    }
    return EDGEFILE_OK;
}

static int feed_newlines(packer *p, uint64_t count)
{
    char many[NEWLINES];

    memset(many, '\n', sizeof many);
    for (uint64_t some; count > 0; count -= some) {
        some = count < sizeof many ? count : sizeof many;
        EDGEFILE_TRY(feed(p, many, (size_t)some, false));
    }
    return EDGEFILE_OK;
}

static int feed_all(packer *p, const graphfile_buffer *b)
{
    size_t done = 0;

    for (size_t i = 0; i < b->n_runs; i++) {
        if (b->runs[i].at > done) {
            EDGEFILE_TRY(feed(p, b->data + done, b->runs[i].at - done, false));
        }
        done = b->runs[i].at;
        EDGEFILE_TRY(feed_newlines(p, b->runs[i].newlines));
    }
    return feed(p, b->bytes > done ? b->data + done : "", b->bytes - done, true);
}

int graphfile_pack_all(const graphfile_writer *w, graphfile_buffer *b)
{
    graphfile_buffer packed = {0};
    packer p = {.codec = w->spec.codec, .to = &packed};
    char *to = NULL;
    int st = begin(&p, graphfile_length(b)) ? feed_all(&p, b) : edgefile_no_memory(NULL);

    end(&p);
    if (st == EDGEFILE_OK) {
        graphfile_empty(b);
        to = graphfile_reserve(b, packed.bytes);
        st = to != NULL ? EDGEFILE_OK : edgefile_no_memory(NULL);
    }
    if (st == EDGEFILE_OK) {
        memcpy(to, packed.data, packed.bytes);
        b->bytes = packed.bytes;
    }
    graphfile_buffer_free(&packed);
    return st;
}

int graphfile_pack(const graphfile_writer *w, graphfile_buffer *b)
{
    return w->spec.codec == GRAPHFILE_CODEC_NONE || graphfile_length(b) == 0
               ? EDGEFILE_OK
               : graphfile_pack_all(w, b);
}
