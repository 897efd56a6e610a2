/*
 * names.c - vertices that have names instead of numbers: while lines of text are read, each name
 * stands for a number of 62 bits, a hash of its bytes.
 *
 * So a number does not depend on what was read before it, and any threads can read at once.  The
 * table keeps each name once, and finds out where two different ones have the same number, which
 * is an error: of 10^8 names it happens once in a thousand times.  The table is cut into parts by
 * the hash, each with a lock, slots with linear probing, and its names one behind the other.
 */
#include "io/formats/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, FIRST_SLOTS = 64 };

typedef struct {
    uint64_t id, at; /* where its length and its bytes are, plus 1; 0: an empty slot */
} slot;

typedef struct {
    pthread_mutex_t lock;
    slot *slots;
    char *text;
    uint64_t n_slots, used, bytes, room;
} part;

struct graphfile_name_table {
    uint64_t most; /* bytes of memory */
    _Atomic uint64_t have;
    part part[PARTS];
};

int graphfile_names_create(graphfile_name_table **out, uint64_t memory)
{
    graphfile_name_table *n = calloc(1, sizeof *n);

    *out = n;
    if (n == NULL) {
        return edgefile_no_memory(NULL);
    }
    n->most = memory;
    for (int i = 0; i < PARTS; i++) {
        pthread_mutex_init(&n->part[i].lock, NULL);
    }
    return EDGEFILE_OK;
}

void graphfile_names_free(graphfile_name_table *n)
{
    for (int i = 0; n != NULL && i < PARTS; i++) {
        pthread_mutex_destroy(&n->part[i].lock);
        free(n->part[i].slots);
        free(n->part[i].text);
    }
    free(n);
}

/* FNV-1a, whose bits are then mixed. */
static uint64_t hash(const char *name, size_t length)
{
    uint64_t h = 0xcbf29ce484222325;

    for (size_t i = 0; i < length; i++) {
        h = (h ^ (unsigned char)name[i]) * 0x100000001b3;
    }
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93;
    return (h ^ h >> 32) >> 2;
}

static slot *find(const part *p, uint64_t id)
{
    uint64_t at = id / PARTS;

    while (p->slots[at &= p->n_slots - 1].at != 0 && p->slots[at].id != id) {
        at++;
    }
    return &p->slots[at];
}

/* So many bytes more; false: this is more than the memory given, or than there is. */
static bool grow(graphfile_name_table *n, void **memory, uint64_t from, uint64_t to)
{
    void *larger;

    if (atomic_fetch_add(&n->have, to - from) + (to - from) > n->most ||
        (larger = realloc(*memory, to)) == NULL) {
        return false;
    }
    *memory = larger;
    return true;
}

static bool make_room(graphfile_name_table *n, part *p, size_t length)
{
    const uint64_t old = p->n_slots;
    slot *const before = p->slots;

    if (p->bytes + sizeof length + length > p->room) {
        const uint64_t room = 2 * p->room + sizeof length + length;

        if (!grow(n, (void **)&p->text, p->room, room)) {
            return false;
        }
        p->room = room;
    }
    if (4 * (p->used + 1) <= 3 * old) {
        return true;
    }
    p->n_slots = old > 0 ? 2 * old : FIRST_SLOTS;
    p->slots = NULL;
    if (!grow(n, (void **)&p->slots, old * sizeof(slot), p->n_slots * sizeof(slot))) {
        p->n_slots = old;
        p->slots = before;
        return false;
    }
    memset(p->slots, 0, p->n_slots * sizeof(slot));
    for (uint64_t i = 0; i < old; i++) {
        if (before[i].at != 0) {
            *find(p, before[i].id) = before[i];
        }
    }
    free(before);
    return true;
}

const char *graphfile_name_of(const graphfile_name_table *n, uint64_t id, size_t *length)
{
    const part *p = &n->part[id % PARTS];
    const slot *s = p->n_slots > 0 ? find(p, id) : NULL;

    if (s == NULL || s->at == 0) {
        return NULL;
    }
    memcpy(length, p->text + s->at - 1, sizeof *length);
    return p->text + s->at - 1 + sizeof *length;
}

static int add(graphfile_name_table *n, part *p, const char *name, size_t length, uint64_t id)
{
    size_t other_length;
    const char *other = graphfile_name_of(n, id, &other_length);
    char text[2][40];

    if (other != NULL && (other_length != length || memcmp(other, name, length) != 0)) {
        graphfile_printable(text[0], sizeof text[0], name, length);
        graphfile_printable(text[1], sizeof text[1], other, other_length);
        return edgefile_fail(EDGEFILE_ERR_FORMAT,
                             "the names '%s' and '%s' have the same hash, and cannot be told apart",
                             text[0], text[1]);
    }
    if (other == NULL) {
        if (!make_room(n, p, length)) {
            return edgefile_fail(EDGEFILE_ERR_NOMEM,
                                 "the names of the vertices take more than the %" PRIu64
                                 " bytes of memory for them",
                                 n->most);
        }
        *find(p, id) = (slot){id, p->bytes + 1};
        memcpy(p->text + p->bytes, &length, sizeof length);
        memcpy(p->text + p->bytes + sizeof length, name, length);
        p->bytes += sizeof length + length;
        p->used++;
    }
    return EDGEFILE_OK;
}

int graphfile_names_add(graphfile_name_table *n, const char *name, size_t length, uint64_t *id)
{
    part *p;
    int st;

    *id = hash(name, length);
    p = &n->part[*id % PARTS];
    pthread_mutex_lock(&p->lock);
    st = add(n, p, name, length, *id);
    pthread_mutex_unlock(&p->lock);
    return st;
}
