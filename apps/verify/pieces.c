/*
 * rmat verify: pieces of a file for several threads.
 *
 * A thread that needs a piece reads it itself, under a lock, so that pieces are read one after the
 * other in the order of the file while the other threads compute.
 */
#include "apps/verify/pieces.h"
#include "apps/common/huge_alloc.h"
#include <string.h>

/* Edges in memory at a time, of all threads together, unless there are very many threads. */
#define MEMORY_EDGES ((uint64_t)1 << 24)

/* A hash value (splitmix64): the same for the same seed. */
static uint64_t scramble(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The chunk that represents part k of `sample` equal parts of the file: the first chunk of the file
 * for the first part, its last chunk for the last part, else a random one. */
static uint64_t sampled_chunk(const piece_source *x, uint64_t k)
{
    uint64_t n = x->sample;
    uint64_t low = (uint64_t)((unsigned __int128)k * x->chunks / n);
    uint64_t high = (uint64_t)((unsigned __int128)(k + 1) * x->chunks / n);

    return k == 0       ? 0
           : k + 1 == n ? x->chunks - 1
                        : low + scramble(x->sample_seed + k) % (high - low);
}

static void range_of(const piece_source *x, uint64_t chunk, uint64_t *first, uint64_t *end)
{
    uint64_t left;

    *first = x->begin + chunk * VERIFY_CHUNK;
    left = x->end - *first;
    *end = *first + (left < VERIFY_CHUNK ? left : VERIFY_CHUNK);
}

static bool next_chunk(piece_source *x)
{
    if (x->chunk == (x->sample > 0 ? x->sample : x->chunks)) {
        return false;
    }
    range_of(x, x->sample > 0 ? sampled_chunk(x, x->chunk) : x->chunk, &x->at, &x->until);
    x->chunk++;
    return true;
}

void pieces_sampled(const piece_source *x, uint64_t k, uint64_t *first, uint64_t *end)
{
    range_of(x, sampled_chunk(x, k), first, end);
}

void pieces_range(piece_source *x, uint64_t first, uint64_t end)
{
    if (first < x->at) { /* parts are visited in order */
        x->part = 0;
        edgefile_close(x->reader);
        x->reader = NULL;
    }
    x->chunk = x->sample > 0 ? x->sample : x->chunks;
    x->at = first;
    x->until = end;
}

/* The reader of the part with edge x->at; the pointers of its row may be in another one. */
static int open_part(piece_source *x)
{
    while (x->at - x->parts[x->part].first >= x->parts[x->part].edges) {
        x->part++;
        if (x->whole == NULL) {
            edgefile_close(x->reader);
            x->reader = NULL;
        }
    }
    return x->reader != NULL
               ? EDGEFILE_OK
               : edgefile_open(&x->reader, x->whole != NULL ? x->whole : x->parts[x->part].name);
}

static int width(const piece_source *x, int column)
{
    return column == 2 ? 4 : x->id_bytes;
}

static int read_piece(piece_source *x, edge_piece *p)
{
    const verify_part *part = &x->parts[x->part];
    uint64_t left = part->first + part->edges - x->at, n = x->until - x->at;
    void *const columns[3] = {p->src, p->dst, p->weight};
    int status;

    n = n < x->most ? n : x->most;
    n = n < left ? n : left;
    status = edgefile_read(x->reader, x->at - (x->whole != NULL ? x->begin : part->first), n,
                           x->rows.rows > 0 ? NULL : p->src, p->dst, p->weight);
    if (status == EDGEFILE_OK && x->rows.rows > 0) {
        status = verify_rows_expand(&x->rows, x->reader, x->at, n, p->src, x->id_bytes);
    }
    if (status != EDGEFILE_OK) {
        return status;
    }
    p->edges = (edge_block){x->at, n, p->src, p->dst, p->weight, x->id_bytes};
    p->part = x->part;
    p->has_before = x->at > x->begin && x->at == x->last_end;
    memcpy(p->before, x->last, sizeof p->before);
    for (int i = 0; i < 3 && columns[i] != NULL; i++) {
        size_t bytes = (size_t)width(x, i);

        memcpy(&x->last[i], (const char *)columns[i] + (n - 1) * bytes, bytes);
    }
    x->at += n;
    x->last_end = x->at;
    return EDGEFILE_OK;
}

int piece_next(piece_source *x, edge_piece *piece)
{
    int status = EDGEFILE_OK;

    piece->edges.count = 0;
    pthread_mutex_lock(&x->lock);
    if (x->at < x->until || next_chunk(x)) {
        status = open_part(x);
        if (status == EDGEFILE_OK) {
            status = read_piece(x, piece);
        }
    }
    pthread_mutex_unlock(&x->lock);
    return status;
}

bool piece_allocate(edge_piece *p, const piece_source *x)
{
    p->src = huge_alloc(x->most * (uint64_t)x->id_bytes);
    p->dst = huge_alloc(x->most * (uint64_t)x->id_bytes);
    p->weight = x->weights ? huge_alloc(x->most * 4) : NULL;
    return p->src != NULL && p->dst != NULL && (!x->weights || p->weight != NULL);
}

void piece_free(edge_piece *p)
{
    free(p->src);
    free(p->dst);
    free(p->weight);
}

void pieces_begin(piece_source *x, int n_parts, int threads)
{
    const verify_part *last = &x->parts[n_parts - 1];
    uint64_t share = MEMORY_EDGES / (uint64_t)threads;

    pthread_mutex_init(&x->lock, NULL);
    x->begin = x->parts[0].first;
    x->end = last->first + last->edges;
    x->chunks = (x->end - x->begin) / VERIFY_CHUNK + ((x->end - x->begin) % VERIFY_CHUNK != 0);
    if (x->sample >= x->chunks) {
        x->sample = 0;
    }
    x->most = VERIFY_CHUNK;
    while (x->most > VERIFY_BLOCK && x->most > share) {
        x->most /= 2;
    }
}

void pieces_end(piece_source *x)
{
    edgefile_close(x->reader);
    pthread_mutex_destroy(&x->lock);
}

uint64_t pieces_edges(const piece_source *x)
{
    return x->sample > 0 ? x->sample * VERIFY_CHUNK : x->end - x->begin;
}
