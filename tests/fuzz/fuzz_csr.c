/*
 * Compressed sparse rows of other programs, and graphalytics: a byte that says which format, and of
 * which type the weights are where the file does not say it; one for the size of a piece; the file.
 *
 * An archive of SciPy is also made of its members, with right checksums, which no mutation of a
 * whole archive would have: each is a byte (is it compressed?), its length in two bytes, and its
 * bytes.  The files of rawcsr and graphalytics lie in memory, cut out of the
 * input likewise.
 */
#include "tests/fuzz/fuzz_reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MEMBERS = 5, ROOM = 1 << 16 };

/* The next part of the input; *flag: its first byte. */
static size_t cut(const uint8_t **data, size_t *size, int *flag, const uint8_t **part)
{
    size_t n;

    *flag = 0;
    *part = *data;
    if (*size < 3) {
        return 0;
    }
    *flag = (*data)[0];
    n = (*data)[1] | (size_t)(*data)[2] << 8;
    n = n < *size - 3 ? n : *size - 3;
    *part = *data + 3;
    *data += 3 + n;
    *size -= 3 + n;
    return n;
}

static uint8_t *put(uint8_t *to, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        *to++ = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
    }
    return to;
}

static size_t deflate_raw(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
    z_stream z = {.next_in = (uint8_t *)from, .avail_in = (uInt)n};

    z.next_out = to;
    z.avail_out = (uInt)room;
    if (deflateInit2(&z, 1, Z_DEFLATED, -15, 1, Z_DEFAULT_STRATEGY) != Z_OK ||
        deflate(&z, Z_FINISH) != Z_STREAM_END) {
        abort();
    }
    deflateEnd(&z);
    return z.total_out;
}

static void archive(const uint8_t *data, size_t size, uint64_t piece)
{
    static const char *const names[MEMBERS] = {"format.npy", "shape.npy", "indices.npy",
                                               "indptr.npy", "data.npy"};
    static uint8_t file[4 * ROOM], directory[ROOM];
    uint8_t *to = file, *entry = directory;

    for (int i = 0; i < MEMBERS; i++) {
        const uint64_t at = (uint64_t)(to - file), length = strlen(names[i]);
        const uint8_t *part;
        int flag;
        const size_t n = cut(&data, &size, &flag, &part);
        const uint32_t crc = (uint32_t)crc32(0, part, (uInt)n);
        uint8_t *const content = to + 30 + length;
        size_t packed = n;

        if (flag & 1) {
            packed = deflate_raw(content, ROOM / 2, part, n);
        } else {
            memcpy(content, part, n);
        }
        to = put(to, 0x04034b50, 4);
        to = put(to, 0, 22);
        to = put(put(to, length, 2), 0, 2);
        memcpy(to, names[i], length);
        to = content + packed;
        entry = put(put(entry, 0x02014b50, 4), 0, 6);
        entry = put(put(entry, flag & 1 ? 8 : 0, 2), 0, 4);
        entry = put(put(put(entry, crc, 4), packed, 4), n, 4);
        entry = put(put(put(entry, length, 2), 0, 12), at, 4);
        memcpy(entry, names[i], length);
        entry += length;
    }
    memcpy(to, directory, (size_t)(entry - directory));

    const uint64_t at = (uint64_t)(to - file), bytes = (uint64_t)(entry - directory);

    to += bytes;
    to = put(put(put(to, 0x06054b50, 4), 0, 8), bytes, 4);
    to = put(put(to, at, 4), 0, 2);
    fuzz_reader(file, (size_t)(to - file), GRAPHFILE_NPZ, piece, NULL);
}

static void beside(const uint8_t *data, size_t size, bool rows)
{
    const char *const suffixes[] = {rows ? "indices" : "e", rows ? "indptr" : "properties", "data"};
    static char name[64];

    for (int i = 0; i < 3; i++) {
        const uint8_t *part;
        int flag, fd;
        const size_t n = cut(&data, &size, &flag, &part);

        snprintf(name, sizeof name, "/dev/shm/rmat-fuzz-%d.%s", (int)getpid(), suffixes[i]);
        fd = i < 2 || flag & 1 ? open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
        if (fd < 0 ? unlink(name) > 0 : write(fd, part, n) != (ssize_t)n || close(fd) != 0) {
            abort();
        }
    }
    snprintf(name, sizeof name, "/dev/shm/rmat-fuzz-%d.%s", (int)getpid(), suffixes[0]);
    fuzz_path = name;
    fuzz_reader(data, size, rows ? GRAPHFILE_RAWCSR : GRAPHFILE_GRAPHALYTICS, 1, NULL);
    fuzz_path = NULL;
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "/dev/shm/rmat-fuzz-%d.%s", (int)getpid(), suffixes[i]);
        unlink(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const graphfile_format formats[] = {GRAPHFILE_ADJACENCY, GRAPHFILE_GALOIS,
                                               GRAPHFILE_PARHIP, GRAPHFILE_NPZ};
    const int which = size >= 2 ? data[0] % 7 : -1;

    if (size < 2 || size > ROOM / 4) {
        return 0;
    }
    fuzz_any_message = 1; /* columns are read one after the other */
    fuzz_weight = which != 1 && which != 6 ? EDGEFILE_NO_WEIGHT
                  : data[0] < 64           ? EDGEFILE_NO_WEIGHT
                  : data[0] < 160          ? EDGEFILE_WEIGHT_F32
                                           : EDGEFILE_WEIGHT_I32;
    if (which == 5) {
        archive(data + 2, size - 2, 1 + data[1]);
    } else if (which == 6 || which == 4) {
        beside(data + 2, size - 2, which == 6);
    } else {
        fuzz_reader(data + 2, size - 2, formats[which], 1 + data[1], NULL);
    }
    return 0;
}
