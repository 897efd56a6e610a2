/*
 * order.c - checks that the edges are what the spec says: vertices below rows and cols and, for
 * formats that need it, edges in order.  Order within a piece is checked when the piece is written;
 * order between pieces, which may come in any order, when all of them are there.
 */
#include "io/formats/writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int graphfile_not_sorted(const graphfile_writer *w, uint64_t edge)
{
    return edgefile_fail(
        EDGEFILE_ERR_FORMAT, "edge %" PRIu64 " is not in order, %s needs a sorted graph%s", edge,
        w->about->facts.name,
        w->about->facts.traits & GRAPHFILE_NEEDS_UNIQUE ? " without duplicates" : "");
}

static uint64_t highest_32(const uint32_t *ids, uint64_t count)
{
    uint32_t most = 0;

    for (uint64_t i = 0; i < count; i++) {
        most = ids[i] > most ? ids[i] : most;
    }
    return most;
}

static uint64_t highest_64(const uint64_t *ids, uint64_t count)
{
    uint64_t most = 0;

    for (uint64_t i = 0; i < count; i++) {
        most = ids[i] > most ? ids[i] : most;
    }
    return most;
}

static int check_ids(const graphfile_writer *w, const void *ids, uint64_t count, uint64_t vertices,
                     const char *what)
{
    const uint64_t most =
        w->spec.graph.id_bytes == 4 ? highest_32(ids, count) : highest_64(ids, count);

    if (count > 0 && most >= vertices) {
        return edgefile_fail(EDGEFILE_ERR_FORMAT, "%s %" PRIu64 " of an edge, there are %" PRIu64,
                             what, most, vertices);
    }
    return EDGEFILE_OK;
}

/* May edge (s, d) come after edge (a, b)? */
static bool follows(const graphfile_writer *w, uint64_t a, uint64_t b, uint64_t s, uint64_t d)
{
    const bool unique = w->about->facts.traits & GRAPHFILE_NEEDS_UNIQUE;

    return s > a || (s == a && (d > b || (d == b && !unique)));
}

static int check_order(const graphfile_writer *w, const graphfile_piece *p)
{
    uint64_t a = graphfile_id(w->spec.graph.id_bytes, p->src, 0),
             b = graphfile_id(w->spec.graph.id_bytes, p->dst, 0);

    for (uint64_t i = 1; i < p->count; i++) {
        const uint64_t s = graphfile_id(w->spec.graph.id_bytes, p->src, i),
                       d = graphfile_id(w->spec.graph.id_bytes, p->dst, i);
        if (!follows(w, a, b, s, d)) {
            return graphfile_not_sorted(w, p->first + i);
        }
        a = s;
        b = d;
    }
    return EDGEFILE_OK;
}

graphfile_ends graphfile_ends_of(const graphfile_writer *w, const graphfile_piece *p)
{
    const int bytes = w->spec.graph.id_bytes;
    graphfile_ends ends = {.first = p->first, .count = p->count};

    if (p->count > 0) {
        ends.first_src = graphfile_id(bytes, p->src, 0);
        ends.first_dst = graphfile_id(bytes, p->dst, 0);
        ends.last_src = graphfile_id(bytes, p->src, p->count - 1);
        ends.last_dst = graphfile_id(bytes, p->dst, p->count - 1);
    }
    return ends;
}

static int keep_ends(graphfile_writer *w, const graphfile_piece *p)
{
    int st = EDGEFILE_OK;

    pthread_mutex_lock(&w->lock);
    if (p->number >= w->n_ends) {
        const uint64_t n = 2 * p->number + 64;
        graphfile_ends *ends = realloc(w->ends, n * sizeof *ends);
        if (ends == NULL) {
            st = edgefile_no_memory(NULL);
        } else {
            memset(ends + w->n_ends, 0, (n - w->n_ends) * sizeof *ends);
            w->ends = ends;
            w->n_ends = n;
        }
    }
    if (st == EDGEFILE_OK) {
        w->ends[p->number] = graphfile_ends_of(w, p);
    }
    pthread_mutex_unlock(&w->lock);
    return st;
}

int graphfile_check_piece(graphfile_writer *w, const graphfile_piece *p)
{
    EDGEFILE_TRY(check_ids(w, p->src, p->count, w->spec.graph.rows, "source"));
    EDGEFILE_TRY(check_ids(w, p->dst, p->count, w->spec.graph.cols, "destination"));
    if (p->count == 0 || !(w->about->facts.traits & GRAPHFILE_NEEDS_SORTED)) {
        return EDGEFILE_OK;
    }
    EDGEFILE_TRY(check_order(w, p));
    return keep_ends(w, p);
}

int graphfile_check_ends(const graphfile_writer *w)
{
    const graphfile_ends *before = NULL;

    for (uint64_t i = 0; i < w->n_ends; i++) {
        const graphfile_ends *e = &w->ends[i];
        if (e->count == 0) {
            continue;
        }
        if (before != NULL &&
            !follows(w, before->last_src, before->last_dst, e->first_src, e->first_dst)) {
            return graphfile_not_sorted(w, e->first);
        }
        before = e;
    }
    return EDGEFILE_OK;
}
