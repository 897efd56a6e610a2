/*
 * index.c - writes and reads the B-tree over the chunks of a dataset.
 *
 * A node has a head and up to 64 children with a key on each side: the size of a chunk, which of
 * its filters were left out (none), and its first element, as a place in the dataset and a byte in
 * an element.  The key on a child's left is that of the first chunk under it.
 */
#include "io/compressed/index.h"
#include "io/compressed/compressed.h"
#include "io/files.h"
#include "io/hdf5/metadata_walk.h"
#include "io/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HEAD = 24, KEY = 24, CHILD = 8, CHUNK_TREE = 1 };

uint64_t edgefile_index_chunk(const edgefile_index *x)
{
    return x->length < EDGEFILE_CHUNK ? x->length : EDGEFILE_CHUNK;
}

int edgefile_index_init(edgefile_index *x, uint64_t length, int width, const char *name)
{
    *x = (edgefile_index){.length = length, .width = width};
    x->n = length / EDGEFILE_CHUNK + (length % EDGEFILE_CHUNK != 0);
    x->chunk = calloc(x->n, sizeof *x->chunk);
    return x->chunk != NULL ? EDGEFILE_OK : edgefile_no_memory(name);
}

void edgefile_index_free(edgefile_index *x)
{
    free(x->chunk);
    x->chunk = NULL;
}

/* Chunks under a whole node of a level; leaves are level 0. */
static uint64_t under(int level)
{
    return (uint64_t)1 << 6 * (level + 1);
}

static uint64_t nodes_of(const edgefile_index *x, int level)
{
    return (x->n - 1) / under(level) + 1;
}

static int levels_of(const edgefile_index *x)
{
    int levels = 1;

    while (nodes_of(x, levels - 1) > 1) {
        levels++;
    }
    return levels;
}

uint64_t edgefile_index_bytes(const edgefile_index *x)
{
    uint64_t nodes = 0;

    for (int level = 0; level < levels_of(x); level++) {
        nodes += nodes_of(x, level);
    }
    return (nodes - 1) * EDGEFILE_NODE_BYTES;
}

static uint64_t address(const edgefile_index *x, int level, uint64_t node)
{
    if (nodes_of(x, level) == 1) {
        return x->root;
    }
    for (int below = 0; below < level; below++) {
        node += nodes_of(x, below);
    }
    return x->nodes + node * EDGEFILE_NODE_BYTES;
}

static unsigned char *put_number(unsigned char *at, uint64_t x, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(x >> 8 * i);
    }
    return at + bytes;
}

/* The key of a chunk; behind the last one, the key that ends the tree. */
static unsigned char *put_key(unsigned char *at, const edgefile_index *x, uint64_t chunk)
{
    const bool last = chunk >= x->n;

    at = put_number(at, last ? 0 : x->chunk[chunk].bytes, 4);
    at = put_number(at, 0, 4);
    at = put_number(at, (last ? x->n : chunk) * edgefile_index_chunk(x), 8);
    return put_number(at, last ? (uint64_t)x->width : 0, 8);
}

static void encode(const edgefile_index *x, int level, uint64_t node,
                   unsigned char bytes[EDGEFILE_NODE_BYTES])
{
    const uint64_t nodes = nodes_of(x, level), below = level == 0 ? x->n : nodes_of(x, level - 1);
    const uint64_t first = node * EDGEFILE_NODE_FANOUT, each = under(level) / EDGEFILE_NODE_FANOUT;
    const uint64_t left = below - first;
    const uint64_t count = left < EDGEFILE_NODE_FANOUT ? left : EDGEFILE_NODE_FANOUT;
    unsigned char *at = bytes;

    memset(bytes, 0, EDGEFILE_NODE_BYTES);
    memcpy(at, "TREE", 4);
    at = put_number(at + 4, CHUNK_TREE, 1);
    at = put_number(at, (uint64_t)level, 1);
    at = put_number(at, count, 2);
    at = put_number(at, node > 0 ? address(x, level, node - 1) : METADATA_NOWHERE, 8);
    at = put_number(at, node + 1 < nodes ? address(x, level, node + 1) : METADATA_NOWHERE, 8);
    for (uint64_t i = 0; i < count; i++) {
        at = put_key(at, x, (first + i) * each);
        at = put_number(
            at, level == 0 ? x->chunk[first + i].offset : address(x, level - 1, first + i), 8);
    }
    put_key(at, x, (first + count) * each);
}

int edgefile_index_write(const edgefile_index *x, int fd, const char *name)
{
    unsigned char bytes[EDGEFILE_NODE_BYTES];

    for (int level = 0; level < levels_of(x); level++) {
        for (uint64_t node = 0; node < nodes_of(x, level); node++) {
            encode(x, level, node, bytes);
            if (edgefile_put(fd, -1, address(x, level, node), sizeof bytes, (char *)bytes) <
                sizeof bytes) {
                return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", name);
            }
        }
    }
    return EDGEFILE_OK;
}

static int damaged(const char *name, const char *dataset, uint64_t at)
{
    return edgefile_fail(EDGEFILE_ERR_FORMAT,
                         "%s: the index of dataset '%s' at byte %" PRIu64
                         " is damaged, or was not written by rmat",
                         name, dataset, at);
}

static int get_number(int fd, uint64_t at, const char *name, const char *dataset,
                      unsigned char bytes[EDGEFILE_NODE_BYTES])
{
    if (at > INT64_MAX) {
        return damaged(name, dataset, at);
    }
    if (edgefile_get(fd, at, EDGEFILE_NODE_BYTES, bytes) == EDGEFILE_NODE_BYTES) {
        return EDGEFILE_OK;
    }
    return errno == 0
               ? damaged(name, dataset, at)
               : edgefile_fail(EDGEFILE_ERR_IO, "%s: reading at byte %" PRIu64 ": %m", name, at);
}

/* The first leaf, which all other nodes follow, is the first child of a first child. */
static int find_nodes(edgefile_index *x, int fd, const char *name, const char *dataset)
{
    unsigned char bytes[EDGEFILE_NODE_BYTES];

    x->nodes = x->root;
    for (int level = levels_of(x) - 1; level > 0; level--) {
        EDGEFILE_TRY(get_number(fd, x->nodes, name, dataset, bytes));
        x->nodes = edgefile_metadata_number(bytes + HEAD + KEY, CHILD);
    }
    return x->nodes <= INT64_MAX - edgefile_index_bytes(x) ? EDGEFILE_OK
                                                           : damaged(name, dataset, x->nodes);
}

int edgefile_index_read(edgefile_index *x, int fd, const char *name, const char *dataset)
{
    unsigned char found[EDGEFILE_NODE_BYTES], expected[EDGEFILE_NODE_BYTES];

    EDGEFILE_TRY(find_nodes(x, fd, name, dataset));
    for (uint64_t i = 0; i < x->n; i++) {
        const unsigned char *at = found + HEAD + i % EDGEFILE_NODE_FANOUT * (KEY + CHILD);

        if (i % EDGEFILE_NODE_FANOUT == 0) {
            EDGEFILE_TRY(
                get_number(fd, address(x, 0, i / EDGEFILE_NODE_FANOUT), name, dataset, found));
        }
        x->chunk[i].bytes = edgefile_metadata_number(at, 4);
        x->chunk[i].offset = edgefile_metadata_number(at + KEY, CHILD);
    }
    for (int level = 0; level < levels_of(x); level++) {
        for (uint64_t node = 0; node < nodes_of(x, level); node++) {
            EDGEFILE_TRY(get_number(fd, address(x, level, node), name, dataset, found));
            encode(x, level, node, expected);
            if (memcmp(found, expected, sizeof found) != 0) {
                return damaged(name, dataset, address(x, level, node));
            }
        }
    }
    return EDGEFILE_OK;
}

/* What the beginning of a compressed file says of the rest. */

enum { SUPERBLOCK = 48, END = 28, SUM = 44 };

bool edgefile_is_compressed(const edgefile_schema *s, int dataset, uint64_t edges)
{
    return s->compressed && edgefile_width(s, dataset) > 0 && !edgefile_is_iso(s, dataset) &&
           edgefile_length(s, dataset, edges) > 0;
}

int edgefile_compressed_look(const char *name, int fd, uint64_t *end, uint64_t *roots, int n)
{
    metadata_walk *w;
    int st = EDGEFILE_OK, found = 0;

    EDGEFILE_TRY(edgefile_metadata_walk(&w, name, fd, false));
    for (int dataset = 0; dataset < EDGEFILE_N_DATASETS; dataset++) {
        for (size_t i = 0; i < w->n; i++) { /* in whatever order they are linked */
            if (w->blocks[i].kind == METADATA_TREE && w->blocks[i].dataset == dataset) {
                if (found < n) {
                    roots[found] = w->blocks[i].start;
                }
                found++;
            }
        }
    }
    if (found != n) {
        st = edgefile_fail(EDGEFILE_ERR_FORMAT, "%s: has %d compressed datasets, expected %d", name,
                           found, n);
    }
    *end = w->end;
    free(w);
    return st;
}

int edgefile_compressed_set_end(const char *name, int fd, uint64_t end)
{
    unsigned char block[SUPERBLOCK];
    uint32_t sum;

    if (edgefile_get(fd, 0, sizeof block, block) < sizeof block) {
        return edgefile_fail(EDGEFILE_ERR_IO, "%s: %m", name);
    }
    for (int i = 0; i < 8; i++) {
        block[END + i] = (unsigned char)(end >> 8 * i);
    }
    sum = edgefile_metadata_checksum(block, SUM);
    for (int i = 0; i < 4; i++) {
        block[SUM + i] = (unsigned char)(sum >> 8 * i);
    }
    if (edgefile_put(fd, -1, 0, sizeof block, (char *)block) < sizeof block ||
        ftruncate(fd, (off_t)end) != 0) {
        return edgefile_fail(edgefile_errno_status(EDGEFILE_ERR_IO), "%s: %m", name);
    }
    return EDGEFILE_OK;
}
