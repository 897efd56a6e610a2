/*
 * Ranges of edges from an edge source that has them in pieces.
 *
 * A range may begin and end within a piece, and the next range often goes on there.  So pieces stay
 * in memory once they have been read: who needs one takes it from the shelf if it is there, else
 * any memory from the shelf that nobody uses, and reads the piece into it.
 */
#include "apps/engine/source/edge_stream.h"
#include "apps/engine/status.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Memory for a piece, on the shelf or in use. */
typedef struct memory {
    struct memory *next;
    edge_piece_memory piece;
    bool full; /* the piece was read */
} memory;

struct edge_stream {
    edge_source *source;
    pthread_mutex_t lock; /* guards these: */
    memory *shelf;
    char text[ENGINE_TEXT]; /* what failed first, or "" */
};

static void fail(edge_stream *x, const char *text)
{
    pthread_mutex_lock(&x->lock);
    if (x->text[0] == '\0') {
        snprintf(x->text, sizeof x->text, "%s", text);
    }
    pthread_mutex_unlock(&x->lock);
}

/* From the shelf: the piece itself, else any memory, else NULL. */
static memory *take_piece(edge_stream *x, uint64_t number)
{
    memory **at = &x->shelf, *m;

    pthread_mutex_lock(&x->lock);
    while (*at != NULL && !((*at)->full && (*at)->piece.number == number)) {
        at = &(*at)->next;
    }
    at = *at != NULL ? at : &x->shelf;
    m = *at;
    if (m != NULL) {
        *at = m->next;
    }
    pthread_mutex_unlock(&x->lock);
    return m;
}

/* At the end, so that what was used longest ago is used for another piece first. */
static void put_back(edge_stream *x, memory *m)
{
    memory **at = &x->shelf;

    pthread_mutex_lock(&x->lock);
    while (*at != NULL) {
        at = &(*at)->next;
    }
    m->next = NULL;
    *at = m;
    pthread_mutex_unlock(&x->lock);
}

/* The piece in memory, to be put back; NULL: it could not be read. */
static memory *get_piece(edge_stream *x, uint64_t number)
{
    memory *m = take_piece(x, number);
    char text[ENGINE_TEXT];

    if (m == NULL) {
        m = calloc(1, sizeof *m);
        if (m == NULL || !edge_piece_allocate(&m->piece, x->source)) {
            fail(x, "memory is exhausted");
            if (m != NULL) {
                edge_piece_free(&m->piece);
            }
            free(m);
            return NULL;
        }
    }
    if (!m->full || m->piece.number != number) {
        m->piece.number = number;
        m->full = edge_source_read(x->source, &m->piece, text, sizeof text) == 0;
        if (!m->full) {
            fail(x, text);
            put_back(x, m);
            return NULL;
        }
    }
    return m;
}

/* Returns the largest id. */
static uint64_t copy_ids(const void *from, uint64_t at, uint64_t n, int from_bytes, void *to,
                         uint64_t to_at, int to_bytes)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < n; i++) {
        const uint64_t id = edge_id(from, at + i, from_bytes);

        most = id > most ? id : most;
        if (to_bytes == 4) {
            ((uint32_t *)to)[to_at + i] = (uint32_t)id;
        } else {
            ((uint64_t *)to)[to_at + i] = id;
        }
    }
    return most;
}

/* n edges of a piece, from number `at` in it on, to the arrays from `to_at` on. */
static int copy(edge_stream *x, const edge_block *e, uint64_t at, uint64_t n, const rmat_arrays *to,
                uint64_t to_at)
{
    const graphfile_graph *g = &edge_source_facts_of(x->source)->graph;
    const uint64_t src = copy_ids(e->src, at, n, e->id_bytes, to->src, to_at, to->id_bytes);
    const uint64_t dst = copy_ids(e->dst, at, n, e->id_bytes, to->dst, to_at, to->id_bytes);
    char text[128];

    if (src >= g->rows || dst >= g->cols) {
        snprintf(text, sizeof text,
                 "an edge has the %s %" PRIu64 ", but there are only %" PRIu64 " vertices",
                 src >= g->rows ? "source" : "destination", src >= g->rows ? src : dst,
                 src >= g->rows ? g->rows : g->cols);
        fail(x, text);
        return -1;
    }
    if (to->weight != NULL) {
        memcpy((char *)to->weight + 4 * to_at, (const char *)e->weight + 4 * at, 4 * n);
    }
    return 0;
}

static int fill_from_stream(void *state, uint64_t first, uint64_t count, const rmat_arrays *to)
{
    edge_stream *x = state;

    for (uint64_t done = 0; done < count;) {
        const uint64_t edge = first + done, piece = edge / EDGE_SOURCE_PIECE;
        const uint64_t left = (piece + 1) * EDGE_SOURCE_PIECE - edge;
        const uint64_t n = count - done < left ? count - done : left;
        memory *m = get_piece(x, piece);
        int status;

        if (m == NULL) {
            return -1;
        }
        status = copy(x, &m->piece.edges, edge - m->piece.edges.first, n, to, done);
        put_back(x, m);
        if (status != 0) {
            return -1;
        }
        done += n;
    }
    return 0;
}

static uint64_t piece_end(void *state, uint64_t first)
{
    const graphfile_graph *g = &edge_source_facts_of(((edge_stream *)state)->source)->graph;
    const uint64_t end = (first / EDGE_SOURCE_PIECE + 1) * EDGE_SOURCE_PIECE;

    return end < g->edges ? end : g->edges;
}

static const char *error(void *state)
{
    return ((edge_stream *)state)->text;
}

int edge_stream_open(edge_stream **out, edge_source *s)
{
    edge_stream *x = calloc(1, sizeof *x);

    *out = x;
    if (x == NULL) {
        return engine_fail("memory is exhausted");
    }
    x->source = s;
    pthread_mutex_init(&x->lock, NULL);
    return ENGINE_OK;
}

void edge_stream_close(edge_stream *x)
{
    memory *next;

    if (x == NULL) {
        return;
    }
    for (memory *m = x->shelf; m != NULL; m = next) {
        next = m->next;
        edge_piece_free(&m->piece);
        free(m);
    }
    pthread_mutex_destroy(&x->lock);
    free(x);
}

engine_source edge_stream_source(edge_stream *x)
{
    static const rmat_weights kinds[] = {[EDGEFILE_NO_WEIGHT] = RMAT_NO_WEIGHTS,
                                         [EDGEFILE_WEIGHT_F32] = RMAT_WEIGHTS_UNIFORM,
                                         [EDGEFILE_WEIGHT_I32] = RMAT_WEIGHTS_INT};
    const graphfile_graph *g = &edge_source_facts_of(x->source)->graph;

    return (engine_source){.edges = {.rows = g->rows > 0 ? g->rows : 1,
                                     .cols = g->cols > 0 ? g->cols : 1,
                                     .edges = g->edges,
                                     .weights = kinds[g->weight],
                                     .fill = fill_from_stream,
                                     .piece_end = piece_end,
                                     .state = x},
                           .error = error,
                           .pairs = g->pairs,
                           .unique = g->unique,
                           .no_loops = g->no_loops};
}
