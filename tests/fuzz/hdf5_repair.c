/*
 * hdf5_repair.c - mutants of HDF5 files whose metadata has right checksums.
 *
 * Where a checksum lies is found without knowledge of the formats of blocks: from each signature of
 * the intact file ("OHDR", "OCHK", "FRHP", "BTHD" and so on) that length is taken at which four
 * bytes are the checksum of those before them.  (A wrong length fits once in 2^32.)  Two kinds need
 * more: the direct block of a fractal heap has the checksum in its header, and the objects of a
 * global heap have no signature.  Pages of extensible and fixed arrays (a signature is missing
 * there as well) are not repaired; they begin at 1024 chunks.
 *
 * A mutant differs from the file in one to four places, within blocks that have a checksum half of
 * the time, else anywhere.  Afterwards every block gets the checksum that it now has, and an object
 * header also one where its length field now says.
 */
#include "tests/fuzz/hdf5_repair.h"
#include "io/hdf5_layout.h"

#include <string.h>

enum { LONGEST = 8192, SUM = 4, HEAP_HEAD = 16 };

static uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put32(uint8_t *at, uint32_t x)
{
    for (int i = 0; i < SUM; i++) {
        at[i] = (uint8_t)(x >> 8 * i);
    }
}

static void add(hdf5_seed *s, size_t start, size_t bytes, size_t sum)
{
    if (s->n < HDF5_MOST_BLOCKS) {
        s->block[s->n++] = (hdf5_block){start, bytes, sum};
    }
}

static void find_end(hdf5_seed *s, size_t start)
{
    for (size_t n = 8; n <= LONGEST && n + SUM <= s->size - start; n++) {
        if (edgefile_metadata_checksum(s->data + start, n) == get32(s->data + start + n)) {
            add(s, start, n + SUM, start + n);
            return;
        }
    }
}

/* The checksum follows the heap's address and an offset of 1 to 8 bytes; the length is a power of
 * two. */
static void find_direct_block(hdf5_seed *s, size_t start)
{
    uint8_t copy[1 << 16];

    for (size_t bytes = 64; bytes <= sizeof copy && bytes <= s->size - start; bytes *= 2) {
        for (size_t sum = 14; sum <= 21; sum++) {
            memcpy(copy, s->data + start, bytes);
            memset(copy + sum, 0, SUM);
            if (edgefile_metadata_checksum(copy, bytes) == get32(s->data + start + sum)) {
                add(s, start, bytes, start + sum);
                return;
            }
        }
    }
}

static void find_in_global_heap(hdf5_seed *s, size_t start)
{
    size_t at = start + HEAP_HEAD;

    while (at + HEAP_HEAD < s->size && s->data[at] != 0) {
        const size_t bytes = get32(s->data + at + 8);

        at += HEAP_HEAD;
        if (bytes <= SUM || bytes > s->size - at) {
            return;
        }
        if (edgefile_metadata_checksum(s->data + at, bytes - SUM) ==
            get32(s->data + at + bytes - SUM)) {
            add(s, at, bytes, at + bytes - SUM);
        }
        at += (bytes + 7) / 8 * 8;
    }
}

void hdf5_find_blocks(hdf5_seed *s)
{
    static const char *const signatures[] = {"\211HDF", "OHDR", "OCHK", "FRHP", "FHIB", "FSHD",
                                             "FSSE",    "BTHD", "BTLF", "BTIN", "FAHD", "FADB",
                                             "EAHD",    "EAIB", "EASB", "EADB", "SMTB", "SMLI"};

    s->n = 0;
    for (size_t at = 0; at + 16 < s->size; at++) {
        for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++) {
            if (memcmp(s->data + at, signatures[i], 4) == 0) {
                find_end(s, at);
            }
        }
        if (memcmp(s->data + at, "FHDB", 4) == 0) {
            find_direct_block(s, at);
        } else if (memcmp(s->data + at, "GCOL", 4) == 0) {
            find_in_global_heap(s, at);
        }
    }
}

static uint64_t draw(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

static size_t choose_place(const hdf5_seed *s, uint64_t *state)
{
    size_t at = 0;

    if (s->n > 0 && draw(state) % 2 == 0) {
        const hdf5_block *b = &s->block[draw(state) % s->n];

        return b->start + draw(state) % b->bytes;
    }
    for (int i = 0; i < 64; i++) { /* rarely among zeros, of which most files have many */
        at = draw(state) % s->size;
        if (s->data[at] != 0) {
            break;
        }
    }
    return at;
}

static void change(const hdf5_seed *s, uint64_t *state, uint8_t *to)
{
    static const uint64_t values[] = {0,      1,          0x7f,       0x80,      0xff,      0x7fff,
                                      0xffff, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
    const size_t at = choose_place(s, state), width = (size_t)1 << draw(state) % 4;
    uint64_t value = values[draw(state) % (sizeof values / sizeof *values)];

    switch (draw(state) % 4) {
    case 0:
        to[at] ^= (uint8_t)(1U << draw(state) % 8);
        break;
    case 1:
        to[at] = (uint8_t)draw(state);
        break;
    case 2:
        to[at] = (uint8_t)(to[at] + (draw(state) % 2 == 0 ? 1 : 255));
        break;
    default:
        for (size_t i = 0; i < width && at + i < s->size; i++, value >>= 8) {
            to[at + i] = (uint8_t)value;
        }
    }
}

/* Where the length field of an object header says. */
static void repair_header(uint8_t *data, size_t size, size_t start)
{
    const size_t at = start + 6 + (data[start + 5] & 32 ? 16 : 0) + (data[start + 5] & 16 ? 4 : 0);
    const size_t width = (size_t)1 << (data[start + 5] & 3);
    size_t bytes;

    if (memcmp(data + start, "OHDR", 4) == 0 && at + 8 <= size) {
        bytes = width == 1 ? data[at] : get32(data + at) & (width == 2 ? 0xffff : 0xffffffff);
        bytes += at + width - start;
        if (bytes <= size - start && size - start - bytes >= SUM) {
            put32(data + start + bytes, edgefile_metadata_checksum(data + start, bytes));
        }
    }
}

static void repair(const hdf5_seed *s, uint8_t *to)
{
    for (size_t i = 0; i < s->n; i++) {
        const hdf5_block *b = &s->block[i];
        const size_t end = b->start + b->bytes;

        memset(to + b->sum, 0, SUM);
        put32(to + b->sum, edgefile_metadata_checksum(
                               to + b->start, b->sum + SUM == end ? b->bytes - SUM : b->bytes));
        repair_header(to, s->size, b->start);
    }
}

size_t hdf5_mutate(const hdf5_seed *s, uint64_t number, uint8_t *to)
{
    uint64_t state = number;
    const uint64_t changes = 1 + draw(&state) % 4;

    memcpy(to, s->data, s->size);
    for (uint64_t i = 0; i < changes; i++) {
        change(s, &state, to);
    }
    repair(s, to);
    return s->size;
}
